import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULTS, format, parse } from '../src/permalink.js';

test('an empty address is the default', () => {
    assert.deepEqual(parse(''), DEFAULTS);
    assert.equal(format(DEFAULTS), '#seed=42');
});

test('what is written is read again', () => {
    const state = {
        seed: 'atlantis',
        recipe: 'alpine',
        layer: 'slope',
        variant: 'base',
        x: -12345.5,
        y: 1e9,
        zoom: 11.25,
        bearing: -170,
        pitch: 60,
        three: true,
        exaggeration: 1.5,
        sun: { azimuth: 90, altitude: 20 },
        compare: 0.25,
        zone: 0,
        grid: true,
        paths: true,
    };
    assert.deepEqual(parse(format(state)), state);
});

test('numbers are cut to what can be seen, and are plain', () => {
    assert.equal(
        format({ ...DEFAULTS, x: 1.23456, y: -1e21, zoom: 9.87654 }),
        '#seed=42&x=1.23&y=-1e%2B21&zoom=9.88',
    );
    assert.equal(format({ ...DEFAULTS, x: 0, y: -0.001 }), '#seed=42&x=0&y=0');
});

test('what is ill-formed has its default', () => {
    for (const wrong of [
        'layer=heights',
        'variant=both',
        'zoom=99',
        'zoom=',
        'zoom=x',
        'pitch=-3',
        'x=1',
        'y=1',
        'x=1&y=1e99',
        'recipe=../x',
        'sun=10',
        'sun=400,10',
        'sun=a,b',
        'compare=2',
        'zone=16',
        'exaggeration=0',
        '%',
        'seed=',
        '&&==',
        'bearing=NaN',
    ])
        assert.deepEqual(parse(`#${wrong}`), DEFAULTS, wrong);
});

test('a seed may be any text', () => {
    assert.equal(parse('#seed=Middle%20Earth').seed, 'Middle-Earth');
    assert.equal(format({ ...DEFAULTS, seed: 'a b&c' }), '#seed=a%20b%26c');
});
