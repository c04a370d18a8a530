import type { Camera, Color, EventDispatcher, Group } from 'three';
import type { TilesRenderer } from '3d-tiles-renderer/three';
import type { World } from './index.js';

export interface GroundOptions {
    /** A server's address, and what it calls the world. */
    server?: string | URL;
    world?: string;
    /** What the server's addresses say besides: `{ recipe: 'alpine' }`. */
    query?: Record<string, string>;
    /** Asks the server; globalThis.fetch where it is not given. */
    fetch?: typeof fetch;
    /** In place of a server: a World that makes the tiles, what a server's /world says of it, and what gets the bytes of a model, without which no objects are drawn. */
    made?: World;
    about?: object;
    model?: (name: string, seed: number) => Promise<ArrayBuffer>;
    /** Where the scene's zero is to lie, metres of the world; where the world is worth seeing first where it is not given. */
    at?: { x: number; z: number };
    /** A level's tiles are needed up to so many of their sides away; 1.5. */
    reach?: number;
    /** Metres that one sees; 40000. */
    far?: number;
    /** Seconds ahead that tiles are asked for; 8. */
    ahead?: number;
    /** Cells along a side of a tile's mesh, 2^k, at most 256 (above level 0 at most 128); 256. */
    detail?: number;
    /** Whether ground and things take shadows, and near things cast them; false. */
    shadows?: boolean;
    /** How many things are drawn (12000), how many with all their leaves (700) and up to how many metres (160), and up to where any are (1500). */
    things?: { most?: number; whole?: number; near?: number; far?: number };
}

/** Ground in a scene: y up, x to the east, z to the south, metres. 'shift' is told when the scene's zero moves: take x and z off what is your own. */
export class Ground extends EventDispatcher<{ shift: { x: number; z: number } }> {
    private constructor();
    static open(options: GroundOptions): Promise<Ground>;
    /** What is drawn: put it into the scene. */
    readonly group: Group;
    /** Where the scene's zero lies in the world. */
    readonly origin: Readonly<{ x: number; z: number }>;
    /** What /world of a server says. */
    readonly about: Record<string, unknown>;
    readonly tiles: TilesRenderer;
    /** Once a frame, before it is drawn. Moves the camera where the scene's zero moves. */
    update(camera: Camera): void;
    /** Height of the ground at a place of the scene, of the finest samples that are here; undefined: none is. No request. */
    heightAt(x: number, z: number): number | undefined;
    /** Metres of water over that. */
    depthAt(x: number, z: number): number;
    /** The level of these samples. */
    levelAt(x: number, z: number): number | undefined;
    /** The tiles that have to be here now, and whether they are. */
    needed(): { level: number; x: number; y: number; here: boolean }[];
    /** What water mirrors. */
    setSky(zenith: Color, horizon: Color): void;
    /** How many things are drawn. */
    readonly things: number;
    dispose(): void;
}
