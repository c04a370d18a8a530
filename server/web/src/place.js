/*
 * Places of a world that is made here, as /point tells them: out of samples of tiles.
 */
import { TILE } from './mercator.js';
import { ground } from './readout.js';

/* Sample i along an axis: its tile, and its place in it. */
const tileOf = (i) => Math.floor(i / TILE);
const within = (i) => i - TILE * tileOf(i);

/* Tiles that samples are read of, each asked for once: need(i, j) before have(), then at(i, j). */
function reader(load) {
    const tiles = new Map();
    const nameOf = (i, j) => `${tileOf(i)}/${tileOf(j)}`;
    return {
        need(i, j) {
            if (!tiles.has(nameOf(i, j))) tiles.set(nameOf(i, j), load(tileOf(i), tileOf(j)));
        },
        async have() {
            await Promise.all([...tiles].map(async ([name, samples]) => tiles.set(name, await samples)));
        },
        at: (i, j) => tiles.get(nameOf(i, j))[TILE * within(j) + within(i)],
    };
}

/** Of places [[x, y], ...] in metres: [{ height_m, surface_m, water_m, slope_degrees, discharge_m3s, zone, tile }, ...]. */
export async function pointsOf({ world, facts, places, lod, variant, signal, priority }) {
    const step = facts.spacing_m * 2 ** lod;
    const rivers = facts.rivers && lod <= facts.rivers.top && (variant || facts.variant) !== 'base';
    const layer = (name) =>
        reader(async (x, y) => (await world.tile({ level: lod, x, y, layer: name, variant: variant || undefined, size: TILE, signal, priority })).samples);
    const zones = reader(async (x, y) => (await world.picture({ level: lod, x, y, layer: 'partition', signal, priority })).data);
    const [heights, depths, flows] = [layer('height'), layer('water'), rivers && layer('river')];
    const at = places.map(([x, y]) => ({ u: x / step, v: y / step, nearest: [Math.round(x / step), Math.round(y / step)] }));
    for (const { u, v, nearest } of at) {
        for (const j of [Math.floor(v) - 1, Math.floor(v) + 2])
            for (const i of [Math.floor(u) - 1, Math.floor(u) + 2]) for (const each of [heights, depths]) each.need(i, j);
        for (const each of [zones, flows]) each && each.need(...nearest);
    }
    await Promise.all([heights, depths, zones, flows].map((each) => each && each.have()));
    return at.map(({ u, v, nearest }) => {
        const { height, slope, water } = ground(heights.at, depths.at, u, v, step);
        return {
            height_m: height,
            surface_m: height + water,
            water_m: water,
            slope_degrees: slope,
            discharge_m3s: flows ? flows.at(...nearest) : 0,
            zone: water > 0 ? null : facts.zones[zones.at(...nearest)],
            tile: { lod, x: tileOf(Math.floor(u)), y: tileOf(Math.floor(v)) },
        };
    });
}
