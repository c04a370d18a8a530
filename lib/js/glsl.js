// A world's base surface as GLSL ES 3.00, for pictures of it at any zoom without a tile. README.md tells how.

import { BASES } from './glsl_bases.js';
import { boundOf } from './glsl_bound.js';
import { VECTORS, octavesOf, wordsOf } from './glsl_octaves.js';
import { TERMS, displaced, inOrder, refusal, restsOn, termsText } from './glsl_terms.js';
import { HASH, INTEGERS, PLACES } from './glsl_text.js';
import { TerraneError } from './module.js';

const BLOCK = 'Terrane';

/* All that the height rests on, it last; what no shader makes is refused by name. */
function restOf({ term, partition }) {
    return inOrder(term.length - 1, (k) => {
        const why = refusal(term[k], partition);
        if (why) throw new TerraneError(`${why}: no shader makes it; its tiles are there`);
        return restsOn(term[k], partition);
    });
}

/* Octaves of all fractals, one behind the other: of each term { octaves, from }, and the words of all. */
function octavesOfAll(recipe, wanted, seed) {
    const fractals = new Map(), words = [];
    for (const k of wanted) {
        const { op, fractal } = recipe.term[k];
        if (op !== 'fractal') continue;
        const octaves = octavesOf(fractal, displaced(fractal), recipe);
        fractals.set(k, { octaves, from: words.length / (4 * VECTORS) });
        const share = (a) => (fractal.amplitude === 0 ? 0 : Math.fround(a / fractal.amplitude));
        octaves.forEach((octave, i) => words.push(...wordsOf(octave, i, fractal.salt, seed, share(octave.a))));
    }
    words.push(0, 0, 0, 0); // what no compiler knows to be zero
    return { fractals, words: Uint32Array.from(words) };
}

const told = (bound) => Number(bound.toPrecision(3));

const head = (bound) => `// Heights of terrane's base surface, made of a recipe. Cells, hashes and octaves are the library's, exactly; a height is its f32 ${bound === 0 ? 'to the bit' : 'within'}
// ${bound === 0 ? '' : `${told(bound)} m, `}at every level, on cards that round to nearest: they may fuse products into sums, and quotients and roots may be 2.5 units off.
//
//   float terrane_height(uvec2 x, uvec2 y, int level)     a place in samples of level 0, as (low, high) words of 64 bits
//   uvec2 terrane_moved(uvec2 x, int by, int level)       so many samples of a level on: x + by * 2^level
precision highp float;
precision highp int;
`;

/** The low and the high word of a whole number, for uniforms of a uvec2. */
export function halvesOf(whole) {
    const bits = BigInt.asUintN(64, BigInt(whole));
    return [Number(bits & 0xffffffffn), Number(bits >> 32n)];
}

/** The twin of a World: { source, block, words, bound_m, bind }. A recipe whose base no shader makes is a TerraneError, which names what. */
export function glslOf(world) {
    const recipe = world.terms(), wanted = restOf(recipe);
    const { fractals, words } = octavesOfAll(recipe, wanted, world.facts.seed);
    const { name, text } = termsText(recipe, recipe.term.length - 1, fractals);
    const bound_m = boundOf(recipe, wanted, fractals).error;
    const bases = [...fractals.values()].flatMap(({ octaves }) => octaves.flatMap(({ base }) => BASES[base].needs));
    const height = `\nfloat terrane_height(uvec2 x, uvec2 y, int level) 
{
    terrane_zero = uintBitsToFloat(terrane_octave[${words.length / 4 - 1}].x);
    return ${name}(terrane_At(x, y, level)) + 0.0;
}\n`;
    const source = [head(bound_m), INTEGERS, HASH(words.length / 4), PLACES, TERMS, ...new Set(bases), text, height].join('');
    return {
        source,
        block: BLOCK,
        words,
        bound_m,
        /** Gives a WebGL2 program the world's numbers, at a binding point for uniform blocks: the buffer. */
        bind(gl, program, point = 0) {
            const buffer = gl.createBuffer();
            gl.bindBufferBase(gl.UNIFORM_BUFFER, point, buffer);
            gl.bufferData(gl.UNIFORM_BUFFER, words, gl.STATIC_DRAW);
            gl.uniformBlockBinding(program, gl.getUniformBlockIndex(program, BLOCK), point);
            return buffer;
        },
    };
}
