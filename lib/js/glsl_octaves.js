// Octaves as the twin's shader reads them: six vectors of four words each, with the keys that the world's seed gives. "Hash" and "One octave
// at one sample" of the library's page say what these are.

const WORD = (1n << 32n) - 1n, MOST = (1n << 64n) - 1n;
export const VECTORS = 6;

function mix(z) {
    z ^= z >> 30n;
    z = (z * 0xbf58476d1ce4e5b9n) & MOST;
    z ^= z >> 27n;
    z = (z * 0x94d049bb133111ebn) & MOST;
    return z ^ (z >> 31n);
}
export const absorb = (h, v) => mix(h ^ mix((v + 0x9e3779b97f4a7c15n) & MOST));

const words = (v, count) => Array.from({ length: count }, (_, k) => Number((v >> BigInt(32 * k)) & WORD));
const bits = (v) => new Uint32Array(Float32Array.of(v).buffer)[0];

const TURN = 0.36602540378443865; // of SIMPLEX's skewed lattice
export const TRIANGULAR = ['simplex', 'simplex-smooth'];

/** The octaves of a fractal: { base, a, perMetre, lattice, cell, most }, the last the coarsest level that has it. */
export function octavesOf({ kind, octaves, base, cell, lacunarity, amplitude, gain }, displaced, { spacing, alias }) {
    const made = [];
    for (let i = 0, a = amplitude, c = cell; i < octaves; i++, a = Math.fround(a * gain), c /= lacunarity) {
        const exact = Number.isInteger(Math.log2(c)) && 2 ** Math.log2(c) === c;
        const lattice = lacunarity === 2 && exact && !TRIANGULAR.includes(base[i]) && !displaced && !(['swiss', 'jordan'].includes(kind) && i > 0);
        let most = -1;
        while (most < 24 && c >= 2 ** (most + 2 - (alias ? 1 : 0))) most++;
        made.push({ base: base[i], a, cell: c, lattice, most, perMetre: Math.fround(1 / (c * spacing)) });
    }
    return made;
}

/* How far it goes for each sample, in 2^-64ths of a cell: along an axis itself, and across. */
function stepsOf({ base, cell }) {
    const whole = (v) => 4n * BigInt(Math.trunc(v));
    if (!TRIANGULAR.includes(base)) return [whole(2 ** 62 / cell), 0n];
    return [whole((2 ** 62 / cell) * (1 + TURN)), whole((2 ** 62 / cell) * TURN)];
}

/** Octave i of a fractal with this salt: its VECTORS vectors, as numbers of 32 bits. share: a float that the kind wants. */
export function wordsOf(octave, i, salt, seed, share) {
    const key = absorb(absorb(seed, BigInt(salt)), BigInt(i));
    const shift = [1n, 2n].map((axis) => absorb(key, axis));
    const log2 = octave.lattice ? Math.log2(octave.cell) : 0;
    const axes = [3n, 4n].map((axis) => absorb(key, axis));
    const [own, cross] = stepsOf(octave);
    const within = (s) => (octave.lattice ? s & ((1n << BigInt(log2)) - 1n) : s);
    return [
        Number(key >> 32n), octave.most >>> 0, log2, bits(octave.a),
        ...axes.flatMap((axis) => words(axis, 2)),
        ...axes.flatMap((axis) => [0n, MOST].map((high) => Number(absorb(axis, high) & WORD))),
        ...shift.flatMap((s) => words(within(s), 2)),
        ...words(own, 3), bits(octave.perMetre),
        ...words(cross, 3), bits(share),
    ];
}
