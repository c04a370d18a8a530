// The page pans and zooms; and the twins of recipes that have every kind, base and term lie within their bounds of the library's samples.
export async function check({ page }) {
    const picture = () => page.evaluate(() => document.querySelector("canvas").toDataURL());
    const seen = [await picture()];
    await page.mouse.move(300, 200);
    await page.mouse.down();
    await page.mouse.move(420, 260, { steps: 3 });
    await page.mouse.up();
    const changed = async () => {
        await page.waitForFunction((last) => document.querySelector("canvas").toDataURL() !== last, seen.at(-1));
        seen.push(await picture());
    };
    await changed();
    await page.mouse.wheel(0, -720);
    await changed();
    await page.evaluate(() => { Object.assign(window.view, { x: 1n << 49n, scale: 0.05 }); window.draw(); });
    await changed();
    await page.evaluate(() => { Object.assign(window.view, { x: 0n, y: 0n, scale: 128 }); window.draw(); });

    const found = await page.evaluate(async () => {
        const { RECIPES, compare } = await import("/glsl/compare.mjs");
        const found = {};
        for (const name of Object.keys(RECIPES)) found[name] = await compare(name).catch((error) => ({ error: error.message }));
        return found;
    });
    const measured = {};
    for (const [name, { error, bound, differs, shaken, high, other }] of Object.entries(found)) {
        if (name === "island" ? !/^plates: /.test(error) : error) throw new Error(`${name}: ${error ?? "it is not refused"}`);
        if (error) continue;
        const most = Math.max(...differs);
        measured[name] = { bound, most, shaken: Math.max(...shaken), high };
        if (!(most <= bound)) throw new Error(`${name}: differs by ${differs}, its bound is ${bound}`);
        if (!(bound < 0.05)) throw new Error(`${name}: its bound is ${bound}`);
        if (!(Math.max(...shaken) > bound)) throw new Error(`${name}: products are not made by terrane_by`);
        if (!(other > 1000 * most + 1)) throw new Error(`${name}: another seed lies ${other} away`);
    }
    return measured;
}
