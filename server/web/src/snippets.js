/*
 * Working code for each client, that opens a view of a world.
 *
 * snippets({ origin, seed, recipe, variant, layer, key, x, y, zoom, bearing, pitch, spacing_m, v }) -> [{ id, name, language, text }]
 *
 *   origin  what URLs begin with, without a slash at the end
 *   seed    as it stands in paths: a number in text, 0x hex or a name
 *   recipe, variant, v, key   or nothing
 *   layer   what pictures show, and what numbers are, where it is pictures or numbers; else these are the relief, and heights
 *   x, y, zoom, bearing, pitch   the middle in metres, and the rest as MapLibre counts it; what takes a tile takes the one
 *           with that middle, of the level that is shown
 *   spacing_m   of the world's level 0, as /world/{seed} has it
 *
 * Pure. Every value is percent-encoded, so that it can stand in any of the languages. The text of language html is a whole page.
 * What a client needs beside the library, and how its numbers lie, is in tests/clients.
 */
import { levelAt, tileAt, toLngLat } from './mercator.js';

const HALF = 33554432; // samples of level 0: a web map's side is twice that, the globe's equator half as long
const HALF_3857 = 20037508.342789244; // of a web map's square, in its metres
const PICTURES = ['relief', 'hillshade', 'normal', 'partition', 'path', 'cave', 'cover', 'climate', 'objects']; // whose PNG is one to look at

const PACKAGES = 'https://unpkg.com';
export const VERSIONS = {
    'maplibre-gl': '6.17.0', leaflet: '1.9.4', ol: '10.11.0', 'deck.gl': '9.4.0', cesium: '1.145.0', three: '0.187.0',
};
const library = (name, file) => `${PACKAGES}/${name}@${VERSIONS[name]}/${file}`;

const encode = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const round = (value) => Number(value.toFixed(6));

/** The numbers and URLs that the snippets have in common. */
function world({ origin, seed, recipe, variant, layer, v, key, x = 0, y = 0, zoom = 9, bearing = 0, pitch = 0, spacing_m = 1 }) {
    const query = (given = {}) => {
        const pairs = Object.entries({ recipe, variant, v, key, ...given }).filter(([, value]) => value !== undefined && value !== null && value !== '');
        return pairs.length ? `?${pairs.map(([name, value]) => `${name}=${encode(value)}`).join('&')}` : '';
    };
    const { lod, x: tile_x, y: tile_y } = tileAt(x, y, levelAt(zoom), spacing_m);
    const step = 2 ** lod, samples = 256 * step; // of level 0: between two of this level, and in a tile
    const [longitude, latitude] = toLngLat(x, y, spacing_m).map(round);
    return {
        name: encode(seed),
        picture: PICTURES.includes(layer) ? layer : 'relief',
        numbers: !layer || layer === 'height' || PICTURES.includes(layer) ? '' : layer, // one a sample, in tiles and windows
        lod, x: tile_x, y: tile_y, samples, longitude, latitude, zoom: round(zoom), bearing: round(bearing), pitch: round(pitch),
        east: round(x / spacing_m), south: round(y / spacing_m), // samples of level 0
        pixel: round(2 ** (17 - zoom)), // ... in one of the screen
        corner: (w, h) => ({ x0: Math.round(x / spacing_m / step - w / 2), y0: Math.round(y / spacing_m / step - h / 2), w, h, lod }),
        east_m: round(x), south_m: round(y), spacing_m: step * spacing_m, side_m: samples * spacing_m,
        url: (path, given) => `${origin}/${path.replace('SEED', encode(seed))}${query(given)}`,
        tile: (ending, given) => `${origin}/tile/${encode(seed)}/${lod}/${tile_x}/${tile_y}${ending}${query(given)}`,
    };
}

/** A page that fills the window with one element. */
function page(title, element, head, body) {
    return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
${head}<style>html, body, #${element} { height: 100%; margin: 0 }</style>
<div id="${element}"></div>
${body}
</html>
`;
}

const style = (url) => `<link rel="stylesheet" href="${url}">\n`;
const script = (url) => `<script src="${url}"></script>\n`;

/* ---- Web maps ------------------------------------------------------------------------------------------ */

function maplibre(w) {
    return page(`${w.name} in MapLibre GL`, 'map', style(library('maplibre-gl', 'dist/maplibre-gl.css')), `<script type="module">
import { Map } from "${library('maplibre-gl', 'dist/maplibre-gl.mjs')}";

new Map({
    container: "map",
    style: "${w.url('style/SEED.json', { layer: w.picture })}",
    renderWorldCopies: false,
    center: [${w.longitude}, ${w.latitude}], zoom: ${w.zoom}, bearing: ${w.bearing}, pitch: ${w.pitch},
});
</script>`);
}

function leaflet(w) {
    return page(`${w.name} in Leaflet`, 'map', style(library('leaflet', 'dist/leaflet.css')), `${script(library('leaflet', 'dist/leaflet.js'))}<script>
// The world is a plane: samples of level 0 to the east = lng, to the south = -lat; level of detail = -zoom.
const map = L.map("map", { crs: L.CRS.Simple, minZoom: -18, maxZoom: 4, zoomSnap: 0 }).setView([${-w.south}, ${w.east}], ${round(w.zoom - 17)});
L.tileLayer("${w.url('tile/SEED/{z}/{x}/{y}.png', { layer: w.picture })}", {
    minZoom: -18, maxZoom: 4, maxNativeZoom: 0, zoomReverse: true, zoomOffset: -4, noWrap: true,
}).addTo(map);
</script>`);
}

function openlayers(w) {
    return page(`${w.name} in OpenLayers`, 'map', style(library('ol', 'ol.css')), `${script(library('ol', 'dist/ol.js'))}<script>
// Raw floats, coloured by the graphics card. The plane has y to the north; z = 0 of the grid is the coarsest level, 24.
const plane = new ol.proj.Projection({ code: "terrane", units: "m" });
const source = new ol.source.DataTile({
    projection: plane, bandCount: 1, interpolate: false,
    tileGrid: new ol.tilegrid.TileGrid({ origin: [0, 0], tileSize: 256, resolutions: Array.from({ length: 25 }, (_, z) => 2 ** (24 - z)) }),
    async loader(z, x, y, { signal }) {
        const answer = await fetch(\`${w.url('tile/SEED/${24 - z}/${x}/${y}.f32', { size: 256 })}\`, { signal });
        if (!answer.ok) throw new Error(\`status \${answer.status}\`);
        return new Float32Array(await answer.arrayBuffer());
    },
});
const layer = new ol.layer.WebGLTile({ source, style: { color: ["interpolate", ["linear"], ["band", 1],
    -5000, [12, 32, 74], 0, [158, 205, 214], 1, [110, 150, 84], 600, [168, 170, 104], 1500, [140, 108, 82], 2500, [240, 240, 240]] } });
const map = new ol.Map({ target: "map", layers: [layer],
    view: new ol.View({ projection: plane, center: [${w.east}, ${-w.south}], resolution: ${w.pixel}, minResolution: 0.125, maxResolution: 2 ** 18 }) });
map.on("click", ({ pixel }) => console.log(layer.getData(pixel)?.[0], "m"));
</script>`);
}

function deckgl(w) {
    return page(`${w.name} in deck.gl`, 'map', script(library('deck.gl', 'dist.min.js')), `<script>
new deck.Deck({
    parent: document.getElementById("map"),
    views: new deck.MapView({ repeat: false, farZMultiplier: 2 }), // or deep sea is cut off
    initialViewState: { longitude: ${w.longitude}, latitude: ${w.latitude}, zoom: ${w.zoom}, bearing: ${w.bearing}, pitch: ${Math.min(w.pitch, 60)} },
    controller: true,
    layers: [new deck.TerrainLayer({
        elevationData: "${w.url('xyz/SEED/{z}/{x}/{y}.png', { enc: 'terrarium' })}",
        texture: "${w.url('xyz/SEED/{z}/{x}/{y}.png', { layer: w.picture })}",
        elevationDecoder: { rScaler: 256, gScaler: 1, bScaler: 1 / 256, offset: -32768 },
        tileSize: 256, minZoom: 0, maxZoom: 18, meshMaxError: ${Math.max(1, w.spacing_m / 4)},
    })],
});
</script>`);
}

function cesium(w) {
    const base = library('cesium', 'Build/Cesium/');
    const place = [[w.east, 180], [-w.south, 90]].map(([at, most]) => round(Math.min(Math.max(at / (HALF / 2) * 180, -most), most)));
    const beyond = Math.abs(w.east) > HALF / 2 || Math.abs(w.south) > HALF / 4;
    return page(`${w.name} in CesiumJS`, 'globe', `${style(`${base}Widgets/widgets.css`)}${script(`${base}Cesium.js`)}`, `<script type="module">
// Once around the globe are 33,554 km of the world${beyond ? ', and the view lies beyond: this is its nearest place' : ''}; its pictures are the native tiles of level 16 - z.
const { CesiumTerrainProvider, GeographicTilingScheme, ImageryLayer, UrlTemplateImageryProvider, Viewer, Cartesian3, Ion } = Cesium;
Ion.defaultAccessToken = undefined;
const viewer = new Viewer("globe", {
    terrainProvider: await CesiumTerrainProvider.fromUrl("${w.url('terrain/SEED')}", { requestVertexNormals: true }),
    baseLayer: new ImageryLayer(new UrlTemplateImageryProvider({
        url: "${w.url('tile/SEED/{lod}/{east}/{south}.png', { layer: w.picture })}",
        tilingScheme: new GeographicTilingScheme(), minimumLevel: 1, maximumLevel: 16,
        customTags: { lod: (_, x, y, z) => 16 - z, east: (_, x, y, z) => x - 2 ** z, south: (_, x, y, z) => y - 2 ** (z - 1) },
    })),
    baseLayerPicker: false, geocoder: false, animation: false, timeline: false, navigationHelpButton: false, requestRenderMode: true,
});
// As wide as the window is seen from about as high.
viewer.camera.setView({ destination: Cartesian3.fromDegrees(${place.join(', ')}, ${w.pixel} * innerWidth) });
</script>`);
}

function three(w) {
    return page(`${w.name} in three.js`, 'view', '', `<script type="importmap">
{ "imports": { "three": "${library('three', 'build/three.module.js')}", "three/addons/": "${library('three', 'examples/jsm/')}" } }
</script>
<script type="module">
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

// 257 x 257 heights, row by row from the north: the vertices of a plane of 256 x 256 squares. y is up, z is south.
const answer = await fetch("${w.tile('.f32')}");
const heights = new Float32Array(await answer.arrayBuffer());
const side = ${w.side_m}; // metres
const geometry = new THREE.PlaneGeometry(side, side, 256, 256).rotateX(-Math.PI / 2);
const position = geometry.getAttribute("position");
heights.forEach((height, k) => position.setY(k, height));
geometry.computeVertexNormals();

const renderer = new THREE.WebGLRenderer({ antialias: true });
renderer.setSize(innerWidth, innerHeight);
document.getElementById("view").append(renderer.domElement);
const scene = new THREE.Scene();
scene.background = new THREE.Color(0x9ec7e8);
const sun = new THREE.DirectionalLight(0xffffff, 2.5);
sun.position.set(-1, 1, -1);
scene.add(sun, new THREE.AmbientLight(0xffffff, 0.6), new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: 0x7f9a62 })));
const camera = new THREE.PerspectiveCamera(50, innerWidth / innerHeight, side / 1000, side * 10);
camera.position.set(0, side / 2, side);
new OrbitControls(camera, renderer.domElement);
camera.lookAt(0, 0, 0);
renderer.setAnimationLoop(() => renderer.render(scene, camera));
</script>`);
}

/* ---- Python and GIS ------------------------------------------------------------------------------------ */

function numpy(w) {
    return `import io
import urllib.request

import numpy as np

url = "${w.tile('.npy', { layer: w.numbers })}"
samples = np.load(io.BytesIO(urllib.request.urlopen(url).read()))  # float32, rows from the north
print(samples.shape, samples.min(), samples.max())
`;
}

function gdal(w) {
    return `# A tile, and a window of any size, as GeoTIFF in metres of the world:
curl -o tile.tif '${w.tile('.tif', { layer: w.numbers })}'
curl -o region.tif '${w.url('region/SEED.tif', { ...w.corner(1000, 800), layer: w.numbers })}'
gdalinfo -stats tile.tif

# The whole world as one raster, 67,108,864 samples a side, on the web map's square (EPSG:3857):
gdalinfo '${w.url('gdal/SEED.xml', { layer: w.numbers })}'
gdal_translate -srcwin ${HALF + w.x * w.samples} ${HALF + w.y * w.samples} ${w.samples} ${w.samples} -outsize 256 256 \\
    '${w.url('gdal/SEED.xml', { layer: w.numbers })}' window.tif
`;
}

function rasterio(w) {
    return `import rasterio
from rasterio.io import MemoryFile
import urllib.request

url = "${w.tile('.tif', { layer: w.numbers })}"
with MemoryFile(urllib.request.urlopen(url).read()) as file, file.open() as data:
    samples = data.read(1)
    print(samples.shape, data.bounds, data.res)

# The whole world, of which only what is read is fetched:
with rasterio.open("${w.url('gdal/SEED.xml', { layer: w.numbers })}") as world:
    column, row = ${[w.east, w.south].map((at) => Math.min(HALF + Math.floor(at), 2 * HALF - 64)).join(', ')}
    print(world.read(1, window=((row, row + 64), (column, column + 64))))
`;
}

function qgis(w) {
    const heights = encode(w.url('xyz/SEED/{z}/{x}/{y}.png', { enc: 'terrarium', reg: 'center' }));
    const picture = encode(w.url('xyz/SEED/{z}/{x}/{y}.png', { layer: w.picture }));
    return `# In the Python console of QGIS. By hand: Layer > Add Layer > Add XYZ Layer, with the URL below before it was encoded,
# maximum zoom 18, and, for heights, interpretation "Terrarium Terrain RGB".
iface.addRasterLayer("type=xyz&zmin=0&zmax=18&interpretation=terrariumterrain&url=${heights}", "${w.name} heights", "wms")
iface.addRasterLayer("type=xyz&zmin=0&zmax=18&url=${picture}", "${w.name} ${w.picture}", "wms")
iface.mapCanvas().setCenter(QgsPointXY(${round(w.east / HALF * HALF_3857)}, ${round(-w.south / HALF * HALF_3857)}))
iface.mapCanvas().zoomScale(${round(w.pixel / HALF * HALF_3857 * 96 / 0.0254)})  # of 96 dots an inch
`;
}

/* ---- Game engines -------------------------------------------------------------------------------------- */

function godot(w) {
    return `# Godot 4: a MeshInstance3D of one tile. Floats come as they are, the first row in the north (-Z).
extends MeshInstance3D

func _ready() -> void:
    var http := HTTPRequest.new()
    add_child(http)
    http.request("${w.tile('.f32')}")
    var answer: Array = await http.request_completed # result, status, headers, body
    if answer[1] != 200:
        push_error("terrane: status %d" % answer[1])
        return
    var heights := Image.create_from_data(257, 257, false, Image.FORMAT_RF, answer[3])

    var plane := PlaneMesh.new()
    plane.size = Vector2(${w.side_m}, ${w.side_m})
    plane.subdivide_width = 255
    plane.subdivide_depth = 255
    var shader := Shader.new()
    shader.code = """
shader_type spatial;
uniform sampler2D heights : filter_nearest, repeat_disable;
void vertex() { VERTEX.y = texture(heights, (UV * 256.0 + 0.5) / 257.0).r; }
void fragment() { NORMAL = normalize(cross(dFdy(VERTEX), dFdx(VERTEX))); ALBEDO = vec3(0.4, 0.5, 0.3); }
"""
    var material := ShaderMaterial.new()
    material.shader = shader
    material.set_shader_parameter("heights", ImageTexture.create_from_image(heights))
    mesh = plane
    material_override = material
    extra_cull_margin = 8192.0 # the plane's box knows nothing of heights
`;
}

function unity(w) {
    return `// Unity: a Terrain of one tile. 16 bits over the world's range; SetHeights has its first row in the south, the tile in the north.
using System.Collections;
using UnityEngine;
using UnityEngine.Networking;

public class TerraneTile : MonoBehaviour
{
    [System.Serializable] class Range { public float low, high; }
    [System.Serializable] class World { public Range range_16bit_m; }

    IEnumerator Start()
    {
        using var about = UnityWebRequest.Get("${w.url('world/SEED', { variant: '' })}");
        yield return about.SendWebRequest();
        using var tile = UnityWebRequest.Get("${w.tile('.r16')}");
        yield return tile.SendWebRequest();
        if (about.result != UnityWebRequest.Result.Success || tile.result != UnityWebRequest.Result.Success) {
            Debug.LogError($"terrane: {about.error} {tile.error}");
            yield break;
        }
        var range = JsonUtility.FromJson<World>(about.downloadHandler.text).range_16bit_m;
        var bytes = tile.downloadHandler.data;
        var heights = new float[257, 257];
        for (int row = 0; row < 257; row++)
            for (int column = 0; column < 257; column++) {
                int at = 2 * (row * 257 + column);
                heights[256 - row, column] = (bytes[at] | bytes[at + 1] << 8) / 65535f;
            }
        var data = new TerrainData { heightmapResolution = 257 };
        data.size = new Vector3(${w.side_m}f, range.high - range.low, ${w.side_m}f);
        data.SetHeights(0, 0, heights);
        Terrain.CreateTerrainGameObject(data).transform.position = new Vector3(0, range.low, 0);
    }
}
`;
}

function unreal(w) {
    return `# Unreal: Landscape Mode > Manage > Import from File. 1009 x 1009 samples are one of its own sizes (also 505, 2017, 4033).
curl -o terrane.png '${w.url('region/SEED.png', { ...w.corner(1009, 1009), enc: 'gray16' })}'
# 0 .. 65535 are the world's range_16bit_m, low .. high:
curl '${w.url('world/SEED', { variant: '' })}'
# Scale X and Y: ${100 * w.spacing_m} (centimetres a sample). Scale Z: (high - low) * 100 * 128 / 65535; with -6000 .. 6000 m: 2343.79.
# Location Z: (high + low) / 2 * 100.
`;
}

function curl(w) {
    return `curl -o tile.png   '${w.tile('.png', { layer: w.picture })}'
curl -o tile.f32   '${w.tile('.f32', { layer: w.numbers })}'
curl -o mesh.glb   '${w.tile('.glb')}'
curl               '${w.tile('.json', { layer: w.numbers })}'
curl               '${w.url('point/SEED', { x: w.east_m, y: w.south_m, lod: w.lod })}'
curl               '${w.url('world/SEED', { variant: '' })}'
`;
}

const CLIENTS = [
    ['maplibre', 'MapLibre GL', 'html', maplibre], ['leaflet', 'Leaflet', 'html', leaflet], ['openlayers', 'OpenLayers', 'html', openlayers],
    ['deckgl', 'deck.gl', 'html', deckgl], ['cesium', 'CesiumJS', 'html', cesium], ['three', 'three.js', 'html', three],
    ['numpy', 'NumPy', 'python', numpy], ['gdal', 'GDAL', 'sh', gdal], ['rasterio', 'rasterio', 'python', rasterio],
    ['qgis', 'QGIS', 'python', qgis], ['godot', 'Godot', 'gdscript', godot], ['unity', 'Unity', 'csharp', unity],
    ['unreal', 'Unreal', 'sh', unreal], ['curl', 'curl', 'sh', curl],
];

export function snippets(options) {
    const w = world(options);
    return CLIENTS.map(([id, name, language, write]) => ({ id, name, language, text: write(w) }));
}
