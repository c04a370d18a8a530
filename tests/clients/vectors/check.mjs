// Contours as the library has decoded them: every point lies where the ground is as high as its line says, to what a unit of the
// tile's 16 a sample can be off.
const LOD = 8, HALF_M = 33554432, POINTS = 200;

const metres = ([lng, lat]) => [lng / 180 * HALF_M, -Math.asinh(Math.tan(lat * Math.PI / 180)) / Math.PI * HALF_M];

export async function check({ page, truth }) {
    const { lines, layers, ids } = await page.evaluate(() => ({
        lines: map.querySourceFeatures("terrane", { sourceLayer: "contour" })
            .filter(({ geometry }) => geometry.type === "LineString")
            .map(({ geometry, properties }) => ({ ele: properties.ele, points: geometry.coordinates })),
        layers: ["zone", "water", "contour", "river"]
            .map((name) => [name, map.querySourceFeatures("terrane", { sourceLayer: name }).length]),
        ids: map.querySourceFeatures("terrane", { sourceLayer: "river" }).map(({ id, properties }) => [id, properties.id]),
    }));
    if (layers.some(([, count]) => !count)) throw new Error(`no features: ${JSON.stringify(layers)}`);
    if (!ids.some(([id]) => id) || ids.some(([id, own]) => id !== own)) throw new Error(`rivers' ids are not their properties: ${JSON.stringify(ids)}`);
    const points = lines.flatMap(({ ele, points: all }) => all.map((point) => [ele, ...metres(point)]));
    const step = Math.max(1, Math.floor(points.length / POINTS));
    let worst = 0;
    for (let k = 0; k < points.length; k += step) {
        const [ele, x, y] = points[k], u = x / 2 ** LOD, v = y / 2 ** LOD;
        const [i, j] = [Math.floor(u), Math.floor(v)];
        const corners = await Promise.all([[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1], [Math.round(u), Math.round(v)]].map(([p, q]) => truth.sample(LOD, p, q)));
        const allowed = (Math.max(...corners) - Math.min(...corners)) / 8 + 0.01;
        const off = Math.abs(await truth.at(LOD, u, v) - ele);
        if (!(off <= allowed)) throw new Error(`a contour of ${ele} m is ${off} m off at ${x}, ${y}: allowed are ${allowed}`);
        worst = Math.max(worst, off);
    }
    return { layers: Object.fromEntries(layers), points: points.length, largest_difference_m: worst };
}
