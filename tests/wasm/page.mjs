// page.mjs PACKAGE: a page of the package in headless Chromium: a dozen tiles that its workers make are the server's, to the bit.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { FLAGS } from '../clients/harness/browser.mjs';
import { DOZEN, ROOT, WHOLE, serve, served } from './server.mjs';

const [folder] = process.argv.slice(2);
const CHROMIUM = process.env.CHROMIUM || ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'].find((file) => fs.existsSync(file));
const WORKERS = 2;
const LIMIT_S = 300;

/* In the page, which says what it has by requests. */
async function make(tiles, recipe, workers) {
    const say = (what, body) => fetch(`/${what}`, { method: 'POST', body });
    try {
        const { World } = await import('/package/index.js');
        const world = await World.open({ recipe, seed: 'atlantis', workers });
        await Promise.all(tiles.map(async (tile, k) => say(`made/${k}`, (await world.tile(tile)).samples)));
        await say('done', JSON.stringify({ kernels: world.facts.kernels, workers: world.stats().workers }));
    } catch (error) {
        await say('failed', String(error.stack));
    }
}

const page = `<!doctype html><title>terrane</title><script type="module">
(${make})(${JSON.stringify(DOZEN)}, ${JSON.stringify(fs.readFileSync(WHOLE, 'utf8')).replaceAll('<', '\\u003c')}, ${WORKERS});
</script>`;

/* Serves the page and the package; calls heard(what, body) for what the page says. */
async function pages(heard) {
    const host = http.createServer(async (request, response) => {
        const { pathname } = new URL(request.url, 'http://localhost');
        const body = Buffer.concat(await request.toArray());
        if (request.method === 'POST') heard(pathname.slice(1), body);
        const file = pathname.startsWith('/package/') && path.join(folder, pathname.slice('/package/'.length));
        const found = pathname === '/' ? page : file && fs.existsSync(file) ? fs.readFileSync(file) : '';
        response.writeHead(found || request.method === 'POST' ? 200 : 404, { 'Content-Type': file ? 'text/javascript' : 'text/html' }).end(found);
    });
    await new Promise((ready) => host.listen(0, '127.0.0.1', ready));
    return host;
}

/* What the page said: { made: [bytes], done }. */
async function seen() {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'terrane-page-'));
    const made = [];
    let host, browser, ended, limit;
    try {
        return await new Promise((resolve, reject) => {
            const heard = (what, body) => {
                if (what.startsWith('made/')) made[Number(what.slice('made/'.length))] = body;
                else if (what === 'done') resolve({ made, done: JSON.parse(body) });
                else reject(new Error(`in the page: ${body}`));
            };
            const start = async () => {
                host = await pages(heard);
                browser = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${profile}`, `http://127.0.0.1:${host.address().port}/`], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
                let told = '';
                browser.stderr.on('data', (text) => (told = (told + text).slice(-2000)));
                ended = new Promise((over) => browser.once('close', over));
                ended.then(() => reject(new Error(`${CHROMIUM} ended:\n${told}`)));
                browser.once('error', reject);
            };
            start().catch(reject);
            limit = setTimeout(() => reject(new Error(`after ${LIMIT_S} s the page has made ${Object.keys(made).length} of ${DOZEN.length} tiles`)), 1000 * LIMIT_S);
        });
    } finally {
        clearTimeout(limit);
        if (browser?.pid && browser.exitCode === null) process.kill(-browser.pid); // the program may be a script that waits for the browser
        await ended;
        host?.closeAllConnections();
        host?.close();
        fs.rmSync(profile, { recursive: true, force: true });
    }
}

const server = await serve({ worlds: { dir: `${ROOT}/tests/http/worlds`, default: 'whole' } });
try {
    const { made, done } = await seen();
    assert.deepEqual(done, { kernels: 'simd128', workers: WORKERS });
    for (const [k, tile] of DOZEN.entries())
        assert.ok(made[k].equals(await served(server.url, { world: 'atlantis', ...tile })), JSON.stringify(tile));
    console.log(`${DOZEN.length} tiles, made in ${done.workers} workers of ${CHROMIUM} with ${done.kernels}, are the server's`);
} finally {
    await server.end();
}
