import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGround } from '../src/ground.js';
import { stackOf } from '../src/style.js';

test('a third layer may be asked for while the second one is awaited: of that one nothing stays', ({ mock }) => {
    mock.method(globalThis, 'setInterval', () => 0);
    const sources = new Map();
    const layers = new Map(stackOf(0, { shown: 'a' }, {}).map((layer) => [layer.id, layer]));
    for (const id of layers.keys()) sources.set(id, {});
    let tell = null;
    const map = {
        getZoom: () => 9,
        getSource: (id) => sources.get(id),
        getLayer: (id) => layers.get(id),
        addSource: (id, source) => sources.set(id, source),
        addLayer: (layer) => layers.set(layer.id, layer),
        removeLayer: (id) => layers.delete(id),
        removeSource: (id) => sources.delete(id) && tell(), // the map tells of that at once
        isSourceLoaded: () => false,
        on: (name, call) => {
            if (name === 'sourcedata') tell = call;
        },
    };
    const ground = createGround(map, 0, () => {});
    ground.show({ shown: 'b' }, 'linear');
    ground.show({ shown: 'c' }, 'linear');
    assert.deepEqual([...layers.keys()].map((id) => id.split('-')[1]), ['0', '0', '0', '0', '2', '2', '2', '2']);
    assert.deepEqual([...sources.keys()], [...layers.keys()]);
    assert.deepEqual(ground.sources(), ['wide-2', 'mid-2', 'under-2', 'base-2']);
});
