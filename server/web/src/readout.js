/*
 * What is under the pointer, or in the middle of the view where there is none: place, height, slope, zone, path, river
 * and tile, out of the tiles of the level that is shown; a click asks the server for the place itself.
 */
import { $, button, copyButton, grouped, later, make } from './dom.js';
import { TILE, Z0, levelAt, metresPerPixel, tileAt, toXyz } from './mercator.js';
import { terrarium } from './png.js';
import { logarithm } from './tint.js';
import { pointUrl, variantAt, xyzUrl } from './urls.js';

const SCALE_PX = 110;
const RIVER_LEAST = 1 / 32; // m3/s, that a pixel tells
const WATER_STEP_M = 1 / 8; // of depth, likewise
const PATH_NAMES = ['', 'beside one', 'on one', 'crossing']; // by class

/* Of a sample (i, j) that values are had of, that at (u, v) between four of them. */
function between(at, u, v) {
    const [i, j] = [Math.floor(u), Math.floor(v)];
    const [s, t] = [u - i, v - j];
    return (
        (1 - t) * ((1 - s) * at(i, j) + s * at(i + 1, j)) +
        t * ((1 - s) * at(i, j + 1) + s * at(i + 1, j + 1))
    );
}

/**
 * Height, slope and depth of water at (u, v) in samples, step metres apart, of heightAt(i, j) and depthAt(i, j): as
 * /point has them. Normals are of central differences, and it is normals that are blended between samples.
 */
export function ground(heightAt, depthAt, u, v, step) {
    const normal = (part) =>
        between(
            (i, j) => {
                const east = (heightAt(i + 1, j) - heightAt(i - 1, j)) / (2 * step);
                const south = (heightAt(i, j + 1) - heightAt(i, j - 1)) / (2 * step);
                return [east, south, 1][part] / Math.hypot(east, south, 1);
            },
            u,
            v,
        );
    return {
        height: between(heightAt, u, v),
        slope: (Math.atan2(Math.hypot(normal(0), normal(1)), normal(2)) * 180) / Math.PI,
        water: between(depthAt, u, v),
    };
}

/** A round number of metres that is at most so many, as a length in pixels and in words. */
export function scaleBar(metres, width = SCALE_PX) {
    const most = metres * width;
    const power = 10 ** Math.floor(Math.log10(most));
    const round = [5, 2, 1].map((k) => k * power).find((length) => length <= most);
    return { px: round / metres, text: round >= 1000 ? `${grouped(round / 1000)} km` : `${round} m` };
}

/** Cubic metres a second, in as many digits as a pixel tells. */
export const discharge = (flow) => `${grouped(flow, flow < 1 ? 2 : flow < 10 ? 1 : 0)} m\u00b3/s`;

/** The greatest at a sample and around it, of what is there: rivers are thin. at(i, j): the value of a river's pixel. */
export function riverAt(at, [i, j]) {
    const around = [-1, 0, 1];
    return logarithm(Math.max(...around.flatMap((y) => around.map((x) => at(i + x, j + y)))));
}

/** [kind, name] of what has a name at a place: the label or river that is drawn there, and what /point said, if it did. */
export function namesAt(label, said = {}) {
    const names = ['river', 'lake', 'peak', 'range'].filter((kind) => said[kind]).map((kind) => [kind, said[kind].name]);
    const drawn = label && !names.some(([, name]) => name === label.name);
    return drawn ? [[label.kind ?? 'river', label.name], ...names] : names;
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
    let latest = null; // place
    let river = 0; // that the pictures told last

    /* The variant under the pointer, or in the middle. */
    const shownAt = () =>
        variantAt(store.get(), pointer ? pointer.x / view.map.getContainer().clientWidth : 0.5);

    /*
     * Of a place: its tile, the samples around it, and the addresses of the pictures that hold these: they may lie in
     * up to four tiles. heights, water, zones and paths are the address of the one that holds sample (i, j), index its
     * pixel there. null: it is beyond the map.
     */
    function samplesAt(place) {
        const state = store.get();
        const shown = shownAt();
        const { spacing_m: spacing, generator, variant: usual, paths, lakes, rivers } = world();
        const lod = levelAt(state.zoom);
        const tile = tileAt(place.x, place.y, lod, spacing);
        if (!toXyz(tile)) return null;
        const step = spacing * 2 ** lod;
        const [u, v] = [place.x / step, place.y / step];
        const edge = TILE * 2 ** (Z0 - lod - 1);
        const inside = (i) => Math.min(Math.max(i, -edge), edge - 1); // beyond the map the last ones go on
        const what = { seed: state.seed, recipe: state.recipe, v: generator, at: state.at, epoch: world().edits?.epoch };
        const of = (about) => (i, j) => {
            const [x, y] = [i, j].map((each) => Math.floor(inside(each) / TILE));
            return xyzUrl({ ...what, ...about }, toXyz({ lod, x, y }));
        };
        const variant = shown || usual;
        const heights = of({ layer: 'height', variant, enc: 'terrarium' });
        const drained = rivers && lod <= rivers.top && variant !== 'base';
        const water = drained || (lakes && lod <= lakes.lod) ? of({ layer: 'water', variant }) : null; // the sea's is its height
        const zones = of({ layer: 'partition' });
        const looked = paths && lod <= paths.lod && (state.paths || state.layer === 'path');
        const ways = looked ? of({ layer: 'path' }) : null;
        const flows = drained ? of({ layer: 'river' }) : null;

        const nearest = [Math.round(u), Math.round(v)];
        const urls = new Set([zones, ways].filter(Boolean).map((each) => each(...nearest)));
        for (const each of [heights, water, flows].filter(Boolean))
            for (const j of [Math.floor(v) - 1, Math.floor(v) + 2])
                for (const i of [Math.floor(u) - 1, Math.floor(u) + 2]) urls.add(each(i, j));
        const index = (i, j) => (inside(i) & (TILE - 1)) + TILE * (inside(j) & (TILE - 1));
        return { tile, step, u, v, nearest, index, heights, water, zones, ways, flows, urls: [...urls] };
    }

    function show(place, found) {
        const digits = metresPerPixel(store.get().zoom, world().spacing_m) < 2 ? 1 : 0;
        const label = pointer && store.get().names && view.labelAt(pointer);
        const list = namesAt(label, found?.said).map(([kind, name]) => fact(kind, name));
        list.push(fact('x', `${grouped(place.x, digits)} m`), fact('y', `${grouped(place.y, digits)} m`));
        if (found?.height !== undefined)
            list.push(
                fact('height', `${grouped(found.height, digits)} m`),
                fact('slope', `${found.slope.toFixed(found.slope < 10 ? 1 : 0)}\u00b0`),
            );
        if (found?.water >= 0.05)
            list.push(
                fact(
                    Math.abs(found.height + found.water - world().sea_m) < WATER_STEP_M ? 'sea' : 'water', // beds of rivers lie below the sea, too
                    `${grouped(found.water, found.water < 100 ? 1 : 0)} m deep`,
                ),
            );
        else if (found?.zone) list.push(fact('zone', found.zone));
        if (found?.river >= RIVER_LEAST) list.push(fact('river', discharge(found.river)));
        if (found?.path) list.push(fact('path', found.path));
        if (found?.tile) list.push(fact('tile', `${found.tile.lod}/${found.tile.x}/${found.tile.y}`));
        facts.replaceChildren(...list);
    }

    /* pictures: of at.urls, in their order. */
    function read(place, at, pictures) {
        const data = Object.fromEntries(at.urls.map((url, k) => [url, pictures[k].data]));
        const sample = (layer, i, j) => data[layer(i, j)][at.index(i, j)];
        const height = (i, j) => terrarium(data[at.heights(i, j)], at.index(i, j));
        const sea = (i, j) => (at.flows ? 0 : world().sea_m - height(i, j)); // low ground beside rivers may be dry
        const depth = (i, j) => Math.max(sea(i, j), at.water ? sample(at.water, i, j) / 8 : 0, 0);
        river = at.flows ? riverAt((i, j) => sample(at.flows, i, j), at.nearest) : 0;
        show(place, {
            ...ground(height, depth, at.u, at.v, at.step),
            zone: world().zones[sample(at.zones, ...at.nearest)]?.name,
            river,
            path: at.ways && PATH_NAMES[sample(at.ways, ...at.nearest)],
            tile: at.tile,
        });
    }

    const fetchTiles = later(140, async (place, at) => {
        if (pinned || place !== latest) return;
        controller?.abort();
        controller = new AbortController();
        const { signal } = controller;
        try {
            const got = await Promise.all(at.urls.map((url) => loader.picture(url, signal)));
            if (!signal.aborted && !pinned && place === latest) read(place, at, got);
        } catch {
            /* the loader tells */
        }
    });

    async function update() {
        if (pinned) return;
        controller?.abort(); // what was asked of another place
        const place = pointer ? view.metresAt(pointer) : { x: store.get().x, y: store.get().y };
        latest = place;
        const at = samplesAt(place);
        const there = at?.urls.map((url) => loader.seen(url));
        if (there?.every(Boolean)) {
            const got = await Promise.all(there);
            if (!pinned && place === latest) read(place, at, got);
        } else {
            river = 0;
            show(place, at && { tile: at.tile });
            if (at) fetchTiles(place, at);
        }
    }

    /* The server's own word on a place, and its address. */
    async function pin(place) {
        const state = store.get();
        const lod = levelAt(state.zoom);
        const url = pointUrl({ seed: state.seed, recipe: state.recipe, variant: shownAt(), v: world().generator, at: state.at, epoch: world().edits?.epoch }, place, lod);
        controller?.abort();
        pinned = place;
        overlay.mark({ pin: place });
        show(place, null);
        try {
            const said = await loader.json(url);
            if (pinned !== place) return;
            show(place, {
                said,
                height: said.height_m,
                slope: said.slope_degrees,
                water: said.water_m,
                zone: said.zone?.name,
                river: said.discharge_m3s || river, // a click beside it is meant for it
                tile: said.tile,
            });
        } catch (error) {
            loader.forgive(url); // it is said here
            if (pinned === place) facts.append(make('p', { className: 'wrong', textContent: error.message }));
        }
        const link = copyButton('Copy link to point', () => new URL(url, document.baseURI).href);
        if (pinned === place)
            facts.append(
                make(
                    'span',
                    { className: 'row' },
                    loader.gives('server') ? link : null,
                    button('Let go', unpin),
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
        pointer = point;
        if (!busy()) pin(view.metresAt(point));
    });
    view.map.getCanvas().addEventListener('keydown', ({ key }) => {
        if (key !== 'Enter' || busy()) return;
        pointer = null;
        pin({ x: store.get().x, y: store.get().y });
    });
    store.on('seed recipe v variant at', unpin);
    scale();
    update();
    return { unpin, update, pinned: () => pinned };
}
