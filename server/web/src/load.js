/*
 * Everything that is fetched goes through here: it waits and asks again where the server is busy, counts what
 * is under way for the bar that tells of it, and shares decoded tiles among those who look at them. What a maker
 * takes (maker.js) it makes, and no server is asked.
 */
import { decode } from './png.js';

const TRIES = 12; // of a server that does not answer: more than half a minute in all
const TRIES_BUSY = 60; // of one that says to come again: some minutes, as long as somebody wants it
const WAIT_MOST_MS = 15000; // where the server says how long
const GROWN_MOST_MS = 5000;
const TELL_MS = 500; // between two counts: each draws the page anew
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

/**
 * How long to wait before try k, counted from 0: as long as the server says, and longer each time but for
 * what is urgent.
 */
export function waitMs(k, retryAfter, urgent = false, random = Math.random()) {
    const said = Number(retryAfter);
    const asked = retryAfter && said >= 0 ? said * 1000 : 0;
    const grown = urgent && asked ? 0 : Math.min(400 * 2 ** k, GROWN_MOST_MS);
    return Math.min(Math.max(grown, asked) * (1 + 0.3 * random), WAIT_MOST_MS);
}

/*
 * Who may be asking at once. Browsers have six connections to a server: one of them is kept for what is
 * urgent, so that it never waits behind tiles that wait in the server's queue. Who waits to ask again asks
 * for no place. While urgent things have been turned away, the rest takes few places of that queue.
 */
const PLACES = { urgent: 6, usual: 5 };
const PRESSED = { urgent: 6, usual: 1 };

export function createGate() {
    let asking = 0;
    let pressed = 0;
    const queue = Object.fromEntries(Object.keys(PLACES).map((lane) => [lane, []]));

    function next() {
        for (const [lane, most] of Object.entries(pressed ? PRESSED : PLACES))
            while (asking < most && queue[lane].length) {
                asking++;
                const far = queue[lane].map((waiting) => waiting.far());
                queue[lane].splice(far.indexOf(Math.min(...far)), 1)[0].enter();
            }
    }
    return {
        /** That one more urgent thing (or one less) has been turned away. */
        press(more) {
            pressed += more ? 1 : -1;
            next();
        },
        /** Runs work when it is its turn: in its lane the least far at that moment, and first come. */
        async pass(lane, signal, work, far = () => 0) {
            await new Promise((enter, reject) => {
                if (signal?.aborted) return reject(signal.reason);
                const waiting = { enter, far };
                queue[lane].push(waiting);
                signal?.addEventListener('abort', () => {
                    const at = queue[lane].indexOf(waiting);
                    if (at >= 0) queue[lane].splice(at, 1);
                    reject(signal.reason);
                });
                next();
            });
            try {
                return await work();
            } finally {
                asking--;
                next();
            }
        },
    };
}

/** How far a tile's middle is from a place, both in parts of the map; of vectors one more: ground comes first. 0 of what is no tile. */
export function farOf(address, middle) {
    const [, z, x, y, ext] = /\/xyz\/[^/]+\/(\d+)\/(\d+)\/(\d+)\.([a-z]+)/.exec(address) ?? [];
    if (!y || !middle) return 0;
    return Math.hypot((Number(x) + 0.5) / 2 ** z - middle.x, (Number(y) + 0.5) / 2 ** z - middle.y) + Number(ext === 'mvt');
}

async function problemOf(answer) {
    try {
        return (await answer.json()).detail ?? answer.statusText;
    } catch {
        return `${answer.status} ${answer.statusText}`;
    }
}

/** key: of the server's access, or ''. changed(counts) is told, at most twice a second. */
export function createLoader(key, changed) {
    const counts = { loading: 0, waiting: 0, why: '' };
    const failed = new Map(); // url -> why: what could not be had, until it can, or nobody looks at it any more
    const pictures = new Map(); // url -> {promise, users, controller, done}
    const asked = new Set(); // {url, stale} of what is under way
    let told = false;

    function tell() {
        if (told) return;
        told = true;
        setTimeout(() => {
            told = false;
            changed({
                ...counts,
                failed: failed.size,
                why: counts.waiting ? counts.why : ([...failed.values()].at(-1)?.message ?? ''),
            });
        }, TELL_MS);
    }

    const gate = createGate();
    const begun = new Map(); // address -> promise of its answer
    let middle = () => null;
    let maker = null;

    /* An answer that was begun before: each is taken once. */
    function taken({ href }) {
        const answer = begun.get(href);
        begun.delete(href);
        return answer;
    }

    /* One try: the answer, or what to wait for, and how many tries that is worth. */
    async function ask(url, options, k, lane) {
        try {
            const far = () => farOf(url.href, middle());
            const answer = await gate.pass(lane, options.signal, () => taken(url) ?? fetch(url, options), far);
            if (answer.ok) return { answer };
            const detail = await problemOf(answer);
            if (![429, 502, 503, 504].includes(answer.status)) throw new RefusedError(answer.status, detail);
            const wait = waitMs(k, answer.headers.get('Retry-After'), lane === 'urgent');
            return { wait, detail, tries: TRIES_BUSY };
        } catch (error) {
            if (options.signal?.aborted || error instanceof RefusedError) throw error;
            return { wait: waitMs(k), detail: 'The server does not answer.', tries: TRIES };
        }
    }

    async function persist(url, options, lane) {
        let refused = false;
        try {
            return await insist(url, options, lane, () => {
                if (!refused && lane === 'urgent') gate.press((refused = true));
            });
        } finally {
            if (refused) gate.press(false);
        }
    }

    async function insist(url, options, lane, turnedAway) {
        for (let k = 0; ; k++) {
            const { answer, wait, detail, tries } = await ask(url, options, k, lane);
            if (answer) return answer;
            if (k + 1 >= tries) throw new Error(detail);
            turnedAway();
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
    async function fetched(url, take, { signal, lane = 'usual', ...options } = {}) {
        const headers = { ...(key && { 'X-Api-Key': key }), ...options.headers };
        const address = new URL(url, document.baseURI);
        return take(await persist(address, { ...options, headers, signal }, lane));
    }

    /* What an address gives: made, or fetched and read by take. */
    async function get(url, take, options = {}) {
        const { signal } = options;
        const mine = { url, stale: false };
        counts.loading++;
        asked.add(mine);
        tell();
        try {
            const made = maker?.takes(url);
            const far = made && farOf(`/${url}`, middle());
            let body;
            do {
                mine.stale = false;
                body = await (made ? maker.answer(url, take, { ...options, far, fetched }) : fetched(url, take, options));
            } while (mine.stale);
            failed.delete(url);
            return body;
        } catch (error) {
            if (!signal?.aborted) failed.set(url, error);
            throw error;
        } finally {
            asked.delete(mine);
            counts.loading--;
            tell();
        }
    }

    const buffer = (answer) => answer.arrayBuffer();
    const bytes = (url, signal, lane) => get(url, buffer, { signal, lane });

    function begin(url, lane) {
        const controller = new AbortController();
        const entry = { users: 0, controller, done: false };
        entry.promise = get(url, async (answer) => decode(await buffer(answer)), { signal: controller.signal, lane });
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
    async function picture(url, signal, lane) {
        signal?.throwIfAborted();
        const entry = pictures.get(url) ?? begin(url, lane);
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
        /** {bytes} of a picture that a browser decodes, or {rgba, side} of one that was made. */
        async image(url, signal, lane) {
            if (!maker?.takes(url)) return { bytes: await bytes(url, signal, lane) };
            const made = await picture(url, signal, lane);
            return { rgba: await maker.rgba(made), side: made.width };
        },
        /** From now on what it takes is made; null: nothing is. */
        make(next) {
            maker = next;
        },
        /** Whether there is who gives what an address asks for, by its route and ending: 'xyz.mvt', 'river' ... */
        gives: (name) => maker?.gives(name) ?? true,
        /** Asks for what will be wanted soon. */
        begin(url) {
            const address = new URL(url, document.baseURI);
            const answer = fetch(address, key ? { headers: { 'X-Api-Key': key } } : {});
            answer.catch(() => {}); // who takes it asks again
            begun.set(address.href, answer);
        },
        /** What test(url) is true of is another by now: it is not kept, and what is under way is asked for once more. */
        stale(test) {
            begun.clear();
            for (const mine of asked) if (test(mine.url)) mine.stale = true;
            for (const [url, { done }] of pictures) if (done && test(url)) pictures.delete(url);
        },
        /** A decoded tile that is there already; else undefined. */
        seen: (url) => (pictures.get(url)?.done ? pictures.get(url).promise : undefined),
        json: (url, options) => get(url, (answer) => answer.json(), { lane: 'urgent', ...options }),
        /** where(): the middle of the view, in parts of the map. What is near it is asked for first. */
        look(where) {
            middle = where;
        },
        /** Whether the server makes other worlds by now than when the page was loaded. */
        outdated: () => [...failed.values()].some(({ status }) => status === 410),
        /** What the server said of the key, where it wants another one; else undefined. */
        locked: () => [...failed.values()].find(({ status }) => status === 401 || status === 403)?.message,
        /** Says no more of what could not be had: of one address, of those that test(url) is true of, or of all. */
        forgive(which = () => true) {
            const test = typeof which === 'string' ? (url) => url === which : which;
            for (const url of [...failed.keys()]) if (test(url)) failed.delete(url);
            tell();
        },
    };
}
