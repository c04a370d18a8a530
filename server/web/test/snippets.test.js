import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snippets } from '../src/snippets.js';

const VIEW = {
    origin: 'http://terrane.test',
    seed: 'atlantis',
    x: -240000.5,
    y: 98304,
    zoom: 10.25,
    bearing: 30,
    pitch: 50,
};
const textsOf = (given = {}) =>
    Object.fromEntries(snippets({ ...VIEW, ...given }).map(({ id, text }) => [id, text]));

const plain = (text) => text.replace(/%[0-9A-F]{2}/g, decodeURIComponent);

test('every snippet opens what is shown', () => {
    const texts = textsOf();
    /* level 7 at zoom 10.25: tiles of 32,768 m, samples 128 m apart */
    for (const id of ['three', 'numpy', 'gdal', 'rasterio', 'godot', 'unity', 'curl'])
        assert.match(texts[id], /tile\/atlantis\/7\/-8\/3\./, id);
    assert.match(
        texts.maplibre,
        /center: \[-1\.2874\d+, -0\.5273\d+\], zoom: 10\.25, bearing: 30, pitch: 50/,
    );
    assert.match(
        texts.deckgl,
        /longitude: -1\.2874\d+, latitude: -0\.5273\d+, zoom: 10\.25, bearing: 30, pitch: 50/,
    );
    assert.match(texts.leaflet, /setView\(\[-98304, -240000\.5\], -6\.75\)/);
    assert.match(texts.openlayers, /center: \[-240000\.5, -98304\], resolution: 107\.63\d+,/);
    assert.match(texts.cesium, /fromDegrees\(-2\.5749\d+, -1\.0546\d+, 107\.63\d+ \* innerWidth\)/);
    assert.match(texts.gdal, /x0=-2375&y0=368&w=1000&h=800&lod=7/);
    assert.match(texts.unreal, /x0=-2380&y0=264&w=1009&h=1009&lod=7/);
    assert.match(texts.curl, /point\/atlantis\?x=-240000\.5&y=98304&lod=7/);
    assert.match(texts.qgis, /QgsPointXY\(-143319\.7\d*, -58703\.6\d*\)/);
});

test('of a world whose samples lie closer, metres are metres', () => {
    const texts = textsOf({ spacing_m: 0.5 });
    assert.match(texts.curl, /tile\/atlantis\/7\/-15\/6\..*x=-240000\.5&y=98304/s);
    assert.match(texts.leaflet, /setView\(\[-196608, -480001\], -6\.75\)/);
});

test('recipe, variant and layer are those that are shown', () => {
    for (const [id, text] of Object.entries(textsOf({ recipe: 'alpine', variant: 'base', layer: 'normal' }))) {
        const addresses = plain(text).match(/http:\/\/terrane\.test[^"'`\n]*/g);
        for (const address of addresses) {
            assert.match(address, /recipe=alpine/, id);
            if (!address.includes('/world/')) assert.match(address, /variant=base/, id);
        }
        if (!['openlayers', 'three', 'godot', 'unity', 'unreal'].includes(id))
            assert.ok(
                ['normal', 'slope'].some((layer) => plain(textsOf({ layer })[id]).includes(`layer=${layer}`)),
                `${id} shows a picture or numbers`,
            );
    }
    /* what the viewer colours itself is no picture */
    assert.match(textsOf({ layer: 'water' }).leaflet, /layer=relief/);
    assert.match(textsOf({ layer: 'slope' }).leaflet, /layer=relief/);
    assert.match(textsOf({ layer: 'water' }).numpy, /layer=water/);
    assert.doesNotMatch(textsOf({ layer: 'relief' }).numpy, /layer=/);
});

test('a globe has no more places than it has', () => {
    const { cesium } = textsOf({ x: 3e7, y: -3e7 });
    assert.match(cesium, /fromDegrees\(180, 90,/);
    assert.match(cesium, /the view lies beyond/);
    assert.doesNotMatch(textsOf().cesium, /beyond/);
});
