import type { World } from './index.js';

/** A world's base surface, as a shader makes it. */
export interface Twin {
    /**
     * GLSL ES 3.00, to stand behind `#version 300 es`: `float terrane_height(uvec2 x, uvec2 y, int level)` in metres, of a place in samples of
     * level 0 as (low, high) words, within ±2^62; and `uvec2 terrane_moved(uvec2 x, int by, int level)`, x + by * 2^level. The same for every seed.
     */
    readonly source: string;
    /** The name of its uniform block, and what that holds: the seed is in there. */
    readonly block: string;
    readonly words: Uint32Array;
    /** The most by which a height may lie from the library's, in metres, at any level. */
    readonly bound_m: number;
    /** Gives a program the block's words, at a binding point (0): the buffer. */
    bind(gl: WebGL2RenderingContext, program: WebGLProgram, point?: number): WebGLBuffer;
}

/** A TerraneError names what of the recipe no shader makes: plates, climate, midpoint fractals, the Voronoi partition. */
export function glslOf(world: World): Twin;

/** The low and the high word of a whole number, as uniforms of a uvec2 take it. */
export function halvesOf(whole: bigint | number): [low: number, high: number];
