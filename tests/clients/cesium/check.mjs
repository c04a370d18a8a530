// sampleTerrain and sampleTerrainMostDetailed against f32 of the surface. A mesh has every fourth sample as a vertex, its heights in 32,767
// steps of the tile's own range: at vertices half a step and what degrees round, between them the range of the four around.
import { Truth } from "../harness/truth.mjs";

const LEVELS = [10, 14, 16];
const VERTEX = 4; // samples

/** Places in metres: vertices of a level's lattice, and one between them. */
function places(lod) {
    const spacing = VERTEX * 2 ** lod;
    const near = (x, y) => [Math.round(x / spacing), Math.round(y / spacing)];
    return [near(-424000, 206000), near(-379500, 241250), near(-425984, 196608), near(1000, -3000)]
        .flatMap(([i, j]) => [[i, j], [i + 0.5, j + 0.25]])
        .map(([i, j]) => ({ i, j, x: i * spacing, y: j * spacing }));
}

/**
 * Which tiles there are the client learns from those it loads, by the extension metadata: the two at the root name all of them. Where
 * layer.json is asked for without it, its own list does.
 */
async function checkAvailability(page, server) {
    const [levels, plain] = await page.evaluate(async (globe) => {
        const learned = viewer.terrainProvider;
        const static_ = await CesiumTerrainProvider.fromUrl(`${globe}?extensions=octvertexnormals-watermask`, { requestVertexNormals: true });
        const at = [[0.001, 0.001], [-179.9, 89.9], [179.9, -89.9]].map(([east, north]) => Cartographic.fromDegrees(east, north));
        const [sampled] = await sampleTerrain(static_, 10, [Cartographic.fromDegrees(...degreesOf(-424000, 206000))]);
        const [same] = await sampleTerrain(learned, 10, [Cartographic.fromDegrees(...degreesOf(-424000, 206000))]);
        return [at.map((place) => learned.availability.computeMaximumLevelAtPosition(place)),
            { has: static_.hasMetadata, level: static_.availability.computeMaximumLevelAtPosition(at[0]), off: sampled.height - same.height }];
    }, `${server}/terrain/42`);
    if (!(await page.evaluate(() => viewer.terrainProvider.hasMetadata)) || levels.some((level) => level !== 16)) {
        throw new Error(`metadata: the client knows of levels up to ${levels}`);
    }
    if (plain.has || plain.level !== 16 || plain.off !== 0) throw new Error(`without metadata: ${JSON.stringify(plain)}`);
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

const PIXELS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.75], [0.3, 0.8], [0.7, 0.9], [0.5, 0.35]];
const TILE_VERTEX = 2; // samples: 129 vertices a side
const DEPTH = 2; // metres: what the depth of a pixel tells

/** 3D Tiles: where pixels lie in the world, by their depth, and the surface there at the level of the tile that was drawn. */
async function checkTileset(page, truth) {
    const places = await page.evaluate((pixels) => {
        const inverse = Matrix4.inverse(frame, new Matrix4()), { scene } = viewer, { clientWidth, clientHeight } = scene.canvas;
        scene.render();
        return pixels.map(([across, down]) => {
            const at = { x: Math.round(across * clientWidth), y: Math.round(down * clientHeight) };
            const content = scene.pick(at)?.content, place = scene.pickPosition(at);
            const box = content?.tile._header.boundingVolume.box;
            return { url: content?.url, box, place: place && Matrix4.multiplyByPoint(inverse, place, new Cartesian3()) };
        });
    }, PIXELS);
    let worst = 0;
    const levels = new Set();
    for (const { url, box, place } of places) {
        const level = Number(/\/3dtiles\/42\/(\d+)\/\d+\/\d+\.glb/.exec(url)?.[1]);
        if (!place || !(level >= 0)) throw new Error(`3D Tiles: nothing is drawn where ${url} should be`);
        if (!(box[11] < box[3] / 2 && Math.abs(place.z - box[2]) <= box[11])) throw new Error(`3D Tiles: the box of ${url} is ${box}`);
        const spacing = TILE_VERTEX * 2 ** (18 - level);
        const [i, j] = [Math.floor(place.x / spacing), Math.floor(-place.y / spacing)];
        const around = await Promise.all([-1, 0, 1, 2].flatMap((p) => [-1, 0, 1, 2]
            .map((q) => truth.sample(18 - level, TILE_VERTEX * (i + p), TILE_VERTEX * (j + q)))));
        const off = Math.max(Math.min(...around) - place.z, place.z - Math.max(...around), 0);
        if (!(off <= DEPTH)) {
            throw new Error(`3D Tiles at ${place.x}, ${-place.y} of ${url}: height ${place.z}, f32 says ${Math.min(...around)} to ${Math.max(...around)}`);
        }
        worst = Math.max(worst, off);
        levels.add(level);
    }
    const loaded = await page.evaluate(() => [...tiles].filter((url) => url.includes(".glb")).length);
    return { largest_difference_m: worst, places: places.length, levels: [...levels].sort(), tiles: loaded };
}

export async function check({ page, server }) {
    const truth = new Truth(server, "42", "?layer=surface");
    if (await page.evaluate(() => window.tileset !== undefined)) return checkTileset(page, truth);
    await page.waitForFunction(() => viewer.scene.globe.tilesLoaded);
    await checkAvailability(page, server);
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
