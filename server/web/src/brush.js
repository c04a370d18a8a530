/*
 * Brushes, and the operations that a stroke of one is. Pure.
 */

/**
 * Words of each, and what it takes: strength in metres, or as a share of the way, or a slope; a height to go to; a term of the recipe; a name;
 * points, one after the other.
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
    way: { text: 'Way', title: 'A path through points, that keeps a slope', strength: 'slope', points: true },
    mark: { text: 'Mark', title: 'Puts a name on a place', name: true },
};

export const RANGE = { strength_m: [0.05, 512], strength: [0.01, 1], slope: [0.01, 1] };
export const POINTS_MOST = 16; // of a way
const STEPS = [1 / 6, 1 / 3]; // of the outer radius, between operations of a stroke: the least and the most
const RING = 1 / 3; // ... of the ring between the radii, or edges are seen as beads
const PARTS = 16; // of a sample of level 0, in which the server counts

export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** Two digits of a number that is multiplied and divided all the time. */
export const rounded = (value) => Number(value.toPrecision(2));

const near = (value, spacing) => (Math.round((value * PARTS) / spacing) * spacing) / PARTS;

/* A way is as wide as the brush's core, and may be as far from the ground as the brush is wide. */
const way = ({ outer, core, slope }, points, { spacing, token }) => ({
    brush: 'way',
    points: points.map(({ x, y }) => [near(x, spacing), near(y, spacing)]),
    width: Math.max(near(2 * outer * core, spacing), (2 * spacing) / PARTS),
    border: near(outer * (1 - core), spacing),
    slope,
    depth: clamp(2 * outer, 16, 4096),
    token,
});

/** One operation, as the server takes it. set: {brush, outer, core, strength_m, strength, slope, term}; height: of level; points: of way. */
export function operation(set, { x, y }, { spacing, token, height, name, points }) {
    if (points) return way(set, points, { spacing, token });
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

/**
 * How far operations of a stroke are from each other. Their sum along it is even where the sum of both radii is a multiple of that,
 * since the fade is its own complement; and nearly so beside it where the ring is three steps wide or more.
 */
export function stepOf({ inner, outer }) {
    const [least, most] = STEPS.map((part) => part * outer);
    return (inner + outer) / Math.ceil((inner + outer) / clamp((outer - inner) * RING, least, most));
}

/** Places from the last operation of a stroke to where the pointer is, a step from each other. */
export function along(last, to, size) {
    const step = stepOf(size);
    const far = Math.hypot(to.x - last.x, to.y - last.y);
    return Array.from({ length: Math.min(Math.floor(far / step + 1e-9), 500) }, (_, k) => ({
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
