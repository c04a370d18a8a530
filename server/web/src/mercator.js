/*
 * Metres of the world, and what a web map calls them. The pyramid of /xyz has its root around the world's
 * origin: z 18 is level 0, a tile is 256 samples, y grows to the south. Longitudes and latitudes mean nothing
 * but a place in its square.
 */
export const Z0 = 18;
export const TILE = 256;
const EARTH_M = 2 * Math.PI * 6371008.8; // the girth that the map library multiplies heights with
const LATITUDE_MOST = 85.051128;

/** Metres along a side of the pyramid. */
export const side = (spacing) => spacing * TILE * 2 ** Z0;

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export function toLngLat(x, y, spacing) {
    const fx = x / side(spacing) + 0.5;
    const fy = y / side(spacing) + 0.5;
    const lat = (Math.atan(Math.sinh(Math.PI * (1 - 2 * fy))) * 180) / Math.PI;
    return [clamp(fx * 360 - 180, -180, 180), clamp(lat, -LATITUDE_MOST, LATITUDE_MOST)];
}

export function toMetres(lng, lat, spacing) {
    const fx = (lng + 180) / 360;
    const fy = 0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI);
    return { x: (fx - 0.5) * side(spacing), y: (fy - 0.5) * side(spacing) };
}

/** The level whose tiles are shown at a zoom of the map, whose own tiles are 512 wide. */
export const levelAt = (zoom) => Z0 - clamp(Math.round(zoom + 1), 0, Z0);

export const metresPerPixel = (zoom, spacing) => side(spacing) / (512 * 2 ** zoom);

/** The coarser level that tiles of a level rest on, of a world with rivers: where they are made here, so is that. */
export function levelUnder(level, { top, bottom }) {
    if (level < bottom) return Math.min(level + 2, bottom);
    return Math.min(level + 2 - ((level - bottom) % 2), top); // each second one from the bottom up
}

/** The zoom at which a pixel is so many metres. */
export const zoomOf = (metres, spacing) => Math.log2(side(spacing) / (512 * metres));

export const tileMetres = (lod, spacing) => TILE * spacing * 2 ** lod;

/** The tile of a level that holds a place, in the world's own numbering. */
export function tileAt(x, y, lod, spacing) {
    const metres = tileMetres(lod, spacing);
    return { lod, x: Math.floor(x / metres), y: Math.floor(y / metres) };
}

/** The same tile as the pyramid counts; null outside of it, and for the root, which lies otherwise. */
export function toXyz({ lod, x, y }) {
    const z = Z0 - lod;
    const half = 2 ** (z - 1);
    const within = (n) => n >= -half && n < half;
    return z >= 1 && within(x) && within(y) ? { z, x: x + half, y: y + half } : null;
}

/** A piece of so many pixels, around a place as near as may be, of the tile that is shown there: {z, x, y, left, top}; null beyond the map. */
export function cutOf({ x, y, zoom }, spacing, { width, height }) {
    const tile = tileAt(x, y, levelAt(zoom), spacing);
    const pixel = tileMetres(tile.lod, spacing) / TILE;
    const begin = (at, of, length) => clamp(Math.round(at / pixel) - of * TILE - length / 2, 0, TILE - length);
    const at = toXyz(tile);
    return at && { ...at, left: begin(x, tile.x, width), top: begin(y, tile.y, height) };
}

/** What heights are multiplied with, so that a metre up looks as long as a metre along. */
export const heightScale = (lat, spacing) => (EARTH_M * Math.cos((lat * Math.PI) / 180)) / side(spacing);

/**
 * The window of one level's samples within metres, made coarser until neither side has more than `most`
 * samples.
 */
export function windowOf(bounds, lod, spacing, most = 4097) {
    for (let level = clamp(lod, 0, 24); ; level++) {
        const step = spacing * 2 ** level;
        const x0 = Math.floor(bounds.west / step);
        const y0 = Math.floor(bounds.north / step);
        const w = Math.max(1, Math.ceil(bounds.east / step) - x0);
        const h = Math.max(1, Math.ceil(bounds.south / step) - y0);
        if ((w <= most && h <= most) || level === 24)
            return { lod: level, x0, y0, w: Math.min(w, most), h: Math.min(h, most) };
    }
}
