// terrane in three.js: a tile's floats as a geometry, and the next tile as the mesh that the server makes.
//
// A PlaneGeometry of 256 x 256 squares has the 257 x 257 vertices of an .f32 tile, in the same order: row by row from the north,
// each from the west. Laid on its back it has y up and z to the south, as the .glb has it. Neighbours share their edges.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080";
const tile = { lod: 6, x: -12, y: 4 };
const metres = 256 * 2 ** tile.lod; // its side

const renderer = new THREE.WebGLRenderer({ antialias: true });
renderer.setSize(innerWidth, innerHeight);
document.getElementById("view").append(renderer.domElement);
const scene = new THREE.Scene();
scene.background = new THREE.Color(0x9ec7e8);
const sun = new THREE.DirectionalLight(0xffffff, 2.5);
sun.position.set(-1, 1, -1);
scene.add(sun, new THREE.AmbientLight(0xffffff, 0.6));
const camera = new THREE.PerspectiveCamera(50, innerWidth / innerHeight, 10, 200000);
camera.position.set(metres / 2, 9000, 16000);
const controls = new OrbitControls(camera, renderer.domElement);
controls.target.set(metres / 2, 500, 0);

/** The tile as a geometry, its middle at the origin. */
async function loadFloats({ lod, x, y }) {
    const answer = await fetch(`${server}/tile/42/${lod}/${x}/${y}.f32`);
    const heights = new Float32Array(await answer.arrayBuffer());
    const geometry = new THREE.PlaneGeometry(metres, metres, 256, 256).rotateX(-Math.PI / 2);
    const position = geometry.getAttribute("position");
    for (let k = 0; k < heights.length; k++) position.setY(k, heights[k]);
    geometry.computeVertexNormals();
    return new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: 0x7f9a62, roughness: 1 }));
}

/** The tile east of it as the server's mesh: normals, texture coordinates and a skirt come with it. */
async function loadMesh({ lod, x, y }) {
    const { scene: mesh } = await new GLTFLoader().loadAsync(`${server}/tile/42/${lod}/${x + 1}/${y}.glb`);
    mesh.position.x = metres;
    return mesh;
}

const [floats, mesh] = await Promise.all([loadFloats(tile), loadMesh(tile)]);
scene.add(floats, mesh);
renderer.setAnimationLoop(() => {
    controls.update();
    renderer.render(scene, camera);
    window.ready = true;
});
Object.assign(window, { floats, mesh, tile, metres });
