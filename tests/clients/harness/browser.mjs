// A headless Chromium, and what goes wrong in a page of it.

import { createRequire } from "node:module";
import path from "node:path";

// Software rendering: the same picture with and without a graphics card. CHROMIUM_FLAG: one more.
export const FLAGS = ["--headless=new", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox", process.env.CHROMIUM_FLAG ?? []].flat();
const SIZE = { width: 720, height: 480 };

/** Opens a browser with one page: { browser, page }. */
export async function openBrowser(modules, options = {}) {
    const { chromium } = createRequire(path.resolve(modules, "x.js"))("playwright-core");
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: FLAGS, chromiumSandbox: false });
    const context = await browser.newContext({ viewport: SIZE, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60000 * Number(process.env.TIMEOUT_MULT || 1));
    return { browser, context, page };
}

/** Opens a page, and takes a picture of it once it has been looked at: look({ context, page, thrown }). What goes wrong is noted. */
export async function picture(modules, server, output, result, look) {
    const { browser, context, page } = await openBrowser(modules);
    try {
        const thrown = watch(page, server, result);
        await look({ context, page, thrown }).catch((error) => result.errors.unshift(error.message));
        await page.screenshot({ path: path.join(output, result.picture) });
    } finally {
        await browser.close();
    }
}

/**
 * Notes in result.errors console errors and requests that failed or were answered 400 or more, and counts in result.answers what
 * the server answered. Returns a promise that rejects with the page's first exception: what waits for the page need not wait longer.
 */
export function watch(page, server, result) {
    Object.assign(result, { answers: 0, aborted: 0, retried: 0, errors: [] });
    const wrong = (text) => { if (result.errors.length < 10) result.errors.push(text.slice(0, 400)); };
    page.on("console", (message) => {
        // A 503 asks to be asked again; the browser reports it nevertheless.
        if (message.type() === "error" && !message.text().includes("status of 503")) wrong(`console: ${message.text()}`);
    });
    page.on("requestfailed", (request) => {
        const why = request.failure()?.errorText;
        if (why === "net::ERR_ABORTED") result.aborted++; // the client itself changed its mind
        else wrong(`request: ${request.url()}: ${why}`);
    });
    const busy = new Set();
    page.on("response", (response) => {
        const url = response.url();
        if (url.startsWith(server)) result.answers++;
        if (response.status() === 503 && result.mayRetry) busy.add(url);
        else if (response.status() >= 400) wrong(`request: ${url}: status ${response.status()}`);
        else if (busy.delete(url)) result.retried++;
        result.unanswered = [...busy];
    });
    const thrown = new Promise((_, reject) => page.on("pageerror", (error) => reject(new Error(`exception: ${error.message}`))));
    thrown.catch(() => {});
    return thrown;
}
