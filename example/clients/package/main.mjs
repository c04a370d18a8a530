// The npm package as a page loads it: a dozen tiles of a server's world, made here with both builds, and its relief.

import { World } from "/js/index.js";

const server = new URLSearchParams(location.search).get("server");
const TILES = [
    { level: 0, layer: "height", variant: "base", size: 257 },
    { level: 0, layer: "normal", variant: "base", size: 65 },
    { level: 4, layer: "height", variant: "eroded", size: 257 },
    { level: 4, layer: "water", variant: "eroded", size: 256 },
    { level: 4, layer: "cover", variant: "eroded", size: 65 },
    { level: 4, layer: "river", variant: "eroded", size: 257 },
    { level: 5, layer: "surface", variant: "eroded", size: 129 },
    { level: 6, layer: "slope", variant: "eroded", size: 33 },
    { level: 8, layer: "climate", variant: "eroded", size: 257 },
    { level: 9, layer: "partition", variant: "base", size: 257 },
    { level: 12, layer: "aspect", variant: "base", size: 17 },
    { level: 24, layer: "height", variant: "base", size: 3 },
];
const places = TILES.map((tile) => ({ ...tile, x: -1027 >> Math.min(tile.level, 16), y: 850 >> Math.min(tile.level, 16) }));

async function served({ level, x, y, layer, variant, size }) {
    const answer = await fetch(`${server}/tile/42/${level}/${x}/${y}.f32?layer=${layer}&variant=${variant}&size=${size}`);
    return new Uint32Array(await answer.arrayBuffer());
}

/* Bits, since -0 and +0 are not the same. */
async function compare(vectors) {
    const world = await World.open({ server, world: "42", vectors, workers: 2 });
    const made = await Promise.all(places.map((tile) => world.tile(tile)));
    const wrong = [];
    for (const [k, tile] of places.entries()) {
        const want = await served(tile), bits = new Uint32Array(made[k].samples.buffer);
        if (bits.length !== want.length || bits.some((word, at) => word !== want[at])) wrong.push(tile);
    }
    return { world, kernels: world.facts.kernels, tiles: made.length, wrong };
}

const [scalar, vectors] = [await compare(false), await compare(undefined)];
scalar.world.close();
const { samples, width, height } = await vectors.world.tile({ level: 6, x: -17, y: 13, layer: "relief" });
const picture = new ImageData(width, height);
for (let k = 0; k < width * height; k++) picture.data.set([...samples.subarray(3 * k, 3 * k + 3), 255], 4 * k);
document.querySelector("canvas").getContext("2d").putImageData(picture, 0, 0);
vectors.world.close();
window.results = [scalar, vectors].map(({ kernels, tiles, wrong }) => ({ kernels, tiles, wrong }));
window.ready = true;
