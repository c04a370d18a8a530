/*
 * Layers of numbers as colours: what a sample's pixel says, which colour that is, and the key that explains
 * it. Pure.
 */
import { terrarium } from './png.js';

const grey = (picture) => (i) => picture.data[i];
const metres = (picture) => (i) => terrarium(picture.data, i);

/** Of flow and river, whose pixels' values are logarithms: 16 + 24 e + ...; see the manual of the server. */
export function logarithm(value) {
    if (value < 16) return value / 16;
    const e = Math.floor((value - 16) / 24);
    return (2 ** (e + 4) * (1 + ((value - 16) % 24) / 24)) / 16;
}

/*
 * stops: rising values with their colours. unit: said in the key. read: of a picture, the value at pixel i.
 * sea: the stops are metres above the sea.
 */
export const TINTS = {
    height: {
        title: 'Height',
        unit: 'm',
        read: metres,
        sea: true,
        stops: [
            [-6000, '#0b2447'],
            [-3000, '#14457f'],
            [-1000, '#2a6fae'],
            [-200, '#63a7d4'],
            [-0.01, '#b5dcee'],
            [0, '#4f8a5b'],
            [150, '#8db36a'],
            [500, '#d5cf8f'],
            [1200, '#c79b61'],
            [2200, '#96664a'],
            [3200, '#8d8683'],
            [4200, '#ffffff'],
        ],
    },
    slope: {
        title: 'Slope',
        unit: '°',
        read: (picture) => (i) => (picture.data[i] * 90) / 255,
        stops: [
            [0, '#f4f1e6'],
            [5, '#dfe3b5'],
            [12, '#a9c98a'],
            [20, '#e9b44c'],
            [30, '#d1603d'],
            [45, '#87255b'],
            [70, '#2a0f3d'],
        ],
    },
    water: {
        title: 'Depth of water',
        unit: 'm',
        read: (picture) => (i) => picture.data[i] / 8,
        stops: [
            [0, '#ece7da'],
            [0.06, '#ece7da'],
            [0.13, '#c7e6f0'],
            [10, '#8dc8e3'],
            [100, '#4a97cc'],
            [500, '#2368a8'],
            [2000, '#123f78'],
            [6000, '#0a2145'],
        ],
    },
    flow: {
        title: 'Droplets that came by',
        unit: '',
        read: (picture) => (i) => logarithm(grey(picture)(i)),
        stops: [
            [0, '#f3efe4'],
            [0.5, '#e3ead9'],
            [2, '#b6d8cf'],
            [8, '#6fb7c4'],
            [32, '#3585b4'],
            [128, '#234f93'],
            [1000, '#1b1f56'],
        ],
    },
    river: {
        title: 'Discharge of rivers',
        unit: 'm\u00b3/s',
        read: (picture) => (i) => logarithm(grey(picture)(i)),
        stops: [
            [0, '#f3efe4'],
            [0.05, '#bfdde3'],
            [0.5, '#86bfd6'],
            [5, '#4a97cc'],
            [50, '#23609f'],
            [1000, '#14265c'],
        ],
    },
    delta: {
        title: 'Change by erosion',
        unit: 'm',
        read: metres,
        stops: [
            [-200, '#5e1224'],
            [-50, '#b2403a'],
            [-10, '#e59a74'],
            [-1, '#f5ddc8'],
            [0, '#f4f1ea'],
            [1, '#d3e2e4'],
            [10, '#86b7c9'],
            [50, '#2f78a8'],
            [200, '#123f6b'],
        ],
    },
};

const SIZE = 4096; // of a table of colours

const rgb = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

export function colourAt(stops, value) {
    const k = stops.findIndex(([at]) => value < at);
    if (k <= 0) return rgb(stops[k === 0 ? 0 : stops.length - 1][1]);
    const [low, below] = stops[k - 1];
    const [high, above] = stops[k];
    const t = (value - low) / (high - low);
    const b = rgb(above);
    return rgb(below).map((c, i) => Math.round(c + (b[i] - c) * t));
}

const tables = new Map();

/* Colours by value, evenly along a root, so that small values have as many as large ones. */
function tableOf(name) {
    if (!tables.has(name)) {
        const { stops } = TINTS[name];
        const low = stops[0][0];
        const high = stops.at(-1)[0];
        const most = Math.max(Math.abs(low), Math.abs(high));
        const colours = new Uint8Array((2 * SIZE + 1) * 3);
        for (let k = -SIZE; k <= SIZE; k++)
            colours.set(colourAt(stops, Math.sign(k) * most * (k / SIZE) ** 2), (k + SIZE) * 3);
        tables.set(name, { colours, most });
    }
    return tables.get(name);
}

/** Pixels, RGBA, of a decoded tile of a layer that has a tint. base: metres of the sea's level. */
export function paint(name, picture, base = 0) {
    const { colours, most } = tableOf(name);
    const at = TINTS[name].read(picture);
    const offset = TINTS[name].sea ? base : 0;
    const count = picture.width * picture.height;
    const out = new Uint8ClampedArray(count * 4);
    for (let i = 0; i < count; i++) {
        const value = at(i) - offset;
        const root = Math.min(1, Math.sqrt(Math.abs(value) / most)) * SIZE;
        const k = (value < 0 ? SIZE - Math.max(1, Math.round(root)) : SIZE + Math.round(root)) * 3;
        out[4 * i] = colours[k];
        out[4 * i + 1] = colours[k + 1];
        out[4 * i + 2] = colours[k + 2];
        out[4 * i + 3] = 255;
    }
    return out;
}

/** A veil over every zone but one, RGBA. */
export function veil(picture, zone, alpha = 165) {
    const count = picture.width * picture.height;
    const out = new Uint8ClampedArray(count * 4);
    for (let i = 0; i < count; i++)
        if (picture.data[i] !== zone) {
            out[4 * i] = out[4 * i + 1] = out[4 * i + 2] = 22;
            out[4 * i + 3] = alpha;
        }
    return out;
}

const WET = rgb('#4a97cc');

/** Pixels, RGBA, of pictures of weights of cover, four materials each; under water of a picture of that, they shine through. */
export function blend(pictures, water, colours) {
    const parts = colours.map(rgb);
    const count = pictures[0].width * pictures[0].height;
    const out = new Uint8ClampedArray(count * 4);
    for (let i = 0; i < count; i++) {
        for (let c = 0; c < 3; c++) {
            let sum = 0;
            for (let k = 0; k < parts.length; k++) sum += parts[k][c] * pictures[k >> 2].data[4 * i + (k & 3)];
            out[4 * i + c] = water.data[i] ? 0.2 * (sum / 255) + 0.8 * WET[c] : sum / 255;
        }
        out[4 * i + 3] = 255;
    }
    return out;
}

const BED_M = 8; // no bed is drawn deeper: from farther away, where no water is over it, it is not to be missed

/** Of a terrarium picture of the water's surface and one of the ground below it, the bed. */
export function bedOf(surface, ground) {
    const data = surface.data.slice();
    for (let i = 0; i < data.length; i += 3) {
        const bed = Math.max(terrarium(ground.data, i / 3), terrarium(surface.data, i / 3) - BED_M) + 32768;
        data[i] = bed / 256;
        data[i + 1] = bed % 256;
        data[i + 2] = (bed * 256) % 256;
    }
    return { ...surface, data };
}

/** Terrarium pixels, RGBA, with the border of two that the map library fills in from the neighbours. */
export function elevation(picture) {
    const side = picture.width + 4;
    const out = new Uint8ClampedArray(side * side * 4);
    for (let y = 0; y < picture.height; y++)
        for (let x = 0; x < picture.width; x++) {
            const from = 3 * (y * picture.width + x);
            const to = 4 * ((y + 2) * side + x + 2);
            out[to] = picture.data[from];
            out[to + 1] = picture.data[from + 1];
            out[to + 2] = picture.data[from + 2];
            out[to + 3] = 255;
        }
    return { data: out, side };
}
