// The viewer of a server that others flood: whether the map ever shows nothing where there is ground. Prints one line of JSON.
//
//   node flood.mjs TASK SERVER-URL OUTPUT-FOLDER NODE-MODULES
//
// TASK: flat (fast pans), standing (the same in 3-D)
//
// Every frame is read back from the graphics context as it is drawn: a pixel that is not opaque shows the page's background.
import http from "node:http";
import path from "node:path";
import { openBrowser, watch } from "../harness/browser.mjs";

const [task, server, output, modules] = process.argv.slice(2);
const SIZE = { viewport: { width: 960, height: 600 } };
const STRANGERS = 24; // more than the queue of the server holds
const LEVEL = 3;
const AGAIN_MS = 1000; // as they are asked to
const STRETCH = Number(process.env.TIMEOUT_MULT || 1);
const LOOK_MOST_MS = 40000 * STRETCH; // at the first view, until its widest surroundings have come
const FIRST_MOST_MS = 90000 * STRETCH, PAN_MOST_MS = 8000 * STRETCH;

/** Strangers who ask for cold tiles of land without end; { count, stop() }. */
async function flood() {
    const { spawn, spacing_m: spacing } = await (await fetch(`${server}/world/77?recipe=alpine`)).json();
    const [x, y] = [spawn.x, spawn.y].map((metres) => Math.floor(metres / spacing / 2 ** (8 + LEVEL)));
    const agent = new http.Agent({ keepAlive: true, maxSockets: STRANGERS });
    const count = {};
    let number = 0, stopped = false;
    const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
    const ask = () => new Promise((resolve) => {
        const k = number++;
        http.get(`${server}/tile/77/${LEVEL}/${x + k % 64 * 3}/${y + 4 * Math.floor(k / 64)}.f32?recipe=alpine&variant=eroded`, { agent }, (answer) => {
            answer.resume();
            answer.on("close", () => resolve(answer.statusCode));
        }).on("error", () => resolve(0));
    });
    for (let k = 0; k < STRANGERS; k++)
        (async () => {
            while (!stopped) {
                const status = await ask();
                count[status] = (count[status] ?? 0) + 1;
                if (status !== 200) await sleep(AGAIN_MS);
            }
        })();
    return { count, stop() { stopped = true; agent.destroy(); } };
}

/* In the page: notes of every frame when it was drawn, and which share of it is bare. */
function observe() {
    const frames = [];
    window.frames_seen = frames;
    const begin = () => {
        const map = globalThis.terrane?.view?.map;
        if (!map) return setTimeout(begin, 5);
        const canvas = map.getCanvas();
        const gl = canvas.getContext("webgl2");
        let data = new Uint8Array(0);
        map.on("render", () => {
            const bytes = 4 * canvas.width * canvas.height;
            if (data.length !== bytes) data = new Uint8Array(bytes);
            gl.bindFramebuffer(gl.FRAMEBUFFER, null);
            gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, data);
            let bare = 0;
            for (let i = 3; i < bytes; i += 4) bare += data[i] < 250;
            frames.push({ at: performance.now(), bare: bare * 4 / bytes });
        });
        map.triggerRepaint();
    };
    begin();
}

async function open(hash) {
    const { browser, page } = await openBrowser(modules, SIZE);
    const result = { mayRetry: true };
    let arrived;
    const wide = new Promise((resolve) => { arrived = resolve; });
    page.on("response", (response) => { if (response.ok() && /\/xyz\/[^/]+\/0\/0\/0\.png/.test(response.url())) arrived(true); });
    watch(page, server, result);
    await page.addInitScript(observe);
    await page.goto(`${server}/${hash}`);
    return { browser, page, result, wide, shot: (name) => page.screenshot({ path: path.join(output, `viewer-flood-${name}.png`) }) };
}

/** Milliseconds from a time on (of the page's clock) until no frame is bare any more; the most that is bare till then. */
async function covered(page, from, most) {
    const settled = (since) => {
        const seen = window.frames_seen.filter(({ at }) => at >= since);
        return seen.length > 0 && seen.at(-1).bare === 0;
    };
    await page.waitForFunction(settled, from, { timeout: most, polling: 50 }).catch(() => {});
    return page.evaluate(([since, limit]) => {
        const seen = window.frames_seen.filter(({ at }) => at >= since);
        const bare = seen.filter((frame) => frame.bare > 0);
        const last = seen.at(-1);
        if (!last || last.bare > 0) return { ms: limit, most: Math.max(0, ...bare.map((frame) => frame.bare)) };
        const whole = seen.find(({ at }) => at > (bare.at(-1)?.at ?? -1));
        return { ms: bare.length ? Math.round(whole.at - since) : 0, most: Math.max(0, ...bare.map((frame) => frame.bare)) };
    }, [from, most]);
}

const STEPS = [[2.5, 0], [0, 2.5], [-2, -1], [6, 3], [-14, 0], [0, -16]]; // screens

async function pans(hash, name) {
    const strangers = await flood();
    await new Promise((resolve) => { setTimeout(resolve, 1500); });
    const view = await open(hash);
    const found = { pans: [] };
    try {
        found.first = await covered(view.page, 0, FIRST_MOST_MS);
        await view.shot(`${name}-first`);
        const looked = Date.now();
        await Promise.race([view.wide, view.page.waitForTimeout(LOOK_MOST_MS)]);
        found.look_ms = Date.now() - looked;
        for (const [k, [x, y]] of STEPS.entries()) {
            const moved = await view.page.evaluate(([dx, dy]) => new Promise((resolve) => {
                const { map } = globalThis.terrane.view;
                map.once("moveend", () => { map.triggerRepaint(); resolve({ ended: performance.now() }); });
                map.panBy([dx * innerWidth, dy * innerHeight], { duration: 400 });
            }), [x, y]);
            const after = await covered(view.page, moved.ended, PAN_MOST_MS);
            found.pans.push({ ms: after.ms, most: Number(after.most.toFixed(3)) });
            await view.shot(`${name}-${k}`);
            await view.page.waitForTimeout(300);
        }
    } finally {
        strangers.stop();
        await view.browser.close();
    }
    return { ...view.result, ...found, strangers: strangers.count };
}

const tasks = {
    flat: () => pans("", "flat"),
    standing: () => pans("#seed=42&x=-229376&y=-458752&3d=1&pitch=55&zoom=10", "standing"),
};
process.stdout.write(`${JSON.stringify(await tasks[task]())}\n`, () => process.exit(0));
