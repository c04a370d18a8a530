/*
 * Names on maps of any size: 5 to 40, where a world has them. A tile has a few, however wide it is drawn: a small map would have none, and a large one
 * too many. So tiles of names are finer or coarser than the map's. Contours, which lie in the same tiles, are those of the map's.
 */
const TILE_PX = 512; // of the library's tiles, where their zoom is the map's
const USUAL_PX = 1100; // a map's side, as a square
const FEWER = [4, 15]; // zooms between which there are ever fewer names on as much of the screen, as measured
const LEAST_PX = 256; // of a map that has no size yet
const MOST_PX = 1734; // for tiles of names: of the next coarser zoom, but no coarser ones

const sideOf = ({ clientWidth, clientHeight }) => Math.max(Math.sqrt(clientWidth * clientHeight), LEAST_PX);

/** How many zooms finer tiles of names are than the map, at most, and one less at least. On small maps names of a tile stand in each other's way, so it takes more of them. */
export function finer(box, zoom) {
    const near = Math.min(Math.max(zoom, FEWER[0]), FEWER[1]) - FEWER[0];
    return 0.2 + near ** 2 / 88 - 1.75 * Math.log2(Math.min(sideOf(box), MOST_PX) / USUAL_PX);
}

/** Pixels around a name that are its own, so that some forty have room. */
export const spare = (box) => Math.round((sideOf(box) - LEAST_PX) / 20);

/** Has all names of a source keep so far off each other. */
export function spread(map, name) {
    const px = spare(map.getContainer());
    const layers = map.getLayersOrder().filter((id) => map.getLayer(id).source === name);
    for (const id of layers) if (map.getLayoutProperty(id, 'text-padding') !== px) map.setLayoutProperty(id, 'text-padding', px);
}

/** Has a source's tiles so much finer. `tileSize` of a source says which tiles cover a view, that of a tile what its pixels are. */
export function refine(map, name) {
    const source = map.getSource(name);
    const load = source.loadTile;
    Object.defineProperty(source, 'tileSize', { get: () => TILE_PX / 2 ** finer(map.getContainer(), map.getZoom()) });
    source.loadTile = (tile) => {
        tile.tileSize = TILE_PX * tile.tileID.overscaleFactor();
        return load.call(source, tile);
    };
}
