// A picture of noise that repeats without a seam: what ground and water look like from near.

import { DataTexture, LinearFilter, LinearMipmapLinearFilter, RepeatWrapping, RGBAFormat } from 'three';

const SIDE = 256;
const OCTAVES = 5;

/* A number in [0, 1] of a corner. */
function unit(x, y, salt) {
    let h = Math.imul(x + 1, 0x9e3779b1) ^ Math.imul(y + 1, 0x85ebca77) ^ Math.imul(salt + 1, 0xc2b2ae3d);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
    return ((h ^ (h >>> 15)) >>> 0) / 0xffffffff;
}

/* Of SIDE x SIDE places; cells: of the coarsest octave, along a side; across: how many times as many along the other. */
function noise(cells, octaves, salt, across = 1) {
    const out = new Float32Array(SIDE * SIDE);
    let weight = 1, whole = 0;
    for (let octave = 0; octave < octaves; octave++, weight *= 0.55) {
        const wide = cells << octave, high = wide * across;
        whole += weight;
        for (let j = 0; j < SIDE; j++)
            for (let i = 0; i < SIDE; i++) {
                const u = (i * wide) / SIDE, v = (j * high) / SIDE;
                const x = Math.floor(u), y = Math.floor(v), s = u - x, t = v - y;
                const a = s * s * (3 - 2 * s), b = t * t * (3 - 2 * t);
                const corner = (dx, dy) => unit((x + dx) % wide, (y + dy) % high, salt + octave);
                const north = corner(0, 0) * (1 - a) + corner(1, 0) * a, south = corner(0, 1) * (1 - a) + corner(1, 1) * a;
                out[j * SIDE + i] += weight * (north * (1 - b) + south * b);
            }
    }
    return out.map((value) => Math.min(Math.max(0.5 + 1.7 * (value / whole - 0.5), 0), 1));
}

/** Red: grain; green: lumps; blue and alpha: their slopes to the east and south. */
export function noiseTexture() {
    const grain = noise(16, OCTAVES - 1, 7), lumps = noise(4, OCTAVES, 31);
    const data = new Uint8Array(4 * SIDE * SIDE);
    const at = (field, i, j) => field[((j + SIDE) % SIDE) * SIDE + ((i + SIDE) % SIDE)];
    const rough = (i, j) => at(grain, i, j) + 2 * at(lumps, i, j);
    for (let j = 0, k = 0; j < SIDE; j++)
        for (let i = 0; i < SIDE; i++, k += 4) {
            data[k] = 255 * at(grain, i, j);
            data[k + 1] = 255 * at(lumps, i, j);
            data[k + 2] = 127.5 + 255 * (rough(i + 1, j) - rough(i - 1, j));
            data[k + 3] = 127.5 + 255 * (rough(i, j + 1) - rough(i, j - 1));
        }
    const texture = new DataTexture(data, SIDE, SIDE, RGBAFormat);
    texture.wrapS = texture.wrapT = RepeatWrapping;
    texture.magFilter = LinearFilter;
    texture.minFilter = LinearMipmapLinearFilter;
    texture.generateMipmaps = true;
    texture.anisotropy = 4;
    texture.needsUpdate = true;
    return texture;
}
