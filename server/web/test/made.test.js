import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginView, tilesOfView } from '../src/ahead.js';
import { GIVEN, partsOf, priorityOf } from '../src/given.js';
import { told } from '../src/here.js';
import { linesIn } from '../src/lines.js';
import { createLoader } from '../src/load.js';
import { createMaker } from '../src/maker.js';
import { tileAt, toXyz } from '../src/mercator.js';
import { pointsOf } from '../src/place.js';
import { addresses, stackSources } from '../src/style.js';
import { downstreamUrl, modelUrl, pathUrl, pointUrl, regionUrl, riverUrl, template, tileUrl, worldUrl, xyzUrl } from '../src/urls.js';

const SITE = {
    'viewer/worlds.json': { generator: 8, default: 'continents', recipes: [{ name: 'continents' }, { name: 'alpine' }] },
    'world/alpine-8.json': { seed: '42', recipe: 'alpine', spawn: { x: 1, y: 2 } },
    'model/conifer-3.glb': new ArrayBuffer(8),
};

/* A package whose worlds tell what they are asked for. */
function fake() {
    const [opened, asked, tries] = [[], [], []];
    const open = async (options) => {
        tries.push(options.world);
        if (options.world === 'secret') throw new Error('the server does not tell');
        const world = {
            options,
            closed: false,
            facts: { seed: options.seed === 'atlantis' ? 7n : 42n, digest: 'abc' },
            spawn: () => ({ x: 3, y: 4, height: 5 }),
            tile: async (tile) => (asked.push(tile), { samples: Float32Array.of(1, 2) }),
            places: async (tile) => (asked.push(tile), new ArrayBuffer(4)),
            stats: () => ({ tiles: asked.length }),
            close() {
                world.closed = true;
            },
        };
        opened.push(world);
        return world;
    };
    const mapPicture = async (world, tile) => (asked.push(tile), { width: 1, height: 1, channels: 1, data: Uint8Array.of(9) });
    return { opened, asked, tries, load: async () => ({ World: { open }, mapPicture, rgbaOf: () => 'rgba', recipeText: () => '{}' }) };
}

const fetched = async (url, take) => take({ json: async () => SITE[url], arrayBuffer: async () => SITE[url] });
const ask = (maker, url, options = {}) => maker.answer(url, (answer) => answer, { far: 0, fetched, ...options });

test('addresses, taken apart', () => {
    const what = { seed: 'a b', layer: 'slope', recipe: 'alpine', variant: 'base', v: 8 };
    assert.deepEqual(partsOf(xyzUrl(what, { z: 9, x: 1, y: 2 })), {
        route: 'xyz.png', name: 'a b', z: 9, x: 1, y: 2, query: { recipe: 'alpine', layer: 'slope', variant: 'base', v: '8' },
    });
    assert.equal(partsOf('viewer/worlds.json').route, 'viewer.json');
    assert.deepEqual(partsOf(tileUrl({ seed: '1', size: 65 }, { lod: 3, x: -1, y: -2 }, 'f32')), { route: 'tile.f32', name: '1', z: 3, x: -1, y: -2, query: { size: '65' } });
});

test('whatever the viewer asks for has its row', () => {
    const what = { seed: '1' }, window = { lod: 0, x0: 0, y0: 0, w: 1, h: 1 }, place = { x: 0, y: 0 };
    const all = [
        xyzUrl(what, { z: 1, x: 0, y: 0 }), template(what, 'mvt'), tileUrl(what, { lod: 0, x: 0, y: 0 }, 'f32'), tileUrl(what, { lod: 0, x: 0, y: 0 }, 'bin'),
        worldUrl(what), pointUrl(what, place, 0), modelUrl({ name: 'palm', seed: 1 }), riverUrl(what, window), pathUrl(what, window), downstreamUrl(what, place),
    ];
    for (const url of all) assert.ok(partsOf(url).route in GIVEN, url);
    assert.equal(partsOf(regionUrl(what, window, 'png')).route, 'region.png');
});

test('without a server the package makes what it can, files tell the rest, and the rest of that is not there', async () => {
    const { load, opened, asked } = fake();
    const maker = createMaker({ alone: true, load });
    assert.deepEqual(['xyz.png', 'point', 'river', 'xyz.mvt', 'downstream', 'region', 'server'].map(maker.gives), [true, true, true, false, false, false, false]);
    assert.deepEqual(['xyz/1/1/0/0.png', 'world/1', 'viewer/worlds.json', 'downstream/1', 'model/palm.glb?seed=1'].map(maker.takes), [true, true, false, false, true]);
    const tile = await ask(maker, xyzUrl({ seed: '42', layer: 'surface', reg: 'center', v: 8 }, { z: 9, x: 1, y: 2 }), { lane: 'usual', far: 0.25 });
    assert.equal(tile.data[0], 9);
    assert.deepEqual({ ...asked[0], signal: 0 }, { z: 9, x: 1, y: 2, layer: 'surface', variant: undefined, bands: 0, center: true, signal: 0, priority: 0.75 });
    assert.equal(opened[0].options.recipe, 'continents');
    assert.equal((await ask(maker, tileUrl({ seed: '42', layer: 'water', size: 65 }, { lod: 0, x: 5, y: 6 }, 'f32'))).byteLength, 8);
    assert.deepEqual([asked[1].level, asked[1].x, asked[1].layer, asked[1].size], [0, 5, 'water', 65]);
    assert.equal((await ask(maker, modelUrl({ name: 'conifer', seed: 3 }))).byteLength, 8);
    assert.equal(opened.length, 1, 'the generator is the newest where none is said');
    assert.equal(await maker.rgba({}), 'rgba');
});

test('worlds: what a file says, and what is their own', async () => {
    const { load, opened } = fake();
    const maker = createMaker({ alone: true, load });
    const usual = await ask(maker, worldUrl({ seed: '42', recipe: 'alpine' }));
    assert.deepEqual(usual, { seed: '42', recipe: 'alpine', spawn: { x: 1, y: 2 }, made: true });
    const other = await ask(maker, worldUrl({ seed: 'atlantis', recipe: 'alpine', v: 8 }));
    assert.deepEqual([other.seed, other.world, other.spawn.x], ['7', 'abc', 3]);
    await assert.rejects(ask(maker, worldUrl({ seed: '1', recipe: 'none' })), /no recipe "none"/);
    await ask(maker, worldUrl({ seed: '43', recipe: 'alpine' }));
    assert.deepEqual(opened.map(({ closed }) => closed), [true, false, false]);
});

test('of a server\'s world tiles are made, and fetched where it keeps the world to itself', async () => {
    const { load, opened, tries } = fake();
    globalThis.document = { baseURI: 'http://server/some/#seed=1' };
    const maker = createMaker({ alone: false, load, key: 'k' });
    assert.deepEqual(['xyz/1/1/0/0.png', 'world/1', 'point/1', 'xyz/1/1/0/0.mvt'].map(maker.takes), [true, false, false, false]);
    assert.ok(maker.gives('downstream'));
    await ask(maker, 'xyz/42/1/0/0.png?recipe=alpine&v=8');
    const { server, world, query, generator } = opened[0].options;
    assert.deepEqual([`${server}`, world, query, generator], ['http://server/some/', '42', { recipe: 'alpine' }, 8]);
    const passed = [];
    await ask(maker, 'xyz/secret/1/0/0.png', { fetched: (...given) => passed.push(given), lane: 'urgent' });
    assert.deepEqual([passed[0][0], passed[0][2]], ['xyz/secret/1/0/0.png', { lane: 'urgent' }]);
    const tried = () => tries.filter((name) => name === 'secret').length;
    await ask(maker, 'xyz/secret/1/1/0.png', { fetched: () => {} });
    assert.equal(tried(), 1, 'not for every tile');
    await assert.rejects(maker.open('xyz/secret/1/1/0.png'));
    assert.equal(tried(), 2, 'who asks whether it can be made has another try');
    delete globalThis.document;
});

test('what is made first', () => {
    const order = [
        ['xyz/1/5/1/1.png', 'urgent', 0.5], ['xyz/1/9/1/1.png?variant=base', 'usual', 0.5], ['xyz/1/9/1/1.png', 'usual', 0], ['xyz/1/9/2/1.png', 'usual', 0.1],
        ['xyz/1/2/1/1.png?variant=eroded', 'urgent', 0], ['xyz/1/9/1/1.png?layer=water', undefined, 0], ['xyz/1/9/5/1.png?layer=water', undefined, 0.2],
    ].map(([url, lane, far]) => priorityOf(partsOf(url), lane, far));
    assert.deepEqual(order, [...order].sort((a, b) => b - a));
    assert.equal(new Set(order).size, order.length);
});

test('the first view is begun from its middle', () => {
    const window = { width: 1440, height: 900 }, spacing = 1;
    const tiles = tilesOfView({ x: -262729, y: 217698, zoom: 9.3 }, window, spacing);
    const [first] = tiles, { lod, x, y } = tileAt(-262729, 217698, 8, spacing);
    assert.deepEqual(first, toXyz({ lod, x, y }));
    assert.ok(tiles.length >= 20 && tiles.length <= 35, `${tiles.length}`);
    assert.ok(tilesOfView({ x: 2 ** 25, y: 0, zoom: 9.3 }, window, spacing).every((tile) => tile.x < 2 ** tile.z));
    const asked = [];
    const { signal } = new AbortController();
    const loader = { picture: async (url, until, lane) => asked.push(until === signal && `${lane} ${url}`) };
    const state = { seed: '1', layer: 'relief', x: 10, y: 10, zoom: 9.3 }, world = { generator: 8, variant: 'eroded', spacing_m: 1, made: true };
    beginView({ loader, state, world, window, signal });
    const at = addresses(state, world, 'eroded');
    const { z, x: i, y: j } = toXyz(tileAt(10, 10, 8, 1));
    const of = (template) => template.replace('plain://', '').replace('{z}', z).replace('{x}', i).replace('{y}', j);
    assert.deepEqual(asked.slice(0, 2), [`urgent ${of(at.shown)}`, `usual ${of(at.draft)}`], 'by the addresses that the map has');
    asked.length = 0;
    beginView({ loader, state: { ...state, layer: 'flow' }, world, window, signal });
    assert.ok(!asked.some((url) => url.includes('base')));
});

test('base ground stands for ground that is made', () => {
    const state = { seed: '1', layer: 'relief' };
    const drafts = (more, world) => addresses({ ...state, ...more }, { generator: 8, ...world }, 'eroded').draft;
    assert.match(drafts({}, { made: true }), /^plain:.*variant=base/);
    assert.match(drafts({ layer: 'slope' }, { made: true }), /^tint:.*variant=base/);
    assert.deepEqual([drafts({}, {}), drafts({ layer: 'flow' }, { made: true })], [undefined, undefined]);
    assert.equal(addresses(state, { generator: 8, made: true }, 'base').draft, undefined);
    const sources = stackSources(1, addresses(state, { generator: 8, made: true }, 'eroded'));
    assert.deepEqual(Object.keys(sources), Object.keys(stackSources(1, {})).filter((name) => name !== 'mid-1'));
    assert.ok(sources['under-1'].tiles[0].includes('variant=base') && sources['under-1'].maxzoom === sources['base-1'].maxzoom);
});

test('places, out of tiles', async () => {
    const asked = [];
    const plane = (z) => Float32Array.from({ length: 65536 }, (_, k) => z(k % 256, k >> 8));
    const world = {
        async tile({ x, y, layer }) {
            asked.push(`${layer} ${x} ${y}`);
            return { samples: layer === 'height' ? plane((i) => 2 * (256 * x + i)) : plane(() => (layer === 'water' ? (x < 0 ? 5 : 0) : 0.5)) };
        },
        picture: async () => ({ data: new Uint8Array(65536).fill(1) }),
    };
    const facts = { spacing_m: 1, variant: 'eroded', rivers: { top: 3 }, zones: ['sea', 'hills'] };
    const [dry, wet] = await pointsOf({ world, facts, places: [[20.5, 30], [-40, 30]], lod: 1 });
    assert.deepEqual([dry.height_m, dry.surface_m, dry.zone, dry.discharge_m3s], [20.5, 20.5, 'hills', 0.5]);
    assert.equal(Math.round(dry.slope_degrees), 45);
    assert.deepEqual([wet.height_m, wet.surface_m, wet.water_m, wet.zone, wet.tile], [-40, -35, 5, null, { lod: 1, x: -1, y: 0 }]);
    assert.equal(new Set(asked).size, asked.length, 'each tile once');
    const [coarse] = await pointsOf({ world, facts, places: [[20, 30]], lod: 4 });
    assert.equal(coarse.discharge_m3s, 0);
});

test('lines, out of tiles', async () => {
    const path = { id: 5, rank: 'trunk', points: [[0, 0], [1, 0], [2, 0], [3, 0]], over: ['land', 'bridge', 'land'] };
    const asked = [];
    const world = {
        facts: { spacing: 1 },
        async lines(tile) {
            asked.push([tile.level, tile.x, tile.y]);
            return tile.layer === 'path' ? [path] : [{ points: [[0, 0, 5], [1, 1, 4]], discharge: 2, width: 3 }];
        },
    };
    const window = { lod: 4, x0: -256, y0: 512, w: 512, h: 256 };
    const { features } = await linesIn(world, 'path', window, {});
    assert.deepEqual(asked, [[4, -1, 2], [4, 0, 2]]);
    assert.deepEqual(features.map(({ properties, geometry }) => [properties, geometry.coordinates.length]), [[{ rank: 'trunk' }, 4], [{ kind: 'bridge' }, 2]]);
    const rivers = await linesIn(world, 'river', window, {});
    assert.deepEqual(rivers.features.map(({ properties }) => properties), [{ discharge_m3s: 2, width_m: 3 }, { discharge_m3s: 2, width_m: 3 }]);
});

test('the loader asks a maker for what it takes', async () => {
    let heard;
    const failed = new Promise((resolve) => {
        heard = (counts) => counts.failed && resolve(counts);
    });
    const loader = createLoader('', (counts) => heard(counts));
    assert.ok(loader.gives('anything'));
    let fails = false;
    loader.make({
        takes: (url) => url.startsWith('xyz/'),
        gives: (name) => name === 'xyz.png',
        async answer(url, _, { lane, far }) {
            if (fails) throw new Error('no memory');
            return { width: 2, url, lane, far };
        },
        rgba: async ({ width }) => `${width} wide`,
    });
    loader.look(() => ({ x: 0.25, y: 0.5 }));
    const made = await loader.picture('xyz/1/1/0/0.png', undefined, 'usual');
    assert.deepEqual(made, { width: 2, url: 'xyz/1/1/0/0.png', lane: 'usual', far: 0.25 });
    assert.deepEqual(await loader.image('xyz/1/1/0/0.png'), { rgba: '2 wide', side: 2 });
    assert.ok(!loader.gives('river'));
    fails = true;
    await assert.rejects(loader.picture('xyz/1/1/1/0.png'), /no memory/);
    const { why, loading } = await failed;
    assert.deepEqual([why, loading], ['no memory', 0]);
});

test('what is told of tiles that were made', () => {
    assert.equal(told({ tiles: 1 }, true), '1 tile made in this browser; no server is asked.');
    assert.match(told({ tiles: 1200, verified: 75 }, false), /^1\u2009200 tiles made in this browser; 75 compared with the server's: they agree\.$/);
    assert.match(told({ tiles: 3, fetched: 9, verified: 1, differed: 1 }, false), /9 fetched\. The server's ground is another/);
});
