/*
 * Strokes as people make them: by mouse or pen, by a finger (two move the map), or by keys: arrows move the brush, Enter strokes. A ring
 * on the ground shows where, and how large.
 */
import { typing } from './keys.js';

const MOVED_PX = 6; // by a finger: until then it may be the first of two
const KEY_STEP = 1 / 4; // of the radius; all of it with Shift
const FINER = 2 ** 0.25; // by a key or a notch of the wheel
const EDGE = 0.12; // of the view: where the brush is that near to its edge the map follows
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const LABEL = 'Map, to be changed. Arrow keys move the brush, Enter strokes, brackets change its size, plus and minus its strength.';

/** tool: what a stroke does: {begin(place), move(place), end(), radius(factor), strength(factor), undo(), redo(), size(): {inner, outer}}. */
export function createStrokes({ view, overlay, tool }) {
    const { map } = view;
    const container = map.getCanvasContainer();
    const canvas = map.getCanvas();
    const label = canvas.getAttribute('aria-label');
    const fingers = new Map(); // where each went down, and its place
    let on = false;
    let stroking = false;
    let place = null;
    let space = false; // is held: the map is moved
    let twin = false; // there were two fingers: the map is moved until none is left

    const show = () => overlay.mark({ ring: on && place ? { ...place, ...tool.size() } : null });

    function placeOf({ clientX, clientY }) {
        const { left, top } = container.getBoundingClientRect();
        return view.metresAt([clientX - left, clientY - top]);
    }

    function begin(at) {
        stroking = true;
        tool.begin(at);
    }
    function end() {
        if (stroking) tool.end();
        stroking = false;
    }

    function down(event) {
        const touch = event.pointerType === 'touch';
        if (!on || event.button !== 0 || event.ctrlKey || event.metaKey || space) return;
        if (touch) fingers.set(event.pointerId, { x: event.clientX, y: event.clientY, place: placeOf(event) });
        if (fingers.size > 1) {
            end();
            twin = true;
            map.dragPan.enable(); // before the map hears of the second finger
            return;
        }
        container.setPointerCapture?.(event.pointerId);
        place = placeOf(event);
        if (!touch) begin(place);
        show();
    }

    function move(event) {
        if (!on || twin || map.dragPan.isActive()) return;
        place = placeOf(event);
        const finger = fingers.get(event.pointerId);
        if (finger && !stroking && Math.hypot(event.clientX - finger.x, event.clientY - finger.y) > MOVED_PX) begin(finger.place);
        if (stroking) tool.move(place);
        show();
    }

    function up(event) {
        const finger = fingers.get(event.pointerId);
        fingers.delete(event.pointerId);
        if (!on) return;
        if (finger && !twin && !stroking && event.type === 'pointerup') begin(finger.place);
        end();
        if (fingers.size) return;
        twin = false;
        if (!space) map.dragPan.disable();
    }

    function wheel(event) {
        if (!on || !event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        tool.radius(event.deltaY + event.deltaX > 0 ? 1 / FINER : FINER);
        show();
    }

    /* The map goes along. */
    function follow() {
        const { x, y } = view.pixelOf(place);
        const { clientWidth: w, clientHeight: h } = canvas; // its container has no height
        if (x < EDGE * w || y < EDGE * h || x > (1 - EDGE) * w || y > (1 - EDGE) * h) map.panTo(map.unproject([x, y]), { duration: 200 }, { brush: true });
    }

    /* Metres of so many. */
    function pixels(count) {
        const [a, b] = [0, count].map((x) => view.metresAt([x, canvas.clientHeight / 2]));
        return Math.hypot(b.x - a.x, b.y - a.y);
    }

    function step([right, down], far) {
        const turn = (map.getBearing() * Math.PI) / 180; // arrows are of the screen
        place ??= view.metresAt([canvas.clientWidth / 2, canvas.clientHeight / 2]);
        place = {
            x: place.x + far * (right * Math.cos(turn) - down * Math.sin(turn)),
            y: place.y + far * (right * Math.sin(turn) + down * Math.cos(turn)),
        };
        follow();
    }

    /* What a key does; undefined: nothing here. */
    function actionOf({ key, shiftKey, ctrlKey, metaKey, altKey, target }) {
        const free = target === canvas || target === document.body;
        const { outer } = tool.size();
        if ((ctrlKey || metaKey) && !altKey) {
            if (key.toLowerCase() === 'z') return shiftKey ? tool.redo : tool.undo;
            return key.toLowerCase() === 'y' ? tool.redo : undefined;
        }
        if (altKey) return undefined;
        if (key === '[' || key === ']') return () => tool.radius(key === '[' ? 1 / FINER : FINER);
        if (['-', '_', '+', '='].includes(key)) return () => tool.strength(key === '-' || key === '_' ? 1 / FINER : FINER);
        if (!free) return undefined;
        if (MOVES[key]) return () => step(MOVES[key], outer ? outer * (shiftKey ? 1 : KEY_STEP) : pixels(shiftKey ? 80 : 20));
        if (key === ' ') return () => hold(true);
        if (key !== 'Enter') return undefined;
        return () => {
            if (!place) step([0, 0], 0);
            begin(place);
            end();
        };
    }

    function press(event) {
        if (!on || typing(event.target)) return;
        const action = actionOf(event);
        if (!action) return;
        event.preventDefault();
        event.stopPropagation();
        action();
        show();
    }

    function hold(yes) {
        if (space === yes || !on) return;
        space = yes;
        end();
        map.dragPan[yes ? 'enable' : 'disable']();
    }

    /* Where the map went without the brush, keys begin in the middle of what is seen. */
    map.on('moveend', ({ brush }) => {
        if (brush || !place) return;
        const { x, y } = view.pixelOf(place);
        if (x < 0 || y < 0 || x > canvas.clientWidth || y > canvas.clientHeight) place = null;
        show();
    });
    container.addEventListener('pointerdown', down, true);
    container.addEventListener('pointermove', move, true);
    container.addEventListener('pointerup', up, true);
    container.addEventListener('pointercancel', up, true);
    container.addEventListener('wheel', wheel, { capture: true, passive: false });
    document.addEventListener('keydown', press, true);
    document.addEventListener('keyup', ({ key }) => key === ' ' && hold(false), true);

    return {
        show,
        /** Whether what is done to the map is strokes. */
        turn(yes) {
            if (on === yes) return;
            hold(false);
            end();
            fingers.clear();
            twin = false;
            on = yes;
            for (const name of ['dragPan', 'boxZoom', 'doubleClickZoom', 'keyboard']) map[name][yes ? 'disable' : 'enable']();
            map.touchZoomRotate?._tapDragZoom?.[yes ? 'disable' : 'enable'](); // two quick strokes are no zoom
            document.body.classList.toggle('editing', yes);
            canvas.setAttribute('aria-label', yes ? LABEL : label);
            show();
        },
    };
}
