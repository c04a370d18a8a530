// How long the viewer takes until all that it shows is there: node bench_views.mjs SERVER MODULES RECIPE ZOOM.. Prints JSON: the first view's milliseconds, each jump's, how many requests were
// answered 503, and what watch() notes.
import { openBrowser, watch } from "../clients/harness/browser.mjs";

const MOST_MS = 300000; // on a busy machine it ends with what it took, too
const [server, modules, recipe, ...zooms] = process.argv.slice(2);
const result = { mayRetry: true };
const { browser, page } = await openBrowser(modules, { viewport: { width: 1440, height: 900 } });
page.setDefaultTimeout(MOST_MS);
const thrown = watch(page, server, result);
let busy = 0;
page.on("response", (response) => { busy += response.status() === 503; });
const whole = () => Promise.race([thrown, page.waitForFunction(() => globalThis.terrane?.view.map.loaded() && globalThis.terrane.view.map.areTilesLoaded(), null, { polling: 50 })]);
const taken = async (begin) => {
    const from = performance.now();
    await begin();
    await whole();
    return performance.now() - from;
};
const first = await taken(() => page.goto(`${server}/#recipe=${recipe}`));
const jumps = {};
for (const zoom of zooms)
    jumps[zoom] = await taken(() => page.evaluate((to) => {
        const { map } = globalThis.terrane.view;
        map.jumpTo({ zoom: to });
        return map.once("render"); // until then the view before is whole
    }, Number(zoom)));
await browser.close();
console.log(JSON.stringify({ ...result, first, jumps, busy }));
