/*
 * How what others do comes: read from a stream, once and in order, and one stream for all pages of a browser.
 */
import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { test } from 'node:test';
import { createFeed, createParser } from '../src/feed.js';

globalThis.crypto ??= webcrypto; // node 18 has none

test('events are read from a stream in whatever pieces it comes', () => {
    const text = 'retry: 1000\nid: 7\nevent: world\ndata: {"count":7}\n\n:\n\nid: 8\r\ndata: {"a":\r\ndata: 1}\r\n\r\n';
    for (const size of [1, 2, 7, 1000]) {
        const found = [];
        const parse = createParser((event) => found.push(event));
        for (let at = 0; at < text.length; at += size) parse(text.slice(at, at + size));
        assert.deepEqual(found, [
            { retry: '1000', id: '7', event: 'world', data: '{"count":7}' },
            { id: '8', data: '{"a":\n1}' },
        ]);
    }
});

test('a feed tells each operation once, goes on where it was, and notices another world', async () => {
    globalThis.document = { visibilityState: 'visible', addEventListener() {}, removeEventListener() {} };
    const streams = [
        'event: world\ndata: {"epoch":"e"}\n\ndata: {"seq":3,"epoch":"e"}\n\n',
        'event: world\ndata: {"epoch":"e"}\n\ndata: {"seq":3,"epoch":"e"}\n\ndata: {"seq":4,"epoch":"e"}\n\n',
        'event: world\ndata: {"epoch":"f"}\n\ndata: {"seq":5,"epoch":"f"}\n\n',
    ];
    const asked = [];
    const seen = [];
    await new Promise((anew) => {
        createFeed({
            base: 'http://server/world/commons',
            headers: {},
            since: 2,
            epoch: 'e',
            told: (edits) => seen.push(...edits.map(({ seq }) => seq)),
            anew,
            trouble() {},
            async fetch(url) {
                asked.push(url.split('/').at(-1));
                return new Response(streams.shift());
            },
        });
    });
    assert.deepEqual(seen, [3, 4]);
    assert.deepEqual(asked, ['events?since=2', 'events?since=3', 'events?since=4']);
});

/* Locks of a browser, of one name; happened() is called where one is asked for. */
function createLocks(happened) {
    const waiting = [];
    let held = null;
    const gone = () => Object.assign(new Error('gone'), { name: 'AbortError' });
    const grant = async () => {
        if (held || !waiting.length) return;
        const mine = waiting.shift();
        held = mine;
        await Promise.resolve(mine.work()).then(mine.resolve, mine.reject);
        if (held === mine) held = null;
        grant();
    };
    return {
        waiting: () => waiting.length,
        request: (name, { signal, steal }, work) =>
            new Promise((resolve, reject) => {
                const mine = { work, resolve, reject };
                if (signal?.aborted) return reject(gone());
                signal?.addEventListener('abort', () => {
                    if (waiting.includes(mine)) waiting.splice(waiting.indexOf(mine), 1);
                    if (held !== mine) reject(gone());
                });
                if (steal) {
                    held?.reject(gone());
                    held = null;
                }
                waiting[steal ? 'unshift' : 'push'](mine);
                grant();
                happened();
            }),
    };
}

/* A server of a world whose log has three operations, pages that show it, and what they ask for; happen() wakes who waits for something. */
function createScene() {
    const log = [1, 2, 3].map((seq) => ({ seq, epoch: 'e' }));
    const streams = new Map(); // of pages, by name
    const asked = [];
    let happen;
    let happens = new Promise((resolve) => (happen = resolve));
    const happened = () => {
        happen();
        happens = new Promise((resolve) => (happen = resolve));
    };
    const locks = createLocks(happened);
    const text = (edits) => new TextEncoder().encode(edits.map((edit) => `data: ${JSON.stringify(edit)}\n\n`).join(''));

    const serve = (name) => async (url, { signal }) => {
        const [, what, since] = /(events|edits)\?since=(\d+)/.exec(url);
        asked.push(`${name} ${what} ${since}`);
        const edits = log.slice(Number(since));
        if (what === 'edits') return Response.json({ epoch: 'e', edits });
        const body = new ReadableStream({
            start(stream) {
                streams.set(name, stream);
                stream.enqueue(text(edits));
                signal.addEventListener('abort', () => {
                    streams.delete(name);
                    stream.error(signal.reason);
                    happened();
                });
                happened();
            },
        });
        return new Response(body);
    };

    return {
        asked,
        streams,
        waiting: locks.waiting,
        dig() {
            log.push({ seq: log.length + 1, epoch: 'e' });
            for (const stream of streams.values()) stream.enqueue(text(log.slice(-1)));
        },
        /* Waits until it is so: something has to happen in between, or the test never ends. */
        async until(test_) {
            while (!test_()) await happens;
        },
        open(name, { since = 3, Channel = BroadcastChannel, silentMs, shared = locks } = {}) {
            const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
            const heard = [];
            const feed = createFeed({
                base: 'http://server/world/commons', headers: {}, since, epoch: 'e', page, locks: shared, Channel, silentMs, fetch: serve(name),
                told(edits) {
                    heard.push(...edits.map(({ seq }) => seq));
                    happened();
                },
                anew: () => assert.fail('it is the same world'),
                trouble() {},
            });
            const show = (state) => {
                page.visibilityState = state;
                page.dispatchEvent(new Event('visibilitychange'));
            };
            return { heard, show, end: feed.end, next: feed.next };
        },
    };
}

const LIMIT = { timeout: 60000 };

test('pages share a stream: one that comes late has what it missed, and where one is closed or hidden another goes on', LIMIT, async () => {
    const scene = createScene();
    const { asked, streams, waiting, dig, until } = scene;
    const a = scene.open('a');
    await until(() => streams.has('a'));
    const b = scene.open('b');
    await until(() => waiting() === 1); // before the next one: turns are in that order
    const late = scene.open('late', { since: 1 });
    await until(() => late.next() === 3);
    dig();
    await until(() => [a, b, late].every(({ next }) => next() === 4));
    assert.deepEqual([...streams.keys()], ['a']);
    assert.deepEqual(asked.filter((each) => each.includes('events')), ['a events 3']);

    a.end();
    dig(); // nobody listens just now
    await until(() => streams.has('b') && b.next() === 5 && late.next() === 5);
    assert.deepEqual([...streams.keys()], ['b']);
    b.show('hidden');
    dig();
    await until(() => streams.has('late') && late.next() === 6);
    assert.deepEqual([...streams.keys()], ['late']);
    assert.equal(b.next(), 5); // who is hidden does nothing
    dig();
    b.show('visible');
    await until(() => b.next() === 7 && late.next() === 7);
    dig();
    await until(() => b.next() === 8 && late.next() === 8);
    assert.deepEqual([...streams.keys()], ['late']);
    late.end();
    await until(() => streams.has('b'));
    b.end();
    assert.deepEqual([a.heard, b.heard, late.heard], [[4], [4, 5, 6, 7, 8], [2, 3, 4, 5, 6, 7, 8]]);
});

test('a page that is held up loses the lead', LIMIT, async () => {
    const scene = createScene();
    class Mute extends BroadcastChannel {
        postMessage() {} // as a page that does nothing any more
    }
    const held = scene.open('held', { Channel: Mute });
    await scene.until(() => scene.streams.has('held'));
    const other = scene.open('other', { silentMs: 20 });
    await scene.until(() => scene.streams.has('other') && !scene.streams.has('held'));
    scene.dig();
    await scene.until(() => other.next() === 4);
    held.end();
    other.end();
});

test('without locks, and where they are forbidden, each page has a stream', LIMIT, async () => {
    const scene = createScene();
    const forbidden = { request: () => Promise.reject(new Error('forbidden')) };
    const pages = [scene.open('a', { shared: null }), scene.open('b', { shared: forbidden })];
    await scene.until(() => scene.streams.size === 2);
    scene.dig();
    await scene.until(() => pages.every(({ next }) => next() === 4));
    for (const page of pages) page.end();
});
