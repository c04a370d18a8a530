// terrane in three.js: ground to walk on. 3d-tiles-renderer is the quadtree; what is here is what it loads, what that looks like, and
// what one stands on.

import { EventDispatcher, Group, Mesh, Vector3 } from 'three';
import { TilesRenderer } from '3d-tiles-renderer/three';
import { DownloadPriorityQueue, LRUCache, PriorityQueue } from '3d-tiles-renderer/core';
import { Field } from './three_field.js';
import { groundLooks } from './three_ground.js';
import { groundGeometry, letGo, waterGeometry } from './three_mesh.js';
import { noiseTexture } from './three_noise.js';
import { Things } from './three_objects.js';
import { Quadtree } from './three_quadtree.js';
import { openSource } from './three_source.js';
import { waterLooks } from './three_water.js';

const AT_ONCE = 5; // tiles that are asked for, of four or five requests each
const MOVE_M = 4096; // from its origin; then the scene moves
const JUMP = 2000; // metres a second: more is no way, but a jump

const SETTINGS = { reach: 1.5, far: 40000, ahead: 8, detail: 256, shadows: false };
const THINGS = { most: 12000, whole: 700, near: 160, far: 1500 };

export class Ground extends EventDispatcher {
    /** What is drawn: put it into the scene. */
    group = new Group();
    /** Where the scene's zero lies in the world, in metres: x to the east, z to the south. */
    origin = { x: 0, z: 0 };
    #source;
    #field;
    #quadtree;
    #things;
    #water;
    #noise;
    #eye = new Vector3();
    #way = new Vector3();
    #when;
    #settings;

    /** { server, world } or { made, about }; see three_source.js. at: { x, z } where the scene's zero is to lie. */
    static async open({ at, ...options }) {
        const ground = new Ground();
        ground.#begin(await openSource(options), { ...SETTINGS, ...options });
        const { x, y } = ground.about.spawn ?? { x: 0, y: 0 };
        ground.#move(Math.round(at?.x ?? x), Math.round(at?.z ?? y));
        return ground;
    }

    #begin(source, settings) {
        if (!(settings.detail >= 1) || Math.log2(settings.detail) % 1 !== 0) throw new RangeError(`detail: ${settings.detail} is no 2^k`);
        const { about, spacing } = source;
        let top = 0;
        while (top < 24 && settings.reach * 256 * spacing * 2 ** top < settings.far) top++;
        this.about = about;
        this.#source = source;
        this.#settings = settings;
        this.#field = new Field(spacing, top);
        const noise = (this.#noise = noiseTexture());
        this.#water = waterLooks(noise);
        this.#things = new Things(source, { ...THINGS, shadows: settings.shadows, ...settings.things });
        const looks = groundLooks(source, noise);
        this.#quadtree = new Quadtree({
            spacing, top, reach: settings.reach, far: settings.far,
            heights: [about.height_bounds_m.low, about.height_bounds_m.high],
            load: (tile, signal) => this.#load(tile, signal),
            build: (tile, parts) => this.#build(tile, parts, looks),
        });
        this.tiles = this.#renderer();
        this.group.add(this.tiles.group, this.#things.group);
    }

    /* Queues and a cache of its own: those of the library are shared by all that it shows on a page, ask for 25 tiles at once, and refuse what a far reach needs. */
    #renderer() {
        const tiles = new TilesRenderer();
        const { priorityCallback } = tiles.downloadQueue, { unloadPriorityCallback, minBytesSize, maxBytesSize } = tiles.lruCache;
        const room = Math.max(1, (this.#settings.reach / SETTINGS.reach) ** 2);
        tiles.lruCache = Object.assign(new LRUCache(), { unloadPriorityCallback, minBytesSize: room * minBytesSize, maxBytesSize: 2 * room * maxBytesSize }); // more is not refused, but not kept either
        tiles.downloadQueue = Object.assign(new DownloadPriorityQueue(), { maxJobsPerOrigin: AT_ONCE, priorityCallback });
        tiles.parseQueue = Object.assign(new PriorityQueue(), { maxJobs: 3, priorityCallback });
        tiles.errorTarget = 1;
        tiles.registerPlugin(this.#quadtree);
        tiles.addEventListener('load-model', ({ tile, scene }) => this.#field.put(tile.terrane, scene.userData.parts));
        tiles.addEventListener('dispose-model', ({ tile }) => this.#drop(tile));
        tiles.addEventListener('tile-visibility-change', this.#things.changed);
        return tiles;
    }

    async #load({ signal, ...tile }) {
        const parts = await this.#source.tile({ ...tile, signal }, tile.level === 0 ? 257 : 129);
        let [low, high] = [Infinity, -Infinity];
        for (const height of parts.heights) {
            low = Math.min(low, height);
            high = Math.max(high, height);
        }
        return { ...parts, range: [low, high] };
    }

    #build(tile, parts, looks) {
        const size = this.#quadtree.sizeOf(tile.level), corner = { x: tile.x * size, y: tile.y * size };
        const { levels } = this.about, skirt = levels[Math.min(tile.level + 1, levels.length - 1)].geometric_error_m;
        const cells = Math.min(this.#settings.detail, parts.side - 1);
        const ground = new Mesh(groundGeometry(parts, { cells, size, skirt }), looks(parts, corner, size));
        ground.receiveShadow = this.#settings.shadows;
        const scene = new Group().add(ground);
        const surface = waterGeometry(parts, size);
        if (surface) scene.add(new Mesh(surface, this.#water.material));
        scene.position.set(corner.x, 0, corner.y);
        const { heights, side, depths, things } = parts;
        scene.userData.parts = { heights, side, depths, things };
        return scene;
    }

    /* What tiles share stays. */
    #drop({ terrane, engineData }) {
        this.#field.drop(terrane);
        letGo(engineData.scene.children[0].geometry);
        engineData.materials = engineData.materials.filter((material) => material !== this.#water.material);
    }

    #move(x, z) {
        this.origin = { x, z };
        this.tiles.group.position.set(-x, 0, -z);
        this.#water.uniforms.uOrigin.value.set(((x % MOVE_M) + MOVE_M) % MOVE_M, ((z % MOVE_M) + MOVE_M) % MOVE_M);
    }

    /* Far from zero numbers of 32 bits are coarse: the scene moves, and the camera with it. What else is in it moves on 'shift'. */
    #shift(camera) {
        const { x, z } = camera.position;
        if (Math.max(Math.abs(x), Math.abs(z)) < MOVE_M) return;
        const by = { x: Math.round(x), z: Math.round(z) };
        this.#move(this.origin.x + by.x, this.origin.z + by.z);
        camera.position.x -= by.x;
        camera.position.z -= by.z;
        this.dispatchEvent({ type: 'shift', ...by });
    }

    /* Where the eye is in the world, and how it moves. */
    #follow(camera) {
        const now = performance.now() / 1000, passed = now - (this.#when ?? now);
        const { x, y, z } = camera.position, eye = new Vector3(x + this.origin.x, y, z + this.origin.z);
        if (passed > 0) {
            const way = eye.clone().sub(this.#eye).divideScalar(passed), share = 1 - Math.exp(-passed / 0.3);
            if (way.length() > JUMP) this.#way.set(0, 0, 0);
            else this.#way.lerp(way, share);
        }
        this.#eye.copy(eye);
        this.#when = now;
        this.#quadtree.look(eye, this.#way.clone().multiplyScalar(this.#settings.ahead));
    }

    /** Once a frame, before it is drawn. The camera is a child of what group is a child of, or of nothing. */
    update(camera) {
        this.#shift(camera);
        this.#follow(camera);
        this.group.updateMatrixWorld();
        this.tiles.update();
        this.#things.update(this.#eye, this.origin, () => [...this.tiles.visibleTiles].map(({ terrane: { level, x, y }, engineData: { scene } }) => {
            const size = this.#quadtree.sizeOf(level);
            return { x: x * size, z: y * size, things: scene?.userData.parts.things ?? [] };
        }));
        this.#water.uniforms.uTime.value = performance.now() / 1000 % 3600;
    }

    /** What water mirrors: two of three's Colors. */
    setSky(zenith, horizon) {
        this.#water.uniforms.uZenith.value.copy(zenith);
        this.#water.uniforms.uHorizon.value.copy(horizon);
    }

    /** Metres at a place of the scene, as it is drawn from near; undefined while nothing of it is here. No request. */
    heightAt = (x, z) => this.#field.heightAt(x + this.origin.x, z + this.origin.z);

    /** Metres of water over that; 0: none. */
    depthAt = (x, z) => this.#field.depthAt(x + this.origin.x, z + this.origin.z);

    /** The level whose samples heightAt tells: 0 is the finest. */
    levelAt = (x, z) => this.#field.levelAt(x + this.origin.x, z + this.origin.z);

    /** Of the tiles that have to be here, for how near the eye is to them: { level, x, y, here }. */
    needed() {
        const ground = this.#field.heightAt(this.#eye.x, this.#eye.z) ?? 0;
        return [...this.#quadtree.needed(ground)].map((tile) => ({ ...tile, here: this.#field.has(tile) }));
    }

    /** How many things are drawn, of trees, shrubs and rocks. */
    get things() {
        return this.#things.count ?? 0;
    }

    dispose() {
        this.tiles.dispose();
        this.#things.dispose();
        this.#water.material.dispose();
        this.#noise.dispose();
        this.group.removeFromParent();
    }
}
