/*
 * What stands on the ground: records of tiles, and what these are drawn as from near and from far. Pure.
 */
const HEAD = 16;
const RECORD = 16;
export const SEEDS = 4; // of the 16 of each model that are drawn, so that memory holds them all
const SEED_MASK = SEEDS - 1;

/** [{x, y, z, turn, scale, kind, seed}] of a tile's bin: metres from its corner, a turn in radians. */
export function records(buffer) {
    const view = new DataView(buffer);
    const signed = buffer.byteLength >= HEAD && view.getUint32(0) === 0x544f424a; // TOBJ
    const count = signed ? view.getUint32(4, true) : 0;
    if (!signed || buffer.byteLength !== HEAD + RECORD * count) throw new Error('objects: not a tile of them');
    return Array.from({ length: count }, (_, k) => {
        const at = HEAD + RECORD * k;
        return {
            x: view.getFloat32(at, true),
            y: view.getFloat32(at + 4, true),
            z: view.getFloat32(at + 8, true),
            turn: (view.getUint8(at + 12) * 2 * Math.PI) / 256,
            scale: view.getUint8(at + 13) / 64,
            kind: view.getUint8(at + 14),
            seed: view.getUint8(at + 15) & SEED_MASK,
        };
    });
}

/**
 * At most so many of a list of {far, rank}: all that are near, and of the others the fewer the farther they are, by their
 * ranks, 0 .. 1, so that no edge shows where there are too many.
 */
export function thin(list, most) {
    if (list.length <= most) return list;
    const kept = (whole) => list.filter(({ far, rank }) => rank * far < whole); // metres up to which all are
    let [low, high] = [0, list.reduce((far, each) => Math.max(far, each.far), 1)];
    for (let step = 0; step < 12; step++) {
        const middle = (low + high) / 2;
        if (kept(middle).length > most) high = middle;
        else low = middle;
    }
    return kept(low);
}

/* Of each model, on maps. */
const COLOURS = {
    conifer: [24, 82, 56],
    broadleaf: [84, 150, 62],
    palm: [160, 196, 72],
    shrub: [196, 160, 60],
    cactus: [30, 140, 128],
    'dead-tree': [120, 84, 62],
    boulder: [128, 132, 142],
};

/** A colour for each class: its model's, darker for every one before it that has the same model. */
export const coloursOf = (classes) =>
    classes.map(({ model }, k) => {
        const before = classes.slice(0, k).filter((each) => each.model === model).length;
        const parts = (COLOURS[model] ?? [255, 0, 255]).map((part) => Math.round(part * 0.68 ** before));
        return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
    });

/* floats of a vertex: position, normal, and a colour's four bytes */
export const VERTEX = 7;

/** {vertices, indices, height} of a model's glb, as /model/{name}.glb has it: y up, a mesh of one primitive. */
export function modelOf(buffer) {
    const view = new DataView(buffer);
    const length = view.getUint32(12, true);
    const { accessors, bufferViews, meshes } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 20, length)));
    const begin = 20 + length + 8;
    const { attributes, indices } = meshes[0].primitives[0];
    const read = (k, Kind, width) => {
        const { bufferView, byteOffset = 0, count } = accessors[k];
        return new Kind(buffer, begin + (bufferViews[bufferView].byteOffset ?? 0) + byteOffset, count * width);
    };
    const position = read(attributes.POSITION, Float32Array, 3);
    const normal = read(attributes.NORMAL, Float32Array, 3);
    const colour = read(attributes.COLOR_0, Float32Array, 1); // four bytes as one number that nobody reads as such
    const bits = new Uint32Array(colour.buffer, colour.byteOffset, colour.length);
    const vertices = new Float32Array(VERTEX * colour.length);
    const words = new Uint32Array(vertices.buffer);
    for (let k = 0; k < colour.length; k++) {
        vertices.set(position.subarray(3 * k, 3 * k + 3), VERTEX * k);
        vertices.set(normal.subarray(3 * k, 3 * k + 3), VERTEX * k + 3);
        words[VERTEX * k + 6] = bits[k];
    }
    const height = accessors[attributes.POSITION].max[1];
    return { vertices, indices: Uint16Array.from(read(indices, Uint16Array, 1)), height };
}

const RINGS = 6;
const SIDES = 5;
const SLIM = 0.86; // of the way to the outermost leaf
const LEAF_LIFT = 0.5; // leaves look up, all in all

/** The same from far: rings around what lies at a height, of its mean colour. */
export function hullOf({ vertices, height }) {
    const count = vertices.length / VERTEX;
    const bytes = new Uint8Array(vertices.buffer);
    const rings = Array.from({ length: RINGS }, (_, r) => {
        const y = (height * r) / (RINGS - 1);
        const ring = { y, x: 0, z: 0, radius: 0, colour: [0, 0, 0] };
        const near = [];
        for (let k = 0; k < count; k++)
            if (Math.abs(vertices[VERTEX * k + 1] - y) <= (0.6 * height) / (RINGS - 1)) near.push(k);
        for (const k of near) {
            ring.x += vertices[VERTEX * k] / near.length;
            ring.z += vertices[VERTEX * k + 2] / near.length;
        }
        const out = (k) => Math.hypot(vertices[VERTEX * k] - ring.x, vertices[VERTEX * k + 2] - ring.z);
        const most = Math.max(0, ...near.map(out));
        const outer = near.filter((k) => out(k) >= most / 2); // leaves, and no wood
        for (const k of outer)
            for (const c of [0, 1, 2]) ring.colour[c] += bytes[4 * (VERTEX * k + 6) + c] / outer.length;
        ring.radius = SLIM * most;
        if (r === RINGS - 1) ring.radius *= 0.3;
        return ring;
    });
    const out = new Float32Array(VERTEX * RINGS * SIDES);
    const outBytes = new Uint8Array(out.buffer);
    const indices = [];
    rings.forEach((ring, r) => {
        const below = rings[Math.max(r - 1, 0)].radius;
        const above = rings[Math.min(r + 1, RINGS - 1)].radius;
        const lift = LEAF_LIFT + (below - above) / (height / (RINGS / 2));
        for (let s = 0; s < SIDES; s++) {
            const k = SIDES * r + s;
            const [east, south] = [Math.cos((2 * Math.PI * s) / SIDES), Math.sin((2 * Math.PI * s) / SIDES)];
            const size = Math.hypot(1, lift);
            out.set([ring.x + ring.radius * east, ring.y, ring.z + ring.radius * south, east / size, lift / size, south / size], VERTEX * k);
            outBytes.set([...ring.colour.map(Math.round), 255], 4 * (VERTEX * k + 6));
            const next = SIDES * r + ((s + 1) % SIDES);
            if (r + 1 < RINGS) indices.push(k, k + SIDES, next, next, k + SIDES, next + SIDES);
        }
    });
    return { vertices: out, indices: Uint16Array.from(indices), height };
}
