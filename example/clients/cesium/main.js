// terrane in CesiumJS: the world's middle laid around the globe.
//
// /terrain/{seed} is quantized-mesh in geographic degrees: 33,554 km of the world are once around, tile z has level 16 - z. Pictures
// come from the same plane: the native tiles of that level, counted from the north-west of the globe.
import {
    Cartesian3, Cartographic, CesiumTerrainProvider, GeographicTilingScheme, ImageryLayer, Ion, Math as Angle,
    UrlTemplateImageryProvider, Viewer, sampleTerrain, sampleTerrainMostDetailed,
} from "cesium";
import "cesium/Build/Cesium/Widgets/widgets.css";

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";
Ion.defaultAccessToken = undefined; // nothing comes from anywhere else

const relief = new UrlTemplateImageryProvider({
    url: `${server}/tile/42/{lod}/{east}/{south}.png?layer=relief`,
    tilingScheme: new GeographicTilingScheme(),
    minimumLevel: 1, maximumLevel: 16,
    customTags: {
        lod: (_, x, y, level) => 16 - level,
        east: (_, x, y, level) => x - 2 ** level,
        south: (_, x, y, level) => y - 2 ** (level - 1),
    },
});

const viewer = new Viewer("globe", {
    terrainProvider: await CesiumTerrainProvider.fromUrl(`${server}/terrain/42`, { requestVertexNormals: true, requestWaterMask: true }),
    baseLayer: new ImageryLayer(relief),
    baseLayerPicker: false, geocoder: false, animation: false, timeline: false, navigationHelpButton: false,
    requestRenderMode: true, // draws when something has changed
});
viewer.scene.globe.enableLighting = false;

/** Where a place of the world is on the globe, in degrees. */
function degreesOf(xMetres, yMetres) {
    return [xMetres / 16777216 * 180, -yMetres / 16777216 * 180];
}

const [longitude, latitude] = degreesOf(-424000, 236000);
viewer.camera.setView({
    destination: Cartesian3.fromDegrees(longitude, latitude, 90000),
    orientation: { heading: 0, pitch: Angle.toRadians(-35), roll: 0 },
});
let working = false;
viewer.scene.globe.tileLoadProgressEvent.addEventListener((waiting) => {
    window.ready ||= working && waiting === 0;
    working ||= waiting > 0;
});
Object.assign(window, { viewer, degreesOf, CesiumTerrainProvider, sampleTerrain, sampleTerrainMostDetailed, Cartographic });
