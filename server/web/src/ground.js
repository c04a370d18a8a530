/*
 * What one map shows of a world: a stack of layers, coarse under fine. Another layer or world is a new stack,
 * which loads unseen and takes the old one's place as a whole, so that never both stand side by side. Where
 * that takes long the old one turns grey, and waiting(true) is called.
 */
import { stackOf, stackSources } from './style.js';

const WHOLE_MS = 500; // for the new stack to be complete; from there on its coarse layers are enough
const COARSE_MS = 3000; // ... and from here on its coarsest
const OVER = 'light'; // the layer that lies over the stacks

/** fade: milliseconds in which a tile appears. */
export function createGround(map, fade, waiting) {
    let number = 0;
    let shown = 0; // the stack that is seen
    let coming = null; // {number, since, timer}
    const failed = new Set(); // sources some of whose tiles could not be had

    const idsOf = (k) => Object.keys(stackSources(k, {})).filter((id) => map.getSource(id));

    function remove(k) {
        for (const id of idsOf(k)) {
            if (map.getLayer(id)) map.removeLayer(id);
            if (map.getSource(id)) map.removeSource(id);
            failed.delete(id);
        }
    }

    const whole = (id) => map.getSource(id) && map.isSourceLoaded(id) && !failed.has(id);

    function grey(k, yes) {
        for (const id of idsOf(k)) {
            map.setPaintProperty(id, 'raster-saturation', yes ? -0.9 : 0);
            map.setPaintProperty(id, 'raster-brightness-max', yes ? 0.75 : 1);
        }
    }

    function look() {
        if (!coming) return;
        const [wide, coarse, base] = ['wide', 'under', 'base'].map((name) => `${name}-${coming.number}`);
        const under = map.getZoom() < map.getLayer(coarse).minzoom ? base : coarse;
        const waited = performance.now() - coming.since;
        const enough = waited < WHOLE_MS ? base : waited < COARSE_MS && !failed.has(under) ? under : wide;
        if (!whole(enough)) {
            if (waited >= WHOLE_MS && !coming.told) {
                coming.told = true;
                grey(shown, true);
                waiting(true);
            }
            return;
        }
        clearInterval(coming.timer);
        const old = shown;
        shown = coming.number;
        coming = null;
        for (const id of idsOf(shown)) map.setPaintProperty(id, 'raster-opacity', 1);
        setTimeout(() => map.style && remove(old), fade + 60);
        waiting(false);
    }

    map.on('error', ({ sourceId }) => sourceId && failed.add(sourceId));
    map.on('sourcedata', look);

    return {
        /** Shows other tiles: as style.js says their addresses and resampling as the style says it. */
        show(addresses, resampling) {
            const told = coming?.told ?? false;
            if (coming) {
                const { number: gone, timer } = coming;
                clearInterval(timer);
                coming = null; // what comes meanwhile of the others looks for nothing of it
                remove(gone);
            }
            number++;
            for (const [id, source] of Object.entries(stackSources(number, addresses)))
                map.addSource(id, source);
            for (const layer of stackOf(number, addresses, { resampling, fade, opacity: 0, swap: fade }))
                map.addLayer(layer, OVER);
            coming = { number, since: performance.now(), timer: setInterval(look, 100), told };
            if (told) waiting(true); // for another one, now
        },
        /** Tries again what failed. */
        again: () => failed.clear(),
        /** The sources that are seen, or will be. */
        sources: () => idsOf(coming?.number ?? shown),
        end: () => clearInterval(coming?.timer),
    };
}
