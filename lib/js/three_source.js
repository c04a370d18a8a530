// Where ground for three.js comes from: a server's tiles, or a World that makes them here.

import { records } from './objects.js';
import { rgbaOf } from './picture.js';

const AGAIN = 2; // seconds until what failed is asked for once more,
const AGAIN_MOST = 60; // ... whatever the server says
const TRIES = 4; // for what it says of the world
const NORMALS = 257;
const SPLAT = 129; // samples along a side of cover and water
const BANDS = 4; // materials in a picture of cover

const pause = (seconds, signal) =>
    new Promise((resolve) => {
        const timer = setTimeout(resolve, 1000 * seconds);
        signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });

const bytesOf = (answer) => answer.arrayBuffer();

/* A server: what it says of a world, and the parts of its tiles. */
class Served {
    #root;
    #world;
    #query;
    #ask;

    constructor({ server, world, query = {}, fetch: ask = fetch }) {
        if (server === undefined || world === undefined) throw new RangeError('server, world: one is missing');
        this.#root = `${server}`.replace(/\/*$/, '/');
        this.#world = encodeURIComponent(world);
        this.#query = { ...query };
        this.#ask = ask;
    }

    #url(path, query) {
        const url = new URL(path, this.#root);
        url.search = new URLSearchParams(Object.entries({ ...this.#query, ...query }).filter(([, value]) => value !== undefined));
        return url;
    }

    /* What read makes of an answer, however often it takes: a tile that is missing would be a hole. What is refused for good is an error; and, first, that nobody answers. */
    async #get(url, signal, read, first = false) {
        const ask = async () => {
            const answer = await this.#ask.call(globalThis, url, { signal });
            return answer.ok ? { got: await read(answer) } : answer; // a body may be cut off, too
        };
        for (let tries = 1; ; tries++) {
            const answer = await ask().catch((error) => (signal?.throwIfAborted(), error));
            if (answer.got !== undefined) return answer.got;
            if (first && answer.status === undefined) throw new Error(`${url}: ${answer.message}`, { cause: answer });
            if ((answer.status < 500 && answer.status !== 429) || (first && tries === TRIES)) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
            await pause(Math.min(Number(answer.headers?.get('retry-after')) || AGAIN, AGAIN_MOST), signal);
            signal?.throwIfAborted();
        }
    }

    async #tile({ level, x, y, signal }, ending, query, read = bytesOf) {
        return this.#get(this.#url(`tile/${this.#world}/${level}/${x}/${y}.${ending}`, query), signal, read);
    }

    async about() {
        const url = this.#url(`world/${this.#world}`);
        const about = await this.#get(url, undefined, (answer) => answer.json().catch(() => null), true);
        if (!(about?.spacing_m > 0)) throw new Error(`${url}: says nothing of a world`);
        this.#query.v ??= about.generator; // so that tiles may be kept
        return about;
    }

    samples = async (tile, layer, size) => new Float32Array(await this.#tile(tile, 'f32', { layer, size }));

    splat = async (tile, bands, size) => new Uint8Array(await this.#tile(tile, 'rgba8', { layer: 'cover', size, bands: bands || undefined }));

    async normals(tile, size) {
        const picture = await this.#tile(tile, 'png', { layer: 'normal', size }, (answer) => answer.blob());
        return createImageBitmap(picture, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
    }

    places = async (tile) => this.#tile(tile, 'bin', { layer: 'objects' });

    model = async (name, seed, signal) => this.#get(this.#url(`model/${name}.glb`, { seed }), signal, bytesOf);
}

/* A World; what it says of itself is given. model(name, seed) gets a model's bytes. */
class Made {
    #world;
    #about;

    constructor({ made, about, model }) {
        this.#world = made;
        this.#about = about;
        this.model = model;
    }

    about = async () => this.#about;
    samples = async (tile, layer, size) => (await this.#world.tile({ ...tile, layer, size })).samples;
    splat = async (tile, bands, size) => (await this.#world.picture({ ...tile, layer: 'cover', bands, size })).data;
    normals = async (tile, size) => ({ data: rgbaOf(await this.#world.picture({ ...tile, layer: 'normal', size })), width: size, height: size });
    places = async (tile) => this.#world.places(tile);
}

/* Weights of grass, rock, sand and snow, where a recipe has no cover. */
function guessed(heights, side, step, { sea_m: sea = 0 }) {
    const out = new Uint8Array(4 * SPLAT * SPLAT), by = (side - 1) / (SPLAT - 1);
    for (let j = 0; j < SPLAT; j++)
        for (let i = 0; i < SPLAT; i++) {
            const at = (a, b) => heights[Math.min(b, SPLAT - 1) * by * side + Math.min(a, SPLAT - 1) * by];
            const here = at(i, j), a = Math.min(i, SPLAT - 2), b = Math.min(j, SPLAT - 2); // the last column and row have the slopes before them
            const steep = Math.hypot(at(a + 1, j) - at(a, j), at(i, b + 1) - at(i, b)) / (step * by);
            const rock = Math.min(Math.max(2 * steep - 1, 0), 1), soft = 255 * (1 - rock);
            const kind = here < sea + 3 ? 2 : here > sea + 2500 ? 3 : 0, k = 4 * (j * SPLAT + i);
            out[k + kind] = soft;
            out[k + 1] = 255 - out[k + kind];
        }
    return out;
}

export const GUESSED = [
    { name: 'grass', colour: '#7c9257' },
    { name: 'rock', colour: '#85807a' },
    { name: 'sand', colour: '#dcc28c' },
    { name: 'snow', colour: '#e4eaf0' },
];

/** options: { server, world, query, fetch }, or { made, about, model }. about: what /world/{seed} of a server says. */
export async function openSource(options) {
    const from = options.made ? new Made(options) : new Served(options);
    const about = options.about ?? (await from.about());
    const things = about.objects ?? [], coarsest = Math.max(-1, ...things.map(({ level }) => level));
    const bands = Math.ceil((about.cover ?? []).length / BANDS);
    const spacing = about.spacing_m;

    /* { heights, side, depths, normals, splats, things } of a tile, which has side samples along a side. */
    async function tile(tile, side) {
        const step = (256 / (side - 1)) * spacing * 2 ** tile.level;
        const [heights, depths, normals, places, ...splats] = await Promise.all([
            from.samples(tile, 'height', side),
            from.samples(tile, 'water', SPLAT),
            from.normals(tile, NORMALS),
            tile.level <= coarsest ? from.places(tile) : null,
            ...Array.from({ length: bands }, (_, band) => from.splat(tile, band, SPLAT)),
        ]);
        const wet = depths.some((depth) => depth > 0);
        return {
            heights, side, normals,
            depths: wet ? depths : null,
            splats: bands ? splats : [guessed(heights, side, step, about)],
            things: places ? records(places) : [],
        };
    }

    return { about, spacing, tile, model: (name, seed, signal) => from.model(name, seed, signal), SPLAT, NORMALS };
}
