/*
 * The key: zones, on land, and water with their shares of the view; a zone can be picked out; and what the colours of
 * a layer mean.
 */
import { later, make, note } from './dom.js';
import { levelAt, levelUnder, tileAt, tileMetres, toXyz } from './mercator.js';
import { coloursOf } from '../../../lib/js/objects.js';
import { distanceText } from './profile.js';
import { TINTS } from './tint.js';
import { xyzUrl } from './urls.js';

const TILES = 9; // looked at, at most: the level is coarse enough
const WATER = { index: 255, name: 'water', colour: '#4a97cc' }; // as if it were a zone: these are fewer

/* Tiles of the finest level of which few cover the bounds. Where they are made here: of the levels that those of the map rest on. */
function cover(bounds, zoom, { spacing_m: spacing, made, rivers }) {
    const level = levelAt(zoom), rests = made && rivers;
    const step = rests ? 2 : 1;
    for (let lod = rests ? Math.max(levelUnder(level, rivers), rivers.bottom) : level + 1; lod < 18; lod += step) {
        const a = tileAt(bounds.west, bounds.north, lod, spacing);
        const b = tileAt(bounds.east, bounds.south, lod, spacing);
        if ((b.x - a.x + 1) * (b.y - a.y + 1) > TILES) continue;
        const tiles = [];
        for (let y = a.y; y <= b.y; y++) for (let x = a.x; x <= b.x; x++) tiles.push({ lod, x, y });
        return tiles;
    }
    return [];
}

/** Adds to counts the samples of a tile within bounds, of its pictures of zones and water: where there is water, to its own. */
export function count(picture, water, tile, bounds, spacing, counts) {
    const step = tileMetres(tile.lod, spacing) / picture.width;
    const first = (edge, origin) => Math.max(0, Math.ceil(edge / step - origin * picture.width));
    const last = (edge, origin) =>
        Math.min(picture.width - 1, Math.floor(edge / step - origin * picture.width));
    for (let y = first(bounds.north, tile.y); y <= last(bounds.south, tile.y); y++)
        for (let x = first(bounds.west, tile.x); x <= last(bounds.east, tile.x); x++) {
            const i = y * picture.width + x;
            counts[water.data[i] ? WATER.index : picture.data[i]]++;
        }
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
    climate: [
        ['#e8eef3', '\u221215 \u00b0C or colder'],
        ['#8c967d', '0 \u00b0C'],
        ['#cdb47d', '12 \u00b0C, dry'],
        ['#8ca55a', '12 \u00b0C, 600 mm a year'],
        ['#3c7346', '12 \u00b0C, 2\u2009000 mm'],
        ['#e6c382', '26 \u00b0C, dry'],
        ['#a5aa4b', '26 \u00b0C, 600 mm'],
        ['#196932', '26 \u00b0C, 2\u2009000 mm'],
    ],
};
const KINDS_TITLES = { path: 'Paths', cave: 'Caves', climate: 'Climate', cover: 'Cover', objects: 'Objects' };

/* What the colours of a layer mean, where they are things: [[colour, name]]; of cover and objects the world says it. */
export const kindsOf = (layer, world) =>
    ({
        cover: () => [...(world.cover ?? []).map(({ colour, name }) => [colour, name]), [WATER.colour, WATER.name]],
        objects: () => coloursOf(world.objects ?? []).map((colour, k) => [colour, world.objects[k].name]),
    })[layer]?.() ?? KINDS[layer];

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

    function row({ index, name, colour }, tag, properties) {
        const swatch = make('i');
        swatch.style.background = colour;
        const value = shares?.[index] ?? 0;
        return make(
            tag,
            properties,
            swatch,
            make('span', { textContent: name }),
            make('meter', { max: 1, value, 'aria-label': `Share of ${name}` }),
            make('b', { textContent: shares ? percent(value) : '\u2026' }),
        );
    }

    function rows() {
        const chosen = store.get().zone;
        const zones = world().zones.map((zone) => {
            const on = chosen === zone.index;
            return row(zone, 'button', {
                type: 'button',
                'aria-pressed': String(on),
                title: on ? 'Show all again' : `Pick out ${zone.name}`,
                onclick: () => store.set({ zone: on ? null : zone.index }),
            });
        });
        return [...zones, row(WATER, 'div')];
    }

    let shares = null;
    let apart = 0; // metres between the samples that they are of
    function draw() {
        if (!body) return;
        const focused = [...body.querySelectorAll('.zones button')].indexOf(document.activeElement);
        const state = store.get();
        body.replaceChildren(
            make('div', { className: 'zones' }, ...rows()),
            note(`Click ${state.zone === null ? 'a zone to pick it out' : 'it again to show all'}.${shares ? ` Shares are of samples ${distanceText(apart)} apart.` : ''}`),
        );
        if (TINTS[state.layer]) body.prepend(scaleOf(state.layer));
        const kinds = kindsOf(state.layer, world());
        if (kinds) body.prepend(meanings(KINDS_TITLES[state.layer], kinds));
        if (focused >= 0) body.querySelectorAll('.zones button')[focused]?.focus();
    }

    const measure = later(250, async () => {
        if (!body) return;
        asked?.abort();
        asked = new AbortController();
        const { signal } = asked;
        await view.whole();
        if (signal.aborted) return;
        const state = store.get();
        const { spacing_m: spacing, generator: v, variant } = world();
        const bounds = view.bounds();
        const counts = new Array(256).fill(0);
        const what = { seed: state.seed, recipe: state.recipe, variant: state.variant || variant, v, at: state.at, epoch: world().edits?.epoch };
        const tiles = cover(bounds, state.zoom, world());
        try {
            await Promise.all(
                tiles.map(async (tile) => {
                    const at = toXyz(tile);
                    if (!at) return;
                    const [picture, water] = await Promise.all(
                        ['partition', 'water'].map((layer) =>
                            loader.picture(xyzUrl({ ...what, layer }, at), signal),
                        ),
                    );
                    count(picture, water, tile, bounds, spacing, counts);
                }),
            );
        } catch {
            return; // told of by the loader, or overtaken
        }
        if (signal.aborted || !tiles.length) return;
        const all = counts.reduce((a, b) => a + b, 0) || 1;
        shares = counts.map((each) => each / all);
        apart = spacing * 2 ** tiles[0].lod;
        draw();
    });
    store.on('zone layer', draw);
    store.on('seed recipe v', () => {
        shares = null;
        asked?.abort();
        draw();
        measure();
    });
    store.on('variant at x y zoom', () => {
        asked?.abort(); // the view's own tiles come first
        measure();
    });
    addEventListener('resize', measure);

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
