/*
 * Lines of paths and rivers over the map: those of the tiles in sight, where there are not too many of these.
 */
import { later } from './dom.js';
import { TILE, levelAt, levelUnder, tileMetres } from './mercator.js';
import { pathUrl, riverUrl } from './urls.js';

export const TILES_MOST = 64; // that the server takes
const AROUND = 1.25; // more than is in sight, to either side, so that a small step shows nothing new

export const NO_LINES = Object.freeze({ type: 'FeatureCollection', features: [] });

/**
 * The window that is asked for, in whole tiles of a level: neighbouring views ask the same. null: it has too many, or lies
 * off the map, whose half a side is `half` tiles. around: tiles that the server looks at beyond each of its sides.
 */
export function windowOfTiles(bounds, lod, spacing, half, around = 0) {
    const size = tileMetres(lod, spacing);
    const grow = ((AROUND - 1) / 2) * Math.max(bounds.east - bounds.west, bounds.south - bounds.north);
    const first = (edge) => Math.max(-half, Math.floor((edge - grow) / size));
    const last = (edge) => Math.min(half, Math.ceil((edge + grow) / size));
    const [x, y] = [first(bounds.west), first(bounds.north)];
    const [across, down] = [last(bounds.east) - x, last(bounds.south) - y];
    const tiles = (across + 2 * around) * (down + 2 * around);
    if (!(across > 0 && down > 0 && tiles <= TILES_MOST && across <= 16 && down <= 16)) return null;
    return { lod, x0: x * TILE, y0: y * TILE, w: across * TILE, h: down * TILE };
}

/* By the names of the map's sources: what they are called, where they are, and at which levels of a world's: the first whose
 * tiles in sight are not too many, as in 3-D they may be. null: nowhere. */
const KINDS = {
    rivers: {
        name: 'Rivers',
        url: riverUrl,
        around: 1,
        levels: ({ rivers, made }, zoom) => (rivers ? [made ? levelUnder(levelAt(zoom), rivers) : Math.min(levelAt(zoom) + 1, rivers.top), rivers.top] : null),
    },
    ways: { name: 'Paths', url: pathUrl, levels: ({ paths }) => (paths ? [paths.lod, paths.lod] : null) },
};

/** say(text): tells that there is nothing to be seen from so far. */
export function createWays(parts) {
    const kinds = Object.keys(KINDS).map((source) => createLines(source, parts));
    return { renew: () => kinds.forEach((kind) => kind.renew()) };
}

function createLines(source, { store, loader, view, world, say }) {
    const kind = KINDS[source];
    let shown = ''; // the address of what is drawn
    let asked = null;

    function draw(url, lines) {
        shown = url;
        view.setLines(source, lines);
    }

    async function look(loud) {
        const state = store.get();
        const { spacing_m: spacing, generator: v } = world();
        const levels = kind.levels(world(), state.zoom);
        asked?.abort();
        asked = null;
        if (!state.paths || !levels) {
            if (shown) draw('', NO_LINES);
            return;
        }
        let window = null;
        for (let level = levels[0]; !window && level <= levels[1]; level++)
            window = windowOfTiles(view.bounds(), level, spacing, 2 ** (17 - level), kind.around);
        if (!window) {
            draw('', NO_LINES);
            if (loud) say(`${kind.name} are drawn where the map is closer: zoom in.`);
            return;
        }
        const url = kind.url({ seed: state.seed, recipe: state.recipe, v }, window);
        if (url === shown) return;
        asked = new AbortController();
        const { signal } = asked;
        try {
            const lines = await loader.json(url, { signal, lane: 'usual' });
            if (!signal.aborted) draw(url, lines);
        } catch {
            /* the loader tells */
        }
    }

    const soon = later(200, () => look(false));
    view.map.on('moveend', soon);
    const renew = () => {
        draw('', NO_LINES);
        soon();
    };
    store.on('seed recipe v', renew);
    store.on('paths', () => look(true));
    look(false);
    return { renew };
}
