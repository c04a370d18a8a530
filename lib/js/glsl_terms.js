// Terms in GLSL: a function of all that a term rests on, and one of each fractal and each coarse term. "Terms", "Zones" and "Nodes" of the
// library's page have the formulas.

import { BASES } from './glsl_bases.js';
import { float, fractalKinds, fractalText } from './glsl_fractals.js';

const fround = Math.fround;
const OPS = ['fractal', 'sum', 'product', 'blend', 'curve', 'zones', 'coarse', 'min', 'max'];

/** The terms that a term asks directly; partition: the recipe's. */
export function restsOn(term, partition) {
    if (term.op === 'fractal') return displaced(term.fractal) ? term.fractal.by.filter((k) => k !== -1) : [];
    if (term.op !== 'zones') return term.in;
    const asked = partition.zone.length === 1 ? [] : { noise: [partition.by], climate: [partition.temperature, partition.moisture] }[partition.kind];
    return [...(asked ?? []), ...partition.zone.map((zone) => zone.term).filter((k) => k !== -1)];
}

/** All that a term rests on, and itself last: each behind what it asks, by asks(k). */
export function inOrder(root, asks) {
    const found = new Set();
    const visit = (k) => {
        if (found.has(k)) return;
        for (const asked of asks(k)) visit(asked);
        found.add(k);
    };
    visit(root);
    return [...found];
}

export const displaced = ({ kind, metres, by }) => !kind.startsWith('midpoint') && metres !== 0 && by.some((k) => k !== -1);

/** What of a term no shader makes, in words; undefined: one does. */
export function refusal({ op, fractal }, partition) {
    if (!OPS.includes(op)) return op;
    if (op === 'fractal' && !fractalKinds.includes(fractal.kind)) return `fractal "${fractal.kind}"`;
    const base = fractal?.base.find((name) => !(name in BASES));
    if (base) return `base "${base}"`;
    if (op === 'zones' && partition.zone.length > 1 && partition.kind === 'voronoi') return 'partition "voronoi"';
    return undefined;
}

function sum({ in: inputs, factor, offset }) {
    return inputs.reduce((text, k, i) => `(${text} + v${k} * ${float(factor[i])})`, float(offset));
}

function product({ in: inputs, factor, offset }) {
    return `${float(offset)} + ${inputs.reduce((text, k) => `(${text} * v${k})`, float(factor[0]))}`;
}

const extreme = (call) => ({ in: inputs }) => inputs.map((k) => `v${k}`).reduce((text, next) => `${call}(${text}, ${next})`);

function blend({ in: [a, b, by], low, high }) {
    const inverse = fround(1 / fround(high - low));
    return `terrane_blend(v${a}, v${b}, terrane_step((v${by} - ${float(low)}) * ${float(inverse)}))`;
}

/* The slope at each knot, as binary32 has it. */
function slopes({ x, y }) {
    const secant = (k) => fround(fround(y[k + 1] - y[k]) / fround(x[k + 1] - x[k]));
    return x.map((_, k) => {
        if (k === 0 || k === x.length - 1) return 0;
        const b = secant(k - 1), a = secant(k), both = fround(b * a);
        return both > 0 ? fround(fround(2 * both) / fround(b + a)) : 0;
    });
}

/* The pieces, each as the coefficients of its cubic, where it begins, and how fast it goes. */
export function pieces(term) {
    const { x, y } = term, m = slopes(term);
    return x.slice(0, -1).map((_, k) => {
        const width = fround(x[k + 1] - x[k]), rise = fround(y[k + 1] - y[k]);
        const f = fround(m[k] * width), g = fround(m[k + 1] * width);
        const c2 = fround(fround(fround(3 * rise) - fround(2 * f)) - g), c3 = fround(fround(f + g) - fround(2 * rise));
        return { c: [y[k], f, c2, c3], from: x[k], inverse: fround(1 / width) };
    });
}

function curve(term) {
    const input = `v${term.in[0]}`;
    const piece = ({ c, from, inverse }) => `terrane_curve(${input}, vec4(${c.map(float).join(', ')}), ${float(from)}, ${float(inverse)})`;
    const all = pieces(term);
    return all.reduceRight((text, one, k) => (text === '' ? piece(one) : `${input} < ${float(all[k + 1].from)} ? ${piece(one)} :\n        ${text}`), '');
}

/* What each zone's share of a place is, as texts that come before, and the weights' names. */
function weights(partition, number) {
    const { kind, zone, blend: width, threshold, rows, columns, table } = partition;
    if (zone.length === 1) return { before: [], weight: ['1.0'] };
    const inverse = float(fround(1 / width)), name = (what, k) => `${what}${number}_${k}`;
    const steps = (what, text, at) => [
        `float ${name(what, 0)} = 1.0;`,
        ...at.map((from, k) => `float ${name(what, k + 1)} = terrane_step((${text} - ${float(from)}) * ${inverse} + 0.5);`),
        `float ${name(what, at.length + 1)} = 0.0;`,
    ];
    if (kind === 'noise')
        return { before: steps('s', `v${partition.by}`, threshold), weight: zone.map((_, z) => `(${name('s', z)} - ${name('s', z + 1)})`) };
    const entry = (term, low, high, count) => `((v${term} - ${float(low)}) * ${float(fround(count / fround(high - low)))})`;
    const inner = (count) => Array.from({ length: count - 1 }, (_, k) => k + 1);
    const { cold, hot, dry, wet, temperature, moisture } = partition;
    const before = [
        ...steps('r', entry(temperature, cold, hot, rows), inner(rows)),
        ...steps('c', entry(moisture, dry, wet, columns), inner(columns)),
        ...zone.map((_, z) => `float ${name('w', z)} = 0.0;`),
        ...table.map((z, k) => {
            const row = Math.floor(k / columns), column = k % columns, share = (what, e) => `(${name(what, e)} - ${name(what, e + 1)})`;
            return `${name('w', z)} = min(${name('w', z)} + ${share('r', row)} * ${share('c', column)}, 1.0);`;
        }),
    ];
    return { before, weight: zone.map((_, z) => name('w', z)) };
}

function zones(partition, number) {
    const { before, weight } = weights(partition, number);
    const ground = ({ term, amplitude, offset }) => (term === -1 ? float(offset) : `(v${term} * ${float(amplitude)} + ${float(offset)})`);
    return { before, text: partition.zone.reduce((text, zone, z) => `(${text} + ${weight[z]} * ${ground(zone)})`, '0.0') };
}

/** The functions of all that the term `root` rests on; its own is called last. fractals: of each fractal term { octaves, from }. */
export function termsText({ term, partition, spacing }, root, fractals) {
    const texts = new Map(); // name -> text, in the order in which they may stand

    function fractalCall(k) {
        const { fractal } = term[k], name = `terrane_fractal_${k}`;
        const { octaves, from } = fractals.get(k);
        if (!texts.has(name)) texts.set(name, fractalText(name, fractal, octaves, from, displaced(fractal), spacing));
        const [x, y] = fractal.by.map((by) => (by === -1 ? '0.0' : `v${by}`));
        return `${name}(p, ${displaced(fractal) ? `terrane_by(vec2(${x}, ${y}), vec2(${float(fractal.metres)}))` : 'vec2(0.0)'})`;
    }
    function coarseCall(k) {
        const name = `terrane_coarse_${k}`, of = term[k].of;
        const inner = whole(term[k].in[0]);
        if (!texts.has(name)) texts.set(name, coarseText(name, inner, of));
        return `${name}(p)`;
    }
    const plain = { sum, product, blend, curve, min: extreme('min'), max: extreme('max') };
    function statement(k) {
        const { op } = term[k];
        if (op === 'zones') {
            const { before, text } = zones(partition, k);
            return [...before, `float v${k} = ${text};`];
        }
        const text = op === 'fractal' ? fractalCall(k) : op === 'coarse' ? coarseCall(k) : plain[op](term[k]);
        return [`float v${k} = ${text};`];
    }
    /* A function of a term at a place: all it rests on once, coarse terms as a call. */
    function whole(of) {
        const name = `terrane_term_${of}`;
        if (texts.has(name)) return name;
        const body = inOrder(of, (k) => (term[k].op === 'coarse' ? [] : restsOn(term[k], partition))).flatMap(statement);
        texts.set(name, `\nfloat ${name}(terrane_At p)\n{\n    ${body.join('\n    ')}\n    return v${of};\n}\n`);
        return name;
    }
    const name = whole(root);
    return { name, text: [...texts.values()].join('') };
}

/* A spline between nodes of level `of`; from that level on the term itself. */
const coarseText = (name, inner, of) => `
float ${name}(terrane_At p)
{
    bool itself = p.level >= ${of};
    uvec2 x = terrane_right(p.x, ${of}), y = terrane_right(p.y, ${of});
    float n[16];
    for (int k = 0; k < 16; k++) {
        terrane_At node = terrane_At(terrane_left(terrane_moved(x, (k >> 2) - 1), ${of}), terrane_left(terrane_moved(y, (k & 3) - 1), ${of}), ${of});
        if (itself) node = p;
        n[k] = ${inner}(node);
        if (itself) return n[0];
    }
    vec2 t = vec2(p.x.x & ${2 ** of - 1}u, p.y.x & ${2 ** of - 1}u) * ${float(2 ** -of)};
    return terrane_spline(n, t.x, t.y);
}
`;

export const TERMS = `
float terrane_blend(float a, float b, float s) { return (s * -1.0 + 1.0) * a + s * b; }
float terrane_curve(float v, vec4 c, float from, float inverse)
{
    float u = clamp((v - from) * inverse, 0.0, 1.0);
    return c.x + u * (c.y + u * (c.z + u * c.w));
}
float terrane_spline(float n[16], float s, float t)
{
    const float S = ${1 / 6};
    float u = 1.0 - t, v[4];
    vec4 w = vec4(((u * u) * u) * S, (((3.0 * t - 6.0) * t) * t + 4.0) * S, (((3.0 * u - 6.0) * u) * u + 4.0) * S, ((t * t) * t) * S);
    for (int i = 0; i < 4; i++) v[i] = (w.x * n[4 * i] + w.y * n[4 * i + 1]) + (w.z * n[4 * i + 2] + w.w * n[4 * i + 3]);
    float c0 = ((v[0] + v[2]) + 4.0 * v[1]) * S, c1 = (v[2] - v[0]) * 0.5;
    float c2 = ((v[0] + v[2]) - 2.0 * v[1]) * 0.5, c3 = ((v[3] - v[0]) + 3.0 * (v[1] - v[2])) * S;
    return c0 + s * (c1 + s * (c2 + s * c3));
}
`;
