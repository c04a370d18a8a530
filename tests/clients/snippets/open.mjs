// Opens a snippet that is a page, as a user would who has pasted it into a file. The libraries, which it loads from unpkg.com, come from
// node_modules instead, of the version that the snippet names or not at all. Prints one line of JSON, as browse.mjs does.
//
//   node open.mjs ID SERVER-URL OUTPUT-FOLDER NODE-MODULES OPTIONS
import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { snippets, VERSIONS } from "../../../server/web/src/snippets.js";
import { picture } from "../harness/browser.mjs";

const [id, server, output, packages, options] = process.argv.slice(2);
const modules = path.resolve(packages);
const { text } = snippets(JSON.parse(options)).find((snippet) => snippet.id === id);
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".json": "application/json" };

// Of a loopback address: Chromium keeps pages that come from elsewhere off loopback servers.
const pages = http.createServer((request, response) => {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(request.url === "/" ? text : "");
});
await new Promise((resolve) => pages.listen(0, "127.0.0.1", resolve));

const result = { example: `snippet ${id}`, picture: `snippet-${id}.png` };
await picture(modules, server, output, result, async ({ context, page, thrown }) => {
    await context.route(/^https:\/\/unpkg\.com\//, async (route) => {
        const [, name, version, file] = new URL(route.request().url()).pathname.match(/^\/((?:@[^/]+\/)?[^@/]+)@([^/]+)\/(.*)$/) ?? [];
        const installed = JSON.parse(await readFile(path.join(modules, name, "package.json"))).version;
        if (version !== installed || VERSIONS[name] && VERSIONS[name] !== version) return route.fulfill({ status: 404 });
        const body = await readFile(path.join(modules, name, file)).catch(() => null);
        if (!body) return route.fulfill({ status: 404 });
        return route.fulfill({ body, contentType: TYPES[path.extname(file)], headers: { "Access-Control-Allow-Origin": "*" } });
    });
    await page.goto(`http://127.0.0.1:${pages.address().port}/`);
    await Promise.race([page.waitForFunction(() => document.querySelector("canvas, .leaflet-tile-loaded")), thrown]);
    // Until the server has answered and nothing has been asked for a while.
    const end = Date.now() + 60000 * Number(process.env.TIMEOUT_MULT || 1);
    for (let quiet = 0, before = 0; quiet < 4; quiet = result.answers === before && before > 0 ? quiet + 1 : 0) {
        if (Date.now() > end) throw new Error(`still loading after a minute: ${result.answers} answers`);
        before = result.answers;
        await Promise.race([page.waitForTimeout(750), thrown]);
    }
});
pages.closeAllConnections();
pages.close();
process.stdout.write(`${JSON.stringify(result)}\n`);
