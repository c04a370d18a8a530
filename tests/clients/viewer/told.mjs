// A task of drive.mjs: how those who look at a world are told what others do to it.
import { DESKTOP, SHARED, counted, given, server, show, visit } from "./page.mjs";

const streams = (page) => page.waitForRequest((request) => request.url().includes("/events?"));

/** Tabs of a browser have one stream: whichever of them holds it, and is hidden or closed, another one goes on. */
export const editsTabs = () => visit(DESKTOP, SHARED, async ({ page: a, context, quiet }) => {
    const [key, admin] = given.split(",");
    const listeners = async () => Number(/^terrane_world_listeners(?:\{.*\})? (\d+)/m.exec(await (await fetch(`${admin}/metrics`)).text())[1]);
    const alone = async () => { while (await listeners() !== 1) await context.pages()[0].waitForTimeout(20); };
    let last = 0;
    const dig = async (...pages) => {
        const body = JSON.stringify({ brush: "lower", x: 0, y: 0, outer: 40, strength_m: 3 });
        last = (await (await fetch(`${server}/world/commons/edits`, { method: "POST", headers: { Authorization: `Bearer ${key}` }, body })).json()).last;
        await Promise.all(pages.map((page) => counted(page, last)));
        return listeners();
    };
    await quiet();
    await alone();
    const b = await context.newPage(), asked = [];
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
    return found;
});
