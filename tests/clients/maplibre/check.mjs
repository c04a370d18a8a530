// queryTerrainElevation, freed of the exaggeration, against f32: half a step of terrarium.
//
// MapLibre GL 6 takes a sample to be the middle of its pixel, half a sample to the south-east of where it is; and which level the
// terrain is made of is its own affair: one level must fit all places.
const PLACES = [[-194560, 75776], [-192512, 65536], [-190464, 73728], [-190000.5, 73700.25], [-204800, 77824]];
const STEP = 1 / 512 + 1e-4; // and what its arithmetic rounds

export async function check({ page, truth }) {
    const heights = await page.evaluate((places) => places.map(([x, y]) =>
        map.queryTerrainElevation(lngLatOf(x, y)) / map.getTerrain().exaggeration), PLACES);
    if (heights.every((height) => !height)) throw new Error("queryTerrainElevation: no terrain");
    let best = { largest_difference_m: Infinity };
    for (let lod = 5; lod <= 14; lod++) {
        const differences = await Promise.all(PLACES.map(async ([x, y], k) =>
            Math.abs(heights[k] - await truth.at(lod, x / 2 ** lod - 0.5, y / 2 ** lod - 0.5))));
        const worst = Math.max(...differences);
        if (worst < best.largest_difference_m) best = { largest_difference_m: worst, lod, places: PLACES.length };
    }
    if (!(best.largest_difference_m <= STEP)) {
        throw new Error(`queryTerrainElevation: ${heights} are up to ${best.largest_difference_m} m from f32 of lod ${best.lod}, the best`);
    }
    return best;
}
