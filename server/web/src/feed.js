/*
 * What people do to a world, as they do it: a stream of server-sent events, read by fetch, which sends a key. Where a stream cannot be
 * had, pages of the log are read now and then. Browsers have six connections to a server, so one of the pages that are seen holds a
 * stream for all of them (share.js): each knows which number it had last, and asks for what it has missed.
 */
import { waitMs } from './load.js';
import { createShare, firstOf } from './share.js';

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

const pause = (ms, signal) =>
    new Promise((resolve) => {
        const done = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done);
        if (signal.aborted) done();
    });

/**
 * base: the address of the world's documents. since: what is known already. told(edits) is called in their order, each once; anew()
 * where it is another world by now, and nothing after it; trouble(text): why nothing comes, '' once it does. page: it is listened to while
 * that is seen.
 */
export function createFeed({ base, headers, since, epoch, told, anew, trouble, fetch = globalThis.fetch, page = globalThis.document, ...parts }) {
    const end = new AbortController();
    const share = createShare(JSON.stringify([base, epoch, headers]), parts);
    let next = since;
    let known = epoch;
    let shown = null;
    let missed = null;

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

    /* Of who leads: trouble is all pages'. */
    function complain(text) {
        trouble(text);
        share.tell({ next, text });
    }

    /* A follower that is behind has not got to `next`, either. */
    async function madeAnew() {
        const answer = await fetch(`${base}?spawn=coarse`, { headers, signal: end.signal, cache: 'no-store' });
        return answer.ok && another((await answer.json()).edits?.epoch);
    }

    async function ask(path, signal) {
        const answer = await fetch(`${base}/${path}`, { headers, signal, cache: 'no-store' });
        if (answer.ok) return answer;
        throw Object.assign(new Error(`${answer.status} ${answer.statusText}`), { status: answer.status });
    }

    /* All of the log that there is, page by page. */
    async function poll(tell = () => {}) {
        for (;;) {
            const log = await (await ask(`edits?since=${next}`, end.signal)).json();
            if (another(log.epoch)) return renewed();
            take(log.edits);
            tell({ next, edits: log.edits });
            if (!log.edits.length) return undefined;
        }
    }

    async function listen(signal) {
        const stream = new AbortController();
        const answer = await ask(`events?since=${next}`, firstOf(stream.signal, signal));
        complain('');
        let timer;
        let edits = [];
        const parse = createParser(({ event, data }) => {
            const said = JSON.parse(data);
            if (end.signal.aborted) return;
            if (another(said.epoch)) renewed();
            else if (event !== 'world') edits.push(said);
        });
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        try {
            for (;;) {
                timer = setTimeout(() => stream.abort(), SILENT_MS);
                const { done, value } = await reader.read();
                clearTimeout(timer);
                if (!done) parse(value);
                if (done || signal.aborted) return;
                take(edits);
                share.tell({ next, edits }); // a heartbeat, too: it says that this page leads
                edits = [];
            }
        } finally {
            clearTimeout(timer);
        }
    }

    /* Holds the stream. */
    async function lead(signal) {
        for (let tries = 0; !signal.aborted; ) {
            const began = performance.now();
            try {
                await listen(signal);
                tries = performance.now() - began > 5000 ? 0 : tries + 1;
            } catch (error) {
                tries++;
                if (signal.aborted) break;
                if (error.status === 409) {
                    if (await madeAnew().catch(() => false)) renewed();
                } else if (error.status) await poll(share.tell).then(() => complain(''), () => complain('What others do is not to be had just now.'));
                else if (error.name !== 'AbortError') complain('The server does not answer: what others do comes later.');
                if (error.status) await pause(POLL_MS, signal);
            }
            await pause(waitMs(Math.min(tries, 5)), signal);
        }
    }

    /* Of who leads. What is missing before it is asked for; where that fails, again with what is heard next. */
    function hear({ next: theirs, edits = [], text }) {
        if (edits[0]?.seq <= next + 1) take(edits);
        if (text !== undefined) trouble(text);
        if (theirs > next)
            missed ??= poll()
                .catch(() => {})
                .finally(() => {
                    missed = null;
                });
    }

    const seen = () =>
        new Promise((resolve) => {
            if (page.visibilityState !== 'hidden') return resolve();
            page.addEventListener('visibilitychange', () => resolve(seen()), { once: true });
        });

    async function run() {
        while (!end.signal.aborted) {
            await seen();
            shown = new AbortController();
            await share.attend(firstOf(shown.signal, end.signal), { lead, hear, news: () => ({ next }) });
        }
    }

    const hide = () => page.visibilityState === 'hidden' && shown?.abort();
    page.addEventListener('visibilitychange', hide);
    run();
    return {
        end() {
            end.abort();
            page.removeEventListener('visibilitychange', hide);
        },
        next: () => next,
    };
}
