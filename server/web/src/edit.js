/*
 * What somebody does to a world: strokes of a brush, sent as they are made, and taken back.
 */
import { BRUSHES, POINTS_MOST, RANGE, along, clamp, operation, rounded } from './brush.js';
import { recall, remember } from './dom.js';
import { editKeyOf } from './key.js';
import { metresPerPixel } from './mercator.js';
import { createOutbox } from './outbox.js';
import { createStrokes } from './strokes.js';
import { pointUrl, worldPath } from './urls.js';

const WIDE_PX = 40; // of a brush that is new
const STEEP = 0.1; // how high it is then, in parts of that
const UNDONE_MOST = 200; // strokes that can be taken back
const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

const radii = ({ outer, core }) => ({ inner: outer * core, outer });

async function problemOf(answer) {
    const detail = await answer.json().then(({ detail }) => detail, () => answer.statusText);
    const said = Number(answer.headers.get('Retry-After'));
    return Object.assign(new Error(detail), { status: answer.status, retryMs: said > 0 ? said * 1000 : 0 });
}

/** changed(): what a panel shows is another. */
export function createEdit({ store, loader, view, world, overlay, say, changed }) {
    const own = Math.random().toString(36).slice(2, 10); // what tells this page's tokens from others'
    const usual = { brush: 'raise', outer: 0, core: 0.25, strength_m: 0, strength: 0.5, slope: 0.15, height: '', term: '', name: '' };
    let set = { ...usual, ...recall('brush', {}), name: '', height: '' };
    let key = editKeyOf();
    let why = ''; // what the server said of the key
    let count = 0; // of tokens
    let stroke = null; // {set, items, last: its last place, height, places: that wait for it, gone: it was taken back}
    let course = []; // points of a way, so far
    let done = [];
    let undone = [];

    async function post(name, to, body) {
        if (!key) throw Object.assign(new Error(''), { status: 401 });
        const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
        const address = new URL(`${worldPath(name)}/${to}`, document.baseURI);
        const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => {
            throw new Error('The server does not answer.');
        });
        if (!answer.ok) throw await problemOf(answer);
        return answer.json();
    }

    const outbox = createOutbox({
        post,
        tell({ kind, items, error }) {
            if (kind === 'refused') {
                for (const item of items) item.refused = true;
                say(`${plural(items.length, 'stroke')} refused: ${error.message}`, 12000);
            }
            if (kind === 'locked') {
                why = error.message;
                say(why || 'Changing this world needs a key with the right to do so.', 10000);
            }
            if (kind === 'waiting') say(`${plural(outbox.waiting().length, 'stroke')} not there yet: ${error.message} It is tried again.`, 8000);
            draw();
        },
    });

    function draw() {
        const pending = outbox.waiting().filter(({ world: name, body }) => name === store.get().seed && body);
        const rings = pending.flatMap(({ body: { x, y, outer, points, width, border } }) => (points ? points.map(([a, b]) => ({ x: a, y: b, outer: width / 2 + border })) : { x, y, outer }));
        overlay.mark({ strokes: [...rings, ...course.map(({ x, y }) => ({ x, y, outer: set.outer }))] });
        changed();
    }

    const allowed = () => world().edits?.brushes.filter((name) => BRUSHES[name]) ?? [];
    const outerMost = () => world().edits.outer_m;

    /* What is set, as this world takes it. */
    function fit() {
        const { terms } = world().edits;
        if (!allowed().includes(set.brush)) set.brush = allowed()[0];
        if (!terms.includes(set.term)) set.term = terms[0] ?? '';
        if (!set.outer) set.outer = rounded(WIDE_PX * metresPerPixel(store.get().zoom, world().spacing_m));
        if (!set.strength_m) set.strength_m = rounded(set.outer * STEEP);
        set.outer = clamp(set.outer, world().spacing_m, outerMost());
    }

    function change(patch) {
        if (patch.brush) course = [];
        set = { ...set, ...patch };
        fit();
        remember('brush', { ...set, name: '', height: '' });
        strokes.show();
        draw();
    }

    function send(mine, bodies) {
        const items = bodies.map((body) => ({ world: store.get().seed, to: 'edits', body }));
        mine.items.push(...items);
        if (items.length) outbox.put(items);
    }

    /* A point of a way; where the last one is, it ends. */
    function step(place) {
        const last = course.at(-1);
        const again = last && Math.hypot(place.x - last.x, place.y - last.y) <= set.outer / 2;
        if (!again) course.push(place);
        if (again || course.length === POINTS_MOST) {
            const mine = { set, items: [] };
            if (course.length > 1) {
                send(mine, [operation(set, place, { spacing: world().spacing_m, token: `${own}-${count++}`, points: course })]);
                done = [...done, mine].slice(-UNDONE_MOST);
                undone = [];
            }
            course = [];
        }
        draw();
    }

    function lay(mine, places) {
        const { spacing_m: spacing } = world();
        send(
            mine,
            places.map((place) => operation(mine.set, place, { spacing, token: `${own}-${count++}`, height: mine.height, name: mine.set.name.trim() })),
        );
    }

    /* Of level without a height: that of where it begins, which the server is asked for. */
    async function findHeight(mine, place) {
        const { seed, variant } = store.get();
        const url = pointUrl({ seed, variant }, place, 0);
        try {
            const said = await loader.json(url);
            mine.height = said.height_m;
            if (!mine.gone) lay(mine, mine.places);
        } catch (error) {
            loader.forgive(url);
            say(`The height there is not to be had: ${error.message}`, 8000);
        }
    }

    function begin(place) {
        const { height, name, points } = BRUSHES[set.brush];
        if (points) {
            step(place);
            return;
        }
        if (name && !set.name.trim()) {
            say('A mark needs a name.');
            changed('name');
            return;
        }
        stroke = { set, items: [], last: place, height: null, places: [] };
        done = [...done, stroke].slice(-UNDONE_MOST);
        undone = [];
        if (height && set.height === '') {
            stroke.places.push(place);
            findHeight(stroke, place);
            return;
        }
        stroke.height = Number(set.height);
        lay(stroke, [place]);
    }

    function move(place) {
        if (!stroke || BRUSHES[stroke.set.brush].name) return;
        const places = along(stroke.last, place, radii(stroke.set));
        stroke.last = places.at(-1) ?? stroke.last;
        if (stroke.height === null) stroke.places.push(...places);
        else lay(stroke, places);
    }

    function end() {
        if (stroke?.items.length && set.name) change({ name: '' });
        stroke = null;
        changed();
    }

    function undo() {
        if (course.pop()) return draw();
        const last = done.at(-1);
        if (!last) return say('There is nothing of yours to undo.');
        done = done.slice(0, -1);
        undone.push(last);
        last.gone = true;
        if (last === stroke) stroke = null; // the rest of it is not done
        const there = last.items.filter((item) => !item.refused && !outbox.take(item)).reverse();
        outbox.put(there.map((item) => ({ world: item.world, to: 'undo', of: item })));
        return undefined;
    }

    function redo() {
        const last = undone.pop();
        if (!last) return say('There is nothing to do again.');
        const items = last.items.map(({ world: name, to, body }) => ({ world: name, to, body: { ...body, token: `${own}-${count++}` } }));
        done = [...done, { ...last, items, gone: false }];
        outbox.put(items);
        return undefined;
    }

    const tool = {
        begin,
        move,
        end,
        undo,
        redo,
        size: () => (BRUSHES[set.brush].name ? { inner: 0, outer: 0 } : radii(set)),
        radius: (factor) => change({ outer: rounded(set.outer * factor) }),
        strength(factor) {
            const { strength } = BRUSHES[set.brush];
            if (strength) change({ [strength]: clamp(rounded(set[strength] * factor), ...RANGE[strength]) });
        },
    };
    const strokes = createStrokes({ view, overlay, tool });

    addEventListener('beforeunload', (event) => outbox.waiting().length && event.preventDefault());
    store.on('seed recipe v at', () => {
        course = [];
        strokes.turn(false);
        draw();
    });

    /* What was done to a world has another number, or none, once that is another one, or is made anew while another is shown: nothing of it is taken
     * back then. */
    function forget() {
        const waiting = outbox.waiting().length;
        for (const each of done) each.gone = true;
        [stroke, course, done, undone] = [null, [], [], []];
        outbox.keepDone();
        const kept = waiting - outbox.waiting().length;
        if (kept) say(`${kept} ${kept > 1 ? 'operations stay' : 'operation stays'}: they were still to be undone.`, 10000);
        draw();
    }
    store.on('seed recipe v', forget);

    return {
        allowed,
        outerMost,
        change,
        fit,
        draw,
        undo,
        redo,
        set: () => set,
        /** Strokes, where the world of now is shown. */
        turn(yes) {
            course = [];
            draw();
            strokes.turn(yes && store.get().at === null);
        },
        /** What the server said where it wants a key, or ''; null: there is one. */
        locked: () => (key && !outbox.held() ? null : why),
        /** Takes a key, and goes on with it. */
        unlock(given) {
            key = given;
            why = '';
            outbox.resume();
        },
        drop: () => outbox.drop(),
        /** The world is another one by now. */
        forget,
        waiting: () => outbox.waiting().length,
        undoable: () => course.length > 0 || done.length > 0,
        redoable: () => undone.length > 0,
    };
}
