/*
 * Lines of rivers and paths of a world that is made here, as /river and /path tell them on the map.
 */
import { TILE, toLngLat } from './mercator.js';

const feature = (properties, points, spacing) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'LineString', coordinates: points.map(([x, y]) => toLngLat(x, y, spacing)) },
});

const riverOf = ({ points, discharge, width }, spacing) => [feature({ discharge_m3s: discharge, width_m: width }, points, spacing)];

/* A path, and each ford and bridge of it. */
function pathOf({ points, over, rank }, spacing) {
    const features = [feature({ rank }, points, spacing)];
    for (let from = 0, to; from < over.length; from = to) {
        for (to = from + 1; to < over.length && over[to] === over[from]; ) to++;
        if (over[from] !== 'land') features.push(feature({ kind: over[from] }, points.slice(from, to + 1), spacing));
    }
    return features;
}

const OF = { river: riverOf, path: pathOf };

/** Those of a window of whole tiles: {lod, x0, y0, w, h} in samples. layer: river or path. */
export async function linesIn(world, layer, { lod, x0, y0, w, h }, { signal, priority }) {
    const tiles = [];
    for (let y = y0; y < y0 + h; y += TILE)
        for (let x = x0; x < x0 + w; x += TILE) tiles.push(world.lines({ level: lod, x: x / TILE, y: y / TILE, layer, signal, priority }));
    const seen = new Set();
    const once = ({ id }) => id === undefined || (!seen.has(id) && Boolean(seen.add(id)));
    const lines = (await Promise.all(tiles)).flat().filter(once);
    return { type: 'FeatureCollection', features: lines.flatMap((line) => OF[layer](line, world.facts.spacing)) };
}
