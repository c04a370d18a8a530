// terrane in MapLibre GL: terrain and relief from TileJSON.
//
// TileJSON says the encoding, the size of tiles and the bounds, so that the style need not, and names tiles whose heights stand in
// their pixels' middles (reg=center), where MapLibre takes them. The map is Web Mercator: the world's
// origin is at 0, 0, and x metres to the east are x / 67,108,864 of 360 degrees. There a metre of ground is 0.597 metres of map, and
// exaggeration makes heights as high as they are wide.
import { Map, NavigationControl, setWorkerUrl } from "maplibre-gl";
import "maplibre-gl/dist/maplibre-gl.css";

// A bundler moves the module away from its worker; loaded from where it lies, it finds it.
setWorkerUrl(new URL("/node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs", location).href);

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";

const map = new Map({
    container: "map",
    renderWorldCopies: false,
    maxPitch: 80,
    center: [-2.276, -1.105], zoom: 9.5, pitch: 55, bearing: 20,
    style: {
        version: 8,
        sources: {
            ground: { type: "raster-dem", url: `${server}/xyz/42/tile.json?layer=height` },
            relief: { type: "raster", url: `${server}/xyz/42/tile.json?layer=relief`, tileSize: 256 },
        },
        terrain: { source: "ground", exaggeration: 0.597 },
        sky: {},
        layers: [{ id: "relief", type: "raster", source: "relief" }],
    },
});
map.addControl(new NavigationControl());

/** Where a place of the world is on the map. */
function lngLatOf(xMetres, yMetres) {
    const half = 33554432, lat = Math.atan(Math.sinh(-Math.PI * yMetres / half));
    return [xMetres / half * 180, lat * 180 / Math.PI];
}

map.once("idle", () => { window.ready = true; });
Object.assign(window, { map, lngLatOf });
