// Every vertex of the meshes that deck.gl made lies on its sample: half a step of terrarium, or, in the skirt, straight below. The far
// row and column repeat the last sample, since a terrarium tile has 256.
export async function check({ page, truth }) {
    await page.waitForFunction(() => terrain.isLoaded && meshes.length >= 8);
    const tiles = await page.evaluate(() => meshes.slice(0, 8).map(({ index, content }) => {
        const mesh = content[0];
        return { ...index, positions: Array.from(mesh.attributes.POSITION.value) };
    }));
    let vertices = 0, skirt = 0, worst = 0;
    for (const { z, x, y, positions } of tiles) {
        const half = 2 ** (z - 1);
        const samples = await truth.tile(18 - z, x - half, y - half);
        const xs = positions.filter((_, k) => k % 3 === 0), ys = positions.filter((_, k) => k % 3 === 1);
        const west = Math.min(...xs), east = Math.max(...xs), south = Math.min(...ys), north = Math.max(...ys);
        for (let k = 0; k < xs.length; k++) {
            const column = (xs[k] - west) / (east - west) * 256, row = (north - ys[k]) / (north - south) * 256;
            const i = Math.round(column), j = Math.round(row);
            if (Math.abs(i - column) > 0.01 || Math.abs(j - row) > 0.01) throw new Error(`tile ${z}/${x}/${y}: vertex between samples: ${column}, ${row}`);
            const below = samples[Math.min(j, 255) * 257 + Math.min(i, 255)] - positions[3 * k + 2];
            const border = i === 0 || j === 0 || i === 256 || j === 256;
            if (border && below > 1) { skirt++; continue; }
            if (!(Math.abs(below) <= 1 / 512 + 1e-3)) throw new Error(`tile ${z}/${x}/${y}: vertex ${i}, ${j}: the client is ${below} m below f32`);
            worst = Math.max(worst, Math.abs(below));
            vertices++;
        }
    }
    if (vertices < 1000) throw new Error(`deck.gl made ${vertices} vertices of ${tiles.length} tiles`);
    return { largest_difference_m: worst, tiles: tiles.length, vertices, skirt };
}
