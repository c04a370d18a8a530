// What water looks like: clear where it is shallow, dark where it is deep, and a mirror of the sky to who looks along it.

import { Color, MeshStandardMaterial, Vector2 } from 'three';

const VERTEX = `
attribute float depth;
varying float vDepth;
varying vec3 vPlace;
`;
const FRAGMENT = `
uniform sampler2D uNoise;
uniform vec2 uOrigin;
uniform float uTime;
uniform vec3 uZenith, uHorizon, uShallow, uDeep;
varying float vDepth;
varying vec3 vPlace;
`;
const COLOUR = `
diffuseColor.rgb = mix(uShallow, uDeep, 1.0 - exp(-max(vDepth, 0.0) / 5.0));
`;
const NORMAL = `
vec2 place = vPlace.xz + uOrigin;
float away = length(vViewPosition);
vec2 ripple = (texture2D(uNoise, place / 16.0 + uTime * vec2(0.031, 0.017)).ba + texture2D(uNoise, place / 16.0 - uTime * vec2(0.021, 0.033) + 0.37).ba - 1.0) * exp(-away / 250.0)
            + (texture2D(uNoise, place / 128.0 + uTime * vec2(0.004, 0.007)).ba - 0.5) * exp(-away / 2500.0);
float still = smoothstep(0.0, 0.7, vDepth);
vec3 up = normalize(vec3(-0.22 * ripple.x * still, 1.0, -0.22 * ripple.y * still));
normal = normalize((viewMatrix * vec4(up, 0.0)).xyz);
`;
const MIRROR = `
vec3 look = normalize(vViewPosition);
float mirror = 0.02 + 0.9 * pow(1.0 - clamp(dot(look, normal), 0.0, 1.0), 5.0);
float high = (vec4(reflect(-look, normal), 0.0) * viewMatrix).y;
outgoingLight = mix(outgoingLight, mix(uHorizon, uZenith, smoothstep(0.0, 0.7, high)), mirror);
diffuseColor.a = max(mix(0.3, 0.94, 1.0 - exp(-max(vDepth, 0.0) / 2.5)), mirror) * smoothstep(0.0, 0.25, vDepth);
#include <opaque_fragment>
`;

/** One material for all water. uniforms: uTime (seconds), uZenith, uHorizon (the sky that it mirrors), uShallow, uDeep, uOrigin. */
export function waterLooks(noise) {
    const material = new MeshStandardMaterial({ roughness: 0.14, metalness: 0, transparent: true, depthWrite: false });
    const uniforms = {
        uNoise: { value: noise },
        uTime: { value: 0 },
        uOrigin: { value: new Vector2() },
        uZenith: { value: new Color(0x3f78b8) },
        uHorizon: { value: new Color(0xb9d2e6) },
        uShallow: { value: new Color(0x3f7f7c) },
        uDeep: { value: new Color(0x0c2f47) },
    };
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, uniforms);
        shader.vertexShader = VERTEX + shader.vertexShader
            .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = vec3(0.0, 1.0, 0.0);')
            .replace('#include <begin_vertex>', '#include <begin_vertex>\nvDepth = depth;\nvPlace = (modelMatrix * vec4(position, 1.0)).xyz;');
        shader.fragmentShader = FRAGMENT + shader.fragmentShader
            .replace('#include <map_fragment>', COLOUR)
            .replace('#include <normal_fragment_maps>', NORMAL)
            .replace('#include <opaque_fragment>', MIRROR);
    };
    return { material, uniforms };
}
