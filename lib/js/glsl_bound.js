// How far a twin may lie from the library: errors, carried through the terms.
//
// A shader may fuse a product into a sum, and its quotients and roots are 2.5 units off. Octaves, and fractals of them, are made so that nothing is fused
// (terrane_by): they are the library's to the bit, but for quotients and roots (of IQ, JORDAN and the cellular bases, glsl_bases.js). Of other terms the last bits
// differ. Each number has the most that it may be (most) and how far the shader's may lie from the library's (error).

import { BASES } from './glsl_bases.js';
import { TRIANGULAR } from './glsl_octaves.js';
import { displaced, pieces } from './glsl_terms.js';

const UNIT = 2 ** -24;
const FADE = 1.875, FADE_ERROR = 64 * UNIT; // how steep S5 is at most, and how far it may lie itself
const sum = (list) => list.reduce((a, b) => a + b, 0);
const most = (list) => Math.max(0, ...list);
const noMore = Math.min;

/* What is made of sums and products alone: where what goes in is the same, so is what comes out; else roundings add to the error. */
const rounded = (error, units) => (error === 0 ? 0 : error + units * UNIT);

/* What is known of a base, with the weight of HERMITE's gradients. */
function baseOf({ base }, { weight }) {
    const row = BASES[base], more = (what) => (row[what] ?? 0) + (row.weight?.[what] ?? 0) * weight;
    return { error: more('error') * UNIT, slope: more('slope') * UNIT, reach: more('reach'), steep: more('steep'), bend: more('bend') };
}

/* Pushes and slopes go by their lengths. An octave of amplitude 1 whose place is `off` metres from where it should be, pushed `far` at most: how far value and slopes may lie. */
function octaveError(octave, fractal, { off, far }) {
    const base = baseOf(octave, fractal);
    const turned = TRIANGULAR.includes(octave.base) ? 1.74 : 1; // a push, on SIMPLEX's lattice
    const cells = far === 0 ? 0 : turned * rounded(off * octave.perMetre, 8 * (1 + noMore(far * octave.perMetre, 2 ** 20)));
    const slope = Math.SQRT2 * base.slope + (cells === 0 ? 0 : noMore(base.bend * cells, 2 * base.steep));
    return { ...base, value: noMore(base.error + base.steep * cells, 2 * base.reach), slope };
}

/* Kinds whose octaves do not hang together: by how much each passes errors on, and how large it gets, of |n| at most r. */
const SHAPES = {
    fbm: { gain: 1, most: (r) => r },
    billow: { gain: 2, most: (r) => Math.max(1, 2 * r - 1) },
    ridged: { gain: 2, most: (r) => Math.max(1, 2 * r - 1) },
    'double-ridged': { gain: 4, most: (r) => Math.max(1, 4 * r - 3) },
};

/* f in, f out: { error, most } of the sum so far, and what else a kind keeps. */
const STEPS = {
    multifractal: (f, n, a, { sharpness, amplitude }) => {
        const share = f.most === 0 ? 0 : noMore(rounded((Math.abs(sharpness) / amplitude) * f.error, 8), 1);
        return { error: rounded(f.error + a * (n.value + n.reach * share), 4 * a * n.reach), most: f.most + a * n.reach };
    },
    hybrid: (f, n, a, { offset }) => {
        const g = n.reach + Math.abs(offset), error = rounded(n.value + g * (f.weight ?? 0), 6 * g);
        return { error: f.error + a * error, most: f.most + a * g, weight: noMore(error, 1) };
    },
    iq: (f, n, a) => {
        const steep = (f.steep ?? 0) + n.steep, slope = rounded((f.slope ?? 0) + n.slope, 2 * steep);
        const error = n.value + n.reach * noMore(0.92 * slope + 16 * UNIT, 1);
        return { error: f.error + a * error, most: f.most + a * n.reach, steep, slope };
    },
    swiss: (f, n, a, { gain }) => {
        const weight = f.weight ?? { most: 1, error: 0 }, tall = Math.max(1, n.reach);
        const value = rounded(f.error + weight.most * n.value + tall * weight.error, 6 * (f.most + weight.most * tall));
        const push = weight.most * (n.steep * n.value + n.reach * n.slope) + weight.error * n.steep * n.reach;
        const d = { off: rounded((f.d?.off ?? 0) + push, 6 * weight.most * n.steep), far: (f.d?.far ?? 0) + weight.most * n.steep * n.reach };
        const next = { most: weight.most * gain, error: gain * noMore(weight.error + weight.most * value, weight.most) };
        return { error: value, most: f.most + weight.most * tall, weight: next, d };
    },
    jordan: (f, n, a, { damp, amplitude }) => {
        const share = amplitude === 0 ? 0 : a / amplitude, push = rounded(n.steep * n.value + n.reach * n.slope, 4 * n.steep * n.reach);
        const weight = noMore(share * (0.92 * damp * (f.d?.off ?? 0) + 16 * UNIT), share);
        const error = f.error + 2 * share * n.reach * n.value + n.reach ** 2 * weight + 8 * UNIT * (f.most + n.reach ** 2);
        const b = f.d ? 1 : 1.25;
        return { error, most: f.most + share * n.reach ** 2, d: { off: (f.d?.off ?? 0) + b * push, far: (f.d?.far ?? 0) + b * n.steep * n.reach } };
    },
};

function fractalBound(fractal, octaves, terms, spacing) {
    const by = displaced(fractal) ? fractal.by.filter((k) => k !== -1).map((k) => terms[k]) : [];
    const metres = Math.abs(fractal.metres);
    const push = { off: metres * Math.hypot(...by.map((one) => one.error)), far: metres * Math.hypot(...by.map((one) => one.most)) };
    const shape = SHAPES[fractal.kind], step = STEPS[fractal.kind];
    let f = { error: 0, most: 0 };
    for (const octave of octaves) {
        const own = Math.abs(fractal.warp * fractal.cell * spacing); // what SWISS' and JORDAN's slopes push by
        const n = octaveError(octave, fractal, { off: push.off + own * (f.d?.off ?? 0), far: push.far + own * (f.d?.far ?? 0) });
        if (shape) {
            const size = octave.a * shape.most(n.reach);
            f = { error: rounded(f.error + octave.a * shape.gain * n.value, 6 * octave.a * n.reach + 2 * (f.most + size)), most: f.most + size };
        } else f = step(f, n, octave.a, fractal);
    }
    const scaled = ['swiss', 'jordan'].includes(fractal.kind) ? fractal.amplitude : 1;
    return { error: scaled * f.error, most: scaled * f.most };
}

/* Between ground that is a, or b, as a term with this error goes through so wide a transition. */
const between = (error, width, apart) => apart * noMore(FADE * (error / width) + FADE_ERROR, 1);

/* What is picked lies no farther off than one of them does. */
const picked = ({ in: inputs }, at) => ({ most: most(inputs.map((k) => at[k].most)), error: most(inputs.map((k) => at[k].error)) });

const OPS = {
    min: picked,
    max: picked,
    sum({ in: inputs, factor, offset }, at) {
        const large = Math.abs(offset) + sum(inputs.map((k, i) => Math.abs(factor[i]) * at[k].most));
        return { most: large, error: sum(inputs.map((k, i) => Math.abs(factor[i]) * at[k].error)) + 2 * UNIT * (inputs.length + 1) * large };
    },
    product({ in: inputs, factor, offset }, at) {
        const all = { most: Math.abs(factor[0]), error: 0 };
        for (const k of inputs) {
            all.error = all.error * (at[k].most + at[k].error) + all.most * at[k].error + 2 * UNIT * all.most * at[k].most;
            all.most *= at[k].most;
        }
        return { most: all.most + Math.abs(offset), error: all.error + 2 * UNIT * (all.most + Math.abs(offset)) };
    },
    blend({ in: [a, b, by], low, high }, at) {
        const apart = at[a].most + at[b].most, width = high - low;
        const input = at[by].error + 4 * UNIT * (at[by].most + Math.abs(low));
        return { most: apart, error: Math.max(at[a].error, at[b].error) + between(input, width, apart) + 6 * UNIT * apart };
    },
    curve(term, at) {
        const { error, most: far } = at[term.in[0]], large = most(term.y.map(Math.abs));
        const steep = most(pieces(term).map(({ c, inverse }) => 3 * Math.abs((c[1] + c[2] + c[3]) * inverse)));
        return { most: large, error: noMore(steep * (error + 4 * UNIT * (far + most(term.x.map(Math.abs)))) + 24 * UNIT * large, 2 * large) };
    },
    coarse: ({ in: [k] }, at) => ({ most: at[k].most, error: at[k].error + 48 * UNIT * at[k].most }),
    zones(_, at, { zone, kind, blend, by, threshold, temperature, moisture, hot, cold, wet, dry, rows, columns }) {
        const grounds = zone.map(({ term, amplitude, offset }) => ({
            most: Math.abs(offset) + (term === -1 ? 0 : Math.abs(amplitude) * at[term].most),
            error: term === -1 ? 0 : Math.abs(amplitude) * at[term].error,
        }));
        const large = most(grounds.map((one) => one.most)), error = most(grounds.map((one) => one.error)) + 2 * UNIT * (zone.length + 4) * large;
        if (zone.length === 1) return { most: large, error };
        const share = (k, per, from) => between(per * (at[k].error + 4 * UNIT * (at[k].most + from)), blend, 2 * large);
        const mixed = kind === 'noise' ? share(by, 1, most(threshold.map(Math.abs)))
            : 2 * (share(temperature, rows / (hot - cold), Math.abs(cold)) + share(moisture, columns / (wet - dry), Math.abs(dry)));
        return { most: large, error: error + mixed };
    },
};

/** { most, error } of the term `root`; fractals: of each fractal term { octaves }. wanted: the terms it rests on, in their order. */
export function boundOf({ term, partition, spacing }, wanted, fractals) {
    const at = [];
    for (const k of wanted)
        at[k] = term[k].op === 'fractal' ? fractalBound(term[k].fractal, fractals.get(k).octaves, at, spacing) : OPS[term[k].op](term[k], at, partition);
    return at[wanted.at(-1)];
}
