// The viewer without a server: a plain file server for it, a page of it, and when its ground is there.

import { spawn } from "node:child_process";
import readline from "node:readline";
import { openBrowser, watch } from "../harness/browser.mjs";

const WORLD_M = 67108864; // the map's side at spacing 1 m

/** Python's file server on a free port: { url, end }. */
export async function files(folder) {
    const server = spawn("python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder], { stdio: ["ignore", "pipe", "ignore"] });
    const ended = new Promise((resolve) => server.once("exit", resolve));
    const line = await Promise.race([
        new Promise((resolve) => readline.createInterface(server.stdout).once("line", resolve)),
        ended.then(() => Promise.reject(new Error("the file server did not start"))),
    ]);
    return { url: `http://127.0.0.1:${/port (\d+)/.exec(line)[1]}`, async end() { server.kill(); await ended; } };
}

/** A browser that notes whatever is asked of another address than url: { browser, page, result, thrown }. */
export async function openSite(modules, url, options) {
    const { browser, context, page } = await openBrowser(modules, options);
    const result = {};
    const thrown = watch(page, url, result);
    context.on("request", (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${url}/`)) result.errors.push(`asked of a stranger: ${request.url()}`);
    });
    return { browser, page, result, thrown };
}

/*
 * In the page: when base ground stood everywhere in the view, when the ground itself did, and when nothing was made any more; ms
 * since 1970. It looks at what a frame shows.
 */
function look() {
    return new Promise((resolve, reject) => {
        const times = {};
        const frame = () => {
            const map = globalThis.terrane?.view.map;
            const now = performance.timeOrigin + performance.now();
            const busy = document.querySelector("#progress").classList.contains("on");
            const wrong = document.querySelector(".lone[role=alert], #status:has(button:not([hidden])) span");
            if (wrong) return reject(new Error(wrong.textContent));
            if (map?.style?._loaded) {
                const last = (name) => Object.keys(map.getStyle().sources).filter((id) => id.startsWith(`${name}-`)).at(-1);
                if (map.isSourceLoaded(last("under"))) times.covered ??= now;
                if (map.isSourceLoaded(last("base"))) times.there ??= now;
                else delete times.there;
                if (times.covered && times.there && !busy && map.loaded()) return resolve({ ...times, quiet: now });
            }
            return requestAnimationFrame(frame);
        };
        frame();
    });
}

/** ... since a moment. */
async function since({ page, thrown }, began) {
    const times = await Promise.race([page.evaluate(look), thrown]);
    return Object.fromEntries(Object.entries(times).map(([name, at]) => [name, Math.round(at - began)]));
}

/** Opens an address of the site: what it took. */
export async function visit(site, address) {
    const began = Date.now();
    await site.page.goto(address);
    return since(site, began);
}

/** What there is to do now, once all is there. */
export const settled = (site) => since(site, Date.now());

/** Moves the view a screen to the east by the address, as a link would: what it took. */
export async function pan(site) {
    const began = Date.now();
    await site.page.evaluate(async (side) => {
        const { map } = globalThis.terrane.view, { x, zoom } = globalThis.terrane.store.get();
        const drawn = new Promise((resolve) => map.once("moveend", () => map.once("render", resolve)));
        const hash = new URLSearchParams(location.hash.slice(1));
        hash.set("x", String(Math.round(x + (side / (512 * 2 ** zoom)) * innerWidth)));
        location.hash = hash;
        await drawn;
    }, WORLD_M);
    return since(site, began);
}
