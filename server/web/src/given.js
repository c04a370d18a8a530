/*
 * Who gives what the viewer asks for where tiles are made in this browser. Pure, but for what it is handed: the package
 * `terrane`, what opens the address's world, and files of the site.
 */
import { linesIn } from './lines.js';
import { SEEDS } from '../../../lib/js/objects.js';
import { pointsOf } from './place.js';

const Z_MID = 2; // of the coarsest layers of a stack (style.js), below all that a map shows for itself

const picture = async ({ z, x, y, query: { layer = 'height', variant, bands = 0, reg } }, { terrane, open, signal, priority }) =>
    terrane.mapPicture(await open(), { z, x, y, layer, variant, bands: Number(bands), center: reg === 'center', signal, priority });

const samples = async ({ z, x, y, query: { layer = 'height', variant, size = 257 } }, { open, signal, priority }) =>
    (await (await open()).tile({ level: z, x, y, layer, variant, size: Number(size), signal, priority })).samples.buffer;

const places = async ({ z, x, y }, { open, signal, priority }) => (await open()).places({ level: z, x, y, signal, priority });

async function point({ query: { x, y, lod = 0, variant } }, { open, described, body, signal, priority }) {
    const asked = body ? JSON.parse(body).places : [[Number(x), Number(y)]];
    const [world, facts] = await Promise.all([open(), described()]);
    const told = await pointsOf({ world, facts, places: asked, lod: Number(lod), variant, signal, priority });
    return body ? { places: told } : told[0];
}

async function lines({ route, query: { lod, x0, y0, w, h } }, { open, signal, priority }) {
    const window = { lod: Number(lod), x0: Number(x0), y0: Number(y0), w: Number(w), h: Number(h) };
    return linesIn(await open(), route, window, { signal, priority });
}

const world = (_, { described }) => described();
const model = ({ name, query: { seed } }, { kept }) => kept(`model/${name}-${Number(seed) % SEEDS}.glb`, (answer) => answer.arrayBuffer());

/*
 * By route and ending: what answers without a server; null: nobody does, and what rests on it is not shown. here: of a server's world
 * it may be made, too.
 */
export const GIVEN = {
    'xyz.png': { answer: picture, here: true },
    'tile.f32': { answer: samples, here: true },
    'tile.bin': { answer: places, here: true },
    world: { answer: world },
    point: { answer: point },
    'model.glb': { answer: model },
    river: { answer: lines },
    path: { answer: lines },
    'xyz.mvt': null, // contours, names of places
    downstream: null, // the way of a drop
    find: null, // the nearest of a kind
    region: null, // files of windows and tiles
    server: null, // addresses for other programs
};

/** "xyz/42/9/1/2.png?layer=slope" -> { route: "xyz.png", name: "42", z, x, y, query }; of others what they have of it. */
export function partsOf(address) {
    const [path, query = ''] = address.split('?');
    const [, whole, ending] = /^(.*?)(?:\.([a-z0-9]+))?$/.exec(path);
    const [root, name, ...numbers] = whole.split('/').map(decodeURIComponent);
    const [z, x, y] = numbers.map(Number);
    return { route: ending ? `${root}.${ending}` : root, name, z, x, y, query: Object.fromEntries(new URLSearchParams(query)) };
}

/**
 * What is made first: what is urgent, as coarse tiles are; base ground, which takes milliseconds and stands where other ground is awaited;
 * then tiles of the map (they have a lane), by how far they are from the middle, in parts of the map; the coarsest where base ground
 * stands for them; and last what tells of them.
 */
export function priorityOf({ route, z, query }, lane, far) {
    if (route === 'xyz.png' && z <= Z_MID && query.variant) return 1 / 4; // behind all of a view, whose far is under 3/4
    if (lane === 'urgent') return 3;
    if (query.variant === 'base' || query.layer === 'partition') return lane ? 2 : 0;
    return (lane ? 1 : 0) - far;
}
