// A viewer that is open, for what drives it: how it is asked for, and what its parts find on it.
import path from "node:path";
import { openBrowser, watch } from "../harness/browser.mjs";

export const [task, server, output, modules, given, also] = process.argv.slice(2);
export const DESKTOP = { viewport: { width: 1440, height: 900 } };
export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** A viewer that counts what is under way; quiet() waits until nothing has been for a while and tells when the last thing ended. */
export async function open(options, hash = "") {
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

/** Opens a viewer and closes it: what look(viewer) found between, and what was noted of its page. */
export async function visit(options, hash, look) {
    const viewer = await open(options, hash);
    const found = await look(viewer);
    await viewer.browser.close();
    return { ...viewer.result, ...found };
}

/** The world that people change, where they do; and that a page knows of so many operations there. */
export const SHARED = "#seed=commons&zoom=17&x=0&y=0";
export const counted = (page, least) => page.waitForFunction((count) => globalThis.terrane?.live.count() >= count, least);

/** A page that becomes visible, or hidden. */
export const show = (page, state) => page.evaluate((shown) => {
    Object.defineProperty(document, "visibilityState", { value: shown, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}, state);

export const hashOf = (page) => page.evaluate(() => location.hash);

/** Opens the menu of layers, where it is not open. */
export async function openMenu(page) {
    const menu = page.getByRole("button", { name: /^Layer:/ });
    if (await menu.getAttribute("aria-expanded") !== "true") await menu.click();
    return page.getByRole("dialog", { name: "Layers" });
}

export async function choose(page, layer) {
    await openMenu(page);
    await chosen(page, "Layer", layer).click();
}

export const chosen = (page, group, name) => page.getByRole("radiogroup", { name: group }).getByRole("radio", { name, exact: true });
