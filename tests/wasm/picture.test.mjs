// Pictures and places are the server's: its PNGs' pixels, its .bin's bytes.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { World, rgbaOf } from '../../build/js/index.js';
import { mapPicture, protocol } from '../../build/js/maplibre.js';
import { decode } from '../../server/web/src/png.js';
import { ROOT, WHOLE, asked, serve } from './server.mjs';

const recipe = fs.readFileSync(WHOLE, 'utf8');
let server, world;
before(async () => {
    server = await serve({ worlds: { dir: `${ROOT}/tests/http/worlds`, default: 'whole' } });
    world = await World.open({ recipe, seed: 42, workers: 2 });
});
after(async () => {
    world.close();
    await server.end();
});

/* Pixels of a picture are those of the server's PNG. */
async function assertSame(query, options = {}) {
    const { level = 2, x = 1, y = 1, layer, size = 256 } = query;
    const made = await world.picture({ level, x, y, layer, size, ...options });
    const asks = { layer, size, ...(options.center && { reg: 'center' }), ...(options.bands && { bands: options.bands }) };
    const [z, half] = [18 - level, 2 ** (17 - level)]; // in the pyramid, where centres are
    const { data, palette, ...rest } = await decode(await asked(`${server.url}/xyz/42/${z}/${x + half}/${y + half}.png?${new URLSearchParams(asks)}`));
    assert.deepEqual([made.width, made.height, made.channels], [rest.width, rest.height, rest.channels], layer);
    assert.deepEqual(made.palette, palette ?? undefined, layer);
    assert.ok(made.data.length === data.length && made.data.every((value, i) => value === data[i]), `${layer} ${JSON.stringify(query)}`);
}

test('every layer\'s', async () => {
    for (const layer of Object.keys(world.facts.layers)) await assertSame({ layer });
    for (const layer of ['relief', 'cave', 'objects', 'partition', 'river', 'flow']) {
        await assertSame({ layer, size: 64, level: 1, x: -3 });
        await assertSame({ layer, size: 129, level: 3, y: -2 });
    }
});

test('those of pixels\' middles, and of further materials', async () => {
    for (const layer of ['height', 'surface']) await assertSame({ layer }, { center: true });
    await assertSame({ layer: 'cover' }, { bands: 1 });
    const slope = (center) => world.picture({ level: 2, x: 1, y: 1, layer: 'slope', size: 64, center }); // which has none
    assert.deepEqual(await slope(true), await slope(false));
    for (const bands of [2, -1, NaN, '1']) await assert.rejects(world.picture({ level: 2, x: 1, y: 1, layer: 'cover', bands }), /^RangeError: bands: /);
});

test('places of what stands on ground', async () => {
    for (const [level, x, y] of [[0, 4, 4], [2, 1, 1], [4, -1, 0]]) {
        const made = Buffer.from(await world.places({ level, x, y }));
        assert.ok(made.equals(Buffer.from(await asked(`${server.url}/tile/42/${level}/${x}/${y}.bin?layer=objects`))), `${level}/${x}/${y}`);
    }
});

test('lines are those of /river and /path', async () => {
    const tile = { level: 4, x: 0, y: 0 };
    const told = async (route, lod) => {
        const { features } = JSON.parse(await asked(`${server.url}/${route}/42?x0=0&y0=0&w=256&h=256&lod=${lod}`));
        return features.filter(({ geometry }) => geometry.type === 'LineString');
    };
    const has = (lines, { geometry: { coordinates } }, size) =>
        lines.find(({ points }) => JSON.stringify(points) === JSON.stringify(coordinates.map((point) => point.slice(0, size))));
    const rivers = await world.lines(tile), theirs = await told('river', 4);
    const inside = theirs.filter((feature) => has(rivers, feature, 3));
    assert.ok(rivers.length > 0 && inside.length === rivers.length, `${rivers.length} made, ${inside.length} of ${theirs.length} told`);
    for (const feature of inside) {
        const { discharge, width, order } = has(rivers, feature, 3);
        assert.deepEqual([discharge, width, order], [feature.properties.discharge_m3s, feature.properties.width_m, feature.properties.order]);
    }
    const paths = await world.lines({ ...tile, level: 3, layer: 'path' }), whole = (await told('path', 3)).filter(({ properties }) => !properties.kind);
    assert.ok(whole.length > 0);
    for (const feature of whole) assert.ok(has(paths, feature, 2), feature.id);
    for (const { points, over } of paths) assert.equal(over.length, points.length - 1);
    await assert.rejects(world.lines({ ...tile, layer: 'cave' }), /none of river, path/);
});

test('a river is one of the tile where it begins, however wide the cells', async (t) => {
    const wide = await World.open({ recipe: JSON.stringify({ ...JSON.parse(recipe), erosion: { levels: 10, phases: 1, steps: 1 }, rivers: { bottom: 10, top: 12, inland_km: 16 } }), seed: 42, workers: 2 });
    t.after(() => wide.close());
    for (let k = 0, rivers = []; rivers.length === 0; k++) {
        const [x, y] = [k % 32, k >> 5];
        rivers = await wide.lines({ level: 2, x, y }); // as wide as a cell
        assert.deepEqual(await wide.lines({ level: 0, x: 4 * x, y: 4 * y }), rivers);
        assert.deepEqual(await wide.lines({ level: 0, x: 4 * x + 3, y: 4 * y + 3 }), []);
        assert.ok(k < 1024, 'no river');
    }
});

test('where the world is worth seeing first, on base ground', () => {
    const { x, y, height } = world.spawn();
    assert.deepEqual([Number.isInteger(x), Number.isInteger(y), height > 0], [true, true, true]);
    assert.deepEqual(world.spawn(), { x, y, height });
});

test('maps: tiles of /xyz, the one that shows all among them, as MapLibre takes them', async () => {
    for (const [z, x, y, size] of [[0, 0, 0, 256], [0, 0, 0, 17], [1, 1, 0, 256], [12, 2048, 2049, 256]]) {
        const { data } = await decode(await asked(`${server.url}/xyz/42/${z}/${x}/${y}.png?layer=relief&size=${size}`));
        assert.deepEqual((await mapPicture(world, { z, x, y, layer: 'relief', size })).data, data, `${z}/${x}/${y} ${size}`);
    }
    for (const [z, x, y] of [[0, 1, 0], [1, 0, 2], [3, -1, 0], [19, 0, 0], [-1, 0, 0], [1.5, 0, 0], [2, NaN, 0]]) await assert.rejects(mapPicture(world, { z, x, y }), /^RangeError: .*there are z from 0 to 18/);
    globalThis.ImageData = class { constructor(data, width, height) { Object.assign(this, { data, width, height }); } };
    globalThis.createImageBitmap = async (image) => image;
    const handle = protocol(world), { signal } = new AbortController();
    const { data } = await handle({ url: 'terrane://12/2048/2049?layer=partition' }, { signal });
    const picture = await world.picture({ level: 6, x: 0, y: 1, layer: 'partition' });
    assert.deepEqual([data.width, data.height, data.data], [256, 256, rgbaOf(picture)]);
    assert.deepEqual([...data.data.slice(0, 4)], [...picture.palette.slice(3 * picture.data[0], 3 * picture.data[0] + 3), 255]);
    await assert.rejects(handle({ url: 'terrane://12/2048?layer=slope' }, { signal }), /not terrane:/);
});
