/*
 * Builds the viewer: node server/web/build.mjs PACKAGES OUT [TERRANE], at the root of the repository.
 *
 * PACKAGES holds node_modules of the lockfile; OUT gets index.html, walk.html, everything they load under names that
 * carry a digest, each of these also as NAME.gz, and list.inc, the table that server/http/route_viewer.c reads.
 * TERRANE is the npm package as `make wasm` builds it; without it the viewer makes no tiles itself. What a browser without
 * vectors loads of it is for the site alone (site.mjs), and not in the table.
 * The same sources make the same bytes, but for NAME.gz and its row, which are as this node compresses.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const [packages, out, terrane] = process.argv.slice(2).map((path) => resolve(path));
if (!packages || !out) {
    console.error('usage: node server/web/build.mjs PACKAGES OUT');
    process.exit(2);
}
const source = resolve('server/web/src');
const modules = join(packages, 'node_modules');
const esbuild = createRequire(join(packages, 'package.json'))('esbuild');

const TYPES = {
    html: 'text/html; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    txt: 'text/plain; charset=utf-8',
    svg: 'image/svg+xml',
    wasm: 'application/wasm',
};
const files = []; // {name, bytes, served}

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 32);

/* Keeps bytes under a name with their digest in it; returns that name. */
function add(stem, ending, bytes, served = true) {
    const name = `${stem}-${digest(bytes).slice(0, 10)}.${ending}`;
    files.push({ name, bytes: Buffer.from(bytes), served });
    return name;
}

/* The package: its modules, its worker, all else of it as one file, in which these have their names here, and its recipes. null: there is none. */
function addPackage() {
    if (!terrane) return null;
    const module = (stem, file, served) => [`./${file}`, `./${add(stem, 'wasm', readFileSync(join(terrane, file)), served)}`];
    const script = (from) =>
        esbuild.buildSync({
            ...from,
            bundle: true,
            format: 'esm',
            minify: true,
            target: 'es2022',
            external: ['node:*'],
            write: false,
            logLevel: 'warning',
        }).outputFiles[0].text;
    const names = [
        module('terrane', 'terrane.wasm', true),
        module('scalar', 'terrane-scalar.wasm', false),
        ['./worker.js', `./${add('maker', 'js', script({ entryPoints: [join(terrane, 'worker.js')] }))}`],
    ];
    const contents = 'export * from "./index.js"; export * from "./maplibre.js";';
    let text = script({ stdin: { contents, resolveDir: terrane } });
    for (const [file, name] of names) text = text.replaceAll(file, name);
    const found = readdirSync(join(terrane, 'recipes'), { recursive: true }).filter((file) => file.endsWith('.json')).sort();
    const texts = found.map((file) => JSON.stringify(JSON.parse(readFileSync(join(terrane, 'recipes', file), 'utf8'))));
    const each = [...new Set(texts)]; // many generators have the same
    const rows = found.map((file, k) => `${JSON.stringify(file.slice(0, -'.json'.length))}:r[${each.indexOf(texts[k])}]`);
    return { script: add('terrane', 'js', text), recipes: add('recipes', 'js', `const r=[${each}];export default {${rows}};\n`) };
}

function addWorker() {
    const text = readFileSync(join(modules, 'maplibre-gl/dist/maplibre-gl-worker.mjs'), 'utf8');
    return add('worker', 'js', text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
}

/* The walk is the example for three.js, as it stands in its folder. */
function addWalk() {
    const from = resolve('example/walk');
    const { js, css } = bundle(join(from, 'main.js'), { alias: { 'terrane/three': resolve('lib/js/three.js') } });
    const page = readFileSync(join(from, 'index.html'), 'utf8')
        .replace('<html ', '<html data-server=".." ')
        .replace('main.css', add('walk', 'css', css))
        .replace('main.js', add('walk', 'js', js));
    files.unshift({ name: 'walk.html', bytes: Buffer.from(page), served: true });
}

/* What the bundle is made of, and what its authors ask to be told with it. */
function addLicences() {
    const lock = JSON.parse(readFileSync(join(packages, 'package-lock.json'), 'utf8'));
    const parts = [];
    for (const [path, entry] of Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (!path || entry.dev || path.includes('@types/') || !existsSync(join(packages, path))) continue;
        const name = path.replace(/^.*node_modules\//, '');
        const file = readdirSync(join(packages, path)).find((each) => /^licen[cs]e/i.test(each));
        const text = file ? readFileSync(join(packages, path, file), 'utf8').trim() : '';
        parts.push(`${name} ${entry.version} (${entry.license ?? 'see its package'})\n\n${text}\n`);
    }
    return add('licences', 'txt', parts.join(`\n${'-'.repeat(79)}\n\n`));
}

/* { js, css } of what an entry consists of. */
function bundle(entry, options) {
    const made = esbuild.buildSync({
        absWorkingDir: resolve('.'),
        entryPoints: [entry],
        bundle: true,
        format: 'esm',
        minify: true,
        target: 'es2022',
        charset: 'utf8',
        write: false,
        outdir: out,
        nodePaths: [modules],
        legalComments: 'inline',
        loader: { '.svg': 'dataurl' },
        logLevel: 'warning',
        ...options,
    });
    const of = (ending) => made.outputFiles.find((file) => file.path.endsWith(ending)).contents;
    return { js: of('.js'), css: of('.css') };
}

function addPage(worker, licences, carried) {
    const define = { WORKER_FILE: JSON.stringify(worker), LICENCES_FILE: JSON.stringify(licences), PACKAGE_FILES: JSON.stringify(carried) };
    const { js, css } = bundle(join(source, 'main.js'), { define });
    const [app, style] = [add('app', 'js', js), add('app', 'css', css)];
    const page = readFileSync(join(source, 'index.html'), 'utf8')
        .replace('APP_JS', `viewer/${app}`)
        .replace('APP_CSS', `viewer/${style}`);
    files.unshift({ name: 'index.html', bytes: Buffer.from(page), served: true });
}

function write() {
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
    const lines = files.map(({ name, bytes, served }, k) => {
        if (!served) {
            writeFileSync(join(out, name), bytes);
            return '';
        }
        const packed = gzipSync(bytes, { level: 9 });
        packed[9] = 255; // the operating system of the header: unknown, wherever it is built
        writeFileSync(join(out, name), bytes);
        writeFileSync(join(out, `${name}.gz`), packed);
        const type = TYPES[name.split('.').pop()];
        return (
            `WEB_FILE(${k}, "${name}", "${type}", ${!name.endsWith('.html')}, ${bytes.length}, ` +
            `"\\"${digest(bytes)}\\"", ${packed.length}, "\\"${digest(packed)}\\"")\n`
        );
    });
    writeFileSync(join(out, 'list.inc'), lines.join('')); // last: it is what make looks at
}

addWalk();
addPage(addWorker(), addLicences(), addPackage());
write();
