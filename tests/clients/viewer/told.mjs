// Tasks of drive.mjs: how those who look at a world are told what others do to it.
import { DESKTOP, given, open, server } from "./page.mjs";

const SHARED = "#seed=commons&zoom=17&x=0&y=0";
const counted = (page, least) => page.waitForFunction((count) => globalThis.terrane?.live.count() >= count, least);
const streams = (page) => page.waitForRequest((request) => request.url().includes("/events?"));

/** Tabs of a browser have one stream: whichever of them holds it, and is hidden or closed, another one goes on. */
export async function editsTabs() {
    const [key, admin] = given.split(",");
    const viewer = await open(DESKTOP, SHARED);
    const listeners = async () => Number(/^terrane_world_listeners(?:\{.*\})? (\d+)/m.exec(await (await fetch(`${admin}/metrics`)).text())[1]);
    const alone = async () => { while (await listeners() !== 1) await viewer.context.pages()[0].waitForTimeout(20); };
    let last = 0;
    const dig = async (...pages) => {
        const body = JSON.stringify({ brush: "lower", x: 0, y: 0, outer: 40, strength_m: 3 });
        last = (await (await fetch(`${server}/world/commons/edits`, { method: "POST", headers: { Authorization: `Bearer ${key}` }, body })).json()).last;
        await Promise.all(pages.map((page) => counted(page, last)));
        return listeners();
    };
    const show = (page, state) => page.evaluate((shown) => {
        Object.defineProperty(document, "visibilityState", { value: shown, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }, state);
    await viewer.quiet();
    await alone();
    const a = viewer.page, b = await viewer.context.newPage(), asked = [];
    b.on("request", (request) => { if (/\/(events|edits)\?/.test(request.url())) asked.push(request.url().split("/").at(-1)); });
    await b.goto(`${server}/${SHARED}`);
    await b.waitForFunction(async () => (await navigator.locks.query()).pending.length === 1);
    const found = { both: await dig(a, b), asked: [...asked] };
    let taken = streams(b);
    await show(a, "hidden");
    await taken;
    await alone();
    found.hidden = await dig(b);
    await show(a, "visible");
    await counted(a, last); // what it has missed
    found.back = await dig(a, b);
    taken = streams(a);
    await b.close();
    await taken;
    await alone();
    found.closed = await dig(a);
    await viewer.browser.close();
    return { ...viewer.result, ...found };
}

/** One digs by clicks, another one looks: how long after the click, by the machine's clock, the operation was acknowledged, and the other had it, and a tile. */
export async function editsTold() {
    const a = await open(DESKTOP, SHARED), b = await open(DESKTOP, SHARED);
    await a.page.evaluate((key) => sessionStorage.setItem("terrane.edit-key", key), given);
    await a.page.reload();
    await a.page.waitForFunction(() => globalThis.terrane);
    await Promise.all([a.quiet(), b.quiet()]);
    await a.page.keyboard.press("e");
    await a.page.evaluate(() => {
        const { fetch } = globalThis, now = () => performance.timeOrigin + performance.now();
        globalThis.times = [];
        addEventListener("pointerup", () => globalThis.times.push({ up: now() }), true);
        globalThis.fetch = async (url, options) => {
            const answer = await fetch(url, options);
            if (options?.method === "POST" && String(url).endsWith("/edits")) globalThis.times.at(-1).acknowledged = now();
            return answer;
        };
    });
    const watched = (count) => b.page.evaluate((least) => new Promise((resolve) => {
        const now = () => performance.timeOrigin + performance.now(), { live, view } = globalThis.terrane, found = {};
        const tile = ({ tile: one, sourceId }) => {
            if (!found.told || !one || !/-\d+$/.test(sourceId)) return;
            view.map.off("data", tile);
            resolve({ ...found, tile: now() });
        };
        view.map.on("data", tile);
        const look = () => {
            if (live.count() >= least) found.told = now();
            else setTimeout(look);
        };
        look();
    }), count);
    const rounds = [];
    for (let k = 0; k < 20; k++) {
        const seen = watched(k + 1);
        await a.page.mouse.click(640 + 10 * k, 450);
        const { told, tile } = await seen;
        await a.page.waitForFunction((count) => globalThis.times[count]?.acknowledged, k);
        const { up, acknowledged } = await a.page.evaluate((at) => globalThis.times[at], k);
        rounds.push({ acknowledged: acknowledged - up, told: told - up, tile: tile - up });
        await b.quiet(300);
    }
    await a.browser.close();
    await b.browser.close();
    return { errors: [...a.result.errors, ...b.result.errors], rounds };
}
