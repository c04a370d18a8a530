// An archive of `terrane seed --reg center` in MapLibre GL, as Martin or another tile server hands it out: terrain from its TileJSON.
import { Map, setWorkerUrl } from "maplibre-gl";
import "maplibre-gl/dist/maplibre-gl.css";

setWorkerUrl(new URL("/node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs", location).href);

const server = new URLSearchParams(location.search).get("server");

const map = new Map({
    container: "map", renderWorldCopies: false, maxPitch: 80,
    style: {
        version: 8,
        sources: { ground: { type: "raster-dem", url: `${server}/archive` }, shade: { type: "raster-dem", url: `${server}/archive` } },
        terrain: { source: "ground", exaggeration: 1 },
        layers: [
            { id: "sheet", type: "background", paint: { "background-color": "#dde" } },
            { id: "shade", type: "hillshade", source: "shade" },
        ],
    },
});

// The archive says where it begins, and how near.
map.once("load", async () => {
    const { center: [lng, lat, zoom] } = await (await fetch(`${server}/archive`)).json();
    map.jumpTo({ center: [lng, lat], zoom, pitch: 40 });
    map.once("idle", () => { window.ready = true; });
});
Object.assign(window, { map });
