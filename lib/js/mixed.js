// A world that a server has, too: each tile is made here, or fetched, as is measured to be done sooner, and some are compared.
//
// What it costs to make a tile is a worker's time for it and the regions that were made for it, on the mean of the last ones of its
// kind: level, layer and variant. What fetching costs is the time until its samples were there. Each counts as often as there are
// others before it, over as many as are done at a time. What was not tried yet is tried; and now and then what is dearer is, since
// servers, networks and machines change.
//
// One tile in each row of 1 / verify, drawn by lot, is made here, and its digest asked for; and one in each such row of fetched ones,
// since a server may see that a digest is all that is wanted. What is fetched has the digest that it came with. Where two differ,
// nothing here is believed any more: all else comes from the server.

import { TerraneError } from './module.js';

const SHARE = 1 / 8; // of a new measurement in a mean
const CHANGE = 32; // every so many of a kind, the dearer way
const LINES = 6; // requests at a time, as browsers have it
const FAILED = 30; // seconds that a request counts that failed

/** What a way takes, by kind: means that follow. */
class Costs {
    #seconds = new Map();
    of(kind) {
        return this.#seconds.get(kind);
    }
    put(kind, seconds) {
        const mean = this.#seconds.get(kind) ?? seconds;
        this.#seconds.set(kind, mean + SHARE * (seconds - mean));
    }
}

/** One in every row of so many, at random in it. */
class Lot {
    #row;
    #at = 0;
    #drawn = 0;
    constructor(share) {
        this.#row = share > 0 ? Math.max(1, Math.floor(1 / share)) : Infinity;
    }
    draw() {
        if (this.#row === Infinity) return false;
        if (this.#at === 0) this.#drawn = Math.floor(Math.random() * this.#row);
        const drawn = this.#at === this.#drawn;
        this.#at = (this.#at + 1) % this.#row;
        return drawn;
    }
}

const kindOf = ({ level, layer, variant, words }) => `${level}/${layer}/${variant}/${words.form}`;
const now = () => performance.now() / 1000;

export class Mixed {
    #pool;
    #server;
    #digestOf;
    #workers;
    #differs;
    #lot; // of all tiles
    #lotFetched;
    #made = new Costs();
    #fetched = new Costs();
    #asked = new Map(); // kind -> tiles
    #fetching = 0;
    #counts = { fetched: 0, verified: 0, unverified: 0, failed: 0 };
    #different; // what was found to differ, once

    /** pool: makes a tile; digestOf(samples); differs(what) is told once where a tile differs; verify: the share that is compared. */
    constructor(pool, server, { digestOf, workers, verify, differs }) {
        this.#pool = pool;
        this.#server = server;
        this.#digestOf = digestOf;
        this.#workers = workers;
        this.#differs = differs;
        this.#lot = new Lot(verify);
        this.#lotFetched = new Lot(verify);
    }

    get different() {
        return this.#different;
    }

    /** Nothing is asked any more; who waits for the server is told why not. */
    close(why) {
        this.#server.close(why);
    }

    stats() {
        return { ...this.#counts, differed: this.#different ? 1 : 0 };
    }

    /* Whether the server has it: samples of numbers. All else is a picture there, or of another form. */
    #has({ layer, words }) {
        return words.form === 'samples' && this.#server.has(layer);
    }

    /* Which way a tile goes: 'make' or 'fetch'. */
    #way(tile) {
        if (!this.#has(tile) || this.#server.rests) return 'make';
        const kind = kindOf(tile);
        const asked = this.#asked.get(kind) ?? 0;
        this.#asked.set(kind, asked + 1);
        const make = this.#made.of(kind), fetch = this.#fetched.of(kind);
        if (make === undefined || fetch === undefined) return asked % 2 === 0 ? 'make' : 'fetch';
        const sooner = make * (1 + this.#pool.waiting / this.#workers) <= fetch * (1 + this.#fetching / LINES) ? 'make' : 'fetch';
        return asked % CHANGE !== CHANGE - 1 ? sooner : sooner === 'make' ? 'fetch' : 'make';
    }

    async #make(tile, options) {
        const { buffer, seconds } = await this.#pool.make(tile.words, options);
        this.#made.put(kindOf(tile), seconds);
        return tile.words.form === 'samples' ? new Float32Array(buffer) : new Uint8Array(buffer);
    }

    async #fetch(tile, { signal }, hurry) {
        const begun = now();
        this.#fetching++;
        try {
            const got = await this.#server.samples(tile, signal, hurry);
            this.#counts.fetched++;
            this.#fetched.put(kindOf(tile), now() - begun);
            return got;
        } catch (error) {
            if (!signal?.aborted) this.#fetched.put(kindOf(tile), FAILED);
            throw error;
        } finally {
            this.#fetching--;
        }
    }

    /* Whether the server's digest is that of the samples; says so once where it is not. */
    #agrees(tile, samples, there) {
        const here = this.#digestOf(samples);
        if (here === there) return true;
        if (!this.#different) {
            const { words, ...name } = tile;
            this.#different = Object.freeze({ server: this.#server.address, tile: Object.freeze(name), here, there });
            this.#differs?.(this.#different);
        }
        return false;
    }

    /* The digest that the server tells; undefined: it tells none, or does not answer. */
    async #told(tile, { signal }) {
        if (this.#server.rests || !this.#has(tile)) return undefined;
        try {
            return await this.#server.digest(tile, signal);
        } catch {
            signal?.throwIfAborted();
            this.#counts.failed++;
            return undefined;
        }
    }

    /* Makes it, where it was fetched, or asks for its digest, where it was made; of what the server has not, the heights. */
    async #compare(tile, had, options) {
        if (!this.#has(tile) && this.#server.has('height')) {
            const heights = { ...tile, layer: 'height', words: { ...tile.words, layer: 0, form: 'samples' } };
            return this.#compare(heights, { samples: await this.#make(heights, options), made: true }, options);
        }
        const { samples, digest, made } = had;
        const there = made ? await this.#told(tile, options) : digest;
        if (there === undefined) this.#counts.unverified++;
        else {
            this.#agrees(tile, made ? samples : await this.#make(tile, options), there);
            this.#counts.verified++;
        }
    }

    /* { samples, digest, made }: made or fetched; what the server will not give is made. */
    async #had(tile, options) {
        if (this.#way(tile) === 'fetch')
            try {
                const got = await this.#fetch(tile, options, true);
                if (got.digest !== undefined) this.#agrees(tile, got.samples, got.digest);
                return got;
            } catch (error) {
                options.signal?.throwIfAborted();
                if (this.#different) throw error;
                this.#counts.failed++;
            }
        return { samples: await this.#make(tile, options), made: true };
    }

    /* What there is where nothing here is believed. */
    async #theirs(tile, options) {
        if (this.#has(tile)) return (await this.#fetch(tile, options)).samples;
        throw new TerraneError(`${this.#server.address}: its tiles differ from those made here, and it has no samples of ${tile.layer}`);
    }

    /** tile: by names, and in the module's numbers (words). Its samples, or bytes of another form. */
    async tile(tile, options) {
        if (this.#different) return this.#theirs(tile, options);
        const had = await this.#had(tile, options);
        const drawn = [this.#lot, ...(had.made ? [] : [this.#lotFetched])].filter((lot) => lot.draw());
        if (!this.#different && drawn.length > 0)
            await this.#compare(tile, had, options).catch(() => {
                options.signal?.throwIfAborted();
                this.#counts.unverified++; // nobody answered
            });
        return this.#different && had.made ? this.#theirs(tile, options) : had.samples;
    }
}
