/*
 * How the map library gets its tiles: plain://, tint://, veil:// and dem:// before a path of the server. What
 * a tint or a veil needs to know besides stands behind '#'.
 */
import { addProtocol, RasterDEMTileSource } from 'maplibre-gl';
import { elevation, paint, veil } from './tint.js';

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

export function addProtocols(loader) {
    addProtocol('plain', async ({ url }, { signal }) => ({
        data: await loader.bytes(partsOf(url).path, signal),
    }));
    addProtocol('tint', async ({ url }, { signal }) => {
        const { path, rest, layer } = partsOf(url);
        const picture = await loader.picture(path, signal);
        return { data: await bitmap(paint(layer, picture, Number(rest)), picture.width) };
    });
    addProtocol('veil', async ({ url }, { signal }) => {
        const { path, rest } = partsOf(url);
        const picture = await loader.picture(path, signal);
        return { data: await bitmap(veil(picture, Number(rest)), picture.width) };
    });
    addProtocol('dem', async ({ url }, { signal }) => {
        const { data, side } = elevation(await loader.picture(partsOf(url).path, signal));
        return { data: Object.assign(new Image(), { pixels: new ImageData(data, side, side) }) };
    });
    bypassCanvas();
}
