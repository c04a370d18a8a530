/*
 * The viewer without a server: node server/web/site.mjs WEB OUT PROGRAM, at the root of the repository.
 *
 * WEB is the viewer as build.mjs makes it, with the package; OUT gets what a plain file server needs:
 *
 *     index.html, sw.js   the page, which says that it is alone, and what keeps it all for when there is no network
 *     viewer/             what the page loads; worlds.json, which recipes there are
 *     world/R-G.json      what is said of worlds of recipe R and generator G; what is seed 42's own the viewer replaces
 *     model/M-S.glb       models of plants and rocks
 *
 * What a server says it says here, too: PROGRAM is asked for it.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { SEEDS } from '../../lib/js/objects.js';

const [web, out, program] = process.argv.slice(2).map((path) => resolve(path));
if (!program) {
    console.error('usage: node server/web/site.mjs WEB OUT PROGRAM');
    process.exit(2);
}
const SEED = '42'; // whose worlds are seen first: where each is worth seeing is known, then
const POLICY =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'";

function keep(name, bytes) {
    mkdirSync(dirname(join(out, name)), { recursive: true });
    writeFileSync(join(out, name), bytes);
}

/* ---- What a server says ------------------------------------------------------------------------------------ */

async function serve() {
    const cache = mkdtempSync(join(tmpdir(), 'terrane-site-'));
    const server = spawn(program, ['serve', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--cache', cache], { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = new Promise((done) => server.once('exit', done));
    const line = await Promise.race([
        new Promise((done) => createInterface(server.stdout).once('line', done)),
        ended.then(() => Promise.reject(new Error(`${program} did not start`))),
    ]);
    return {
        url: JSON.parse(line).listen,
        async end() {
            server.kill('SIGTERM');
            await ended;
            rmSync(cache, { recursive: true, force: true });
        },
    };
}

/* An answer's bytes; asked again for as long as the server wants to be. */
async function asked(url) {
    for (;;) {
        const answer = await fetch(url);
        if (answer.ok) return Buffer.from(await answer.arrayBuffer());
        if (answer.status !== 503 && answer.status !== 429) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
        await pause(1000 * Number(answer.headers.get('retry-after') ?? 1));
    }
}

async function keepWorlds(server) {
    const told = await asked(`${server}/viewer/worlds.json`);
    const { generator: newest, recipes } = JSON.parse(told);
    const models = new Set();
    keep('viewer/worlds.json', told);
    for (const { name } of recipes) {
        const about = async (generator) => JSON.parse(await asked(`${server}/world/${SEED}?recipe=${name}&v=${generator}`));
        const { generators } = await about(newest);
        for (const generator of generators) {
            const { tile, ...world } = await about(generator); // addresses of the server
            for (const { model } of world.objects ?? []) models.add(model);
            keep(`world/${name}-${generator}.json`, JSON.stringify(world));
        }
    }
    for (const name of models)
        for (let seed = 0; seed < SEEDS; seed++) keep(`model/${name}-${seed}.glb`, await asked(`${server}/model/${name}.glb?seed=${seed}`));
}

/* ---- The site ---------------------------------------------------------------------------------------------- */

function keepViewer() {
    const files = readdirSync(web).filter((name) => !/\.(gz|inc|html)$|^walk-/.test(name));
    if (!files.some((name) => name.endsWith('.wasm'))) throw new Error(`${web}: the viewer was built without the package`);
    for (const name of files) cpSync(join(web, name), join(out, 'viewer', name));
    const page = readFileSync(join(web, 'index.html'), 'utf8')
        .replace('<html ', '<html data-alone ')
        .replace('<head>', `<head>\n        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />`);
    keep('index.html', page);
}

const listed = () =>
    readdirSync(out, { recursive: true })
        .filter((name) => statSync(join(out, name)).isFile())
        .sort();

/* Last: it knows all others. */
function keepWorker() {
    const files = listed();
    const digest = createHash('sha256');
    for (const name of files) digest.update(`${name}\n`).update(readFileSync(join(out, name)));
    const text = readFileSync('server/web/src/sw.js', 'utf8')
        .replace('SITE_DIGEST', digest.digest('hex').slice(0, 16))
        .replace('SITE_FILES', JSON.stringify(['.', ...files]));
    keep('sw.js', text);
}

rmSync(out, { recursive: true, force: true });
keepViewer();
const server = await serve();
try {
    await keepWorlds(server.url);
} finally {
    await server.end();
}
keepWorker();
const sum = (size) => listed().reduce((all, name) => all + size(readFileSync(join(out, name))), 0);
console.log(`  ${out}: ${listed().length} files, ${sum((bytes) => bytes.length)} bytes, ${sum((bytes) => gzipSync(bytes).length)} by gzip`);
