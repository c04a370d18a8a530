// What tests of the package share: worlds that end with their test, servers in between, workers that die.

import { once } from 'node:events';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach } from 'node:test';
import threads from 'node:worker_threads';
import { World } from '../../build/js/index.js';

const worlds = [];
afterEach(() => worlds.splice(0).forEach((world) => world.close()));

/** A world that is closed when the test ends. */
export async function opened(options) {
    worlds.push(await World.open(options));
    return worlds.at(-1);
}

/**
 * Stands between clients and a server: { url, end }. What is met(request, answer) is answered there, where that is true; changed({ path,
 * status, told, bytes }) may change the headers told and have other bytes.
 */
export async function relay(url, met, changed = () => undefined) {
    const listener = http.createServer(async (request, answer) => {
        if (met(request, answer)) return;
        const from = await fetch(url + request.url, { headers: request.headers.range ? { range: request.headers.range } : {} });
        const told = Object.fromEntries([...from.headers].filter(([name]) => ['terrane-digest', 'content-type', 'retry-after'].includes(name)));
        const bytes = Buffer.from(await from.arrayBuffer());
        const other = changed({ path: request.url, status: from.status, told, bytes });
        answer.writeHead(from.status, told).end(other ?? bytes);
    });
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    return { url: `http://127.0.0.1:${listener.address().port}`, end: () => (listener.closeAllConnections(), listener.close()) };
}

/** Ends a worker with the job that it got, where deadly() says so; lets none begin where barred() does. */
export function endWorkers(deadly, barred = () => false) {
    threads.Worker = class extends threads.Worker {
        constructor(...given) {
            if (barred()) throw new Error('barred');
            super(...given);
        }
        postMessage(message, moved) {
            super.postMessage(message, moved);
            if (message.job && deadly()) this.terminate();
        }
    };
    syncBuiltinESMExports();
}
