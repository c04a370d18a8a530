/*
 * What is to be written to worlds: one thing after the other, each until it is there or refused. A batch that was sent once is sent
 * again as it was, and its tokens make that harmless.
 */
const BATCH = 100; // operations of one request
const WAIT_MOST_MS = 15000;

const passing = ({ status }) => !status || [429, 502, 503, 504].includes(status); // of the server, or a proxy before it
const locked = (error) => error.status === 401 || error.status === 403;

/**
 * post(world, to, body): sends; an error has `status` of an answer, and `retryMs` where the server says when to come again. tell(event):
 *   {kind: 'sent', items}                  they are there: each has its number as `seq`
 *   {kind: 'refused', items, error}        they are not, and will not be
 *   {kind: 'locked', error}                a key is wanted: resume()
 *   {kind: 'waiting', error}               it is tried again
 *   {kind: 'changed'}                      more or fewer wait
 */
export function createOutbox({ post, tell, sleep = (ms) => new Promise((done) => setTimeout(done, ms)) }) {
    let waiting = []; // {world, to: 'edits' | 'undo', body, of, seq}
    let batch = null; // those of them that were sent
    let running = false;
    let held = false;

    const bodyOf = ({ body, of }) => (of ? { seq: of.seq } : body);

    /* What takes one out that is not there has nothing to do. A way is routed by itself. */
    function take() {
        waiting = waiting.filter(({ of }) => !of || of.seq || waiting.includes(of));
        const [first] = waiting;
        if (!first) return null;
        if (first.to === 'undo' || first.body.points) return [first];
        const others = waiting.findIndex(({ world, to, body }) => world !== first.world || to !== first.to || body.points);
        return waiting.slice(0, Math.min(others < 0 ? waiting.length : others, BATCH));
    }

    function done(event) {
        const items = batch;
        batch = null;
        waiting = waiting.filter((item) => !items.includes(item));
        tell({ ...event, items });
    }

    /* One try; the milliseconds until the next one of the same batch, or 0. */
    async function send(tries) {
        const mine = batch;
        const [{ world, to }] = mine;
        try {
            const { first } = await post(world, to, to === 'undo' ? bodyOf(mine[0]) : mine.map(bodyOf));
            if (batch !== mine) return 0; // it was given up
            mine.forEach((item, k) => {
                item.seq = first + k;
            });
            done({ kind: 'sent' });
        } catch (error) {
            if (batch !== mine) return 0;
            if (locked(error)) {
                held = true;
                tell({ kind: 'locked', error });
            } else if (passing(error)) {
                tell({ kind: 'waiting', error });
                return Math.min(Math.max(error.retryMs ?? 0, 300 * 2 ** tries), WAIT_MOST_MS);
            } else if (to === 'undo' && error.status === 409 && tries) done({ kind: 'sent' }); // the answer of the first try was lost
            else done({ kind: 'refused', error });
        }
        return 0;
    }

    async function run() {
        if (running) return;
        running = true;
        for (let tries = 0; !held; ) {
            if (!batch) tries = 0;
            batch ??= take();
            if (!batch) break;
            const wait = await send(tries++);
            if (wait) await sleep(wait);
        }
        running = false;
    }

    const changed = () => {
        tell({ kind: 'changed' });
        run();
    };

    return {
        /** Things to write, in their order: {world, to: 'edits', body}, or {world, to: 'undo', of} of one that was put in before. */
        put(items) {
            waiting.push(...items);
            changed();
        },
        /** Takes out what was not sent yet; true: it will not be. */
        take(item) {
            if (item.seq || batch?.includes(item) || !waiting.includes(item)) return false;
            waiting = waiting.filter((each) => each !== item);
            return true;
        },
        /** Goes on, with another key. */
        resume() {
            held = false;
            changed();
        },
        /** Gives up all that waits; what was sent may be there. */
        drop() {
            waiting = [];
            batch = null;
            held = false;
            tell({ kind: 'changed' });
        },
        /** Takes nothing back any more: drops what waits to. */
        keepDone() {
            waiting = waiting.filter(({ of }) => !of);
            if (batch?.[0].of) batch = null;
            tell({ kind: 'changed' });
        },
        /** What is not known to be there. */
        waiting: () => waiting,
        /** Whether a key is waited for. */
        held: () => held,
    };
}
