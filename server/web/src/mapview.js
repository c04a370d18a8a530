/*
 * The map, and a second one over it while base and eroded ground are compared. It follows the store, and
 * tells it where the camera went.
 */
import { Map, NavigationControl, setWorkerUrl, setMaxParallelImageRequests } from 'maplibre-gl';
import { heightScale, toLngLat, toMetres } from './mercator.js';
import { ZOOM_MAX, ZOOM_MIN } from './permalink.js';
import { SKY, addresses, lightOf, resampling, styleOf } from './style.js';

const PITCH_3D = 62;
const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;

export function createMapView({ container, over, store, world }) {
    setWorkerUrl(new URL(`viewer/${WORKER_FILE}`, document.baseURI).href);
    setMaxParallelImageRequests(12);
    let known = world;
    let second = null;
    let quiet = false; // the store changes because the map did

    const variantOf = (state) => state.variant || known.variant;
    const shown = (state) => (state.compare === null ? variantOf(state) : 'base');
    const camera = (state) => ({
        center: toLngLat(state.x, state.y, known.spacing_m),
        zoom: state.zoom,
        bearing: state.bearing,
        pitch: state.pitch,
    });

    function create(element, variant, options = {}) {
        const state = store.get();
        const map = new Map({
            container: element,
            style: styleOf(state, known, variant, calm ? 0 : 160),
            ...camera(state),
            minZoom: ZOOM_MIN,
            maxZoom: ZOOM_MAX,
            maxPitch: 80,
            renderWorldCopies: false,
            attributionControl: false,
            fadeDuration: 0,
            ...options,
        });
        map.on('error', () => {}); // the loader counts and tells; the parent's picture stays
        map.on('style.load', () => stand(map));
        return map;
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

    const map = create(container, shown(store.get()), { keyboard: true });
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

    /* True where the comparison began or ended. */
    function compare(state) {
        if ((state.compare === null) === !second) return false;
        over.hidden = state.compare === null;
        if (second) {
            second.remove();
            second = null;
        } else {
            second = create(over, 'eroded', { interactive: false });
        }
        return true;
    }

    function retile(each, variant, names) {
        const state = store.get();
        const at = addresses(state, known, variant);
        for (const name of names) each.getSource(name)?.setTiles([at[name]]);
        for (const layer of ['under', 'base'])
            each.setPaintProperty(layer, 'raster-resampling', resampling(state));
    }

    /* Waits for the style where it is not there yet. */
    const soon = (each, work) => (each.style?._loaded ? work() : each.once('style.load', work));

    function apply(state, changed) {
        const has = (...keys) => keys.some((key) => changed.includes(key));
        const turned = compare(state);
        for (const each of both())
            soon(each, () => {
                const variant = each === second ? 'eroded' : shown(state);
                if (turned || has('seed', 'recipe', 'variant'))
                    retile(each, variant, ['under', 'base', 'veil', 'dem', 'light']);
                else if (has('layer')) retile(each, variant, ['under', 'base']);
                if (has('zone')) {
                    each.setLayoutProperty('veil', 'visibility', state.zone === null ? 'none' : 'visible');
                    retile(each, variant, ['veil']);
                }
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
        pixelOf({ x, y }) {
            return map.project(toLngLat(x, y, known.spacing_m));
        },
        bounds() {
            const box = map.getBounds();
            const nw = toMetres(box.getWest(), box.getNorth(), known.spacing_m);
            const se = toMetres(box.getEast(), box.getSouth(), known.spacing_m);
            return { west: nw.x, north: nw.y, east: se.x, south: se.y };
        },
        again() {
            for (const each of both())
                for (const name of Object.keys(each.getStyle().sources)) each.refreshTiles(name);
        },
    };
}
