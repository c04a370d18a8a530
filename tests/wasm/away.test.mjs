// Servers that are slow, busy, elsewhere or of another version: what can be made is made, and what cannot is said with the address.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { TerraneError } from '../../build/js/index.js';
import { ROOT, WHOLE, serve } from './server.mjs';
import { opened, relay } from './worlds.mjs';

const recipe = fs.readFileSync(WHOLE, 'utf8');
let server, proxy, address, about;
let how; // answers in place of the server, where it says true
let asked = 0;

before(async () => {
    server = await serve({ worlds: { dir: `${ROOT}/tests/http/worlds`, default: 'whole' } });
    about = await (await fetch(`${server.url}/world/42`)).json();
    proxy = await relay(server.url, (request, answer) => (asked++, how?.(request, answer)));
    address = `${proxy.url}/`;
});
after(async () => {
    proxy.end();
    await server.end();
});

const open = (more) => opened({ server: address, world: '42', recipe, workers: 1, ...more });
const tile = (x, more) => ({ level: 6, x, y: 3, layer: 'height', variant: 'base', size: 17, ...more });
const says = (more) => ({ url }, answer) => url.startsWith('/world/') && answer.end(JSON.stringify({ ...about, ...more }));
const named = (why) => (error) => error instanceof TerraneError && error.message.startsWith(address.slice(0, -1)) && why.test(error.message);

test('of a server that asks to be asked later nothing is asked until then', async () => {
    how = undefined;
    const world = await open({ verify: 1 });
    how = (_, answer) => answer.writeHead(429, { 'retry-after': '3600' }).end('{}');
    asked = 0;
    for (let x = 0; x < 8; x++) await world.tile(tile(x));
    const { fetched, failed, unverified } = world.stats();
    assert.deepEqual([asked, fetched, failed, unverified], [1, 0, 1, 8]);
    await assert.rejects(open(), named(/429/)); // nobody waits for an hour
});

test('who closes or cancels does not wait for a server that says nothing', async () => {
    how = undefined;
    const world = await open({ verify: 0 }), stop = new AbortController();
    const requests = [];
    const both = new Promise((there) => (how = (request, answer) => (requests.push(once(answer, 'close')), requests.length === 2 && there(), true)));
    await world.tile(tile(0)); // is made, and the next fetched
    const closed = assert.rejects(world.tile(tile(1)), /closed/);
    await world.tile(tile(0, { level: 7 }));
    const stopped = assert.rejects(world.tile(tile(1, { level: 7, signal: stop.signal })), /not any more/);
    await both;
    stop.abort(new Error('not any more'));
    await stopped;
    world.close();
    await closed;
    await Promise.all(requests);
    await assert.rejects(world.tile(tile(1)), /closed/);
});

test('who asks for the package, and does not listen to its signal, is not waited for either', async () => {
    how = undefined;
    let silent = false;
    const world = await open({ verify: 0, fetch: (...words) => (silent ? new Promise(() => {}) : fetch(...words)) });
    await world.tile(tile(0));
    silent = true;
    const closed = assert.rejects(world.tile(tile(1)), /closed/);
    world.close();
    await closed;
});

test('a server that has no samples is not compared with', async () => {
    how = says({ layers: [] });
    const world = await open({ verify: 1 });
    for (const layer of ['height', 'relief']) await (layer === 'relief' ? world.picture(tile(0, { layer, size: 16 })) : world.tile(tile(0)));
    const { tiles, fetched, unverified } = world.stats();
    assert.deepEqual([tiles, fetched, unverified], [2, 0, 2]);
});

test('a server behind a proxy has its path, and is followed where it went', async () => {
    how = (request, answer) => {
        const [, rest] = /^\/old(.*)/.exec(request.url) ?? [];
        if (rest) return answer.writeHead(307, { location: `/worlds/of${rest}` }).end();
        if (!request.url.startsWith('/worlds/of/')) return answer.writeHead(404).end();
        request.url = request.url.slice('/worlds/of'.length);
        return false;
    };
    for (const path of ['worlds/of', 'worlds/of/', 'old', 'old#here']) {
        const world = await open({ server: new URL(path, address), verify: 1 });
        await world.tile(tile(0));
        assert.deepEqual([world.stats().verified, world.different], [1, undefined]);
    }
    for (const wrong of ['', 'x', 'localhost:8080', 'file:///etc/hosts', `${address}?token=1`, address.replace('//', '//me:secret@'), null, 5]) await assert.rejects(open({ server: wrong }), /^RangeError: server: "/);
    await assert.rejects(open({ world: undefined }), /^RangeError: world: /);
});

test('what a server of another version says is refused with its address', async () => {
    const wrong = { seed: [{}, '4 2'], generator: [99, 'x', null], recipe: [17, 'lost', '{"hight": 1}'], client: [{ recipe: 5 }], world: ['00'] };
    for (const [what, all] of Object.entries(wrong))
        for (const value of all) {
            how = says({ [what]: value });
            await assert.rejects(open({ recipe: ['recipe', 'client'].includes(what) ? undefined : recipe }), named(/./), `${what} ${value}`);
        }
    for (const [status, body, why] of [[500, '<html>', /500/], [200, '<html>', /JSON/], [204, undefined, /JSON/]]) {
        how = (_, answer) => answer.writeHead(status).end(body);
        await assert.rejects(open(), named(why));
    }
});
