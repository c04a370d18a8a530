/*
 * The profile between two places: two clicks on the map, a few hundred heights from the server, one curve.
 */
import { button, facts, grouped, later, make, note, row } from './dom.js';
import { levelAt, tileMetres } from './mercator.js';
import { createQuestion } from './question.js';
import { pointUrl } from './urls.js';

const SAMPLES = 240;
const TILES = 30; // along it: it then lies in fewer than the 64 that are asked at once
const WIDTH = 640;
const HEIGHT = 300;
const EDGE = { left: 76, right: 8, top: 14, bottom: 38 };
const SVG = 'http://www.w3.org/2000/svg';

function svg(tag, attributes, text) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
}

/** Places from a to b, both included. */
export const along = ([a, b], count = SAMPLES) =>
    Array.from({ length: count }, (_, k) => {
        const t = k / (count - 1);
        return [a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t].map((metres) => Number(metres.toFixed(3)));
    });

/** The level whose heights are asked: that of the view, so that they are the ones that are seen, or coarser ones of a long line. */
export function levelOf([a, b], zoom, spacing) {
    let lod = levelAt(zoom);
    while (lod < 24 && Math.hypot(b.x - a.x, b.y - a.y) > TILES * tileMetres(lod, spacing)) lod++;
    return lod;
}

/** Round numbers from low to high, about so many. */
export function ticks(low, high, about = 4) {
    const rough = Math.max(high - low, 1e-6) / about;
    const power = 10 ** Math.floor(Math.log10(rough));
    const round = power < 10 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10];
    const step = round.map((k) => k * power).find((each) => each >= rough);
    const list = [];
    for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) list.push(k * step + 0); // no minus zero
    return list;
}

/** Highest, lowest, climb and descent along heights. */
export function sums(heights) {
    let up = 0;
    let down = 0;
    for (let k = 1; k < heights.length; k++) {
        const rise = heights[k] - heights[k - 1];
        up += Math.max(rise, 0);
        down += Math.max(-rise, 0);
    }
    return { low: Math.min(...heights), high: Math.max(...heights), up, down };
}

export const distanceText = (metres) =>
    metres >= 10000 ? `${grouped(metres / 1000, metres < 1e5 ? 1 : 0)} km` : `${grouped(metres)} m`;

/** A picture of evenly spaced heights and the water over them; hover(k) is told of the one under the pointer, or -1. */
export function chart(heights, surface, length, sea, hover) {
    const { low, high } = sums(heights.concat(surface));
    const span = Math.max(high - low, 1);
    const x = (k) => EDGE.left + (k / (heights.length - 1)) * (WIDTH - EDGE.left - EDGE.right);
    const y = (h) => EDGE.top + (1 - (h - low) / span) * (HEIGHT - EDGE.top - EDGE.bottom);
    const curve = (values) =>
        values.map((h, k) => `${k ? 'L' : 'M'}${x(k).toFixed(1)} ${y(h).toFixed(1)}`).join('');
    const floor = `L${x(heights.length - 1)} ${HEIGHT - EDGE.bottom}L${EDGE.left} ${HEIGHT - EDGE.bottom}Z`;
    const picture = svg('svg', {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        class: 'profile',
        role: 'img',
        'aria-label': `Heights from ${Math.round(low)} to ${Math.round(high)} metres over ${distanceText(length)}`,
    });
    const levels = ticks(low, low + span);
    const digits = levels.every(Number.isInteger) ? 0 : 1;
    for (const value of levels)
        picture.append(
            svg('line', {
                x1: EDGE.left,
                x2: WIDTH - EDGE.right,
                y1: y(value),
                y2: y(value),
                class: value === sea ? 'sea' : 'rule',
            }),
            svg('text', { x: EDGE.left - 6, y: y(value) + 8, 'text-anchor': 'end' }, grouped(value, digits)),
        );
    for (const value of ticks(0, length, 3))
        picture.append(
            svg(
                'text',
                {
                    x: x((value / length) * (heights.length - 1)),
                    y: HEIGHT - 8,
                    'text-anchor': value > length * 0.93 ? 'end' : 'middle',
                },
                distanceText(value).replace('.0 ', ' '),
            ),
        );
    picture.append(
        svg('path', { d: curve(surface) + floor, class: 'water' }),
        svg('path', { d: curve(heights) + floor, class: 'ground' }),
        svg('path', { d: curve(heights), class: 'line' }),
    );
    const mark = svg('line', { y1: EDGE.top, y2: HEIGHT - EDGE.bottom, class: 'mark', visibility: 'hidden' });
    picture.append(mark);
    picture.addEventListener('pointermove', (event) => {
        const box = picture.getBoundingClientRect();
        const u =
            (((event.clientX - box.left) / box.width) * WIDTH - EDGE.left) / (WIDTH - EDGE.left - EDGE.right);
        const k = Math.round(Math.min(Math.max(u, 0), 1) * (heights.length - 1));
        mark.setAttribute('x1', x(k));
        mark.setAttribute('x2', x(k));
        mark.setAttribute('visibility', 'visible');
        hover(k);
    });
    picture.addEventListener('pointerleave', () => {
        mark.setAttribute('visibility', 'hidden');
        hover(-1);
    });
    return picture;
}

/** Such a picture, and the words under it: how far along, and how high, the pointer is. mark(place), or null: it is elsewhere. */
export function chartWithWords(places, heights, surface, length, sea, mark) {
    const said = make('p', { className: 'said', textContent: '\u00a0' });
    const picture = chart(heights, surface, length, sea, (k) => {
        mark(k < 0 ? null : places[k]);
        said.textContent =
            k < 0
                ? '\u00a0'
                : `${distanceText((length * k) / (heights.length - 1))}: ${grouped(heights[k])} m`;
    });
    return [picture, said];
}

/** A panel's hint, what it has found, and a button that stands for a click on the middle of the map. */
export function fillPanel(body, hint, parts, store, take, disabled = false) {
    body.replaceChildren(
        note(hint),
        ...parts,
        row(button('Take the middle of the map', () => take({ x: store.get().x, y: store.get().y }), { disabled })),
    );
}

export function profilePanel({ store, loader, view, world, overlay }) {
    let body = null;
    let ends = [];
    const question = createQuestion(loader);

    const hint = () =>
        ['Click where it begins.', 'Click where it ends.', 'Click again to begin another.'][ends.length];
    const draw = (...parts) => body && fillPanel(body, hint(), parts, store, take);

    function show(places, lod) {
        const inside = places.filter((place) => place.height_m !== undefined);
        if (inside.length < 2)
            return draw(make('p', { className: 'wrong', textContent: 'The line leaves the world.' }));
        const heights = inside.map((place) => place.height_m);
        const surface = inside.map((place) => place.surface_m ?? place.height_m);
        const length = Math.hypot(ends[1].x - ends[0].x, ends[1].y - ends[0].y);
        const all = sums(heights);
        const step = world().spacing_m * 2 ** lod;
        return draw(
            ...chartWithWords(inside, heights, surface, length, world().sea_m, (dot) => overlay.mark({ dot })),
            facts([
                ['Length', distanceText(length)],
                ['Highest', `${grouped(all.high)} m`],
                ['Lowest', `${grouped(all.low)} m`],
                ['Up', `${grouped(all.up)} m`],
                ['Down', `${grouped(all.down)} m`],
                ['Level', `${lod}, ${grouped(step, Number.isInteger(step) ? 0 : 2)} m apart`],
            ]),
        );
    }

    function ask() {
        const state = store.get();
        const lod = levelOf(ends, state.zoom, world().spacing_m);
        draw(make('p', { textContent: 'Asking for heights\u2026' }));
        question.ask(
            pointUrl({ seed: state.seed, recipe: state.recipe, variant: state.variant, v: state.v, at: state.at, epoch: world().edits?.epoch }, undefined, lod),
            ({ places }) => show(places, lod),
            ({ message }) => draw(make('p', { className: 'wrong', textContent: message })),
            { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ places: along(ends) }) },
        );
    }

    function take(place) {
        const [last] = ends.slice(-1);
        if (!body || (ends.length === 1 && last.x === place.x && last.y === place.y)) return; // a line has a length
        question.drop(); // of the line before
        ends = ends.length === 2 ? [place] : [...ends, place];
        overlay.mark({ line: ends, dot: null });
        if (ends.length === 2) ask();
        else draw();
    }

    function clear() {
        question.drop();
        ends = [];
        overlay.mark({ line: [], dot: null });
        draw();
    }
    view.map.on('click', ({ point }) => take(view.metresAt(point)));
    store.on('seed recipe v', clear);
    store.on(
        'variant',
        later(50, () => ends.length === 2 && body && ask()),
    );

    return {
        id: 'profile',
        name: 'Profile',
        title: 'Profile',
        open(element) {
            body = element;
            draw();
        },
        close() {
            clear();
            body = null;
        },
    };
}
