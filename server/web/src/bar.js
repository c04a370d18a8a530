/*
 * The bar: which world, which layer, what was done to the ground, lines of paths, flat or standing.
 */
import { $, make, recall, remember } from './dom.js';
import { LAYERS } from './permalink.js';
import { dice, wrongSeed } from './seed.js';
import { compared, varies } from './urls.js';

export const LAYER_NAMES = {
    relief: ['Relief', 'The map in colours'],
    hillshade: ['Shade', 'Light and shadow alone'],
    height: ['Height', 'Metres above the sea, in steps of colour'],
    normal: ['Normals', 'Which way the ground faces'],
    partition: ['Zones', 'Where each zone lies'],
    slope: ['Slope', 'How steep it is'],
    water: ['Water', 'How deep seas and lakes are'],
    flow: ['Flow', 'Where rain ran'],
    delta: ['Change', 'What erosion took and laid down'],
    path: ['Paths', 'Where paths are, and what leads over to the ground'],
    cave: ['Caves', 'Where there are caves below, and where they open'],
    river: ['Rivers', 'How much water they carry'],
    climate: ['Climate', 'How warm it is, and how wet'],
    cover: ['Cover', 'What covers the ground'],
    objects: ['Objects', 'Where trees, shrubs and rocks stand'],
};
const OF_EROSION = ['flow', 'delta'];
const COMPARE = 'Base and finished ground, side by side (C)';

/** Whether a world has anything to show of a layer. */
export function hasLayer(world, layer) {
    if (OF_EROSION.includes(layer)) return world.variants.includes('eroded');
    if (layer === 'river') return Boolean(world.rivers);
    if (layer === 'cover') return Boolean(world.cover?.length);
    if (layer === 'objects') return Boolean(world.objects?.length);
    if (layer === 'climate') return world.layers.some(({ name }) => name === 'climate');
    return layer === 'path' ? Boolean(world.paths) : layer !== 'cave' || Boolean(world.caves);
}

/** Why a layer cannot be compared before and after erosion; '' where it can. */
export function incomparable(layer) {
    if (varies(layer)) return '';
    if (layer === 'path' || layer === 'cave')
        return `There is one kind of ${layer}s: nothing to compare them with.`;
    if (layer === 'river') return 'Rivers are of finished ground alone: there is nothing to compare them with.';
    return OF_EROSION.includes(layer)
        ? `${LAYER_NAMES[layer][0]} is of erosion itself: there is nothing to compare it with.`
        : `${LAYER_NAMES[layer][0]} are the same before and after erosion: nothing to compare.`;
}
const HISTORY = 24;

/** Buttons of which one is on, that arrow keys go through. items: [{value, text, title}]. */
export function radios(group, items, chosen) {
    const buttons = items.map(({ value, text, title }) =>
        make('button', {
            type: 'button',
            role: 'radio',
            textContent: text,
            title: title ?? '',
            value,
            onclick: () => chosen(value),
        }),
    );
    group.replaceChildren(...buttons);
    group.onkeydown = (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        const able = buttons.filter((button) => !button.disabled);
        const next = able[(able.indexOf(document.activeElement) + step + able.length) % able.length];
        next.focus();
        next.click();
    };
    return (value) => {
        for (const button of buttons) {
            const on = button.value === value;
            button.setAttribute('aria-checked', String(on));
            button.tabIndex = on ? 0 : -1;
        }
        return buttons;
    };
}

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
        add(seed, recipe) {
            seen = [
                { seed, recipe },
                ...seen.filter((entry) => entry.seed !== seed || entry.recipe !== recipe),
            ].slice(0, HISTORY);
            remember('seeds', seen);
        },
    };
}

/** visit(seed, recipe): shows another world, at a place of its own. gives: loader.gives. */
export function createBar({ store, worlds, visit, tilt, gives }) {
    const input = $('#seed');
    const wrong = $('#seed-wrong');
    const recipe = $('#recipe');
    const layer = $('#layer');
    const history = createHistory((entry) => visit(entry.seed, entry.recipe));

    recipe.replaceChildren(
        ...worlds.recipes.map(({ name, description }) =>
            make('option', { value: name, textContent: name, title: description }),
        ),
    );
    recipe.onchange = () => {
        const { seed } = store.get();
        const own = worlds.named.find(({ name }) => name === seed)?.recipe ?? worlds.default;
        visit(seed, recipe.value === own ? '' : recipe.value);
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
        if (seed) visit(seed, store.get().recipe);
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
    $('#paths').onclick = () => store.set({ paths: !store.get().paths });

    const markLayer = radios(
        $('#layers'),
        LAYERS.map((value, k) => ({
            value,
            text: LAYER_NAMES[value][0],
            title: `${LAYER_NAMES[value][1]}${k < 9 ? ` (${k + 1})` : ''}`,
        })),
        (layer) => store.set({ layer }),
    );
    layer.replaceChildren(
        ...LAYERS.map((value) => make('option', { value, textContent: LAYER_NAMES[value][0] })),
    );
    layer.onchange = () => store.set({ layer: layer.value });
    const bar = $('#bar');
    function fit() {
        bar.classList.remove('narrow');
        bar.classList.toggle('narrow', bar.scrollWidth > bar.clientWidth);
    }
    new ResizeObserver(fit).observe(bar);

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
        recipe.value = world.recipe;
        layer.value = state.layer;
        for (const item of [...markLayer(state.layer), ...layer.options]) {
            item.disabled = !hasLayer(world, item.value);
            item.hidden = item.disabled && !OF_EROSION.includes(item.value);
        }
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
        $('#paths').hidden = !gives('river') || (!world.paths && !world.rivers);
        $('#paths').setAttribute('aria-pressed', String(state.paths));
        $('#three').setAttribute('aria-pressed', String(state.three));
        fit();
        document.title = `${state.seed} \u00b7 ${world.recipe} \u00b7 terrane`;
    }
    return { show, history };
}
