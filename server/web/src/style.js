/*
 * The map library's style of a world: the layer that is shown, the same of a coarse level below it where a
 * tile is still awaited, light over it, a veil that picks a zone out, and heights to stand it up with. Pure.
 */
import { Z0 } from './mercator.js';
import { TINTS } from './tint.js';
import { template } from './urls.js';

const Z_UNDER = 5; // of few tiles: one is two thousand kilometres where a sample of level 0 is a metre
const BOUNDS = [-180, -85.051128, 180, 85.051128];

/** The addresses of each source. what: {seed, recipe, variant, v}. */
export function addresses(state, world, variant) {
    const what = { seed: state.seed, recipe: state.recipe, variant, v: world.generator };
    const layer = state.layer;
    const base = template({ ...what, layer });
    const shown = TINTS[layer] ? `tint://${base}#${world.sea_m ?? 0}` : `plain://${base}`;
    return {
        under: shown,
        base: shown,
        veil: `veil://${template({ ...what, layer: 'partition' })}#${state.zone ?? 0}`,
        dem: `dem://${template({ ...what, layer: 'surface', enc: 'terrarium' })}`,
        light: `dem://${template({ ...what, layer: 'surface', enc: 'terrarium' })}`,
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

/** fade: milliseconds in which a tile appears. */
export function styleOf(state, world, variant, fade) {
    const at = addresses(state, world, variant);
    const raster = (tiles) => ({
        type: 'raster',
        tiles: [tiles],
        tileSize: 256,
        minzoom: 0,
        maxzoom: Z0,
        bounds: BOUNDS,
    });
    const heights = (tiles) => ({ ...raster(tiles), type: 'raster-dem', encoding: 'terrarium' });
    const paint = { 'raster-fade-duration': fade };
    return {
        version: 8,
        sources: {
            under: { ...raster(at.under), maxzoom: Z_UNDER },
            base: raster(at.base),
            veil: raster(at.veil),
            dem: heights(at.dem),
            light: heights(at.light),
        },
        layers: [
            ...['under', 'base'].map((name) => ({
                id: name,
                type: 'raster',
                source: name,
                paint: { ...paint, 'raster-resampling': resampling(state) },
            })),
            {
                id: 'light',
                type: 'hillshade',
                source: 'light',
                layout: visible(state.sun),
                paint: lightOf(state),
            },
            {
                id: 'veil',
                type: 'raster',
                source: 'veil',
                layout: visible(state.zone !== null),
                paint: { ...paint, 'raster-resampling': 'nearest' },
            },
        ],
    };
}

export const resampling = ({ layer }) => (layer === 'partition' ? 'nearest' : 'linear');

export const SKY = {
    'sky-color': '#8fb4d6',
    'horizon-color': '#e6edf2',
    'fog-color': '#dde6ec',
    'sky-horizon-blend': 0.6,
    'horizon-fog-blend': 0.6,
    'fog-ground-blend': 0.85,
};
