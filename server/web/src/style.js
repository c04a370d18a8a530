/*
 * The map library's style of a world: the layer that is shown, the same of coarse levels below it where a
 * tile is still awaited, light over it, a veil that picks a zone out, and heights to stand it up with. Pure.
 *
 * The coarsest level is a single tile: once it is there it is never dropped, and no place is bare. (Standing
 * ground takes tiles that are up to 13 levels coarser than its own.) Where tiles are made here base ground, which takes
 * milliseconds, stands for the coarse one, tile by tile, and there is nothing between it and the coarsest: that took as long to make and to draw.
 */
import { Z0, metresPerPixel } from './mercator.js';
import { TINTS } from './tint.js';
import { template, varies } from './urls.js';

/** Up to here tiles are few, and wide: two thousand kilometres where a sample of level 0 is a metre. */
export const Z_COARSE = 5;
const LEVELS = { wide: 0, mid: 2, under: Z_COARSE, base: Z0 }; // the finest of each layer of a stack
/* ... and the zooms at which it is wanted: from farther the finest has the same tiles, from nearer a finer coarse one is enough. */
const ZOOMS = { mid: { minzoom: LEVELS.mid - 0.5, maxzoom: Z_COARSE }, under: { minzoom: Z_COARSE - 0.5 } };
const BOUNDS = [-180, -85.051128, 180, 85.051128];

/** The addresses of each source. what: {seed, recipe, variant, v}. */
export function addresses(state, world, variant) {
    const what = { seed: state.seed, recipe: state.recipe, variant, v: world.generator, at: state.at, epoch: world.edits?.epoch };
    const layer = state.layer === 'objects' ? 'relief' : state.layer; // they stand on it
    const shownOf = (of) => {
        const base = template({ ...what, layer, variant: of });
        if (TINTS[layer]) return `tint://${base}#${world.sea_m ?? 0}`;
        if (layer === 'cover') return `cover://${base}#${(world.cover ?? []).map(({ colour }) => colour.slice(1)).join()}`;
        return `plain://${base}`;
    };
    /* of pixels' middles, which the library takes them for */
    const ground = `dem://${template({ ...what, layer: 'surface', enc: 'terrarium', reg: 'center' })}`;
    return {
        shown: shownOf(variant),
        draft: world.made && varies(layer) && variant !== 'base' ? shownOf('base') : undefined,
        veil: `veil://${template({ ...what, layer: 'partition' })}#${state.zone ?? 0}`,
        dem: `${ground}#bed`,
        light: ground,
        vectors: `plain://${template(what, 'mvt')}`,
    };
}

const visible = (yes) => ({ visibility: yes ? 'visible' : 'none' });

export function lightOf({ sun }) {
    return {
        'hillshade-method': 'basic',
        'hillshade-exaggeration': 0.35,
        'hillshade-illumination-anchor': 'map',
        'hillshade-illumination-direction': sun?.azimuth ?? 315,
        'hillshade-illumination-altitude': sun?.altitude ?? 35,
        'hillshade-shadow-color': 'rgba(18, 20, 44, 0.75)',
        'hillshade-highlight-color': 'rgba(255, 250, 228, 0.45)',
    };
}

const raster = (tiles, maxzoom = Z0) => ({
    type: 'raster',
    tiles: [tiles],
    tileSize: 256,
    minzoom: 0,
    maxzoom,
    bounds: BOUNDS,
});

const heights = (tiles) => ({ ...raster(tiles), type: 'raster-dem', encoding: 'terrarium' });

/** Sources of the k-th stack of layers, coarsest first, by names that are their layers', too. */
export function stackSources(k, at) {
    const levels = Object.entries(LEVELS).filter(([name]) => name !== 'mid' || !at.draft);
    const sources = levels.map(([name, finest]) => [`${name}-${k}`, raster(at.shown, finest)]);
    return { ...Object.fromEntries(sources), ...(at.draft && { [`under-${k}`]: raster(at.draft) }) };
}

/** Of a stack's layer those that are finer, and lie over it. */
export function finerThan(id) {
    const [name, k] = id.split('-');
    const names = Object.keys(LEVELS);
    return names.includes(name) ? names.slice(names.indexOf(name) + 1).map((each) => `${each}-${k}`) : [];
}

/** Layers of a stack. fade, swap: milliseconds in which a tile appears, and the whole. */
export const stackOf = (k, at, { resampling: way, fade, opacity = 1, swap = 0 }) =>
    Object.keys(stackSources(k, at)).map((id) => ({
        id,
        type: 'raster',
        source: id,
        ...(at.draft ? {} : ZOOMS[id.split('-')[0]]),
        paint: {
            'raster-fade-duration': fade,
            'raster-resampling': way,
            'raster-opacity': opacity,
            'raster-opacity-transition': { duration: swap, delay: 0 },
        },
    }));

const NO_LINES = { type: 'FeatureCollection', features: [] };

const vectors = (tiles) => ({ type: 'vector', tiles: [tiles], minzoom: 1, maxzoom: Z0, bounds: BOUNDS });

/** Sources of vector tiles: contours, and names, of which the map shows other tiles (labels.js). */
export const OF_VECTORS = ['vectors', 'labels'];

/** What lies over the stack, and how heights are had: {name: source}. */
export const otherSources = (at) => ({
    veil: raster(at.veil),
    dem: heights(at.dem),
    light: heights(at.light),
    ...Object.fromEntries(OF_VECTORS.map((name) => [name, vectors(at.vectors)])),
    rivers: { type: 'geojson', data: NO_LINES },
    objects: { type: 'geojson', data: NO_LINES },
    ways: { type: 'geojson', data: NO_LINES },
    drop: { type: 'geojson', data: NO_LINES },
    marks: { type: 'geojson', data: NO_LINES },
});

/* Of what is drawn over the layer: hidden until there is some of it. */
const NONE_YET = { visibility: 'none' };
const ROUND = { ...NONE_YET, 'line-cap': 'round', 'line-join': 'round' };

/* From far by a root of what they carry, so that small ones are to be seen beside great ones; from near as wide as they are. */
const ROOT = ['^', ['max', ['get', 'discharge_m3s'], 0], 0.25];
// trunk roads are twice as wide as lanes
const onRoads = (width) => ['match', ['get', 'rank'], 'trunk', 2 * width, width];

export const riverWidth = (world) => [
    'interpolate',
    ['exponential', 2],
    ['zoom'],
    5,
    ['*', ROOT, 0.8],
    10,
    ['*', ROOT, 1.6],
    17,
    ['max', ['/', ['get', 'width_m'], metresPerPixel(17, world.spacing_m)], 1.5],
    20,
    ['max', ['/', ['get', 'width_m'], metresPerPixel(20, world.spacing_m)], 1.5],
];

/** The vector tiles' layers, and whether a state shows them: tiles are asked for only where some are. */
export const VECTORS = {
    contours: (state) => state.contours,
    heights: (state) => state.contours,
    streams: (state) => state.names,
    lakes: (state) => state.names,
    seas: (state) => state.names,
    ranges: (state) => state.names,
    tracts: (state) => state.names,
    places: (state) => state.names,
    peaks: (state) => state.names,
};

const OF_KIND = (...kinds) => ['in', ['get', 'kind'], ['literal', kinds]];
const ON_LAND = { 'text-color': '#1d1408', 'text-halo-color': 'rgba(255, 252, 240, 0.9)', 'text-halo-width': 1.6 };
const WIDE_TRACT = 5; // what a zoom is more than the rank of a tract that is half a screen wide there
const WATERS = { 'text-color': '#0e3d6b', 'text-halo-color': 'rgba(244, 250, 255, 0.9)', 'text-halo-width': 1.5 };

/** Names of what a filter lets through, the greatest first. */
const label = (state, id, filter, layout, paint) => ({
    id,
    type: 'symbol',
    source: 'labels',
    'source-layer': 'label',
    filter,
    layout: {
        ...visible(VECTORS[id](state)),
        'text-field': ['get', 'name'],
        'text-font': ['system-ui', 'sans-serif'],
        'symbol-sort-key': ['get', 'rank'],
        ...layout,
    },
    paint,
});

export const contourColour = ({ sea_m: sea }) => ['case', ['<', ['get', 'ele'], sea ?? 0], '#bfe0f5', '#4a2c12'];

export const otherLayers = (state, world, fade) => [
    { id: 'light', type: 'hillshade', source: 'light', layout: visible(state.sun), paint: lightOf(state) },
    {
        id: 'veil',
        type: 'raster',
        source: 'veil',
        layout: visible(state.zone !== null),
        paint: { 'raster-fade-duration': fade, 'raster-resampling': 'nearest' },
    },
    {
        id: 'contours',
        type: 'line',
        source: 'vectors',
        'source-layer': 'contour',
        layout: visible(VECTORS.contours(state)),
        paint: {
            'line-color': contourColour(world),
            'line-opacity': ['match', ['get', 'level'], 1, 0.75, 0.4],
            'line-width': ['match', ['get', 'level'], 1, 1.2, 0.7],
        },
    },
    {
        id: 'heights',
        type: 'symbol',
        source: 'vectors',
        'source-layer': 'contour',
        filter: ['==', ['get', 'level'], 1],
        layout: {
            ...visible(VECTORS.heights(state)),
            'symbol-placement': 'line',
            'symbol-spacing': 400,
            'text-field': ['concat', ['to-string', ['get', 'ele']], ' m'],
            'text-font': ['system-ui', 'sans-serif'],
            'text-size': 11,
        },
        paint: { 'text-color': '#3a2008', 'text-halo-color': 'rgba(255, 252, 240, 0.85)', 'text-halo-width': 1.4 },
    },
    {
        id: 'rivers',
        type: 'line',
        source: 'rivers',
        layout: ROUND,
        paint: { 'line-color': '#1f6fae', 'line-opacity': 0.85, 'line-width': riverWidth(world) },
    },
    {
        id: 'bridges',
        type: 'line',
        source: 'ways',
        filter: ['==', ['get', 'kind'], 'bridge'],
        layout: NONE_YET,
        paint: {
            'line-color': '#f4efe6',
            'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 10, 1.6, 15, 6, 20, 14],
        },
    },
    {
        id: 'ways',
        type: 'line',
        source: 'ways',
        filter: ['!', ['has', 'kind']],
        layout: ROUND,
        paint: {
            'line-color': '#8a2b0e',
            'line-opacity': 0.85,
            'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 10, onRoads(0.8), 15, onRoads(2.5), 20, onRoads(6)],
        },
    },
    label(state, 'streams', OF_KIND('river'), {
        'text-size': ['interpolate', ['linear'], ['get', 'rank'], 2, 14, 8, 11],
        'text-rotate': ['get', 'angle'],
        'text-rotation-alignment': 'map',
        'text-pitch-alignment': 'viewport',
        'text-letter-spacing': 0.12,
        'text-offset': [0, -0.8],
    }, WATERS),
    label(state, 'lakes', OF_KIND('lake'), { 'text-size': 12 }, WATERS),
    label(state, 'seas', OF_KIND('sea', 'bay', 'bank'), {
        'text-size': ['match', ['get', 'kind'], ['bay', 'bank'], 12, ['interpolate', ['linear'], ['get', 'rank'], 1, 17, 5, 13]],
        'text-letter-spacing': 0.25,
    }, { 'text-color': '#e4f0fb', 'text-halo-color': 'rgba(8, 40, 84, 0.75)', 'text-halo-width': 1.4 }),
    label(state, 'ranges', OF_KIND('range'), {
        'text-size': ['interpolate', ['linear'], ['get', 'rank'], 1, 17, 7, 12],
        'text-letter-spacing': 0.25,
        'text-transform': 'uppercase',
        'text-rotate': ['get', 'angle'],
        'text-rotation-alignment': 'map',
        'text-pitch-alignment': 'viewport',
    }, { 'text-color': '#4a2c12', 'text-halo-color': 'rgba(255, 252, 240, 0.8)', 'text-halo-width': 1.4 }),
    /* Those that are wider than their names. */
    label(state, 'tracts', ['all', OF_KIND('tract'), ['<=', ['get', 'rank'], ['max', 1, ['-', ['zoom'], WIDE_TRACT]]]], {
        'text-field': ['format', ['get', 'name'], {}, ['concat', '\n', ['get', 'zone']], { 'font-scale': 0.85 }],
        'text-size': 13,
        'text-letter-spacing': 0.15,
    }, { 'text-color': '#28331a', 'text-halo-color': 'rgba(255, 252, 240, 0.85)', 'text-halo-width': 1.4 }),
    label(state, 'places', OF_KIND('town', 'village', 'cape', 'island'), {
        'text-size': ['match', ['get', 'kind'], 'town', 15, 'island', 13, 12],
        'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
        'text-radial-offset': 0.6,
    }, ON_LAND),
    /* The triangle stands on the summit. */
    label(state, 'peaks', OF_KIND('peak'), {
        'text-field': ['format', '\u25b2', { 'font-scale': 0.8 }, ['concat', '\n', ['get', 'name']], {}, ['concat', '\n', ['to-string', ['round', ['get', 'ele']]]], { 'font-scale': 0.85 }],
        'text-size': 12,
        'text-anchor': 'top',
        'text-offset': [0, -0.6],
        'text-line-height': 1.1,
    }, ON_LAND),
    {
        id: 'marks',
        type: 'circle',
        source: 'marks',
        layout: NONE_YET,
        paint: { 'circle-color': '#d1495b', 'circle-radius': 4.5, 'circle-stroke-color': '#ffffff', 'circle-stroke-width': 1.5 },
    },
    {
        id: 'mark-names',
        type: 'symbol',
        source: 'marks',
        layout: {
            ...NONE_YET,
            'text-field': ['get', 'name'],
            'text-font': ['system-ui', 'sans-serif'],
            'text-size': 13,
            'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
            'text-radial-offset': 0.7,
        },
        paint: { 'text-color': '#5c1220', 'text-halo-color': 'rgba(255, 252, 240, 0.92)', 'text-halo-width': 1.6 },
    },
    {
        id: 'objects',
        type: 'circle',
        source: 'objects',
        layout: NONE_YET,
        paint: {
            'circle-color': ['get', 'colour'],
            'circle-radius': ['interpolate', ['exponential', 2], ['zoom'], 14, 1, 17, 2.5, 20, 16],
            'circle-stroke-color': 'rgba(20, 24, 20, 0.55)',
            'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 15, 0, 17, 0.8],
        },
    },
    {
        id: 'drop',
        type: 'line',
        source: 'drop',
        layout: ROUND,
        paint: { 'line-color': '#ffd166', 'line-width': 3 },
    },
];

/** fade: milliseconds in which a tile appears. */
export function styleOf(state, world, variant, fade) {
    const at = addresses(state, world, variant);
    return {
        version: 8,
        sources: { ...stackSources(0, at), ...otherSources(at) },
        layers: [...stackOf(0, at, { resampling: resampling(state), fade }), ...otherLayers(state, world, fade)],
    };
}

/** A style to print: `dense` tiles where one would lie, along each side; and ground that stands as its water does, since none is drawn over a bed there. */
export const toPrint = ({ sources, ...style }, dense) => ({
    ...style,
    sources: { ...sources, 'base-0': { ...sources['base-0'], tileSize: sources['base-0'].tileSize / dense }, dem: sources.light },
});

/* Layers of which a pixel is one thing or another. */
const OF_KINDS = ['partition', 'path', 'cave'];

export const resampling = ({ layer }) => (OF_KINDS.includes(layer) ? 'nearest' : 'linear');

export const SKY = {
    'sky-color': '#8fb4d6',
    'horizon-color': '#e6edf2',
    'fog-color': '#dde6ec',
    'sky-horizon-blend': 0.6,
    'horizon-fog-blend': 0.6,
    'fog-ground-blend': 0.85,
};
