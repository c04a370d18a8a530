// Opens one example in a headless Chromium against a running server and checks it. Prints one line of JSON.
//
//   node browse.mjs EXAMPLE SERVER-URL OUTPUT-FOLDER NODE-MODULES [PAGE]
//
// EXAMPLE/check.mjs says what must hold: export async function check({ page, server, truth }) returns what it measured.
// Besides, whatever the example: no console error, no exception, no request that failed or was answered 400 or more.

import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { picture } from "./browser.mjs";
import { servePages } from "./pages.mjs";
import { Truth } from "./truth.mjs";

const [example, server, output, packages, file = "index"] = process.argv.slice(2);
const modules = path.resolve(packages);
const examples = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const result = { example, measured: null, picture: file === "index" ? `${example}.png` : `${example}-${file}.png` };
const pages = await servePages(examples, modules);
await picture(modules, server, output, result, async ({ page, thrown }) => {
    await page.goto(`${pages.url}/${example}/${file === "index" ? "" : `${file}.html`}?server=${encodeURIComponent(server)}`);
    await Promise.race([page.waitForFunction(() => window.ready === true), thrown]);
    const { check } = await import(pathToFileURL(path.join(examples, example, "check.mjs")));
    result.measured = await Promise.race([check({ page, server, truth: new Truth(server, "42") }), thrown]);
    await page.waitForTimeout(500); // what fades in has done so
}).finally(pages.close);
process.stdout.write(`${JSON.stringify(result)}\n`);
