// What terrane/three stands up: parts of tiles that are the same from a server and made here, and heights between samples.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { register } from 'node:module';
import { test } from 'node:test';
import { Field } from '../../build/js/three_field.js';
import { Quadtree } from '../../build/js/three_quadtree.js';
import { openSource } from '../../build/js/three_source.js';
import { ROOT, WHOLE, serve } from './server.mjs';
import { opened } from './worlds.mjs';

globalThis.createImageBitmap = async (blob) => ({ width: 257, bytes: blob.size }); // node has none

test('a tile is the same from both', async (t) => {
    const server = await serve({ worlds: { dir: `${ROOT}/tests/http/worlds`, default: 'whole' } });
    t.after(() => server.end());
    const world = await opened({ recipe: fs.readFileSync(WHOLE, 'utf8'), seed: 42, workers: 2 });
    const served = await openSource({ server: server.url, world: '42' }), made = await openSource({ made: world, about: served.about });
    for (const [level, side] of [[0, 257], [2, 129], [6, 129]]) {
        const [a, b] = await Promise.all([served, made].map((source) => source.tile({ level, x: 1, y: 1 }, side)));
        for (const part of ['heights', 'depths', 'things', 'splats']) assert.deepEqual(b[part], a[part], `${part} of level ${level}`);
        assert.equal(a.splats.length, Math.ceil(served.about.cover.length / 4));
        assert.equal(b.normals.data.length, 4 * 257 * 257);
    }
});

test('that nobody answers is said', async () => {
    await assert.rejects(openSource({ server: 'http://127.0.0.1:1', world: '42' }), /^Error: http:\/\/127.0.0.1:1\/world\/42: /);
    for (const options of [{}, { server: 'http://127.0.0.1:1' }, { world: '42' }]) await assert.rejects(openSource(options), /^RangeError: server, world: /);
    const saying = (status, text) => openSource({ server: 'http://there', world: '42', fetch: async () => new Response(text, { status, headers: { 'retry-after': '0.001' } }) });
    for (const text of ['<html>', 'null', '{}']) await assert.rejects(saying(200, text), /^Error: http:\/\/there\/world\/42: says nothing of a world/);
    await assert.rejects(saying(503, 'later'), /^Error: http:\/\/there\/world\/42: 503 later/); // and is not asked for ever
});

const libraries = ['clients', 'web-npm'].map((name) => new URL(`../../build/${name}/`, import.meta.url)).find((url) => fs.existsSync(new URL('node_modules/three', url)));

test('how fine meshes are is a power of two', { skip: !libraries && 'three is not installed' }, async () => {
    register(`data:text/javascript,${encodeURIComponent(`export const resolve = (name, context, next) => next(name, /^(three|3d-tiles-renderer)/.test(name) ? { ...context, parentURL: '${libraries}' } : context);`)}`);
    const { Ground } = await import('../../build/js/three.js');
    const about = { spacing_m: 1, height_bounds_m: { low: 0, high: 1 } };
    for (const detail of [100, 0.5, 0, NaN]) await assert.rejects(Ground.open({ made: {}, about, detail }), /^RangeError: detail: /);
    await Ground.open({ made: {}, about, detail: 64 });
});

test('a body that is cut off is asked for again', async () => {
    const cut = new Set(), query = { recipe: 'alpine' };
    const answer = async (url) => {
        if (url.pathname === '/world/42') return Response.json({ spacing_m: 1, generator: 15 });
        if (cut.size === cut.add(url.href).size) return new Response(new Uint8Array(4 * 129 * 129));
        return new Response(new ReadableStream({ pull: (body) => body.error(new TypeError('cut off')) }));
    };
    const source = await openSource({ server: 'http://there', world: '42', query, fetch: answer });
    const [{ heights, normals }, model] = await Promise.all([source.tile({ level: 0, x: 0, y: 0 }, 129), source.model('conifer', 3)]);
    assert.deepEqual([cut.size, heights.length, normals.bytes, model.byteLength], [4, 129 * 129, 4 * 129 * 129, 4 * 129 * 129]);
    assert.deepEqual(query, { recipe: 'alpine' });
});

test('heights are those of the finest tile, between samples of two triangles', () => {
    const field = new Field(1, 3), coarse = { heights: Float32Array.of(0, 10, 20, 50), side: 2 }, fine = { heights: Float32Array.of(1, 1, 1, 1), side: 2, depths: Float32Array.of(2, 2, 0, 0) };
    assert.equal(field.heightAt(5, 5), undefined);
    field.put({ level: 1, x: -1, y: 0 }, coarse);
    const at = (u, v) => field.heightAt(-512 + 512 * u, 512 * v);
    assert.deepEqual([at(0, 0), at(0.5, 0), at(0.25, 0.5), at(0.5, 0.5), at(0.75, 0.75)], [0, 5, 12.5, 15, 32.5]);
    field.put({ level: 0, x: -2, y: 0 }, fine);
    assert.deepEqual([at(0.25, 0.25), at(0.75, 0.25), field.levelAt(-500, 5), field.depthAt(-512, 128), field.depthAt(-1, 1)], [1, 12.5, 0, 1, 0]);
    field.drop({ level: 0, x: -2, y: 0 });
    assert.equal(at(0.25, 0.25), 7.5);
});

test('of ground that was left no nodes stay', async () => {
    const cache = new Set(), tree = new Quadtree({ spacing: 1, heights: [0, 1], reach: 1.5, far: 4e4, top: 7 });
    tree.init({ lruCache: cache, preprocessTileset() {} });
    let tile = (await tree.loadRootTileset()).root;
    for (; tile.terrane.level > 2; [tile] = tile.children) tree.preprocessNode(tile);
    tree.preprocessNode(tile);
    const [child] = tile.children;
    tree.preprocessNode(child);
    cache.add(child.children[0]);
    tree.disposeTile(tile);
    assert.equal(tile.children[0], child);
    cache.clear();
    tree.disposeTile(tile);
    assert.ok(tile.children.length === 4 && tile.children[0] !== child && tile.children.every(({ children }) => children.length === 0));
});
