/*
 * Brushes, and the operations that a stroke of one is. Pure.
 */

/**
 * Words of each, and what it takes: strength in metres, or as a share of the way; a height to go to; a term of the recipe; a name.
 * Which of them a world has, it says.
 */
export const BRUSHES = {
    raise: { text: 'Raise', title: 'Lifts the ground', strength: 'strength_m' },
    lower: { text: 'Lower', title: 'Takes ground away', strength: 'strength_m' },
    level: { text: 'Level', title: 'Moves it to one height', strength: 'strength', height: true },
    smooth: { text: 'Smooth', title: 'Moves it to the mean around', strength: 'strength' },
    sharpen: { text: 'Sharpen', title: 'Moves it away from the mean around', strength: 'strength' },
    noise: { text: 'Noise', title: 'Adds a noise of the recipe', strength: 'strength', term: true },
    restore: { text: 'Restore', title: 'Takes off what was done here', strength: 'strength' },
    mark: { text: 'Mark', title: 'Puts a name on a place', name: true },
};

export const RANGE = { strength_m: [0.05, 512], strength: [0.01, 1] };
const STEP = 1 / 3; // of the outer radius, between operations of a stroke
const PARTS = 16; // of a sample of level 0, in which the server counts

export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** Two digits of a number that is multiplied and divided all the time. */
export const rounded = (value) => Number(value.toPrecision(2));

const near = (value, spacing) => (Math.round((value * PARTS) / spacing) * spacing) / PARTS;

/** One operation, as the server takes it. set: {brush, outer, core, strength_m, strength, term}; height: of level. */
export function operation(set, { x, y }, { spacing, token, height, name }) {
    const { strength, height: wants, term, name: named } = BRUSHES[set.brush];
    const at = { brush: set.brush, x: near(x, spacing), y: near(y, spacing), token };
    if (named) return { ...at, properties: { name } };
    return {
        ...at,
        inner: near(set.outer * set.core, spacing),
        outer: Math.max(near(set.outer, spacing), spacing / PARTS),
        [strength]: set[strength],
        ...(wants && { height_m: height }),
        ...(term && { term: set.term }),
    };
}

/** Places from the last operation of a stroke to where the pointer is, so far apart that they overlap. */
export function along(last, to, outer) {
    const step = outer * STEP;
    const far = Math.hypot(to.x - last.x, to.y - last.y);
    return Array.from({ length: Math.min(Math.floor(far / step), 500) }, (_, k) => ({
        x: last.x + ((to.x - last.x) * (k + 1) * step) / far,
        y: last.y + ((to.y - last.y) * (k + 1) * step) / far,
    }));
}

const MARGIN = 16 / 256; // of a tile's side: what is made of heights looks around

/** Whether one of some boxes, [west, north, east, south] in metres, touches a square, or what it looks at around it. */
export const touches =
    (boxes) =>
    ({ west, north, size }) => {
        const more = size * MARGIN;
        return boxes.some(
            (box) => box[0] <= west + size + more && box[2] >= west - more && box[1] <= north + size + more && box[3] >= north - more,
        );
    };
