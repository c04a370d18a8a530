// The task finder of drive.mjs: what is looked for and gone to by the keyboard alone, and names under the pointer.
import { DESKTOP, given, visit } from "./page.mjs";

/** Labels that are drawn: their names, places, and a pixel of the map, which nothing covers, where each is drawn and no other name is near. */
const named = (page) => page.evaluate(() => {
    const { map } = globalThis.terrane.view, canvas = map.getCanvas(), near = 10, found = new Map();
    const { left, top } = canvas.getBoundingClientRect();
    const steps = Array.from({ length: 17 * 17 }, (_, k) => [8 * (k % 17 - 8), 8 * (Math.floor(k / 17) - 8)]).sort((a, b) => Math.hypot(...a) - Math.hypot(...b));
    const only = (name, x, y) => {
        if (document.elementFromPoint(left + x, top + y) !== canvas) return false;
        const names = new Set(map.queryRenderedFeatures([[x - near, y - near], [x + near, y + near]]).map(({ properties }) => properties.name).filter(Boolean));
        return names.size === 1 && names.has(name);
    };
    for (const { properties: { name }, geometry } of map.queryRenderedFeatures()) {
        if (!name || geometry.type !== "Point" || found.has(name)) continue;
        const { x, y } = map.project(geometry.coordinates);
        const step = steps.find(([i, j]) => only(name, x + i, y + j));
        if (step) found.set(name, { name, place: geometry.coordinates, x: left + x + step[0], y: top + y + step[1] });
    }
    return [...found.values()];
});

export const finder = () => visit(DESKTOP, given, async ({ page, quiet, shot }) => {
    const facts = () => page.evaluate(() => [...document.querySelectorAll("#facts .fact b")].map((fact) => fact.textContent));
    await quiet();
    await page.keyboard.press("f");
    await page.locator("#find-what:focus").waitFor();
    const answered = page.waitForResponse((answer) => answer.url().includes("/find/"));
    await page.keyboard.type("Ri"); // the first of the menu that begins so
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const said = await (await answered).json();
    await page.locator(".found button:focus").waitFor();
    const rows = await page.locator(".found button").allInnerTexts();
    await page.keyboard.press("Enter");
    await quiet();
    const { x, y } = await page.evaluate(() => globalThis.terrane.store.get());
    const labels = await named(page);
    for (const label of labels) {
        await page.mouse.move(label.x, label.y);
        await page.waitForFunction((name) => document.querySelector("#facts").textContent.includes(name), label.name, { timeout: 20000 }).catch(() => {});
        label.facts = await facts();
    }
    await shot("finder");
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 360, height: 740 });
    await page.evaluate((place) => globalThis.terrane.view.map.jumpTo({ center: place }), labels[0].place);
    await quiet();
    const narrow = (await named(page)).map(({ name }) => name);
    await shot("finder-narrow");
    return { said, rows, x, y, labels, narrow };
});
