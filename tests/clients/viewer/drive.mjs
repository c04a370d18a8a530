// Drives the viewer as a person would: controls are found by their roles and names. Prints one line of JSON.
//
//   node drive.mjs TASK SERVER-URL OUTPUT-FOLDER NODE-MODULES
//
// TASK: first (how long the first view takes), views RECIPE (... of a recipe, and jumps to other zooms), pan (... and one screen further, over ground that the server has), controls (every one of
// them), permalink (the address restores the view), addresses (ill-formed ones, and seeds), widths (of the window: whether the bar fits), readout HASH (under
// the pointer, on a click, in the key, in a profile and in Connect), looks (screenshots), contrast (of words and controls), switching (a layer that does
// not come), gone (a server that is), key KEY (of a server that wants one), drop HASH (of water, and lines of rivers), stand
// HASH (trees and water in 3-D), here HASH (tiles made in the browser), print HASH (the map in print size), edits KEYS (a world that people
// change, in two viewers: keys of who may not, and of who may), edits-looks KEY (the same on small and large screens)
import path from "node:path";
import { openBrowser, watch } from "../harness/browser.mjs";
import { contrasts } from "./contrast.mjs";

const [task, server, output, modules, given] = process.argv.slice(2);
const DESKTOP = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const WORLD_M = 67108864; // the map's side at spacing 1 m

/** A viewer that counts what is under way; quiet() waits until nothing has been for a while and tells when the last thing ended. */
async function open(options, hash = "") {
    const { browser, context, page } = await openBrowser(modules, options);
    const result = { mayRetry: true };
    const thrown = watch(page, server, result);
    const underway = new Set();
    let last = Date.now();
    const ended = (request) => { underway.delete(request); last = Date.now(); };
    page.on("request", (request) => { if (!/^(data|blob):|\/events\?/.test(request.url())) { underway.add(request); last = Date.now(); } });
    page.on("requestfinished", ended);
    page.on("requestfailed", ended);
    const quiet = async (ms = 1500) => {
        const end = Date.now() + 180000 * Number(process.env.TIMEOUT_MULT || 1); // a software renderer beside other work is slow
        last = Date.now();
        /* What the page has not asked for yet, since it asks for a few things at a time or has no time to, is under way as well. */
        const loads = () => page.evaluate(() => document.querySelector("#progress")?.classList.contains("on")).catch(() => true);
        while (underway.size > 0 || Date.now() - last < ms || await loads()) {
            if (Date.now() > end) throw new Error(`not quiet after three minutes: ${[...underway].slice(0, 3).map((request) => request.url())}`);
            await Promise.race([page.waitForTimeout(50), thrown]);
        }
        return last;
    };
    const began = Date.now();
    await page.goto(`${server}/${hash}`);
    return { browser, context, page, result, quiet, began, shot: (name) => page.screenshot({ path: path.join(output, `viewer-${name}.png`) }) };
}

/** The map in print size, saved as a file; and that a print that is stopped saves none. */
async function print() {
    const viewer = await open({ viewport: { width: 640, height: 480 }, acceptDownloads: true }, given);
    const { page, quiet } = viewer;
    await quiet();
    await page.keyboard.press("x");
    const button = page.getByRole("button", { name: /^Print/ });
    await button.click();
    await page.getByRole("button", { name: /Stop/ }).click();
    await page.getByRole("button", { name: "Print size" }).waitFor();
    const [download] = await Promise.all([page.waitForEvent("download", { timeout: 300000 }), button.click()]);
    await download.saveAs(path.join(output, "viewer-print.png"));
    await page.getByRole("button", { name: "Print size" }).waitFor();
    const sheets = await page.locator(".sheet").count();
    const { width, height } = await page.evaluate(() => { const { clientWidth: width, clientHeight: height } = document.querySelector("#map"); return { width, height }; });
    await viewer.browser.close();
    return { ...viewer.result, name: download.suggestedFilename(), sheets, width, height };
}

const hashOf = (page) => page.evaluate(() => location.hash);

async function first() {
    const viewer = await open(DESKTOP);
    const ended = await viewer.quiet();
    await viewer.shot("first");
    await viewer.browser.close();
    return { ...viewer.result, first_ms: ended - viewer.began };
}

/** The first view of a recipe's world, of a server that has nothing, and jumps to other zooms: milliseconds until all is there. */
async function views() {
    const viewer = await open(DESKTOP, `#seed=42&recipe=${given}`);
    const first_ms = await viewer.quiet() - viewer.began;
    await viewer.page.waitForFunction(() => location.hash.includes("x="));
    const jump_ms = {};
    for (const zoom of [4, 9, 12, 15]) {
        const hash = new URLSearchParams((await hashOf(viewer.page)).slice(1));
        hash.set("zoom", String(zoom));
        const from = Date.now();
        await viewer.page.evaluate((text) => { location.hash = text; }, hash.toString());
        jump_ms[zoom] = await viewer.quiet() - from;
    }
    await viewer.browser.close();
    return { ...viewer.result, first_ms, jump_ms };
}

/** Moves the view a screen to the east by the address, as a link would. */
async function pan(viewer) {
    const hash = new URLSearchParams((await hashOf(viewer.page)).slice(1));
    const metres = WORLD_M / (512 * 2 ** Number(hash.get("zoom") ?? 9.3)) * DESKTOP.viewport.width;
    hash.set("x", String(Math.round(Number(hash.get("x")) + metres)));
    const before = viewer.result.answers, from = Date.now();
    await viewer.page.evaluate((text) => { location.hash = text; }, hash.toString());
    const ended = await viewer.quiet();
    if (viewer.result.answers === before) throw new Error("a pan of one screen asked for nothing");
    return { pan_ms: ended - from, pan_answers: viewer.result.answers - before };
}

async function panned() {
    const cold = await open(DESKTOP);
    await cold.quiet();
    await cold.page.waitForFunction(() => location.hash.includes("x="));
    const hash = await hashOf(cold.page);
    const coldPan = await pan(cold);
    await cold.browser.close();
    const warm = await open(DESKTOP, hash); // a browser that has nothing, a server that has the tiles
    await warm.quiet();
    const warmPan = await pan(warm);
    await warm.shot("panned");
    await warm.browser.close();
    return { ...warm.result, errors: [...cold.result.errors, ...warm.result.errors], cold_pan_ms: coldPan.pan_ms, ...warmPan };
}

/** Operates each control within an element: [role name, ...] of those that were there. */
async function operate(viewer, within, used) {
    const { page } = viewer;
    const name = async (control) => (await control.getAttribute("aria-label")) ?? (await control.innerText().catch(() => "")) ?? "";
    for (const box of await within.getByRole("checkbox").all()) {
        const before = await box.isChecked();
        await box.click();
        used.push("checkbox");
        if (await box.count() && await box.isChecked() === before) throw new Error("a checkbox does not change");
    }
    for (let k = 0; k < await within.getByRole("slider").count(); k++) {
        const slider = within.getByRole("slider").nth(k);
        const value = await slider.inputValue();
        await slider.press("ArrowRight");
        await slider.press("ArrowRight");
        if (await slider.inputValue() === value) { await slider.press("ArrowLeft"); }
        if (await slider.inputValue() === value) throw new Error("a slider does not move");
        used.push("slider");
    }
    for (let k = 0; k < await within.getByRole("combobox").count(); k++) {
        const options = await within.getByRole("combobox").nth(k).locator("option").evaluateAll((all) => all.map(({ value }) => value));
        for (const value of options) {
            await within.getByRole("combobox").nth(k).selectOption(value);
            used.push(`option ${value}`);
        }
    }
    for (let k = 0; k < await within.getByRole("radio").count(); k++) {
        const radio = within.getByRole("radio").nth(k);
        if (await radio.isDisabled()) continue;
        await radio.click();
        if (await radio.getAttribute("aria-checked") !== "true") throw new Error(`radio ${await name(radio)} is not checked`);
        used.push(`radio ${await name(radio)}`);
        await viewer.quiet(300);
    }
    for (let k = 0; k < await within.getByRole("button").count(); k++) {
        const button = within.getByRole("button").nth(k);
        const text = await name(button);
        if (/close|print/i.test(text) || !await button.isVisible() || await button.isDisabled()) continue;
        await button.click();
        used.push(`button ${text.trim().slice(0, 30)}`);
        await page.waitForTimeout(50);
    }
    for (const href of await within.locator("a[href]").evaluateAll((all) => all.map((link) => link.href))) {
        if (!href.startsWith(server)) continue;
        const status = (await fetch(href, { method: "HEAD" })).status;
        if (status !== 200) throw new Error(`link ${href}: status ${status}`);
        used.push("link");
    }
}

async function controls() {
    const viewer = await open({ ...DESKTOP, permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true });
    const { page, quiet } = viewer;
    const used = [];
    await quiet();
    const settled = async (what) => {
        await quiet(400).catch((error) => { throw new Error(`after ${what}: ${error.message}`); });
        if (viewer.result.errors.length) throw new Error(`after ${what}`);
    };
    try {
        for (const group of ["Layer", "Erosion"]) {
            if (group === "Erosion") await choose(page, "Relief"); // not every layer is compared
            else await openMenu(page);
            const radios = page.getByRole("radiogroup", { name: group }).getByRole("radio");
            if (await radios.count() === 0) throw new Error(`no radios in ${group}`);
            for (let k = 0; k < await radios.count(); k++) {
                if (await radios.nth(k).isDisabled()) continue;
                const text = await radios.nth(k).innerText();
                await radios.nth(k).click();
                await settled(`${group} ${text}`);
                if (await radios.nth(k).getAttribute("aria-checked") !== "true") throw new Error(`${group} ${text} is not checked`);
                used.push(`${group} ${text}`);
            }
        }
        const swipe = page.getByRole("slider", { name: /base/i }); // between base and eroded, which the last radio compares
        const at = await swipe.getAttribute("aria-valuenow");
        await swipe.press("ArrowLeft");
        await page.waitForFunction((old) => document.activeElement.getAttribute("aria-valuenow") !== old, at);
        used.push("swipe");
        for (let turn = 0; turn < 2; turn++) {
            const three = page.getByRole("button", { name: "3-D", exact: true });
            const before = await three.getAttribute("aria-pressed");
            await three.click();
            await settled("3-D");
            if (await three.getAttribute("aria-pressed") === before) throw new Error("3-D does not change");
            used.push("3-D");
        }
        await page.getByRole("radiogroup", { name: "Erosion" }).getByRole("radio").nth(1).click();
        const tabs = page.getByRole("navigation", { name: "Panels" }).getByRole("button");
        for (let k = 0; k < await tabs.count(); k++) {
            const tab = tabs.nth(k), text = await tab.innerText();
            if (await tab.getAttribute("aria-expanded") !== "true") await tab.click();
            const panel = page.getByRole("complementary");
            await panel.waitFor();
            await settled(`panel ${text}`);
            await operate(viewer, panel, used);
            await settled(`the controls of ${text}`);
            used.push(`panel ${text}`);
            await page.getByRole("button", { name: "Close" }).first().click();
            if (await panel.isVisible()) throw new Error(`panel ${text} does not close`);
        }
        const seed = page.getByRole("textbox", { name: /seed/i });
        for (const text of ["atlantis", "0xfeedface", "18446744073709551615"]) {
            await seed.fill(text);
            await seed.press("Enter");
            await settled(`seed ${text}`);
            await page.waitForFunction((wanted) => location.hash.includes(`seed=${wanted}`), text);
            used.push(`seed ${text}`);
        }
        const before = await hashOf(page);
        await page.getByRole("button", { name: "Another world" }).click();
        await page.waitForFunction((old) => location.hash !== old, before);
        await settled("the dice");
        await page.getByRole("button", { name: "Seeds you have seen" }).click();
        await page.getByRole("option", { name: /atlantis/ }).click();
        await page.waitForFunction(() => location.hash.includes("seed=atlantis"));
        await settled("history");
        used.push("dice", "history");
        const recipe = page.getByRole("combobox", { name: "Recipe" });
        for (const value of await recipe.locator("option").evaluateAll((all) => all.map((option) => option.value))) {
            await recipe.selectOption(value);
            await settled(`recipe ${value}`);
            used.push(`recipe ${value}`);
        }
        await page.getByRole("button", { name: /go to/i }).click();
        await page.getByRole("textbox", { name: /metres/i }).fill("12000, -3400, 12");
        await page.getByRole("textbox", { name: /metres/i }).press("Enter");
        await page.waitForFunction(() => /zoom=12(&|$)/.test(location.hash));
        await settled("go to");
        used.push("go to");
        await page.mouse.move(700, 450);
        await settled("the pointer");
    } catch (error) {
        viewer.result.errors.unshift(`${error.message} (used so far: ${used.slice(-5).join(", ")})`);
    }
    await viewer.shot("controls");
    await viewer.browser.close();
    return { ...viewer.result, used };
}

async function permalink() {
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
async function addresses() {
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

const READ = [[720, 471], [200, 700], [330, 330], [520, 560], [610, 420], [700, 250], [760, 700], [830, 640], [900, 300], [1000, 850], [420, 100]];

/** What is told of places by the pointer and by a click; of the view by the key; of a line by a profile. */
async function readout() {
    const viewer = await open(DESKTOP, given);
    const { page, quiet } = viewer;
    await quiet();
    const facts = () => page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#facts .fact")].map((fact) => [...fact.children].map((each) => each.textContent))));
    const places = [];
    for (const [x, y] of READ) {
        await page.mouse.move(x, y);
        await quiet(400);
        const pointed = await facts();
        await page.mouse.click(x, y);
        await page.getByRole("button", { name: "Let go" }).waitFor();
        places.push({ pointed, clicked: await facts() });
        if (!places.some(({ clicked }) => clicked.sea)) await viewer.shot("readout");
        await page.keyboard.press("Escape");
    }
    await page.getByRole("button", { name: "Key", exact: true }).click();
    await quiet();
    const key = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll(".zones > *")].map((row) => [row.querySelector("span").textContent, row.querySelector("meter").value])));
    const bounds = await page.evaluate(() => globalThis.terrane.view.bounds());
    await viewer.shot("readout-key");
    await page.getByRole("button", { name: "Profile", exact: true }).click();
    const asked = page.waitForResponse((answer) => answer.url().includes("/point/"));
    await page.mouse.click(...READ[1]);
    await page.mouse.click(...READ[8]);
    const answer = await asked;
    await page.locator("svg.profile").waitFor();
    await viewer.shot("readout-profile");
    const profile = { url: answer.url(), said: await page.locator("#panel dl").innerText() };
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByRole("combobox", { name: "Client" }).selectOption("curl");
    await page.locator(".maplibregl-canvas").first().press("ArrowRight");
    await quiet();
    const state = await page.evaluate(() => globalThis.terrane.store.get());
    const connect = { x: state.x, y: state.y, said: await page.locator("#panel code").innerText() };
    await viewer.shot("readout-connect");
    await viewer.browser.close();
    return { ...viewer.result, places, key, bounds, profile, connect };
}

const WIDTHS = [320, 360, 390, 480, 640, 641, 768, 1024, 1240, 1241, 1280, 1366, 1440, 1600, 1920, 2560];

/** What of the bar lies outside the window or its own place, or is cut, by the window's width; of the recipe with the most to choose. */
async function widths() {
    const viewer = await open(DESKTOP, "#seed=42&recipe=wayfarer");
    const { page } = viewer;
    await viewer.quiet();
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
    await viewer.shot("menu");
    await viewer.browser.close();
    return { ...viewer.result, widths: found };
}

async function looks() {
    const errors = [];
    for (const [name, size] of [["desktop", DESKTOP], ["phone", PHONE]]) {
        for (const colorScheme of ["light", "dark"]) {
            const viewer = await open({ ...size, colorScheme });
            await viewer.quiet();
            await viewer.shot(`${name}-${colorScheme}`);
            errors.push(...viewer.result.errors.map((error) => `${name} ${colorScheme}: ${error}`));
            await viewer.browser.close();
        }
    }
    return { errors };
}

/** What is told too little from what lies behind it, with every panel open in turn, light and dark. */
async function contrast() {
    const errors = [], low = [];
    let checked = 0;
    for (const colorScheme of ["light", "dark"]) {
        const viewer = await open({ ...DESKTOP, colorScheme });
        const { page } = viewer;
        await viewer.quiet();
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

/** Everything that the status line says from when the server goes until nothing is tried any more, and once it is back. */
async function gone() {
    const viewer = await open(DESKTOP);
    const { page, context } = viewer;
    await viewer.quiet();
    await page.evaluate(() => {
        globalThis.said = new Set();
        const text = document.querySelector("#status span");
        new MutationObserver(() => globalThis.said.add(text.textContent)).observe(text, { childList: true, characterData: true, subtree: true });
    });
    await context.setOffline(true);
    await choose(page, "Zones");
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await viewer.shot("gone");
    const said = await page.evaluate(() => [...globalThis.said]);
    await context.setOffline(false);
    viewer.result.errors = viewer.result.errors.filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED"));
    await again.click();
    await viewer.quiet();
    const after = await page.locator("#status span").innerText();
    await viewer.browser.close();
    return { ...viewer.result, said, after };
}

/** Opens the menu of layers, where it is not open. */
async function openMenu(page) {
    const menu = page.getByRole("button", { name: /^Layer:/ });
    if (await menu.getAttribute("aria-expanded") !== "true") await menu.click();
    return page.getByRole("dialog", { name: "Layers" });
}

async function choose(page, layer) {
    await openMenu(page);
    await chosen(page, "Layer", layer).click();
}

const chosen = (page, group, name) => page.getByRole("radiogroup", { name: group }).getByRole("radio", { name, exact: true });

/** A layer that the server is too busy for: what is seen meanwhile, and what afterwards. */
async function switching() {
    const viewer = await open(DESKTOP);
    const { page } = viewer;
    await viewer.quiet();
    let busy = true;
    await page.route(/layer=partition/, (route) => busy
        ? route.fulfill({ status: 503, headers: { "Retry-After": "1" }, contentType: "application/problem+json", body: '{"detail":"The queue is full."}' })
        : route.continue());
    const layers = () => page.evaluate(() => globalThis.terrane.view.map.getStyle().layers.filter(({ type }) => type === "raster").map(({ id, paint }) => [id, paint]));
    await choose(page, "Zones");
    await page.waitForFunction(() => /grey/.test(document.querySelector("#status").textContent), null, { timeout: 5000 });
    await page.waitForTimeout(3000); // it turns grey within a third of a second, where frames are quick
    const before = await layers();
    await viewer.shot("switching-awaited");
    busy = false;
    await page.waitForFunction(() => !/grey/.test(document.querySelector("#status").textContent));
    await viewer.quiet();
    const after = await layers();
    await viewer.shot("switching-there");
    /* and what is the same on both sides is not compared */
    const compare = chosen(page, "Erosion", "Compare");
    const disabled = { zones: await compare.isDisabled(), why: await compare.getAttribute("title") };
    await choose(page, "Relief");
    await compare.click();
    const swipe = page.locator("#swipe");
    const shown = await swipe.isVisible();
    await choose(page, "Flow");
    const hidden = !await swipe.isVisible();
    await page.waitForFunction(() => /compare/.test(document.querySelector("#status").textContent), null, { timeout: 4000 }).catch(() => {});
    const said = await page.locator("#status span").innerText();
    await choose(page, "Slope");
    const again = await swipe.isVisible();
    await viewer.browser.close();
    return { ...viewer.result, before, after, disabled, compared: { shown, hidden, said, again } };
}

/** A server that wants a key: it is asked for, refused, taken, kept, and in no address. */
async function key() {
    const viewer = await open(DESKTOP);
    const { page } = viewer;
    const box = page.getByLabel("Key", { exact: true });
    const use = page.getByRole("button", { name: "Use it" });
    const asked = await page.locator("#key-form").innerText();
    await viewer.shot("key");
    await box.fill("no such key");
    await use.click();
    const wrong = await page.locator("#key-form .wrong").innerText();
    await box.fill("not-the-key-of-it");
    await Promise.all([page.waitForNavigation(), use.click()]);
    const refused = await page.locator("#key-form").innerText();
    await box.fill(given);
    await Promise.all([page.waitForNavigation(), use.click()]);
    await page.waitForFunction(() => location.hash.includes("x="));
    viewer.result.errors = viewer.result.errors.filter((text) => !text.includes("401"));
    await viewer.quiet();
    const address = page.url();
    await page.reload();
    await page.waitForFunction(() => globalThis.terrane);
    await viewer.quiet();
    await viewer.shot("key-taken");
    await page.goto(`${server}/?key=${given}#seed=7`);
    await page.waitForFunction(() => globalThis.terrane);
    await viewer.quiet();
    const cleaned = page.url();
    await viewer.browser.close();
    return { ...viewer.result, asked, wrong, refused, address, cleaned };
}

/** A drop of water and the lines of rivers: drawn, told, refused, let go. */
async function drop() {
    const viewer = await open(DESKTOP, given);
    const { page, quiet } = viewer;
    const asked = [];
    page.on("request", (request) => { if (request.url().includes("/downstream/")) asked.push(request.url()); });
    await page.route("**/downstream/**", (route) => route.fulfill({ status: 400, json: { detail: "No way leads from there." } }), { times: 1 });
    const drawn = (source) => page.evaluate(async (name) => (await globalThis.terrane.view.map.getSource(name).getData()).features?.length ?? 1, source);
    await quiet();
    await page.keyboard.press("d");
    await page.mouse.click(720, 471);
    const refused = await page.locator("#panel .wrong").innerText();
    viewer.result.errors = viewer.result.errors.filter((text) => !text.includes("400"));
    const before = await drawn("drop");
    await page.getByRole("button", { name: "Take the middle of the map" }).press("Enter");
    await page.locator("#panel svg.profile").waitFor();
    await page.getByText("could not be loaded").waitFor({ state: "hidden" });
    const said = await page.locator("#panel dl").innerText();
    await page.keyboard.press("l");
    await page.waitForFunction(async () => (await globalThis.terrane.view.map.getSource("rivers").getData()).features.length);
    await page.locator("#panel svg.profile").hover();
    const under = await page.locator("#panel .said").innerText();
    await quiet();
    await viewer.shot("drop");
    const lines = [await drawn("drop"), await drawn("rivers")];
    await page.keyboard.press("v");
    await quiet();
    await viewer.shot("drop-3d");
    const tilted = await drawn("rivers");
    await page.keyboard.press("Escape");
    const after = await drawn("drop");
    const middle = await page.evaluate(() => { const { x, y } = globalThis.terrane.store.get(); return [x, y]; });
    const way = await (await fetch(asked[1])).json();
    await viewer.browser.close();
    return { ...viewer.result, asked: asked.length, way, refused, before, said, under, lines, tilted, after, middle };
}

/** Things that stand near and water, as the place of the address has them; then farther away, flat, and as dots. */
async function stand() {
    const viewer = await open(DESKTOP, given);
    const { page, quiet } = viewer;
    const counts = () => page.evaluate(() => globalThis.terrane.stand.counts());
    const until = (test) => page.waitForFunction(test, null, { timeout: 120000 * Number(process.env.TIMEOUT_MULT || 1) });
    const go = (patch) => page.evaluate((change) => {
        const hash = new URLSearchParams(location.hash.slice(1));
        for (const [name, value] of Object.entries(change)) hash.set(name, value);
        location.hash = hash.toString();
    }, patch);
    const none = () => until(() => { const { objects, waters } = globalThis.terrane.stand.counts(); return !objects && !waters; });
    await until(() => { const { objects, waters } = globalThis.terrane?.stand?.counts() ?? {}; return objects && waters; });
    await quiet();
    const near = await counts();
    await viewer.shot("stand");
    await page.evaluate(() => new Promise((drawn) => {
        const { map } = globalThis.terrane.view;
        map.once("render", drawn);
        map.setLayoutProperty("near", "visibility", "none");
    }));
    await viewer.shot("stand-without");
    await page.evaluate(() => globalThis.terrane.view.map.setLayoutProperty("near", "visibility", "visible"));
    await go({ zoom: 12 });
    await none();
    await go({ zoom: 17 });
    await until(() => globalThis.terrane.stand.counts().objects);
    await go({ "3d": 0, pitch: 0, layer: "objects" });
    await none();
    await until(async () => (await globalThis.terrane.view.map.getSource("objects").getData()).features.length);
    const key = await page.locator("#panel .tint").innerText();
    await go({ layer: "cover" });
    await quiet();
    const [legend, dots] = [await page.locator("#panel .tint").innerText(),
        await page.evaluate(async () => (await globalThis.terrane.view.map.getSource("objects").getData()).features.length)];
    await viewer.browser.close();
    return { ...viewer.result, near, key, legend, dots };
}

/** The same view as the server has it and as the browser makes it; what is told of that, and what the server was still asked for. */
async function here() {
    const viewer = await open(DESKTOP, given);
    const { page, quiet } = viewer;
    await quiet();
    await page.getByRole("button", { name: "View", exact: true }).click();
    const box = page.getByRole("checkbox", { name: "Made here" });
    await page.locator("#made").waitFor();
    await viewer.shot("here-fetched");
    const pictures = [];
    page.on("request", (request) => { if (/\/xyz\/.*\.png/.test(request.url())) pictures.push(request.url()); });
    await box.check();
    await page.waitForFunction(() => /[1-9].* compared/.test(document.querySelector("#made").textContent));
    await quiet();
    const said = await page.locator("#made").innerText();
    await viewer.shot("here-made");
    const asked = pictures.length;
    await page.evaluate(() => { location.hash = location.hash.replace(/seed=[^&]*/, "seed=atlantis").replace(/&[xy]=[^&]*/g, ""); });
    await page.waitForFunction(() => document.title.startsWith("atlantis"));
    await quiet();
    const [other, still] = [pictures.length, await box.isChecked()];
    await box.uncheck();
    await quiet();
    const back = pictures.length;
    await viewer.browser.close();
    return { ...viewer.result, said, asked, other, still, back };
}

const SHARED = "#seed=commons&zoom=17&x=0&y=0";
const height = async ({ page, quiet }, x, y) => {
    await page.mouse.move(x + 1, y);
    await page.mouse.move(x, y);
    await quiet(400);
    return page.evaluate(() => Number([...document.querySelectorAll("#facts .fact")].find((fact) => fact.firstChild.textContent === "height").lastChild.textContent.replace("\u2212", "-").replace(/[^0-9.-]/g, "")));
};
const counted = (viewer, least) => viewer.page.waitForFunction((count) => globalThis.terrane.live.count() >= count, least);
const sent = ({ page }) => page.waitForFunction(() => globalThis.terrane.edit.waiting() === 0 && globalThis.terrane.edit.locked() === null);
const log = async () => (await (await fetch(`${server}/world/commons/edits?since=0`)).json()).edits;

/** One digs, the other sees it: with a key that may not, and one that may; undone and done again; a mark; the past; by keys alone. */
async function edits() {
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
    await counted(b, dug);
    found.told_ms = Date.now() - began;
    found.dug = [dug, await height(b, 700, 450)];
    await b.shot("edits-after");
    await a.page.keyboard.press("Control+z");
    await sent(a);
    await counted(b, 2 * dug);
    found.undone = [(await log()).filter(({ undoes }) => undoes).length, await height(b, 700, 450)];
    await a.page.keyboard.press("Control+Shift+z");
    await sent(a);
    await counted(b, 3 * dug);
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
    await counted(b, found.keyboard.last.seq);
    const history = b.page.getByRole("slider", { name: /History/ });
    await history.press("Home");
    await b.page.waitForFunction(() => /at=0/.test(location.hash));
    found.past = [await height(b, 700, 450), await b.page.getByRole("radiogroup", { name: "Brush" }).count()];
    await b.shot("edits-past");
    await b.page.getByRole("button", { name: "Now", exact: true }).click();
    await b.page.waitForFunction(() => !/at=/.test(location.hash));
    found.now = await height(b, 700, 450);
    found.address = a.page.url();
    await a.browser.close();
    await b.browser.close();
    return { ...b.result, errors: errors(), ...found };
}

/** By a finger, which strokes, and two, which move the map; and what is cut on screens of any width; light, dark, flat and standing. */
async function editsLooks() {
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

const result = await { edits, "edits-looks": editsLooks, first, views, pan: panned, controls, permalink, addresses, widths, readout, looks, contrast, switching, gone, key, drop, stand, here, print }[task]();
process.stdout.write(`${JSON.stringify(result)}\n`);
