// Tasks of drive.mjs: a world that people change.
import { contrasts } from "./contrast.mjs";
import { DESKTOP, PHONE, SHARED, counted, given, open, server, show, visit } from "./page.mjs";

const height = async ({ page, quiet }, x, y) => {
    await page.mouse.move(x + 1, y);
    await page.mouse.move(x, y);
    await quiet(400);
    return page.evaluate(() => Number([...document.querySelectorAll("#facts .fact")].find((fact) => fact.firstChild.textContent === "height").lastChild.textContent.replace("\u2212", "-").replace(/[^0-9.-]/g, "")));
};
const sent = ({ page }) => page.waitForFunction(() => globalThis.terrane.edit.waiting() === 0 && globalThis.terrane.edit.locked() === null);
const log = async () => (await (await fetch(`${server}/world/commons/edits?since=0`)).json()).edits;

/** One digs, the other sees it: with a key that may not, and one that may; undone and done again; a mark; the past; by keys alone. */
export async function edits() {
    const [wrong, right] = given.split(",");
    const a = await open(DESKTOP, SHARED), b = await open(DESKTOP, SHARED);
    const errors = () => [...a.result.errors, ...b.result.errors].filter((text) => !/40[13]/.test(text));
    await a.quiet();
    await b.quiet();
    const found = { before: await height(b, 700, 450) };
    await b.shot("edits-before");
    await a.page.keyboard.press("e");
    const unlock = async (key) => {
        await a.page.getByLabel("Key", { exact: true }).fill(key);
        await a.page.getByRole("button", { name: "Use it" }).click();
    };
    const stroke = async () => {
        await a.page.mouse.move(600, 450);
        await a.page.mouse.down();
        await a.page.mouse.move(800, 450, { steps: 10 });
        await a.page.mouse.up();
    };
    found.tabs = [await a.page.getByRole("navigation", { name: "Panels" }).innerText(), a.page.url()];
    await unlock(wrong);
    await stroke();
    await a.page.locator("#edit-key-form").waitFor();
    await a.page.waitForFunction(() => /may not/.test(document.querySelector("#edit-key-form").textContent));
    found.refused = { waiting: await a.page.evaluate(() => globalThis.terrane.edit.waiting()), log: (await log()).length };
    await a.shot("edits-refused");
    await unlock(right);
    await sent(a);
    const dug = (await log()).length, began = Date.now();
    await counted(b.page, dug);
    found.told_ms = Date.now() - began;
    found.dug = [dug, await height(b, 700, 450)];
    await b.shot("edits-after");
    await a.page.keyboard.press("Control+z");
    await sent(a);
    await counted(b.page, 2 * dug);
    found.undone = [(await log()).filter(({ undoes }) => undoes).length, await height(b, 700, 450)];
    await a.page.keyboard.press("Control+Shift+z");
    await sent(a);
    await counted(b.page, 3 * dug);
    found.again = [(await log()).length, await height(b, 700, 450)];

    await a.page.getByRole("radio", { name: "Mark" }).click();
    await a.page.getByLabel("Name", { exact: true }).fill("Camp");
    await a.page.mouse.click(500, 300);
    await sent(a);
    await b.page.waitForFunction(async () => (await globalThis.terrane.view.map.getSource("marks").getData()).features.some(({ properties }) => properties.name === "Camp"));
    await a.page.getByRole("radio", { name: "Lower" }).click();
    await a.page.locator(".maplibregl-canvas").first().focus();
    const center = await a.page.evaluate(() => globalThis.terrane.view.map.getCenter().toArray());
    for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "]", "+", "Enter"]) await a.page.keyboard.press(key);
    await sent(a);
    found.keyboard = { mark: (await log()).at(-2), last: (await log()).at(-1), moved: await a.page.evaluate((old) => globalThis.terrane.view.map.getCenter().toArray().some((value, k) => Math.abs(value - old[k]) > 1e-9), center) };
    await a.quiet();
    await a.shot("edits");

    await b.page.keyboard.press("e");
    await counted(b.page, found.keyboard.last.seq);
    const history = b.page.getByRole("slider", { name: /History/ });
    await history.press("Home");
    await b.page.waitForFunction(() => /at=0/.test(location.hash));
    found.past = [await height(b, 700, 450), await b.page.getByRole("radiogroup", { name: "Brush" }).count()];
    await b.shot("edits-past");
    await b.page.getByRole("button", { name: "Now", exact: true }).click();
    await b.page.waitForFunction(() => !/at=/.test(location.hash));
    await b.page.keyboard.press("k");
    await b.quiet();
    const shares = b.page.waitForRequest((request) => /layer=water&.*at=1&epoch=/.test(request.url())); // of the key
    await b.page.evaluate(() => globalThis.terrane.store.set({ at: 1 }));
    await shares;
    await b.page.evaluate(() => globalThis.terrane.store.set({ at: null }));
    await b.page.waitForFunction(() => !/at=/.test(location.hash));
    await b.quiet();
    found.now = await height(b, 700, 450);
    found.address = a.page.url();
    await a.browser.close();
    await b.browser.close();
    return { ...b.result, errors: errors(), ...found };
}

/** Another server takes over at the address, where the world is another one: what is asked of it, what can still be undone, and heights of the ground as it stands. */
export const editsAnew = () => visit(DESKTOP, `${SHARED}&3d=1&pitch=50&contours=1`, async (viewer) => {
    const { page, quiet } = viewer, [key, other] = given.split(",");
    const at = [40, 25], kinds = new Set(), undoable = [];
    const note = async () => {
        undoable.push(await page.evaluate(() => globalThis.terrane.edit.undoable()));
        return page.evaluate(([x, y]) => {
            const { map } = globalThis.terrane.view, half = 2 ** 25, place = [x / half * 180, Math.atan(Math.sinh(-Math.PI * y / half)) * 180 / Math.PI];
            return map.queryTerrainElevation(place) / map.getTerrain().exaggeration;
        }, at);
    };
    await quiet();
    await page.keyboard.press("e");
    await page.getByLabel("Key", { exact: true }).fill(key);
    await page.getByRole("button", { name: "Use it" }).click();
    await page.mouse.click(400, 300);
    await sent(viewer);
    await quiet();
    const heights = [await note()];
    let posted = 0;
    await page.route(`${server}/**`, (route) => {
        const address = route.request().url(), [, name, ending] = /\/((?:xyz|tile)\/.*)\.([a-z0-9]+)/.exec(address) ?? [];
        if (name) kinds.add(`${new URL(address).searchParams.get("layer") ?? (ending === "mvt" ? "xyz" : "height")}.${ending}`);
        posted += route.request().method() === "POST";
        return route.continue({ url: address.replace(server, other) });
    });
    for (const state of ["hidden", "visible"]) await show(page, state); // a page that is hidden ends its stream
    await page.waitForFunction(() => /made anew/.test(document.querySelector("#status").textContent));
    await quiet();
    await page.keyboard.press("Control+z");
    await quiet();
    heights.push(await note());
    viewer.result.errors = viewer.result.errors.filter((text) => !text.includes("409")); // the new world has no operation 1
    return { at, kinds: [...kinds], undoable, posted, heights };
});

/** By a finger, which strokes, and two, which move the map; and what is cut on screens of any width; light, dark, flat and standing. */
export async function editsLooks() {
    const found = { cut: {} }, errors = [];
    const unlock = async ({ page, quiet }) => {
        await page.evaluate((key) => sessionStorage.setItem("terrane.edit-key", key), given);
        await page.reload();
        await page.waitForFunction(() => globalThis.terrane);
        await quiet();
        await page.getByRole("button", { name: "Edit", exact: true }).click();
    };
    const phone = await open({ ...PHONE, viewport: { width: 360, height: 740 } }, SHARED);
    await unlock(phone);
    const before = (await log()).length;
    await phone.page.touchscreen.tap(180, 200);
    await phone.page.waitForFunction((count) => globalThis.terrane.live.count() > count, before);
    const client = await phone.context.newCDPSession(phone.page);
    const touch = (type, ...points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const center = () => phone.page.evaluate(() => globalThis.terrane.view.map.getCenter().toArray());
    const [tapped, held] = [(await log()).length, await center()];
    await touch("touchStart", [60, 200]);
    for (let x = 80; x <= 300; x += 20) await touch("touchMove", [x, 200]);
    await touch("touchEnd");
    await phone.page.waitForFunction((count) => globalThis.terrane.live.count() > count + 3, tapped);
    const stroked = await center();
    await sent(phone);
    const drawn = (await log()).length;
    await touch("touchStart", [120, 160]);
    await touch("touchStart", [120, 160], [120, 260]);
    for (let x = 140; x <= 260; x += 20) await touch("touchMove", [x, 160], [x, 260]); // up and down they would tilt it
    await touch("touchEnd");
    await phone.quiet();
    found.finger = { tapped: tapped - before, stroked: drawn - tapped, kept: held.join() === stroked.join(), moved: (await center()).join() !== stroked.join(), none: (await log()).length - drawn };
    await phone.shot("edits-phone");
    errors.push(...phone.result.errors);
    await phone.browser.close();
    for (const colorScheme of ["light", "dark"]) {
        const viewer = await open({ ...DESKTOP, colorScheme }, `${SHARED}&3d=1&pitch=60`);
        const { page } = viewer;
        await unlock(viewer);
        await page.mouse.move(640, 520);
        await viewer.quiet();
        await viewer.shot(`edits-3d-${colorScheme}`);
        found.low = [...found.low ?? [], ...(await page.evaluate(contrasts)).filter(({ what, ratio, least }) => ratio < least && !what.startsWith("button#three"))]; // alone, with nothing beside it to tell it from
        for (const width of [360, 480, 641, 768, 1440, 2560]) {
            await page.setViewportSize({ width, height: 800 });
            found.cut[width] = await page.evaluate(async () => {
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                const all = [...document.querySelectorAll("#tabs button, #panel button, #panel input, #panel label")].filter((each) => each.checkVisibility());
                return all.filter((each) => {
                    const { left, right } = each.getBoundingClientRect();
                    return left < 0 || right > innerWidth || (each.matches("button") && each.scrollWidth > each.clientWidth + 1);
                }).map((each) => each.textContent || each.id);
            });
        }
        errors.push(...viewer.result.errors);
        await viewer.browser.close();
    }
    return { errors, ...found };
}
