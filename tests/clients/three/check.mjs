// What one stands on is f32, every bit of it; walked over by keys, with no place bare, and again where the scene has moved its zero, on a coast:
// water is as deep as f32 says. Things stand on the ground.
import { walk } from "./walk.mjs";

const COAST = { x: -253252, z: 210324 };

/* Places around the walker and what is told of them; null while some of it is coarse. */
const around = () => {
    const { x, z } = camera.position, at = { x: Math.round(x + ground.origin.x), z: Math.round(z + ground.origin.z) };
    const places = Array.from({ length: 400 }, (_, k) => ({ x: at.x + (k % 20) * 7 - 70, z: at.z + Math.floor(k / 20) * 7 - 70 }));
    const told = places.map((place) => {
        const [i, j] = [place.x - ground.origin.x, place.z - ground.origin.z];
        return { ...place, level: ground.levelAt(i, j), height: ground.heightAt(i, j), depth: ground.depthAt(i, j) };
    });
    if (told.some(({ level }) => level !== 0)) return null;
    return { told, feet: walker.feet, under: ground.heightAt(x, z), wet: ground.depthAt(x, z), origin: ground.origin };
};

async function compare(page, truth, water) {
    const { told, ...rest } = await (await page.waitForFunction(around)).jsonValue();
    for (const { x, z, height, depth } of told) {
        const want = await truth.sample(0, x, z), deep = await water.sample(0, x, z);
        if (height !== want) throw new Error(`heightAt ${x}, ${z}: ${height}, f32 says ${want}`);
        if (x % 2 === 0 && z % 2 === 0 && depth !== deep) throw new Error(`depthAt ${x}, ${z}: ${depth}, f32 says ${deep}`);
    }
    if (Math.abs(rest.feet - rest.under) > 1e-3 && rest.wet === 0) throw new Error(`feet at ${rest.feet}, the ground at ${rest.under}`);
    return { ...rest, places: told.length };
}

export async function check({ page, truth, server }) {
    await page.evaluate(() => { renderer.render = () => {}; }); // a software renderer would be all that is waited for
    const water = new truth.constructor(server, "42", "?layer=water");
    const first = await compare(page, truth, water);
    await page.waitForFunction(() => ground.things > 0);
    await page.keyboard.down("KeyW");
    await page.keyboard.down("ShiftLeft");
    await page.waitForFunction(() => Math.hypot(camera.position.x, camera.position.z) > 30);
    await page.keyboard.up("KeyW");
    await page.keyboard.up("ShiftLeft");
    const walked = await walk(page, { speed: 100, seconds: 5 });
    if (walked.holes) throw new Error(`${walked.holes} of ${walked.places} places were bare`);
    await page.evaluate(({ x, z }) => { // beyond what the scene counts to
        camera.position.x = x - ground.origin.x;
        camera.position.z = z - ground.origin.z;
    }, COAST);
    await page.waitForFunction((x) => ground.origin.x !== x, first.origin.x);
    const second = await compare(page, truth, water);
    if (!second.wet) throw new Error("the coast is dry");
    await page.goto(`${server}/viewer/walk.html?x=${COAST.x}&z=${COAST.z}&bearing=90`); // as the server has it, under its policy
    await page.waitForFunction(() => window.ready && ground.tiles.visibleTiles.size > 3);
    return { places: 2 * first.places, walked_m: Math.round(walked.metres), moved_m: second.origin.x - first.origin.x };
}
