/*
 * Code for other clients, with this world filled in; and the help.
 */
import { copyButton, later, make, note, row, select } from './dom.js';
import { snippets } from './snippets.js';

export function connectPanel({ store, world, key }) {
    let body = null;
    let chosen = null;

    function draw() {
        if (!body) return;
        const list = snippets({
            ...store.get(),
            origin: new URL('.', document.baseURI).href.replace(/\/$/, ''),
            spacing_m: world().spacing_m,
            key,
        });
        const current = list.find(({ id }) => id === chosen) ?? list[0];
        const text = make('pre', { tabIndex: 0 }, make('code', { textContent: current.text }));
        const choose = (client) => {
            chosen = client;
            draw();
            body.querySelector('select').focus();
        };
        const clients = list.map(({ id, name }) => [id, name]);
        body.replaceChildren(
            row(
                make('label', { for: 'client', textContent: 'Client' }),
                select(clients, current.id, choose, { id: 'client' }),
                copyButton('Copy', () => current.text),
            ),
            ...(key ? [note('This code holds your key: do not share it as it is.')] : []),
            text,
            make(
                'p',
                { className: 'note' },
                'Everything there is to ask: ',
                make('a', { href: 'openapi.json', textContent: 'openapi.json' }),
                '.',
            ),
        );
    }
    store.on('seed recipe v layer variant x y zoom bearing pitch', later(150, draw));

    return {
        id: 'connect',
        needs: 'server',
        name: 'Connect',
        title: 'Connect a client',
        open(element) {
            body = element;
            draw();
        },
        close() {
            body = null;
        },
    };
}

const KEYS = [
    ['Enter', 'What is in the middle, while the map has the focus'],
    ['/', 'Type a seed'],
    ['R', 'Another world'],
    ['M', 'Menu of layers'],
    ['1 \u2026 9', 'Layers'],
    ['E', 'Base or finished ground', null, ({ edits }) => !edits],
    ['E', 'Change the world', null, ({ edits }) => edits],
    ['C', 'Compare'],
    ['V', 'Flat or 3-D'],
    ['T', 'Grid of tiles'],
    ['O', 'Contours', 'xyz.mvt'],
    ['L', 'Lines of paths and rivers', 'river'],
    ['N', 'Names of places, peaks and water', 'xyz.mvt'],
    ['G', 'Go to a place'],
    ['W', 'Walk here', 'walk'],
    ['K', 'Key'],
    ['P', 'Profile'],
    ['D', 'Drop water', 'downstream'],
    ['F', 'Find the nearest lake, peak, town \u2026', 'find'],
    ['X', 'Export'],
    ['S', 'Picture'],
    ['Esc', 'Close, let go'],
    ['Arrows, + \u2212', 'Move, zoom (on the map)'],
    ['Shift and arrows', 'Turn, tilt'],
    ['Right button, two fingers', 'Turn, tilt'],
    ['Space', 'Move the map, while changing it', null, ({ edits }) => edits],
    ['[ ]  \u2212 +', 'Size and strength of the brush', null, ({ edits }) => edits],
    ['Alt and wheel', 'Size of the brush', null, ({ edits }) => edits],
    ['Ctrl Z, Ctrl Shift Z', 'Undo, redo', null, ({ edits }) => edits],
];

export function helpPanel({ world, gives }) {
    return {
        id: 'help',
        name: '?',
        title: 'Help',
        open(body) {
            const { description, recipe, seed, name, generator } = world();
            body.append(
                make('p', {}, make('b', { textContent: recipe }), `: ${description}`),
                note(`${seed ? `Seed ${seed}` : name}, generator ${generator}. Every seed is a world, the same for everybody; the address of this page is this view.`),
                make(
                    'dl',
                    { className: 'keys' },
                    ...KEYS.filter(([, , needs, has]) => (!needs || gives(needs)) && (!has || has(world()))).flatMap(([key, does]) => [
                        make('dt', {}, make('kbd', { textContent: key })),
                        make('dd', { textContent: does }),
                    ]),
                ),
                make(
                    'p',
                    { className: 'note' },
                    'Drawn with MapLibre GL JS. ',
                    make('a', { href: `viewer/${LICENCES_FILE}`, textContent: 'Licences' }),
                ),
            );
        },
    };
}
