// Drives the viewer as a person would: controls are found by their roles and names. Prints one line of JSON.
//
//   node drive.mjs TASK SERVER-URL OUTPUT-FOLDER NODE-MODULES
//
// TASK: first (how long the first view takes), pan (... and one screen further, over ground that the server has), controls (every one of
// them), permalink (the address restores the view), addresses (ill-formed ones, and seeds), widths (of the window: whether the bar fits), finder HASH (F, and names under the pointer), readout HASH PIXELS (under
// the pointer, on a click, in the key, in a profile and in Connect), contrast (of words and controls), switching (a layer that does
// not come), gone (a server that is), key KEY (of a server that wants one), drop HASH (of water, and lines of rivers), stand
// HASH (trees and water in 3-D), menu (of layers, by keys), labels HASH (how many names there are at any width and zoom), older HASH (a click on an older generator's map), here HASH (tiles made in the browser), print HASH (the map in print size), edits KEYS (a world that people
// change, in two viewers: keys of who may not, and of who may), edits-looks KEY (the same on small and large screens), edits-tabs
// KEY,METRICS (one stream for all tabs), edits-anew ADDRESS (the world is made anew while it is shown)
import path from "node:path";
import { addresses, permalink } from "./addresses.mjs";
import { edits, editsAnew, editsLooks } from "./edits.mjs";
import { finder } from "./finder.mjs";
import { labels } from "./labels.mjs";
import { contrast, menuByKeys, widths } from "./looks.mjs";
import { DESKTOP, also, choose, chosen, given, hashOf, open, openMenu, output, server, task, visit } from "./page.mjs";
import { editsTabs } from "./told.mjs";

const WORLD_M = 67108864; // the map's side at spacing 1 m

/** The map in print size, saved as a file; and that a print that is stopped saves none. */
const print = () => visit({ viewport: { width: 640, height: 480 }, acceptDownloads: true }, given, async ({ page, quiet }) => {
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
    return { name: download.suggestedFilename(), sheets, width, height };
});

const first = () => visit(DESKTOP, "", async ({ quiet, shot, began }) => {
    const ended = await quiet();
    await shot("first");
    return { first_ms: ended - began };
});

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
    const boxes = within.getByRole("checkbox");
    for (let k = 0; k < await boxes.count(); k++) {
        const before = await boxes.nth(k).isChecked();
        await boxes.nth(k).click();
        used.push("checkbox");
        if (await boxes.nth(k).isChecked() === before) throw new Error("a checkbox does not change");
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
    for (let k = 0; k < await boxes.count(); k++) await boxes.nth(k).click(); // what is tried later is tried as the viewer begins
    for (const href of await within.locator("a[href]").evaluateAll((all) => all.map((link) => link.href))) {
        if (!href.startsWith(server)) continue;
        const status = (await fetch(href, { method: "HEAD" })).status;
        if (status !== 200) throw new Error(`link ${href}: status ${status}`);
        used.push("link");
    }
}

// What is drawn is software's: a small window costs a third of a large one's time, and has all controls (see widths).
const SMALL = { viewport: { width: 1024, height: 480 }, permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true };
const controls = () => visit(SMALL, "", async (viewer) => {
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
            const described = page.waitForResponse((answer) => new URL(answer.url()).pathname.startsWith("/world/"));
            await recipe.selectOption(value);
            if (!(await described).ok()) throw new Error(`recipe ${value} is not described`); // each one's ground is drawn by views
            used.push(`recipe ${value}`);
        }
        await settled("recipes");
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
    return { used };
});

/** What is told of places by the pointer and by a click; of the view by the key; of a line by a profile. */
const readout = () => visit(DESKTOP, given, async ({ page, quiet, shot }) => {
    await quiet();
    const facts = () => page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#facts .fact")].map((fact) => [...fact.children].map((each) => each.textContent))));
    const map = await page.locator(".maplibregl-canvas").first().boundingBox();
    const read = JSON.parse(also).map(([x, y]) => [map.x + map.width / 2 + x, map.y + map.height / 2 + y]);
    const places = [];
    for (const [x, y] of read) {
        await page.mouse.move(x, y);
        await quiet(400);
        const pointed = await facts();
        const answer = page.waitForResponse(/\/point\//);
        await page.mouse.click(x, y);
        await page.getByRole("button", { name: "Let go" }).waitFor();
        places.push({ pointed, clicked: await facts(), said: await (await answer).json() });
        if (!places.some(({ clicked }) => clicked.sea)) await shot("readout");
        await page.keyboard.press("Escape");
    }
    await page.getByRole("button", { name: "Key", exact: true }).click();
    await quiet();
    const key = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll(".zones > *")].map((row) => [row.querySelector("span").textContent, row.querySelector("meter").value])));
    const apart = await page.locator("#panel .note").innerText();
    const bounds = await page.evaluate(() => globalThis.terrane.view.bounds());
    await shot("readout-key");
    await page.getByRole("button", { name: "Profile", exact: true }).click();
    const asked = page.waitForResponse((answer) => answer.url().includes("/point/"));
    await page.mouse.click(...read.at(0));
    await page.mouse.click(...read.at(-1));
    const answer = await asked;
    await page.locator("svg.profile").waitFor();
    await shot("readout-profile");
    const profile = { url: answer.url(), said: await page.locator("#panel dl").innerText() };
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByRole("combobox", { name: "Client" }).selectOption("curl");
    await page.locator(".maplibregl-canvas").first().press("ArrowRight");
    await quiet();
    const state = await page.evaluate(() => globalThis.terrane.store.get());
    const connect = { x: state.x, y: state.y, said: await page.locator("#panel code").innerText() };
    await shot("readout-connect");
    return { places, key, apart, bounds, profile, connect };
});

/** What a click asks for where an older generator's world is shown. */
const older = () => visit(DESKTOP, given, async ({ page, quiet }) => {
    await quiet();
    const { x, y, width, height } = await page.locator(".maplibregl-canvas").first().boundingBox();
    const answer = page.waitForResponse(/\/point\//);
    await page.mouse.click(x + width / 3, y + height / 2);
    const asked = await answer;
    await page.getByRole("button", { name: "Let go" }).waitFor();
    const told = await page.evaluate(() => [...document.querySelectorAll("#facts .fact")].find((fact) => fact.firstChild.textContent === "height").lastChild.textContent);
    return { url: asked.url(), said: await asked.json(), height: Number(told.replace("\u2212", "-").replace(/[^0-9.-]/g, "")) };
});

/** Everything that the status line says from when the server goes until nothing is tried any more, and once it is back. */
const gone = () => visit(DESKTOP, "", async ({ page, context, quiet, shot, result }) => {
    await quiet();
    await page.evaluate(() => {
        globalThis.said = new Set();
        const text = document.querySelector("#status span");
        new MutationObserver(() => globalThis.said.add(text.textContent)).observe(text, { childList: true, characterData: true, subtree: true });
    });
    await context.setOffline(true);
    await choose(page, "Zones");
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await shot("gone");
    const said = await page.evaluate(() => [...globalThis.said]);
    await context.setOffline(false);
    result.errors = result.errors.filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED"));
    await again.click();
    await quiet();
    const after = await page.locator("#status span").innerText();
    return { said, after };
});

/** A layer that the server is too busy for: what is seen meanwhile, and what afterwards. */
const switching = () => visit(DESKTOP, "", async ({ page, quiet, shot }) => {
    await quiet();
    let busy = true;
    await page.route(/layer=partition/, (route) => busy
        ? route.fulfill({ status: 503, headers: { "Retry-After": "1" }, contentType: "application/problem+json", body: '{"detail":"The queue is full."}' })
        : route.continue());
    const layers = () => page.evaluate(() => globalThis.terrane.view.map.getStyle().layers.filter(({ type }) => type === "raster").map(({ id, paint }) => [id, paint]));
    await choose(page, "Zones");
    await page.waitForFunction(() => /grey/.test(document.querySelector("#status").textContent), null, { timeout: 5000 });
    await page.waitForTimeout(3000); // it turns grey within a third of a second, where frames are quick
    const before = await layers();
    await shot("switching-awaited");
    busy = false;
    await page.waitForFunction(() => !/grey/.test(document.querySelector("#status").textContent));
    await quiet();
    const after = await layers();
    await shot("switching-there");
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
    return { before, after, disabled, compared: { shown, hidden, said, again } };
});

/** A server that wants a key: it is asked for, refused, taken, kept, and in no address. */
const key = () => visit(DESKTOP, "", async ({ page, quiet, shot, result }) => {
    const box = page.getByLabel("Key", { exact: true });
    const use = page.getByRole("button", { name: "Use it" });
    const asked = await page.locator("#key-form").innerText();
    await shot("key");
    await box.fill("no such key");
    await use.click();
    const wrong = await page.locator("#key-form .wrong").innerText();
    await box.fill("not-the-key-of-it");
    await Promise.all([page.waitForNavigation(), use.click()]);
    const refused = await page.locator("#key-form").innerText();
    await box.fill(given);
    await Promise.all([page.waitForNavigation(), use.click()]);
    await page.waitForFunction(() => location.hash.includes("x="));
    result.errors = result.errors.filter((text) => !text.includes("401"));
    await quiet();
    const address = page.url();
    await page.reload();
    await page.waitForFunction(() => globalThis.terrane);
    await quiet();
    await shot("key-taken");
    await page.goto(`${server}/?key=${given}#seed=7`);
    await page.waitForFunction(() => globalThis.terrane);
    await quiet();
    const cleaned = page.url();
    const panels = {};
    for (const name of ["Export", "Connect"]) {
        await page.getByRole("button", { name, exact: true }).click();
        panels[name] = { said: await page.locator("#panel").innerText(), holds: (await page.locator("#panel .body").innerHTML()).includes(given) };
    }
    return { asked, wrong, refused, address, cleaned, panels };
});

/** A drop of water and the lines of rivers: drawn, told, refused, let go. */
const drop = () => visit(DESKTOP, given, async ({ page, quiet, shot, result }) => {
    const asked = [];
    page.on("request", (request) => { if (request.url().includes("/downstream/")) asked.push(request.url()); });
    await page.route("**/downstream/**", (route) => route.fulfill({ status: 400, json: { detail: "No way leads from there." } }), { times: 1 });
    const drawn = (source) => page.evaluate(async (name) => (await globalThis.terrane.view.map.getSource(name).getData()).features?.length ?? 1, source);
    await quiet();
    await page.keyboard.press("d");
    await page.mouse.click(720, 471);
    const refused = await page.locator("#panel .wrong").innerText();
    result.errors = result.errors.filter((text) => !text.includes("400"));
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
    await shot("drop");
    const lines = [await drawn("drop"), await drawn("rivers")];
    await page.keyboard.press("v");
    await quiet();
    await shot("drop-3d");
    const tilted = await drawn("rivers");
    await page.keyboard.press("Escape");
    const after = await drawn("drop");
    const middle = await page.evaluate(() => { const { x, y } = globalThis.terrane.store.get(); return [x, y]; });
    const way = await (await fetch(asked[1])).json();
    return { asked: asked.length, way, refused, before, said, under, lines, tilted, after, middle };
});

/** Things that stand near and water, as the place of the address has them; then farther away, flat, and as dots. */
const stand = () => visit(DESKTOP, given, async ({ page, quiet, shot }) => {
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
    await shot("stand");
    await page.evaluate(() => new Promise((drawn) => {
        const { map } = globalThis.terrane.view;
        map.once("render", drawn);
        map.setLayoutProperty("near", "visibility", "none");
    }));
    await shot("stand-without");
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
    return { near, key, legend, dots };
});

/** The same view as the server has it and as the browser makes it; what is told of that, and what the server was still asked for. */
const here = () => visit(DESKTOP, given, async ({ page, quiet, shot }) => {
    await quiet();
    await page.getByRole("button", { name: "View", exact: true }).click();
    const box = page.getByRole("checkbox", { name: "Made here" });
    await page.locator("#made").waitFor();
    await shot("here-fetched");
    const pictures = [];
    page.on("request", (request) => { if (/\/xyz\/.*\.png/.test(request.url())) pictures.push(request.url()); });
    await box.check();
    await page.waitForFunction(() => /[1-9].* compared/.test(document.querySelector("#made").textContent));
    await quiet();
    const said = await page.locator("#made").innerText();
    await shot("here-made");
    const asked = pictures.length;
    await page.evaluate(() => { location.hash = location.hash.replace(/seed=[^&]*/, "seed=atlantis").replace(/&[xy]=[^&]*/g, ""); });
    await page.waitForFunction(() => document.title.startsWith("atlantis"));
    await quiet();
    const [other, still] = [pictures.length, await box.isChecked()];
    await box.uncheck();
    await quiet();
    const back = pictures.length;
    return { said, asked, other, still, back };
});

const result = await { edits, "edits-looks": editsLooks, "edits-tabs": editsTabs, "edits-anew": editsAnew, menu: menuByKeys, labels, older, first, pan: panned, controls, permalink, addresses, widths, finder, readout, contrast, switching, gone, key, drop, stand, here, print }[task]();
process.stdout.write(`${JSON.stringify(result)}\n`);
