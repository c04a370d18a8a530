// terrane in MapLibre GL without a globe: the world as the plane that it is, in its own metres.
//
// addProjection (experimental; MapLibre GL 6) takes the same /xyz tiles for a square of 67,108,864 m. Nothing is stretched, and
// heights need no exaggeration. Longitude and latitude are only names for places here.
import { Map, addProjection, setWorkerUrl } from "maplibre-gl";
import "maplibre-gl/dist/maplibre-gl.css";

setWorkerUrl(new URL("/node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs", location).href);

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";

const half = 33554432, metres = half / 90; // of a degree
addProjection({
    name: "terrane:plane",
    projection: { forward: ([lng, lat]) => [lng * metres, lat * metres], inverse: ([x, y]) => [x / metres, y / metres] },
    tileMatrixSet: { origin: [-half, half], extentAtZoom0: 2 * half },
});
const lngLatOf = (xMetres, yMetres) => [xMetres / metres, -yMetres / metres];

const map = new Map({
    container: "map",
    maxPitch: 80,
    center: lngLatOf(-424000, 206000), zoom: 9.5, pitch: 55, bearing: 20,
    style: {
        version: 8,
        projection: { type: "terrane:plane" },
        sources: {
            ground: { type: "raster-dem", url: `${server}/xyz/42/tile.json?layer=height` },
            relief: { type: "raster", url: `${server}/xyz/42/tile.json?layer=relief`, tileSize: 256 },
        },
        terrain: { source: "ground", exaggeration: 1 },
        sky: {},
        layers: [{ id: "relief", type: "raster", source: "relief" }],
    },
});

map.once("idle", () => { window.ready = true; });
Object.assign(window, { map, lngLatOf });
