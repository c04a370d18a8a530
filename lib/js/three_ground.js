// What ground looks like: materials by their weights, in colours that the world has for them, with normals of all its samples and noise from near.

import { ClampToEdgeWrapping, Color, DataTexture, LinearFilter, LinearMipmapLinearFilter, MeshStandardMaterial, RGBAFormat, Texture, Vector2, Vector3 } from 'three';
import { GUESSED } from './three_source.js';

const MOST = 8; // materials
const REPEAT_M = 4096; // all that noise repeats in divides it

/* How much grain, lumps and strata a material has, by what its name has in it. */
const LOOKS = [
    [/snow|ice|glacier/, [0.06, 0.1, 0]],
    [/rock|stone|scree|cliff|basalt|lava/, [0.5, 0.45, 1]],
    [/sand|dune|beach|salt|clay/, [0.14, 0.12, 0.15]],
    [/forest|wood|jungle/, [0.75, 0.6, 0]],
    [/./, [0.5, 0.4, 0]],
];
const lookOf = (name) => LOOKS.find(([words]) => words.test(name))[1];

const VERTEX = `
varying vec3 vAt;
`;
const FRAGMENT = `
uniform sampler2D uNormals, uSplat0, uSplat1, uNoise;
uniform vec3 uColours[${MOST}], uLooks[${MOST}];
uniform vec2 uCorner;
uniform float uSize;
varying vec3 vAt;
`;
const COLOUR = `
vec2 share = vAt.xz / uSize, place = vAt.xz + uCorner;
float away = length(vViewPosition), close = exp(-away / 60.0), middle = exp(-away / 700.0);
vec3 up = texture2D(uNormals, (share * 256.0 + 0.5) / 257.0).xzy * 2.0 - 1.0;
vec4 tiny = texture2D(uNoise, place / 2.0), fine = texture2D(uNoise, place / 8.0), lumps = texture2D(uNoise, place / 64.0), wide = texture2D(uNoise, place / 1024.0);
vec4 strata = texture2D(uNoise, vec2(place.x + place.y, 3.0 * vAt.y) / 128.0);
vec2 texel = (share * 128.0 + 0.5) / 129.0;
vec4 w0 = texture2D(uSplat0, texel) * (0.08 + vec4(lumps.g, fine.r, wide.g, lumps.r));
vec4 w1 = texture2D(uSplat1, texel) * (0.08 + vec4(fine.g, lumps.g, fine.r, lumps.r));
float whole = dot(w0 + w1, vec4(1.0));
vec3 tint = w0.x * uColours[0] + w0.y * uColours[1] + w0.z * uColours[2] + w0.w * uColours[3]
          + w1.x * uColours[4] + w1.y * uColours[5] + w1.z * uColours[6] + w1.w * uColours[7];
vec3 looks = w0.x * uLooks[0] + w0.y * uLooks[1] + w0.z * uLooks[2] + w0.w * uLooks[3]
           + w1.x * uLooks[4] + w1.y * uLooks[5] + w1.z * uLooks[6] + w1.w * uLooks[7];
tint /= whole;
looks /= whole;
float shade = 1.0 + looks.x * (0.9 * (tiny.r - 0.5) * exp(-away / 14.0) + 1.1 * (fine.r - 0.5) * close + 0.7 * (fine.g - 0.5) * middle) + looks.y * (lumps.g - 0.5) * (0.35 + 0.65 * middle)
            + 0.7 * looks.y * (wide.g - 0.5) + looks.z * (strata.g - 0.5) * smoothstep(0.1, 0.5, 1.0 - up.y);
tint *= mix(vec3(1.12, 1.0, 0.82), vec3(0.9, 1.0, 1.06), mix(wide.r, lumps.r, 0.4));
diffuseColor.rgb = tint * shade;
`;
const NORMAL = `
up.xz -= looks.x * ((tiny.ba - 0.5) * 0.6 * exp(-away / 10.0) + (fine.ba - 0.5) * 0.9 * close + (lumps.ba - 0.5) * 0.9 * middle);
normal = normalize((viewMatrix * vec4(up, 0.0)).xyz);
`;

function textureOf(picture, side) {
    const texture = picture.data
        ? new DataTexture(picture.data, side, side, RGBAFormat)
        : new Texture(picture);
    texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
    texture.magFilter = LinearFilter;
    texture.minFilter = LinearMipmapLinearFilter;
    texture.generateMipmaps = true;
    texture.anisotropy = 4;
    texture.flipY = false;
    texture.needsUpdate = true;
    return texture;
}

const spread = (list, rest) => Array.from({ length: MOST }, (_, k) => list[k] ?? rest);

/** What makes the material of a tile: looks(tile's parts, its corner, its size). */
export function groundLooks({ about, SPLAT, NORMALS }, noise) {
    const materials = about.cover ?? GUESSED;
    const none = new DataTexture(new Uint8Array(4), 1, 1, RGBAFormat);
    none.needsUpdate = true;
    const shared = {
        uNoise: { value: noise },
        uColours: { value: spread(materials.map(({ colour }) => new Color(colour).multiplyScalar(0.8)), new Color()) },
        uLooks: { value: spread(materials.map(({ name }) => new Vector3(...lookOf(name))), new Vector3()) },
    };
    return ({ normals, splats }, { x, y }, size) => {
        const material = new MeshStandardMaterial({ roughness: 1, metalness: 0 });
        /* Textures are members, too: by these the renderer finds what to let go of. */
        material.normals = textureOf(normals, NORMALS);
        material.splats0 = textureOf({ data: splats[0] }, SPLAT);
        material.splats1 = splats[1] ? textureOf({ data: splats[1] }, SPLAT) : none;
        const own = {
            uNormals: { value: material.normals },
            uSplat0: { value: material.splats0 },
            uSplat1: { value: material.splats1 },
            uSize: { value: size },
            uCorner: { value: new Vector2(((x % REPEAT_M) + REPEAT_M) % REPEAT_M, ((y % REPEAT_M) + REPEAT_M) % REPEAT_M) },
        };
        material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, shared, own);
            shader.vertexShader = VERTEX + shader.vertexShader
                .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = vec3(0.0, 1.0, 0.0);')
                .replace('#include <begin_vertex>', '#include <begin_vertex>\nvAt = position;');
            shader.fragmentShader = FRAGMENT + shader.fragmentShader
                .replace('#include <map_fragment>', COLOUR)
                .replace('#include <normal_fragment_maps>', NORMAL);
        };
        return material;
    };
}
