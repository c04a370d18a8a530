// What stands on the ground: trees, shrubs and rocks of the tiles that are seen, with all their leaves from near and as hulls from far.

import { BufferAttribute, BufferGeometry, Color, DoubleSide, Group, InstancedMesh, InterleavedBuffer, InterleavedBufferAttribute, Matrix4, MeshLambertMaterial, Quaternion, Vector3 } from 'three';
import { hullOf, modelOf, thin, VERTEX } from './objects.js';

const MOVED_M = 12; // the eye, until what is near is looked at anew
const AGAIN_MS = 250; // ... and at least so long after the last time
const ROOM = 256; // instances that a mesh grows by
const UP = new Vector3(0, 1, 0);

function geometryOf({ vertices, indices }) {
    const floats = new InterleavedBuffer(vertices, VERTEX), bytes = new InterleavedBuffer(new Uint8Array(vertices.buffer), 4 * VERTEX);
    return new BufferGeometry()
        .setIndex(new BufferAttribute(indices, 1))
        .setAttribute('position', new InterleavedBufferAttribute(floats, 3, 0))
        .setAttribute('normal', new InterleavedBufferAttribute(floats, 3, 3))
        .setAttribute('color', new InterleavedBufferAttribute(bytes, 3, 24, true));
}

export class Things {
    group = new Group();
    #source;
    #options;
    #models = new Map(); // name and seed -> { whole, hull, height }, null while it is awaited
    #meshes = new Map(); // geometry -> InstancedMesh
    #material = new MeshLambertMaterial({ vertexColors: true, side: DoubleSide });
    #anchor = new Vector3(); // where instances count from, in the world
    #at = new Vector3(Infinity, 0, 0);
    #when = 0;
    #dirty = true;
    #stop = new AbortController();

    /** options: { most, whole, near, far, shadows }: how many are drawn, how many of these with all their leaves and up to how many metres, and up to where any are. */
    constructor(source, options) {
        this.#source = source;
        this.#options = options;
    }

    changed = () => (this.#dirty = true);

    /* The model of a thing; undefined while it is awaited. */
    #bodyOf({ kind, seed }) {
        const model = this.#source.about.objects[kind]?.model, name = `${model}/${seed}`;
        if (model && !this.#models.has(name)) this.#load(name, model, seed);
        return this.#models.get(name);
    }

    async #load(name, model, seed) {
        this.#models.set(name, null);
        try {
            const whole = modelOf(await this.#source.model(model, seed, this.#stop.signal)), hull = hullOf(whole);
            this.#models.set(name, { whole: geometryOf(whole), hull: geometryOf(hull), height: whole.height });
        } catch {
            // none of it is drawn
        } finally {
            this.changed();
        }
    }

    /* [{ thing, body, x, z, far, rank }] of tiles [{ x, z, things }], whose corners are in metres of the world. */
    #gather(tiles, eye) {
        const all = [], { far: most } = this.#options;
        for (const { x: east, z: south, things } of tiles)
            for (const thing of things) {
                const x = east + thing.x, z = south + thing.y, far = Math.hypot(x - eye.x, z - eye.z), body = far < most && this.#bodyOf(thing);
                if (body) all.push({ thing, body, x, z, far, rank: (thing.x * 7.31 + thing.y * 3.77) % 1 });
            }
        return thin(all, this.#options.most).sort((a, b) => a.far - b.far);
    }

    #meshOf(geometry, count, shadows) {
        const old = this.#meshes.get(geometry);
        if (old?.instanceMatrix.count >= count) return old;
        if (old) {
            this.group.remove(old);
            old.dispose();
        }
        const mesh = new InstancedMesh(geometry, this.#material, Math.ceil(count / ROOM) * ROOM);
        mesh.setColorAt(0, new Color()); // makes the room
        mesh.frustumCulled = false; // they are all around
        mesh.castShadow = shadows;
        mesh.receiveShadow = shadows;
        this.group.add(mesh);
        this.#meshes.set(geometry, mesh);
        return mesh;
    }

    #fill(geometry, list, shadows) {
        const mesh = this.#meshOf(geometry, list.length, shadows);
        const matrix = new Matrix4(), at = new Vector3(), turn = new Quaternion(), scale = new Vector3(), tint = new Color();
        list.forEach(({ thing, x, z, rank }, k) => {
            at.set(x - this.#anchor.x, thing.z, z - this.#anchor.z);
            matrix.compose(at, turn.setFromAxisAngle(UP, -thing.turn), scale.setScalar(thing.scale));
            mesh.setMatrixAt(k, matrix);
            mesh.setColorAt(k, tint.setRGB(0.8 + 0.3 * rank, 0.82 + 0.22 * rank, 0.75 + 0.25 * rank));
        });
        mesh.count = list.length;
        mesh.instanceMatrix.needsUpdate = mesh.instanceColor.needsUpdate = true;
    }

    #place(tiles, eye) {
        this.#anchor.set(eye.x, 0, eye.z);
        const groups = new Map(), { whole, near, shadows } = this.#options;
        let left = whole;
        for (const each of this.#gather(tiles, eye)) {
            const close = each.far < near && left-- > 0, geometry = close ? each.body.whole : each.body.hull;
            if (!groups.has(geometry)) groups.set(geometry, { list: [], close });
            groups.get(geometry).list.push(each);
        }
        for (const [geometry, mesh] of this.#meshes) mesh.count = groups.has(geometry) ? mesh.count : 0;
        for (const [geometry, { list, close }] of groups) this.#fill(geometry, list, close && shadows);
        this.count = [...groups.values()].reduce((sum, { list }) => sum + list.length, 0);
    }

    /** eye: in metres of the world; origin: what the scene counts from; tilesOf(): the tiles that are seen. */
    update(eye, origin, tilesOf) {
        const now = performance.now();
        if (now - this.#when > AGAIN_MS && (this.#dirty || this.#at.distanceTo(eye) > MOVED_M)) {
            this.#dirty = false;
            this.#place(tilesOf(), eye);
            this.#at.copy(eye);
            this.#when = now;
        }
        this.group.position.set(this.#anchor.x - origin.x, 0, this.#anchor.z - origin.z);
    }

    dispose() {
        this.#stop.abort();
        for (const mesh of this.#meshes.values()) mesh.dispose();
        for (const body of this.#models.values()) for (const each of [body?.whole, body?.hull]) each?.dispose();
        this.#material.dispose();
    }
}
