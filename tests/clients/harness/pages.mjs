// Serves the examples on a loopback port of its own, so that every tile they ask for is of another origin.
//
//   /NAME/            example/clients/NAME/index.html; example/walk for three; what is a test's own, tests/clients/NAME
//   /NAME/FILE.js     that module and what it imports, in one file by esbuild (and FILE.css beside it)
//   /js/...           the npm package in build/js
//   /node_modules/... the packages, for what a client loads at run time: workers, images
//
// Answers GET under these folders alone.

import { createRequire } from "node:module";
import http from "node:http";
import path from "node:path";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

const FOLDERS = (name) => [name === "three" ? "../../example/walk" : `../../example/clients/${name}`, name];
const TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
    ".json": "application/json", ".png": "image/png", ".jpg": "image/jpeg", ".svg": "image/svg+xml",
    ".wasm": "application/wasm", ".xml": "application/xml",
};

/** Everything that the bundle of an entry consists of: { "main.js": bytes, "main.css": bytes }. */
async function bundle(esbuild, entry, modules) {
    const built = await esbuild.build({
        entryPoints: [entry], bundle: true, format: "esm", write: false, outdir: path.dirname(entry), target: "es2022",
        nodePaths: [modules], logLevel: "silent", alias: { "terrane/three": path.join(modules, "../../js/three.js") },
        loader: { ".png": "dataurl", ".svg": "dataurl", ".gif": "dataurl" },
    });
    return new Map(built.outputFiles.map((file) => [path.basename(file.path), file.contents]));
}

/** Starts the server. examples: their folder; modules: node_modules. Returns { url, close }. */
export async function servePages(examples, modules) {
    const esbuild = createRequire(path.join(modules, "../../web-npm/x.js"))("esbuild"); // the viewer's own
    const bundles = new Map();
    const built = (entry) => {
        if (!bundles.has(entry)) bundles.set(entry, bundle(esbuild, entry, modules));
        return bundles.get(entry);
    };

    async function find(pathname) {
        const parts = pathname.split("/").slice(1);
        if (parts.some((part) => part === ".." || part.includes("\\"))) return null;
        if (parts[0] === "js") return readFile(path.join(modules, "../../js", ...parts.slice(1)));
        if (parts[0] === "node_modules") return readFile(path.join(modules, ...parts.slice(1)));
        if (parts.length !== 2 || !/^[a-z]+$/.test(parts[0])) return null;
        const files = FOLDERS(parts[0]).map((folder) => path.join(examples, folder, parts[1] || "index.html"));
        const source = (name) => name.replace(/\.css$/, ".js");
        const file = files.find((name) => existsSync(source(name))) ?? files[0];
        const { dir, name, ext } = path.parse(file);
        if (ext !== ".js" && ext !== ".css") return readFile(file);
        return (await built(path.join(dir, `${name}.js`))).get(name + ext) ?? new Uint8Array();
    }

    const server = http.createServer(async (request, response) => {
        const { pathname } = new URL(request.url, "http://localhost");
        try {
            const body = pathname === "/favicon.ico" ? new Uint8Array() : await find(decodeURIComponent(pathname));
            if (!body) throw new Error("no such page");
            const type = TYPES[path.extname(pathname) || ".html"] ?? "application/octet-stream";
            response.writeHead(200, { "Content-Type": type }).end(body);
        } catch (error) {
            response.writeHead(404, { "Content-Type": "text/plain" }).end(String(error.message));
        }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${server.address().port}`,
        close: () => { server.closeAllConnections(); server.close(); esbuild.stop?.(); },
    };
}
