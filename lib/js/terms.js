// What a world's base surface is made of, out of the module's numbers and words (terms.c): the recipe's terms, each behind those it rests on; the
// last is the height.

const FACTORS = 8;

export function termsOf({ numbers, words: { ops, kinds, bases, partitions } }) {
    let at = 0;
    const one = () => numbers[at++];
    const list = (count) => Array.from({ length: count }, one);
    const word = (words) => words[one()];
    const named = (names) => Object.fromEntries(names.map((name) => [name, one()]));

    const fractal = () => {
        const kind = word(kinds), octaves = one();
        const base = Array.from({ length: octaves }, () => word(bases));
        const rest = named(['salt', 'cell', 'lacunarity', 'amplitude', 'gain', 'weight', 'jitter', 'offset', 'sharpness', 'warp', 'damp']);
        return { kind, octaves, base, ...rest, by: list(2), metres: one() };
    };
    const term = () => {
        const op = word(ops), of = one();
        const made = { op, of, in: list(one()), factor: list(FACTORS), ...named(['offset', 'low', 'high']) };
        const knots = one();
        return { ...made, x: list(knots), y: list(knots), fractal: op === 'fractal' ? fractal() : undefined };
    };
    const partition = () => {
        const kind = word(partitions), zones = one();
        const zone = Array.from({ length: zones }, () => named(['term', 'amplitude', 'offset']));
        const rest = named(['blend', 'cold', 'hot', 'dry', 'wet', 'by', 'temperature', 'moisture']);
        const threshold = list(zones - 1), rows = one(), columns = one();
        return { kind, zone, ...rest, threshold, rows, columns, table: list(rows * columns) };
    };
    const [spacing, alias, count] = list(3);
    return { spacing, alias: alias !== 0, term: Array.from({ length: count }, term), partition: partition() };
}
