// terrane in OpenLayers: raw floats, coloured by the graphics card.
//
// A plane in metres, y to the north, and a tile grid from its origin without an extent: tiles west and north of it have negative
// numbers, as terrane counts them. The grid's z = 0 is the coarsest: lod = 24 - z.
import Map from "ol/Map.js";
import View from "ol/View.js";
import WebGLTileLayer from "ol/layer/WebGLTile.js";
import Projection from "ol/proj/Projection.js";
import DataTile from "ol/source/DataTile.js";
import TileGrid from "ol/tilegrid/TileGrid.js";
import "ol/ol.css";

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";

const plane = new Projection({ code: "terrane", units: "m" });
const resolutions = Array.from({ length: 25 }, (_, z) => 2 ** (24 - z)); // metres a sample

const source = new DataTile({
    projection: plane,
    tileGrid: new TileGrid({ origin: [0, 0], resolutions, tileSize: 256 }),
    bandCount: 1,
    interpolate: false,
    async loader(z, x, y, { signal }) {
        const answer = await fetch(`${server}/tile/42/${24 - z}/${x}/${y}.f32?size=256`, { signal });
        if (!answer.ok) throw new Error(`tile: status ${answer.status}`);
        return new Float32Array(await answer.arrayBuffer());
    },
});

const layer = new WebGLTileLayer({
    source,
    style: {
        color: ["interpolate", ["linear"], ["band", 1],
            -5000, [12, 32, 74], -200, [46, 110, 158], 0, [158, 205, 214], 1, [110, 150, 84],
            600, [168, 170, 104], 1500, [140, 108, 82], 2500, [240, 240, 240]],
    },
});

const map = new Map({
    target: "map",
    layers: [layer],
    view: new View({ projection: plane, center: [-262000, -217000], resolution: 256, minResolution: 0.25, maxResolution: 2 ** 18 }),
});

/** Metres under a pixel of the map, or undefined where its tile is not there yet. */
function heightAt(pixel) {
    return layer.getData(pixel)?.[0];
}

map.on("rendercomplete", () => { window.ready = true; });
Object.assign(window, { map, heightAt });
