import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finer, refine, spare, spread } from '../src/labels.js';
import { GROUPS, hasLayer, incomparable } from '../src/layers.js';
import { drowned, evenly } from '../src/drop.js';
import { kindsOf, levelFor, wordsOf } from '../src/find.js';
import { placeOf } from '../src/goto.js';
import { createGate, farOf, waitMs } from '../src/load.js';
import { cutOf } from '../src/mercator.js';
import { DEFAULTS, LAYERS } from '../src/permalink.js';
import { along, levelOf, sums, ticks } from '../src/profile.js';
import { discharge, ground, namesAt, riverAt, scaleBar } from '../src/readout.js';
import { words } from '../src/status.js';
import { addresses, otherLayers, otherSources, riverWidth, styleOf, toPrint } from '../src/style.js';
import { createStore } from '../src/store.js';
import { TINTS, colourAt, elevation, logarithm, paint, veil } from '../src/tint.js';
import { compared, downstreamUrl, files, findUrl, pathUrl, pointUrl, regionUrl, riverUrl, template, tileUrl, variantAt, worldUrl } from '../src/urls.js';
import { walkUrl } from '../src/walk.js';
import { TILES_MOST, windowOfTiles } from '../src/ways.js';
import { count } from '../src/zones.js';

const slab = (side, metres) => {
    const data = new Uint8Array(side * side * 3);
    for (let i = 0; i < side * side; i++) {
        const q = Math.round((metres(i % side, Math.floor(i / side)) + 32768) * 256);
        data.set([q >> 16, (q >> 8) & 255, q & 255], 3 * i);
    }
    return { width: side, height: side, channels: 3, data };
};

test('addresses', () => {
    assert.equal(
        tileUrl(
            { seed: '42', layer: 'height', variant: 'base', enc: 'mapbox' },
            { lod: 3, x: -1, y: 2 },
            'png',
        ),
        'tile/42/3/-1/2.png?variant=base&enc=mapbox',
    );
    assert.equal(
        tileUrl({ seed: 'a', layer: 'partition', variant: 'base', key: 'k&' }, { lod: 0, x: 0, y: 0 }, 'f32'),
        'tile/a/0/0/0.f32?layer=partition&key=k%26',
    );
    assert.equal(
        template({ seed: '1', recipe: 'alpine', layer: 'relief', v: 3 }),
        'xyz/1/{z}/{x}/{y}.png?recipe=alpine&layer=relief&v=3',
    );
    assert.equal(template({ seed: '1', enc: 'terrarium', reg: 'center' }), 'xyz/1/{z}/{x}/{y}.png?enc=terrarium&reg=center');
    assert.equal(
        regionUrl({ seed: '1', layer: 'height' }, { lod: 2, x0: -5, y0: 6, w: 7, h: 8 }, 'tif'),
        'region/1.tif?x0=-5&y0=6&w=7&h=8&lod=2',
    );
    assert.equal(
        pointUrl({ seed: '1', variant: 'eroded' }, { x: -0.12345, y: 1e6 }, 4),
        'point/1?x=-0.123&y=1000000&lod=4&variant=eroded',
    );
    assert.equal(pointUrl({ seed: '1' }), 'point/1');
    assert.equal(worldUrl({ seed: 'x', recipe: '' }), 'world/x?spawn=coarse');
});

test('ground stands on the middles of pixels, pictures on their corners', () => {
    for (const layer of ['height', 'relief']) {
        const at = addresses({ seed: '1', layer }, { generator: 3 }, '');
        assert.equal(at.dem, 'dem://xyz/1/{z}/{x}/{y}.png?layer=surface&enc=terrarium&reg=center&v=3#bed');
        assert.equal(`${at.light}#bed`, at.dem);
        assert.ok(!at.shown.includes('reg=') && !at.veil.includes('reg='));
    }
});

test('what is printed stands on its water, and is of finer tiles', () => {
    const style = styleOf(DEFAULTS, { generator: 3, spacing_m: 1 }, '', 0);
    const { sources, layers } = toPrint(style, 4);
    assert.match(style.sources.dem.tiles[0], /#bed$/);
    assert.deepEqual(sources.dem, { ...style.sources.dem, tiles: style.sources.light.tiles });
    assert.equal(sources['base-0'].tileSize, 64);
    assert.equal(style.sources['base-0'].tileSize, 256);
    assert.equal(layers, style.layers);
});

test('a small map has finer tiles of names, a large one coarser ones, which know how wide they are', () => {
    const rows = [[360, 611], [768, 900], [1440, 850], [2560, 1360], [0, 0]].map(([clientWidth, clientHeight]) =>
        [3, 4, 9.3, 15].map((zoom) => Number(finer({ clientWidth, clientHeight }, zoom).toFixed(1))),
    );
    assert.deepEqual(rows, [[2.4, 2.4, 2.7, 3.7], [0.9, 0.9, 1.2, 2.3], [0.2, 0.2, 0.5, 1.6], [-0.9, -0.9, -0.6, 0.4], [3.9, 3.9, 4.2, 5.3]]);
    const loaded = [];
    const source = { tileSize: 512, loadTile: (tile) => loaded.push(tile.tileSize) };
    const box = { clientWidth: 1100, clientHeight: 1100 };
    refine({ getSource: (name) => name === 'labels' && source, getContainer: () => box, getZoom: () => 4 }, 'labels');
    const wide = source.tileSize;
    assert.equal(wide, 512 / 2 ** 0.2);
    box.clientWidth /= 4;
    assert.ok(source.tileSize < wide / 2);
    for (const factor of [1, 4]) source.loadTile({ tileSize: source.tileSize, tileID: { overscaleFactor: () => factor } });
    assert.deepEqual(loaded, [512, 2048]);
    const own = { a: 'labels', b: 'vectors', c: 'labels' };
    const kept = {};
    const map = { getContainer: () => box, getLayersOrder: () => Object.keys(own), getLayer: (id) => ({ source: own[id] }), getLayoutProperty: (id) => kept[id] };
    spread({ ...map, setLayoutProperty: (id, name, px) => (kept[id] = px) }, 'labels');
    assert.deepEqual(kept, { a: spare(box), c: spare(box) });
    assert.deepEqual([[0, 0], [360, 611], [2560, 1360]].map(([clientWidth, clientHeight]) => spare({ clientWidth, clientHeight })), [0, 11, 80]);
    spread({ ...map, setLayoutProperty: assert.fail }, 'labels'); // they are laid out anew only where they are others
    const named = otherLayers(DEFAULTS, { spacing_m: 1 }, 0).filter((layer) => layer['source-layer'] === 'label');
    assert.deepEqual([...new Set(named.map(({ source: of }) => of))], ['labels']);
    assert.deepEqual(otherSources({ vectors: 'x' }).labels, otherSources({ vectors: 'x' }).vectors);
});

test('files of a layer', () => {
    const world = {
        layers: [
            {
                name: 'height',
                formats: ['png', 'f32', 'json', 'tif', 'glb', 'asc'],
                encodings: ['terrarium', 'gray16'],
            },
            { name: 'relief', formats: ['png'], encodings: [] },
            { name: 'normal', formats: ['png', 'f32', 'json', 'tif'], encodings: [] },
        ],
    };
    assert.deepEqual(
        files(world, 'height').map(([, ext, enc]) => ext + enc),
        ['pngterrarium', 'pnggray16', 'f32', 'json', 'tif', 'glb', 'asc'],
    );
    assert.deepEqual(
        files(world, 'height', true).map(([, ext]) => ext),
        ['png', 'png', 'f32', 'tif'],
    );
    assert.deepEqual(files(world, 'relief'), [['PNG', 'png', '']]);
    assert.deepEqual(files(world, 'none'), []);
    assert.deepEqual(files(world, 'normal', true), files(world, 'normal').filter(([, ext]) => ext !== 'json'));
});

test('places as people write them', () => {
    assert.deepEqual(placeOf('12000, -3400'), { x: 12000, y: -3400, zoom: undefined });
    assert.deepEqual(placeOf(' 1.5 -.5 12 '), { x: 1.5, y: -0.5, zoom: 12 });
    assert.deepEqual(placeOf('x \u2212229\u2009376 m'.replace(' m', ', y 5')), {
        x: -229376,
        y: 5,
        zoom: undefined,
    });
    for (const wrong of ['', '1', '1,2,3,4', 'a,b', '1,2,99', '1,2,x', '1e400,0', 'Infinity,0'])
        assert.equal(placeOf(wrong), null, wrong);
});

test('tints', () => {
    const height = slab(4, (x) => [-7000, 0, 1200, 9000][x]);
    const pixels = paint('height', height);
    assert.deepEqual([...pixels.slice(0, 4)], [11, 36, 71, 255]);
    assert.deepEqual([...pixels.slice(4, 7)], [79, 138, 91]);
    assert.deepEqual([...pixels.slice(12, 15)], [255, 255, 255]);
    assert.deepEqual(
        [
            ...paint(
                'height',
                slab(2, () => 500),
                500,
            ).slice(0, 3),
        ],
        [79, 138, 91],
        'above the sea of this world',
    );
    assert.deepEqual(colourAt(TINTS.slope.stops, 6).length, 3);
    for (const { stops } of Object.values(TINTS))
        assert.ok(
            stops.every(([value], k) => k === 0 || value > stops[k - 1][0]),
            'rising',
        );
});

test('just under the sea is water, just over it land', () => {
    const [, , blue] = paint(
        'height',
        slab(1, () => -0.5),
    );
    const [, green] = paint(
        'height',
        slab(1, () => 0.5),
    );
    assert.ok(blue > 200 && green < 150);
});

test('a veil leaves one zone alone', () => {
    const pixels = veil({ width: 2, height: 1, data: [3, 4] }, 3);
    assert.equal(pixels[3], 0);
    assert.ok(pixels[7] > 0);
});

test('heights for the map have a border of two', () => {
    const { data, side } = elevation(slab(4, (x, y) => 10 * y + x));
    assert.equal(side, 8);
    const at = 4 * (3 * 8 + 5); // x 3, y 1
    assert.equal(data[at] * 256 + data[at + 1] + data[at + 2] / 256 - 32768, 13);
    assert.equal(data[3], 0);
});

test('height, slope and water between samples, as the server has them', () => {
    const dry = () => 0;
    const plane = ground((i, j) => 2 * i + 100 * j, dry, 2.5, 3.25, 100);
    assert.equal(plane.height, 330);
    assert.equal(plane.water, 0);
    assert.ok(Math.abs(plane.slope - (Math.atan(Math.hypot(0.02, 1)) * 180) / Math.PI) < 1e-9);
    /* a ridge: up by a half to its crest and down again, so that its sides are level on average */
    const ridge = (i) => -50 * Math.abs(i);
    const side = (Math.atan(0.5) * 180) / Math.PI;
    assert.ok(Math.abs(ground(ridge, dry, 3.5, -7, 100).slope - side) < 1e-9);
    assert.equal(ground(ridge, dry, 0, 0.5, 100).slope, 0);
    /* between the crest's normal, which is up, and its side's */
    assert.ok(Math.abs(ground(ridge, dry, 0.5, 0, 100).slope - side / 2) < 1e-9);
    assert.equal(ground(ridge, (i) => Math.max(0, 120 + ridge(i)), 2.5, 0, 100).water, 10);
});

test('shares of zones within bounds', () => {
    const counts = new Array(16).fill(0);
    const picture = { width: 4, height: 4, data: [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2] };
    const dry = { ...picture, data: new Uint16Array(16) };
    const bounds = { west: -192, east: -1, north: 64, south: 191 };
    count(picture, dry, { lod: 0, x: -1, y: 0 }, bounds, 1, counts);
    assert.deepEqual(counts.slice(0, 3), [1, 2, 3]);
    /* a lake in one zone, and sea over all of another */
    const wet = {
        ...picture,
        data: Uint16Array.from(picture.data, (zone, i) => (zone === 2 || i === 6 ? 300 : 0)),
    };
    const land = new Array(256).fill(0);
    count(picture, wet, { lod: 0, x: -1, y: 0 }, bounds, 1, land);
    assert.deepEqual([land[0], land[1], land[2], land[255]], [1, 1, 0, 4]);
});

test('profiles', () => {
    const places = along(
        [
            { x: 0, y: 0 },
            { x: 10, y: -20 },
        ],
        3,
    );
    assert.deepEqual(places, [
        [0, 0],
        [5, -10],
        [10, -20],
    ]);
    assert.deepEqual(sums([1, 3, 2, 6]), { low: 1, high: 6, up: 6, down: 1 });
    assert.deepEqual(ticks(-90, 410), [0, 200, 400]);
    assert.deepEqual(ticks(14, 922), [250, 500, 750]);
    assert.deepEqual(ticks(5, 5).length <= 2, true);
});

test('the way of a drop, at places that are equally far apart', () => {
    const way = [
        [0, 0, 90],
        [0, 0, 90], // a line may stand still
        [30, 40, 40],
        [30, 90, 40],
    ];
    const { places, length } = evenly(way, 5);
    assert.deepEqual([drowned(way), drowned(way.slice(2))], [false, true]); // in water: to its cell, and no further
    assert.equal(length, 100);
    assert.deepEqual(
        places.map(({ x, y, z }) => [x, y, z]),
        [
            [0, 0, 90],
            [15, 20, 65],
            [30, 40, 40],
            [30, 65, 40],
            [30, 90, 40],
        ],
    );
    assert.ok(evenly([way[0], way[0]], 3).places.every(({ z }) => z === 90));
    for (let count = 2; count < 300; count++) {
        const heights = evenly(way, count).places.map(({ z }) => z);
        assert.deepEqual(heights, [...heights].sort((a, b) => b - a));
    }
    assert.equal(
        downstreamUrl({ seed: 'a b', recipe: 'alpine' }, { x: -0.12345, y: 1e6 }),
        'downstream/a%20b?x=-0.123&y=1000000&recipe=alpine',
    );
});

test('rivers under the pointer', () => {
    const pixels = (i, j) => (i === 7 && j === -3 ? 16 : 0);
    assert.equal(riverAt(pixels, [6, -2]), 1);
    assert.equal(riverAt(pixels, [5, -2]), 0);
    assert.deepEqual([8, 40, 88].map(logarithm), [0.5, 2, 8]);
    assert.deepEqual([0.04, 3.21, 1002.7].map(discharge), ['0.04 m\u00b3/s', '3.2 m\u00b3/s', '1\u2009003 m\u00b3/s']);
});

test('what has a name at a place is told, each once', () => {
    const said = { height_m: 1, river: { id: '1', name: 'Ona' }, range: { id: '2', name: 'Tharr' } };
    assert.deepEqual(namesAt(undefined, said), [['river', 'Ona'], ['range', 'Tharr']]);
    assert.deepEqual(namesAt({ name: 'Ona' }, said), [['river', 'Ona'], ['range', 'Tharr']]);
    assert.deepEqual(namesAt({ kind: 'town', name: 'Bel' }, said)[0], ['town', 'Bel']);
    assert.deepEqual(namesAt({ name: 'Ona' }), [['river', 'Ona']]);
    assert.deepEqual(namesAt(false), []);
});

test('rivers are of worlds that have them', () => {
    const world = { variants: ['base', 'eroded'], rivers: { top: 13 } };
    assert.ok(hasLayer(world, 'river') && !hasLayer({ ...world, rivers: undefined }, 'river'));
    assert.match(incomparable('river'), /finished ground/);
    assert.equal(incomparable('relief'), '');
});

/* What an interpolation of the map library's makes of a river at one of its zooms. */
function widthAt(zoom, river, spacing_m) {
    const stops = riverWidth({ spacing_m }).slice(3);
    const value = (e) => {
        if (!Array.isArray(e)) return e;
        const [a, b] = e.slice(1).map((each) => value(each));
        return { get: () => river[e[1]], '^': () => a ** b, '*': () => a * b, '/': () => a / b, max: () => Math.max(a, b) }[e[0]]();
    };
    return value(stops[stops.indexOf(zoom) + 1]);
}

test('rivers are broader the more they carry, and from near as wide as they are', () => {
    const river = (q) => ({ discharge_m3s: q, width_m: 6 * Math.sqrt(q) });
    for (const zoom of [5, 10, 17, 20]) {
        assert.ok(widthAt(zoom, river(100), 1) > widthAt(zoom, river(1), 1));
        assert.ok(widthAt(zoom, river(1), 1) > 0.5);
    }
    assert.equal(widthAt(17, river(100), 1), 60);
    assert.equal(widthAt(20, river(100), 2), 240);
});

test('a profile is of the level that is seen, unless it is long', () => {
    const line = (x, y) => [
        { x: -x / 2, y: 0 },
        { x: x / 2, y },
    ];
    assert.equal(levelOf(line(5e4, 0), 9, 1), 8);
    assert.equal(levelOf(line(5e4, 0), 20, 1), 3);
    assert.equal(levelOf(line(6e7, 6e7), 20, 1), 14);
    for (let metres = 1; metres < 6e7; metres *= 1.7) {
        const ends = line(metres, -0.7 * metres);
        const side = 256 * 2 ** levelOf(ends, 20, 1);
        const tiles = new Set(along(ends).map((place) => String(place.map((at) => Math.floor(at / side)))));
        assert.ok(tiles.size <= 64, `${metres} m lie in ${tiles.size} tiles`);
    }
});

test('a scale is a round length', () => {
    assert.deepEqual(scaleBar(256), { px: 20000 / 256, text: '20 km' });
    assert.equal(scaleBar(0.5).text, '50 m');
});

test('waiting', () => {
    assert.equal(waitMs(0, '2', false, 0), 2000);
    assert.equal(waitMs(3, null, false, 0), 3200);
    assert.equal(waitMs(3, 'soon', true, 0), 3200);
    assert.equal(waitMs(20, null, false, 0), 5000);
    assert.equal(waitMs(9, '1', false, 0), 5000);
    assert.equal(waitMs(9, '1', true, 0), 1000);
    assert.ok(waitMs(0, '2', false, 1) > 2000);
    assert.equal(waitMs(0, '60', false, 0.5), 15000);
});

test('a place is kept for what is urgent', async () => {
    const gate = createGate();
    const order = [];
    const end = [];
    const held = (name) => () => {
        order.push(name);
        return new Promise((resolve) => end.push(resolve));
    };
    const turns = () => new Promise((resolve) => setTimeout(resolve, 0));
    const asked = [];
    for (let k = 0; k < 8; k++) asked.push(gate.pass('usual', undefined, held(`usual ${k}`)));
    const left = new AbortController();
    const gone = gate.pass('usual', left.signal, held('gone'));
    asked.push(gate.pass('urgent', undefined, held('urgent')));
    await turns();
    assert.deepEqual(order, ['usual 0', 'usual 1', 'usual 2', 'usual 3', 'usual 4', 'urgent']);
    left.abort();
    await assert.rejects(gone);
    gate.press(true); // something urgent was turned away: the rest makes way
    end.splice(0, 5).forEach((done) => done());
    await turns();
    assert.equal(order.length, 6);
    gate.press(false);
    await turns();
    assert.deepEqual(order.slice(6), ['usual 5', 'usual 6', 'usual 7']);
    end.forEach((done) => done());
    await Promise.all(asked);
    assert.ok(!order.includes('gone'));
});

test('the middle of the view comes first', async () => {
    const gate = createGate();
    const order = [];
    const at = (x) => `http://h/xyz/42/3/${x}/4.png?layer=relief`;
    let middle = { x: 0, y: 0.5 };
    const asked = [0, 1, 2, 3, 4].map(() => gate.pass('usual', undefined, () => new Promise((end) => setTimeout(end, 0))));
    for (const x of [1, 7, 5, 4])
        asked.push(gate.pass('usual', undefined, () => order.push(x), () => farOf(at(x), middle)));
    middle = { x: 0.6, y: 0.5 }; // it counts where the view is when a place is free
    await Promise.all(asked);
    assert.deepEqual(order, [4, 5, 7, 1]);
    assert.equal(farOf('http://h/world/42', middle), 0);
    assert.ok(farOf('http://h/xyz/42/3/4/4.mvt', middle) > farOf('http://h/xyz/42/3/0/0.png', middle)); // ground comes first
});

test('where lines of paths are asked for', () => {
    const half = 2 ** 13;
    const at = (west, north, side) => ({ west, north, east: west + side, south: north + side });
    const near = windowOfTiles(at(100, 100, 1000), 4, 1, half);
    assert.deepEqual(near, { lod: 4, x0: -256, y0: -256, w: 512, h: 512 });
    assert.deepEqual(windowOfTiles(at(110, 90, 1000), 4, 1, half), near); // a small step asks for the same
    assert.equal(windowOfTiles(at(0, 0, 40000), 4, 1, half), null); // too far away
    assert.ok(windowOfTiles(at(100, 100, 20000), 4, 1, half) && !windowOfTiles(at(100, 100, 20000), 4, 1, half, 1));
    const corner = windowOfTiles(at(4096 * half - 500, 4096 * half - 500, 4000), 4, 1, half);
    assert.deepEqual([corner.x0 + corner.w, corner.y0 + corner.h], [256 * half, 256 * half]);
    assert.equal(windowOfTiles(at(4096 * half + 9000, 0, 4000), 4, 1, half), null);
    for (let side = 1; side < 1e5; side *= 1.3) {
        const window = windowOfTiles(at(-3000, 700, side), 4, 1, half);
        assert.ok(!window || (window.w / 256) * (window.h / 256) <= TILES_MOST);
    }
    assert.equal(
        pathUrl({ seed: 'a b', recipe: 'wayfarer', v: 3 }, near),
        'path/a%20b?x0=-256&y0=-256&w=512&h=512&lod=4&crs=geographic&recipe=wayfarer&v=3',
    );
    assert.equal(riverUrl({ seed: '1' }, near), 'river/1?x0=-256&y0=-256&w=512&h=512&lod=4&crs=geographic');
});

test('what is compared', () => {
    assert.ok(compared({ compare: 0, layer: 'relief' }));
    assert.ok(!compared({ compare: null, layer: 'relief' }));
    for (const layer of ['partition', 'flow', 'delta', 'path', 'cave', 'river']) assert.ok(!compared({ compare: 0.5, layer }));
});

test('base ground is to the left where it is compared', () => {
    const state = { compare: 0.4, layer: 'relief', variant: '' };
    assert.deepEqual([variantAt(state, 0.39), variantAt(state, 0.41)], ['base', '']);
    assert.equal(variantAt({ ...state, compare: null }, 0.39), '');
});

test('words for what goes on', () => {
    assert.equal(words({ loading: 3, waiting: 0, failed: 0, why: '' }, false), '');
    assert.match(words({ loading: 3, waiting: 0, failed: 0, why: '' }, true), /3/);
    assert.equal(
        words({ loading: 3, waiting: 2, failed: 0, why: 'Queue full.' }, true),
        'Waiting for the server (2). Queue full.',
    );
    assert.doesNotMatch(
        words({ loading: 3, waiting: 3, failed: 1, why: 'The server does not answer.' }, true),
        /busy/,
    );
    assert.match(words({ loading: 0, waiting: 0, failed: 1, why: 'No.' }, true), /One thing .*No\./);
});

test('the store tells those who asked', () => {
    const store = createStore({ a: 1, b: 1 });
    const told = [];
    store.on('a', (state, changed) => told.push([state.a, changed]));
    store.on('', ({ b }) => told.push(b));
    store.set({ b: 2 });
    store.set({ a: 1 });
    store.set({ a: 2 });
    assert.deepEqual(told, [2, [2, ['a']], 2]);
});

test('what can be looked for is what the world has', () => {
    const bare = { zones: [{ name: 'land' }] };
    assert.deepEqual(kindsOf(bare).map(([what]) => what), ['peak', 'lake', 'coast']);
    const rich = { ...bare, zones: [{ name: 'wet' }, { name: 'dry' }], rivers: {}, paths: { towns: true }, caves: {}, cover: [{ name: 'sand' }] };
    const whats = kindsOf(rich).map(([what]) => what);
    assert.deepEqual(whats, ['peak', 'lake', 'river', 'mouth', 'coast', 'town', 'place', 'cave', 'zone:wet', 'zone:dry', 'cover:sand']);
    assert.equal(
        findUrl({ seed: '1', recipe: 'r' }, { what: 'zone:wet', x: 1.23456, y: -2, limit: 5, lod: 9 }),
        'find/1?what=zone%3Awet&x=1.235&y=-2&limit=5&lod=9&recipe=r',
    );
    assert.deepEqual([0, 5, 9, 18].map(levelFor), [12, 12, 8, 6]);
});

test('what is found is told by its name, whatever it is', () => {
    const said = (properties) => wordsOf({ properties, geometry: { coordinates: [0, 0, 12] } });
    const kinds = [{ rank: 'town' }, { discharge_m3s: 20 }, { area_m2: 5e4 }, { area_m2: 1276e6 }, {}];
    assert.deepEqual(kinds.map(said), ['town', '20 m\u00b3/s', '5 ha', '1\u2009276 km\u00b2', '12 m']);
    for (const kind of kinds) assert.equal(said({ name: 'Ona', ...kind }), `Ona, ${said(kind)}`);
});

test('the menu has every layer once, and pieces of tiles around a place', () => {
    assert.deepEqual(GROUPS.flatMap(([, layers]) => layers).sort(), [...LAYERS].sort());
    const size = { width: 192, height: 128 };
    const metres = 256 * 2 ** 8; // of a tile shown at zoom 9
    assert.deepEqual(cutOf({ x: 0.5 * metres, y: -0.25 * metres, zoom: 9 }, 1, size), { z: 10, x: 512, y: 511, left: 32, top: 128 });
    assert.deepEqual(cutOf({ x: -1, y: 1, zoom: 9 }, 1, size), { z: 10, x: 511, y: 512, left: 64, top: 0 });
    assert.equal(cutOf({ x: 2 ** 27, y: 0, zoom: 9 }, 1, size), null);
});

test('a walk begins in the middle of the view', () => {
    assert.equal(walkUrl({ seed: 'a b', recipe: '', v: '9', variant: '', x: 12.6, y: -3.2, bearing: 90 }), 'viewer/walk.html?world=a+b&v=9&x=13&z=-3&bearing=90');
});
