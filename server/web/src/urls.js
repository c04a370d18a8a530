/*
 * Where things are on the server. Pure; paths are relative to the page, so that a proxy may put it anywhere.
 */
const FIXED = ['partition', 'delta', 'flow', 'path', 'cave', 'river', 'objects']; // layers of one variant; the others have all that the world has

/** Whether a layer has variants. */
export const varies = (layer) => layer !== undefined && !FIXED.includes(layer);

/** Whether a state shows base and finished ground next to each other: it asks for that, and they differ. */
export const compared = ({ compare, layer }) => compare !== null && varies(layer);

/** The variant that a state shows at a share of the map's width from the left. */
export const variantAt = (state, share) => (compared(state) && share < state.compare ? 'base' : state.variant);

/* name=value&..., in this order; what is empty is left out. */
function query(given) {
    const said = Object.entries(given).filter(
        ([, value]) => value !== undefined && value !== null && value !== '',
    );
    return said.length
        ? `?${said.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
        : '';
}

/* What tells a layer of a world apart, in any query. */
function about(what) {
    return {
        recipe: what.recipe,
        layer: what.layer === 'height' ? '' : what.layer,
        variant: varies(what.layer) ? what.variant : '',
        enc: what.enc,
        bands: what.bands,
        reg: what.reg,
        size: what.size,
        v: what.v,
        key: what.key,
        ...past(what),
    };
}

/* A world that people change, as it was after an operation: for ever, so that its address says which world of that name it is. */
const past = ({ at, epoch }) => (at === null || at === undefined ? {} : { at, epoch });

const name = (seed) => encodeURIComponent(seed);

/** what: {seed, recipe, layer, variant, enc, bands, reg, size, v, key}; all but the seed may be left out. */
export const tileUrl = (what, { lod, x, y }, ext) =>
    `tile/${name(what.seed)}/${lod}/${x}/${y}.${ext}${query(about(what))}`;

/** A tile of the pyramid; {z}, {x} and {y} may be the words themselves, for templates. */
export const xyzUrl = (what, { z, x, y }, ext = 'png') =>
    `xyz/${name(what.seed)}/${z}/${x}/${y}.${ext}${query(about(what))}`;

export const template = (what, ext) => xyzUrl(what, { z: '{z}', x: '{x}', y: '{y}' }, ext);

export const regionUrl = (what, { lod, x0, y0, w, h }, ext) =>
    `region/${name(what.seed)}.${ext}${query({ x0, y0, w, h, lod, ...about(what) })}`;

/** With a place to begin at that costs nothing: a map need not stand on dry ground. */
export const worldUrl = ({ seed, recipe, v, key }) =>
    `world/${name(seed)}${query({ recipe, v, key, spawn: 'coarse' })}`;

/** Where a world's documents are that people change; and its marks. */
export const worldPath = (seed) => `world/${name(seed)}`;
export const marksUrl = (seed, at) => `${worldPath(seed)}/marks${query({ at })}`;

/** A model of what stands on ground, of no world. */
export const modelUrl = ({ name: of, seed }) => `model/${name(of)}.glb${query({ seed })}`;

/** The lines of paths in a window, as longitudes and latitudes of the map; and those of rivers. */
const linesUrl =
    (route) =>
    ({ seed, recipe, v, key }, { lod, x0, y0, w, h }) =>
        `${route}/${name(seed)}${query({ x0, y0, w, h, lod, crs: 'geographic', recipe, v, key })}`;
export const pathUrl = linesUrl('path');
export const riverUrl = linesUrl('river');

/* A plain decimal, as the server reads one. */
const plain = (value) => String(Number(value.toFixed(3)));

export const pointUrl = ({ seed, recipe, variant, v, key, ...rest }, place, lod) =>
    `point/${name(seed)}${query({ x: place && plain(place.x), y: place && plain(place.y), lod, recipe, variant, v, key, ...past(rest) })}`;

/** The way of a drop that falls on a place. */
export const downstreamUrl = ({ seed, recipe, v, key }, { x, y }) =>
    `downstream/${name(seed)}${query({ x: plain(x), y: plain(y), recipe, v, key })}`;

/** The nearest of a kind from a place. */
export const findUrl = ({ seed, recipe, v, key }, { what, x, y, limit, lod }) =>
    `find/${name(seed)}${query({ what, x: plain(x), y: plain(y), limit, lod, recipe, v, key })}`;

/**
 * Files in which a tile of a layer comes, as [label, ext, enc]; region: those that a window of samples comes
 * in.
 */
export function files(world, layer, region = false) {
    const described = world.layers.find((each) => each.name === layer);
    const list = [];
    for (const ext of described?.formats ?? []) {
        if (region && !['png', 'f32', 'r16', 'npy', 'tif'].includes(ext)) continue;
        if (ext === 'png' && described.encodings.length)
            for (const enc of described.encodings) list.push([`PNG, ${enc}`, ext, enc]);
        else list.push([{ tif: 'GeoTIFF', glb: 'glTF', npy: 'NumPy', geojson: 'GeoJSON', mvt: 'Vector tile' }[ext] ?? ext.toUpperCase(), ext, '']);
    }
    return list;
}
