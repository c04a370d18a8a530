/*
 * Standing ground from near: trees, shrubs and rocks on it, and water over its bed. What they are is fetched for the
 * tiles around the view's middle, and dropped as the view leaves them.
 */
import { later } from './dom.js';
import { heightScale, metresPerPixel, side, tileMetres, toLngLat } from './mercator.js';
import { createTiles, overlap, pick } from './near.js';
import { hullOf, modelOf, records, thin } from '../../../lib/js/objects.js';
import { GROW_MS, createScene } from './scene.js';
import { compared, modelUrl, tileUrl } from './urls.js';
import { waterMesh } from '../../../lib/js/water.js';

export const ZOOM_NEAR = 15; // from here on
const MOST = 20000; // objects drawn at once
const WHOLE_MOST = 1200; // ... of which so many with all their leaves: the rest are hulls
const WHOLE_PX = 22; // and none that is smaller than so on the screen
const LEAST_PX = 2; // what is smaller is left out
const SPREAD = 0.4; // of the time in which one comes: not all come at once
const REACH_TILES = 2; // of the coarsest level, or metres of water
const WATER = { coarsest: 4, finest: 0, reach: 4000 };
const FINE = 129; // samples along a side of a tile of water at level 0
const COARSE = 65;
const SETTLE_MS = 150;
const REPLACE_MS = 200;
const SKY = [0.56, 0.71, 0.84];
const calm = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches;

/** Levels of objects, and how far they are looked for, at a zoom: none is coarser than the classes have. */
export function reachOf(zoom, classes, spacing) {
    const coarsest = Math.max(...classes.map(({ level }) => level));
    const finest = Math.min(Math.max(17 - Math.floor(zoom), 0), coarsest);
    return { coarsest, finest, reach: REACH_TILES * tileMetres(coarsest, spacing) * (zoom < 16 ? 1.5 : 1) };
}

/** The camera, in metres from the middle of the view: east, south, up. view: {zoom, pitch, bearing}, angles in degrees. */
export function eyeOf({ zoom, pitch, bearing }, height, fov, spacing) {
    const far = (height / 2 / Math.tan((fov * Math.PI) / 360)) * metresPerPixel(zoom, spacing);
    const [p, b] = [pitch, bearing].map((angle) => (angle * Math.PI) / 180);
    return [-far * Math.sin(p) * Math.sin(b), far * Math.sin(p) * Math.cos(b), far * Math.cos(p)];
}

export function createStand({ view, store, loader, world }) {
    const { map } = view;
    const models = new Map(); // name and seed -> {whole, hull}, null while it is awaited, or false
    const came = new WeakMap(); // tile's objects -> when
    let origin = { x: 0, y: 0 };
    let instances = [];
    let count = 0;
    let dirty = true;
    let placed = 0; // when
    let young = 0; // until when something grows

    const spacing = () => world().spacing_m;
    const what = () => {
        const { seed, recipe, variant, at } = store.get();
        return { seed, recipe, variant: variant || world().variant, v: world().generator, at, epoch: world().edits?.epoch };
    };
    const repaint = () => {
        dirty = true;
        map.triggerRepaint();
    };
    const objects = createTiles({
        async load(tile, signal, old) {
            const found = records(await loader.bytes(tileUrl({ ...what(), layer: 'objects' }, tile, 'bin'), signal));
            if (old) came.set(found, came.get(old) ?? -1e9); // what stands there does not grow again
            return found;
        },
        changed: repaint,
    });
    const waters = createTiles({
        async load(tile, signal) {
            const size = tile.lod === 0 ? FINE : COARSE;
            const [surface, depth] = await Promise.all(
                ['surface', 'water'].map(async (layer) => {
                    const bytes = await loader.bytes(tileUrl({ ...what(), layer, size }, tile, 'f32'), signal);
                    return new Float32Array(bytes);
                }),
            );
            return { mesh: waterMesh(surface, depth, size, tileMetres(tile.lod, spacing()) / (size - 1)) };
        },
        changed: repaint,
    });

    async function fetchModel(name, model, seed) {
        models.set(name, null);
        try {
            const whole = modelOf(await loader.bytes(modelUrl({ name: model, seed })));
            models.set(name, { whole, hull: hullOf(whole) });
            repaint();
        } catch {
            if (models.get(name) === null) models.set(name, false); // the loader tells; it is asked for again in another world, or where all is
        }
    }

    /* Model of an object; null while it is awaited, false where it could not be had. */
    function bodyOf({ kind, seed }) {
        const model = world().objects?.[kind]?.model;
        if (!model) return null;
        const name = `${model}/${seed}`;
        if (!models.has(name)) fetchModel(name, model, seed);
        return models.get(name);
    }

    /* Of tiles that have come: where what stands on them is in metres from the origin, nearest to the camera first. focus:
     * pixels that a metre has a metre away. */
    function gather(eye, focus) {
        const now = performance.now();
        const all = [];
        const shown = objects.shown();
        for (const { tile, data } of shown) {
            if (!came.has(data)) {
                const before = shown.some((each) => came.has(each.data) && overlap(each.tile, tile));
                came.set(data, before ? -1e9 : now);
                young = now + 2 * GROW_MS;
            }
            const size = tileMetres(tile.lod, spacing());
            for (const each of data) {
                const x = tile.x * size - origin.x + each.x;
                const y = tile.y * size - origin.y + each.y;
                const far = Math.hypot(x - eye[0], y - eye[1], eye[2]);
                const body = bodyOf(each);
                if (!body || (body.whole.height * each.scale * focus) / far < LEAST_PX) continue;
                all.push({ each, body, x, y, far, born: came.get(data), rank: (each.x * 7.31 + each.y * 3.77) % 1 });
            }
        }
        return thin(all, MOST).sort((a, b) => a.far - b.far);
    }

    /* Puts all on the ground as it is drawn, which is coarser than it is, and stretched. */
    function place() {
        const { x, y } = store.get();
        origin = { x, y };
        const eye = cameraAt();
        const up = heightScale(map.getCenter().lat, spacing());
        const focus = map.getContainer().clientHeight / 2 / Math.tan((map.getVerticalFieldOfView() * Math.PI) / 360);
        const groups = new Map();
        let whole = 0;
        count = 0;
        for (const { each, body, x: east, y: south, born, far } of gather(eye, focus)) {
            const near = whole < WHOLE_MOST && (body.whole.height * each.scale * focus) / far > WHOLE_PX;
            if (near) whole++;
            const model = near ? body.whole : body.hull;
            const height = map.queryTerrainElevation(toLngLat(origin.x + east, origin.y + south, spacing()));
            const list = groups.get(model) ?? groups.set(model, []).get(model);
            list.push(east, south, (height ?? 0) / up, each.scale, each.turn, born + GROW_MS * SPREAD * each.turn);
            count++;
        }
        instances = [...groups].map(([model, list]) => ({ model, data: Float32Array.from(list) }));
        dirty = false;
        placed = performance.now();
    }

    const cameraAt = () =>
        eyeOf(
            { zoom: map.getZoom(), pitch: map.getPitch(), bearing: map.getBearing() },
            map.getContainer().clientHeight,
            map.getVerticalFieldOfView(),
            spacing(),
        );

    function frame() {
        const now = performance.now();
        const standing = map.getTerrain();
        if (dirty && now - placed > REPLACE_MS) place();
        else if (dirty) setTimeout(() => map.triggerRepaint(), REPLACE_MS);
        const up = heightScale(map.getCenter().lat, spacing());
        const middle = store.get();
        const eye = cameraAt();
        eye[0] += middle.x - origin.x;
        eye[1] += middle.y - origin.y;
        eye[2] += (map.queryTerrainElevation(map.getCenter()) ?? 0) / up;
        return {
            instances: standing ? instances : [],
            meshes: standing
                ? waters
                      .shown()
                      .filter(({ data }) => data.mesh)
                      .map(({ tile, data }) => {
                          const size = tileMetres(tile.lod, spacing());
                          return { mesh: data.mesh, x: tile.x * size - origin.x, y: tile.y * size - origin.y };
                      })
                : [],
            origin: {
                x: origin.x / side(spacing()) + 0.5,
                y: origin.y / side(spacing()) + 0.5,
                scale: 1 / side(spacing()),
            },
            eye,
            middle: [middle.x - origin.x, middle.y - origin.y],
            reach: WATER.reach,
            stretch: (standing?.exaggeration ?? 1) / up,
            sky: SKY,
            young: now < young,
        };
    }

    function look() {
        const state = store.get();
        const near = state.three && state.zoom >= ZOOM_NEAR;
        if (!near) {
            objects.clear();
            waters.clear();
            return;
        }
        if (!map.style?._loaded) {
            map.once('idle', look);
            return;
        }
        if (!map.getLayer('near')) map.addLayer(createScene({ id: 'near', frame, calm }));
        const classes = compared(state) ? [] : (world().objects ?? []);
        objects.want(classes.length ? pick(state, reachOf(state.zoom, classes, spacing()), spacing()) : []);
        waters.want(pick(state, WATER, spacing()));
    }

    const soon = later(SETTLE_MS, look);
    map.on('moveend', soon);
    map.on('moveend', () => count && repaint());
    map.on('sourcedata', ({ sourceId, tile }) => {
        if (sourceId === 'dem' && tile && count) repaint();
    });
    store.on('seed recipe v variant at', () => {
        for (const [name, model] of models) if (!model) models.delete(name);
        objects.clear();
        waters.clear();
        soon();
    });
    store.on('three compare exaggeration', soon);
    soon();
    return {
        renew(touches) {
            for (const [name, model] of models) if (model === false) models.delete(name);
            objects.renew(touches);
            waters.renew(touches);
        },
        /** How many things are drawn, and how many tiles of water. */
        counts: () => ({ objects: count, waters: waters.shown().filter(({ data }) => data.mesh).length }),
    };
}
