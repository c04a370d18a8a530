// A topographic map in MapLibre GL, drawn from the server's vector tiles: contours with their heights, water, rivers and paths.
// No `glyphs`: the library draws letters with the browser's own fonts.
import { Map, setWorkerUrl } from "maplibre-gl";
import "maplibre-gl/dist/maplibre-gl.css";

setWorkerUrl(new URL("/node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs", location).href);

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";
const from = (layer) => ({ source: "terrane", "source-layer": layer });

const map = new Map({
    container: "map", renderWorldCopies: false, center: [-1.409, -1.168], zoom: 10, fadeDuration: 0,
    style: {
        version: 8,
        // A feature's id is then its property `id`, the same in every tile and format: what map.setFeatureState takes.
        sources: { terrane: { type: "vector", url: `${server}/xyz/42/vector.json`, promoteId: "id" } },
        layers: [
            { id: "land", type: "background", paint: { "background-color": "#f3efe2" } },
            { id: "forest", type: "fill", ...from("zone"), filter: ["in", "forest", ["get", "name"]], paint: { "fill-color": "#d3e2bd" } },
            { id: "water", type: "fill", ...from("water"), paint: { "fill-color": "#a9cde8" } },
            {
                id: "contour", type: "line", ...from("contour"),
                paint: { "line-color": "#a5764a", "line-width": ["match", ["get", "level"], 1, 1.2, 0.5] },
            },
            { id: "river", type: "line", ...from("river"), paint: { "line-color": "#3f86bf", "line-width": ["/", ["get", "order"], 2] } },
            { id: "path", type: "line", ...from("path"), paint: { "line-color": "#9c3b1c", "line-width": 1.5 } },
            {
                id: "height", type: "symbol", ...from("contour"), filter: ["==", ["get", "level"], 1],
                layout: {
                    "symbol-placement": "line", "text-field": ["to-string", ["get", "ele"]],
                    "text-font": ["sans-serif"], "text-size": 11,
                },
                paint: { "text-color": "#7a4f28", "text-halo-color": "#f3efe2", "text-halo-width": 1.5 },
            },
        ],
    },
});

map.once("idle", () => { window.ready = true; });
Object.assign(window, { map });
