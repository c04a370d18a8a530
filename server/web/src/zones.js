/*
 * The key: zones with their share of the view, one of which can be picked out; and what the colours of a
 * layer mean.
 */
import { later, make } from './dom.js';
import { levelAt, tileAt, tileMetres, toXyz } from './mercator.js';
import { TINTS } from './tint.js';
import { xyzUrl } from './urls.js';

const TILES = 9; // looked at, at most: the level is coarse enough

/* Tiles of the finest level of which few cover the bounds. */
function cover(bounds, zoom, spacing) {
    for (let lod = levelAt(zoom) + 1; lod < 18; lod++) {
        const a = tileAt(bounds.west, bounds.north, lod, spacing);
        const b = tileAt(bounds.east, bounds.south, lod, spacing);
        if ((b.x - a.x + 1) * (b.y - a.y + 1) > TILES) continue;
        const tiles = [];
        for (let y = a.y; y <= b.y; y++) for (let x = a.x; x <= b.x; x++) tiles.push({ lod, x, y });
        return tiles;
    }
    return [];
}

/** Adds to counts[zone] the samples of a tile's picture that lie within bounds. */
export function count(picture, tile, bounds, spacing, counts) {
    const step = tileMetres(tile.lod, spacing) / picture.width;
    const first = (edge, origin) => Math.max(0, Math.ceil(edge / step - origin * picture.width));
    const last = (edge, origin) =>
        Math.min(picture.width - 1, Math.floor(edge / step - origin * picture.width));
    for (let y = first(bounds.north, tile.y); y <= last(bounds.south, tile.y); y++)
        for (let x = first(bounds.west, tile.x); x <= last(bounds.east, tile.x); x++)
            counts[picture.data[y * picture.width + x]]++;
}

const percent = (share) => (share === 0 ? '0 %' : share < 0.005 ? '< 1 %' : `${Math.round(share * 100)} %`);

/* What the server paints pictures of paths and caves with. */
const KINDS = {
    path: [
        ['#e0c080', 'path'],
        ['#ffffff', 'crossing'],
        ['#605038', 'border'],
    ],
    cave: [
        ['#9080a0', 'cave'],
        ['#ffd060', 'opening'],
        ['#000000', 'rock'],
    ],
};
const KINDS_TITLES = { path: 'Paths', cave: 'Caves' };

/* Colours, each with what it means, under a heading. */
const meanings = (title, list) =>
    make(
        'div',
        { className: 'tint' },
        make('h3', { textContent: title }),
        ...list.map(([colour, text]) => {
            const swatch = make('i');
            swatch.style.background = colour;
            return make('span', {}, swatch, text);
        }),
    );

/** The key of a tint: a band of its colours with figures. */
function scaleOf(layer) {
    const { title, unit, stops } = TINTS[layer];
    return meanings(
        `${title}${unit && `, ${unit}`}`,
        stops
            .filter(([value]) => Number.isInteger(value))
            .reverse()
            .map(([value, colour]) => [colour, String(value).replace('-', '\u2212')]),
    );
}

export function zonesPanel({ store, loader, view, world }) {
    let body = null;
    let asked = null;

    function rows(shares) {
        const { zone } = store.get();
        return world().zones.map(({ index, name, colour }) => {
            const swatch = make('i');
            swatch.style.background = colour;
            const share = make('meter', {
                max: 1,
                value: shares?.[index] ?? 0,
                'aria-label': `Share of ${name}`,
            });
            return make(
                'button',
                {
                    type: 'button',
                    'aria-pressed': String(zone === index),
                    title: zone === index ? 'Show all again' : `Pick out ${name}`,
                    onclick: () => store.set({ zone: zone === index ? null : index }),
                },
                swatch,
                make('span', { textContent: name }),
                share,
                make('b', { textContent: shares ? percent(shares[index]) : '\u2026' }),
            );
        });
    }

    let shares = null;
    function draw() {
        if (!body) return;
        const focused = [...body.querySelectorAll('.zones button')].indexOf(document.activeElement);
        const state = store.get();
        body.replaceChildren(
            make('div', { className: 'zones' }, ...rows(shares)),
            make('p', {
                className: 'note',
                textContent:
                    state.zone === null ? 'Click a zone to pick it out.' : 'Click it again to show all.',
            }),
        );
        if (TINTS[state.layer]) body.prepend(scaleOf(state.layer));
        if (KINDS[state.layer]) body.prepend(meanings(KINDS_TITLES[state.layer], KINDS[state.layer]));
        if (focused >= 0) body.querySelectorAll('.zones button')[focused]?.focus();
    }

    const measure = later(250, async () => {
        if (!body) return;
        asked?.abort();
        asked = new AbortController();
        const { signal } = asked;
        const state = store.get();
        const { spacing_m: spacing, generator: v, zones } = world();
        const bounds = view.bounds();
        const counts = new Array(256).fill(0);
        try {
            await Promise.all(
                cover(bounds, state.zoom, spacing).map(async (tile) => {
                    const at = toXyz(tile);
                    if (at)
                        count(
                            await loader.picture(
                                xyzUrl({ seed: state.seed, recipe: state.recipe, layer: 'partition', v }, at),
                                signal,
                            ),
                            tile,
                            bounds,
                            spacing,
                            counts,
                        );
                }),
            );
        } catch {
            return; // told of by the loader, or overtaken
        }
        if (signal.aborted) return;
        const all = counts.reduce((a, b) => a + b, 0) || 1;
        shares = zones.map(({ index }) => counts[index] / all);
        draw();
    });
    store.on('zone layer', draw);
    store.on('seed recipe', () => {
        shares = null;
        draw();
        measure();
    });
    store.on('x y zoom', measure);

    return {
        id: 'zones',
        name: 'Key',
        title: 'Key',
        open(element) {
            body = element;
            draw();
            measure();
        },
        close() {
            body = null;
            asked?.abort();
        },
    };
}
