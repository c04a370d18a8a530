// The task finder of drive.mjs: what is looked for and gone to by the keyboard alone, and names under the pointer.
import { DESKTOP, given, open } from "./page.mjs";

const named = (page) => page.evaluate(() => {
    const { map } = globalThis.terrane.view;
    const { left, top, width, height } = map.getCanvas().getBoundingClientRect();
    const seen = map.queryRenderedFeatures().filter(({ properties, geometry }) => properties.name && geometry.type === "Point");
    return seen.map(({ properties, geometry }) => ({ name: properties.name, x: left + map.project(geometry.coordinates).x, y: top + map.project(geometry.coordinates).y }))
        .filter(({ x, y }) => x > left + 40 && y > top + 40 && x < left + width - 40 && y < top + height - 40);
});

export async function finder() {
    const viewer = await open(DESKTOP, given);
    const { page, quiet } = viewer;
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
    const labels = [];
    for (const label of (await named(page)).slice(0, 5)) {
        await page.mouse.move(label.x, label.y);
        await page.waitForFunction((name) => document.querySelector("#facts").textContent.includes(name), label.name, { timeout: 5000 }).catch(() => {});
        labels.push({ name: label.name, facts: await facts() });
    }
    await viewer.shot("finder");
    await viewer.browser.close();
    return { ...viewer.result, said, rows, x, y, labels };
}
