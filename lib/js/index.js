// Worlds of terrane, made where this runs: the library itself, as WebAssembly, in workers. README.md tells how.

import { Terrane, TerraneError } from './module.js';
import { Mixed } from './mixed.js';
import { bytesOf, processors } from './platform.js';
import { pictureOfNumbers, pictureOfPixels, rgbaOf } from './picture.js';
import { linesOf } from './lines.js';
import { Pool } from './pool.js';
import { readSeed } from './seed.js';
import { Server } from './server.js';
import { termsOf } from './terms.js';

export { TerraneError, rgbaOf };

/* (module (func (result v128) i32.const 0 i8x16.splat i8x16.popcnt)): whoever takes it has vectors. */
const VECTORS = Uint8Array.of(
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
);
const SHIPPED = /^[a-z][a-z0-9_-]{0,63}$/;
const SIZES = 'size is neither 2^k from 2 to 256 nor 2^k + 1 from 3 to 257';
const CENTERED = new Set(['height', 'surface', 'delta']);
const MEGABYTE = 2 ** 20;

const modules = new Map(); // file -> what compiles it, once for all worlds

function moduleOf(vectors) {
    const file = vectors ? './terrane.wasm' : './terrane-scalar.wasm';
    if (!modules.has(file)) {
        const module = bytesOf(new URL(file, import.meta.url)).then((bytes) => WebAssembly.compile(bytes));
        module.catch(() => modules.delete(file)); // who asks again has another try
        modules.set(file, module);
    }
    return modules.get(file);
}

/* The text of a recipe that ships, out of the package's folder. */
const ofFolder = async (file) => new TextDecoder().decode(await bytesOf(new URL(`./recipes/${file}.json`, import.meta.url)));

/* A recipe that ships: as a generator had it, where one is asked for. */
async function shipped(name, generator, recipes) {
    const file = generator === undefined ? name : `${whole('generator', generator)}/${name}`;
    try {
        return await recipes(file);
    } catch (error) {
        const whose = generator === undefined ? '' : ` in generator ${generator}`;
        throw new TerraneError(`recipe: none that ships is called "${name}"${whose}`, { cause: error });
    }
}

/* A recipe's text: of an object, a text, or the name of one that ships; of a generator, where one is asked for. */
async function textOf(recipe, generator, recipes) {
    let text = recipe;
    if (typeof recipe === 'object' && recipe !== null) text = JSON.stringify(recipe);
    else if (typeof recipe !== 'string') throw new TypeError('recipe: must be an object, JSON text, or the name of a recipe that ships');
    else if (SHIPPED.test(recipe)) text = await shipped(recipe, generator, recipes);
    if (generator === undefined) return text;
    try {
        return JSON.stringify({ ...JSON.parse(text), generator });
    } catch {
        return text; // the library says what is wrong with it
    }
}

/* A world opened in a planner: its recipe's text and the seed's number. */
async function opened(planner, { recipe = 'continents', generator, seed }, recipes) {
    const text = await textOf(recipe, generator, recipes);
    const number = readSeed(seed, (name) => planner.seedOfName(name));
    planner.open(text, number);
    return { text, number };
}

const told = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(1));

function checkCost({ cost, seconds }, { cost: mostCost = 2000, seconds: mostSeconds = 5 } = {}) {
    if (!(cost <= mostCost)) throw new TerraneError(`costs as much as ${told(cost)} octaves of lattice noise: allowed at most ${mostCost}`);
    if (!(seconds <= mostSeconds))
        throw new TerraneError(`a tile that nothing is kept of takes ${told(seconds)} s with scalar kernels: allowed at most ${mostSeconds}`);
}

/* A word's place among those there are. */
function placeOf(what, word, words) {
    const at = words.indexOf(word);
    if (at < 0) throw new RangeError(`${what}: "${word}" is none of ${words.join(', ')}`);
    return at;
}

function whole(what, number) {
    const shown = { string: `"${number}"`, bigint: `${number}n` }[typeof number] ?? number;
    if (!Number.isSafeInteger(number)) throw new RangeError(`${what}: ${shown} is no whole number`);
    return number;
}

/* A share of tiles. */
function shareOf(verify) {
    if (typeof verify === 'number' && verify >= 0 && verify <= 1) return verify;
    throw new RangeError(`verify: ${verify} is no share: allowed 0 .. 1`);
}

export class World {
    #pool;
    #mixed; // with the server's; undefined: there is none
    #facts;
    #pictures;
    #planner;

    static async open({
        recipe, seed, generator, server, world, query, verify = 1 / 16, differs, workers, budget = 256 * MEGABYTE, limits, vectors, fetch: ask = globalThis.fetch,
        recipes = ofFolder,
    } = {}) {
        const share = shareOf(verify);
        if (!(budget >= 0)) throw new RangeError(`budget: ${budget} is no number of bytes`);
        const name = world ?? seed;
        if (server !== undefined && name === undefined) throw new RangeError('world: what the server calls it is missing');
        const theirs = server === undefined ? undefined : await Server.open(server, `${name}`, generator === undefined ? { ...query } : { ...query, v: generator }, ask);
        const module = await moduleOf(vectors ?? WebAssembly.validate(VECTORS));
        const planner = await Terrane.of(module);
        const asked = { recipe: recipe ?? theirs?.recipe, generator: generator ?? theirs?.facts.generator, seed: theirs ? theirs.facts.seed : seed };
        const { text, number } = await opened(planner, asked, recipes).catch((error) => {
            throw theirs ? new TerraneError(`${server}: ${error.message}`, { cause: error }) : error; // what it says of the world may be what is wrong
        });
        const facts = planner.facts();
        if (theirs && theirs.facts.world !== facts.digest)
            throw new TerraneError(`${server}: its recipe "${theirs.facts.recipe}" is another than the one here: give the server's as recipe`);
        checkCost(facts, limits);
        const most = Math.max(1, whole('workers', workers ?? Math.max(1, Math.min(8, (await processors()) - 1))));
        const made = new World();
        made.#facts = Object.freeze({ ...facts, seed: number });
        made.#pictures = planner.pictures();
        made.#planner = planner;
        made.#pool = await Pool.of(planner, { module, text, seed: number }, { workers: most, budget });
        if (theirs) {
            const digestOf = (samples) => planner.digestOf(samples);
            theirs.layers = facts.layers;
            made.#mixed = new Mixed(made.#pool, theirs, { digestOf, workers: most, verify: share, differs });
        }
        return made;
    }

    get facts() {
        return this.#facts;
    }

    /** What the server was found to differ in; undefined: in nothing so far. */
    get different() {
        return this.#mixed?.different;
    }

    stats() {
        return { ...this.#pool.stats(), ...this.#mixed?.stats() };
    }

    /* A tile in the module's words, checked. */
    #tileOf({ level, x, y, layer = 'height', variant = this.#facts.variant, size }, form) {
        const { layers, variants } = this.#facts;
        const words = {
            level: Math.max(-1, Math.min(99, whole('level', level))), // the library tells which there are
            x: whole('x', x),
            y: whole('y', y),
            layer: placeOf('layer', layer, Object.keys(layers)),
            variant: placeOf('variant', variant, variants),
            size: whole('size', size),
            form,
        };
        const power = size - (size % 2);
        if (size > 257 || size < 2 || (power & (power - 1)) !== 0) throw new TerraneError(SIZES);
        return { level, x, y, layer, variant, size, words };
    }

    async #had(tile, options) {
        if (!(typeof options.priority === 'number' && options.priority === options.priority)) throw new RangeError(`priority: ${options.priority} is no number`);
        if (this.#mixed) return this.#mixed.tile(tile, options);
        const { buffer } = await this.#pool.make(tile.words, options);
        return tile.words.form === 'samples' ? new Float32Array(buffer) : new Uint8Array(buffer);
    }

    async tile({ size = 257, priority = 0, signal, ...rest }) {
        const tile = this.#tileOf({ ...rest, size }, 'samples');
        const samples = await this.#had(tile, { priority, signal });
        return { samples, width: size, height: size, values: this.#facts.layers[tile.layer] };
    }

    async picture({ size = 256, priority = 0, signal, center = false, bands = 0, ...rest }) {
        if (bands !== 0 && bands !== 1) throw new RangeError(`bands: ${bands} is neither 0 nor 1`);
        const picture = this.#pictures[rest.layer ?? 'height'];
        if (picture) {
            const data = await this.#had(this.#tileOf({ ...rest, size }, 'pixels'), { priority, signal });
            return pictureOfPixels({ data, width: size, height: size, ...picture }, rest.layer, bands);
        }
        const between = center && CENTERED.has(rest.layer ?? 'height');
        if (between && size % 2 === 1) throw new TerraneError(SIZES);
        return pictureOfNumbers(await this.tile({ ...rest, size: size + (between ? 1 : 0), priority, signal }), rest.layer ?? 'height', between);
    }

    async places({ priority = 0, signal, ...rest }) {
        return (await this.#had(this.#tileOf({ ...rest, layer: 'objects', size: 256 }, 'places'), { priority, signal })).buffer;
    }

    async lines({ priority = 0, signal, layer = 'river', ...rest }) {
        if (layer !== 'river' && layer !== 'path') throw new RangeError(`layer: "${layer}" is none of river, path`);
        const bytes = await this.#had(this.#tileOf({ ...rest, layer, size: 256 }, 'lines'), { priority, signal });
        return linesOf(new Float64Array(bytes.buffer), layer);
    }

    /** Where it is worth seeing first, as base ground is: { x, y, height } in metres. */
    spawn() {
        return this.#planner.spawn();
    }

    /** What the base surface is made of, for glsl.js. */
    terms() {
        return termsOf(this.#planner.terms());
    }

    close() {
        this.#pool.close();
        this.#mixed?.close(new Error('the world is closed'));
    }
}
