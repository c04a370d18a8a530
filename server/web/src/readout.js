/*
 * What is under the pointer, or in the middle of the view where there is none: place, height, slope, zone, path and
 * tile, out of the tiles of the level that is shown; a click asks the server for the place itself.
 */
import { $, copy, grouped, later, make } from './dom.js';
import { levelAt, metresPerPixel, tileAt, tileMetres, toXyz } from './mercator.js';
import { terrarium } from './png.js';
import { pointUrl, xyzUrl } from './urls.js';

const SCALE_PX = 110;
const PATH_NAMES = ['', 'beside one', 'on one', 'crossing']; // by class

/** Height and slope at a place in a tile, of its decoded picture; u and v in samples. */
export function ground(picture, u, v, step) {
    const { width, height, data } = picture;
    const at = (i, j) =>
        terrarium(data, Math.min(Math.max(j, 0), height - 1) * width + Math.min(Math.max(i, 0), width - 1));
    const i = Math.floor(u);
    const j = Math.floor(v);
    const [s, t] = [u - i, v - j];
    const [a, b, c, d] = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
    const east = ((b - a) * (1 - t) + (d - c) * t) / step;
    const south = ((c - a) * (1 - s) + (d - b) * s) / step;
    return {
        height: a * (1 - s) * (1 - t) + b * s * (1 - t) + c * (1 - s) * t + d * s * t,
        slope: (Math.atan(Math.hypot(east, south)) * 180) / Math.PI,
    };
}

/** A round number of metres that is at most so many, as a length in pixels and in words. */
export function scaleBar(metres, width = SCALE_PX) {
    const most = metres * width;
    const power = 10 ** Math.floor(Math.log10(most));
    const round = [5, 2, 1].map((k) => k * power).find((length) => length <= most);
    return { px: round / metres, text: round >= 1000 ? `${grouped(round / 1000)} km` : `${round} m` };
}

const fact = (name, value, wide = false) =>
    make(
        'span',
        { className: wide ? 'fact wide' : 'fact' },
        make('i', { textContent: name }),
        make('b', { textContent: value }),
    );

export function createReadout({ store, loader, view, world, overlay, busy }) {
    const facts = $('#facts');
    let pointer = null; // pixels
    let pinned = null;
    let controller = null;

    function tiles(place) {
        const state = store.get();
        const { spacing_m: spacing, generator: v, variant, paths } = world();
        const tile = tileAt(place.x, place.y, levelAt(state.zoom), spacing);
        const at = toXyz(tile);
        if (!at) return null;
        const what = { seed: state.seed, recipe: state.recipe, v };
        const size = tileMetres(tile.lod, spacing);
        return {
            tile,
            step: size / 256,
            u: (place.x / size - tile.x) * 256,
            v: (place.y / size - tile.y) * 256,
            heights: xyzUrl(
                { ...what, layer: 'height', variant: state.variant || variant, enc: 'terrarium' },
                at,
            ),
            zones: xyzUrl({ ...what, layer: 'partition' }, at),
            /* of a world with paths, while they are looked at */
            paths:
                paths && tile.lod <= paths.lod && (state.paths || state.layer === 'path')
                    ? xyzUrl({ ...what, layer: 'path' }, at)
                    : null,
        };
    }

    function show(place, found) {
        const digits = metresPerPixel(store.get().zoom, world().spacing_m) < 2 ? 1 : 0;
        const list = [fact('x', `${grouped(place.x, digits)} m`), fact('y', `${grouped(place.y, digits)} m`)];
        if (found?.height !== undefined)
            list.push(
                fact('height', `${grouped(found.height, digits)} m`),
                fact('slope', `${found.slope.toFixed(found.slope < 10 ? 1 : 0)}\u00b0`),
            );
        if (found?.water > 0) list.push(fact('water', `${grouped(found.water, 1)} m`));
        if (found?.zone) list.push(fact('zone', found.zone));
        if (found?.path) list.push(fact('path', found.path));
        if (found?.tile) list.push(fact('tile', `${found.tile.lod}/${found.tile.x}/${found.tile.y}`));
        facts.replaceChildren(...list);
    }

    const addressesOf = (at) => [at.heights, at.zones, at.paths].filter(Boolean);

    function read(place, at, [heights, zones, paths]) {
        const sample = Math.min(Math.floor(at.v), 255) * zones.width + Math.min(Math.floor(at.u), 255);
        const zone = zones.data[sample];
        show(place, {
            ...ground(heights, at.u, at.v, at.step),
            zone: world().zones[zone]?.name,
            path: paths && PATH_NAMES[paths.data[sample]],
            tile: at.tile,
        });
    }

    const fetchTiles = later(140, async (place, at) => {
        if (pinned) return;
        controller?.abort();
        controller = new AbortController();
        const { signal } = controller;
        try {
            const got = await Promise.all(addressesOf(at).map((url) => loader.picture(url, signal)));
            if (!signal.aborted && !pinned) read(place, at, got);
        } catch {
            /* the loader tells */
        }
    });

    async function update() {
        if (pinned) return;
        const place = pointer ? view.metresAt(pointer) : { x: store.get().x, y: store.get().y };
        const at = tiles(place);
        const there = at && addressesOf(at).map((url) => loader.seen(url));
        if (there?.every(Boolean)) {
            const got = await Promise.all(there);
            if (!pinned) read(place, at, got);
        } else {
            show(place, at && { tile: at.tile });
            if (at) fetchTiles(place, at);
        }
    }

    /* The server's own word on a place, and its address. */
    async function pin(place) {
        const state = store.get();
        const lod = levelAt(state.zoom);
        const url = pointUrl({ seed: state.seed, recipe: state.recipe, variant: state.variant }, place, lod);
        controller?.abort();
        pinned = place;
        overlay.mark({ pin: place });
        show(place, null);
        try {
            const said = await loader.json(url);
            if (pinned !== place) return;
            show(place, {
                height: said.height_m,
                slope: said.slope_degrees,
                water: said.water_m,
                zone: said.zone?.name,
                tile: said.tile,
            });
        } catch (error) {
            if (pinned === place) facts.append(make('p', { className: 'wrong', textContent: error.message }));
        }
        const link = make('button', {
            type: 'button',
            textContent: 'Copy link to point',
            onclick: async () => {
                link.textContent = (await copy(new URL(url, document.baseURI).href))
                    ? 'Copied'
                    : 'Could not copy';
            },
        });
        if (pinned === place)
            facts.append(
                make(
                    'span',
                    { className: 'row' },
                    link,
                    make('button', { type: 'button', textContent: 'Let go', onclick: unpin }),
                ),
            );
    }

    function unpin() {
        pinned = null;
        overlay.mark({ pin: null });
        update();
    }

    function scale() {
        const { px, text } = scaleBar(metresPerPixel(view.map.getZoom(), world().spacing_m));
        $('#scale').style.width = `${px}px`;
        $('#scale span').textContent = text;
    }

    view.map.on('mousemove', ({ point }) => {
        pointer = point;
        update();
    });
    view.map.getCanvas().addEventListener('pointerleave', () => {
        pointer = null;
        update();
    });
    view.map.on('move', scale);
    view.map.on('moveend', update);
    view.map.on('click', ({ point }) => {
        if (!busy()) pin(view.metresAt(point));
    });
    store.on('seed recipe variant', unpin);
    scale();
    update();
    return { unpin, pinned: () => pinned };
}
