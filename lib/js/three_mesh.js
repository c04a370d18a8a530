// Meshes of a tile: its ground, with a skirt that hides what neighbours of other levels leave open, and its water.

import { BufferAttribute, BufferGeometry } from 'three';
import { waterMesh } from './water.js';

const indices = new Map(); // cells along a side -> the same for all

/* Vertices around the border, each once, in turn. */
function borderOf(side) {
    const last = side - 1, steps = Array.from({ length: last }, (_, k) => k);
    return [
        ...steps.map((k) => k),
        ...steps.map((k) => k * side + last),
        ...steps.map((k) => last * side + last - k),
        ...steps.map((k) => (last - k) * side),
    ];
}

function indexOf(side) {
    if (!indices.has(side)) {
        const border = borderOf(side), all = [], count = side * side;
        for (let j = 0; j < side - 1; j++)
            for (let i = 0; i < side - 1; i++) {
                const k = j * side + i;
                all.push(k, k + side, k + 1, k + 1, k + side, k + side + 1);
            }
        border.forEach((k, at) => {
            const next = (at + 1) % border.length;
            all.push(k, border[next], count + at, border[next], count + next, count + at);
        });
        indices.set(side, { border, index: new BufferAttribute(count + border.length > 65535 ? Uint32Array.from(all) : Uint16Array.from(all), 1) });
    }
    return indices.get(side);
}

/** Ground from the north-west corner on, with cells along a side; size and skirt in metres. */
export function groundGeometry({ heights, side, range }, { cells, size, skirt }) {
    const step = size / cells, by = (side - 1) / cells, count = cells + 1;
    const { border, index } = indexOf(count);
    const at = new Float32Array(3 * (count * count + border.length));
    for (let j = 0, k = 0; j < count; j++)
        for (let i = 0; i < count; i++, k += 3) {
            at[k] = i * step;
            at[k + 1] = heights[j * by * side + i * by];
            at[k + 2] = j * step;
        }
    border.forEach((from, to) => {
        const k = 3 * (count * count + to);
        at.copyWithin(k, 3 * from, 3 * from + 3);
        at[k + 1] -= skirt;
    });
    const geometry = new BufferGeometry().setIndex(index).setAttribute('position', new BufferAttribute(at, 3));
    geometry.boundingBox = null;
    geometry.computeBoundingSphere();
    return geometry;
}

/** The surface of water, with the depth at each vertex; null: there is none. */
export function waterGeometry({ heights, side, depths }, size) {
    if (!depths) return null;
    const count = Math.sqrt(depths.length), by = (side - 1) / (count - 1);
    const surface = Float32Array.from(depths, (depth, k) => heights[Math.floor(k / count) * by * side + (k % count) * by] + depth);
    const mesh = waterMesh(surface, depths, count, size / (count - 1));
    if (!mesh) return null;
    const vertices = mesh.vertices.length / 4, at = new Float32Array(3 * vertices), deep = new Float32Array(vertices);
    for (let k = 0; k < vertices; k++) {
        const [x, z, level, depth] = mesh.vertices.subarray(4 * k, 4 * k + 4);
        at.set([x, level, z], 3 * k);
        deep[k] = depth;
    }
    const geometry = new BufferGeometry().setIndex(new BufferAttribute(mesh.indices, 1));
    geometry.setAttribute('position', new BufferAttribute(at, 3)).setAttribute('depth', new BufferAttribute(deep, 1));
    return geometry;
}

/** Lets go of a tile's ground but for what all tiles share. */
export const letGo = (geometry) => (geometry.index = null);
