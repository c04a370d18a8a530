// Heights around the archive's middle: test_archives.py holds them against its tiles.
const AROUND = [[0, 0], [0.07, 0.05], [-0.11, 0.02], [0.031, -0.083], [-0.052, -0.047]]; // degrees

export async function check({ page, server }) {
    const { center: [lng, lat] } = await (await fetch(`${server}/archive`)).json();
    const places = AROUND.map(([east, north]) => [lng + east, lat + north]);
    const heights = await page.evaluate((all) => all.map((place) => map.queryTerrainElevation(place)), places);
    return { places, heights };
}
