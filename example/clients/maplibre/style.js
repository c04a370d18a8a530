// terrane in MapLibre GL, in one line: the style that the server has ready.
import { Map, setWorkerUrl } from "maplibre-gl";
import "maplibre-gl/dist/maplibre-gl.css";

setWorkerUrl(new URL("/node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs", location).href);

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";

const map = new Map({
    container: "map", style: `${server}/style/42.json`, renderWorldCopies: false, maxPitch: 80,
    center: [-2.276, -1.105], zoom: 9.5, pitch: 55, bearing: 20,
});

function lngLatOf(xMetres, yMetres) {
    const half = 33554432, lat = Math.atan(Math.sinh(-Math.PI * yMetres / half));
    return [xMetres / half * 180, lat * 180 / Math.PI];
}

map.once("idle", () => { window.ready = true; });
Object.assign(window, { map, lngLatOf });
