/*
 * The bar: which world, what was done to the ground, flat or standing; its menu of layers is in menu.js.
 */
import { $, make, radios, recall, remember } from './dom.js';
import { incomparable } from './layers.js';
import { dice, wrongSeed } from './seed.js';
import { compared } from './urls.js';

const COMPARE = 'Base and finished ground, side by side (C)';

const HISTORY = 24;

function createHistory(choose) {
    const box = $('#history');
    const button = $('#history-button');
    let seen = recall('seeds', [])
        .filter((entry) => typeof entry?.seed === 'string')
        .slice(0, HISTORY);

    function close() {
        box.hidden = true;
        button.setAttribute('aria-expanded', 'false');
    }
    function open(named) {
        const entries = [
            ...named.map(({ name }) => ({ seed: name, recipe: '', note: 'named here' })),
            ...seen,
        ];
        box.replaceChildren(
            ...entries.map((entry) =>
                make(
                    'button',
                    {
                        type: 'button',
                        role: 'option',
                        onclick: () => {
                            close();
                            choose(entry);
                        },
                    },
                    make('b', { textContent: entry.seed }),
                    make('span', { textContent: entry.note ?? entry.recipe }),
                ),
            ),
        );
        if (!entries.length) box.append(make('p', { textContent: 'None yet.' }));
        box.hidden = false;
        button.setAttribute('aria-expanded', 'true');
        $('button', box)?.focus();
    }
    document.addEventListener('pointerdown', (event) => {
        if (!box.hidden && !box.contains(event.target) && !button.contains(event.target)) close();
    });
    box.addEventListener('keydown', (event) => {
        const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
        if (step) document.activeElement[step]?.focus();
        if (event.key === 'Escape') button.focus();
        if (step || event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
        }
        if (event.key === 'Escape') close();
    });
    return {
        close,
        toggle: (named) => (box.hidden ? open(named) : close()),
        add(seed, recipe, said) {
            seen = [
                { seed, recipe, said },
                ...seen.filter((entry) => entry.seed !== seed || entry.recipe !== recipe),
            ].slice(0, HISTORY);
            remember('seeds', seen);
        },
    };
}

/** visit(seed, recipe): shows another world, at a place of its own. */
export function createBar({ store, worlds, visit, tilt }) {
    const input = $('#seed');
    const wrong = $('#seed-wrong');
    const recipe = $('#recipe');
    const ownOf = (seed) => worlds.named.find(({ name }) => name === seed)?.recipe ?? worlds.default; // which is unsaid
    const history = createHistory(({ seed, recipe: of, said }) => visit(seed, worlds.key ? (said ?? of) : of === ownOf(seed) ? '' : of)); // where keys are required no names are told

    const blank = make('option', { value: '', textContent: 'its own' }); // of a world that people change
    recipe.replaceChildren(
        ...worlds.recipes.map(({ name, description }) =>
            make('option', { value: name, textContent: name, title: description }),
        ),
    );
    recipe.onchange = () => {
        const { seed } = store.get();
        visit(seed, recipe.value === ownOf(seed) ? '' : recipe.value);
    };
    function complain(why) {
        if (why) history.close();
        wrong.textContent = why;
        input.setAttribute('aria-invalid', String(Boolean(why)));
    }
    $('#seed-form').onsubmit = (event) => {
        event.preventDefault();
        const seed = input.value.trim();
        const why = seed && wrongSeed(seed);
        complain(why);
        if (why) return;
        if (seed) visit(seed, worlds.named.some(({ name }) => name === seed) ? '' : store.get().recipe);
        input.blur();
    };
    input.onfocus = () => input.select();
    input.oninput = () => complain('');
    input.onblur = () => {
        if (wrong.textContent || !input.value.trim()) input.value = store.get().seed;
        complain('');
    };
    $('#dice').onclick = () => visit(dice(), store.get().recipe);
    $('#dice').hidden = !worlds.open;
    $('#history-button').onclick = () => history.toggle(worlds.named);
    $('#three').onclick = () => tilt(!store.get().three);

    const markVariant = radios(
        $('#variants'),
        [
            { value: 'base', text: 'Base', title: 'As the noise made it' },
            { value: 'eroded', text: 'Eroded', title: 'As rain and slides left it (E)' },
            { value: 'carved', text: 'Carved', title: 'With paths in the ground (E)' },
            { value: 'compare', text: 'Compare', title: COMPARE },
        ],
        (value) => store.set(value === 'compare' ? { compare: 0.5 } : { variant: value, compare: null }),
    );

    function show(state, world) {
        const varies = world.variants.length > 1;
        if (document.activeElement !== input) input.value = state.seed;
        if (world.recipe) blank.remove();
        else recipe.prepend(blank);
        recipe.value = world.recipe;
        recipe.disabled = Boolean(world.edits) || world.seed === undefined; // a secret world has its own alone
        const why = incomparable(state.layer);
        for (const button of markVariant(compared(state) ? 'compare' : state.variant || world.variant)) {
            const compares = button.value === 'compare';
            button.disabled = compares
                ? !varies || Boolean(why)
                : !varies || !world.variants.includes(button.value);
            button.hidden = button.value === 'carved' && button.disabled;
            if (compares) button.title = why || COMPARE;
        }
        $('#variants').title = varies ? '' : 'This recipe does not erode.';
        $('#swipe .right').textContent = world.variant;
        $('#three').setAttribute('aria-pressed', String(state.three));
        document.title = [state.seed, world.recipe, 'terrane'].filter(Boolean).join(' \u00b7 ');
    }
    return { show, history };
}
