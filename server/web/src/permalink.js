/*
 * What is shown, as the address says it: #seed=42&layer=relief&x=..&y=..&zoom=... What is not said has its
 * default; a number beyond its range is the range's end; what cannot be read is passed over, but for seed, recipe and v: these
 * are as they stand, whatever they are (see seed.js), since others would be another world. Pure: text to state and back.
 */
export const LAYERS = [
    'relief',
    'hillshade',
    'height',
    'normal',
    'partition',
    'slope',
    'water',
    'flow',
    'delta',
    'path',
    'cave',
    'river',
    'climate',
    'cover',
    'objects',
];
export const ZOOM_MIN = 3;
export const ZOOM_MAX = 20;
export const PITCH_MAX = 80;

export const DEFAULTS = Object.freeze({
    seed: '42',
    recipe: '', // the server's, or the named world's
    v: '', // the generator: the recipe's own, which is said once the world is known
    layer: 'relief',
    variant: '', // the recipe's own
    x: null, // metres; null: the world's spawn
    y: null,
    zoom: 9.3,
    bearing: 0,
    pitch: 0,
    three: false,
    exaggeration: 2,
    sun: null, // {azimuth, altitude} in degrees; null: as the layers are drawn
    compare: null, // how much of the width is base, 0 .. 1; null: not compared
    zone: null, // the one that is picked out
    grid: false,
    contours: false,
    names: true, // of places, peaks and water
    paths: false, // their lines, and those of rivers, over the layer
    at: null, // of a world that people change: the operation after which it is shown; null: now
});

const number = (low, high, digits) => ({
    read(text) {
        const value = text.trim() === '' ? NaN : Number(text);
        return Number.isNaN(value) ? undefined : Math.min(Math.max(value, low), high);
    },
    write: (value) => String(Number(value.toFixed(digits))),
});
const choice = (names) => ({ read: (text) => (names.includes(text) ? text : undefined), write: String });
const flag = { read: (text) => text !== '0', write: (value) => (value ? '1' : '0') };

const sun = {
    read(text) {
        const [azimuth, altitude] = text.split(',').map(Number);
        const fine = azimuth >= 0 && azimuth <= 360 && altitude >= 1 && altitude <= 90;
        return fine ? { azimuth, altitude } : undefined;
    },
    write: ({ azimuth, altitude }) => `${Math.round(azimuth)},${Math.round(altitude)}`,
};

const FIELDS = {
    seed: { read: (text) => text.trim() || undefined, write: String },
    recipe: { read: (text) => text.trim() || undefined, write: String },
    v: { read: (text) => text.trim() || undefined, write: String },
    layer: choice(LAYERS),
    variant: choice(['base', 'eroded', 'carved']),
    x: number(-(2 ** 52), 2 ** 52, 2),
    y: number(-(2 ** 52), 2 ** 52, 2),
    zoom: number(ZOOM_MIN, ZOOM_MAX, 2),
    bearing: number(-360, 360, 1),
    pitch: number(0, PITCH_MAX, 1),
    three: { ...flag, name: '3d' },
    exaggeration: number(0.1, 10, 2),
    sun,
    compare: number(0, 1, 3),
    zone: number(0, 15, 0),
    grid: flag,
    contours: flag,
    names: flag,
    paths: flag,
    at: number(0, 2 ** 52, 0),
};

/** The whole state that an address's fragment says, with or without its '#'. */
export function parse(fragment) {
    const given = new URLSearchParams(fragment.replace(/^#/, ''));
    const state = { ...DEFAULTS };
    for (const [key, field] of Object.entries(FIELDS)) {
        const text = given.get(field.name ?? key);
        const value = text === null ? undefined : field.read(text);
        if (value !== undefined) state[key] = value;
    }
    if (state.x === null || state.y === null) state.x = state.y = null;
    return state;
}

const same = (a, b) =>
    a === b || (a && b && typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));

/** The fragment of a state, '#' included. The seed is always said. */
export function format(state) {
    const said = [];
    for (const [key, field] of Object.entries(FIELDS)) {
        const value = state[key];
        if (value === null || value === undefined || (key !== 'seed' && same(value, DEFAULTS[key]))) continue;
        said.push(`${field.name ?? key}=${encodeURIComponent(field.write(value)).replaceAll('%2C', ',')}`);
    }
    return `#${said.join('&')}`;
}
