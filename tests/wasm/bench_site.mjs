// bench_site.mjs SITE MODULES [--quick] [--strict] [--json FILE]: the viewer without a server in headless Chromium, cold: its first
// view, and a pan of one screen; and a thousand base tiles made in the browser against as many fetched from the server.

import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { openBrowser } from '../clients/harness/browser.mjs';
import { files, openSite, pan, visit } from '../clients/viewer/site.mjs';
import { serve } from './server.mjs';

const options = { quick: { type: 'boolean' }, strict: { type: 'boolean' }, json: { type: 'string' } };
const { values: flags, positionals: [site, modules] } = parseArgs({ options, allowPositionals: true });
const DESKTOP = { viewport: { width: 1440, height: 900 } };
const ROUNDS = flags.quick ? 1 : 3;
const SIDE = 32, TILES = 1000; // of a square that wide

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/* A browser that has never been there. */
async function look() {
    const server = await files(site);
    const opened = await openSite(modules, server.url, DESKTOP);
    try {
        const first = await visit(opened, `${server.url}/`);
        const panned = await pan(opened);
        if (opened.result.errors.length) throw new Error(opened.result.errors.join('\n'));
        return { first, panned };
    } finally {
        await opened.browser.close();
        await server.end();
    }
}

/* In a page of the server's: seconds of each way. */
async function race({ side, count, script, recipes }) {
    const { World } = await import(script);
    const { default: texts } = await import(recipes);
    const all = Array.from({ length: count }, (_, k) => ({ level: 0, x: -1027 + (k % side), y: 850 + Math.floor(k / side) }));
    const timed = async (tile) => {
        const begun = performance.now();
        await Promise.all(all.map(tile));
        return (performance.now() - begun) / 1000;
    };
    const fetched = async ({ level, x, y }) => {
        for (;;) {
            const answer = await fetch(`/tile/42/${level}/${x}/${y}.f32?variant=base`, { cache: 'no-store' });
            if (answer.ok) return (await answer.arrayBuffer()).byteLength;
            await new Promise((done) => setTimeout(done, 1000 * Number(answer.headers.get('retry-after') ?? 1)));
        }
    };
    const world = await World.open({ recipe: 'continents', seed: 42, workers: navigator.hardwareConcurrency, recipes: (file) => JSON.stringify(texts[file]) });
    const made = async (tile) => (await world.tile({ ...tile, variant: 'base' })).samples.byteLength;
    await world.tile({ ...all[0], variant: 'base' }); // a worker is there
    const seconds = { made: await timed(made), cold: await timed(fetched), warm: await timed(fetched) };
    world.close();
    return seconds;
}

async function raced() {
    const server = await serve();
    const { browser, page } = await openBrowser(modules);
    try {
        await page.goto(`${server.url}/viewer/worlds.json`);
        const file = (stem) => `/viewer/${fs.readdirSync(`${site}/viewer`).find((name) => name.startsWith(stem) && name.endsWith('.js'))}`;
        return await page.evaluate(race, { side: SIDE, count: TILES, script: file('terrane-'), recipes: file('recipes-') });
    } finally {
        await browser.close();
        await server.end();
    }
}

const looks = [];
for (let k = 0; k < ROUNDS; k++) looks.push(await look());
const of = (what, name) => median(looks.map((each) => each[what][name])) / 1000;
const { made, cold, warm } = await raced();
const ROWS = [
    { what: 'first view, cold: base ground everywhere', seconds: of('first', 'covered') },
    { what: '... the ground itself', seconds: of('first', 'there'), pass: 8 },
    { what: '... and all that is told of it', seconds: of('first', 'quiet') },
    { what: 'pan of one screen: base ground everywhere', seconds: of('panned', 'covered'), pass: 1.5 },
    { what: '... the ground itself', seconds: of('panned', 'there') },
    { what: `${TILES} base tiles, made in the browser`, seconds: made },
    { what: '... fetched, of a server that has none', seconds: cold },
    { what: '... of one that has them', seconds: warm },
].map((row) => ({ ...row, passed: row.pass === undefined || row.seconds <= row.pass }));
console.log(`The site in Chromium, 1440 x 900, medians of ${ROUNDS}`);
for (const { what, seconds, pass, passed } of ROWS)
    console.log(`  ${what.padEnd(56)} ${seconds.toFixed(2).padStart(8)} s${pass ? `   pass ${pass.toFixed(1)}  ${passed ? 'ok' : 'MISSED'}` : ''}`);
if (flags.json) fs.writeFileSync(flags.json, `${JSON.stringify({ rows: ROWS }, null, 2)}\n`);
if (flags.strict && ROWS.some(({ passed }) => !passed)) process.exitCode = 1;
