// A walk straight on at a speed, and what came late for it: tiles that were not there when their place was as near as tiles of their level have
// to be there, and places around the walker, 1 km wide, that no surface covered. By itself it draws nothing: a software renderer takes longer for a
// picture than tiles take to come, and would measure that. The page asks for what it does where there is a graphics card: nearer and coarser ground is not
// what walkers are promised.
//
//   node walk.mjs SERVER-URL NODE-MODULES SECONDS [SPEED]      one line of JSON
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openBrowser, watch } from "../harness/browser.mjs";
import { servePages } from "../harness/pages.mjs";

/* In the page. */
async function go({ speed, seconds }) {
    const name = ({ level, x, y }) => `${level}/${x}/${y}`;
    const known = new Set(ground.needed().map(name)), begin = { x: camera.position.x + ground.origin.x, z: camera.position.z + ground.origin.z };
    const counts = { tiles: 0, late: 0, places: 0, holes: 0, frames: 0, longest_ms: 0, levels: {} };
    const covered = (x, z) => [...ground.tiles.visibleTiles].some(({ terrane: { box } }) => Math.abs(x - box.x) <= box.half && Math.abs(z - box.z) <= box.half);
    document.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyW" }));
    walker.speed = speed;
    const until = performance.now() + 1000 * seconds;
    for (let before = performance.now(); performance.now() < until; counts.frames++) {
        const now = await new Promise(requestAnimationFrame);
        counts.longest_ms = Math.max(counts.longest_ms, now - before);
        before = now;
        for (const tile of ground.needed()) {
            if (known.has(name(tile))) continue;
            known.add(name(tile));
            counts.tiles++;
            if (tile.here) continue;
            counts.late++;
            counts.levels[tile.level] = (counts.levels[tile.level] ?? 0) + 1;
        }
        const [east, south] = [camera.position.x + ground.origin.x, camera.position.z + ground.origin.z];
        for (let k = 0; k < 81; k++) {
            counts.places++;
            if (!covered(east + ((k % 9) - 4) * 125, south + (Math.floor(k / 9) - 4) * 125)) counts.holes++;
        }
        if (ground.heightAt(camera.position.x, camera.position.z) === undefined) counts.holes++;
    }
    walker.speed = undefined;
    document.dispatchEvent(new KeyboardEvent("keyup", { code: "KeyW" }));
    return { ...counts, metres: Math.hypot(camera.position.x + ground.origin.x - begin.x, camera.position.z + ground.origin.z - begin.z) };
}

export const walk = (page, what) => page.evaluate(go, what);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [server, modules, seconds, speed = 100] = process.argv.slice(2);
    const pages = await servePages(path.dirname(path.dirname(fileURLToPath(import.meta.url))), path.resolve(modules));
    const { browser, page } = await openBrowser(modules, { viewport: { width: 320, height: 200 } });
    const result = { mayRetry: true };
    try {
        const thrown = watch(page, server, result);
        await page.goto(`${pages.url}/three/?server=${encodeURIComponent(server)}&quality=high`);
        await Promise.race([page.waitForFunction(() => window.ground), thrown]);
        await page.evaluate(() => { renderer.render = () => {}; });
        const here = page.waitForFunction(() => window.ready && ground.needed().every(({ here }) => here) && ground.tiles.loadProgress === 1, null, { timeout: 300000 });
        await Promise.race([here, thrown]);
        const walked = await Promise.race([walk(page, { speed: Number(speed), seconds: Number(seconds) }), thrown]);
        process.stdout.write(`${JSON.stringify({ ...walked, errors: result.errors })}\n`);
    } finally {
        await browser.close();
        pages.close();
    }
}
