import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    heightScale,
    levelAt,
    metresPerPixel,
    side,
    tileAt,
    toLngLat,
    toMetres,
    toXyz,
    windowOf,
    zoomOf,
} from '../src/mercator.js';

const near = (a, b, within) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);

test('the origin is in the middle, and y grows to the south', () => {
    assert.deepEqual(toLngLat(0, 0, 1), [0, 0]);
    assert.ok(toLngLat(0, 1000, 1)[1] < 0);
    assert.equal(side(1), 67108864);
    assert.deepEqual(toLngLat(1e15, -1e15, 1), [180, 85.051128], 'the edge is the end');
    near(toLngLat(side(1) / 4, 0, 1)[0], 90, 1e-12);
});

test('metres and back', () => {
    for (const spacing of [0.5, 1, 8])
        for (const [x, y] of [
            [0, 0],
            [1, -1],
            [-229376, -458752],
            [3e7, -3e7],
        ]) {
            const [lng, lat] = toLngLat(x * spacing, y * spacing, spacing);
            const back = toMetres(lng, lat, spacing);
            near(back.x, x * spacing, 1e-5 * spacing);
            near(back.y, y * spacing, 1e-5 * spacing);
        }
});

test('levels of zooms, whose tiles are 512 wide', () => {
    assert.equal(levelAt(9), 8);
    assert.equal(levelAt(9.49), 8);
    assert.equal(levelAt(9.5), 7);
    assert.equal(levelAt(17), 0);
    assert.equal(levelAt(20), 0);
    assert.equal(levelAt(-1), 18);
    near(metresPerPixel(9, 1), 2 ** 8, 1e-9);
    near(zoomOf(metresPerPixel(7.3, 2), 2), 7.3, 1e-9);
});

test('tiles, as the world and as the pyramid number them', () => {
    assert.deepEqual(tileAt(-1, 256, 0, 1), { lod: 0, x: -1, y: 1 });
    assert.deepEqual(toXyz({ lod: 8, x: -4, y: -7 }), { z: 10, x: 508, y: 505 });
    assert.deepEqual(toXyz({ lod: 17, x: -1, y: 0 }), { z: 1, x: 0, y: 1 });
    assert.equal(toXyz({ lod: 8, x: 512, y: 0 }), null);
    assert.equal(toXyz({ lod: 8, x: 0, y: -513 }), null);
    assert.equal(toXyz({ lod: 18, x: 0, y: 0 }), null);
});

test('heights on the sphere', () => {
    near(heightScale(0, 1), 0.5965, 1e-4);
    near(heightScale(60, 1), heightScale(0, 1) / 2, 1e-9);
});

test('windows of samples', () => {
    assert.deepEqual(windowOf({ west: -10, north: -5.5, east: 10, south: 4 }, 0, 1), {
        lod: 0,
        x0: -10,
        y0: -6,
        w: 20,
        h: 10,
    });
    assert.deepEqual(windowOf({ west: 0, north: 0, east: 10000, south: 10 }, 0, 1), {
        lod: 2,
        x0: 0,
        y0: 0,
        w: 2500,
        h: 3,
    });
    const most = windowOf({ west: 0, north: 0, east: 1e30, south: 1 }, 0, 1);
    assert.equal(most.lod, 24);
    assert.equal(most.w, 4097);
});
