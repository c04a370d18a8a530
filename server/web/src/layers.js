/*
 * What the map shows: its layers, by what they are of, and what may lie over them. A row each; pure.
 */
import { varies } from './urls.js';

export const LAYER_NAMES = {
    relief: ['Relief', 'The map in colours'],
    hillshade: ['Shade', 'Light and shadow alone'],
    height: ['Height', 'Metres above the sea, in steps of colour'],
    normal: ['Normals', 'Which way the ground faces'],
    partition: ['Zones', 'Where each zone lies'],
    slope: ['Slope', 'How steep it is'],
    water: ['Water', 'How deep seas and lakes are'],
    flow: ['Flow', 'Where rain ran'],
    delta: ['Change', 'What erosion took and laid down'],
    path: ['Paths', 'Where paths are, and what leads over to the ground'],
    cave: ['Caves', 'Where there are caves below, and where they open'],
    river: ['Rivers', 'How much water they carry'],
    climate: ['Climate', 'How warm it is, and how wet'],
    cover: ['Cover', 'What covers the ground'],
    objects: ['Objects', 'Where trees, shrubs and rocks stand'],
};

/** In the order of the menu: every layer is in one of them. */
export const GROUPS = [
    ['Ground', ['relief', 'hillshade', 'height', 'slope', 'normal', 'partition', 'delta', 'cave']],
    ['Water', ['water', 'river', 'flow']],
    ['Life', ['cover', 'objects', 'climate']],
    ['Works', ['path']],
];

/**
 * Over the layer: the state's name, the key that switches it, words; what somebody has to give for it (given.js), and whether a
 * world has any.
 */
export const OVER = [
    { id: 'paths', key: 'l', text: 'Lines of paths and rivers', needs: 'river', has: ({ paths, rivers }) => Boolean(paths || rivers) },
    { id: 'names', key: 'n', text: 'Names of places, peaks and water', needs: 'xyz.mvt', has: () => true },
    { id: 'contours', key: 'o', text: 'Contours, with their heights', needs: 'xyz.mvt', has: () => true },
    { id: 'grid', key: 't', text: 'Tiles and their names', has: () => true },
];

const OF_EROSION = ['flow', 'delta'];

/** Whether a layer without anything to show is told of all the same. */
export const isTold = (layer) => OF_EROSION.includes(layer);

/** Whether a world has anything to show of a layer. */
export function hasLayer(world, layer) {
    if (OF_EROSION.includes(layer)) return world.variants.includes('eroded');
    if (layer === 'river') return Boolean(world.rivers);
    if (layer === 'cover') return Boolean(world.cover?.length);
    if (layer === 'objects') return Boolean(world.objects?.length);
    if (layer === 'climate') return world.layers.some(({ name }) => name === 'climate');
    return layer === 'path' ? Boolean(world.paths) : layer !== 'cave' || Boolean(world.caves);
}

/** Why a layer cannot be compared before and after erosion; '' where it can. */
export function incomparable(layer) {
    if (varies(layer)) return '';
    if (layer === 'path' || layer === 'cave')
        return `There is one kind of ${layer}s: nothing to compare them with.`;
    if (layer === 'river') return 'Rivers are of finished ground alone: there is nothing to compare them with.';
    return OF_EROSION.includes(layer)
        ? `${LAYER_NAMES[layer][0]} is of erosion itself: there is nothing to compare it with.`
        : `${LAYER_NAMES[layer][0]} are the same before and after erosion: nothing to compare.`;
}
