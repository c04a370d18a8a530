// The day: a sun that goes round, its light, the sky and its clouds, and haze in the colour of the horizon.
import {
    BackSide, Color, DirectionalLight, FogExp2, HemisphereLight, MathUtils, Mesh, ShaderMaterial, SphereGeometry, Vector3,
} from "three";

const HAZE = 4.2e-5; // of 40 km next to nothing is left
const SHADOW_M = 140;
/* By the sun's height (the sine): colours of the zenith, the horizon, the sun, and how bright sun and sky are. */
const TIMES = [
    { at: -0.25, zenith: 0x060c1e, horizon: 0x16223a, sun: 0x9fb4e0, bright: 0.6, sky: 5 },
    { at: -0.08, zenith: 0x1c2f58, horizon: 0x6c5568, sun: 0xa898c0, bright: 0.2, sky: 2.6 },
    { at: 0.04, zenith: 0x33598f, horizon: 0xe0a070, sun: 0xff9a50, bright: 2, sky: 1.7 },
    { at: 0.25, zenith: 0x2f6db5, horizon: 0xb8cbd8, sun: 0xffe2b8, bright: 3.4, sky: 1.6 },
    { at: 0.8, zenith: 0x2463b4, horizon: 0xacc9e2, sun: 0xfff3e0, bright: 3.9, sky: 1.8 },
];

/* Of a height of the sun: between the times before and after it. */
function timeAt(high) {
    const k = TIMES.findIndex(({ at }) => at > high), before = TIMES[Math.max(k < 0 ? TIMES.length - 1 : k - 1, 0)], after = TIMES[k] ?? before;
    const share = after.at > before.at ? (high - before.at) / (after.at - before.at) : 0;
    const colour = (name) => new Color(before[name]).lerp(new Color(after[name]), share), number = (name) => MathUtils.lerp(before[name], after[name], share);
    return { zenith: colour("zenith"), horizon: colour("horizon"), sun: colour("sun"), bright: number("bright"), sky: number("sky") };
}

const VERTEX = `
varying vec3 vWay;
void main() {
    vWay = position;
    gl_Position = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
}`;
const FRAGMENT = `
uniform vec3 uZenith, uHorizon, uSunColour, uSun;
uniform float uNow, uNight;
varying vec3 vWay;
float hash(vec2 p) { p = fract(p * vec2(127.1, 311.7)); p += dot(p, p + 34.5); return fract(p.x * p.y); }
float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x), mix(hash(i + vec2(0, 1)), hash(i + 1.0), f.x), f.y);
}
void main() {
    vec3 way = normalize(vWay);
    float high = max(way.y, 0.0), near = max(dot(way, uSun), 0.0);
    vec3 colour = mix(uHorizon, uZenith, pow(smoothstep(0.0, 0.75, high), 0.6));
    colour += uSunColour * (0.16 * pow(near, 8.0) * (1.0 - high) + 0.3 * pow(near, 120.0));
    colour += uSunColour * 12.0 * smoothstep(0.99985, 0.99995, dot(way, uSun)) * step(0.0, way.y);
    if (uNight > 0.0) {
        vec3 star = way * 110.0, cell = floor(star);
        float bright = fract(sin(dot(cell, vec3(12.9898, 78.233, 37.719))) * 43758.5453);
        colour += uNight * smoothstep(0.985, 1.0, bright) * smoothstep(0.35, 0.05, length(star - cell - 0.5)) * smoothstep(0.0, 0.2, high);
    }
    vec2 at = way.xz / (high + 0.12) * 1.6 + uNow * vec2(0.004, 0.002);
    float cloud = 0.0, weight = 0.5;
    for (int k = 0; k < 5; k++) { cloud += weight * noise(at); at = at * 2.1 + 7.3; weight *= 0.5; }
    float cover = smoothstep(0.5, 0.75, cloud) * smoothstep(0.02, 0.25, high);
    vec3 lit = mix(uHorizon, uSunColour, 0.45) * mix(1.25, 0.8, smoothstep(0.55, 0.9, cloud)) + uSunColour * 0.25 * pow(near, 6.0);
    colour = mix(colour, lit, 0.8 * cover);
    gl_FragColor = vec4(colour, 1.0);
    #include <tonemapping_fragment>
    #include <colorspace_fragment>
}`;

export class Day {
    zenith = new Color();
    horizon = new Color();
    #sun = new DirectionalLight();
    #sky = new HemisphereLight();
    #way = new Vector3();
    #glow = new Color(); // the sun's, as bright as it is
    #dome;

    constructor(scene, { shadows }) {
        this.fog = scene.fog = new FogExp2(0, HAZE);
        const uniforms = { uZenith: { value: this.zenith }, uHorizon: { value: this.horizon }, uSunColour: { value: this.#glow }, uSun: { value: this.#way }, uNow: { value: 0 }, uNight: { value: 0 } };
        this.#dome = new Mesh(new SphereGeometry(1000, 48, 32), new ShaderMaterial({
            uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, side: BackSide, depthTest: false, depthWrite: false, fog: false,
        }));
        this.#dome.frustumCulled = false;
        this.#dome.renderOrder = -1;
        this.#sun.castShadow = shadows;
        Object.assign(this.#sun.shadow.camera, { left: -SHADOW_M, right: SHADOW_M, top: SHADOW_M, bottom: -SHADOW_M, near: 1, far: 800 });
        this.#sun.shadow.mapSize.set(2048, 2048);
        Object.assign(this.#sun.shadow, { normalBias: 0.15, intensity: 0.85 });
        scene.add(this.#dome, this.#sun, this.#sun.target, this.#sky);
    }

    /** hour: 0 .. 24. */
    update(hour, camera, now) {
        const turn = ((hour - 6) / 12) * Math.PI;
        this.#way.set(Math.cos(turn), Math.sin(turn) * 0.85, 0.5 * Math.sin(turn) + 0.15).normalize(); // over the south, where z grows
        const high = this.#way.y, { zenith, horizon, sun, bright, sky } = timeAt(high);
        this.zenith.copy(zenith);
        this.horizon.copy(horizon);
        this.#sun.color.copy(sun);
        this.#glow.copy(sun).multiplyScalar(Math.min(bright / 2, 1));
        this.#sun.intensity = bright;
        this.#sky.intensity = sky;
        this.#sky.color.copy(this.zenith).lerp(this.horizon, 0.6).multiplyScalar(1.5);
        this.#sky.groundColor.copy(this.horizon).multiply(new Color(0.5, 0.47, 0.38));
        this.fog.color.copy(this.horizon);
        const moon = high < -0.1; // by night light comes from where the sun is not
        this.#sun.target.position.copy(camera.position);
        this.#sun.position.copy(camera.position).addScaledVector(moon ? this.#way.clone().negate() : this.#way, 400);
        const { uNow, uNight } = this.#dome.material.uniforms;
        uNow.value = now;
        uNight.value = MathUtils.smoothstep(-high, 0, 0.2);
    }
}
