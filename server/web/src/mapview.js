/*
 * The map, and a second one over it while base and finished ground are compared. It follows the store, and
 * tells it where the camera went.
 */
import { Map, NavigationControl, config, prewarm, setWorkerUrl } from 'maplibre-gl';
import { later, make } from './dom.js';
import { drawSeldom, drawnSlowly, leaveOutCovered } from './frames.js';
import { heightScale, toLngLat, toMetres } from './mercator.js';
import { PITCH_MAX, ZOOM_MAX, ZOOM_MIN } from './permalink.js';
import { createGround } from './ground.js';
import { refine, spread } from './labels.js';
import { OF_VECTORS, SKY, VECTORS, addresses, contourColour, finerThan, lightOf, otherLayers, otherSources, resampling, riverWidth, styleOf, toPrint } from './style.js';
import { compared } from './urls.js';

const PITCH_3D = 62;
const RESIZED_MS = 300;
const LABEL_NEAR = 8; // pixels
const NAMED = ['mark-names', 'places', 'peaks', 'lakes', 'seas', 'ranges', 'tracts', 'streams', 'rivers']; // layers, the first before the others
const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;

/** What maps take their time for and needs no world: their workers, and who draws. */
export function prepareMaps() {
    setWorkerUrl(new URL(`viewer/${WORKER_FILE}`, document.baseURI).href);
    prewarm();
    document.documentElement.classList.toggle('slowly', drawnSlowly());
}

/** waiting(yes): an old view is shown, in grey, while a new one is awaited. */
export function createMapView({ container, over, store, world, waiting }) {
    /* Tiles that the server is too busy for keep their places in the library's queue, and coarse ones must not
       wait behind them: the loader says who asks. */
    config.MAX_PARALLEL_IMAGE_REQUESTS = config.MAX_PARALLEL_IMAGE_REQUESTS_PER_FRAME = 512;
    let known = world;
    let second = null;
    const grounds = new WeakMap(); // of each map
    const awaiting = new Set(); // maps that show an old view, in grey
    const slowly = document.documentElement.classList.contains('slowly');
    const FADE_MS = calm || slowly ? 0 : 160;
    let quiet = false; // the store changes because the map did
    const lines = {}; // GeoJSON that is drawn over the layer, by source

    const variantOf = (state) => state.variant || known.variant;
    const shown = (state) => (compared(state) ? 'base' : variantOf(state));
    const camera = (state) => ({
        center: toLngLat(state.x, state.y, known.spacing_m),
        zoom: state.zoom,
        bearing: state.bearing,
        pitch: state.pitch,
    });

    /* dense: of what is printed, how many tiles lie where one would, along each side. */
    function create(element, variant, { dense, ...options } = {}) {
        const state = store.get();
        const usual = styleOf(state, known, variant, FADE_MS);
        const style = dense ? toPrint(usual, dense) : usual;
        const map = new Map({
            container: element,
            style,
            ...camera(state),
            minZoom: ZOOM_MIN,
            maxZoom: ZOOM_MAX,
            maxPitch: PITCH_MAX,
            renderWorldCopies: false,
            attributionControl: false,
            fadeDuration: 0,
            ...options,
        });
        map.on('error', () => {}); // the loader counts and tells; the parent's picture stays
        map.on('style.load', () => {
            refine(map, 'labels');
            spread(map, 'labels');
            stand(map);
            for (const [name, collection] of Object.entries(lines)) draw(map, name, collection);
        });
        map.on('resize', later(RESIZED_MS, () => soon(map, () => spread(map, 'labels'))));
        leaveOutCovered(map, finerThan);
        if (slowly) drawSeldom(map);
        return map;
    }

    /* Layers with nothing in them are hidden: the library clips by each tile of theirs. */
    function draw(map, name, collection) {
        map.getSource(name).setData(collection);
        const { features } = collection;
        const visibility = features?.length === 0 ? 'none' : 'visible';
        for (const id of map.getLayersOrder())
            if (map.getLayer(id).source === name) map.setLayoutProperty(id, 'visibility', visibility);
    }

    /* Heights that look as long as they are, wherever on the map's sphere the view is. */
    function stand(map) {
        const state = store.get();
        const scale = heightScale(map.getCenter().lat, known.spacing_m) * state.exaggeration;
        const now = map.getTerrain();
        if (!state.three) {
            if (now) map.setTerrain(null);
        } else if (!now || Math.abs(now.exaggeration / scale - 1) > 0.01) {
            map.setTerrain({ source: 'dem', exaggeration: scale });
            map.setSky(SKY);
        }
    }

    function createShown(element, variant, options) {
        const shownThere = create(element, variant, options);
        const awaits = (yes) => {
            awaiting[yes ? 'add' : 'delete'](shownThere);
            waiting(awaiting.size > 0);
        };
        grounds.set(shownThere, createGround(shownThere, FADE_MS, awaits));
        return shownThere;
    }

    const map = createShown(container, shown(store.get()), { keyboard: true });
    map.addControl(new NavigationControl({ visualizePitch: true }), 'bottom-right');
    map.getCanvas().setAttribute(
        'aria-label',
        'Map. Arrow keys move it, plus and minus zoom, Shift and arrow keys turn and tilt it.',
    );
    const both = () => [map, second].filter(Boolean);

    function follow() {
        second?.jumpTo({
            center: map.getCenter(),
            zoom: map.getZoom(),
            bearing: map.getBearing(),
            pitch: map.getPitch(),
        });
    }

    function moved() {
        const { lng, lat } = map.getCenter();
        const { x, y } = toMetres(lng, lat, known.spacing_m);
        quiet = true;
        store.set({ x, y, zoom: map.getZoom(), bearing: map.getBearing(), pitch: map.getPitch() });
        quiet = false;
        both().forEach((each) => each.isStyleLoaded() && stand(each));
    }
    map.on('move', follow);
    map.on('moveend', moved);
    moved(); // the map goes nowhere beyond its edges, whatever it was told

    /* True where the comparison began or ended. */
    function compare(state) {
        if (compared(state) === Boolean(second)) return false;
        over.hidden = !compared(state);
        if (second) {
            grounds.get(second).end();
            awaiting.delete(second);
            waiting(awaiting.size > 0);
            second.remove();
            second = null;
        } else {
            second = createShown(over, known.variant, { interactive: false });
        }
        return true;
    }

    /* Another layer, or another world. */
    function show(each, variant) {
        const state = store.get();
        grounds.get(each).show(addresses(state, known, variant), resampling(state));
    }

    /* What lies over the layer, and the heights: of the world before nothing stays. */
    function renew(each, variant, names) {
        const state = store.get();
        const sources = otherSources(addresses(state, known, variant));
        if (names.includes('dem') && each.getTerrain()) each.setTerrain(null);
        for (const name of names) {
            if (each.getLayer(name)) each.removeLayer(name);
            each.removeSource(name);
            each.addSource(name, sources[name]);
            const layer = otherLayers(state, known, FADE_MS).find(({ id }) => id === name);
            if (layer) each.addLayer(layer, name === 'light' ? 'veil' : 'contours');
        }
    }

    /* Waits for the style where it is not there yet. */
    const soon = (each, work) => (each.style?._loaded ? work() : each.once('style.load', work));

    function apply(state, changed) {
        const has = (...keys) => keys.some((key) => changed.includes(key));
        const turned = compare(state);
        for (const each of both())
            soon(each, () => {
                const variant = each === second ? known.variant : shown(state);
                const another = has('seed', 'recipe', 'v');
                if (turned ? each !== second : another || has('layer', 'variant', 'at')) show(each, variant);
                if (another) {
                    renew(each, variant, ['veil', 'light', 'dem']);
                    each.setPaintProperty('rivers', 'line-width', riverWidth(known));
                    each.setPaintProperty('contours', 'line-color', contourColour(known));
                } else if (turned ? each !== second : has('variant', 'at')) {
                    renew(each, variant, ['light']);
                    each.getSource('dem').setTiles([addresses(state, known, variant).dem]);
                }
                if (has('zone') && !another) renew(each, variant, ['veil']);
                if (another || has('variant', 'at') || (turned && each !== second))
                    for (const name of OF_VECTORS) each.getSource(name).setTiles([addresses(state, known, variant).vectors]);
                if (another || has('contours', 'names'))
                    for (const [name, shows] of Object.entries(VECTORS))
                        each.setLayoutProperty(name, 'visibility', shows(state) ? 'visible' : 'none');
                if (has('sun')) {
                    each.setLayoutProperty('light', 'visibility', state.sun ? 'visible' : 'none');
                    for (const [name, value] of Object.entries(lightOf(state)))
                        each.setPaintProperty('light', name, value);
                }
                stand(each);
            });
        if (!quiet && has('x', 'y', 'zoom', 'bearing', 'pitch')) map.jumpTo(camera(state));
    }
    store.on('', apply);

    return {
        map,
        second: () => second,
        /** Of the world that the store's seed and recipe now name; before they are set. */
        setWorld(described) {
            known = described;
        },
        tilt(three) {
            store.set({ three });
            map.easeTo({
                pitch: three ? PITCH_3D : 0,
                ...(three ? {} : { bearing: 0 }),
                duration: calm ? 0 : 900,
            });
        },
        goTo({ x, y, zoom }) {
            map.flyTo({
                center: toLngLat(x, y, known.spacing_m),
                zoom: zoom ?? map.getZoom(),
                maxDuration: 2500,
            });
        },
        metresAt(point) {
            const { lng, lat } = map.unproject(point);
            return toMetres(lng, lat, known.spacing_m);
        },
        /** {name, kind} of the label or river that is drawn at a pixel; undefined: none is. Of rivers kind is none. */
        labelAt({ x, y }) {
            const around = [
                [x - LABEL_NEAR, y - LABEL_NEAR],
                [x + LABEL_NEAR, y + LABEL_NEAR],
            ];
            const layers = NAMED.filter((id) => map.getLayer(id));
            return map.queryRenderedFeatures(around, { layers }).find(({ properties }) => properties.name)?.properties;
        },
        pixelOf({ x, y }) {
            return map.project(toLngLat(x, y, known.spacing_m));
        },
        /** Until the map shows all that it has of the view: what is told beside it can wait. */
        whole: () => (map.loaded() && map.areTilesLoaded() ? Promise.resolve() : map.once('idle')),
        bounds() {
            const box = map.getBounds();
            const nw = toMetres(box.getWest(), box.getNorth(), known.spacing_m);
            const se = toMetres(box.getEast(), box.getSouth(), known.spacing_m);
            return { west: nw.x, north: nw.y, east: se.x, south: se.y };
        },
        /** Draws lines, as GeoJSON, over the layer: those of a source, in place of its last ones. */
        setLines(name, collection) {
            lines[name] = collection;
            for (const each of both()) if (each.style?._loaded) draw(each, name, collection);
        },
        /**
         * The view with `pixels` along its longer side, of tiles as fine, drawn out of sight. take(canvas) is called when all is there:
         * what it draws from is gone when it returns.
         */
        async print(pixels, take, signal) {
            const { clientWidth, clientHeight } = container;
            const pixelRatio = pixels / Math.max(clientWidth, clientHeight);
            const sheet = make('div', { className: 'sheet', 'aria-hidden': 'true', inert: true });
            sheet.style.width = `${clientWidth}px`;
            sheet.style.height = `${clientHeight}px`;
            document.body.append(sheet);
            let printed = null;
            try {
                printed = create(sheet, variantOf(store.get()), {
                    interactive: false,
                    pixelRatio,
                    maxCanvasSize: [pixels, pixels],
                    dense: 2 ** Math.max(Math.round(Math.log2(pixelRatio)), 0),
                });
                await new Promise((resolve, reject) => {
                    printed.once('idle', resolve);
                    signal.addEventListener('abort', () => reject(signal.reason));
                });
                printed.redraw();
                return take(printed.getCanvas());
            } finally {
                printed?.remove();
                sheet.remove();
            }
        },
        /** Asks for the layer's tiles anew. */
        reload() {
            for (const each of both()) soon(each, () => show(each, each === second ? known.variant : shown(store.get())));
        },
        /**
         * Has tiles again that touches({z, x, y}) is true of; what is shown of them stands until then. Those that are awaited are had by
         * the loader as they are by then; which of them were on their way to the map, nobody knows, so they are had once more.
         */
        renew(touches) {
            for (const each of both())
                soon(each, () => {
                    for (const name of [...grounds.get(each).sources(), 'light', 'dem', ...OF_VECTORS]) {
                        const manager = each.style.tileManagers[name];
                        const tiles = manager.getIds().map((id) => manager.getTileByID(id));
                        const found = tiles.filter(({ tileID }) => touches(tileID.canonical));
                        const late = found.filter((tile) => !tile.hasData());
                        const refresh = (list) => list.length && each.getSource(name) && each.refreshTiles(name, list.map(({ tileID }) => tileID.canonical));
                        manager._outOfViewCache.reset();
                        refresh(found);
                        if (late.length) each.once('idle', () => refresh(late));
                    }
                });
        },
        again() {
            for (const each of both()) {
                grounds.get(each).again();
                for (const [name, { type }] of Object.entries(each.getStyle().sources))
                    if (type !== 'geojson') each.refreshTiles(name);
            }
        },
    };
}
