/*
 * The first view of a world is begun before there is a map: that takes the browser a while, in which workers, here or the server's,
 * can make what the map will ask for.
 */
import { levelAt, metresPerPixel, tileAt, tileMetres, toXyz } from './mercator.js';
import { compared, varies, xyzUrl } from './urls.js';

/** Tiles of a flat view of so many pixels, from its middle out: {z, x, y}. */
export function tilesOfView({ x, y, zoom }, { width, height }, spacing) {
    const lod = levelAt(zoom);
    const metres = metresPerPixel(zoom, spacing);
    const [first, last] = [-1, 1].map((way) => tileAt(x + (way * width * metres) / 2, y + (way * height * metres) / 2, lod, spacing));
    const middle = { x: x / tileMetres(lod, spacing) - 0.5, y: y / tileMetres(lod, spacing) - 0.5 };
    const tiles = [];
    for (let j = first.y; j <= last.y; j++)
        for (let i = first.x; i <= last.x; i++) tiles.push({ at: toXyz({ lod, x: i, y: j }), far: Math.hypot(i - middle.x, j - middle.y) });
    return tiles.filter(({ at }) => at).sort((a, b) => a.far - b.far).map(({ at }) => at);
}

const BEGUN = 4; // tiles that a server is asked for: others rest on their regions

const described = ({ seed, recipe, layer, at }, world) => ({ seed, recipe, v: world.generator, at, epoch: world.edits?.epoch, layer: layer === 'objects' ? 'relief' : layer });

/** Asks a server for those in the middle. */
export function beginThere({ loader, state, world, window }) {
    const what = { ...described(state, world), variant: compared(state) ? 'base' : state.variant || world.variant };
    for (const tile of tilesOfView(state, window, world.spacing_m).slice(0, BEGUN)) loader.begin(xyzUrl(what, tile));
}

/**
 * Asks for all that are made here: first the one in the middle, on whose regions others rest, then base ground, then the ground itself.
 * signal: the view goes elsewhere, and what the map did not ask for since is not wanted.
 */
export function beginView({ loader, state, world, window, signal }) {
    const { layer } = state;
    const of = (variant) => ({ ...described(state, world), variant });
    const usual = state.variant || world.variant;
    const tiles = tilesOfView(state, window, world.spacing_m);
    const ask = (tile, variant, lane) => loader.picture(xyzUrl(of(variant), tile), signal, lane).catch(() => {}); // the map asks again
    if (tiles.length) ask(tiles[0], usual, 'urgent');
    if (varies(layer)) for (const tile of tiles) ask(tile, 'base', 'usual');
    for (const tile of tiles) ask(tile, usual, 'usual');
}
