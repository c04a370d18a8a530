/*
 * Drops water: a click on the map, and the way that it takes from there to the sea or an inland lake, as a line over the map
 * and its heights as one curve.
 */
import { facts, grouped, make, wrong } from './dom.js';
import { toLngLat } from './mercator.js';
import { chartWithWords, distanceText, fillPanel } from './profile.js';
import { createQuestion } from './question.js';
import { downstreamUrl } from './urls.js';
import { NO_LINES } from './ways.js';

const SAMPLES = 240;
const ENDS = { sea: 'the sea', lake: 'an inland lake' };

/** So many places along a line of [x, y, z], equally far from each other, and its length. */
export function evenly(points, count = SAMPLES) {
    const far = [0];
    for (let k = 1; k < points.length; k++)
        far.push(far[k - 1] + Math.hypot(points[k][0] - points[k - 1][0], points[k][1] - points[k - 1][1]));
    const length = far.at(-1);
    let k = 0;
    const places = Array.from({ length: count }, (_, n) => {
        const want = (length * n) / (count - 1);
        while (k + 2 < points.length && far[k + 1] < want) k++;
        const t = Math.min((want - far[k]) / (far[k + 1] - far[k] || 1), 1);
        const [x, y, z] = points[k].map((a, axis) => a + (points[k + 1][axis] - a) * t);
        return { x, y, z };
    });
    return { places, length };
}

/** Whether a drop has nowhere to run: its way is from the place to its cell, which is sea, or the deepest of a lake. */
export const drowned = (points) => points.length < 3;

export function dropPanel({ store, loader, view, world, overlay }) {
    let body = null;
    const question = createQuestion(loader);

    const hint = () =>
        world().rivers
            ? 'Click where a drop falls.'
            : 'This recipe has no rivers: where its water goes is not known.';
    const draw = (...parts) => body && fillPanel(body, hint(), parts, store, drop, !world().rivers);

    function show({ geometry, properties }) {
        const points = geometry.coordinates;
        const into = ENDS[properties.ends] ?? properties.ends;
        if (drowned(points)) return draw(make('p', { textContent: `It falls into ${into}.` }));
        const { places, length } = evenly(points);
        const heights = places.map(({ z }) => z);
        const line = points.map(([x, y]) => toLngLat(x, y, world().spacing_m));
        view.setLines('drop', { type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates: line } });
        return draw(
            ...chartWithWords(places, heights, heights, length, world().sea_m, (dot) => overlay.mark({ dot })),
            facts([
                ['Length', distanceText(properties.length_m)],
                ['Fall', `${grouped(properties.fall_m)} m`],
                ['Reaches', grouped(properties.rivers.length)],
                ['Ends in', into],
            ]),
        );
    }

    function drop(place) {
        if (!body || !world().rivers) return;
        clear();
        overlay.mark({ line: [place] });
        draw(make('p', { textContent: 'Following it\u2026' }));
        question.ask(downstreamUrl(store.get(), place), show, ({ message }) =>
            draw(wrong(`It cannot be followed: ${message}`)),
        );
    }

    function clear() {
        question.drop();
        overlay.mark({ line: [], dot: null });
        view.setLines('drop', NO_LINES);
        draw();
    }
    view.map.on('click', ({ point }) => drop(view.metresAt(point)));
    store.on('seed recipe v', () => body && clear());

    return {
        id: 'drop',
        needs: 'downstream',
        name: 'Drop',
        title: 'Drop water',
        open(element) {
            body = element;
            draw();
        },
        close() {
            clear();
            body = null;
        },
    };
}
