/*
 * What stands near, and water over its bed, drawn into the map library's own scene: over standing ground, which hides
 * what lies behind. Lengths are metres of the world, from an origin near the view.
 */
import { VERTEX } from '../../../lib/js/objects.js';

export const GROW_MS = 500; // in which something new comes out of the ground
const INSTANCE = 6; // floats: place, scale, turn, and when it came

const BODY = `#version 300 es
uniform mat4 u_matrix;
uniform float u_now, u_grow;
in vec3 a_position, a_normal;
in vec4 a_colour, a_place;
in vec2 a_turn; // and when it came
out vec3 v_colour;
void main() {
    float age = u_grow > 0.0 ? clamp((u_now - a_turn.y) / u_grow, 0.0, 1.0) : 1.0;
    float s = sin(a_turn.x), c = cos(a_turn.x);
    mat2 turn = mat2(c, s, -s, c);
    vec3 at = a_position * a_place.w * smoothstep(0.0, 1.0, age);
    vec3 normal = vec3(turn * a_normal.xz, a_normal.y);
    float light = 0.84 + 0.34 * dot(normal, vec3(-0.5, -0.5, 0.707));
    v_colour = pow(a_colour.rgb, vec3(1.0 / 2.2)) * light;
    gl_Position = u_matrix * vec4(a_place.xyz + vec3(turn * at.xz, at.y), 1.0);
}`;
const BODY_COLOUR = `#version 300 es
precision mediump float;
in vec3 v_colour;
out vec4 colour;
void main() { colour = vec4(v_colour, 1.0); }`;

/* Shallow water is clear, deep water dark; flat on, it mirrors the sky. */
const WATER = `#version 300 es
uniform mat4 u_matrix;
uniform vec2 u_corner;
uniform float u_stretch;
in vec4 a_water;
out vec3 v_at;
out float v_depth;
void main() {
    v_at = vec3(a_water.xy + u_corner, a_water.z * u_stretch);
    v_depth = a_water.w;
    gl_Position = u_matrix * vec4(v_at, 1.0);
}`;
const WATER_COLOUR = `#version 300 es
precision highp float;
uniform vec3 u_eye, u_sky;
uniform vec2 u_middle;
uniform float u_reach;
in vec3 v_at;
in float v_depth;
out vec4 colour;
void main() {
    vec3 look = normalize(u_eye - v_at);
    vec2 p = v_at.xy * 0.35;
    vec2 ripple = 0.5 * cos(vec2(p.x + 1.7 * sin(p.y * 0.6), p.y * 1.2 + 1.3 * sin(p.x * 0.7)))
        + 0.5 * cos(vec2(p.x * 0.43 - p.y * 0.81, p.x * 0.77 + p.y * 0.52) * 1.9);
    float near = clamp(200.0 / distance(u_eye, v_at), 0.0, 1.0); // from afar ripples are less than a pixel
    vec3 normal = normalize(vec3(0.03 * ripple * near, 1.0));
    float mirror = 0.04 + 0.6 * pow(1.0 - max(dot(look, normal), 0.0), 5.0);
    float glint = pow(max(dot(normalize(look + vec3(-0.5, -0.5, 0.707)), normal), 0.0), 400.0);
    float deep = 1.0 - exp(-max(v_depth, 0.0) / 4.0);
    vec3 tint = mix(vec3(0.36, 0.66, 0.68), vec3(0.06, 0.25, 0.42), 1.0 - exp(-max(v_depth, 0.0) / 14.0));
    float away = 1.0 - smoothstep(0.7, 1.0, distance(v_at.xy, u_middle) / u_reach);
    float clear = mix(0.3, 0.86, deep);
    float alpha = max(clear, mirror) * smoothstep(0.0, 0.25, v_depth) * away;
    colour = vec4(mix(tint, u_sky, mirror) + 0.4 * near * near * glint, 1.0) * alpha;
}`;

function program(gl, vertex, fragment) {
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, text);
        gl.compileShader(shader);
        gl.attachShader(made, shader);
        gl.deleteShader(shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(made));
    return {
        made,
        uniform: (name) => gl.getUniformLocation(made, name),
        attribute: (name) => gl.getAttribLocation(made, name),
    };
}

function buffer(gl, target, data) {
    const made = gl.createBuffer();
    gl.bindBuffer(target, made);
    gl.bufferData(target, data, gl.STATIC_DRAW);
    return made;
}

/* A mesh in the card's memory: what draws it, and its end. fields: [[attribute, width, kind, bytes from the begin]]. */
function upload(gl, { vertices, indices }, stride, fields) {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffers = [buffer(gl, gl.ARRAY_BUFFER, vertices)];
    for (const [attribute, width, kind, offset] of fields) {
        gl.enableVertexAttribArray(attribute);
        gl.vertexAttribPointer(attribute, width, kind, kind === gl.UNSIGNED_BYTE, stride, offset);
    }
    buffers.push(buffer(gl, gl.ELEMENT_ARRAY_BUFFER, indices));
    gl.bindVertexArray(null);
    return {
        array,
        count: indices.length,
        kind: indices.BYTES_PER_ELEMENT === 2 ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT,
        end() {
            gl.deleteVertexArray(array);
            buffers.forEach((each) => gl.deleteBuffer(each));
        },
    };
}

/* m times a shift to (x, y) and a scale, all of them doubles. */
export function shifted(m, x, y, scale) {
    const out = new Float32Array(16);
    for (let r = 0; r < 4; r++) {
        for (let c = 0; c < 3; c++) out[4 * c + r] = m[4 * c + r] * scale;
        out[12 + r] = m[r] * x + m[4 + r] * y + m[12 + r];
    }
    return out;
}

/**
 * A layer of the map library. frame(): what is to be drawn of a frame: {instances: [{model, data}], meshes: [{mesh, x,
 * y}], origin: {x, y, scale} on the library's square, eye, middle, reach, stretch, young}. young: draw again.
 */
export function createScene({ id, frame, calm }) {
    let gl = null;
    let map = null;
    let body = null;
    let water = null;
    const models = new Map(); // model -> what was uploaded, with a buffer of instances
    const meshes = new Map();

    function modelOf(model) {
        if (!models.has(model)) {
            const stride = 4 * VERTEX;
            const mesh = upload(gl, model, stride, [
                [body.attribute('a_position'), 3, gl.FLOAT, 0],
                [body.attribute('a_normal'), 3, gl.FLOAT, 12],
                [body.attribute('a_colour'), 4, gl.UNSIGNED_BYTE, 24],
            ]);
            gl.bindVertexArray(mesh.array);
            const places = buffer(gl, gl.ARRAY_BUFFER, new Float32Array(INSTANCE));
            for (const [name, width, offset] of [['a_place', 4, 0], ['a_turn', 2, 16]]) {
                const attribute = body.attribute(name);
                gl.enableVertexAttribArray(attribute);
                gl.vertexAttribPointer(attribute, width, gl.FLOAT, false, 4 * INSTANCE, offset);
                gl.vertexAttribDivisor(attribute, 1);
            }
            models.set(model, { ...mesh, places, data: null });
        }
        return models.get(model);
    }

    function drawBodies({ instances }, matrix) {
        gl.useProgram(body.made);
        gl.uniformMatrix4fv(body.uniform('u_matrix'), false, matrix);
        gl.uniform1f(body.uniform('u_now'), performance.now());
        gl.uniform1f(body.uniform('u_grow'), calm ? 0 : GROW_MS);
        gl.disable(gl.BLEND);
        gl.depthMask(true);
        for (const { model, data } of instances) {
            const there = modelOf(model);
            gl.bindVertexArray(there.array);
            if (there.data !== data) {
                gl.bindBuffer(gl.ARRAY_BUFFER, there.places);
                gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
                there.data = data;
            }
            gl.drawElementsInstanced(gl.TRIANGLES, there.count, there.kind, 0, data.length / INSTANCE);
        }
    }

    function drawWater({ meshes: list, eye, middle, reach, stretch, sky }, matrix) {
        gl.useProgram(water.made);
        gl.uniformMatrix4fv(water.uniform('u_matrix'), false, matrix);
        gl.uniform3fv(water.uniform('u_eye'), eye);
        gl.uniform3fv(water.uniform('u_sky'), sky);
        gl.uniform2fv(water.uniform('u_middle'), middle);
        gl.uniform1f(water.uniform('u_reach'), reach);
        gl.uniform1f(water.uniform('u_stretch'), stretch);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        gl.depthMask(false);
        gl.enable(gl.POLYGON_OFFSET_FILL);
        gl.polygonOffset(-1, -2);
        for (const { mesh, x, y } of list) {
            if (!meshes.has(mesh)) meshes.set(mesh, upload(gl, mesh, 16, [[water.attribute('a_water'), 4, gl.FLOAT, 0]]));
            const there = meshes.get(mesh);
            gl.uniform2f(water.uniform('u_corner'), x, y);
            gl.bindVertexArray(there.array);
            gl.drawElements(gl.TRIANGLES, there.count, there.kind, 0);
        }
        gl.disable(gl.POLYGON_OFFSET_FILL);
    }

    /* Frees what is no longer drawn. */
    function sweep(kept, used) {
        for (const [key, there] of kept)
            if (!used.has(key)) {
                if (there.places) gl.deleteBuffer(there.places);
                there.end();
                kept.delete(key);
            }
    }

    return {
        id,
        type: 'custom',
        renderingMode: '3d',
        onAdd(owner, context) {
            [map, gl] = [owner, context];
            models.clear();
            meshes.clear();
            body = program(gl, BODY, BODY_COLOUR);
            water = program(gl, WATER, WATER_COLOUR);
        },
        onRemove() {
            sweep(models, new Set());
            sweep(meshes, new Set());
            for (const { made } of [body, water]) gl.deleteProgram(made);
        },
        render(_, { defaultProjectionData }) {
            const now = frame();
            sweep(models, new Set(now.instances.map(({ model }) => model)));
            sweep(meshes, new Set(now.meshes.map(({ mesh }) => mesh)));
            if (!now.instances.length && !now.meshes.length) return;
            const { x, y, scale } = now.origin;
            const matrix = shifted(defaultProjectionData.mainMatrix, x, y, scale);
            gl.disable(gl.CULL_FACE);
            drawBodies(now, matrix);
            drawWater(now, matrix);
            gl.bindVertexArray(null);
            if (now.young && !calm) map.triggerRepaint();
        },
    };
}
