/*
 * Changing a world: strokes as operations, and how they are sent.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { along, clamp, operation, stepOf, touches } from '../src/brush.js';
import { createEdit } from '../src/edit.js';
import { squareOf } from '../src/live.js';
import { createOutbox } from '../src/outbox.js';
import { createStore } from '../src/store.js';

const SET = { brush: 'raise', outer: 10, core: 0.25, strength_m: 2, strength: 0.5, term: 'hills' };

test('an operation has what its brush takes, in sixteenths of a sample', () => {
    const given = { spacing: 1, token: 't', height: 7, name: 'Camp' };
    const at = { x: 1.03, y: -2.99, token: 't' };
    const place = { x: 1, y: -3, token: 't' };
    assert.deepEqual(operation(SET, at, given), { brush: 'raise', ...place, inner: 2.5, outer: 10, strength_m: 2 });
    assert.deepEqual(operation({ ...SET, brush: 'level' }, at, given), { brush: 'level', ...place, inner: 2.5, outer: 10, strength: 0.5, height_m: 7 });
    assert.deepEqual(operation({ ...SET, brush: 'noise' }, at, given), { brush: 'noise', ...place, inner: 2.5, outer: 10, strength: 0.5, term: 'hills' });
    assert.deepEqual(operation({ ...SET, brush: 'mark' }, at, given), { brush: 'mark', ...place, properties: { name: 'Camp' } });
    assert.equal(operation({ ...SET, outer: 0.01 }, at, given).outer, 1 / 16);
});

test('a way has its points, and a width', () => {
    const set = { ...SET, brush: 'way', slope: 0.2 };
    const points = [{ x: 0, y: 0 }, { x: 9.99, y: 3 }];
    assert.deepEqual(operation(set, points[0], { spacing: 1, token: 't', points }), {
        brush: 'way', points: [[0, 0], [10, 3]], width: 5, border: 7.5, slope: 0.2, depth: 20, token: 't' });
});

test('a stroke is operations equally far apart, wherever the pointer was seen', () => {
    const size = { inner: 0, outer: 30 };
    const found = along({ x: 0, y: 0 }, { x: 30, y: 40 }, size);
    assert.deepEqual(found.map(({ x, y }) => [x, y]), [[6, 8], [12, 16], [18, 24], [24, 32], [30, 40]]);
    assert.deepEqual(along({ x: 0, y: 0 }, { x: 1, y: 1 }, size), []);
    assert.deepEqual(along({ x: 2, y: 2 }, { x: 2, y: 2 }, size), []);
});

test('the sum of a stroke is even, on it and beside it', () => {
    const fade = (t) => t ** 3 * (t * (6 * t - 15) + 10);
    for (const [core, most] of [[0, 0.004], [0.25, 0.004], [0.5, 0.004], [0.75, 0.02]]) {
        const step = stepOf({ inner: core, outer: 1 });
        const share = (d) => fade(clamp((1 - d) / (1 - core), 0, 1));
        const sum = (x, y) => Array.from({ length: 41 }, (_, k) => share(Math.hypot(x - (k - 20) * step, y))).reduce((a, b) => a + b);
        for (let y = 0; y < 1; y += 0.05) {
            const sums = Array.from({ length: 20 }, (_, k) => sum((k * step) / 20, y));
            assert.ok(Math.max(...sums) - Math.min(...sums) < (y ? most : 1e-9) * sum(0, 0), `${core} ${y}`);
        }
    }
});

test('tiles that a box touches, with what they look at around them', () => {
    const test_ = touches([[100, 100, 110, 110]]);
    for (const [url, yes] of [
        ['xyz/commons/18/131072/131072.png?v=9', true],
        ['xyz/commons/18/131073/131072.png', false],
        ['xyz/commons/0/0/0.png', true],
        ['tile/commons/0/0/0.f32?size=65', true],
        ['tile/commons/0/-1/0.f32', false],
        ['tile/commons/5/0/-1.bin', true], // within a margin of its edge
        ['tile/commons/4/0/-1.bin', true],
        ['tile/commons/0/0/-1.bin', false],
    ])
        assert.equal(test_(squareOf(url, 1)), yes, url);
    assert.equal(squareOf('tile/commons/0/0/0.f32?at=3', 1), null);
    assert.equal(squareOf('world/commons', 1), null);
});

/* An outbox whose server answers as it is told, and all that it said. */
function sending(answers) {
    const log = [];
    const said = [];
    let end;
    const ended = new Promise((resolve) => (end = resolve));
    const outbox = createOutbox({
        sleep: async () => {},
        async post(world, to, body) {
            log.push([to, Array.isArray(body) ? body.map(({ token }) => token).join('') : body.seq]);
            const answer = answers.shift();
            if (answers.length === 0) queueMicrotask(() => setTimeout(end));
            if (typeof answer === 'number') return { first: answer };
            throw Object.assign(new Error(`${answer.status}`), answer);
        },
        tell: ({ kind, items }) => kind !== 'changed' && said.push(items ? `${kind} ${items.length}` : kind),
    });
    return { outbox, log, said, ended };
}
const stroke = (token) => ({ world: 'commons', to: 'edits', body: { token } });

test('strokes are sent in batches, one after the other, and again as they were', async () => {
    const { outbox, log, said, ended } = sending([{ status: 503 }, {}, 5, 6]);
    const [a, b, c] = ['a', 'b', 'c'].map(stroke);
    outbox.put([a, b]);
    outbox.put([c]);
    assert.equal(outbox.waiting().length, 3);
    await ended;
    assert.deepEqual(log, [['edits', 'ab'], ['edits', 'ab'], ['edits', 'ab'], ['edits', 'c']]);
    assert.deepEqual([a.seq, b.seq, c.seq], [5, 6, 6]);
    assert.deepEqual(said, ['waiting', 'waiting', 'sent 2', 'sent 1']);
    assert.equal(outbox.waiting().length, 0);
});

test('what is refused is told, and the rest goes on; without a key all waits for one', async () => {
    const { outbox, log, said, ended } = sending([{ status: 507 }, { status: 401 }, 9, 10]);
    outbox.put([stroke('a')]);
    await new Promise((done) => setTimeout(done));
    outbox.put([stroke('b')]);
    await new Promise((done) => setTimeout(done));
    assert.ok(outbox.held());
    assert.equal(outbox.waiting().length, 1);
    outbox.put([stroke('c')]);
    outbox.resume();
    await ended;
    await new Promise((done) => setTimeout(done));
    assert.deepEqual(log, [['edits', 'a'], ['edits', 'b'], ['edits', 'b'], ['edits', 'c']]);
    assert.deepEqual(said, ['refused 1', 'locked', 'sent 1', 'sent 1']);
});

test('an undo waits for the number, what was not sent is not undone, and an answer that was lost is no refusal', async () => {
    const { outbox, log, said, ended } = sending([3, {}, { status: 409 }]);
    const [a, b] = ['a', 'b'].map(stroke);
    outbox.put([a]);
    outbox.put([b]);
    assert.ok(outbox.take(b));
    assert.ok(!outbox.take(a));
    outbox.put([{ world: 'commons', to: 'undo', of: a }, { world: 'commons', to: 'undo', of: b }]);
    await ended;
    await new Promise((done) => setTimeout(done));
    assert.deepEqual(log, [['edits', 'a'], ['undo', 3], ['undo', 3]]);
    assert.deepEqual(said, ['sent 1', 'waiting', 'sent 1']);
    assert.equal(outbox.waiting().length, 0);
});

/* Who changes a world, on a page that has only what it takes: stroke() is one; posted is what was sent, answer() gives its status. */
function editing({ heightOf } = {}) {
    const on = {};
    const nothing = () => {};
    const element = { addEventListener: (name, does) => (on[name] = does), getAttribute: nothing, setAttribute: nothing, getBoundingClientRect: () => ({ left: 0, top: 0 }) };
    const moves = { enable: nothing, disable: nothing, isActive: () => false };
    const map = { on: nothing, getCanvas: () => element, getCanvasContainer: () => element, dragPan: moves, boxZoom: moves, doubleClickZoom: moves, keyboard: moves };
    const posted = [];
    const said = [];
    let status = 201;
    Object.assign(globalThis, {
        addEventListener: nothing,
        document: { addEventListener: nothing, body: { classList: { toggle: nothing } }, baseURI: 'http://terrane.test/' },
        async fetch(address, { body }) {
            posted.push([new URL(address).pathname, JSON.parse(body)]);
            return { ok: status === 201, status, headers: new Map(), json: async () => ({ first: posted.length, detail: 'busy' }) };
        },
    });
    const store = createStore({ seed: 'commons', zoom: 17, at: null });
    const edit = createEdit({
        store,
        loader: { json: heightOf },
        view: { map, metresAt: ([x, y]) => ({ x, y }) },
        world: () => ({ spacing_m: 1, edits: { brushes: ['raise', 'level'], terms: [], outer_m: 512 } }),
        overlay: { mark: nothing },
        say: (text) => said.push(text),
        changed: nothing,
    });
    edit.unlock('key');
    edit.fit();
    edit.turn(true);
    const event = { pointerType: 'mouse', button: 0, pointerId: 1, clientX: 8, clientY: 8 };
    const stroke = async ({ between = nothing } = {}) => {
        on.pointerdown(event);
        await between();
        on.pointerup({ ...event, type: 'pointerup' });
        await settled();
    };
    const drag = (clientX) => on.pointermove({ ...event, clientX });
    return { edit, store, posted, said, stroke, drag, answer: (next) => (status = next) };
}
const settled = () => new Promise((done) => setTimeout(done, 5));

test('what was done to a world is not undone in another one, or in the same where it was made anew', async () => {
    for (const leave of [({ store }) => store.set({ seed: 'other' }), ({ edit }) => edit.forget()]) {
        const page = editing();
        await page.stroke();
        assert.deepEqual(page.posted.map(([path]) => path), ['/world/commons/edits']);
        assert.ok(page.edit.undoable());
        leave(page);
        assert.ok(!page.edit.undoable());
        page.edit.undo();
        page.edit.redo();
        await settled();
        assert.equal(page.posted.length, 1);
        assert.equal(page.said.length, 2);
    }
});

test('what waits to be undone stays where the world is another one; what waits to be done is done', async ({ mock }) => {
    const pauses = []; // before something is tried again: they end where the test says so
    const { setTimeout: soon } = globalThis;
    mock.method(globalThis, 'setTimeout', (call, ms, ...rest) => (ms >= 300 ? pauses.push(call) : soon(call, ms, ...rest)));
    const page = editing();
    await page.stroke();
    page.answer(503);
    page.edit.undo();
    await settled();
    await page.stroke();
    assert.deepEqual(page.posted.map(([path]) => path), ['/world/commons/edits', '/world/commons/undo']);
    assert.equal(page.edit.waiting(), 2);
    page.edit.forget();
    assert.equal(page.edit.waiting(), 1);
    page.answer(201);
    for (const go of pauses) go();
    while (page.edit.waiting()) await settled();
    assert.deepEqual(page.posted.map(([path]) => path), ['/world/commons/edits', '/world/commons/undo', '/world/commons/edits']);
});

test('a stroke that waits for a height is none in another world', async () => {
    let tell;
    const page = editing({ heightOf: () => new Promise((told) => (tell = told)) });
    page.edit.change({ brush: 'level' });
    await page.stroke();
    page.store.set({ seed: 'other' });
    tell({ height_m: 7 });
    await settled();
    assert.equal(page.posted.length, 0);
    page.edit.drop();
});

test('what is undone while it is drawn ends there', async () => {
    const page = editing();
    await page.stroke({
        async between() {
            await settled();
            page.edit.undo();
            page.drag(5000);
            await settled();
        },
    });
    assert.deepEqual(page.posted.map(([path]) => path), ['/world/commons/edits', '/world/commons/undo']);
    await page.stroke({ between: () => page.drag(5000) });
    assert.ok(page.posted.length > 2);
});
