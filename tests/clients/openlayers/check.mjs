// What getData reads back from the graphics card's tiles is f32 to the last bit.
import { near } from "../harness/truth.mjs";

// Pixels of a page of 720 x 480; at whole resolutions each of them is a sample.
const PIXELS = [[10, 10], [450, 300], [123, 470], [710, 20], [600, 333]];
const VIEWS = [{ center: [-262000, -217000], resolution: 256 }, { center: [1000, 500], resolution: 2048 }];

async function show(page, { center, resolution }) {
    await page.evaluate(([at, metres]) => {
        window.ready = false;
        map.getView().setCenter(at);
        map.getView().setResolution(metres);
        map.render();
    }, [center, resolution]);
    await page.waitForFunction(() => window.ready === true);
}

export async function check({ page, truth }) {
    let worst = 0;
    for (const view of VIEWS) {
        const { resolution } = view;
        await show(page, view);
        for (const pixel of PIXELS) {
            const { at, height } = await page.evaluate((p) => ({ at: map.getCoordinateFromPixel(p), height: heightAt(p) }), pixel);
            const sample = await truth.sample(Math.log2(resolution), Math.floor(at[0] / resolution), Math.floor(-at[1] / resolution));
            worst = Math.max(worst, near(height, sample, 0, `height at pixel ${pixel} of resolution ${resolution}`));
        }
    }
    await show(page, VIEWS[0]);
    return { largest_difference_m: worst, places: PIXELS.length * VIEWS.length };
}
