/*
 * A place worth looking at, in a world that nobody has seen: where a coarse look at its ground finds high and
 * low, land and sea, within one view. The same world has the same place, unless the server is too busy to
 * tell: then it is the best of what is known in time.
 */
import { tileMetres, toXyz } from './mercator.js';
import { terrarium } from './png.js';
import { xyzUrl } from './urls.js';

export const LOD = 11; // a tile is as wide as the largest forms
const WAIT_MOST_MS = 6000;
const BLOCK = 32; // samples: 64 km where a sample of level 0 is a metre

function look(picture, bx, by, sea) {
    let land = 0;
    let sum = 0;
    let squares = 0;
    let count = 0;
    for (let y = by; y < by + 2 * BLOCK; y += 2)
        for (let x = bx; x < bx + 4 * BLOCK; x += 2) {
            const h = Math.max(terrarium(picture.data, y * picture.width + x) - sea, -200);
            land += h > 0;
            sum += h;
            squares += h * h;
            count++;
        }
    const share = land / count;
    const relief = Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
    return relief * (0.3 + Math.min(share, 0.75)) * (1 + 1.2 * Math.min(share, 1 - share));
}

/** The best view of a tile: {score, x, y}, its middle in samples. */
export function best(picture, sea) {
    let found = { score: -1, x: 128, y: 128 };
    for (let y = 0; y + 2 * BLOCK <= picture.height; y += BLOCK / 2)
        for (let x = 0; x + 4 * BLOCK <= picture.width; x += BLOCK / 2) {
            const score = look(picture, x, y, sea);
            if (score > found.score) found = { score, x: x + 2 * BLOCK, y: y + BLOCK };
        }
    return found;
}

/* Of the world that most see first, so that it need not be looked for. */
const FIRST = { seed: '42', recipe: 'continents', generator: 3, x: -229376, y: -458752 };

export async function scout(loader, state, world) {
    if (world.seed === FIRST.seed && world.recipe === FIRST.recipe && world.generator === FIRST.generator)
        return { x: FIRST.x, y: FIRST.y };
    const found = [];
    const late = new AbortController();
    const looks = Promise.all(
        [
            [-1, -1],
            [0, -1],
            [-1, 0],
            [0, 0],
        ].map(async ([x, y]) => {
            const what = {
                seed: state.seed,
                recipe: state.recipe,
                layer: 'height',
                variant: 'base',
                v: world.generator,
            };
            const seen = best(
                await loader.picture(xyzUrl(what, toXyz({ lod: LOD, x, y })), late.signal, 'urgent'),
                world.sea_m ?? 0,
            );
            const tile = tileMetres(LOD, world.spacing_m);
            found.push({ score: seen.score, x: (x + seen.x / 256) * tile, y: (y + seen.y / 256) * tile });
        }),
    );
    const timer = new Promise((resolve) => setTimeout(resolve, WAIT_MOST_MS));
    await Promise.race([looks, timer]);
    looks.catch(() => {});
    late.abort();
    return found.reduce((a, b) => (b.score > a.score ? b : a), { score: -1, x: 0, y: 0 });
}
