// wasi.mjs FILE.wasm [ARGUMENT...]: runs a program for WASI, which sees the directory it is run in.
import fs from 'node:fs';
import { WASI } from 'node:wasi';

const [file, ...words] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [file, ...words], preopens: { '.': '.' }, returnOnExit: true });
const module = await WebAssembly.compile(fs.readFileSync(file));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
