// build.mjs WASM TO VERSION BUILD...: puts the package together in the folder TO, of these modules in WASM; run at the root of the tree. Says
// how large it is, and fails where what a browser loads is larger than it may be.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const [wasm, to, version, ...builds] = process.argv.slice(2);
const LIMIT = 240 * 1024; // of one build and all the scripts, by gzip
const HERE = 'lib/js';
const SCRIPTS = ['index.js', 'lines.js', 'maplibre.js', 'mixed.js', 'module.js', 'picture.js', 'platform.js', 'pool.js', 'seed.js', 'server.js', 'stops.js', 'terms.js', 'worker.js'];
// What is loaded only by who wants it.
const GLSL = ['glsl.js', 'glsl_bases.js', 'glsl_bound.js', 'glsl_fractals.js', 'glsl_octaves.js', 'glsl_terms.js', 'glsl_text.js'];
const THREE = ['three.js', 'three_field.js', 'three_ground.js', 'three_mesh.js', 'three_noise.js', 'three_objects.js', 'three_quadtree.js', 'three_source.js', 'three_water.js', 'objects.js', 'water.js'];
const MODULES = builds.map((build) => [{ simd128: 'terrane.wasm', scalar: 'terrane-scalar.wasm' }[build], `terrane-${build}.wasm`]);
const RECIPES = 'config/worlds';

const files = {};
for (const name of [...SCRIPTS, ...GLSL, ...THREE, 'glsl.d.ts', 'index.d.ts', 'maplibre.d.ts', 'three.d.ts', 'README.md']) files[name] = fs.readFileSync(path.join(HERE, name));
for (const [name, from] of MODULES) files[name] = fs.readFileSync(path.join(wasm, from));
const recipe = (...names) => Buffer.from(JSON.stringify(JSON.parse(fs.readFileSync(path.join(RECIPES, ...names), 'utf8'))));
const newest = Number(/TERRANE_GENERATOR_VERSION +(\d+)/.exec(fs.readFileSync('lib/terrane.h', 'utf8'))[1]);
const older = fs.readdirSync(RECIPES).filter((name) => /^\d+$/.test(name)).map(Number).sort((a, b) => a - b);
for (const name of fs.readdirSync(RECIPES).filter((file) => file.endsWith('.json'))) {
    files[`recipes/${name}`] = recipe(name);
    /* Of each generator: what it had, which is the first text that has changed since. */
    for (let generator = older[0]; generator <= newest; generator++) {
        const from = older.find((number) => number >= generator && fs.existsSync(path.join(RECIPES, `${number}`, name)));
        files[`recipes/${generator}/${name}`] = from ? recipe(`${from}`, name) : files[`recipes/${name}`];
    }
}
files.LICENSE = fs.readFileSync('LICENSE');

const document = JSON.parse(fs.readFileSync(path.join(HERE, 'package.json'), 'utf8'));
document.version = version;
document.terrane = Object.fromEntries(
    MODULES.map(([name]) => [name, `sha256-${createHash('sha256').update(files[name]).digest('hex')}`]),
);
files['package.json'] = Buffer.from(`${JSON.stringify(document, null, 2)}\n`);

fs.rmSync(to, { recursive: true, force: true });
for (const [name, bytes] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(to, name)), { recursive: true });
    fs.writeFileSync(path.join(to, name), bytes);
}

const packed = (name) => gzipSync(files[name], { level: 9 }).length;
const sum = (names, size) => names.reduce((all, name) => all + size(name), 0);
const raw = (name) => files[name].length;
let large = false;
for (const [name] of MODULES) {
    const loaded = [name, ...SCRIPTS];
    const bytes = sum(loaded, packed);
    large ||= bytes > LIMIT;
    console.log(`  ${to}: ${name} ${raw(name)} bytes, ${packed(name)} by gzip; with the scripts ${sum(loaded, raw)}, ${bytes} by gzip`);
}
for (const names of [GLSL, THREE]) console.log(`  ${to}: ${names[0]} and its own ${sum(names, raw)} bytes, ${sum(names, packed)} by gzip`);
console.log(`  ${to}: whole, ${Object.keys(files).length} files, ${sum(Object.keys(files), raw)} bytes, ${sum(Object.keys(files), packed)} by gzip`);
if (large) {
    console.error(`${to}: over ${LIMIT} bytes by gzip`);
    process.exitCode = 1;
}
