// The server and the library's example, that tiles are compared with.

import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const LONG = Boolean(process.env.TERRANE_TEST_LONG);
/** A recipe that has all that one may have, and costs little. */
export const WHOLE = path.join(ROOT, 'tests/http/worlds/whole.json');
const FAR = 2 ** 40 - 1;
/* Every layer, every variant, sizes with and without the far edge, ends of the world. */
export const DOZEN = [
    { level: 0, x: 3, y: -7, layer: 'height', variant: 'base', size: 257 },
    { level: 0, x: 3, y: -7, layer: 'height', variant: 'carved', size: 256 },
    { level: 1, x: 1, y: -4, layer: 'height', variant: 'eroded', size: 129 },
    { level: 2, x: 1, y: 1, layer: 'normal', variant: 'carved', size: 65 },
    { level: 2, x: 1, y: 1, layer: 'cave', variant: 'carved', size: 257 },
    { level: 2, x: 1, y: 1, layer: 'path', variant: 'carved', size: 257 },
    { level: 3, x: -2, y: 5, layer: 'water', variant: 'eroded', size: 33 },
    { level: 3, x: -2, y: 5, layer: 'cover', variant: 'eroded', size: 64 },
    { level: 4, x: 0, y: 0, layer: 'river', variant: 'eroded', size: 257 },
    { level: 4, x: 0, y: 0, layer: 'climate', variant: 'eroded', size: 17 },
    { level: 5, x: FAR, y: -FAR - 1, layer: 'partition', variant: 'base', size: 33 },
    { level: 24, x: -9, y: 12, layer: 'surface', variant: 'base', size: 3 },
];
const PROGRAM = process.env.TERRANE ?? path.join(ROOT, 'build/terrane');

/** `terrane serve` with a configuration: { url, end }. */
export async function serve(config = {}) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'terrane-wasm-'));
    const file = path.join(folder, 'config.json');
    fs.writeFileSync(file, JSON.stringify({ ...config, render: { deadline_ms: 60000, selftest: false } }));
    const words = ['serve', '--config', file, '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--cache', path.join(folder, 'cache')];
    const server = spawn(PROGRAM, words, { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = new Promise((resolve) => server.once('exit', resolve));
    const line = await Promise.race([
        new Promise((resolve) => readline.createInterface(server.stdout).once('line', resolve)),
        ended.then(() => Promise.reject(new Error('the server did not start'))),
    ]);
    return {
        url: JSON.parse(line).listen,
        async end() {
            server.kill('SIGTERM');
            await ended;
            fs.rmSync(folder, { recursive: true, force: true });
        },
    };
}

/** The bytes that the server sends, asked again for as long as it wants to be. */
export async function asked(url) {
    for (;;) {
        const answer = await fetch(url);
        const bytes = Buffer.from(await answer.arrayBuffer());
        if (answer.status === 200) return bytes;
        if (answer.status !== 503 && answer.status !== 429) throw new Error(`${answer.url}: ${answer.status} ${bytes}`);
        await pause(1000 * Number(answer.headers.get('retry-after') ?? 1));
    }
}

/** ... of a tile of samples; */
export const served = (url, { world, recipe, level, x, y, layer, variant, size }) =>
    asked(`${url}/tile/${world}/${level}/${x}/${y}.f32?${new URLSearchParams({ layer, variant, size, ...(recipe && { recipe }) })}`);

/** ... and as the library for this machine makes them, of layers that the server sends as pictures, too; 257 x 257. */
export function native(recipe, { world, level, x, y, layer, variant }) {
    const words = [recipe, world, level, x, y, layer, variant].map(String);
    return execFileSync(process.env.EXAMPLE ?? path.join(ROOT, 'build/terrane-example'), words, { maxBuffer: 1 << 26 });
}

export const bytesOf = ({ samples }) => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
export const PICTURES = ['hillshade', 'relief', 'objects'];

/** Numbers that look random, the same each time. */
export function dice(seed) {
    let state = seed >>> 0;
    return (sides) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * sides);
    };
}
