// A task of drive.mjs: how many names a view has, whatever its size.
import { given, open } from "./page.mjs";

const SIZES = [[360, 740], [768, 1024], [1440, 900], [2560, 1440]];
const ZOOMS = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/** Names that are drawn in the middle of the window as the viewer opens, and of those, the ones that nothing lies over. Runs in the browser. */
const counts = () => {
    const { map } = globalThis.terrane.view, canvas = map.getCanvas(), { left, top, width, height } = canvas.getBoundingClientRect(), names = new Map();
    const layers = map.getLayersOrder().filter((id) => map.getLayer(id).source === "labels");
    for (const { properties: { kind, name }, geometry } of map.queryRenderedFeatures({ layers })) {
        const { x, y } = map.project(geometry.coordinates);
        if (x < 0 || y < 0 || x > width || y > height) continue;
        names.set(`${kind} ${name}`, document.elementFromPoint(left + x, top + y) === canvas);
    }
    return { drawn: names.size, seen: [...names.values()].filter(Boolean).length, names: [...names.keys()] };
};

/** {width: {zoom: counts}} around where the world begins, and "first" of the view that it opens with, of widths up to the one that is said. */
export async function labels() {
    const [hash, most = "2560"] = given.split(" ");
    const found = {}, errors = [];
    for (const [width, height] of SIZES.filter(([each]) => each <= Number(most))) {
        const { page, browser, result } = await open({ viewport: { width, height } }, hash);
        await page.waitForFunction(() => globalThis.terrane?.view.map.style?._loaded);
        await page.evaluate(() => { // names alone, so that ground, which software draws, is not waited for
            const { map } = globalThis.terrane.view;
            for (const { id, type } of map.getStyle().layers) if (type === "raster") map.setLayoutProperty(id, "visibility", "none");
        });
        const whole = () => page.waitForFunction(() => globalThis.terrane.view.map.loaded() && globalThis.terrane.view.map.areTilesLoaded(), null, { polling: 50 });
        await whole();
        found[width] = { first: await page.evaluate(counts) };
        for (const zoom of most === "2560" ? ZOOMS : []) {
            await page.evaluate((to) => { const { map } = globalThis.terrane.view; map.jumpTo({ zoom: to }); return map.once("render"); }, zoom);
            await whole();
            found[width][zoom] = await page.evaluate(counts);
        }
        errors.push(...result.errors);
        await browser.close();
    }
    return { errors, found };
}
