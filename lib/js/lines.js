// Lines of rivers and paths: out of the module's numbers (module.h, js_lines_make).

const OVER = ['land', 'ford', 'bridge'];
const RANKS = ['lane', 'trunk'];

const KINDS = {
    river: ([discharge, width, order], points) => ({ points, discharge, width, order }),
    path: ([rank, width, id], points) => ({
        points: points.map(([x, y]) => [x, y]),
        over: points.slice(1).map((_, k) => OVER[points[k][2]]),
        rank: RANKS[rank],
        width,
        id,
    }),
};

export function linesOf(numbers, layer) {
    const lines = [];
    for (let at = 0; at < numbers.length; ) {
        const count = numbers[at], first = at + 4;
        const points = Array.from({ length: count }, (_, k) => [...numbers.subarray(first + 3 * k, first + 3 * k + 3)]);
        lines.push(KINDS[layer](numbers.subarray(at + 1, first), points));
        at = first + 3 * count;
    }
    return lines;
}
