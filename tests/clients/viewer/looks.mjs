// Tasks of drive.mjs: how the viewer looks, and what fits.
import { contrasts } from "./contrast.mjs";
import { DESKTOP, choose, open, openMenu, visit } from "./page.mjs";

const WIDTHS = [320, 360, 390, 480, 640, 641, 768, 1024, 1240, 1241, 1280, 1366, 1440, 1600, 1920, 2560];

/** What of the bar lies outside the window or its own place, or is cut, by the window's width; of the recipe with the most to choose. */
export const widths = () => visit(DESKTOP, "#seed=42&recipe=wayfarer", async ({ page, quiet, shot }) => {
    await quiet();
    const found = {};
    for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        found[width] = await page.evaluate(async () => {
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); // the bar looks whether it fits
            const bar = document.querySelector("#bar"), box = bar.getBoundingClientRect(), cut = [];
            const all = [...bar.querySelectorAll("h1, input, select, button, [role=radiogroup]")].filter((each) => each.checkVisibility() && !each.closest("[role=dialog]"));
            for (const each of all) {
                const { left, right, top, bottom } = each.getBoundingClientRect();
                const inside = left >= 0 && right <= innerWidth && top >= box.top && bottom <= box.bottom;
                const whole = each.matches("input, select") || (each.scrollWidth <= each.clientWidth + 1 && each.scrollHeight <= each.clientHeight + 1);
                if (!inside || !whole) cut.push(each.getAttribute("aria-label") || each.id || each.textContent);
            }
            const stage = document.querySelector("main").getBoundingClientRect();
            if (stage.top < box.bottom || stage.bottom > innerHeight) cut.push("the map");
            const middles = [...bar.children].filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect()).map(({ top, bottom }) => Math.round((top + bottom) / 2));
            return { checked: all.length, cut, rows: new Set(middles).size };
        });
        const menu = await openMenu(page);
        const { x, y, width: across, height: down } = await menu.boundingBox();
        if (x < 0 || y < 0 || x + across > width || y + down > 800) found[width].cut.push("the menu of layers");
        await page.keyboard.press("Escape");
        if (await menu.isVisible()) found[width].cut.push("the menu does not close");
    }
    await page.setViewportSize({ width: 1024, height: 800 });
    await choose(page, "Slope");
    await page.waitForFunction(() => location.hash.includes("layer=slope"));
    const menu = await openMenu(page);
    found.chosen = await menu.getByRole("radio").allInnerTexts();
    for (const box of await menu.getByRole("checkbox").all()) await box.check();
    await page.waitForFunction(() => ["paths=1", "contours=1", "grid=1"].every((word) => location.hash.includes(word)));
    await page.waitForFunction(() => [...document.querySelectorAll(".shots button:not([hidden], :disabled) canvas")].every(({ dataset }) => dataset.of));
    found.pictures = await page.evaluate(() => [...document.querySelectorAll(".shots button:not([hidden], :disabled) canvas")].map((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
    }));
    await shot("menu");
    return { widths: found };
});

/** The menu of layers on a small screen, by keys: the arrows go through it, Enter and Escape close it, and there is always something that has the focus. */
export const menuByKeys = () => visit({ viewport: { width: 360, height: 740 } }, "", async ({ page, quiet }) => {
    await quiet();
    const found = [];
    const note = async () => found.push(await page.evaluate(() => ({
        open: !document.querySelector("#layers").hidden,
        focus: document.activeElement.id || document.activeElement.value,
        layer: globalThis.terrane.store.get().layer,
    })));
    await page.locator("#layer").focus();
    for (const key of ["Enter", "ArrowDown", "ArrowRight", "Enter", "Enter", "ArrowUp", "Escape"]) {
        await page.keyboard.press(key);
        await note();
    }
    await openMenu(page);
    await page.getByRole("radio", { name: "Relief" }).click();
    await note();
    return { found };
});

/** What is told too little from what lies behind it, with every panel open in turn, light and dark. */
export async function contrast() {
    const errors = [], low = [];
    let checked = 0;
    for (const colorScheme of ["light", "dark"]) {
        const viewer = await open({ ...DESKTOP, colorScheme });
        const { page } = viewer;
        await viewer.quiet();
        await viewer.shot(`desktop-${colorScheme}`);
        const measure = async (where) => {
            for (const each of await page.evaluate(contrasts)) {
                checked++;
                if (each.ratio < each.least) low.push({ where: `${colorScheme}, ${where}`, ...each });
            }
        };
        await page.getByRole("button", { name: /go to/i }).click();
        const tabs = page.getByRole("navigation", { name: "Panels" }).getByRole("button");
        for (let k = 0; k < await tabs.count(); k++) {
            if (await tabs.nth(k).getAttribute("aria-expanded") !== "true") await tabs.nth(k).click();
            await viewer.quiet(300);
            await measure(await tabs.nth(k).innerText());
        }
        await page.getByRole("button", { name: "Seeds you have seen" }).click();
        await measure("seeds");
        errors.push(...viewer.result.errors);
        await viewer.browser.close();
    }
    return { errors, low, checked };
}
