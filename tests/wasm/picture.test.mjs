// Pictures and places are the server's: its PNGs' pixels, its .bin's bytes.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { World } from '../../build/js/index.js';
import { decode } from '../../server/web/src/png.js';
import { ROOT, WHOLE, asked, serve } from './server.mjs';

const recipe = fs.readFileSync(WHOLE, 'utf8');
let server, world;
before(async () => {
    server = await serve({ worlds: { dir: `${ROOT}/tests/http/worlds`, default: 'whole' } });
    world = await World.open({ recipe, seed: 42, workers: 2 });
});
after(async () => {
    world.close();
    await server.end();
});

/* Pixels of a picture are those of the server's PNG. */
async function assertSame(query, options = {}) {
    const { level = 2, x = 1, y = 1, layer, size = 256 } = query;
    const made = await world.picture({ level, x, y, layer, size, ...options });
    const asks = { layer, size, ...(options.center && { reg: 'center' }), ...(options.bands && { bands: options.bands }) };
    const [z, half] = [18 - level, 2 ** (17 - level)]; // in the pyramid, where centres are
    const { data, palette, ...rest } = await decode(await asked(`${server.url}/xyz/42/${z}/${x + half}/${y + half}.png?${new URLSearchParams(asks)}`));
    assert.deepEqual([made.width, made.height, made.channels], [rest.width, rest.height, rest.channels], layer);
    assert.deepEqual(made.palette, palette ?? undefined, layer);
    assert.ok(made.data.length === data.length && made.data.every((value, i) => value === data[i]), `${layer} ${JSON.stringify(query)}`);
}

test('every layer\'s', async () => {
    for (const layer of Object.keys(world.facts.layers)) await assertSame({ layer });
    for (const layer of ['relief', 'cave', 'objects', 'partition', 'river', 'flow']) {
        await assertSame({ layer, size: 64, level: 1, x: -3 });
        await assertSame({ layer, size: 129, level: 3, y: -2 });
    }
});

test('those of pixels\' middles, and of further materials', async () => {
    for (const layer of ['height', 'surface']) await assertSame({ layer }, { center: true });
    await assertSame({ layer: 'cover' }, { bands: 1 });
});

test('places of what stands on ground', async () => {
    for (const [level, x, y] of [[0, 4, 4], [2, 1, 1], [4, -1, 0]]) {
        const made = Buffer.from(await world.places({ level, x, y }));
        assert.ok(made.equals(Buffer.from(await asked(`${server.url}/tile/42/${level}/${x}/${y}.bin?layer=objects`))), `${level}/${x}/${y}`);
    }
});
