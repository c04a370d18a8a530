// The package at length: TERRANE_TEST_LONG=1.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { World } from '../../build/js/index.js';
import { LONG, PICTURES, ROOT, bytesOf, dice, native, serve, served } from './server.mjs';
import { endWorkers } from './worlds.mjs';

const RECIPES = ['alpine', 'archipelago', 'badlands', 'continents', 'desert', 'wayfarer'];
const SIZES = [257, 256, 65, 33, 16];
const TILES = Number(process.env.TERRANE_WASM_TILES ?? 200);
const SECONDS = 60 * Number(process.env.TERRANE_WASM_MINUTES ?? 60);
const TILES_OF_A_PLACE = 8; // most of a tile's time goes into the regions that it rests on
const SCALAR_EACH = 5; // one place of so many is made without vectors
const MEGABYTE = 2 ** 20;

let deadly = () => false; // whether a job kills the worker that gets it
endWorkers(() => deadly());

/* A random place at a random level, near the origin or far away: the first of four tiles, which share most of what they rest on. */
function anywhere(roll) {
    const level = roll(4) ? roll(8) : roll(25);
    const [x, y] = [0, 1].map(() => 2 * (roll(8) ? roll(2 ** 11) - 2 ** 10 : (roll(2 ** 20) - 2 ** 19) * 2 ** 20));
    return { level, x, y };
}

const oneOf = ({ level, x, y }, roll) => ({ level, x: x + roll(2), y: y + roll(2), size: SIZES[roll(SIZES.length)] });

/* Compares a tile's layers of numbers, of every variant: how many. */
async function compareNumbers(world, server, recipe, tile) {
    const { layers, variants, variant: last } = world.facts;
    const numbers = Object.keys(layers).filter((name) => !PICTURES.includes(name) && layers[name] > 0);
    const wanted = variants.slice(0, variants.indexOf(last) + 1).flatMap((variant) => numbers.map((layer) => ({ ...tile, layer, variant })));
    const same = async (words) => {
        const [made, want] = await Promise.all([world.tile(words), served(server.url, { world: 42, recipe, ...words })]);
        assert.ok(bytesOf(made).equals(want), `${recipe} ${JSON.stringify(words)}`);
    };
    await Promise.all(wanted.map(same));
    return wanted.length;
}

/* ... of a picture, which the library for this machine makes with all that it rests on. */
async function comparePicture(world, recipe, place, layer) {
    const words = { ...place, size: 257, layer, variant: world.facts.variant };
    const want = native(path.join(ROOT, `config/worlds/${recipe}.json`), { world: 42, ...words });
    assert.ok(bytesOf(await world.tile(words)).equals(want), `${recipe} ${JSON.stringify(words)}`);
    return 1;
}

test(`every layer and variant of ${TILES} tiles is the server's`, { skip: !LONG }, async (t) => {
    const server = await serve();
    t.after(() => server.end());
    const roll = dice(37);
    let [compared, regions, places] = [0, 0, 0];
    for (let tiles = 0; tiles < TILES; places++) {
        const recipe = RECIPES[places % RECIPES.length];
        const place = anywhere(roll);
        const world = await World.open({ recipe, seed: 42, vectors: places % SCALAR_EACH !== 0, workers: 2 });
        t.after(() => world.close());
        for (let k = 0; k < TILES_OF_A_PLACE && tiles < TILES; k++, tiles++) compared += await compareNumbers(world, server, recipe, oneOf(place, roll));
        compared += await comparePicture(world, recipe, place, PICTURES[Math.floor(places / RECIPES.length) % PICTURES.length]);
        regions += world.stats().regions;
        world.close();
    }
    t.diagnostic(`${compared} compared, of ${places} places, ${regions} regions made`);
});

test('workers that are killed at random change nothing', { skip: !LONG }, async (t) => {
    const tiles = Array.from({ length: 48 }, (_, k) => ({ level: k % 5, x: 900 + (k % 7), y: -300 - (k % 11), size: 65, layer: k % 2 ? 'height' : 'water' }));
    const all = async (world) => {
        const made = await Promise.all(tiles.map((tile) => world.tile(tile)));
        const { died, regions } = world.stats();
        world.close();
        return { made, died, regions };
    };
    const open = () => World.open({ recipe: 'archipelago', seed: 42, workers: 2 });
    const quiet = await all(await open());
    const roll = dice(5);
    deadly = () => roll(12) === 0;
    const storm = await all(await open()).finally(() => (deadly = () => false));
    t.diagnostic(`${storm.died} killed; ${storm.regions} regions, ${quiet.regions} without`);
    assert.ok(storm.died > 2);
    assert.deepEqual(storm.made, quiet.made);
});

test('a walk keeps within its budget', { skip: !LONG }, async (t) => {
    const budget = 64 * MEGABYTE;
    const world = await World.open({ recipe: 'continents', seed: 42, workers: 2, budget });
    const end = performance.now() + 1000 * SECONDS;
    const [rss, roll] = [[], dice(9)];
    let [x, y, tiles] = [-1027, 850, 0];
    while (performance.now() < end) {
        const level = roll(3);
        const view = [0, 1, 2, 3].map((k) => world.tile({ level, x: (x >> level) + (k & 1), y: (y >> level) + (k >> 1), size: 65 }));
        tiles += (await Promise.all(view)).length;
        rss.push(process.memoryUsage().rss);
        x += 2 + roll(3);
        y += roll(3) - 1;
    }
    const { mostBytes, dropped } = world.stats();
    world.close();
    const most = (list) => Math.max(...list);
    const half = rss.length >> 1;
    t.diagnostic(`${tiles} tiles, ${dropped} regions let go, at most ${(mostBytes / MEGABYTE).toFixed(1)} MB kept, ` +
        `${(most(rss.slice(0, half)) / MEGABYTE).toFixed(0)} and ${(most(rss.slice(half)) / MEGABYTE).toFixed(0)} MB of memory in both halves`);
    assert.ok(mostBytes <= budget && most(rss) < 1024 * MEGABYTE);
    assert.ok(most(rss.slice(half)) < 1.25 * most(rss.slice(0, half)));
});
