// The package in build/js under node: a dozen tiles, and how it behaves.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { TerraneError, World } from '../../build/js/index.js';
import { Terrane } from '../../lib/js/module.js';
import { levelUnder } from '../../server/web/src/mercator.js';
import { DOZEN, ROOT, WHOLE, bytesOf, native, serve, served } from './server.mjs';
import { endWorkers, opened } from './worlds.mjs';

const whole = fs.readFileSync(WHOLE, 'utf8');
const newest = Number(/TERRANE_GENERATOR_VERSION +(\d+)/.exec(fs.readFileSync(`${ROOT}/lib/terrane.h`, 'utf8'))[1]);
let deadly = 0; // so many jobs kill the worker that gets them
let barred = 0; // so many workers may not begin
endWorkers(() => deadly > 0 && deadly-- > 0, () => barred > 0 && barred-- > 0);

let server;
before(async () => {
    server = await serve({ worlds: { dir: `${ROOT}/tests/http/worlds`, default: 'whole', named: { here: { seed: '77', secret: false }, near: { seed: '79', client: true }, hidden: '78', dunes: { seed: '42', recipe: 'desert', generator: 7, client: true } } } });
});
after(() => server.end());

for (const vectors of [true, false])
    test(`a dozen tiles are the server's, ${vectors ? 'with' : 'without'} vectors`, async () => {
        const world = await opened({ recipe: whole, seed: 'atlantis', workers: 2, vectors });
        assert.equal(world.facts.kernels, vectors ? 'simd128' : 'scalar');
        await Promise.all(
            DOZEN.map(async (tile) => {
                const made = await world.tile(tile);
                const values = world.facts.layers[tile.layer];
                assert.deepEqual([made.width, made.height, made.values], [tile.size, tile.size, values]);
                assert.ok(bytesOf(made).equals(await served(server.url, { world: 'atlantis', ...tile })), JSON.stringify(tile));
            }),
        );
    });

test('where there are no vectors the scalar build is taken', { skip: process.arch !== 'x64' }, () => {
    const script = `import('${ROOT}build/js/index.js').then(({ World }) => World.open({ seed: 1 })).then((world) => console.log(world.facts.kernels))`;
    assert.equal(`${execFileSync(process.execPath, ['--no-enable-sse4-1', '-e', script])}`, 'scalar\n');
});

test('worlds of older generators stay, with the recipes that those had', async () => {
    const digests = new Set(), generators = Array.from({ length: newest - 6 }, (_, k) => 7 + k);
    for (const generator of generators) {
        const here = await opened({ recipe: 'desert', seed: 42, generator });
        const told = await (await fetch(`${server.url}/world/42?recipe=desert&v=${generator}&spawn=coarse`)).json();
        assert.deepEqual([here.facts.generator, here.facts.digest], [generator, told.world]);
        digests.add(told.world);
    }
    assert.equal(digests.size, generators.length);
    const away = (file) => (file === 'desert' ? whole : Promise.reject(new Error('not here'))); // the newest text is none of an older generator
    await assert.rejects(World.open({ recipe: 'desert', seed: 42, generator: 9, recipes: away }), /"desert" in generator 9/);
    const dunes = await opened({ server: server.url, world: 'dunes' });
    assert.ok(dunes.facts.generator === 7 && digests.has(dunes.facts.digest));
    await assert.rejects(World.open({ recipe: 'desert', seed: 42, generator: 6 }), /generator/);
    await assert.rejects(World.open({ recipe: 'desert', seed: 42, generator: '../7' }), RangeError);
});

test('pictures and objects are the library\'s', async () => {
    const world = await opened({ recipe: JSON.parse(whole), seed: 42n, workers: 2 });
    for (const [layer, level] of [['hillshade', 1], ['relief', 2], ['objects', 0], ['objects', 4]]) {
        const tile = { level, x: 1, y: -2, layer, variant: 'carved' };
        assert.ok(bytesOf(await world.tile(tile)).equals(native(WHOLE, { world: 42, ...tile })), layer);
    }
    const [edge, inner] = await Promise.all([17, 16].map((size) => world.tile({ level: 0, x: 1, y: -2, layer: 'objects', size })));
    for (let j = 0; j < 16; j++) assert.deepEqual(edge.samples.slice(17 * j, 17 * j + 16), inner.samples.slice(16 * j, 16 * j + 16));
});

test('what a server calls a world is the world here', async () => {
    const world = await opened({ server: server.url, world: '0x2A', recipe: whole, workers: 1 });
    assert.equal(world.facts.seed, 42n);
    await assert.rejects(World.open({ server: server.url, world: '42', recipe: 'alpine' }), /another than the one here/);
    await assert.rejects(World.open({ server: server.url, world: '42' }), /none that ships is called "whole"/);
    const named = await opened({ server: server.url, world: 'here', recipe: whole, workers: 1 });
    assert.equal(named.facts.seed, 77n);
    await assert.rejects(World.open({ server: server.url, world: 'hidden', recipe: whole }), /does not tell this world's seed/);
    const near = await opened({ server: server.url, world: 'near', workers: 1 }); // whose recipe the server hands out
    assert.deepEqual([near.facts.seed, near.different], [79n, undefined]);
    await assert.rejects(World.open({ server: server.url, world: '007' }), /400/);
});

test('recipes and tiles are refused in the library\'s words', async () => {
    const open = (recipe, more) => opened({ recipe, seed: 1, workers: 1, ...more });
    await assert.rejects(open('{"height": {"fractal": "ridgy"}}'), (error) => error instanceof TerraneError && /^\/height\/fractal: /.test(error.message));
    await assert.rejects(open({ height: 1, hight: 2 }), /^TerraneError: \/hight: /);
    await assert.rejects(open('{'), TerraneError);
    const map = { raster: 'map.tif', spacing_m: 90, beyond: 0 };
    await assert.rejects(open({ height: map }), /^TerraneError: \/height\/raster: map\.tif: a recipe from here may not name files/);
    await assert.rejects(open('atlantis'), /none that ships/);
    await assert.rejects(open('continents', { limits: { cost: 100 } }), /allowed at most 100/);
    await assert.rejects(open('continents', { limits: { seconds: 0.5 } }), /takes 1\.\d s with scalar kernels: allowed at most 0\.5/);
    for (const seed of ['007', -1, 1.5, 2n ** 64n, '0x', 'a b', '', undefined]) await assert.rejects(World.open({ recipe: whole, seed }), /^RangeError: seed: /);
    const world = await open(whole);
    const tile = (more) => world.tile({ level: 0, x: 0, y: 0, ...more });
    await assert.rejects(tile({ level: 25 }), /level of detail outside 0 \.\. 24/);
    await assert.rejects(tile({ x: 2 ** 40 }), /tile outside -2\^40/);
    await assert.rejects(tile({ size: 100 }), /size is neither/);
    for (const size of [512, 255, 1, -4]) await assert.rejects(tile({ size, level: 1 }), /size is neither 2\^k from 2 to 256/);
    for (const [x, shown] of [[0.5, '0.5'], [NaN, 'NaN'], ['1', '"1"'], [1n, '1n'], [undefined, 'undefined']]) await assert.rejects(tile({ x }), new RegExp(`^RangeError: x: ${shown} is no whole number`));
    for (const priority of [NaN, '1', null]) await assert.rejects(tile({ priority }), /^RangeError: priority: /);
    await assert.rejects(tile({ layer: 'heights' }), /none of height, normal/);
    await assert.rejects(tile({ variant: 'raw' }), /none of base, eroded, carved/);
    world.close();
    await assert.rejects(tile({}), /closed/);
});

test('what is urgent comes first, and who does not want it any more gets nothing', async () => {
    const world = await opened({ recipe: whole, seed: 5, workers: 1 });
    const order = [];
    const ask = (name, more) => world.tile({ level: 1, x: order.length, y: 9, ...more }).then(() => order.push(name), (error) => order.push(error));
    const stop = new AbortController();
    await world.tile({ level: 9, x: 0, y: 0 });
    const asked = [ask('first'), ask('late', { priority: -1 }), ask('urgent', { priority: 1 }), ask('stopped', { signal: stop.signal })];
    stop.abort('no more');
    assert.equal(world.stats().waiting, 3);
    await Promise.all(asked);
    assert.deepEqual(order.map(String), ['no more', 'urgent', 'first', 'late'].map(String));
    await assert.rejects(world.tile({ level: 0, x: 0, y: 0, signal: AbortSignal.abort('never') }), (why) => why === 'never');
});

test('thousands at a time are asked for without looking at all of them for each, nor with as many listeners', async () => {
    const world = await opened({ recipe: whole, seed: 5, workers: 2 });
    const [warnings, stop, { has }] = [[], new AbortController(), Map.prototype];
    const warned = (warning) => warnings.push(warning);
    process.on('warning', warned);
    let looked = 0;
    Map.prototype.has = function (key) {
        looked++;
        return has.call(this, key);
    };
    try {
        const asked = Array.from({ length: 3000 }, (_, k) => world.tile({ level: 1, x: k % 60, y: Math.floor(k / 60), size: 17, signal: stop.signal }));
        const ended = Promise.allSettled(asked);
        await world.tile({ level: 9, x: 0, y: 0, priority: 1 });
        assert.ok(looked < 100 * asked.length, `${looked} looks`);
        stop.abort('enough');
        assert.ok((await ended).every(({ reason }) => reason === 'enough' || reason === undefined));
        assert.deepEqual([world.stats().waiting, warnings], [0, []]);
    } finally {
        Map.prototype.has = has;
        process.off('warning', warned);
    }
});

test('node may have been given its program as text', () => {
    const script = `import { World } from '${ROOT}build/js/index.js'; const world = await World.open({ seed: 1 }); console.log((await world.tile({ level: 9, x: 0, y: 0 })).width)`;
    assert.equal(`${execFileSync(process.execPath, ['--input-type=module', '-e', script])}`, '257\n');
});

test('the budget holds, and what was let go is made again', async () => {
    const budget = 24 * 2 ** 20;
    const world = await opened({ recipe: whole, seed: 5, workers: 2, budget });
    const walk = () => Promise.all([0, 4, 8, 12].map((x) => world.tile({ level: 0, x, y: 0, size: 65 })));
    const [first, again] = [await walk(), await walk()];
    first.forEach((tile, k) => assert.deepEqual(tile, again[k]));
    const { mostBytes, dropped, bytes, kept } = world.stats();
    assert.ok(dropped > 0 && kept > 0 && bytes <= budget && mostBytes <= budget, JSON.stringify(world.stats()));
});

test('a worker that dies costs a retry, and three an error', async () => {
    const quiet = await opened({ recipe: whole, seed: 5, workers: 2 });
    const tile = { level: 2, x: 40, y: 40 };
    const want = await quiet.tile(tile);
    const world = await opened({ recipe: whole, seed: 5, workers: 2 });
    deadly = 2;
    assert.deepEqual(await world.tile(tile), want);
    assert.equal(world.stats().died, 2);
    deadly = 3;
    await assert.rejects(world.tile({ ...tile, x: -40 }), /the worker ended/);
    assert.equal(world.stats().died, 5);
    assert.deepEqual(await world.tile(tile), want);
});

test('a worker that may not begin is one that died', async () => {
    const world = await opened({ recipe: whole, seed: 5, workers: 1 });
    const tile = { level: 9, x: 0, y: 0 };
    barred = 3;
    await assert.rejects(world.tile(tile), /barred/);
    barred = 2;
    assert.equal((await world.tile(tile)).width, 257);
    assert.deepEqual([world.stats().died, barred], [5, 0]);
});

test('the package tells its modules\' digests, imports nothing, and says what it is', () => {
    const document = JSON.parse(fs.readFileSync(`${ROOT}/build/js/package.json`));
    for (const [file, digest] of Object.entries(document.terrane)) {
        const bytes = fs.readFileSync(`${ROOT}/build/js/${file}`);
        assert.equal(digest, `sha256-${createHash('sha256').update(bytes).digest('hex')}`);
        assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), []);
    }
    assert.deepEqual(document.dependencies, undefined);
    assert.match(fs.readFileSync(`${ROOT}/lib/terrane.h`, 'utf8'), new RegExp(`TERRANE_VERSION "${document.version}"`));
});

test('types name every layer and variant', async () => {
    const types = fs.readFileSync(`${ROOT}/build/js/index.d.ts`, 'utf8');
    const words = (name) => [...types.match(new RegExp(`type ${name} =([^;]*);`))[1].matchAll(/'([^']*)'/g)].map(([, word]) => word);
    const world = await opened({ seed: 1, workers: 1 });
    assert.deepEqual(words('Layer'), Object.keys(world.facts.layers));
    assert.deepEqual(words('Variant'), world.facts.variants);
    assert.deepEqual(words('Shipped').map((name) => `${name}.json`), fs.readdirSync(`${ROOT}/build/js/recipes`).filter((name) => name.endsWith('.json')).sort());
});

test('the viewer looks at levels that its tiles rest on', async () => {
    const terrane = await Terrane.of(await WebAssembly.compile(fs.readFileSync(`${ROOT}/build/js/terrane.wasm`)));
    terrane.open(fs.readFileSync(`${ROOT}/config/worlds/continents.json`, 'utf8'), 42n);
    const drainage = [5, 6, 7], rivers = { bottom: 5, top: 15 }; // kinds: TERRANE_REGION_ROWS
    const levels = (region) => [...(drainage.includes(region[0]) ? [region[1]] : []), ...terrane.needs(region).flatMap(levels)];
    for (let level = rivers.bottom; level <= rivers.top; level++) {
        const under = terrane.plan({ level, x: 0, y: 0, layer: 0, variant: 1, size: 256 }).flatMap(levels);
        assert.ok(under.includes(levelUnder(level, rivers)), `${level} rests on ${under}`);
    }
});
