/*
 * How the map library gets its tiles: plain://, tint://, cover://, veil:// and dem:// before a path of the server. What
 * a tint, a cover or a veil needs to know besides stands behind '#'. Coarse tiles are urgent: they are what is seen
 * where others are awaited.
 */
import { addProtocol, RasterDEMTileSource } from 'maplibre-gl';
import { Z_COARSE } from './style.js';
import { bedOf, blend, elevation, paint, veil } from './tint.js';

const Z_BED = 14; // from here on, where water is drawn over it, standing ground is that below the water

/* "tint://xyz/42/9/1/2.png?layer=slope#..." -> the path, its layer, and the rest */
function partsOf(url) {
    const [path, rest = ''] = url.slice(url.indexOf('://') + 3).split('#');
    return { path, rest, layer: new URLSearchParams(path.split('?')[1]).get('layer') ?? 'height' };
}

const bitmap = (data, side) =>
    createImageBitmap(new ImageData(data, side, side), { colorSpaceConversion: 'none' });

/*
 * Heights reach the library's workers as pixels that no canvas has touched: in place of an image, which it
 * would read back from one, it is given an empty one that carries them.
 */
function bypassCanvas() {
    const read = RasterDEMTileSource.prototype.readImageNow;
    RasterDEMTileSource.prototype.readImageNow = function readImageNow(image) {
        return image.pixels ? Promise.resolve(image.pixels) : read.call(this, image);
    };
}

/** {z, coarse}: a path's level in the pyramid, and the path of the coarse tile over its place. */
export function placeOf(path) {
    const [, head, ...rest] = /^(xyz\/[^/]+\/)(\d+)\/(\d+)\/(\d+)(\..*)$/.exec(path);
    const [z, x, y] = rest.map(Number);
    const up = Math.max(z - Z_COARSE, 0);
    return { z, coarse: `${head}${z - up}/${x >> up}/${y >> up}${rest[3]}` };
}

const lane = (path) => (placeOf(path).z <= Z_COARSE ? 'urgent' : 'usual');

/* What is drawn of a path, by the protocol: a bitmap, or a picture's bytes. ask: the loader, what ends it, its lane. */
const DRAWN = {
    async plain({ path }, { loader, signal, lane }) {
        const { bytes, rgba, side } = await loader.image(path, signal, lane);
        return bytes ?? bitmap(rgba, side);
    },
    async tint({ path, rest, layer }, { loader, signal, lane }) {
        const picture = await loader.picture(path, signal, lane);
        return bitmap(paint(layer, picture, Number(rest)), picture.width);
    },
    /* Four materials are a picture. */
    async cover({ path, rest }, { loader, signal, lane }) {
        const colours = rest.split(',').map((colour) => `#${colour}`);
        const paths = [path.replace('layer=cover', 'layer=water'), path];
        if (colours.length > 4) paths.push(`${path}&bands=1`);
        const [water, ...pictures] = await Promise.all(paths.map((each) => loader.picture(each, signal, lane)));
        return bitmap(blend(pictures, water, colours), water.width);
    },
    async veil({ path, rest }, { loader, signal }) {
        const picture = await loader.picture(path, signal);
        return bitmap(veil(picture, Number(rest)), picture.width);
    },
};

/** What one of these addresses shows: a bitmap, or the bytes of a picture. */
export function shown(loader, url, signal) {
    const parts = partsOf(url);
    return DRAWN[url.slice(0, url.indexOf('://'))](parts, { loader, signal, lane: lane(parts.path) });
}

export function addProtocols(loader) {
    for (const name of Object.keys(DRAWN))
        addProtocol(name, async ({ url }, { signal }) => ({ data: await shown(loader, url, signal) }));
    /* Coarse ground first: a fine tile on none would stand as a block. */
    addProtocol('dem', async ({ url }, { signal }) => {
        const { path, rest } = partsOf(url);
        await loader.picture(placeOf(path).coarse, signal, 'urgent');
        const surface = await loader.picture(path, signal, lane(path));
        const below = rest === 'bed' && placeOf(path).z >= Z_BED;
        const bed = below && (await loader.picture(path.replace('layer=surface&', ''), signal));
        const { data, side } = elevation(bed ? bedOf(surface, bed) : surface);
        return { data: Object.assign(new Image(), { pixels: new ImageData(data, side, side) }) };
    });
    bypassCanvas();
}
