import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULTS, PITCH_MAX, ZOOM_MAX, ZOOM_MIN, format, parse } from '../src/permalink.js';

test('an empty address is the default', () => {
    assert.deepEqual(parse(''), DEFAULTS);
    assert.equal(format(DEFAULTS), '#seed=42');
});

test('what is written is read again', () => {
    const state = {
        seed: 'atlantis',
        recipe: 'alpine',
        v: '7',
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
        contours: true,
        names: false,
        paths: true,
        at: 12,
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
        'zoom=',
        'zoom=x',
        'x=1',
        'y=1',
        'x=1&y=north',
        'sun=10',
        'sun=400,10',
        'sun=a,b',
        'zone=first',
        '%',
        'seed=',
        '&&==',
        'bearing=NaN',
    ])
        assert.deepEqual(parse(`#${wrong}`), DEFAULTS, wrong);
    assert.equal(parse('#recipe=../x').recipe, '../x'); // for the server to refuse
});

test('a number beyond its range is the end of it', () => {
    const { x, y, zoom, pitch, bearing, compare, zone, exaggeration } = parse(
        '#x=1e99&y=-1e99&zoom=30&pitch=85&bearing=-999&compare=2&zone=16&exaggeration=0',
    );
    assert.deepEqual([x, y, zoom, pitch], [2 ** 52, -(2 ** 52), ZOOM_MAX, PITCH_MAX]);
    assert.deepEqual([bearing, compare, zone, exaggeration], [-360, 1, 15, 0.1]);
    assert.equal(parse('#zoom=-Infinity').zoom, ZOOM_MIN);
});

test('a seed is as it stands', () => {
    for (const seed of ['Middle Earth', '18446744073709551616', '0x123456789012345678', '世界', '007'])
        assert.equal(parse(`#seed=${encodeURIComponent(seed)}`).seed, seed);
    assert.equal(format({ ...DEFAULTS, seed: 'a b&c' }), '#seed=a%20b%26c');
});
