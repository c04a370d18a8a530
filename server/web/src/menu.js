/*
 * The menu of layers: each with a picture of the place in view; and what lies over them. Pictures are asked for one after another,
 * and only while it is open.
 */
import { $, check, later, make, radios, section } from './dom.js';
import { GROUPS, LAYER_NAMES, OVER, hasLayer, isTold } from './layers.js';
import { cutOf } from './mercator.js';
import { LAYERS } from './permalink.js';
import { shown } from './protocol.js';
import { addresses } from './style.js';

const SHOT = { width: 192, height: 128 }; // pixels of a tile
const COARSER = 2; // than the map, so that there is something of all layers in it
const small = matchMedia('(max-width: 700px)');

const titleOf = (layer) => {
    const key = LAYERS.indexOf(layer) + 1;
    return `${LAYER_NAMES[layer][1]}${key < 10 ? ` (${key})` : ''}`;
};

/** gives: loader.gives; world(): the one that is shown. */
export function createMenu({ store, loader, world, gives }) {
    const button = $('#layer');
    const menu = $('#layers');
    const over = make('section', {});
    const shots = new Map(); // layer -> its canvas
    let asked = null; // while pictures are

    const group = make('div', { role: 'radiogroup', 'aria-label': 'Layer' });
    const order = GROUPS.flatMap(([, layers]) => layers);
    const mark = radios(
        group,
        order.map((value) => ({ value, text: LAYER_NAMES[value][0], title: titleOf(value) })),
        (layer, { isTrusted }) => {
            store.set({ layer });
            if (small.matches && isTrusted) close(); // not where arrow keys go through them
        },
    );
    for (const item of [...group.children]) {
        const canvas = make('canvas', { ...SHOT, 'aria-hidden': 'true' });
        shots.set(item.value, canvas);
        item.prepend(canvas);
    }
    const sections = GROUPS.map(([name, layers]) =>
        section(
            name,
            make('div', { className: 'shots' }, ...[...group.children].filter(({ value }) => layers.includes(value))),
        ),
    );
    group.replaceChildren(...sections);
    menu.append(group, over);

    async function draw(layer, signal) {
        const state = store.get();
        const cut = cutOf({ ...state, zoom: state.zoom - COARSER }, world().spacing_m, SHOT);
        if (!cut) return;
        const template = addresses({ ...state, layer }, world(), state.variant || world().variant).shown;
        const address = template.replace('{z}', cut.z).replace('{x}', cut.x).replace('{y}', cut.y);
        const canvas = shots.get(layer);
        const of = `${address} ${cut.left} ${cut.top}`;
        if (canvas.dataset.of === of) return;
        const data = await shown(loader, address, signal);
        const picture = data instanceof ImageBitmap ? data : await createImageBitmap(new Blob([data]));
        if (signal.aborted) return;
        const context = canvas.getContext('2d');
        context.drawImage(picture, cut.left, cut.top, SHOT.width, SHOT.height, 0, 0, SHOT.width, SHOT.height);
        canvas.dataset.of = of;
    }

    async function drawAll() {
        asked?.abort();
        if (menu.hidden) return;
        asked = new AbortController();
        const { signal } = asked;
        try {
            for (const layer of order.filter((each) => hasLayer(world(), each))) await draw(layer, signal);
        } catch {
            // the menu was closed; or one cannot be had, which the loader tells, and none of the rest is tried
        }
    }

    function close() {
        if (menu.contains(document.activeElement)) button.focus();
        menu.hidden = true;
        asked?.abort();
        button.setAttribute('aria-expanded', 'false');
    }
    function open() {
        menu.hidden = false;
        button.setAttribute('aria-expanded', 'true');
        $('[aria-checked="true"]', menu)?.focus();
        drawAll();
    }
    const toggle = () => (menu.hidden ? open() : close());
    button.onclick = toggle;
    document.addEventListener('pointerdown', ({ target }) => {
        if (!menu.hidden && !menu.contains(target) && !button.contains(target)) close();
    });
    menu.addEventListener('keydown', (event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        close();
    });
    store.on('seed recipe v variant x y zoom', later(300, drawAll));

    function showOver(state) {
        const held = document.activeElement?.name;
        over.replaceChildren(
            make('h3', { textContent: 'Over the map' }),
            ...OVER.filter(({ needs, has }) => has(world()) && (!needs || gives(needs))).map(({ id, key, text }) =>
                check(`${text} (${key.toUpperCase()})`, state[id], (on) => store.set({ [id]: on }), id),
            ),
        );
        if (held) $(`[name="${held}"]`, over)?.focus();
    }

    function show(state) {
        $('b', button).textContent = LAYER_NAMES[state.layer][0];
        for (const item of mark(state.layer)) {
            item.disabled = !hasLayer(world(), item.value);
            item.hidden = item.disabled && !isTold(item.value);
        }
        for (const part of sections) part.hidden = ![...part.querySelectorAll('button')].some(({ hidden }) => !hidden);
        showOver(state);
    }
    return { show, toggle };
}
