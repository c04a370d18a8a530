// Where it runs: a browser (or what is like one), or node. Workers and files are theirs; all else is the same.

const NODE = typeof process === 'object' && Boolean(process.versions?.node) && process.type !== 'renderer';
const threads = () => import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:worker_threads');

/** How many processors there are. */
export async function processors() {
    if (!NODE) return globalThis.navigator?.hardwareConcurrency ?? 2;
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:os')).availableParallelism();
}

/** The bytes of a file of this package, or of any address. */
export async function bytesOf(url) {
    if (NODE && url.protocol === 'file:')
        return new Uint8Array(await (await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:fs/promises')).readFile(url));
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
    return new Uint8Array(await answer.arrayBuffer());
}

/**
 * What makes workers: start(heard, died) starts one and returns { post, end, hold }. heard(message) is called for what it says,
 * died(why) once if it ends by itself; hold(whether): node's process waits for it.
 */
export async function workerStarter() {
    if (NODE) {
        const { Worker } = await threads();
        return (heard, died) => {
            const worker = new Worker(new URL('./worker.js', import.meta.url), { execArgv: [] }); // --input-type, which node may have been given, is not for files
            worker.on('message', heard);
            worker.on('error', died);
            worker.on('exit', () => died(new Error('the worker ended')));
            return {
                post: (message, moved) => worker.postMessage(message, moved),
                end: () => void worker.terminate(),
                hold: (whether) => (whether ? worker.ref() : worker.unref()),
            };
        };
    }
    return (heard, died) => {
        const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
        worker.onmessage = (event) => heard(event.data);
        worker.onmessageerror = () => died(new Error('the worker could not read a message'));
        worker.onerror = (event) => died(new Error(event.message || 'the worker could not start, or ended'));
        return { post: (message, moved) => worker.postMessage(message, moved), end: () => worker.terminate(), hold() {} };
    };
}

/** Within a worker: calls heard(message, say) for all that it is told, from the first message on; say(message, moved) answers. */
export async function listen(heard) {
    if (NODE) {
        const { parentPort } = await threads();
        const say = (message, moved) => parentPort.postMessage(message, moved);
        parentPort.on('message', (message) => heard(message, say));
        return;
    }
    const say = (message, moved) => self.postMessage(message, moved);
    self.onmessage = (event) => heard(event.data, say);
}
