/*
 * What people do to a world, as they do it: a stream of server-sent events, read by fetch, which sends a key. Where a stream cannot be
 * had, pages of the log are read now and then. A stream is held while the page is seen: browsers have six connections to a server.
 */
import { waitMs } from './load.js';

const SILENT_MS = 90000; // without so much as a heartbeat: then it is gone
const POLL_MS = 2000;

/** Takes the text of a stream in any pieces and calls tell({id, event, data}) for each event of it. */
export function createParser(tell) {
    let rest = '';
    let event = {};
    const line = (text) => {
        if (text === '') {
            if (event.data !== undefined) tell(event);
            event = {};
            return;
        }
        const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(text);
        if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`;
        else if (name) event[name] = value;
    };
    return (piece) => {
        const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
        rest = lines.pop();
        lines.forEach(line);
    };
}

/**
 * base: the address of the world's documents. since: what is known already. told(edits) is called in their order, each once; anew()
 * where it is another world by now, and nothing after it; trouble(text): why nothing comes, '' once it does.
 */
export function createFeed({ base, headers, since, epoch, told, anew, trouble, fetch = globalThis.fetch }) {
    const end = new AbortController();
    let next = since;
    let known = epoch;
    let stream = null;

    function take(edits) {
        const fresh = edits.filter(({ seq }) => seq > next);
        if (!fresh.length) return;
        next = fresh.at(-1).seq;
        told(fresh);
    }

    function renewed() {
        end.abort();
        anew();
    }

    /* true: it is another one. */
    function another(said) {
        if (known && said && said !== known) return true;
        known ??= said;
        return false;
    }

    async function ask(path, signal) {
        const answer = await fetch(`${base}/${path}`, { headers, signal, cache: 'no-store' });
        if (answer.ok) return answer;
        throw Object.assign(new Error(`${answer.status} ${answer.statusText}`), { status: answer.status });
    }

    /* All pages that there are. */
    async function poll() {
        for (;;) {
            const page = await (await ask(`edits?since=${next}`, end.signal)).json();
            if (another(page.epoch)) return renewed();
            take(page.edits);
            if (!page.edits.length) return undefined;
        }
    }

    async function listen() {
        stream = new AbortController();
        const signal = AbortSignal.any([stream.signal, end.signal]);
        const answer = await ask(`events?since=${next}`, signal);
        trouble('');
        let timer;
        const parse = createParser(({ event, data }) => {
            const said = JSON.parse(data);
            if (another(said.epoch)) renewed();
            else if (event !== 'world') take([said]);
        });
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        try {
            for (;;) {
                timer = setTimeout(() => stream.abort(), SILENT_MS);
                const { done, value } = await reader.read();
                clearTimeout(timer);
                if (done || end.signal.aborted) return;
                parse(value);
            }
        } finally {
            clearTimeout(timer);
        }
    }

    const seen = () =>
        new Promise((resolve) => {
            if (document.visibilityState !== 'hidden') return resolve();
            document.addEventListener('visibilitychange', () => resolve(seen()), { once: true });
        });

    async function run() {
        const pause = (ms) => new Promise((done) => setTimeout(done, ms));
        for (let tries = 0; !end.signal.aborted; ) {
            await seen();
            const began = performance.now();
            try {
                await listen();
                tries = performance.now() - began > 5000 ? 0 : tries + 1;
            } catch (error) {
                tries++;
                if (end.signal.aborted) break;
                if (error.status === 409) renewed();
                else if (error.status) await poll().then(() => trouble(''), () => trouble('What others do is not to be had just now.'));
                else if (error.name !== 'AbortError') trouble('The server does not answer: what others do comes later.');
                if (error.status) await pause(POLL_MS);
            }
            if (!end.signal.aborted && document.visibilityState !== 'hidden') await pause(waitMs(Math.min(tries, 5)));
        }
    }

    const hide = () => document.visibilityState === 'hidden' && stream?.abort();
    document.addEventListener('visibilitychange', hide);
    run();
    return {
        end() {
            end.abort();
            document.removeEventListener('visibilitychange', hide);
        },
        next: () => next,
    };
}
