/*
 * The panel in which a world is changed; while it is open, what is done to the map is strokes. And the way through what was done: the
 * world as it was after each operation.
 */
import { BRUSHES, RANGE } from './brush.js';
import { $, button, later, make, note, radios, row, select, slider } from './dom.js';
import { editKeyForm } from './key.js';

const metres = (value) => `${value < 10 ? value.toPrecision(2) : Math.round(value)} m`;

export function editPanel({ store, world, edit, live }) {
    let body = null;
    let shown = ''; // which controls there are
    let parts = {};

    const digits = (value) => Number(value.toPrecision(2));

    function brushes() {
        const group = make('div', { className: 'choice brushes', role: 'radiogroup', 'aria-label': 'Brush' });
        group.style.setProperty('--columns', edit.allowed().length % 4 ? 3 : 4);
        const mark = radios(
            group,
            edit.allowed().map((value) => ({ value, text: BRUSHES[value].text, title: BRUSHES[value].title })),
            (brush) => {
                edit.change({ brush });
                $(`[value="${brush}"]`, body)?.focus();
            },
        );
        mark(edit.set().brush);
        return group;
    }

    /* A slider of logarithms, since a metre more is much of a small brush and nothing of a large one. */
    const logarithmic = (name, key, [least, most], tell) =>
        slider(name, {
            min: Math.log2(least),
            max: Math.log2(most),
            step: 0.05,
            value: Math.log2(edit.set()[key]),
            tell: (value) => tell(digits(2 ** value)),
            input: (value) => edit.change({ [key]: digits(2 ** value) }),
        });

    function field(name, properties) {
        const input = make('input', properties);
        return make('label', { className: 'field-row' }, make('span', { textContent: name }), input);
    }

    function controls() {
        const set = edit.set();
        const { strength, height, term, name, points } = BRUSHES[set.brush];
        const list = [];
        parts = {};
        const typed = (key) => ({ value: set[key], autocomplete: 'off', oninput: ({ target }) => edit.change({ [key]: target.value }) });
        if (name) {
            parts.name = field('Name', { type: 'text', id: 'mark-name', maxLength: 60, ...typed('name') });
            list.push(
                parts.name,
                note('Then click the place, or move to it by the arrow keys and press Enter.'),
            );
        } else {
            parts.outer = logarithmic('Radius  [ ]', 'outer', [world().spacing_m, edit.outerMost()], metres);
            parts.core = slider('Core', {
                min: 0,
                max: 100,
                step: 5,
                value: set.core * 100,
                tell: (value) => `${value} %`,
                input: (value) => edit.change({ core: value / 100 }),
            });
            parts[strength] = logarithmic(points ? 'Slope  \u2212 +' : 'Strength  \u2212 +', strength, RANGE[strength], strength === 'strength_m' ? metres : (value) => `${Math.round(value * 100)} %`);
            list.push(parts.outer, parts.core, parts[strength]);
        }
        if (points) list.push(note('Click its points, or move and press Enter; the last one again ends it. Its core is the way, the rest its border.'));
        if (height)
            list.push(
                field('Height', { type: 'number', step: 'any', placeholder: 'of where it begins', ...typed('height') }),
            );
        if (term) {
            const terms = world().edits.terms.map((value) => [value, value]);
            const choice = select(terms, set.term, (value) => edit.change({ term: value }));
            list.push(make('label', { className: 'field-row' }, make('span', { textContent: 'Noise' }), choice));
        }
        return list;
    }

    function buttons() {
        parts.undo = button('Undo', () => edit.undo(), { title: 'The last stroke of yours (Ctrl Z)' });
        parts.redo = button('Redo', () => edit.redo(), { title: 'It is done again (Ctrl Shift Z)' });
        parts.pending = make('span', { className: 'note', role: 'status' });
        parts.drop = button('Give up', () => edit.drop(), { title: 'What waits is not done' });
        return row(parts.undo, parts.redo, parts.pending, parts.drop);
    }

    const go = later(200, (at) => store.set({ at }));

    function past() {
        parts.when = slider('History', {
            min: 0,
            max: live.count(),
            step: 1,
            value: store.get().at ?? live.count(),
            tell: (value) => (value >= live.count() ? `now, after ${live.count()}` : `after ${value} of ${live.count()}`),
            input: (value) => go(value >= live.count() ? null : value),
        });
        parts.now = button('Now', () => store.set({ at: null }), { title: 'Back to the world of now' });
        parts.then = make('span', { className: 'note' });
        return make('section', {}, parts.when, row(parts.now, parts.then));
    }

    /* What follows the brush, the key, and whether it is the past; the rest moves where it stands. */
    function draw() {
        const { brush } = edit.set();
        const { at } = store.get();
        const locked = edit.locked();
        const wanted = JSON.stringify([brush, world().name, locked, at === null]);
        if (shown !== wanted) {
            const focus = document.activeElement?.id;
            shown = wanted;
            body.replaceChildren(
                ...(at === null ? [make('section', {}, locked === null ? null : editKeyForm(locked, edit.unlock), brushes(), ...controls(), buttons())] : []),
                past(),
            );
            if (focus) $(`#${focus}`, body)?.focus();
        }
        move();
    }

    function move() {
        const set = edit.set();
        const { at } = store.get();
        for (const name of ['outer', 'strength_m', 'strength', 'slope']) parts[name]?.show(Math.log2(set[name]));
        if (parts.name && !set.name) $('input', parts.name).value = '';
        if (parts.undo?.isConnected) {
            parts.undo.disabled = !edit.undoable();
            parts.redo.disabled = !edit.redoable();
            const waiting = edit.waiting();
            parts.pending.textContent = waiting ? `${waiting} on the way` : '';
            parts.drop.hidden = !(waiting && edit.locked() !== null);
        }
        parts.when.range.max = live.count();
        parts.when.show(at ?? live.count());
        parts.now.disabled = at === null;
        parts.then.textContent = at === null ? '' : 'This is the past: nothing can be changed there.';
    }

    function changed(what) {
        if (!body || !world().edits) return; // another world comes, and the panel is about to close
        draw();
        if (what === 'name') $('#mark-name', body)?.focus();
    }

    store.on('at seed recipe v', () => {
        if (!body) return;
        if (!world().edits) return; // the panel is about to close
        edit.fit();
        changed();
        edit.turn(true);
    });

    return {
        id: 'edit',
        name: 'Edit',
        title: 'Change the world',
        has: ({ edits }) => Boolean(edits),
        changed,
        open(element) {
            body = element;
            shown = '';
            edit.fit();
            draw();
            edit.turn(true);
        },
        close() {
            edit.turn(false);
            body = null;
        },
    };
}
