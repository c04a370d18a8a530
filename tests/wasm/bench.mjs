// bench.mjs NATIVE MODULE [--quick] [--strict] [--json FILE]: the library as WebAssembly beside itself for this machine, by the same
// calls (native.c) in turns: base tiles of the default recipe, and regions eroded with their rivers. Of rounds the best counts: what
// else runs on the machine only adds.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { Terrane } from '../../lib/js/module.js';

const options = { quick: { type: 'boolean' }, strict: { type: 'boolean' }, json: { type: 'string' } };
const { values: flags, positionals: [native, file] } = parseArgs({ options, allowPositionals: true });
const RECIPE = 'config/worlds/continents.json';
const ROUNDS = flags.quick ? 1 : 5;
const [TILES, REGIONS, PER_REGION] = [41, 3, 4]; // as in native.c
const AT = { level: 0, x: -1027, y: 850, layer: 0, size: 257 };
const [BASE, ERODED] = [0, 1];

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const seconds = (make) => {
    const begun = performance.now();
    make();
    return (performance.now() - begun) / 1000;
};

/* One round: { base, regions: [{ region, seconds }] }. */
function round(terrane) {
    const kept = new Map();
    const regions = [];
    const made = (region) => {
        const key = region.join();
        if (!kept.has(key)) {
            const inputs = terrane.needs(region).map(made);
            let bytes;
            regions.push({ region: region.slice(0, 2).join('/'), seconds: seconds(() => (bytes = terrane.make({ region }, inputs))) });
            kept.set(key, { at: terrane.take(bytes.slice()), bytes: bytes.length });
        }
        return kept.get(key);
    };
    const base = Array.from({ length: TILES }, (_, k) => seconds(() => terrane.make({ tile: { ...AT, x: AT.x + k, y: AT.y + 1, variant: BASE } }, [])));
    for (let k = 0; k < REGIONS; k++) terrane.plan({ ...AT, x: AT.x + PER_REGION * k, variant: ERODED }).forEach(made);
    for (const { at } of kept.values()) terrane.give(at);
    return { base: median(base), regions };
}

const terrane = await Terrane.of(await WebAssembly.compile(fs.readFileSync(file)));
terrane.open(fs.readFileSync(RECIPE, 'utf8'), 42n);
round(terrane); // what is compiled on the way is, then
const rounds = { native: [], wasm: [] };
for (let k = 0; k < ROUNDS; k++) {
    rounds.native.push(JSON.parse(execFileSync(native, [RECIPE], { env: { ...process.env, TERRANE_ISA: 'sse2' } })));
    rounds.wasm.push(round(terrane));
}
const eroded = ({ regions }) => median(regions.filter(({ region }) => region === '0/0').map(({ seconds }) => seconds));
const all = ({ regions }) => regions.reduce((sum, { seconds }) => sum + seconds, 0);
const ROWS = [
    { what: 'a base tile, 257 x 257', of: ({ base }) => base, pass: 1.5 },
    { what: 'an eroded region with rivers, 1024 x 1024 of level 0', of: eroded, pass: 2 },
    { what: `${REGIONS} of them, and all that they rest on`, of: all, pass: 2 },
];
const rows = ROWS.map(({ what, of, pass }) => {
    const [there, here] = [rounds.native, rounds.wasm].map((list) => Math.min(...list.map(of)));
    return { what, native_ms: 1000 * there, wasm_ms: 1000 * here, over: here / there, pass, passed: here / there <= pass };
});
console.log(`WebAssembly (${terrane.facts().kernels}, node ${process.versions.node}) over native (${rounds.native[0].kernels}), best of ${ROUNDS}`);
for (const { what, native_ms, wasm_ms, over, pass, passed } of rows)
    console.log(`  ${what.padEnd(56)} ${native_ms.toFixed(1).padStart(8)} ms ${wasm_ms.toFixed(1).padStart(8)} ms   x ${over.toFixed(2)}   pass ${pass.toFixed(1)}  ${passed ? 'ok' : 'MISSED'}`);
if (flags.json) fs.writeFileSync(flags.json, `${JSON.stringify({ rows }, null, 2)}\n`);
if (flags.strict && rows.some(({ passed }) => !passed)) process.exitCode = 1;
