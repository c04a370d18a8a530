/*
 * Water as a mesh: its level where there is some, and a little into the bank, which hides it. Pure.
 */
const FLAT_M = 0.01;
const COARSE = 8; // cells along a side of a mesh that is flat

/* Level and depth at a sample: those of water, or beside it the lowest level around with a depth below 0; null: dry. */
function levelAt(surface, depth, side, i, j) {
    const k = j * side + i;
    if (depth[k] > 0) return [surface[k], depth[k]];
    let level = Infinity;
    for (let y = Math.max(j - 1, 0); y <= Math.min(j + 1, side - 1); y++)
        for (let x = Math.max(i - 1, 0); x <= Math.min(i + 1, side - 1); x++)
            if (depth[y * side + x] > 0) level = Math.min(level, surface[y * side + x]);
    return level < Infinity ? [level, Math.min(level - surface[k], 0)] : null;
}

/** Whether all is under water of one level. */
function isFlat(surface, depth) {
    let [low, high] = [Infinity, -Infinity];
    for (let k = 0; k < depth.length; k++) {
        if (!(depth[k] > 0)) return false;
        low = Math.min(low, surface[k]);
        high = Math.max(high, surface[k]);
    }
    return high - low < FLAT_M;
}

/**
 * {vertices, indices}: x, y from the corner, level and depth of each vertex, of side x side samples, step metres
 * apart. null: no water.
 */
export function waterMesh(surface, depth, side, step) {
    if (!depth.some((each) => each > 0)) return null;
    const skip = isFlat(surface, depth) && (side - 1) % COARSE === 0 ? (side - 1) / COARSE : 1;
    const vertices = [];
    const indices = [];
    const numbers = new Int32Array(side * side).fill(-1);
    const wet = (i, j) => depth[j * side + i] > 0;
    const vertex = (i, j) => {
        const k = j * side + i;
        if (numbers[k] < 0) {
            const [level, deep] = levelAt(surface, depth, side, i, j);
            numbers[k] = vertices.length / 4;
            vertices.push(i * step, j * step, level, deep);
        }
        return numbers[k];
    };
    for (let j = 0; j + skip < side; j += skip)
        for (let i = 0; i + skip < side; i += skip) {
            const corners = [[i, j], [i + skip, j], [i, j + skip], [i + skip, j + skip]];
            if (!corners.some(([x, y]) => wet(x, y))) continue;
            const [a, b, c, d] = corners.map(([x, y]) => vertex(x, y));
            indices.push(a, c, b, b, c, d);
        }
    return indices.length ? { vertices: Float32Array.from(vertices), indices: Uint32Array.from(indices) } : null;
}
