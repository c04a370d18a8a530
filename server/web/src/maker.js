/*
 * Makes what the loader asks for in this browser, by the package `terrane` (given.js says what). Without a server (alone) it knows
 * worlds from files of the site; of a server's world the package compares some of what it makes with the server's.
 */
import { GIVEN, partsOf, priorityOf } from './given.js';
import { RefusedError } from './load.js';

const WORLDS = 2; // open at once: the one that is shown, and the one before, whose tiles stand until others do
const WORKERS_MOST = 8;

const json = (answer) => answer.json();

/** load(): the package. key: of the server. differs(what): is told where the server's ground is another than what is made. */
export function createMaker({ alone, load, key, differs }) {
    let opened = []; // {name, world, failed}, the last one first
    let told; // of the site: which worlds there are

    const ask = (url, options) => fetch(url, { ...options, headers: { ...options.headers, ...(key && { 'X-Api-Key': key }) } });

    async function open({ name, query: { recipe, v } }) {
        const { World, recipeText } = await load();
        const shared = {
            workers: Math.min(WORKERS_MOST, globalThis.navigator?.hardwareConcurrency ?? 2),
            recipes: recipeText,
            generator: v ? Number(v) : undefined,
        };
        return alone
            ? World.open({ ...shared, recipe: recipe || (await told).default, seed: name })
            : World.open({ ...shared, server: new URL('.', document.baseURI), world: name, query: { recipe }, fetch: ask, differs });
    }

    /** The world of an address, opened once; one that could not be is tried once more if `anew`. Of those before the last two nothing stays. */
    function worldOf(parts, anew = alone) {
        const name = [parts.name, parts.query.recipe, parts.query.v].join();
        let entry = opened.find((each) => each.name === name && !(anew && each.failed));
        if (!entry) {
            entry = { name, world: open(parts), failed: false };
            entry.world.catch(() => {
                entry.failed = true;
            });
            opened = opened.filter((each) => each.name !== name);
        }
        opened = [entry, ...opened.filter((each) => each !== entry)];
        for (const { world } of opened.splice(WORLDS)) world.then((each) => each.close()).catch(() => {});
        return entry.world;
    }

    /* What a file of the site says of a recipe's worlds, with what is this one's own. */
    async function describe(parts, kept) {
        const { recipes, default: usual } = await told;
        const { recipe = usual, v } = parts.query;
        if (!recipes.some(({ name }) => name === recipe)) throw new RefusedError(404, `There is no recipe "${recipe}" here.`);
        const file = await kept(`world/${recipe}-${encodeURIComponent(v)}.json`, json).catch((error) => {
            throw error instanceof RefusedError ? new RefusedError(404, `There is no generator "${v}" here.`) : error;
        });
        const world = await worldOf(parts);
        const seed = String(world.facts.seed);
        return { ...file, made: true, ...(seed !== file.seed && { seed, world: world.facts.digest, spawn: world.spawn() }) };
    }

    /* Without a server. */
    async function given(parts, options, fetched) {
        const kept = (file, read) => fetched(file, read, { signal: options.signal, lane: 'urgent' });
        told ??= fetched('viewer/worlds.json', json, { lane: 'urgent' });
        told.catch(() => {
            told = undefined;
        });
        parts.query.v ??= String((await told).generator);
        const [open, described] = [() => worldOf(parts), () => describe(parts, kept)];
        return GIVEN[parts.route].answer(parts, { ...options, terrane: await load(), open, kept, described });
    }

    return {
        gives: (name) => !alone || Boolean(GIVEN[name]),
        takes(url) {
            const row = GIVEN[partsOf(url).route];
            return Boolean(row && (alone || row.here));
        },
        /** fetched(url, take, options): asks the server, or for a file of the site. */
        async answer(url, take, { lane, far, fetched, ...options }) {
            const parts = partsOf(url);
            const making = { ...options, priority: priorityOf(parts, lane, far) };
            if (alone) return given(parts, making, fetched);
            const world = await worldOf(parts).catch(() => null); // another one, which the server keeps to itself
            if (!world) return fetched(url, take, { ...options, lane });
            return GIVEN[parts.route].answer(parts, { ...making, terrane: await load(), open: () => world });
        },
        /** Opens the world of an address: an error says why it cannot be. */
        open: (url) => worldOf(partsOf(url), true),
        /** A decoded tile's pixels. */
        rgba: async (picture) => (await load()).rgbaOf(picture),
        /** What was made, and compared, of the world that is shown. */
        stats: async () => (await opened[0]?.world.catch(() => null))?.stats() ?? {},
    };
}
