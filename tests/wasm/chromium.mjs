// chromium.mjs FILE.wasm [ARGUMENT...]: runs a program for WASI in a worker of headless Chromium; of files it sees the recipes.
import fs from 'node:fs';
import path from 'node:path';
import { openBrowser } from '../clients/harness/browser.mjs';

const [file, ...words] = process.argv.slice(2);
const HOST = 'http://golden.test/'; // nobody is asked: the files are given here

/* In the worker: { words, files }; posts { text, status }. Of WASI what the golden program uses. */
async function work() {
    const { words, files } = await new Promise((told) => (self.onmessage = ({ data }) => told(data)));
    const [MISSING, UNKNOWN, STDIO, FOLDER] = [44, 8, 3, 3];
    const bytesOf = (text) => new TextEncoder().encode(`${text}\0`);
    const open = new Map(); // number -> { bytes, at }
    let memory, out = '', next = FOLDER + 1;
    const decoder = new TextDecoder();
    const view = () => new DataView(memory.buffer);
    const bytes = (at, count) => new Uint8Array(memory.buffer, at, count);
    const put = (at, ...numbers) => numbers.forEach((number, k) => view().setUint32(at + 4 * k, number, true));
    const vectors = (at, count) => Array.from({ length: count }, (_, k) => bytes(view().getUint32(at + 8 * k, true), view().getUint32(at + 8 * k + 4, true)));
    const given = {
        args_sizes_get: (count, size) => (put(count, words.length), put(size, words.reduce((sum, word) => sum + bytesOf(word).length, 0))),
        args_get(list, at) {
            words.forEach((word, k) => {
                put(list + 4 * k, at);
                bytes(at, bytesOf(word).length).set(bytesOf(word));
                at += bytesOf(word).length;
            });
        },
        fd_prestat_get: (fd, at) => (fd === FOLDER ? put(at, 0, 1) : UNKNOWN),
        fd_prestat_dir_name: (_, at) => void bytes(at, 1).set([46]),
        fd_fdstat_get: (fd, at) => (bytes(at, 24).fill(255), bytes(at, 4).set([fd < STDIO ? 2 : fd === FOLDER ? 3 : 4, 0, 0, 0]), 0),
        fd_fdstat_set_flags: () => 0,
        fd_seek: () => UNKNOWN,
        fd_close: (fd) => (open.delete(fd), 0),
        path_open(_fd, _flags, name, length, _how, _rights, _inherited, _more, at) {
            const text = files[decoder.decode(bytes(name, length).slice())];
            if (text === undefined) return MISSING;
            open.set(next, { bytes: new TextEncoder().encode(text), at: 0 });
            return put(at, next++);
        },
        fd_read(fd, list, count, at) {
            const from = open.get(fd);
            if (!from) return UNKNOWN;
            const begun = from.at;
            for (const room of vectors(list, count)) {
                const some = from.bytes.subarray(from.at, from.at + room.length);
                room.set(some);
                from.at += some.length;
            }
            return put(at, from.at - begun);
        },
        fd_write(fd, list, count, at) {
            const all = vectors(list, count);
            if (fd === 1) for (const some of all) out += decoder.decode(some.slice(), { stream: true });
            return put(at, all.reduce((sum, some) => sum + some.length, 0));
        },
        proc_exit(status) {
            self.postMessage({ text: out, status });
            throw new Error('ended');
        },
    };
    const calls = Object.fromEntries(Object.entries(given).map(([name, call]) => [name, (...each) => call(...each) ?? 0]));
    const { instance } = await WebAssembly.instantiate(await (await fetch('program.wasm')).arrayBuffer(), { wasi_snapshot_preview1: calls });
    memory = instance.exports.memory;
    try {
        instance.exports._start();
        self.postMessage({ text: out, status: 0 });
    } catch (error) {
        self.postMessage({ text: out, status: 1, error: String(error) }); // the first message counts
    }
}

const recipes = fs.readdirSync('config/worlds', { recursive: true }).filter((name) => name.endsWith('.json')).map((name) => path.join('config/worlds', name));
const files = Object.fromEntries(recipes.map((name) => [name, fs.readFileSync(name, 'utf8')]));
const { browser, page } = await openBrowser('build/clients/node_modules');
try {
    await page.route(`${HOST}**`, (route) => {
        const body = { '/worker.js': `(${work})()`, '/program.wasm': fs.readFileSync(file) }[new URL(route.request().url()).pathname];
        return route.fulfill({ body: body ?? '<title>golden</title>', contentType: body ? 'text/javascript' : 'text/html' });
    });
    await page.goto(HOST);
    const done = await page.evaluate((told) => new Promise((resolve, reject) => {
        const worker = new Worker('worker.js');
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message));
        worker.postMessage(told);
    }), { words: [file, ...words], files });
    process.stdout.write(done.text);
    if (done.error) console.error(done.error);
    process.exitCode = done.status;
} finally {
    await browser.close();
}
