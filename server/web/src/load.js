/*
 * Everything that is fetched goes through here: it waits and asks again where the server is busy, counts what
 * is under way for the bar that tells of it, and shares decoded tiles among those who look at them.
 */
import { decode } from './png.js';

const TRIES = 12; // more than half a minute in all
const WAIT_MOST_MS = 15000; // where the server says how long
const GROWN_MOST_MS = 5000;
const PICTURES = 160; // decoded tiles kept, of 64 KB to 200 KB

export class RefusedError extends Error {
    constructor(status, detail) {
        super(detail);
        this.status = status;
    }
}

function sleep(ms, signal) {
    return new Promise((resolve, reject) => {
        const stop = () => {
            clearTimeout(timer);
            reject(signal.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener('abort', stop);
            resolve();
        }, ms);
        signal?.addEventListener('abort', stop, { once: true });
    });
}

/** How long to wait before try k, counted from 0: longer each time, and as long as the server says. */
export function waitMs(k, retryAfter, random = Math.random()) {
    const said = Number(retryAfter);
    const grown = Math.min(400 * 2 ** k, GROWN_MOST_MS);
    const ms = Math.max(grown, retryAfter && said >= 0 ? said * 1000 : 0);
    return Math.min(ms * (0.8 + 0.4 * random), WAIT_MOST_MS);
}

async function problemOf(answer) {
    try {
        return (await answer.json()).detail ?? answer.statusText;
    } catch {
        return `${answer.status} ${answer.statusText}`;
    }
}

/** key: of the server's access, or ''. changed(counts) is told, at most once a frame. */
export function createLoader(key, changed) {
    const counts = { loading: 0, waiting: 0, why: '' };
    const failed = new Map(); // url -> why: what could not be had, until it can, or nobody looks at it any more
    const pictures = new Map(); // url -> {promise, users, controller, done}
    let told = false;

    function tell() {
        if (told) return;
        told = true;
        setTimeout(() => {
            told = false;
            changed({
                ...counts,
                failed: failed.size,
                why: [...failed.values()].at(-1)?.message ?? counts.why,
            });
        }, 50);
    }

    /* One try: the answer, or what to wait for. */
    async function ask(url, options, k) {
        try {
            const answer = await fetch(url, options);
            if (answer.ok) return { answer };
            const detail = await problemOf(answer);
            if (answer.status !== 503 && answer.status !== 429) throw new RefusedError(answer.status, detail);
            return { wait: waitMs(k, answer.headers.get('Retry-After')), detail };
        } catch (error) {
            if (options.signal?.aborted || error instanceof RefusedError) throw error;
            return { wait: waitMs(k), detail: 'The server does not answer.' };
        }
    }

    async function persist(url, options) {
        for (let k = 0; ; k++) {
            const { answer, wait, detail } = await ask(url, options, k);
            if (answer) return answer;
            if (k + 1 >= TRIES) throw new Error(detail);
            counts.waiting++;
            counts.why = detail;
            tell();
            try {
                await sleep(wait, options.signal);
            } finally {
                counts.waiting--;
            }
        }
    }

    /** take(answer) reads its body. */
    async function get(url, take, { signal, ...options } = {}) {
        counts.loading++;
        tell();
        try {
            const headers = { ...(key && { 'X-Api-Key': key }), ...options.headers };
            const body = await take(
                await persist(new URL(url, document.baseURI), { ...options, headers, signal }),
            );
            failed.delete(url);
            return body;
        } catch (error) {
            if (!signal?.aborted) failed.set(url, error);
            throw error;
        } finally {
            counts.loading--;
            tell();
        }
    }

    const bytes = (url, signal) => get(url, (answer) => answer.arrayBuffer(), { signal });

    function begin(url) {
        const controller = new AbortController();
        const entry = { users: 0, controller, done: false };
        entry.promise = bytes(url, controller.signal).then(decode);
        entry.promise.then(
            () => {
                entry.done = true;
            },
            () => {
                if (pictures.get(url) === entry) pictures.delete(url);
            },
        );
        for (const [old, { done }] of pictures) {
            if (pictures.size < PICTURES) break;
            if (done) pictures.delete(old);
        }
        return entry;
    }

    /** A decoded tile. Whoever is the last to give up ends the fetch. */
    async function picture(url, signal) {
        signal?.throwIfAborted();
        const entry = pictures.get(url) ?? begin(url);
        pictures.delete(url);
        pictures.set(url, entry); // the latest is the last
        if (entry.done) return entry.promise;
        entry.users++;
        const leave = () => {
            if (--entry.users === 0 && !entry.done) {
                entry.controller.abort();
                pictures.delete(url);
            }
        };
        signal?.addEventListener('abort', leave, { once: true });
        try {
            return await entry.promise;
        } finally {
            signal?.removeEventListener('abort', leave);
        }
    }

    return {
        bytes,
        picture,
        /** A decoded tile that is there already; else undefined. */
        seen: (url) => (pictures.get(url)?.done ? pictures.get(url).promise : undefined),
        json: (url, options) => get(url, (answer) => answer.json(), options),
        /** Whether the server makes other worlds by now than when the page was loaded. */
        outdated: () => [...failed.values()].some(({ status }) => status === 410),
        /** Says no more of what could not be had: of one address, or of all. */
        forgive(url) {
            if (url) failed.delete(url);
            else failed.clear();
            tell();
        },
    };
}
