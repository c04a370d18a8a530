// queryTerrainElevation, freed of the exaggeration, against the numbers that reg=center has to have, made here from f32, and
// against /point of the same level.
//
// MapLibre GL takes a number for what is in the middle of its pixel, and what is between middles is bilinear to it. Which level the
// terrain is made of is its own affair: one level must fit all places.
const PLACES = [[-423936, 206848], [-421888, 196608], [-419840, 204800], [-419376.5, 204772.25], [-434176, 208896]];
const ROUNDING = 1e-6; // a place in doubles is within 1e-7 m, and no ground rises by 10 m on one

const number = (metres) => Math.floor((metres + 32768) * 256 + 0.5); // of terrarium, as a float is rounded

/** Metres in the middle of the square to the south-east of a sample, as a PNG has them. */
async function centre(truth, lod, i, j) {
    const corners = await Promise.all([[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]].map(([p, q]) => truth.sample(lod, p, q)));
    return (corners.map(number).reduce((sum, each) => sum + each) + 2 >> 2) / 256 - 32768;
}

/** Between middles: bilinear. u, v: samples to the east and south. */
async function drawn(truth, lod, u, v) {
    const i = Math.floor(u - 0.5), j = Math.floor(v - 0.5), a = u - 0.5 - i, b = v - 0.5 - j;
    const [nw, ne, sw, se] = await Promise.all([[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]].map(([p, q]) => centre(truth, lod, p, q)));
    return (nw * (1 - a) + ne * a) * (1 - b) + (sw * (1 - a) + se * a) * b;
}

/**
 * How far that is, at most, from what is bilinear between samples: on a quarter of a square between four samples both are bilinear,
 * so they differ most at one of its corners.
 */
async function bound(truth, lod, u, v) {
    const us = [Math.round(u), Math.floor(u) + 0.5], vs = [Math.round(v), Math.floor(v) + 0.5];
    const differences = await Promise.all(us.flatMap((p) => vs.map(async (q) =>
        Math.abs(await drawn(truth, lod, p, q) - await truth.at(lod, p, q)))));
    return Math.max(...differences);
}

async function pointOf(server, lod, [x, y]) {
    const answer = await fetch(`${server}/point/42?x=${x}&y=${y}&lod=${lod}`);
    if (answer.status !== 200) throw new Error(`/point at ${x}, ${y}: status ${answer.status}`);
    return answer.json();
}

export async function check({ page, server, truth }) {
    const heights = await page.evaluate((places) => places.map(([x, y]) =>
        map.queryTerrainElevation(lngLatOf(x, y)) / map.getTerrain().exaggeration), PLACES);
    if (heights.every((height) => !height)) throw new Error("queryTerrainElevation: no terrain");
    const measured = { largest_difference_m: Infinity };
    for (let lod = 5; lod <= 14; lod++) {
        const differences = await Promise.all(PLACES.map(async ([x, y], k) =>
            Math.abs(heights[k] - await drawn(truth, lod, x / 2 ** lod, y / 2 ** lod))));
        const worst = Math.max(...differences);
        if (worst < measured.largest_difference_m) Object.assign(measured, { largest_difference_m: worst, lod });
    }
    const { lod } = measured;
    if (!(measured.largest_difference_m <= ROUNDING)) {
        throw new Error(`queryTerrainElevation: ${heights} are up to ${measured.largest_difference_m} m from lod ${lod}, the best`);
    }
    measured.from_point_m = 0;
    for (const [k, [x, y]] of PLACES.entries()) {
        const { height_m: height, water_m: water } = await pointOf(server, lod, PLACES[k]);
        const difference = Math.abs(heights[k] - height), most = await bound(truth, lod, x / 2 ** lod, y / 2 ** lod);
        if (water || !(difference <= most + ROUNDING)) {
            throw new Error(`at ${x}, ${y} of lod ${lod}: ${heights[k]} is ${difference} m from /point, more than the ${most} that bends`);
        }
        measured.from_point_m = Math.max(measured.from_point_m, difference);
    }
    return { ...measured, places: PLACES.length };
}
