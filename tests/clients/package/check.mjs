// Every tile of both builds, made in Chromium's workers, is the server's f32, to the bit; and the build with vectors is what it takes by itself, where
// there are any.
const BY_ITSELF = process.env.CHROMIUM_FLAG ? "scalar" : "simd128";

export async function check({ page }) {
    const results = await page.evaluate(() => window.results);
    for (const { kernels, tiles, wrong } of results)
        if (tiles !== 12 || wrong.length > 0) throw new Error(`${kernels}: of ${tiles} tiles these differ: ${JSON.stringify(wrong)}`);
    const kernels = results.map((result) => result.kernels);
    if (kernels.join() !== `scalar,${BY_ITSELF}`) throw new Error(`kernels: ${kernels}`);
    return { tiles: results.reduce((sum, { tiles }) => sum + tiles, 0), kernels };
}
