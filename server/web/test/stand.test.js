import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasLayer } from '../src/layers.js';
import { tilesOf } from '../src/dots.js';
import { createTiles, distanceTo, overlap, pick } from '../src/near.js';
import { VERTEX, coloursOf, hullOf, modelOf, records, thin } from '../../../lib/js/objects.js';
import { shifted } from '../src/scene.js';
import { eyeOf, reachOf } from '../src/stand.js';
import { addresses } from '../src/style.js';
import { bedOf, blend } from '../src/tint.js';
import { modelUrl } from '../src/urls.js';
import { waterMesh } from '../../../lib/js/water.js';
import { terrarium } from '../src/png.js';
import { kindsOf } from '../src/zones.js';

function bin(places) {
    const view = new DataView(new ArrayBuffer(16 + 16 * places.length));
    [...'TOBJ'].forEach((letter, k) => view.setUint8(k, letter.charCodeAt(0)));
    view.setUint32(4, places.length, true);
    places.forEach(([x, y, z, ...bytes], k) => {
        [x, y, z].forEach((value, n) => view.setFloat32(16 + 16 * k + 4 * n, value, true));
        bytes.forEach((value, n) => view.setUint8(28 + 16 * k + n, value));
    });
    return view.buffer;
}

test('records of objects', () => {
    const [a, b] = records(bin([[1.5, 2, -3, 64, 32, 7, 6], [255, 0.25, 8, 0, 64, 0, 15]]));
    assert.deepEqual(a, { x: 1.5, y: 2, z: -3, turn: Math.PI / 2, scale: 0.5, kind: 7, seed: 2 });
    assert.deepEqual([b.x, b.scale, b.kind, b.seed], [255, 1, 0, 3]);
    assert.deepEqual(records(bin([])), []);
    for (const wrong of [new ArrayBuffer(0), new ArrayBuffer(16), bin([[0, 0, 0, 0, 0, 0, 0]]).slice(0, 31)])
        assert.throws(() => records(wrong));
});

/* A glb of one triangle, as the server's models are. */
function glb(position, colour) {
    const count = position.length / 3;
    const views = [12 * count, 12 * count, 4 * count, 2 * count].map((byteLength, k, all) => ({
        byteOffset: all.slice(0, k).reduce((sum, each) => sum + each, 0),
        byteLength,
    }));
    const json = JSON.stringify({
        accessors: [0, 1, 2, 3].map((bufferView) => ({ bufferView, count, max: [0, Math.max(...position.filter((_, k) => k % 3 === 1)), 0] })),
        bufferViews: views,
        meshes: [{ primitives: [{ attributes: { POSITION: 0, NORMAL: 1, COLOR_0: 2 }, indices: 3 }] }],
    });
    const text = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 4) * 4));
    const file = new Uint8Array(28 + text.length + views[3].byteOffset + views[3].byteLength);
    new DataView(file.buffer).setUint32(12, text.length, true);
    file.set(text, 20);
    const body = 28 + text.length;
    file.set(new Uint8Array(Float32Array.from(position).buffer), body);
    file.set(colour, body + views[2].byteOffset);
    file.set(new Uint8Array(Uint16Array.from({ length: count }, (_, k) => k).buffer), body + views[3].byteOffset);
    return file.buffer;
}

test('models, and what they are from far', () => {
    const corners = [-2, 0, 0, 2, 0, 0, 0, 6, 1, -1, 3, -1, 1, 3, -1, 0, 3, 1];
    const model = modelOf(glb(corners, new Array(6).fill([10, 200, 30, 255]).flat()));
    assert.equal(model.height, 6);
    assert.deepEqual([...model.vertices.subarray(VERTEX * 2, VERTEX * 2 + 3)], [0, 6, 1]);
    assert.deepEqual([...new Uint8Array(model.vertices.buffer, 24, 4)], [10, 200, 30, 255]);
    assert.deepEqual([...model.indices], [0, 1, 2, 3, 4, 5]);
    const hull = hullOf(model);
    assert.ok(Math.max(...hull.indices) < hull.vertices.length / VERTEX);
    assert.ok(hull.vertices.every((value, k) => k % VERTEX === 6 || Math.abs(value) <= 6));
    assert.deepEqual([...new Uint8Array(hull.vertices.buffer, 24, 3)], [10, 200, 30]);
});

test('where there are too many, all near ones stay and the rest thins out', () => {
    const list = Array.from({ length: 9000 }, (_, k) => ({ far: 100 + k, rank: (k * 0.618034) % 1 }));
    assert.equal(thin(list, 9000), list);
    const kept = thin(list, 4000);
    assert.ok(kept.length <= 4000 && kept.length > 3900, `${kept.length}`);
    const within = (from, to) => kept.filter(({ far }) => far >= from && far < to).length;
    assert.equal(within(100, 1100), 1000);
    assert.ok(within(4100, 5100) < 1000 && within(8100, 9100) < within(4100, 5100) && within(8100, 9100) > 100);
});

test('colours tell classes of one model apart', () => {
    const colours = coloursOf(['broadleaf', 'palm', 'broadleaf'].map((model) => ({ model })));
    assert.equal(new Set(colours).size, 3);
    assert.ok(colours.every((colour) => /^#[0-9a-f]{6}$/.test(colour)));
});

test('tiles around a place are its ground once, finer where it is near', () => {
    const at = { x: -700, y: 300 };
    const tiles = pick(at, { coarsest: 3, finest: 0, reach: 3000 }, 1);
    const near = tiles.filter((tile) => distanceTo(tile, at, 1) === 0);
    assert.deepEqual(near, [{ lod: 0, x: -3, y: 1 }]);
    assert.deepEqual(tiles[0], near[0]);
    assert.deepEqual(new Set(tiles.map(({ lod }) => lod)), new Set([0, 1, 2, 3]));
    for (const [k, a] of tiles.entries())
        for (const b of tiles.slice(k + 1)) assert.ok(!overlap(a, b), `${JSON.stringify([a, b])}`);
    for (let step = 0; step < 200; step++) {
        const far = { x: at.x + 2999 * Math.cos(step) * Math.sin(step / 7), y: at.y + 2999 * Math.sin(step) * Math.sin(step / 7) };
        assert.ok(tiles.some((tile) => distanceTo(tile, far, 1) === 0), `${far.x} ${far.y} is of no tile`);
    }
    assert.deepEqual(pick({ x: 1e9, y: 0 }, { coarsest: 2, finest: 0, reach: 2000 }, 1), [], 'beyond the map');
});

test('what was there stays until what is wanted has come', async () => {
    const waiting = new Map();
    let asked = 0;
    const tiles = createTiles({
        changed() {},
        load: (tile, signal) =>
            new Promise((resolve, reject) => {
                asked++;
                waiting.set(`${tile.lod}/${tile.x}`, { resolve, reject, signal });
            }),
    });
    const shown = () => tiles.shown().map(({ tile }) => `${tile.lod}/${tile.x}`).sort();
    const come = async (name, how = 'resolve') => {
        waiting.get(name)[how]([]);
        await new Promise((next) => setImmediate(next));
    };
    tiles.want([{ lod: 1, x: 0, y: 0 }, { lod: 1, x: 5, y: 0 }]);
    tiles.want([{ lod: 1, x: 0, y: 0 }]);
    assert.equal(waiting.get('1/5').signal.aborted, true, 'nobody waits for it');
    assert.equal(asked, 2, 'what is under way is asked for once');
    await come('1/0');
    tiles.want([{ lod: 0, x: 0, y: 0 }, { lod: 0, x: 1, y: 0 }]);
    assert.deepEqual(shown(), ['1/0']);
    await come('0/0');
    await come('0/1', 'reject');
    assert.deepEqual(shown(), ['0/0'], 'one that cannot be had leaves nothing behind and breaks nothing');
    tiles.want([]);
    assert.deepEqual(shown(), []);
});

test('levels and reach by zoom; the camera', () => {
    const classes = [{ level: 2 }, { level: 1 }];
    assert.deepEqual([15, 16, 17.5, 20].map((zoom) => reachOf(zoom, classes, 1).finest), [2, 1, 0, 0]);
    assert.equal(reachOf(15, classes, 1).coarsest, 2);
    assert.equal(tilesOf({ west: 0, east: 900, north: 0, south: 500 }, 14, classes, 1), null, 'coarser than objects are');
    assert.ok(tilesOf({ west: 0, east: 900, north: 0, south: 500 }, 16, classes, 1).every(({ lod }) => lod === 1));
    const [east, south, up] = eyeOf({ zoom: 17, pitch: 60, bearing: 90 }, 600, 36.87, 1);
    assert.ok(east < -700 && Math.abs(south) < 1e-6 && Math.abs(up * Math.sqrt(3) + east) < 1, 'looking east it is in the west');
    const m = shifted([2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1], 10, 20, 0.5);
    assert.deepEqual([...m], [1, 0, 0, 0, 0, 1.5, 0, 0, 0, 0, 2, 0, 25, 66, 7, 1]);
});

test('water: level where it is, a bank below it, flat seas of few triangles', () => {
    const side = 9;
    const grid = (value) => Float32Array.from({ length: side * side }, (_, k) => value(k % side, Math.floor(k / side)));
    const sea = waterMesh(new Float32Array(65 * 65), new Float32Array(65 * 65).fill(40), 65, 2);
    assert.deepEqual([...sea.vertices.subarray(0, 8)], [0, 0, 0, 40, 16, 0, 0, 40]);
    assert.equal(sea.indices.length, 6 * 8 * 8);
    assert.equal(waterMesh(grid(() => 3), grid(() => 0), side, 2), null);
    const river = waterMesh(grid((i) => (i === 4 ? 10 : 12 + i)), grid((i) => (i === 4 ? 1.5 : 0)), side, 1);
    const across = new Map();
    for (let k = 0; k < river.vertices.length; k += 4) across.set(river.vertices[k], [...river.vertices.subarray(k + 2, k + 4)]);
    assert.deepEqual([...across].sort(([a], [b]) => a - b), [[3, [10, -5]], [4, [10, 1.5]], [5, [10, -7]]]);
    assert.equal(river.indices.length, 2 * 6 * (side - 1));
});

test('a bed is no deeper than it is drawn', () => {
    const picture = (...metres) => ({
        data: Uint8Array.from(metres.flatMap((m) => [(m + 32768) >> 8, (m + 32768) & 255, (m * 256) & 255])),
    });
    const bed = bedOf(picture(100, 0, 300.5), picture(97.25, -4000, 300.5));
    assert.deepEqual([0, 1, 2].map((i) => terrarium(bed.data, i)), [97.25, -8, 300.5]);
});

test('cover is its materials mixed, water over it', () => {
    const first = { width: 3, height: 1, data: [255, 0, 0, 0, 0, 0, 0, 51, 255, 0, 0, 0] };
    const second = { data: [0, 0, 0, 0, 204, 0, 0, 0, 0, 0, 0, 0] };
    const colours = ['#640000', '#000000', '#000000', '#00fa00', '#000032'];
    const out = blend([first, second], { data: [0, 0, 9] }, colours);
    assert.deepEqual([...out.subarray(0, 8)], [100, 0, 0, 255, 0, 50, 40, 255]);
    assert.ok(out[10] > out[8] && out[11] === 255);
});

test('layers of what covers the ground are of worlds that have it, with their names and colours', () => {
    const world = { generator: 1, cover: [{ name: 'rock', colour: '#808080' }], objects: [{ name: 'fir', model: 'conifer' }], layers: [], variants: ['base'] };
    const bare = { cover: null, objects: null, layers: [{ name: 'cover' }], variants: ['base'] };
    for (const layer of ['cover', 'objects']) assert.deepEqual([hasLayer(world, layer), hasLayer(bare, layer)], [true, false]);
    assert.deepEqual(kindsOf('cover', world).map(([, name]) => name), ['rock', 'water']);
    assert.deepEqual(kindsOf('objects', world), [[coloursOf(world.objects)[0], 'fir']]);
    const at = (layer) => addresses({ seed: '1', layer }, world, '').shown;
    assert.match(at('cover'), /^cover:.*layer=cover.*#808080$/);
    assert.match(at('objects'), /^plain:.*layer=relief/);
    assert.equal(modelUrl({ name: 'dead-tree', seed: 3 }), 'model/dead-tree.glb?seed=3');
});
