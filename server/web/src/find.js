/*
 * Finds: the nearest of a kind from the middle of the map, as a list of places to go to.
 */
import { distanceText } from './profile.js';
import { button, grouped, make, note, select, wrong } from './dom.js';
import { levelAt } from './mercator.js';
import { createQuestion } from './question.js';
import { findUrl } from './urls.js';

const LIMIT = 5;
const FINEST = 6; // looked at, however near the map is: what is finer is dear to look through
const COARSEST = 12;
const ZOOM = 12; // to go to what is found with, at least

const PLAIN = [
    ['peak', 'Peak'],
    ['lake', 'Lake'],
    ['river', 'River'],
    ['mouth', 'River\u2019s mouth'],
    ['coast', 'Coast'],
    ['town', 'Town'],
    ['place', 'Town or village'],
    ['cave', 'Way into a cave'],
];

/** What can be looked for in a world, as [what, words]. */
export function kindsOf(world) {
    const has = {
        river: Boolean(world.rivers),
        mouth: Boolean(world.rivers),
        town: Boolean(world.paths?.towns),
        place: Boolean(world.paths?.towns),
        cave: Boolean(world.caves),
    };
    const zones = world.zones.length > 1 ? world.zones : [];
    return [
        ...PLAIN.filter(([what]) => has[what] ?? true),
        ...zones.map(({ name }) => [`zone:${name}`, `Zone: ${name}`]),
        ...(world.cover ?? []).map(({ name }) => [`cover:${name}`, `Cover: ${name}`]),
    ];
}

/** The finest level to look at for a view of this zoom. */
export const levelFor = (zoom) => Math.min(Math.max(Math.round(levelAt(zoom)), FINEST), COARSEST);

/** What a place that was found says of itself. */
export function wordsOf({ properties, geometry }) {
    const { name, rank, discharge_m3s: discharge, area_m2: area } = properties;
    const height = `${grouped(geometry.coordinates[2])} m`;
    const called = name ? `${name}, ` : '';
    if (rank) return `${called}${rank}`;
    if (discharge !== undefined) return `${called}${discharge < 10 ? discharge.toPrecision(2) : grouped(discharge)} m\u00b3/s`;
    if (area !== undefined) return `${called}${area < 1e6 ? `${grouped(area / 1e4)} ha` : `${grouped(area / 1e6)} km\u00b2`}`;
    return `${called}${height}`;
}

export function findPanel({ store, loader, view, world, overlay }) {
    let body = null;
    const question = createQuestion(loader);
    let what = '';

    function draw(...parts) {
        if (!body) return;
        const kinds = kindsOf(world());
        what = kinds.some(([value]) => value === what) ? what : kinds[0][0];
        const choose = (value) => {
            what = value;
        };
        body.replaceChildren(
            make(
                'form',
                {
                    className: 'row',
                    onsubmit: (event) => {
                        event.preventDefault();
                        find();
                    },
                },
                make('label', { htmlFor: 'find-what', textContent: 'The nearest' }),
                select(kinds, what, choose, { id: 'find-what' }),
                make('button', { type: 'submit', textContent: 'Find' }),
            ),
            note('From the middle of the map.'),
            ...parts,
        );
    }

    function show({ features, search }) {
        const step = ({ lod }) => distanceText(world().spacing_m * 2 ** lod);
        const each = search.levels.map((level) => `within ${distanceText(level.reach_m)} at ${step(level)} a sample`);
        const within = `Looked ${each.join(', ')}. What is smaller than that may be nearer.`;
        const list = features.map((feature) => {
            const [x, y] = feature.geometry.coordinates;
            const mark = () => overlay.mark({ dot: { x, y } });
            return make(
                'li',
                {},
                button(
                    `${distanceText(feature.properties.distance_m)}: ${wordsOf(feature)}`,
                    () => view.goTo({ x, y, zoom: Math.max(store.get().zoom, ZOOM) }),
                    { onfocus: mark, onpointerenter: mark },
                ),
            );
        });
        draw(
            features.length
                ? make('ol', { className: 'found' }, ...list)
                : make('p', { textContent: 'There is none so near.' }),
            note(within, { role: 'status' }),
        );
        body?.querySelector('.found button')?.focus();
    }

    function find() {
        const { seed, recipe, v, x, y, zoom } = store.get();
        clear();
        draw(make('p', { role: 'status', textContent: 'Looking\u2026' }));
        question.ask(findUrl({ seed, recipe, v }, { what, x, y, limit: LIMIT, lod: levelFor(zoom) }), show, ({ message }) =>
            draw(wrong(`It cannot be looked for: ${message}`)),
        );
    }

    function clear() {
        question.drop();
        overlay.mark({ dot: null });
        draw();
    }
    store.on('seed recipe v', () => body && clear());

    return {
        id: 'find',
        needs: 'find',
        name: 'Find',
        title: 'Find the nearest',
        open(element) {
            body = element;
            draw();
            element.querySelector('select').focus();
        },
        close() {
            clear();
            body = null;
        },
    };
}
