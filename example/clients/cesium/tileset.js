// terrane as 3D Tiles in CesiumJS: the plane as it is, metres everywhere, without a globe.
//
// /3dtiles/{seed}/tileset.json is in the world's own metres, x to the east, y to the north, z up, about its origin. A model matrix puts
// it where it is wanted; here the origin stands on the equator, and up is away from the earth's middle.
import {
    Cartesian3, Cesium3DTileset, HeadingPitchRange, Ion, Math as Angle, Matrix4, Transforms, Viewer,
} from "cesium";
import "cesium/Build/Cesium/Widgets/widgets.css";

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";
Ion.defaultAccessToken = undefined; // nothing comes from anywhere else

const viewer = new Viewer("plane", {
    globe: false, baseLayer: false, skyBox: false, skyAtmosphere: false, baseLayerPicker: false, geocoder: false, animation: false,
    timeline: false, navigationHelpButton: false, homeButton: false, sceneModePicker: false,
});
const frame = Transforms.eastNorthUpToFixedFrame(Cartesian3.fromDegrees(0, 0));
const tileset = viewer.scene.primitives.add(await Cesium3DTileset.fromUrl(`${server}/3dtiles/42/tileset.json?texture=relief`, {
    modelMatrix: frame, // each mesh has its relief on it, light and all: no sun is needed
}));

viewer.camera.lookAtTransform(
    Matrix4.multiplyByTranslation(frame, new Cartesian3(-424000, -236000, 3000), new Matrix4()),
    new HeadingPitchRange(0, Angle.toRadians(-30), 30000));

const tiles = new Set();
tileset.tileLoad.addEventListener(({ content }) => { if (content.url) tiles.add(content.url); });

let quiet = 0; // frames: between two levels nothing is missing for a moment
viewer.scene.postRender.addEventListener(() => {
    quiet = tileset.tilesLoaded ? quiet + 1 : 0;
    window.ready ||= quiet > 20;
});
Object.assign(window, { viewer, tileset, tiles, frame, Cartesian3, Matrix4 });
