// terrane in MapLibre GL: terrain and relief that the page makes itself, by the npm package, of a world that a server names.
//
// Of a world of one's own it is World.open({ recipe: "continents", seed: 42 }), and no server is asked for anything. The rest is as in
// main.js: heights of pixels' middles (center=1), and metres that are 0.597 metres of map.
import { Map, NavigationControl, addProtocol, setWorkerUrl } from "maplibre-gl";
import "maplibre-gl/dist/maplibre-gl.css";

// Where the package lies; a bundler that is to leave workers alone does not see it.
const [{ World }, { protocol }] = await Promise.all(["index.js", "maplibre.js"].map((file) => import(new URL(`/js/${file}`, location).href)));

setWorkerUrl(new URL("/node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs", location).href);

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";
addProtocol("terrane", protocol(await World.open({ server, world: "42" })));

const map = new Map({
    container: "map",
    renderWorldCopies: false,
    maxPitch: 80,
    center: [-2.276, -1.105], zoom: 9.5, pitch: 55, bearing: 20,
    style: {
        version: 8,
        sources: {
            ground: { type: "raster-dem", encoding: "terrarium", tiles: ["terrane://{z}/{x}/{y}?layer=height&center=1"], tileSize: 256, maxzoom: 18 },
            relief: { type: "raster", tiles: ["terrane://{z}/{x}/{y}?layer=relief"], tileSize: 256, maxzoom: 18 },
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
