// A server's side of a world: what it says of it, its tiles of samples, and their digests.

import { TerraneError } from './module.js';
import { onAbort } from './stops.js';

const AGAIN = new Set([429, 503]); // it asks to be asked again,
const TRIES = 4; // so often; all else is as if it did not answer
const PATIENCE = 60; // seconds until an answer is there, all tries together,
const HURRY = 10; // ... of what can be made here
const REST = 30; // seconds that a server which does not answer is not asked for what can be made here
const BYTE = { Range: 'bytes=0-0' }; // enough to have a tile made, and its digest told
const DOCUMENT = 2 ** 24; // bytes of what it says of a world

const now = () => performance.now() / 1000;
const after = (seconds, call) => setTimeout(call, 1000 * seconds);

/* A server's address, as what its paths begin with. */
function rootOf(address) {
    let url;
    try {
        url = new URL(address, globalThis.location?.href);
    } catch {
        throw new RangeError(`server: "${address}" is no address`);
    }
    if (!/^https?:$/.test(url.protocol)) throw new RangeError(`server: "${address}" is no address of http or https`);
    if (url.search || url.username) throw new RangeError(`server: "${url.host}" has a query or a user: give them as query, and by fetch`);
    return `${url.origin}${url.pathname.replace(/\/*$/, '/')}`;
}

/* An answer's bytes, of which there may be so many: whatever a server sends, no more is held. */
async function bytesOf(answer, most) {
    if (!answer.body) return new Uint8Array(0);
    const reader = answer.body.getReader(), parts = [];
    let count = 0;
    for (let part; !(part = await reader.read()).done; parts.push(part.value))
        if ((count += part.value.length) > most) throw (await reader.cancel(), new TerraneError(`${answer.url}: more than ${most} bytes`));
    const bytes = new Uint8Array(count);
    for (const part of parts.reverse()) bytes.set(part, (count -= part.length));
    return bytes;
}

const documentOf = async (answer) => JSON.parse(new TextDecoder().decode(await bytesOf(answer, DOCUMENT)));

/* What went wrong on the way, with the address that it was about. */
function named(url, error) {
    if (error instanceof TerraneError) return error;
    const why = error.cause?.code ?? error.cause?.message; // node's fetch says no more than that it failed
    return new TerraneError(`${url}: ${error.message}${why ? ` (${why})` : ''}`, { cause: error });
}

export class Server {
    #root;
    #world;
    #query;
    #ask;
    #numbers; // names of layers
    #rest = 0; // until when it is not asked for what can be made here
    #closed = new AbortController();
    facts;
    layers; // numbers a sample of each, as the world here has them

    /** What a server calls a world; it has to tell seed and recipe. query: what its addresses say besides. */
    static async open(address, world, query, ask) {
        const server = new Server();
        server.#root = rootOf(address);
        server.#world = encodeURIComponent(world);
        server.#query = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
        server.#ask = ask;
        const url = new URL(`world/${server.#world}`, server.#root);
        url.search = new URLSearchParams(server.#query);
        server.facts = await server.#answer(url, documentOf);
        if (!Array.isArray(server.facts?.layers) || !Number.isSafeInteger(server.facts.generator)) throw new TerraneError(`${url}: says nothing of a world`);
        server.#numbers = new Set(server.facts.layers.flatMap((layer) => (layer?.formats?.includes?.('f32') ? [layer.name] : [])));
        if (server.facts.seed === undefined) throw new TerraneError(`${url}: the server does not tell this world's seed: its operator lets no client make it`);
        return server;
    }

    get address() {
        return this.#root;
    }

    /** The recipe's text, where the operator lets clients have it; else its name. */
    get recipe() {
        return this.facts.client?.recipe ?? this.facts.recipe;
    }

    /** Whether it is left alone: it did not answer, or asked to be asked later. */
    get rests() {
        return now() < this.#rest;
    }

    /** Nothing is asked any more, and who waits for an answer is told why not. */
    close(why) {
        this.#closed.abort(why);
    }

    /* { got }: what read makes of the answer, which is to be there by then; or what was answered instead. */
    async #once(url, read, headers, until, signal) {
        const stop = new AbortController();
        const stopped = new Promise((_, reject) => onAbort(stop.signal, () => reject(stop.signal.reason))); // whoever asks may not listen to the signal
        const timer = after(until - now(), () => stop.abort(new Error('no answer')));
        const forget = [signal, this.#closed.signal].map((each) => onAbort(each, () => stop.abort(each.reason)));
        const ask = async () => {
            const answer = await this.#ask.call(globalThis, url, { headers, signal: stop.signal });
            if (answer.ok) return { got: await read(answer) };
            const told = await documentOf(answer).catch(() => ({}));
            return { status: answer.status, again: Number(answer.headers.get('retry-after')) || 1, why: `${answer.status} ${told?.detail ?? answer.statusText}` };
        };
        try {
            return await Promise.race([ask(), stopped]);
        } finally {
            clearTimeout(timer);
            forget.forEach((call) => call());
        }
    }

    #throwIfStopped(signal) {
        for (const each of [signal, this.#closed.signal]) each?.throwIfAborted();
    }

    /* patience: seconds; where they are short, nothing is asked twice. */
    async #answer(url, read, { headers = {}, signal, patience = PATIENCE } = {}) {
        const until = now() + patience;
        for (let tries = patience < PATIENCE ? TRIES : 1; ; tries++) {
            this.#throwIfStopped(signal);
            const { got, status, again, why } = await this.#once(url, read, headers, until, signal).catch((error) => {
                this.#throwIfStopped(signal);
                if (!(error instanceof TerraneError)) this.#rest = now() + REST;
                throw named(url, error);
            });
            if (got !== undefined) return got;
            if (AGAIN.has(status)) this.#rest = now() + again;
            if (!AGAIN.has(status) || tries >= TRIES || now() + again > until) throw new TerraneError(`${url}: ${why}`);
            await this.#pause(again, signal);
        }
    }

    #pause(seconds, signal) {
        return new Promise((resolve) => {
            const done = () => {
                clearTimeout(timer);
                forget.forEach((call) => call());
                resolve();
            };
            const timer = after(seconds, done), forget = [signal, this.#closed.signal].map((each) => onAbort(each, done));
        });
    }

    #tile({ level, x, y, layer, variant, size }) {
        const url = new URL(`tile/${this.#world}/${level}/${x}/${y}.f32`, this.#root);
        url.search = new URLSearchParams({ ...this.#query, layer, variant, size, v: this.facts.generator });
        return url;
    }

    /** Whether it has the layer as samples: the others are pictures there. */
    has(layer) {
        return this.#numbers.has(layer);
    }

    /* { bytes, digest, most }: at most a tile's bytes, and the digest of its samples as the server tells it; undefined: an older one, which tells none. */
    #read(tile, options) {
        const most = 4 * this.layers[tile.layer] * tile.size ** 2;
        const read = async (answer) => ({ bytes: await bytesOf(answer, most), digest: answer.headers.get('terrane-digest') ?? undefined, most });
        return this.#answer(this.#tile(tile), read, options);
    }

    /** { samples, digest }. hurry: it can be made here. */
    async samples(tile, signal, hurry) {
        const { bytes, digest, most } = await this.#read(tile, { signal, patience: hurry ? HURRY : PATIENCE });
        if (bytes.length !== most) throw new TerraneError(`${this.#tile(tile)}: ${bytes.length} bytes, and not ${most}`);
        if (LITTLE) return { samples: new Float32Array(bytes.buffer), digest };
        const view = new DataView(bytes.buffer);
        return { samples: Float32Array.from({ length: most / 4 }, (_, k) => view.getFloat32(4 * k, true)), digest };
    }

    /** The digest alone. */
    async digest(tile, signal) {
        return (await this.#read(tile, { headers: BYTE, signal, patience: HURRY })).digest;
    }
}

const LITTLE = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
