// terrane on the graphics card: a world's base ground at any zoom, without a tile. Drag and turn the wheel.
//
// Two passes. The first makes the heights of the samples in view, one a texel, of the level that fits: so a zoom shows what tiles of it
// would. The second draws them as relief, and between them where a pixel is less than a sample of level 0. Both want WebGL2; the first
// also EXT_color_buffer_float, which cards of phones may lack.
import { World } from "/js/index.js";
import { glslOf, halvesOf } from "/js/glsl.js";

const world = await World.open({
    seed: "atlantis",
    workers: 1,
    recipe: {
        terms: {
            land: { fractal: "fbm", octaves: 9, cell_m: 65536, gain: 0.55, amplitude_m: 900 },
            hills: { fractal: "ridged", octaves: 10, cell_m: 4096, gain: 0.48, amplitude_m: 180 },
            height: { curve: "land", knots: [[-1500, -900], [-100, -120], [0, 0], [80, 20], [600, 300], [1500, 1600]] },
            rugged: { curve: "land", knots: [[-200, 0.05], [100, 0.15], [900, 1.6]] },
        },
        height: { sum: ["height", { product: ["hills", "rugged"] }] },
    },
});
const twin = glslOf(world);

const HEIGHTS = `#version 300 es
${twin.source}
uniform uvec2 west, north;
uniform int level;
out vec4 height;
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    height = vec4(terrane_height(terrane_moved(west, at.x, level), terrane_moved(north, at.y, level), level));
}`;

const RELIEF = `#version 300 es
precision highp float;
uniform highp sampler2D heights;
uniform vec2 first, size;     // of the canvas: its north-western corner in texels; its height and a pixel in texels
uniform float spacing;        // metres of a texel
out vec4 colour;
float at(ivec2 k) { return texelFetch(heights, k, 0).x; }
/* East, south, height. */
vec3 ground(ivec2 k)
{
    return vec3(at(k + ivec2(1, 0)) - at(k - ivec2(1, 0)), at(k + ivec2(0, 1)) - at(k - ivec2(0, 1)), at(k));
}
void main()
{
    vec2 place = first + vec2(gl_FragCoord.x, size.x - gl_FragCoord.y) * size.y, t = fract(place);
    ivec2 k = ivec2(floor(place));
    vec3 g = mix(mix(ground(k), ground(k + ivec2(1, 0)), t.x), mix(ground(k + ivec2(0, 1)), ground(k + ivec2(1)), t.x), t.y);
    vec3 normal = normalize(vec3(-g.xy / (2.0 * spacing) * 1.5, 1.0));
    float light = 0.35 + 0.75 * max(dot(normal, normalize(vec3(-1.0, -1.0, 1.2))), 0.0);
    vec3 land = mix(mix(vec3(0.46, 0.56, 0.33), vec3(0.52, 0.45, 0.33), smoothstep(150.0, 700.0, g.z)), vec3(0.94), smoothstep(900.0, 1500.0, g.z));
    vec3 sea = mix(vec3(0.35, 0.58, 0.68), vec3(0.10, 0.24, 0.42), smoothstep(0.0, 700.0, -g.z));
    colour = vec4(g.z < 0.0 ? sea * (0.8 + 0.2 * light) : land * light, 1.0);
}`;

const QUAD = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;

const canvas = document.querySelector("canvas");
const gl = canvas.getContext("webgl2", { preserveDrawingBuffer: true });
if (!gl?.getExtension("EXT_color_buffer_float")) throw new Error("this browser draws no textures of floats");

/** A program that fills what is drawn on: with the places of its uniforms. */
function programOf(fragment) {
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, QUAD], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, text);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) || "a shader does not compile");
    return { program, at: (name) => gl.getUniformLocation(program, name) };
}
const heights = programOf(HEIGHTS), relief = programOf(RELIEF);
twin.bind(gl, heights.program);

const texture = gl.createTexture(), target = gl.createFramebuffer();
gl.bindTexture(gl.TEXTURE_2D, texture);
for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
gl.bindFramebuffer(gl.FRAMEBUFFER, target);
gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);

// The middle of the view in 2^-8ths of a sample of level 0, as whole numbers of any size, and samples a pixel.
const view = { x: 0n, y: 0n, scale: 128 };
const PARTS = 256, EDGE = 2n;
const parts = (pixels) => BigInt(Math.round(pixels * view.scale * PARTS));

/* Along one axis: the sample of the level that the first texel is, and how far from it the canvas begins, in texels. */
function axis(middle, pixels, level) {
    const begin = middle - parts(pixels / 2), unit = BigInt(PARTS) << BigInt(level);
    const sample = (begin >> (8n + BigInt(level))) - EDGE;
    return { sample: sample << BigInt(level), first: Number(begin - sample * unit) / Number(unit) };
}

function draw() {
    const width = canvas.width = canvas.clientWidth, height = canvas.height = canvas.clientHeight;
    const level = Math.max(0, Math.min(24, Math.round(Math.log2(view.scale)))), pixel = view.scale / 2 ** level;
    const x = axis(view.x, width, level), y = axis(view.y, height, level);
    const across = Math.ceil(width * pixel) + 6, down = Math.ceil(height * pixel) + 6;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32F, across, down, 0, gl.RED, gl.FLOAT, null);

    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.viewport(0, 0, across, down);
    gl.useProgram(heights.program);
    gl.uniform2uiv(heights.at("west"), halvesOf(x.sample));
    gl.uniform2uiv(heights.at("north"), halvesOf(y.sample));
    gl.uniform1i(heights.at("level"), level);
    gl.drawArrays(gl.TRIANGLES, 0, 3);

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.useProgram(relief.program);
    gl.uniform2f(relief.at("first"), x.first, y.first);
    gl.uniform2f(relief.at("size"), height, pixel);
    gl.uniform1f(relief.at("spacing"), world.facts.spacing * 2 ** level);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
}

let asked = 0;
function show(next) {
    Object.assign(view, next);
    asked ||= requestAnimationFrame(() => { asked = 0; draw(); });
}
canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
canvas.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) show({ x: view.x - parts(event.movementX), y: view.y - parts(event.movementY) });
});
canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [right, down] = [event.offsetX - canvas.clientWidth / 2, event.offsetY - canvas.clientHeight / 2];
    const before = [parts(right), parts(down)];
    view.scale = Math.max(2 ** -6, Math.min(2 ** 24, view.scale * 2 ** (event.deltaY / 240)));
    show({ x: view.x + before[0] - parts(right), y: view.y + before[1] - parts(down) }); // what is under the pointer stays there
}, { passive: false });
addEventListener("resize", () => show({}));

draw();
Object.assign(window, { view, draw, ready: true });
