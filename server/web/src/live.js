/*
 * A world that people change, as it is shown: what others do comes by events, tiles that it touches are had again, marks are names on
 * the map.
 */
import { touches } from './brush.js';
import { createFeed } from './feed.js';
import { side, tileMetres, toLngLat } from './mercator.js';
import { marksUrl, worldPath } from './urls.js';
import { NO_LINES } from './ways.js';

const TOGETHER_MS = 120; // what comes within is shown at once

/** The square of an address of a tile, by its kind: {west, north, size} in metres; null: it is none, or of the past, which stays. */
export function squareOf(url, spacing) {
    const [, kind, z, x, y] = /^(xyz|tile)\/[^/]+\/(\d+)\/(-?\d+)\/(-?\d+)\./.exec(url) ?? [];
    if (!kind || /[?&]at=/.test(url)) return null;
    return kind === 'xyz' ? squareOfXyz({ z: Number(z), x: Number(x), y: Number(y) }, spacing) : squareOfTile({ lod: Number(z), x: Number(x), y: Number(y) }, spacing);
}

export function squareOfXyz({ z, x, y }, spacing) {
    const size = side(spacing) / 2 ** z;
    return { west: (x - 2 ** z / 2) * size, north: (y - 2 ** z / 2) * size, size };
}

export function squareOfTile({ lod, x, y }, spacing) {
    const size = tileMetres(lod, spacing);
    return { west: x * size, north: y * size, size };
}

/**
 * renewed(test): tiles that were shown are others by now, of which test(square) is true. changed(): there are more operations.
 * anew(): the world is another one.
 */
export function createLive({ store, loader, view, world, headers, renewed, changed, anew, trouble }) {
    let feed = null;
    let boxes = [];
    let timer;
    let count = 0;
    let asked = null;

    function renew() {
        const test = touches(boxes);
        const { spacing_m: spacing } = world();
        boxes = [];
        loader.stale((url) => {
            const square = squareOf(url, spacing);
            return square && test(square);
        });
        if (store.get().at !== null) return; // the past stays
        view.renew(({ z, x, y }) => test(squareOfXyz({ z, x, y }, spacing)));
        renewed((tile) => test(squareOfTile(tile, spacing)));
    }

    async function showMarks() {
        asked?.abort();
        asked = new AbortController();
        const { signal } = asked;
        try {
            const { seed, at } = store.get();
            const { features } = await loader.json(marksUrl(seed, at), { signal, lane: 'usual' });
            if (signal.aborted) return;
            const marks = features.map(({ geometry, properties }) => ({
                type: 'Feature',
                properties: { name: String(properties.name ?? ''), kind: 'mark' },
                geometry: { type: 'Point', coordinates: toLngLat(...geometry.coordinates, world().spacing_m) },
            }));
            view.setLines('marks', { ...NO_LINES, features: marks });
        } catch {
            /* the loader tells */
        }
    }

    function told(edits) {
        count = edits.at(-1).seq;
        changed();
        if (edits.some(({ brush, undoes }) => brush === 'mark' || undoes) && store.get().at === null) showMarks();
        boxes.push(...edits.map(({ box }) => box).filter(Boolean));
        clearTimeout(timer);
        timer = setTimeout(renew, TOGETHER_MS);
    }

    /* Of the world that is shown now. */
    function begin() {
        feed?.end();
        feed = null;
        clearTimeout(timer);
        boxes = [];
        const { edits } = world();
        count = edits?.count ?? 0;
        asked?.abort();
        view.setLines('marks', NO_LINES); // of the world before
        changed();
        if (!edits) return;
        const base = new URL(worldPath(store.get().seed), document.baseURI).href;
        feed = createFeed({ base, headers, since: count, epoch: edits.epoch, told, anew, trouble });
        showMarks();
    }
    store.on('at', () => world().edits && showMarks());

    return { begin, count: () => count, next: () => feed?.next() ?? 0 };
}
