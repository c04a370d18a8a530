// terrane as 3D Tiles in CesiumJS: the plane as it is, metres everywhere, without a globe.
//
// /3dtiles/{seed}/tileset.json is in the world's own metres, x to the east, y to the north, z up, about its origin. A model matrix puts
// it where it is wanted; here the origin stands on the equator, and up is away from the earth's middle.
import {
    Cartesian3, Cesium3DTileset, CustomShader, DirectionalLight, HeadingPitchRange, Ion, LightingModel, Math as Angle, Matrix4, Transforms,
    Viewer,
} from "cesium";
import "cesium/Build/Cesium/Widgets/widgets.css";

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";
Ion.defaultAccessToken = undefined; // nothing comes from anywhere else

const viewer = new Viewer("plane", {
    globe: false, baseLayer: false, skyBox: false, skyAtmosphere: false, baseLayerPicker: false, geocoder: false, animation: false,
    timeline: false, navigationHelpButton: false, homeButton: false, sceneModePicker: false,
});
const frame = Transforms.eastNorthUpToFixedFrame(Cartesian3.fromDegrees(0, 0));
viewer.scene.light = new DirectionalLight({
    direction: Matrix4.multiplyByPointAsVector(frame, Cartesian3.normalize(new Cartesian3(1, -1, -1), new Cartesian3()), new Cartesian3()),
    intensity: 1.2,
});

// Meshes have no colours of their own: these are by height.
const colours = new CustomShader({
    lightingModel: LightingModel.PBR,
    fragmentShaderText: `
        void fragmentMain(FragmentInput fsInput, inout czm_modelMaterial material) {
            float height = fsInput.attributes.positionMC.y;
            vec3 land = mix(vec3(0.22, 0.36, 0.14), vec3(0.62, 0.55, 0.42), clamp(height / 1200.0, 0.0, 1.0));
            land = mix(land, vec3(0.95), clamp((height - 1500.0) / 500.0, 0.0, 1.0));
            material.diffuse = height <= 0.0 ? vec3(0.08, 0.22, 0.38) : land;
        }`,
});
const tileset = viewer.scene.primitives.add(await Cesium3DTileset.fromUrl(`${server}/3dtiles/42/tileset.json`, {
    modelMatrix: frame, customShader: colours,
}));

viewer.camera.lookAtTransform(
    Matrix4.multiplyByTranslation(frame, new Cartesian3(-195000, -105000, 1000), new Matrix4()),
    new HeadingPitchRange(0, Angle.toRadians(-30), 30000));

const tiles = new Set();
tileset.tileLoad.addEventListener(({ content }) => { if (content.url) tiles.add(content.url); });

let quiet = 0; // frames: between two levels nothing is missing for a moment
viewer.scene.postRender.addEventListener(() => {
    quiet = tileset.tilesLoaded ? quiet + 1 : 0;
    window.ready ||= quiet > 20;
});
Object.assign(window, { viewer, tileset, tiles, frame, Cartesian3, Matrix4 });
