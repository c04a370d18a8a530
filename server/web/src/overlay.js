/*
 * What is drawn over the map: the grid of tiles with their names, a place, and the line of a profile. A flat
 * canvas, drawn anew whenever the map is.
 */
import { $ } from './dom.js';
import { levelAt, tileAt, tileMetres } from './mercator.js';

const NAME_PX = 62; // a tile that is seen smaller goes without
const STEPS = 6; // of a tile's edge, where the ground stands
const ROUND = 48; // corners of a circle
const STROKES = 300; // that are drawn, at most: the last ones
const AROUND = 6; // tiles of the grid to each side of the middle, at most

export function createOverlay({ view, store, world }) {
    const canvas = $('#overlay');
    const context = canvas.getContext('2d');
    const marks = { pin: null, line: [], dot: null, ring: null, strokes: [] };

    function fit() {
        const ratio = devicePixelRatio || 1;
        const { clientWidth: width, clientHeight: height } = canvas;
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
    }

    function path(places) {
        context.beginPath();
        places.forEach((place, k) => {
            const { x, y } = view.pixelOf(place);
            context[k ? 'lineTo' : 'moveTo'](x, y);
        });
    }

    /* Light on dark: seen on any ground. */
    function stroke(width, colour) {
        context.lineWidth = width + 2;
        context.strokeStyle = 'rgba(10, 14, 20, 0.35)';
        context.stroke();
        context.lineWidth = width;
        context.strokeStyle = colour;
        context.stroke();
    }

    const between = (a, b) =>
        Array.from({ length: STEPS + 1 }, (_, k) => ({
            x: a.x + ((b.x - a.x) * k) / STEPS,
            y: a.y + ((b.y - a.y) * k) / STEPS,
        }));

    function name(text, { x, y }) {
        context.lineWidth = 3;
        context.strokeStyle = 'rgba(10, 14, 20, 0.6)';
        context.strokeText(text, x + 6, y + 15);
        context.fillStyle = '#ffffff';
        context.fillText(text, x + 6, y + 15);
    }

    function grid() {
        const { zoom, x, y } = store.get();
        const spacing = world().spacing_m;
        const lod = levelAt(zoom);
        const size = tileMetres(lod, spacing);
        const bounds = view.bounds();
        const middle = tileAt(x, y, lod, spacing);
        const a = tileAt(bounds.west, bounds.north, lod, spacing);
        const b = tileAt(bounds.east, bounds.south, lod, spacing);
        context.font = '11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';
        for (let ty = Math.max(a.y, middle.y - AROUND); ty <= Math.min(b.y, middle.y + AROUND); ty++)
            for (let tx = Math.max(a.x, middle.x - AROUND); tx <= Math.min(b.x, middle.x + AROUND); tx++) {
                const corner = { x: tx * size, y: ty * size };
                path(
                    between({ x: corner.x, y: corner.y + size }, corner).concat(
                        between(corner, { x: corner.x + size, y: corner.y }),
                    ),
                );
                stroke(1, 'rgba(255, 255, 255, 0.6)');
                const at = view.pixelOf(corner);
                const next = view.pixelOf({ x: corner.x + size, y: corner.y });
                if (Math.hypot(next.x - at.x, next.y - at.y) >= NAME_PX) name(`${lod}/${tx}/${ty}`, at);
            }
    }

    /* A circle that lies on the ground. */
    function round({ x, y }, radius) {
        const turn = Array.from({ length: ROUND + 1 }, (_, k) => (2 * Math.PI * k) / ROUND);
        path(turn.map((angle) => ({ x: x + radius * Math.cos(angle), y: y + radius * Math.sin(angle) })));
    }

    function brush({ inner, outer, ...place }) {
        round(place, outer);
        stroke(2, '#ffffff');
        if (inner) {
            context.setLineDash([4, 4]);
            round(place, inner);
            stroke(1.5, '#ffffff');
            context.setLineDash([]);
        }
        spot(place, 2, '#ffffff');
    }

    /* What is not known to be there yet. */
    function pending({ outer, ...place }) {
        if (!outer) return spot(place, 5, '#ffd166');
        round(place, outer);
        context.fillStyle = 'rgba(255, 209, 102, 0.22)';
        context.fill();
        context.lineWidth = 1;
        context.strokeStyle = 'rgba(255, 209, 102, 0.9)';
        return context.stroke();
    }

    function spot(place, radius, colour) {
        const { x, y } = view.pixelOf(place);
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
        context.fillStyle = colour;
        context.fill();
        stroke(1.5, '#ffffff');
    }

    function draw() {
        canvas.hidden = !(store.get().grid || marks.line.length || marks.dot || marks.pin || marks.ring || marks.strokes.length);
        if (canvas.hidden) return;
        fit();
        if (store.get().grid) grid();
        if (marks.line.length > 1) {
            const [a, b] = marks.line;
            path(between(a, b));
            stroke(2, '#ffd166');
        }
        for (const place of marks.line) spot(place, 4.5, '#d1495b');
        marks.strokes.slice(-STROKES).forEach(pending);
        if (marks.ring) brush(marks.ring);
        if (marks.dot) spot(marks.dot, 4, '#ffd166');
        if (marks.pin) spot(marks.pin, 5, '#1f6feb');
    }

    view.map.on('render', draw);
    view.map.on('resize', draw);
    store.on('grid', draw);
    return {
        mark(patch) {
            Object.assign(marks, patch);
            draw();
        },
        canvas,
    };
}
