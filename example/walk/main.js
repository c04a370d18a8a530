// terrane in three.js: a walk in first person, over ground that comes as one goes. terrane/three has the ground; here are the day, the one
// who walks, and a page.
//
//   ?server=http://127.0.0.1:8080&world=42&recipe=alpine&x=-1200&z=400&hour=9      x, z: metres to the east and south of the world's middle
//   &quality=low                                                                   what a machine without a graphics card gets by itself
import { ACESFilmicToneMapping, MathUtils, PerspectiveCamera, Scene, WebGLRenderer } from "three";
import { Ground } from "terrane/three";
import { Day } from "./day.js";
import { Walker } from "./walker.js";
import "./walk.css";

const asked = new URLSearchParams(location.search);
const { server: ours } = document.documentElement.dataset; // the page is the server's own
const server = asked.get("server") ?? (ours ? new URL(ours, location.href).href : "http://127.0.0.1:8080");
const number = (name, other) => (asked.has(name) ? Number(asked.get(name)) : other);
const keyOfViewer = () => {
    try {
        return sessionStorage.getItem("terrane.key"); // where a server wants one
    } catch {
        return null; // a browser that keeps nothing
    }
};
const key = keyOfViewer();

const view = document.getElementById("view"), keys = document.getElementById("keys"), place = document.getElementById("place"), hour = document.getElementById("hour");
const renderer = new WebGLRenderer({ antialias: true, reversedDepthBuffer: true });
const gl = renderer.getContext(), card = gl.getExtension("WEBGL_debug_renderer_info");
const slow = card && /swiftshader|llvmpipe|software/i.test(gl.getParameter(card.UNMASKED_RENDERER_WEBGL));
const low = (asked.get("quality") ?? (slow ? "low" : "high")) === "low";
renderer.setPixelRatio(low ? 1 : Math.min(devicePixelRatio, 2));
renderer.shadowMap.enabled = !low;
renderer.toneMapping = ACESFilmicToneMapping;
view.append(renderer.domElement);

const scene = new Scene();
const camera = new PerspectiveCamera(65, 1, 0.2, 60000);
const query = Object.fromEntries(["recipe", "v", "variant"].filter((name) => asked.has(name)).map((name) => [name, asked.get(name)]));
const ground = await Ground.open({
    server, query, world: asked.get("world") ?? "42",
    at: asked.has("x") && { x: number("x", 0), z: number("z", 0) },
    shadows: !low,
    ...(low && { detail: 64, reach: 1.25, far: 20000, things: { most: 3000, whole: 150, near: 90 } }),
    ...(key && { fetch: (url, options) => fetch(url, { ...options, headers: { "X-Api-Key": key } }) }),
}).catch((error) => {
    keys.classList.add("wrong");
    keys.textContent = error.message;
    throw error;
});
scene.add(ground.group);
const day = new Day(scene, { shadows: !low });
const walker = new Walker(camera, ground, view);
camera.position.set(0.4, 0, 0.4); // on no sample: a vertex in the plane of the eye is drawn wrong by some
walker.yaw = MathUtils.degToRad(-number("bearing", 0));
hour.value = number("hour", 9);

document.addEventListener("pointerlockchange", () => keys.classList.toggle("walking", document.pointerLockElement !== null));
document.addEventListener("keydown", ({ code }) => {
    if (code === "BracketLeft" || code === "BracketRight") hour.value = (Number(hour.value) + (code === "BracketLeft" ? 23.75 : 0.25)) % 24;
});
function fit() {
    renderer.setSize(innerWidth, innerHeight);
    camera.aspect = innerWidth / innerHeight;
    camera.updateProjectionMatrix();
}
addEventListener("resize", fit);
fit();
Object.assign(window, { ground, walker, camera, renderer, scene, day, hour });

const metres = (value) => Math.round(value).toLocaleString("en");
let before = performance.now(), told = 0;
renderer.setAnimationLoop((now) => {
    walker.step((now - before) / 1000);
    before = now;
    ground.update(camera);
    day.update(Number(hour.value), camera, now / 1000);
    ground.setSky(day.zenith, day.horizon);
    renderer.render(scene, camera);
    window.ready ||= ground.levelAt(camera.position.x, camera.position.z) === 0 && ground.tiles.visibleTiles.size > 0;
    if (now - told > 250) {
        told = now;
        const { x, z } = ground.origin;
        place.textContent = `${metres(camera.position.x + x)}, ${metres(camera.position.z + z)} · ${metres(walker.feet)} m${walker.flying ? " · flying" : ""}`;
    }
});
