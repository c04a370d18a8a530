// The twin in GLSL, as far as node goes: what is refused, and octaves whose products stay apart. What it draws, tests/clients/glsl compares.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { glslOf, halvesOf } from '../../build/js/glsl.js';
import { TerraneError } from '../../build/js/index.js';
import { opened } from './worlds.mjs';

const hills = { fractal: 'fbm', octaves: 4, cell_m: 1024, amplitude_m: 100 };

const twinOf = async (recipe, seed = 42) => glslOf(await opened({ recipe, seed, workers: 1 }));

test('what no shader makes is refused by name, where the height rests on it', async () => {
    const zones = ['a', 'b'].map((name) => ({ name, colour: '#808080' }));
    const refused = {
        plates: { plates: {}, height: { coarse: { plates: 'crust' } } },
        climate: { climate: { ground: 'hills' }, terms: { hills }, height: { climate: 'warmth' } },
        'fractal "midpoint"': { height: { fractal: 'midpoint', octaves: 4, cell_m: 256 } },
        'partition "voronoi"': { height: 'zones', zones, partition: { voronoi: {} } },
    };
    for (const [name, recipe] of Object.entries(refused))
        await assert.rejects(twinOf(recipe), (error) => error instanceof TerraneError && error.message.startsWith(`${name}: `), name);
    await twinOf({ ...refused.plates, terms: { hills }, height: 'hills' });
    await assert.rejects(twinOf('continents'), /^TerraneError: plates: /);
});

test('terms have the names that recipes give them', async () => {
    const fractals = ['fbm', 'billow', 'ridged', 'double-ridged', 'iq', 'multifractal', 'hybrid', 'swiss', 'jordan', 'midpoint', 'midpoint-smoothed'];
    const bases = ['value', 'polynomial', 'polynomial-c1', 'perlin3', 'perlin5', 'hermite', 'simplex', 'cellular-f1', 'cellular-f2', 'cellular-edge', 'simplex-smooth'];
    const terms = Object.fromEntries(fractals.map((fractal, k) => [`t${k}`, { fractal, base: bases[k] }]));
    const more = { plates: {}, climate: { ground: 't0' }, zones: ['a', 'b'].map((name) => ({ name, colour: '#808080' })), partition: { noise: 't0', thresholds: [0] } };
    const rest = [{ product: ['t8'] }, { blend: ['t9', 't10'], by: 't0' }, { curve: 't0', knots: [[0, 0], [1, 1]] }, 'zones', { plates: 'crust' }, { climate: 'warmth' }, { coarse: 't0' }];
    const world = await opened({ recipe: { terms, ...more, height: { sum: [{ sum: Object.keys(terms).slice(0, 8) }, ...rest] } }, seed: 1, workers: 1 });
    const { term, partition } = world.terms();
    const found = term.filter(({ op }) => op === 'fractal').map(({ fractal }) => [fractal.kind, fractal.base[0]]);
    assert.deepEqual(found.sort(), fractals.map((fractal, k) => [fractal, fractal.startsWith('midpoint') ? found.find(([kind]) => kind === fractal)[1] : bases[k]]).sort());
    assert.deepEqual([...new Set(term.map(({ op }) => op))].sort(), ['blend', 'climate', 'coarse', 'curve', 'fractal', 'plates', 'product', 'sum', 'zones']);
    assert.equal(partition.kind, 'noise');
});

test('a seed changes the numbers alone, a height its bound', async () => {
    const recipe = (amplitude_m, fractal = 'iq') => ({ terms: { hills: { ...hills, amplitude_m, fractal } }, height: 'hills' });
    const [low, other, high] = await Promise.all([twinOf(recipe(100)), twinOf(recipe(100), 2n ** 64n - 1n), twinOf(recipe(1000))]);
    assert.equal(low.source, other.source);
    assert.notDeepEqual(low.words, other.words);
    assert.ok(low.source.includes(`${Number(low.bound_m.toPrecision(3))} m`) && low.source.includes(`uniform ${low.block} `));
    assert.ok(low.bound_m > 0 && Math.abs(high.bound_m / low.bound_m - 10) < 0.01, `${low.bound_m} ${high.bound_m}`);
    const exact = await twinOf(recipe(100, 'swiss'));
    assert.ok(exact.bound_m === 0 && exact.source.includes('to the bit'));
    assert.equal((await twinOf({ height: 12 })).words.length % 4, 0);
});

test('octaves have no product that goes into a sum but through terrane_by', async () => {
    const kinds = ['fbm', 'billow', 'ridged', 'double-ridged', 'iq', 'multifractal', 'hybrid', 'swiss', 'jordan'];
    const bases = ['value', 'polynomial', 'polynomial-c1', 'perlin3', 'perlin5', 'hermite', 'simplex', 'simplex-smooth', 'cellular-f1'];
    const terms = Object.fromEntries(kinds.map((fractal, k) => [`t${k}`, { fractal, base: bases[k], octaves: 3, cell_m: 1024, amplitude_m: 10 }]));
    const push = { fractal: 'fbm', octaves: 1 }, pushed = { fractal: 'jordan', octaves: 3, base: 'simplex', warp_by: { x: 'push', m: 10 } };
    const { source } = await twinOf({ terms: { push, pushed, ...terms }, height: { sum: ['pushed', 'push', { sum: Object.keys(terms).slice(0, 5) }, { sum: Object.keys(terms).slice(5) }] } });
    const power = /\b(2|8|65536)\.0 \*|\* -?(1|2|4|65536)\.0/; // such a product is exact
    const [, octaves] = /(float terrane_fade\(float t\).*?)\nfloat terrane_blend/s.exec(source) ?? [];
    const rest = source.slice(source.indexOf('return c0 + s * (c1'));
    for (const line of [...octaves.split('\n'), ...rest.split('\n')].filter((text) => !/return c0|float terrane_term|^ {4}float v\d/.test(text))) {
        assert.ok(!/\+= (?!terrane_by|n\.)/.test(line), line);
        for (const part of line.replace(/\b(for|if)\b.*?[{;]/, '').split(/[(),;?:{}=]/))
            assert.ok(!/\*/.test(part) || !/ [+-] /.test(part) || power.test(part), line);
    }
});

test('halves are those of 64 bits', () => {
    assert.deepEqual([halvesOf(2n ** 40n + 3n), halvesOf(-1), halvesOf(-(2n ** 40n))], [[3, 256], [2 ** 32 - 1, 2 ** 32 - 1], [0, 2 ** 32 - 256]]);
});
