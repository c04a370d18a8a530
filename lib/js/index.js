// Worlds of terrane, made where this runs: the library itself, as WebAssembly, in workers. README.md tells how.

import { Terrane, TerraneError } from './module.js';
import { bytesOf, processors } from './platform.js';
import { Pool } from './pool.js';
import { readSeed } from './seed.js';

export { TerraneError };

/* (module (func (result v128) i32.const 0 i8x16.splat i8x16.popcnt)): whoever takes it has vectors. */
const VECTORS = Uint8Array.of(
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
);
const SHIPPED = /^[a-z][a-z0-9_-]*$/;
const SIZES = 'size is neither 2^k from 2 to 256 nor 2^k + 1 from 3 to 257';
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

/* A recipe that ships: as an older generator had it, where that had another. */
async function shipped(name, generator) {
    const read = async (file) => new TextDecoder().decode(await bytesOf(new URL(`./recipes/${file}.json`, import.meta.url)));
    const newest = () => read(name);
    try {
        return await (generator === undefined ? newest() : read(`${whole('generator', generator)}/${name}`).catch(newest));
    } catch (error) {
        if (error instanceof RangeError) throw error;
        throw new TerraneError(`recipe: none that ships is called "${name}"`, { cause: error });
    }
}

/* A recipe's text: of an object, a text, or the name of one that ships; of a generator, where one is asked for. */
async function textOf(recipe, generator) {
    let text = recipe;
    if (typeof recipe === 'object' && recipe !== null) text = JSON.stringify(recipe);
    else if (typeof recipe !== 'string') throw new TypeError('recipe: must be an object, JSON text, or the name of a recipe that ships');
    else if (SHIPPED.test(recipe)) text = await shipped(recipe, generator);
    if (generator === undefined) return text;
    try {
        return JSON.stringify({ ...JSON.parse(text), generator });
    } catch {
        return text; // the library says what is wrong with it
    }
}

/* What a server says of a world of its own. */
async function askServer(server, name, generator, ask) {
    const url = new URL(`world/${encodeURIComponent(name)}`, `${server}`.replace(/\/*$/, '/'));
    if (generator !== undefined) url.searchParams.set('v', generator);
    const answer = await ask(url);
    if (!answer.ok) throw new TerraneError(`${url}: ${answer.status} ${(await answer.json().catch(() => ({}))).detail ?? answer.statusText}`);
    const facts = await answer.json();
    if (facts.seed === undefined) throw new TerraneError(`${url}: the server does not tell this world's seed`);
    return facts;
}

const told = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(1));

function checkCost({ cost, seconds }, { cost: mostCost = 2000, seconds: mostSeconds = 5 } = {}) {
    if (cost > mostCost) throw new TerraneError(`costs as much as ${told(cost)} octaves of lattice noise: allowed at most ${mostCost}`);
    if (seconds > mostSeconds)
        throw new TerraneError(`a tile that nothing is kept of takes ${told(seconds)} s with scalar kernels: allowed at most ${mostSeconds}`);
}

/* A word's place among those there are. */
function placeOf(what, word, words) {
    const at = words.indexOf(word);
    if (at < 0) throw new RangeError(`${what}: "${word}" is none of ${words.join(', ')}`);
    return at;
}

function whole(what, number) {
    if (!Number.isSafeInteger(number)) throw new RangeError(`${what}: ${number} is no whole number`);
    return number;
}

export class World {
    #pool;
    #facts;

    static async open({ recipe, seed, generator, server, world, workers, budget = 256 * MEGABYTE, limits, vectors, fetch: ask = globalThis.fetch } = {}) {
        const theirs = server === undefined ? undefined : await askServer(server, `${world ?? seed}`, generator, ask);
        const text = await textOf(recipe ?? theirs?.recipe ?? 'continents', generator ?? theirs?.generator);
        const module = await moduleOf(vectors ?? WebAssembly.validate(VECTORS));
        const planner = await Terrane.of(module);
        const number = readSeed(theirs ? theirs.seed : seed, (name) => planner.seedOfName(name));
        planner.open(text, number);
        const facts = planner.facts();
        if (theirs && theirs.world !== facts.digest)
            throw new TerraneError(`${server}: its recipe "${theirs.recipe}" is another than the one here: give the server's as recipe`);
        checkCost(facts, limits);
        const most = workers ?? Math.max(1, Math.min(8, (await processors()) - 1));
        const made = new World();
        made.#facts = Object.freeze({ ...facts, seed: number });
        made.#pool = await Pool.of(planner, { module, text, seed: number }, { workers: Math.max(1, whole('workers', most)), budget });
        return made;
    }

    get facts() {
        return this.#facts;
    }

    stats() {
        return this.#pool.stats();
    }

    async tile({ level, x, y, layer = 'height', variant = this.#facts.variant, size = 257, priority = 0, signal }) {
        const { layers, variants } = this.#facts;
        const words = {
            level: Math.max(-1, Math.min(99, whole('level', level))), // the library tells which there are
            x: whole('x', x),
            y: whole('y', y),
            layer: placeOf('layer', layer, Object.keys(layers)),
            variant: placeOf('variant', variant, variants),
            size: whole('size', size),
        };
        if (size > 257 || size < 2) throw new TerraneError(SIZES);
        const samples = new Float32Array(await this.#pool.make(words, { priority, signal }));
        return { samples, width: size, height: size, values: layers[layer] };
    }

    close() {
        this.#pool.close();
    }
}
