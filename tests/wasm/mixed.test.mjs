// Worlds that a server has, too: which tiles are made and which are fetched, and servers that lie.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { TerraneError, World } from '../../build/js/index.js';
import { Mixed } from '../../build/js/mixed.js';
import { ROOT, WHOLE, bytesOf, serve, served } from './server.mjs';
import { opened, relay } from './worlds.mjs';

const recipe = fs.readFileSync(WHOLE, 'utf8');
const LIE = '0123456789abcdef'.repeat(2);
let server, proxy;

/* Between a client and the server: lies, or says nothing. */
function met(request, answer) {
    if (proxy.lie === 'another world') request.url = request.url.replace('/tile/42/', '/tile/43/');
    return proxy.lie === 'dead' && answer.destroy();
}

function changed({ path, status, told, bytes }) {
    if (told['terrane-digest'] && proxy.lie.includes('digest')) told['terrane-digest'] = LIE;
    if (status === 200 && path.includes('.f32') && proxy.lie.includes('samples')) bytes[100] ^= 1;
    return status === 200 ? { 'too short': bytes.subarray(4), 'too long': Buffer.concat([bytes, bytes]) }[proxy.lie] : undefined;
}

before(async () => {
    server = await serve({ worlds: { dir: `${ROOT}/tests/http/worlds`, default: 'whole' } });
    proxy = { ...(await relay(server.url, met, changed)), lie: '' };
});
after(async () => {
    proxy.end();
    await server.end();
});

const open = (more) => opened({ server: proxy.url, world: '42', recipe, workers: 1, ...more });
const tile = (x) => ({ level: 6, x, y: 3, layer: 'height', variant: 'base', size: 65 });
const walk = async (world, count, from = 0) => {
    const tiles = [];
    for (let x = from; x < from + count; x++) tiles.push(await world.tile(tile(x)));
    return tiles;
};

test('some tiles are made and some fetched, all are the server\'s, and a share is compared', async () => {
    proxy.lie = '';
    const world = await open({ verify: 1 / 4 });
    const tiles = await walk(world, 40);
    for (const x of [0, 1, 2, 39]) assert.ok(bytesOf(tiles[x]).equals(await served(server.url, { world: 42, ...tile(x) })));
    const { tiles: made, fetched, verified, unverified, failed, differed } = world.stats();
    assert.ok(made > 0 && fetched > 0 && made + fetched >= 40, `${made} made, ${fetched} fetched`);
    assert.ok(verified >= 10 && verified <= 10 + Math.ceil(fetched / 4), `${verified} compared`);
    assert.deepEqual([unverified, failed, differed, world.different], [0, 0, 0, undefined]);
});

for (const lie of ['digest', 'samples', 'digest and samples', 'another world'])
    test(`a server that lies (${lie}) is caught within 16 tiles, and named`, async () => {
        proxy.lie = lie;
        const told = [];
        const world = await open({ differs: (what) => told.push(what) });
        const mine = await opened({ recipe, seed: 42, workers: 1 });
        let tiles = 0;
        while (!world.different && tiles < 16) await world.tile(tile(tiles++));
        assert.ok(world.different, JSON.stringify(world.stats()));
        assert.deepEqual(told, [world.different]);
        assert.equal(world.different.server, `${proxy.url}/`);
        assert.deepEqual(world.different.tile, { ...tile(world.different.tile.x) });
        assert.notEqual(world.different.here, world.different.there);
        const before = world.stats();
        const [theirs] = await walk(world, 1, 100); // from the server, whatever that says
        const asServed = await served(proxy.url, { world: 42, ...tile(100) });
        assert.ok(bytesOf(theirs).equals(asServed));
        assert.equal(bytesOf(await mine.tile(tile(100))).equals(asServed), !lie.includes('samples') && lie !== 'another world');
        await assert.rejects(world.tile({ ...tile(0), layer: 'relief' }), (error) => error instanceof TerraneError && /differ/.test(error.message));
        assert.deepEqual([world.stats().tiles, told.length], [before.tiles, 1]);
    });

test('of pictures the ground is compared', async () => {
    proxy.lie = 'another world';
    const world = await open();
    const picture = (x) => world.picture({ level: 6, x, y: 3, layer: 'relief', size: 64 });
    let pictures = 0;
    while (!world.different && pictures < 16) await picture(pictures++).catch(() => {});
    assert.deepEqual([world.different.tile.layer, world.different.tile.size], ['height', 64]);
    await assert.rejects(picture(0), /differ/);
});

for (const lie of ['dead', 'too short', 'too long'])
    test(`where a server answers no tile (${lie}), all is made`, async () => {
        proxy.lie = '';
        const world = await open({ verify: 1 });
        proxy.lie = lie;
        const tiles = await walk(world, 6);
        const { fetched, unverified, failed } = world.stats();
        assert.deepEqual([fetched, unverified], [0, lie === 'dead' ? 6 : 0]);
        assert.ok(failed > 0);
        proxy.lie = '';
        for (const x of [1, 5]) assert.ok(bytesOf(tiles[x]).equals(await served(server.url, { world: 42, ...tile(x) })));
    });

test('of a server that does not answer, or says nothing of a world, the address is told', async () => {
    const said = ['null', '{}', '<html>', '{"seed": 42, "layers": 7}'];
    const listener = http.createServer((_, answer) => answer.end(said[0])).listen(0, '127.0.0.1');
    await new Promise((there) => listener.once('listening', there));
    const address = `http://127.0.0.1:${listener.address().port}/`;
    const refused = (error) => error instanceof TerraneError && error.message.startsWith(`${address}world/42: `);
    for (; said.length > 0; said.shift()) await assert.rejects(World.open({ server: address, world: '42' }), refused);
    await new Promise((ended) => listener.close(ended));
    await assert.rejects(World.open({ server: address, world: '42' }), refused);
});

test('a tile that is taken back is neither made nor fetched', async () => {
    proxy.lie = '';
    const world = await open({ verify: 1 });
    await assert.rejects(world.tile({ ...tile(1), signal: AbortSignal.abort('never') }), (why) => why === 'never');
    assert.deepEqual([world.stats().tiles, world.stats().fetched], [0, 0]);
    await assert.rejects(open({ verify: 2 }), RangeError);
});

/* Without workers and servers: what each takes is said, in seconds. */
function timed({ make, fetch, waiting = 0 }) {
    const pool = { waiting, make: async () => ({ buffer: new ArrayBuffer(4), seconds: make }) };
    const there = { address: 'x', has: () => true, samples: () => new Promise((done) => setTimeout(done, 1000 * fetch, { samples: new Float32Array(1) })) };
    return new Mixed(pool, there, { digestOf: () => '', workers: 2, verify: 0 });
}

test('who lies in whole tiles alone, and seldom has to give one, is caught within 16 of them', async () => {
    for (let round = 0; round < 8; round++) {
        const pool = { waiting: 0, make: async () => ({ buffer: Float32Array.of(1).buffer, seconds: 0 }) };
        const there = { address: 'x', has: () => true, samples: async () => ({ samples: Float32Array.of(2), digest: '2' }), digest: async () => '1' };
        const mixed = new Mixed(pool, there, { digestOf: String, workers: 1, verify: 1 / 16 });
        while (!mixed.different && mixed.stats().fetched <= 16) await mixed.tile({ ...tile(0), words: { form: 'samples' } }, {});
        assert.deepEqual([mixed.different?.here, mixed.different?.there], ['1', '2']);
    }
});

test('what is sooner is chosen, and the other tried now and then', async () => {
    const share = async (times) => {
        const mixed = timed(times);
        for (let k = 0; k < 64; k++) await mixed.tile({ ...tile(k), words: { form: 'samples' } }, {});
        return mixed.stats().fetched;
    };
    assert.ok((await share({ make: 1, fetch: 0.001 })) >= 60);
    const seldom = await share({ make: 0.0001, fetch: 0.01 });
    assert.ok(seldom >= 2 && seldom <= 4, `${seldom} fetched`);
    assert.ok((await share({ make: 0.001, fetch: 0.01, waiting: 1000 })) >= 60); // who would wait for workers
});
