// Keeps samples of a world that people change in step with it, by its events alone. Nothing but node.
//
//   node follow.mjs SERVER WORLD LEVEL X0 Y0 X1 Y1     tiles X0..X1 by Y0..Y1 of a level
//
// Whatever happens, `tiles` holds the world as it was after operation `number`: it is fetched with at=number. After every change a line
// of JSON tells number, which world it is (epoch), how many tiles were fetched, and the digest of all.

import { createHash } from "node:crypto";

const SILENT_MS = 60000; // without so much as a heartbeat, which comes every 15 s unless the server's worlds.heartbeat_s says otherwise
const LOOK = 16; // samples around a tile that may count for it
const SIZE = 256;

const [server, world, ...numbers] = process.argv.slice(2);
const [level, x0, y0, x1, y1] = numbers.map(Number);
const places = [];
for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) places.push({ x, y, name: `${x}/${y}` });

const askFacts = async () => (await ask(`${server}/world/${world}`)).json();
const facts = await askFacts();
const sample_m = facts.spacing_m * 2 ** level;

const tiles = new Map(); // name of a place -> Float32Array: 257 x 257, rows from the north
let number = null, epoch = null; // nothing yet
let stale = new Set(), until = 0, doubts = false;

async function ask(address, options) {
    const answer = await fetch(address, options);
    if (!answer.ok) throw Object.assign(new Error(`${address}: status ${answer.status}`), { status: answer.status });
    return answer;
}

async function fetchTiles(which, at) {
    for (const { name } of which) {
        const answer = await ask(`${server}/tile/${world}/${level}/${name}.f32?at=${at}&epoch=${epoch}`);
        tiles.set(name, new Float32Array(await answer.arrayBuffer()));
    }
    number = at;
    const digest = createHash("sha256");
    for (const { name } of places) digest.update(new Uint8Array(tiles.get(name).buffer));
    console.log(JSON.stringify({ number, epoch, fetched: which.length, digest: digest.digest("hex") }));
}

/** Tiles that an operation may have changed. What undoes another one has the box of all that moves by it. */
function touched({ box }) {
    if (!box) return []; // a mark
    const [west, north, east, south] = box.map((metres) => metres / sample_m);
    return places.filter(({ x, y }) => west <= (x + 1) * SIZE + LOOK && east >= x * SIZE - LOOK
        && north <= (y + 1) * SIZE + LOOK && south >= y * SIZE - LOOK);
}

/** The first event: which world this is, and how many operations it has by now. */
async function begin(told) {
    until = told.count;
    if (told.epoch === epoch && number !== null) return;
    [number, epoch, stale] = [null, told.epoch, new Set()];
    await fetchTiles(places, told.count);
}

/** One operation. Of many that have happened meanwhile tiles are fetched once, after the last. */
async function apply(edit) {
    if (edit.seq <= number) return;
    for (const place of touched(edit)) stale.add(place);
    if (edit.seq < until) return;
    await fetchTiles([...stale], edit.seq);
    stale = new Set();
}

/** Until the stream ends. */
async function listen() {
    if (doubts && (await askFacts()).edits.epoch !== epoch) number = epoch = null;
    doubts = false;
    const headers = number === null ? {} : { "Last-Event-ID": String(number) };
    const silent = new AbortController();
    let timer = setTimeout(() => silent.abort(), SILENT_MS);
    const answer = await ask(`${server}/world/${world}/events`, { headers, signal: silent.signal });
    let rest = "", kind = "";
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
        clearTimeout(timer);
        const lines = (rest + piece).split("\n");
        rest = lines.pop();
        for (const line of lines) {
            const [name, value] = line.split(/: (.*)/s);
            if (name === "event") kind = value;
            else if (name === "data") await (kind === "world" ? begin : apply)(JSON.parse(value));
            else if (!name) kind = "";
        }
        timer = setTimeout(() => silent.abort(), SILENT_MS);
    }
    clearTimeout(timer);
}

for (;;) {
    try {
        await listen();
    } catch (error) {
        if (error.status === 401 || error.status === 403) throw error;
        // It has fewer operations than we know of: it is another world, or a server that is not as far as the one before.
        if (error.status === 404 || error.status === 409) doubts = true;
        else console.error(`${error.message}; again in a second`); // the server is gone, or the way there
    }
    await new Promise((done) => setTimeout(done, 1000));
}
