// A server's side of a world: what it says of it, its tiles of samples, and their digests.

import { TerraneError } from './module.js';

const AGAIN = new Set([429, 503]); // it asks to be asked again,
const TRIES = 4; // so often; all else is as if it did not answer
const PATIENCE = 60000; // ms until an answer's head is there
const BYTE = { Range: 'bytes=0-0' }; // enough to have a tile made, and its digest told

const pause = (seconds, signal) =>
    new Promise((resolve, reject) => {
        const stop = () => (clearTimeout(timer), reject(signal.reason));
        const timer = setTimeout(() => (signal?.removeEventListener('abort', stop), resolve()), 1000 * seconds);
        signal?.addEventListener('abort', stop, { once: true });
    });

export class Server {
    #root;
    #world;
    #query;
    #ask;
    facts;

    /** What a server calls a world; it has to tell seed and recipe. query: what its addresses say besides. */
    static async open(address, world, query, ask) {
        const server = new Server();
        server.#root = `${address}`.replace(/\/*$/, '/');
        server.#world = encodeURIComponent(world);
        server.#query = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
        server.#ask = ask;
        const url = new URL(`world/${server.#world}`, server.#root);
        url.search = new URLSearchParams(server.#query);
        server.facts = await (await server.#answer(url)).json();
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

    async #once(url, headers, signal) {
        const stop = new AbortController();
        const forward = () => stop.abort(signal.reason);
        const timer = setTimeout(() => stop.abort(new TerraneError(`${url}: no answer`)), PATIENCE);
        signal?.addEventListener('abort', forward, { once: true });
        try {
            return await this.#ask.call(globalThis, url, { headers, signal: stop.signal });
        } finally {
            clearTimeout(timer);
            signal?.removeEventListener('abort', forward);
        }
    }

    async #answer(url, { headers = {}, signal } = {}) {
        signal?.throwIfAborted();
        for (let tries = 1; ; tries++) {
            const answer = await this.#once(url, headers, signal);
            if (answer.ok) return answer;
            const told = await answer.json().catch(() => ({}));
            if (!AGAIN.has(answer.status) || tries === TRIES)
                throw new TerraneError(`${url}: ${answer.status} ${told.detail ?? answer.statusText}`);
            await pause(Number(answer.headers.get('retry-after')) || 1, signal);
        }
    }

    #tile({ level, x, y, layer, variant, size }) {
        const url = new URL(`tile/${this.#world}/${level}/${x}/${y}.f32`, this.#root);
        url.search = new URLSearchParams({ ...this.#query, layer, variant, size, v: this.facts.generator });
        return url;
    }

    /** Whether it has the layer as samples: the others are pictures there. */
    has(layer) {
        return this.facts.layers.some(({ name, formats }) => name === layer && formats.includes('f32'));
    }

    /** { samples, digest }: of these, as the server tells it; undefined: an older one, which tells none. */
    async samples(tile, signal) {
        const answer = await this.#answer(this.#tile(tile), { signal });
        const digest = answer.headers.get('terrane-digest') ?? undefined;
        const buffer = await answer.arrayBuffer();
        if (LITTLE) return { samples: new Float32Array(buffer), digest };
        const view = new DataView(buffer);
        return { samples: Float32Array.from({ length: buffer.byteLength / 4 }, (_, k) => view.getFloat32(4 * k, true)), digest };
    }

    /** The digest alone. */
    async digest(tile, signal) {
        const answer = await this.#answer(this.#tile(tile), { headers: BYTE, signal });
        await answer.arrayBuffer();
        return answer.headers.get('terrane-digest') ?? undefined;
    }
}

const LITTLE = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
