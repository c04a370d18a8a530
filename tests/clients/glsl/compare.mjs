// What a twin's shader says of samples against the library, sample for sample: of recipes that together have every kind, base and term.
import { World } from "/js/index.js";
import { glslOf, halvesOf } from "/js/glsl.js";

const SIZE = 33;
/* From the world's middle to 2^40 samples from it and beyond, and where higher words of cells change. */
const TILES = [
    { level: 0, x: 0, y: -1 }, { level: 0, x: 2 ** 32 + 5, y: -(2 ** 32) - 7 }, { level: 1, x: 2 ** 39, y: 3 }, { level: 4, x: -70, y: 1000003 },
    { level: 9, x: -1, y: 12 }, { level: 13, x: 2 ** 20, y: -(2 ** 27) - 1 }, { level: 18, x: -3, y: 2 }, { level: 24, x: -9, y: 12 },
];
const BASES = ["value", "polynomial", "polynomial-c1", "perlin3", "perlin5", "hermite", "simplex", "simplex-smooth", "cellular-f1", "cellular-f2", "cellular-edge"];
const KINDS = ["fbm", "billow", "ridged", "double-ridged", "iq", "multifractal", "hybrid", "swiss", "jordan"];

const height = (terms, more) => ({ terms, height: { sum: Object.keys(terms).slice(0, 8).map((name) => name) }, ...more });
const each = (names, make) => height({ ...Object.fromEntries(names.map((name, k) => [`t${k}`, make(name, k)])) });
const nudge = { "push-x": { fractal: "fbm", octaves: 3, cell_m: 2048 }, "push-y": { fractal: "fbm", octaves: 2, cell_m: 3000 } };
const warped = { x: "push-x", y: "push-y", m: 400 };
const zones = ["low", "middle", "high"].map((name, k) => ({ name, colour: "#808080", offset_m: 40 * k, surface: k === 2 ? undefined : "rough", amplitude: k + 0.5 }));
const ground = {
    land: { fractal: "fbm", octaves: 8, cell_m: 65536, amplitude_m: 400 },
    rough: { fractal: "ridged", octaves: 7, cell_m: 512, gain: 0.45, amplitude_m: 60 },
    mild: { fractal: "fbm", base: "value", octaves: 3, cell_m: 32768 },
    swell: { coarse: { curve: "land", knots: [[-300, 0], [0, 20], [100, 200], [500, 260]] }, cell_m: 1024 },
    mix: { blend: ["rough", "land"], by: "mild", from: -0.3, to: 0.4 },
    shelves: { max: ["mild", { min: ["swell", 40] }] },
    scaled: { product: ["mild", "swell", "mild"], times: 0.7, offset_m: -3 },
    curved: { curve: "rough", knots: [[-80, -20], [-10, -12], [30, 40], [60, 41], [90, 80]] },
};
const whole = ["swell", "mix", [0.5, "scaled"], "curved", "shelves", "zones"];

export const RECIPES = {
    bases: each(BASES.slice(0, 8), (base) => ({ fractal: "fbm", base, octaves: 4, cell_m: 1024, amplitude_m: 10 })),
    cells: each(BASES.slice(8), (base, k) => ({ fractal: "fbm", base, octaves: 2, cell_m: 500, jitter: k ? 1 : 0.6, amplitude_m: 10 })),
    shapes: each(KINDS.slice(0, 4), (fractal) => ({ fractal, octaves: 9, cell_m: 2 ** 20, amplitude_m: 100 })),
    kinds: each(KINDS.slice(4), (fractal) => ({ fractal, octaves: 5, cell_m: 8192, amplitude_m: 100 })),
    points: { ...height({ a: { fractal: "fbm", octaves: 6, cell_m: 3001, lacunarity: 1.9, amplitude_m: 50, base: ["perlin5", "simplex", "value"] },
        b: { fractal: "multifractal", octaves: 4, cell_m: 2 ** 36, lacunarity: 8, amplitude_m: 50 },
        c: { fractal: "hybrid", octaves: 5, cell_m: 5000, base: "simplex-smooth", amplitude_m: 50 } }), spacing_m: 0.75, alias_octaves: true },
    warped: { terms: { ...nudge, a: { fractal: "ridged", octaves: 5, cell_m: 4096, amplitude_m: 50, warp_by: warped },
        b: { fractal: "fbm", base: "simplex", octaves: 5, cell_m: 4096, amplitude_m: 50, warp_by: { x: "push-x", m: 300 } },
        c: { fractal: "billow", base: "hermite", octaves: 2, cell_m: 999, amplitude_m: 20, warp_by: { y: "a", m: 7 } } }, height: { sum: ["a", "b", "c"] } },
    slopes: { terms: { ...nudge, ...Object.fromEntries(["iq", "swiss", "jordan"].map((fractal, k) => [fractal,
        { fractal, octaves: 4, cell_m: 8192, base: ["value", "simplex", "perlin3"][k], amplitude_m: 100, warp_by: warped }])) }, height: { sum: ["iq", "swiss", "jordan"] } },
    terms: { terms: ground, height: { sum: whole }, zones, partition: { noise: "mild", thresholds: [-0.2, 0.3], blend: 0.25 } },
    table: { terms: ground, height: { sum: whole }, zones, partition: { climate: { temperature: "mild", moisture: { sum: [[0.002, "land"]] }, cold: -0.8, hot: 0.9,
        dry: -1, wet: 0.7, table: [["low", "middle"], ["high", "low"], ["middle", "high"]] }, blend: 0.4 } },
    island: { terms: { land: ground.land, belts: { coarse: { plates: "crust" } } }, height: { sum: ["land", [200, "belts"]] }, plates: {} }, // refused
};

/** What draws heights of SIZE x SIZE samples into floats: by a twin's source, with the numbers of any of its worlds. */
function drawerOf(source) {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (!gl.getExtension("EXT_color_buffer_float")) throw new Error("no textures of floats");
    const program = gl.createProgram();
    const texts = [[gl.VERTEX_SHADER, "#version 300 es\nvoid main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }"],
        [gl.FRAGMENT_SHADER, `#version 300 es
${source}
uniform uvec2 west, north;
uniform int level, apart;
out vec4 height;
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy) * apart;
    height = vec4(terrane_height(terrane_moved(west, at.x, level), terrane_moved(north, at.y, level), level));
}`]];
    for (const [type, text] of texts) {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, text);
        gl.compileShader(shader);
        if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
        gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, SIZE, SIZE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, gl.getParameter(gl.TEXTURE_BINDING_2D), 0);
    gl.viewport(0, 0, SIZE, SIZE);
    const at = (name) => gl.getUniformLocation(program, name), pixels = new Float32Array(4 * SIZE * SIZE);
    return {
        seeded: (other) => other.bind(gl, program),
        draw({ level, x, y }) {
            const origin = (tile) => halvesOf(BigInt(tile) * 256n << BigInt(level));
            gl.uniform2uiv(at("west"), origin(x));
            gl.uniform2uiv(at("north"), origin(y));
            gl.uniform1i(at("level"), level);
            gl.uniform1i(at("apart"), 256 / (SIZE - 1));
            gl.drawArrays(gl.TRIANGLES, 0, 3);
            gl.readPixels(0, 0, SIZE, SIZE, gl.RGBA, gl.FLOAT, pixels);
            return pixels.filter((_, k) => k % 4 === 0);
        },
        close: () => gl.getExtension("WEBGL_lose_context").loseContext(),
    };
}

const worst = (a, b) => a.reduce((most, v, k) => (Math.abs(v - b[k]) <= most ? most : Math.abs(v - b[k])), 0);

/* The same numbers, but for the zero that is added to products: other heights show that it was not left out. */
function shaken(twin) {
    const zero = twin.words.length - 4;
    return { bind(gl, program) {
        twin.words[zero] = 0x3C000000; // 2^-7
        twin.bind(gl, program);
        twin.words[zero] = 0;
    } };
}

/** Of a recipe: its bound, what samples of each tile differ by, also where products are shaken, how high ground is, how far another seed's lies. */
export async function compare(name) {
    const [world, other] = await Promise.all(["atlantis", "18446744073709551615"].map((seed) => World.open({ recipe: RECIPES[name], seed, workers: 1 })));
    try {
        const twin = glslOf(world), found = { bound: twin.bound_m, differs: [], shaken: [], high: 0, other: 0 };
        if (glslOf(other).source !== twin.source) throw new Error("the source is another for another seed");
        const tiles = (of) => Promise.all(TILES.map(async (tile) => (await of.tile({ ...tile, size: SIZE, variant: "base" })).samples));
        const right = await tiles(world), others = await tiles(other);
        const drawer = drawerOf(twin.source), shaking = drawerOf(twin.source);
        drawer.seeded(twin);
        shaking.seeded(shaken(twin));
        TILES.forEach((tile, k) => {
            const drawn = drawer.draw(tile);
            found.differs.push(worst(right[k], drawn));
            if (k % 2 === 0) found.shaken.push(worst(right[k], shaking.draw(tile)));
            found.other = Math.max(found.other, worst(others[k], drawn));
            found.high = Math.max(found.high, ...right[k].map(Math.abs));
        });
        drawer.seeded(glslOf(other));
        TILES.forEach((tile, k) => found.differs.push(worst(others[k], drawer.draw(tile))));
        for (const one of [drawer, shaking]) one.close();
        return found;
    } finally {
        world.close();
        other.close();
    }
}
