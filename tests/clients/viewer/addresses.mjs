// Tasks of drive.mjs: addresses, and what they restore.
import { DESKTOP, hashOf, open } from "./page.mjs";

export async function permalink() {
    const before = await open(DESKTOP, "#seed=7&recipe=alpine&layer=height&x=-52000&y=31000&zoom=11.2");
    await before.quiet();
    await before.page.getByRole("button", { name: "3-D", exact: true }).click();
    await before.page.waitForFunction(() => location.hash.includes("pitch=")); // it has tilted
    await before.quiet();
    const address = await hashOf(before.page);
    await before.shot("permalink-given");
    const after = await open(DESKTOP, address);
    await after.quiet();
    await after.shot("permalink-restored");
    const restored = await hashOf(after.page);
    await before.browser.close();
    await after.browser.close();
    return { ...after.result, errors: [...before.result.errors, ...after.result.errors], address, restored };
}

/** What the view, the address and the readout say of where it is, once the address has been written. */
async function whereabouts({ page, quiet }) {
    await quiet();
    return page.evaluate(() => {
        const { map } = globalThis.terrane.view, { x, y, zoom } = globalThis.terrane.store.get(), { lng, lat } = map.getCenter();
        const said = new URLSearchParams(location.hash.slice(1));
        const facts = [...document.querySelectorAll("#facts .fact b")].slice(0, 2).map((fact) => Number(fact.textContent.replace(/[^0-9.\u2212]/g, "").replace("\u2212", "-")));
        return { lng, lat, zoom: map.getZoom(), pitch: map.getPitch(), state: { x, y, zoom }, facts, said: Object.fromEntries(said), status: document.querySelector("#status span").textContent };
    });
}

/** Addresses that lie beyond the map, or name no world; and seeds that are none, typed. */
export async function addresses() {
    const beyond = await open(DESKTOP, "#seed=7&x=1e12&y=-1e12&zoom=30&pitch=85");
    const first = await whereabouts(beyond);
    await beyond.page.evaluate(() => { location.hash = "#seed=7&x=5&y=6&zoom=20"; });
    await beyond.page.waitForFunction(() => Math.abs(globalThis.terrane.view.map.getCenter().lng) < 1);
    await beyond.page.evaluate(() => { location.hash = "#seed=7&x=5&y=6&zoom=99"; });
    await beyond.page.waitForFunction(() => /zoom=20(&|$)/.test(location.hash));
    const later = await whereabouts(beyond);
    await beyond.browser.close();

    const { page, quiet, ...ill } = await open(DESKTOP, "#seed=18446744073709551616&layer=slope");
    const unknown = await whereabouts({ page, quiet });
    await ill.shot("seed-of-address");
    await page.evaluate(() => { location.hash = "#seed=%E4%B8%96%E7%95%8C"; });
    await page.waitForFunction(() => /letter from A to Z/.test(document.querySelector("#status").textContent));
    await page.waitForFunction(() => location.hash.includes("seed=42"));
    const refused = {};
    const box = page.getByRole("textbox", { name: /seed/i });
    for (const text of ["18446744073709551616", "0x123456789012345678", "\u4e16\u754c", "z".repeat(65)]) {
        await box.fill(text);
        await box.press("Enter");
        refused[text] = { why: await page.locator("#seed-form [role=alert]").innerText(), shown: await box.inputValue(), hash: await hashOf(page) };
    }
    await ill.shot("seed-refused");
    await box.fill("atlantis");
    const cleared = !await page.locator("#seed-form [role=alert]").isVisible();
    await box.press("Enter");
    await page.waitForFunction(() => location.hash.includes("seed=atlantis"));
    await quiet();
    await ill.browser.close();
    return { ...ill.result, errors: [...beyond.result.errors, ...ill.result.errors], first, later, unknown, refused, cleared };
}
