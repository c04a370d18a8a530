/*
 * What can be taken along: the tile in the middle, the view as a window of samples, a picture of the map, the
 * address.
 */
import { button, copyButton, grouped, later, make, note, row, section, select } from './dom.js';
import { LAYER_NAMES } from './layers.js';
import { levelAt, tileAt, windowOf } from './mercator.js';
import { files, regionUrl, tileUrl } from './urls.js';

const PIXELS_MOST = 4097;
/* Layers that can be taken, but have no picture of their own in the menu. */
const UNSEEN = { aspect: 'Aspect: which way the ground faces', surface: 'Surface: ground or water' };
const PRINT_PIXELS = 4096; // along the longer side: 35 cm at 300 to the inch

/* The map, drawn at once since its buffer is gone when this task ends, and what lies over it. */
function picture(view, overlay, store) {
    const second = view.second();
    view.map.redraw();
    const canvas = view.map.getCanvas();
    const sheet = make('canvas', { width: canvas.width, height: canvas.height });
    const context = sheet.getContext('2d');
    context.drawImage(canvas, 0, 0);
    if (second) {
        const left = Math.round(store.get().compare * canvas.width);
        second.redraw();
        if (left < canvas.width)
            context.drawImage(
                second.getCanvas(),
                left,
                0,
                canvas.width - left,
                canvas.height,
                left,
                0,
                canvas.width - left,
                canvas.height,
            );
    }
    if (!overlay.canvas.hidden) context.drawImage(overlay.canvas, 0, 0, canvas.width, canvas.height);
    return png(sheet);
}

const png = (canvas) =>
    new Promise((resolve) => {
        canvas.toBlob(resolve, 'image/png');
    });

/* Whether there is a picture to save. */
function save(blob, { seed, layer }, suffix = '') {
    if (!blob) return false;
    const link = make('a', { href: URL.createObjectURL(blob), download: `terrane-${seed}-${layer}${suffix}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    return true;
}

export const screenshot = async ({ view, overlay, store }) => {
    const state = store.get();
    return save(await picture(view, overlay, store), state);
};

const print = async ({ view, signal }, state) => save(await view.print(PRINT_PIXELS, png, signal), state, '-print');

export function takePanel({ store, loader, view, world, overlay, key, status }) {
    let body = null;
    let chosen = null; // a layer; null: the one that is shown
    let printing = null; // what ends it

    const layerOf = (state) => chosen ?? state.layer;
    function what(enc) {
        const state = store.get();
        return { ...state, layer: layerOf(state), enc, epoch: world().edits?.epoch, key };
    }
    /* The button that prints, and, while it does, gives up. */
    function printButton() {
        const start = async () => {
            printing = new AbortController();
            const { signal } = printing;
            draw();
            try {
                if (!(await print({ view, signal }, store.get()))) status.say('The browser gives no picture so large.');
            } catch (error) {
                if (!signal.aborted) status.say(`It cannot be printed: ${error.message}`);
            }
            printing = null;
            draw();
        };
        const text = printing ? 'Printing\u2026 Stop' : 'Print size';
        return button(text, () => (printing ? printing.abort() : start()), {
            title: `The map with ${PRINT_PIXELS} pixels along its longer side, of tiles as fine`,
        });
    }
    const link = (text, href, name) => make('a', { textContent: text, href, download: name, title: href });

    function links(region, url) {
        const { seed } = store.get();
        const layer = layerOf(store.get());
        const list = files(world(), layer, region);
        return make(
            'div',
            { className: 'links' },
            ...list.map(([name, ext, enc]) => link(name, url(ext, enc), `terrane-${seed}-${layer}.${ext}`)),
        );
    }

    /* What is shown is a picture, where what is wanted may be numbers. */
    function layers(state) {
        const titleOf = (name) => LAYER_NAMES[name]?.[0] ?? UNSEEN[name] ?? name;
        const items = world().layers.map(({ name }) => [name, titleOf(name)]);
        const choose = (layer) => {
            chosen = layer === state.layer ? null : layer;
            draw();
            body.querySelector('select').focus();
        };
        const choice = select(items, layerOf(state), choose, { id: 'take-layer' });
        return row(make('label', { for: 'take-layer', textContent: 'Layer' }), choice);
    }

    const shoot = async () =>
        (await screenshot({ view, overlay, store })) || status.say('The browser gives no picture of the map.');

    function draw() {
        if (!body) return;
        const state = store.get();
        const { spacing_m: spacing } = world();
        const lod = levelAt(state.zoom);
        const tile = tileAt(state.x, state.y, lod, spacing);
        const window = windowOf(view.bounds(), lod, spacing, PIXELS_MOST);
        const step = spacing * 2 ** window.lod;
        const files = [
            layers(state),
            ...(key ? [note('The addresses of these files hold your key: do not share them.')] : []),
            section(
                'This view',
                note(`${grouped(window.w)} \u00d7 ${grouped(window.h)} samples of level ${window.lod}, ${grouped(step)} m apart`),
                links(true, (ext, enc) => regionUrl(what(enc), window, ext)),
            ),
            section(
                `The tile in the middle, ${tile.lod}/${tile.x}/${tile.y}`,
                links(false, (ext, enc) => tileUrl(what(enc), tile, ext)),
            ),
        ];
        body.replaceChildren(
            ...(loader.gives('region') ? files : []),
            section(
                'As it looks',
                row(
                    button('Picture of the map', shoot),
                    printButton(),
                    copyButton('Copy link to this view', () => location.href),
                ),
            ),
        );
    }
    const soon = later(150, draw);
    store.on('seed recipe v layer variant x y zoom', soon);

    return {
        id: 'take',
        name: 'Export',
        title: 'Export',
        open(element) {
            body = element;
            draw();
        },
        close() {
            body = null;
        },
    };
}
