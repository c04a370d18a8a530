// terrane in Leaflet: an endless plane.
//
// CRS.Simple has no edge and asks for tiles with negative numbers, as terrane counts them; zoomReverse makes its zoom a level:
// lod = -zoom. One unit of the map is one metre: x = lng, y (to the south) = -lat.
import L from "leaflet";
import "leaflet/dist/leaflet.css";

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";

const map = L.map("map", { crs: L.CRS.Simple, minZoom: -18, maxZoom: 4 }).setView([-217000, -262000], -8);

const levels = {
    minZoom: -18, maxZoom: 4, maxNativeZoom: 0, // finer than lod 0: its tiles, larger
    zoomReverse: true, zoomOffset: -4,          // lod = maxZoom - zoom + zoomOffset
    noWrap: true,
};
L.tileLayer(`${server}/tile/42/{z}/{x}/{y}.png?layer=relief`, levels).addTo(map);

// Heights to read: terrarium tiles that are not shown. crossOrigin allows a canvas to look into them.
const heights = L.tileLayer(`${server}/tile/42/{z}/{x}/{y}.png?enc=terrarium`, { ...levels, opacity: 0, crossOrigin: true });
const decoded = new Map();
heights.on("tileload", ({ tile, coords }) => {
    const canvas = new OffscreenCanvas(256, 256);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(tile, 0, 0);
    decoded.set(`${coords.z}/${coords.x}/${coords.y}`, context.getImageData(0, 0, 256, 256).data);
});
heights.on("tileunload", ({ coords }) => decoded.delete(`${coords.z}/${coords.x}/${coords.y}`));
heights.addTo(map);

/** Metres at a place of the map, or undefined where its tile is not there yet. */
function heightAt(latlng) {
    const zoom = Math.min(map.getZoom(), 0);
    const { x, y } = map.project(latlng, zoom).floor();
    const pixels = decoded.get(`${zoom}/${Math.floor(x / 256)}/${Math.floor(y / 256)}`);
    const at = 4 * ((y & 255) * 256 + (x & 255));
    return pixels && pixels[at] * 256 + pixels[at + 1] + pixels[at + 2] / 256 - 32768;
}

const readout = L.control({ position: "bottomleft" });
readout.onAdd = () => L.DomUtil.create("div", "leaflet-control-attribution");
readout.addTo(map);
map.on("mousemove", ({ latlng }) => {
    readout.getContainer().textContent = `${Math.round(latlng.lng)}, ${Math.round(-latlng.lat)}: ${heightAt(latlng)?.toFixed(1)} m`;
});

heights.on("load", () => { window.ready = true; });
Object.assign(window, { map, heightAt });
