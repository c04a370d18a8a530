// Maps: the tiles of the server's /xyz, and MapLibre's addProtocol.

import { rgbaOf } from './picture.js';

const Z0 = 18; // the zoom of level 0
const ADDRESS = /^terrane:\/\/(\d+)\/(\d+)\/(\d+)(?:\?(.*))?$/;
const CORNERS = [[-1, -1], [0, -1], [-1, 0], [0, 0]];

/* Of four pictures the quarters that meet in their middle; with the far edge the last ones are a pixel larger. */
function joined(pictures) {
    const { data, width, height, channels } = pictures[0];
    const out = new data.constructor(data.length);
    const half = { x: width >> 1, y: height >> 1 };
    const row = (y, x) => channels * (y * width + x);
    pictures.forEach((picture, k) => {
        const [right, below] = [k % 2, k >> 1];
        const [wide, tall] = [right ? width - half.x : half.x, below ? height - half.y : half.y];
        for (let j = 0; j < tall; j++) {
            const from = row(j + (below ? 0 : half.y), right ? 0 : half.x);
            out.set(picture.data.subarray(from, from + channels * wide), row(j + below * half.y, right * half.x));
        }
    });
    return { ...pictures[0], data: out };
}

/** A map's tile as world.picture() has it. Zoom 18 is level 0; the one tile of zoom 0 has the world's origin in its middle. */
export async function mapPicture(world, { z, x, y, ...rest }) {
    const within = (number, end) => Number.isInteger(number) && number >= 0 && number < end;
    if (!within(z, Z0 + 1) || !within(x, 2 ** z) || !within(y, 2 ** z)) throw new RangeError(`${z}/${x}/${y}: there are z from 0 to ${Z0}, and x and y from 0 to 2^z - 1`);
    const level = Z0 - z, half = 2 ** (z - 1);
    if (z > 0) return world.picture({ ...rest, level, x: x - half, y: y - half });
    return joined(await Promise.all(CORNERS.map(([west, north]) => world.picture({ ...rest, level, x: west, y: north }))));
}

/** addProtocol('terrane', protocol(world)): sources then have tiles at 'terrane://{z}/{x}/{y}?layer=relief'; variant= and, of heights, center=1 as well. */
export const protocol = (world) => async ({ url }, { signal }) => {
    const [, z, x, y, query] = ADDRESS.exec(url) ?? [];
    if (z === undefined) throw new RangeError(`${url}: not terrane://{z}/{x}/{y}`);
    const { layer, variant, center } = Object.fromEntries(new URLSearchParams(query));
    const picture = await mapPicture(world, { z: Number(z), x: Number(x), y: Number(y), layer, variant, center: center === '1', signal });
    const pixels = new ImageData(rgbaOf(picture), picture.width, picture.height);
    return { data: await createImageBitmap(pixels, { colorSpaceConversion: 'none' }) };
};
