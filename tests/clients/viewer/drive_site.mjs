// Opens the site (make site) from a plain file server, stops that, and looks at every layer of every recipe. Prints one line of JSON.
//
//   node drive_site.mjs SITE OUTPUT-FOLDER NODE-MODULES

import fs from "node:fs";
import path from "node:path";
import { files, openSite, pan, settled, visit } from "./site.mjs";

const [folder, output, modules] = process.argv.slice(2);
const SMALL = { viewport: { width: 640, height: 480 } };
const SEED = "atlantis"; // whose spawn no file has

const server = await files(folder);
const site = await openSite(modules, server.url, SMALL);
const { page, result } = site;
const found = { recipes: {} };
try {
    found.first = await visit(site, `${server.url}/`);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await server.end();
    for (const { name } of JSON.parse(fs.readFileSync(path.join(folder, "viewer/worlds.json"))).recipes) {
        await visit(site, `${server.url}/?${name}#seed=${SEED}&recipe=${name}&zoom=9`); // a page of its own, without the network
        const list = await page.locator("#layers [role=radio]:not([disabled])").evaluateAll((all) => all.map(({ value }) => value));
        for (const layer of list) {
            await page.evaluate((wanted) => { globalThis.terrane.store.set({ layer: wanted }); }, layer);
            await page.waitForFunction((wanted) => location.hash.includes(`layer=${wanted}`) || wanted === "relief", layer);
            await settled(site);
        }
        await page.screenshot({ path: path.join(output, `site-${name}.png`) });
        found.recipes[name] = list;
    }
    found.pan = await pan(site);
    await page.getByRole("button", { name: "3-D", exact: true }).click();
    await page.waitForFunction(() => globalThis.terrane.view.map.getPitch() > 30);
    await settled(site);
    await page.screenshot({ path: path.join(output, "site-3d.png") });
    await page.mouse.click(320, 300);
    await page.getByRole("button", { name: "Let go" }).waitFor();
    found.pinned = await page.locator("#facts").innerText();
    found.offered = await page.getByRole("button").evaluateAll((all) => all.filter((each) => each.checkVisibility()).map(({ textContent }) => textContent.trim()));
} catch (error) {
    result.errors.unshift(error.message);
    await page.screenshot({ path: path.join(output, "site-wrong.png") }).catch(() => {});
}
await site.browser.close();
await server.end();
console.log(JSON.stringify({ ...result, ...found }));
