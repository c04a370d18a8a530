// sampleTerrain and sampleTerrainMostDetailed against f32 of the surface. A mesh has every fourth sample as a vertex, its heights in 32,767
// steps of the tile's own range: at vertices half a step and what degrees round, between them the range of the four around.
import { Truth } from "../harness/truth.mjs";

const LEVELS = [10, 14, 16];
const VERTEX = 4; // samples

/** Places in metres: vertices of a level's lattice, and one between them. */
function places(lod) {
    const spacing = VERTEX * 2 ** lod;
    const near = (x, y) => [Math.round(x / spacing), Math.round(y / spacing)];
    return [near(-195000, 75000), near(-150500, 110250), near(-196608, 65536), near(1000, -3000)]
        .flatMap(([i, j]) => [[i, j], [i + 0.5, j + 0.25]])
        .map(([i, j]) => ({ i, j, x: i * spacing, y: j * spacing }));
}

async function compare(height, { i, j, x, y }, lod, truth) {
    const at = (p, q) => truth.sample(lod, VERTEX * p, VERTEX * q);
    const [p, q] = [Math.floor(i), Math.floor(j)];
    const around = p === i && q === j ? [await at(p, q)] : await Promise.all([at(p, q), at(p + 1, q), at(p, q + 1), at(p + 1, q + 1)]);
    const tile = await truth.tile(lod, Math.floor(x / (256 * 2 ** lod)), Math.floor(y / (256 * 2 ** lod)));
    const low = tile.reduce((a, b) => Math.min(a, b)), high = tile.reduce((a, b) => Math.max(a, b));
    const step = (high - low) / 32767 + 0.02;
    const [least, most] = [Math.min(...around), Math.max(...around)];
    const off = Math.max(least - height, height - most, 0);
    if (!(off <= step)) {
        throw new Error(`sampleTerrain at ${x}, ${y} of lod ${lod}: the client says ${height}, f32 says ${least} to ${most}; a step is ${step}`);
    }
    return off;
}

export async function check({ page, server }) {
    const truth = new Truth(server, "42", "?layer=surface");
    await page.waitForFunction(() => viewer.scene.globe.tilesLoaded);
    let worst = 0, count = 0;
    for (const level of LEVELS) {
        const asked = places(16 - level);
        const heights = await page.evaluate(async ([z, at]) => {
            const positions = at.map(({ x, y }) => Cartographic.fromDegrees(...degreesOf(x, y)));
            if (z === 16) await sampleTerrainMostDetailed(viewer.terrainProvider, positions);
            else await sampleTerrain(viewer.terrainProvider, z, positions);
            return positions.map(({ height }) => height);
        }, [level, asked]);
        for (let k = 0; k < asked.length; k++) worst = Math.max(worst, await compare(heights[k], asked[k], 16 - level, truth));
        count += asked.length;
    }
    return { largest_difference_m: worst, places: count };
}
