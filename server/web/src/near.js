/*
 * Tiles of the world's own numbering around a place: which ones, finer where it is near, and those that have come.
 */
import { tileMetres, toXyz } from './mercator.js';

const SPLIT = 0.75; // of its side: a tile that is nearer than so is four finer ones

/** Metres from a place to a tile's nearest edge; 0 within it. */
export function distanceTo({ lod, x, y }, at, spacing) {
    const size = tileMetres(lod, spacing);
    const out = (place, first) => Math.max(first * size - place, place - (first + 1) * size, 0);
    return Math.hypot(out(at.x, x), out(at.y, y));
}

/** Tiles that cover all within reach metres of a place, once, nearest first. coarsest, finest: their levels. */
export function pick(at, { coarsest, finest, reach }, spacing) {
    const found = [];
    const take = (tile) => {
        const { lod, x, y } = tile;
        const distance = distanceTo(tile, at, spacing);
        if (distance > reach || !toXyz(tile)) return;
        if (lod > finest && distance < SPLIT * tileMetres(lod, spacing))
            for (const k of [0, 1, 2, 3]) take({ lod: lod - 1, x: 2 * x + (k & 1), y: 2 * y + (k >> 1) });
        else found.push({ tile, distance });
    };
    const size = tileMetres(coarsest, spacing);
    const [x0, x1, y0, y1] = [at.x - reach, at.x + reach, at.y - reach, at.y + reach].map((edge) => Math.floor(edge / size));
    for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) take({ lod: coarsest, x, y });
    return found.sort((a, b) => a.distance - b.distance).map(({ tile }) => tile);
}

/** Whether two tiles have ground in common. */
export function overlap(a, b) {
    const [fine, coarse] = a.lod <= b.lod ? [a, b] : [b, a];
    const up = 2 ** (coarse.lod - fine.lod);
    return Math.floor(fine.x / up) === coarse.x && Math.floor(fine.y / up) === coarse.y;
}

/**
 * Tiles that are wanted, and in place of those that have not come yet what was there before. load(tile, signal, old) gets
 * one, again where there is an old one; changed() is called where what shown() says may be another. What cannot be had is left out.
 */
export function createTiles({ load, changed }) {
    const entries = new Map(); // name -> {tile, data, controller}
    let wanted = [];
    const nameOf = ({ lod, x, y }) => `${lod}/${x}/${y}`;

    async function begin(name, entry) {
        try {
            const data = await load(entry.tile, entry.controller.signal, entry.data);
            if (entries.get(name) !== entry) return;
            entry.data = data;
            drop();
            changed();
        } catch {
            entry.failed = true; // the loader tells
        }
    }

    /* What is neither wanted nor in the place of something awaited goes. */
    function drop() {
        const names = new Set(wanted.map(nameOf));
        const missing = wanted.filter((tile) => {
            const entry = entries.get(nameOf(tile));
            return !entry?.data && !entry?.failed;
        });
        for (const [name, { tile, data, controller }] of entries) {
            if (names.has(name) || (data && missing.some((each) => overlap(each, tile)))) continue;
            controller.abort();
            entries.delete(name);
        }
    }

    return {
        want(tiles) {
            wanted = tiles;
            drop();
            for (const tile of tiles) {
                const name = nameOf(tile);
                if (entries.has(name) && !entries.get(name).failed) continue;
                const entry = { tile, data: entries.get(name)?.data ?? null, controller: new AbortController() };
                entries.set(name, entry);
                begin(name, entry);
            }
            changed();
        },
        /** Gets again what touches(tile) is true of; what there is stands until then. */
        renew(touches) {
            for (const [name, { tile, data, controller }] of entries) {
                if (!touches(tile)) continue;
                controller.abort();
                const entry = { tile, data, controller: new AbortController() };
                entries.set(name, entry);
                begin(name, entry);
            }
        },
        /** Forgets all; of another world nothing stays. */
        clear() {
            for (const { controller } of entries.values()) controller.abort();
            entries.clear();
            wanted = [];
            changed();
        },
        /** [{tile, data}], none over another: what was there before makes way as a whole. */
        shown() {
            const there = [...entries.values()].filter(({ data }) => data);
            const names = new Set(wanted.map(nameOf));
            const mine = there.filter(({ tile }) => names.has(nameOf(tile)));
            const old = there.filter(({ tile }) => !names.has(nameOf(tile)) && !mine.some((each) => overlap(each.tile, tile)));
            return [...mine, ...old];
        },
    };
}
