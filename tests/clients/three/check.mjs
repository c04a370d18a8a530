// Vertices against f32: of the geometry to the last bit, of the .glb's ground to the rounding of its float32 positions; what is below the
// ground must be on the border, as skirts are.
export async function check({ page, truth }) {
    const { tile, metres, floats, mesh } = await page.evaluate(() => {
        let positions;
        mesh.traverse((node) => { positions ??= node.geometry && { node, values: node.geometry.getAttribute("position") }; });
        mesh.updateMatrixWorld(true);
        const origin = mesh.position.clone();
        const world = Array.from({ length: positions.values.count }, (_, k) => {
            const at = origin.clone().fromBufferAttribute(positions.values, k).applyMatrix4(positions.node.matrixWorld).sub(origin);
            return [at.x, at.y, at.z];
        });
        return { tile, metres, floats: Array.from(floats.geometry.getAttribute("position").array), mesh: world };
    });
    const samples = await truth.tile(tile.lod, tile.x, tile.y);
    const spacing = metres / 256;
    for (let k = 0; k < samples.length; k++) {
        const [x, height, z] = floats.slice(3 * k, 3 * k + 3);
        if (height !== samples[k] || x !== (k % 257 - 128) * spacing || Math.abs(z - (Math.floor(k / 257) - 128) * spacing) > 1e-3) {
            throw new Error(`geometry: vertex ${k} is ${[x, height, z]}, f32 says ${samples[k]}`);
        }
    }
    const east = await truth.tile(tile.lod, tile.x + 1, tile.y);
    let ground = 0, skirt = 0, worst = 0;
    for (const [x, height, z] of mesh) {
        const i = Math.round(x / spacing + 128), j = Math.round(z / spacing + 128);
        const below = east[j * 257 + i] - height;
        const border = i === 0 || j === 0 || i === 256 || j === 256;
        if (border && below > 0.01) { skirt++; continue; }
        if (!(Math.abs(below) <= 1e-3)) throw new Error(`glb: vertex at ${i}, ${j}: ${height} m, f32 says ${east[j * 257 + i]}`);
        worst = Math.max(worst, Math.abs(below));
        ground++;
    }
    if (ground < 129 * 129) throw new Error(`glb: ${ground} vertices on the ground`);
    return { vertices: samples.length, glb_vertices: ground, glb_skirt: skirt, largest_difference_m: worst };
}
