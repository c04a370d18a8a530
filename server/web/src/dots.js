/*
 * What stands on the ground as dots on the flat map, where the layer is that and the map near enough.
 */
import { later } from './dom.js';
import { TILE, levelAt, tileMetres, toLngLat } from './mercator.js';
import { createTiles } from './near.js';
import { coloursOf, records } from '../../../lib/js/objects.js';
import { tileUrl } from './urls.js';
import { NO_LINES, windowOfTiles } from './ways.js';

/** Tiles of objects in a view: null where they would be too many, or coarser than objects are. */
export function tilesOf(bounds, zoom, classes, spacing) {
    const lod = levelAt(zoom);
    if (lod > Math.max(...classes.map(({ level }) => level))) return null;
    const window = windowOfTiles(bounds, lod, spacing, 2 ** (17 - lod));
    if (!window) return null;
    const tiles = [];
    for (let y = window.y0; y < window.y0 + window.h; y += TILE)
        for (let x = window.x0; x < window.x0 + window.w; x += TILE) tiles.push({ lod, x: x / TILE, y: y / TILE });
    return tiles;
}

/** say(text): tells that there is nothing to be seen from so far. */
export function createDots({ store, loader, view, world, say }) {
    const draw = later(100, () => {
        const { spacing_m: spacing, objects } = world();
        const colours = coloursOf(objects ?? []);
        const features = tiles.shown().flatMap(({ tile, data }) => {
            const size = tileMetres(tile.lod, spacing);
            return data.map(({ x, y, kind }) => ({
                type: 'Feature',
                properties: { colour: colours[kind] ?? '#ff00ff' },
                geometry: { type: 'Point', coordinates: toLngLat(tile.x * size + x, tile.y * size + y, spacing) },
            }));
        });
        view.setLines('objects', features.length ? { ...NO_LINES, features } : NO_LINES);
    });
    const tiles = createTiles({
        async load(tile, signal) {
            const { seed, recipe, at } = store.get();
            const url = tileUrl({ seed, recipe, layer: 'objects', v: world().generator, at, epoch: world().edits?.epoch }, tile, 'bin');
            return records(await loader.bytes(url, signal));
        },
        changed: draw,
    });
    let drawn = false;

    function look(loud) {
        const { layer, zoom, three } = store.get();
        const { spacing_m: spacing, objects } = world();
        const asked = layer === 'objects' && objects?.length;
        const wanted = asked && !three ? tilesOf(view.bounds(), zoom, objects, spacing) : null;
        if (wanted) tiles.want(wanted);
        else if (drawn) tiles.clear();
        drawn = Boolean(wanted);
        if (asked && !drawn && loud) say('Trees, shrubs and rocks are shown where the map is closer: zoom in.');
    }

    const soon = later(200, () => look(false));
    view.map.on('moveend', soon);
    store.on('seed recipe v at', () => {
        tiles.clear();
        soon();
    });
    store.on('three', soon);
    store.on('layer', () => look(true));
    look(false);
    return { renew: tiles.renew };
}
