/*
 * How the ground is shown: its height, a sun of one's own, and the page's colours.
 */
import { $, check, make, note, radios, recall, remember, section, slider } from './dom.js';

const POINTS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];
const SUN = { azimuth: 315, altitude: 35 };

export function applyTheme(theme = recall('theme', 'auto')) {
    document.documentElement.dataset.theme = theme;
    $('meta[name="color-scheme"]').content = theme === 'auto' ? 'light dark' : theme;
}

/** made(): a section that tells of tiles made here; null: there is none. */
export function lightPanel({ store, tilt, made }) {
    let body = null;

    /* Sliders are put in logarithms: 1 is in the middle. */
    function ground(state) {
        return section(
            'Ground',
            check('Stand it up (3-D)', state.three, tilt),
            slider('Exaggeration', {
                min: -1,
                max: 1,
                step: 0.01,
                value: Math.log10(state.exaggeration),
                tell: (value) => `\u00d7 ${(10 ** value).toPrecision(2)}`,
                input: (value) => store.set({ exaggeration: Number((10 ** value).toPrecision(2)) }),
            }),
            note('\u00d7 1 is true: a metre up is a metre along.'),
        );
    }

    function light({ sun }) {
        const at = sun ?? SUN;
        const move = (patch) => store.set({ sun: { ...(store.get().sun ?? SUN), ...patch } });
        const part = section(
            'Sun',
            check('A sun of your own', Boolean(sun), (on) => store.set({ sun: on ? SUN : null })),
        );
        if (sun)
            part.append(
                slider('From', {
                    min: 0,
                    max: 355,
                    step: 5,
                    value: at.azimuth,
                    tell: (value) => `${POINTS[Math.round(value / 45) % 8]} ${value}\u00b0`,
                    input: (azimuth) => move({ azimuth }),
                }),
                slider('Height', {
                    min: 5,
                    max: 85,
                    step: 5,
                    value: at.altitude,
                    tell: (value) => `${value}\u00b0`,
                    input: (altitude) => move({ altitude }),
                }),
                note('Laid over the layer. Zones, height and slope take it best; relief and shade have a light of their own.'),
            );
        return part;
    }

    function page() {
        const themes = make('div', {
            className: 'choice',
            role: 'radiogroup',
            'aria-label': 'Colours of the page',
        });
        const mark = radios(
            themes,
            [
                { value: 'auto', text: 'As the system' },
                { value: 'light', text: 'Light' },
                { value: 'dark', text: 'Dark' },
            ],
            (theme) => {
                remember('theme', theme);
                applyTheme(theme);
                mark(theme);
            },
        );
        mark(recall('theme', 'auto'));
        return section('Page', themes);
    }

    function draw() {
        if (!body) return;
        const state = store.get();
        body.replaceChildren(
            ground(state),
            light(state),
            ...(made ? [made()] : []),
            page(),
        );
    }
    store.on('three', draw);
    let lit = false;
    store.on('sun', ({ sun }) => {
        if (Boolean(sun) !== lit) draw(); // only as it comes and goes: a slider that is held must stay
        lit = Boolean(sun);
    });

    return {
        id: 'light',
        name: 'View',
        title: 'View',
        open(element) {
            body = element;
            lit = Boolean(store.get().sun);
            draw();
        },
        close() {
            body = null;
        },
    };
}
