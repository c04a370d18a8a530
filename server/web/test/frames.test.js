import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginThere } from '../src/ahead.js';
import { drawSeldom, leaveOutCovered } from '../src/frames.js';
import { finerThan, stackOf } from '../src/style.js';

/* A map that counts the frames that are asked of it, and draws one where the test says so. */
function fakeMap() {
    const map = { asked: 0, moving: false, whole: false, isMoving: () => map.moving, areTilesLoaded: () => map.whole };
    map.on = (name, drawn) => {
        map.draw = drawn;
    };
    map.triggerRepaint = function ask() {
        assert.equal(this, map);
        map.asked++;
    };
    return map;
}

test('frames are few while tiles are awaited, and at once where the map moves or is whole', ({ mock }) => {
    let now = 0;
    const due = new Map(); // call -> when
    mock.method(performance, 'now', () => now);
    mock.method(globalThis, 'setTimeout', (call, ms) => due.set(call, now + ms) && call);
    mock.method(globalThis, 'clearTimeout', (call) => due.delete(call));
    const pass = (ms) => {
        now += ms;
        for (const [call, at] of due) if (at <= now && due.delete(call)) call();
    };
    const map = fakeMap();
    drawSeldom(map);
    map.triggerRepaint();
    assert.equal(map.asked, 1); // the first
    map.draw();
    for (let k = 0; k < 5; k++) map.triggerRepaint();
    pass(499);
    assert.equal(map.asked, 1);
    pass(1);
    assert.equal(map.asked, 2);
    map.draw();
    map.triggerRepaint();
    pass(999); // twice as long
    assert.equal(map.asked, 2);
    map.moving = true;
    map.triggerRepaint();
    assert.equal(map.asked, 3);
    pass(1000);
    assert.equal(map.asked, 3); // nothing is left over
    map.draw();
    map.moving = false;
    map.triggerRepaint();
    assert.equal(map.asked, 3);
    map.whole = true;
    map.triggerRepaint();
    assert.equal(map.asked, 4);
});

test('of a stack no layer is drawn that a finer one covers', () => {
    const tile = (has) => ({ hasData: () => has });
    const managerOf = (tiles, fades = false) => ({ getIds: () => Object.keys(tiles), getTileByID: (id) => tiles[id], hasTransition: () => fades });
    const drawn = [];
    const map = { terrain: null, getTerrain: () => map.terrain, style: { tileManagers: {} } };
    map.painter = { renderLayer: (painter, manager, layer) => drawn.push([painter, layer.id]) };
    leaveOutCovered(map, finerThan);
    const shows = (id) => {
        drawn.length = 0;
        map.painter.renderLayer(map.painter, {}, { id }, []);
        return drawn.some(([painter, each]) => painter === map.painter && each === id);
    };
    const managers = map.style.tileManagers;
    assert.ok(shows('under-1')); // there is no finer one yet
    managers['base-1'] = managerOf([]);
    assert.ok(shows('under-1'));
    managers['base-1'] = managerOf([tile(true), tile(false)]);
    assert.ok(shows('under-1'));
    managers['base-1'] = managerOf([tile(true), tile(true)], true);
    assert.ok(shows('under-1')); // what appears can be seen through
    managers['base-1'] = managerOf([tile(true), tile(true)]);
    assert.ok(!shows('under-1'));
    assert.ok(!shows('wide-1'));
    assert.ok(shows('base-1'));
    assert.ok(shows('under-2')); // of another stack
    assert.ok(shows('rivers'));
    map.terrain = {};
    assert.ok(shows('under-1')); // standing ground has tiles of many levels
});

test('coarse layers are there where the finest has other tiles, one of them at a time', () => {
    const of = (at) => stackOf(0, at, {}).map(({ id, minzoom = 0, maxzoom = 24 }) => [id, minzoom, maxzoom]);
    assert.deepEqual(of({ shown: 'a' }), [['wide-0', 0, 24], ['mid-0', 1.5, 5], ['under-0', 4.5, 24], ['base-0', 0, 24]]);
    assert.deepEqual(of({ shown: 'a', draft: 'b' }), [['wide-0', 0, 24], ['under-0', 0, 24], ['base-0', 0, 24]]);
});

test('a server is asked for the middle of the view before there is a map, by the addresses that the map has', () => {
    const asked = [];
    const state = { seed: '42', recipe: 'alpine', layer: 'objects', variant: '', compare: null, at: null, x: 0, y: 0, zoom: 9 };
    beginThere({ loader: { begin: (url) => asked.push(url) }, state, world: { spacing_m: 1, generator: 15, variant: 'eroded' }, window: { width: 800, height: 600 } });
    assert.equal(asked.length, 4);
    assert.deepEqual([...asked].sort(), ['511/511', '511/512', '512/511', '512/512'].map((at) => `xyz/42/10/${at}.png?recipe=alpine&layer=relief&variant=eroded&v=15`));
});
