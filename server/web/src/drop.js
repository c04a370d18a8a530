/*
 * Drops water: a click on the map, and the way that it takes from there to the sea or an inland lake, as a line over the map
 * and its heights as one curve.
 */
import { grouped, make } from './dom.js';
import { toLngLat } from './mercator.js';
import { chart, distanceText } from './profile.js';
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
    const middle = () =>
        make('button', {
            type: 'button',
            textContent: 'Take the middle of the map',
            disabled: !world().rivers,
            onclick: () => drop({ x: store.get().x, y: store.get().y }),
        });

    function draw(...parts) {
        if (body)
            body.replaceChildren(
                make('p', { className: 'note', textContent: hint() }),
                ...parts,
                make('div', { className: 'row' }, middle()),
            );
    }

    function show({ geometry, properties }) {
        const points = geometry.coordinates;
        const into = ENDS[properties.ends] ?? properties.ends;
        if (drowned(points)) return draw(make('p', { textContent: `It falls into ${into}.` }));
        const { places, length } = evenly(points);
        const heights = places.map(({ z }) => z);
        const said = make('p', { className: 'said', textContent: '\u00a0' });
        const picture = chart(heights, heights, length, world().sea_m, (k) => {
            overlay.mark({ dot: k < 0 ? null : places[k] });
            said.textContent =
                k < 0
                    ? '\u00a0'
                    : `${distanceText((length * k) / (places.length - 1))}: ${grouped(heights[k])} m`;
        });
        const line = points.map(([x, y]) => toLngLat(x, y, world().spacing_m));
        view.setLines('drop', { type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates: line } });
        return draw(
            picture,
            said,
            make(
                'dl',
                {},
                ...[
                    ['Length', distanceText(properties.length_m)],
                    ['Fall', `${grouped(properties.fall_m)} m`],
                    ['Reaches', grouped(properties.rivers.length)],
                    ['Ends in', into],
                ].flatMap(([name, value]) => [
                    make('dt', { textContent: name }),
                    make('dd', { textContent: value }),
                ]),
            ),
        );
    }

    function drop(place) {
        if (!body || !world().rivers) return;
        const { seed, recipe, v } = store.get();
        clear();
        overlay.mark({ line: [place] });
        draw(make('p', { textContent: 'Following it\u2026' }));
        question.ask(downstreamUrl({ seed, recipe, v }, place), show, ({ message }) =>
            draw(make('p', { className: 'wrong', role: 'alert', textContent: `It cannot be followed: ${message}` })),
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
