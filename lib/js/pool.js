// Who makes what when: workers, the tiles that are waited for, and the regions they rest on.
//
// Nothing is planned ahead. Whenever a worker is free, the tiles that are waited for are walked, the most urgent and then the oldest
// first, each down to what it lacks, and the first thing that nobody makes yet and that lacks nothing is made: so a region is made
// once, whoever waits for it, and a tile is done before the next one's regions fill the budget.
//
// Invariants. A region is kept once, and made by one worker at a time. What is kept is within the budget, but for what the first
// tile that waits needs. A worker has one job.

import { workerStarter } from './platform.js';
import { onAbort } from './stops.js';

const TRIES = 3; // times that workers may die of a job
const LOOK = 32; // tiles that are looked at for one whose regions a worker has

const NOBODY = { holds: new Set() };
const NO_THREAD = { post() {}, end() {}, hold() {} };

/** A region, or a tile: what it is made of, asked for when it is looked at first. */
class Node {
    #inputs;
    constructor(job, key, ask) {
        this.job = job;
        this.key = key;
        this.ask = ask;
    }
    get inputs() {
        return (this.#inputs ??= this.ask(this.job));
    }
}

export class Pool {
    #planner;
    #world;
    #most;
    #budget;
    #start;
    #workers = new Set();
    #waiting = []; // tiles, in order
    #order = 0;
    #kept = new Map(); // key -> buffer; what was used last comes last
    #bytes = 0;
    #making = new Set(); // keys
    #counts = { tiles: 0, regions: 0, died: 0, dropped: 0, mostBytes: 0 };
    #dealing = false;
    #closed = false;

    /** planner: a Terrane with the world open; world: what workers open it with. */
    static async of(planner, world, { workers, budget }) {
        const pool = new Pool();
        pool.#planner = planner;
        pool.#world = world;
        pool.#most = workers;
        pool.#budget = budget;
        pool.#start = await workerStarter();
        return pool;
    }

    stats() {
        return { ...this.#counts, workers: this.#workers.size, waiting: this.#waiting.length, kept: this.#kept.size, bytes: this.#bytes };
    }

    /** Tiles that are waited for. */
    get waiting() {
        return this.#waiting.length;
    }

    /** Of a tile, in numbers: { buffer, seconds }: the bytes of its samples, and what workers took for it and for the regions made for it. */
    make(tile, { priority = 0, signal } = {}) {
        return new Promise((resolve, reject) => {
            if (this.#closed) throw new Error('the world is closed');
            signal?.throwIfAborted();
            const node = new Node({ tile }, undefined, () => this.#nodes(this.#planner.plan(tile)));
            const wish = { node, priority, order: this.#order++, tries: 0, seconds: 0, worker: undefined, resolve, reject };
            void node.inputs; // what the library refuses is refused now
            wish.forget = onAbort(signal, () => this.#settle(wish, () => reject(signal.reason)));
            this.#insert(wish);
            this.#dealSoon();
        });
    }

    close() {
        this.#closed = true;
        for (const worker of this.#workers) worker.thread.end();
        this.#workers.clear();
        for (const wish of [...this.#waiting]) this.#settle(wish, () => wish.reject(new Error('the world is closed')));
        this.#kept.clear();
        this.#bytes = 0;
    }

    // ---- Tiles that are waited for --------------------------------------------------------------------------------

    #insert(wish) {
        let at = this.#waiting.length;
        while (at > 0 && this.#waiting[at - 1].priority < wish.priority) at--;
        this.#waiting.splice(at, 0, wish);
    }

    #settle(wish, how) {
        const at = this.#waiting.indexOf(wish);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        wish.forget();
        how();
    }

    #nodes(regions) {
        return regions.map((region) => new Node({ region }, region.join(), () => this.#nodes(this.#planner.needs(region))));
    }

    /* What of a node can be made now: itself, where it lacks nothing, else something that it lacks; or nothing. held: regions of which nothing can. */
    #ready(node, held) {
        const lacks = node.inputs.filter(({ key }) => !this.#kept.has(key));
        if (lacks.length === 0) return node;
        for (const region of lacks) {
            const found = held.has(region.key) ? undefined : this.#ready(region, held);
            if (found) return found;
            held.add(region.key);
        }
        return undefined;
    }

    /* The next thing for a worker: the first; or, of tiles as urgent, one whose regions it has. */
    #next(worker) {
        const held = new Set(this.#making); // looked at once, however many wait for them
        let first;
        let looked = 0;
        for (const wish of this.#waiting) {
            if (wish.worker) continue;
            if (first && (wish.priority < first.wish.priority || ++looked > LOOK)) break;
            const node = this.#ready(wish.node, held);
            if (!node) continue;
            first ??= { wish, node };
            if (first.node !== first.wish.node) break; // a region that somebody waits for goes first
            if (node === wish.node && node.inputs.every(({ key }) => worker.holds.has(key))) return { wish, node };
        }
        return first;
    }

    // ---- Workers ----------------------------------------------------------------------------------------------------

    /* Once for all tiles that are asked for at a time. */
    #dealSoon() {
        if (this.#dealing) return;
        this.#dealing = true;
        queueMicrotask(() => {
            this.#dealing = false;
            if (!this.#closed) this.#deal();
        });
    }

    #deal() {
        for (const worker of this.#workers) if (!worker.task) this.#give(worker);
        const starting = [...this.#workers].some(({ opened }) => !opened);
        while (this.#workers.size < Math.min(this.#most, this.#waiting.length)) this.#hire();
        if (!starting && this.#workers.size < this.#most && this.#next(NOBODY)) this.#hire(); // one tile's regions, side by side
    }

    /* It has its world and its first job before it runs: whoever is busy here then does not hold it up. */

    #hire() {
        const worker = { opened: false, task: undefined, holds: new Set(), thread: undefined };
        const died = (why) => this.#died(worker, why);
        try {
            worker.thread = this.#start((message) => this.#heard(worker, message), died);
        } catch (error) {
            worker.thread = NO_THREAD; // not even begun: a browser takes no worker of another origin
            queueMicrotask(() => died(error));
        }
        this.#workers.add(worker);
        worker.thread.post({ open: this.#world });
        this.#give(worker);
    }

    #give(worker) {
        const task = this.#next(worker);
        worker.thread.hold(Boolean(task));
        if (!task) return;
        const { wish, node } = task;
        const inputs = node.inputs.map(({ key }) => {
            const buffer = this.#kept.get(key);
            this.#kept.delete(key);
            this.#kept.set(key, buffer);
            return worker.holds.has(key) ? { key } : { key, buffer };
        });
        worker.holds = new Set(inputs.map(({ key }) => key));
        worker.task = task;
        worker.begun = performance.now();
        if (node === wish.node) wish.worker = worker;
        else this.#making.add(node.key);
        worker.thread.post({ job: { ...node.job, inputs } });
    }

    /* The worker's task, which is its no more. */
    #taken(worker) {
        const { task } = worker;
        worker.task = undefined;
        if (!task) return undefined;
        if (task.node === task.wish.node) task.wish.worker = undefined;
        else this.#making.delete(task.node.key);
        return task;
    }

    #heard(worker, message) {
        if (!this.#workers.has(worker)) return;
        if (message.failed !== undefined) this.#failed(worker, message);
        else if (message.opened) worker.opened = true;
        else this.#made(this.#taken(worker), message.made, (performance.now() - worker.begun) / 1000);
        this.#deal();
    }

    #made({ wish, node }, buffer, seconds) {
        wish.tries = 0;
        wish.seconds += seconds;
        if (node === wish.node) {
            this.#counts.tiles++;
            this.#settle(wish, () => wish.resolve({ buffer, seconds: wish.seconds }));
        } else {
            this.#counts.regions++;
            this.#keep(node.key, buffer);
        }
    }

    #failed(worker, { failed, refused }) {
        if (!refused || !worker.opened) {
            worker.thread.end();
            this.#died(worker, new Error(failed));
            return;
        }
        const task = this.#taken(worker);
        if (task) this.#settle(task.wish, () => task.wish.reject(new Error(failed)));
    }

    #died(worker, why) {
        if (!this.#workers.delete(worker)) return;
        this.#counts.died++;
        const task = this.#taken(worker);
        if (task) {
            if (++task.wish.tries >= TRIES) this.#settle(task.wish, () => task.wish.reject(why));
        } else if (!worker.opened) {
            // One that could not even start: whoever waits longest hears of it, so that nobody waits for ever.
            const wish = this.#waiting.find(({ worker: its }) => !its);
            if (wish && ++wish.tries >= TRIES) this.#settle(wish, () => wish.reject(why));
        }
        this.#deal();
    }

    // ---- Regions ------------------------------------------------------------------------------------------------------

    #keep(key, buffer) {
        this.#kept.set(key, buffer);
        this.#bytes += buffer.byteLength;
        if (this.#bytes > this.#budget) this.#shrink();
        this.#counts.mostBytes = Math.max(this.#counts.mostBytes, this.#bytes);
    }

    /* Lets go what nobody waits for, the longest unused first; then what the last of those who wait need. */
    #shrink() {
        const wanted = new Map(); // key -> the first who needs it
        const want = (node, by) => {
            for (const region of node.inputs) {
                if (!wanted.has(region.key)) wanted.set(region.key, by);
                if (!this.#kept.has(region.key)) want(region, by);
            }
        };
        this.#waiting.forEach((wish, by) => wish.worker || want(wish.node, by));
        const rank = (key) => wanted.get(key) ?? Infinity;
        const first = this.#waiting.findIndex(({ worker }) => !worker);
        const victims = [...this.#kept.keys()].filter((key) => rank(key) !== first).sort((a, b) => (rank(b) > rank(a)) - (rank(b) < rank(a)));
        for (const key of victims) {
            if (this.#bytes <= this.#budget) break;
            this.#bytes -= this.#kept.get(key).byteLength;
            this.#kept.delete(key);
            this.#counts.dropped++;
        }
    }
}
