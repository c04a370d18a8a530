// A server's side of a world: what it says of it, its tiles of samples, and their digests.

import { TerraneError } from './module.js';

const AGAIN = new Set([429, 503]); // it asks to be asked again,
const TRIES = 4; // so often; all else is as if it did not answer
const PATIENCE = 60000; // ms until an answer is there
const BYTE = { Range: 'bytes=0-0' }; // enough to have a tile made, and its digest told
const DOCUMENT = 2 ** 24; // bytes of what it says of a world

const pause = (seconds, signal) =>
    new Promise((resolve, reject) => {
        const stop = () => (clearTimeout(timer), reject(signal.reason));
        const timer = setTimeout(() => (signal?.removeEventListener('abort', stop), resolve()), 1000 * seconds);
        signal?.addEventListener('abort', stop, { once: true });
    });

/* An answer's bytes, of which there may be so many: whatever a server sends, no more is held. */
async function bytesOf(answer, most) {
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
const named = (url, error) => (error instanceof TerraneError ? error : new TerraneError(`${url}: ${error.message}`, { cause: error }));

export class Server {
    #root;
    #world;
    #query;
    #ask;
    #numbers; // names of layers
    facts;
    layers; // numbers a sample of each, as the world here has them

    /** What a server calls a world; it has to tell seed and recipe. query: what its addresses say besides. */
    static async open(address, world, query, ask) {
        const server = new Server();
        server.#root = `${address}`.replace(/\/*$/, '/');
        server.#world = encodeURIComponent(world);
        server.#query = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
        server.#ask = ask;
        const url = new URL(`world/${server.#world}`, server.#root);
        url.search = new URLSearchParams(server.#query);
        server.facts = await server.#answer(url, documentOf);
        if (!Array.isArray(server.facts?.layers)) throw new TerraneError(`${url}: says nothing of a world`);
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

    /* { got }: what read makes of the answer; or what was answered instead. */
    async #once(url, read, headers, signal) {
        const stop = new AbortController();
        const forward = () => stop.abort(signal.reason);
        const timer = setTimeout(() => stop.abort(new TerraneError(`${url}: no answer`)), PATIENCE);
        signal?.addEventListener('abort', forward, { once: true });
        try {
            const answer = await this.#ask.call(globalThis, url, { headers, signal: stop.signal });
            if (answer.ok) return { got: await read(answer) };
            const told = await documentOf(answer).catch(() => ({}));
            return { status: answer.status, after: answer.headers.get('retry-after'), why: `${answer.status} ${told?.detail ?? answer.statusText}` };
        } catch (error) {
            throw signal?.aborted ? error : named(url, error);
        } finally {
            clearTimeout(timer);
            signal?.removeEventListener('abort', forward);
        }
    }

    async #answer(url, read, { headers = {}, signal } = {}) {
        signal?.throwIfAborted();
        for (let tries = 1; ; tries++) {
            const { got, status, after, why } = await this.#once(url, read, headers, signal);
            if (got !== undefined) return got;
            if (!AGAIN.has(status) || tries === TRIES) throw new TerraneError(`${url}: ${why}`);
            await pause(Math.min(Number(after) || 1, PATIENCE / 1000), signal);
        }
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

    /** { samples, digest }. */
    async samples(tile, signal) {
        const { bytes, digest, most } = await this.#read(tile, { signal });
        if (bytes.length !== most) throw new TerraneError(`${this.#tile(tile)}: ${bytes.length} bytes, and not ${most}`);
        if (LITTLE) return { samples: new Float32Array(bytes.buffer), digest };
        const view = new DataView(bytes.buffer);
        return { samples: Float32Array.from({ length: most / 4 }, (_, k) => view.getFloat32(4 * k, true)), digest };
    }

    /** The digest alone. */
    async digest(tile, signal) {
        return (await this.#read(tile, { headers: BYTE, signal })).digest;
    }
}

const LITTLE = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
