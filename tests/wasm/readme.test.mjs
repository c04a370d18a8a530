// What the package's page says is so: its examples run as they stand, and bounds of twins are those of its table.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { test } from 'node:test';
import { glslOf } from '../../build/js/glsl.js';
import { World } from '../../build/js/index.js';
import { ROOT, serve } from './server.mjs';

const PAGE = fs.readFileSync(`${ROOT}/lib/js/README.md`, 'utf8');

test('examples that node can run', async (t) => {
    const server = await serve();
    t.after(() => server.end());
    const said = [...PAGE.matchAll(/```js\n(import \{ World \} from 'terrane';\n.*?)```/gs)].map(([, text]) => {
        const file = `${ROOT}/build/js/example.mjs`; // where the package is known by its name
        fs.writeFileSync(file, text.replace('http://127.0.0.1:8080', server.url));
        try {
            return `${execFileSync(process.execPath, [file])}`;
        } finally {
            fs.rmSync(file);
        }
    });
    const [made, twin, shared] = said;
    assert.equal(said.length, 3);
    assert.match(made, /^\d+\.\d+\n$/);
    assert.match(twin, /^\d+ 0\.\d+ \[ 0, 4294967040 \]\n$/);
    assert.match(shared, /^66049 \{\n  tiles: \d+,/);
});

async function boundOf(height) {
    const world = await World.open({ recipe: { height }, seed: 42, workers: 1 });
    try {
        return glslOf(world).bound_m;
    } finally {
        world.close();
    }
}

test('bounds of single fractals', async () => {
    const [head, , ...rows] = /(\| `fractal` .*\n)+(\|.*\n)+/.exec(PAGE)[0].trim().split('\n').map((line) => line.split('|').slice(1, -1));
    const words = (cell) => [...cell.matchAll(/`([^`]*)`/g)].map(([, word]) => word);
    const bases = head.slice(1).map(words), kinds = rows.map(([cell]) => words(cell));
    assert.deepEqual([bases.flat().length, kinds.flat().length], [11, 9]);
    for (const [k, [, ...cells]] of rows.entries())
        for (const [c, cell] of cells.entries()) {
            const [low, high] = cell.includes('..') ? cell.split('..').map(Number) : [0, Number.parseInt(cell)];
            const all = kinds[k].flatMap((fractal) => bases[c].flatMap((base) => [6, 9].map((octaves) => ({ fractal, base, octaves, cell_m: 4096, amplitude_m: 300 }))));
            const bounds = await Promise.all(all.map(boundOf));
            assert.ok(low <= Math.min(...bounds) && Math.max(...bounds) <= high, `${kinds[k]} ${bases[c]}: ${Math.min(...bounds)} .. ${Math.max(...bounds)}`);
        }
});
