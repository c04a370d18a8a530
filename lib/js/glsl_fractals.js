// Fractals in GLSL: a loop over the octaves that take part at a level. "Fractals" of the library's page has the formulas.

import { BASES } from './glsl_bases.js';
import { TRIANGULAR } from './glsl_octaves.js';

/** A float of GLSL. */
export const float = (v) => {
    const text = Number.isInteger(v) && Math.abs(v) < 1e9 ? v.toFixed(1) : String(v);
    return v < 0 ? `(${text})` : text;
};

/* Of each kind: what there is at first, what each octave n of amplitude a does, what is given at the end. first: it is octave 0. */
const line = (shape) => () => ({ each: `f += terrane_by(${shape}, a);` });
const KINDS = {
    fbm: () => ({ each: 'f += n.x;' }),
    billow: line('abs(n.x) * 2.0 + -1.0'),
    ridged: line('abs(n.x) * -2.0 + 1.0'),
    'double-ridged': line('abs(abs(n.x) * -1.0 + 0.5) * 4.0 + -1.0'),
    multifractal: ({ amplitude, sharpness, offset }) => {
        const rate = amplitude === 0 ? 0 : Math.fround(sharpness / amplitude);
        return { each: `f += terrane_by(first ? n.x : n.x * clamp(terrane_by(f, ${float(rate)}) + ${float(offset)}, 0.0, 1.0), a);` };
    },
    hybrid: ({ offset }) => ({
        before: 'float w = 1.0;',
        each: `float g = (n.x + ${float(offset)}) * w;
        f += terrane_by(g, a);
        w = clamp(g, 0.0, 1.0);`,
    }),
    iq: () => ({
        before: 'vec2 d = vec2(0.0);',
        each: `d += n.yz;
        f += terrane_by(n.x / (1.0 + (terrane_by(d.x, d.x) + terrane_by(d.y, d.y))), a);`,
    }),
    swiss: ({ gain, amplitude }) => ({
        before: 'float w = 1.0; vec2 d = vec2(0.0);',
        each: `f += terrane_by(w, 1.0 - abs(n.x));
        d += terrane_by(w * n.yz, vec2(0.0 - n.x));
        w = (w * ${float(gain)}) * clamp(f, 0.0, 1.0);`,
        end: ` * ${float(amplitude)}`,
    }),
    jordan: ({ damp, amplitude }) => ({
        before: 'vec2 d = vec2(0.0), e = vec2(0.0);',
        each: `float b = first ? 1.25 : 1.0;
        float w = first ? 1.0 : terrane_share(o) * (1.0 - 1.0 / (1.0 + (terrane_by(e.x, e.x) + terrane_by(e.y, e.y))));
        f += terrane_by(w, n.x * n.x);
        d += terrane_by(n.x * n.yz, vec2(b));
        e += terrane_by(n.x * n.yz, vec2(b * ${float(damp)}));`,
        end: ` * ${float(amplitude)}`,
    }),
};

export const fractalKinds = Object.keys(KINDS);

/* How an octave is found and made; pushed: what displaces it, in metres, if anything does. */
function made(octave, fractal, pushed) {
    const skewed = TRIANGULAR.includes(octave.base) ? '_skewed' : '';
    const way = octave.lattice ? 'lattice' : skewed ? 'skewed' : 'points';
    const push = pushed && !octave.lattice ? `c = terrane_pushed${skewed}(c, terrane_by(${pushed}, vec2(terrane_per_metre(o)))); ` : '';
    const numbers = { weight: float(fractal.weight), jitter: float(fractal.jitter) };
    const call = BASES[octave.base].call(numbers, fractal.kind === 'fbm' ? 'a' : '1.0', fractal.kind === 'iq');
    return `c = terrane_${way}(p, o); ${push}n = ${call};`;
}

/** The function of a fractal whose octaves are those from `from` on; called with vec2(0.0) or what terms displace it by, in metres. */
export function fractalText(name, fractal, octaves, from, displaced, spacing) {
    const kind = KINDS[fractal.kind](fractal);
    const own = ['swiss', 'jordan'].includes(fractal.kind);
    const metres = float(Math.fround(fractal.warp * Math.fround(fractal.cell * spacing)));
    const pushedBy = (i) => (own && i > 0 ? `terrane_by(d, vec2(${metres}))${displaced ? ' + push' : ''}` : displaced ? 'push' : '');
    const ways = octaves.map((octave, i) => made(octave, fractal, pushedBy(i)));
    const runs = []; // of octaves that are made alike
    ways.forEach((way, i) => way === ways[i - 1] || runs.push({ way, from: i }));
    const choice = runs.map(({ way }, k) => {
        const next = runs[k + 1];
        return `${next ? `if (o < ${from + next.from}) ` : ''}{ ${way} }`;
    });
    return `
float ${name}(terrane_At p, vec2 push)
{
    float f = 0.0; ${kind.before ?? ''}
    for (int o = ${from}; o < ${from + octaves.length}; o++) {
        if (terrane_ends(o, p.level)) break;
        bool first = o == ${from};
        float a = terrane_amplitude(o);
        terrane_Cell c;
        vec3 n;
        ${choice.join('\n        else ')}
        ${kind.each}
    }
    return f${kind.end ?? ''};
}
`;
}
