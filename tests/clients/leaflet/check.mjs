// Pixels of terrarium tiles, read through a canvas, against f32: half a step, 1/512 m. Near and far, and on negative tiles.
import { near } from "../harness/truth.mjs";

const PLACES = [[-262000, 217000], [-328000, 202000], [-217500, 252250], [-262144, 196608], [-196608, 196608]];

async function compare(page, truth) {
    let worst = 0;
    for (const [x, y] of PLACES) {
        const { zoom, height } = await page.evaluate(([lat, lng]) => ({
            zoom: map.getZoom(), height: heightAt({ lat, lng }),
        }), [-y, x]);
        const sample = await truth.sample(-zoom, Math.floor(x * 2 ** zoom), Math.floor(y * 2 ** zoom));
        worst = Math.max(worst, near(height, sample, 1 / 512 + 1e-9, `height at ${x}, ${y} of lod ${-zoom}`));
    }
    return worst;
}

export async function check({ page, truth }) {
    const settled = () => page.waitForFunction(() => window.ready && !map._animatingZoom);
    await settled();
    const worst = await compare(page, truth);
    await page.evaluate(() => { window.ready = false; map.setView([0, 0], -11, { animate: false }); });
    await settled();
    const far = await compare(page, truth);
    await page.evaluate(() => { window.ready = false; map.setView([-217000, -262000], -8, { animate: false }); });
    await settled();
    return { largest_difference_m: Math.max(worst, far), places: 2 * PLACES.length };
}
