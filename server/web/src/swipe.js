/*
 * The line between base and eroded ground: dragged, or moved with arrow keys.
 */
import { $ } from './dom.js';
import { compared } from './urls.js';

export function createSwipe({ store }) {
    const handle = $('#swipe');
    const over = $('#over');

    function show(state) {
        const { compare } = state;
        handle.hidden = over.hidden = !compared(state);
        if (handle.hidden) return;
        const percent = `${(compare * 100).toFixed(2)}%`;
        handle.style.left = percent;
        over.style.clipPath = `inset(0 0 0 ${percent})`;
        handle.setAttribute('aria-valuenow', String(Math.round(compare * 100)));
    }
    const move = (compare) => store.set({ compare: Math.min(Math.max(compare, 0), 1) });

    handle.addEventListener('pointerdown', (event) => {
        handle.setPointerCapture(event.pointerId);
        event.preventDefault();
        handle.focus();
    });
    handle.addEventListener('pointermove', (event) => {
        if (handle.hasPointerCapture(event.pointerId)) {
            const box = over.parentElement.getBoundingClientRect();
            move((event.clientX - box.left) / box.width);
        }
    });
    handle.addEventListener('keydown', (event) => {
        const step = { ArrowLeft: -0.02, ArrowRight: 0.02, Home: -1, End: 1 }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        move(store.get().compare + step);
    });
    store.on('compare layer', show);
    show(store.get());
}
