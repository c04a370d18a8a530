/*
 * Elements, briefly.
 */
export const $ = (selector, within = document) => within.querySelector(selector);
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

/** An element with properties and children; `data-` and `aria-` names, role and for become attributes. */
export function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (/^(aria-|data-|role$|for$)/.test(name)) element.setAttribute(name, value);
        else element[name] = value;
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
}

/** A button; more: other properties of it. */
export const button = (textContent, onclick, more) =>
    make('button', { type: 'button', textContent, onclick, ...more });

/** A note; a row of what belongs together; a part of a panel under its title. */
export const note = (textContent, more) => make('p', { className: 'note', textContent, ...more });
export const row = (...children) => make('div', { className: 'row' }, ...children);
export const section = (title, ...children) =>
    make('section', {}, make('h3', { textContent: title }), ...children);

/** What went wrong, told at once. */
export const wrong = (textContent) => make('p', { className: 'wrong', role: 'alert', textContent });

/** One of some [value, text]; change(value). */
export function select(items, chosen, change, properties) {
    const options = items.map(([value, textContent]) =>
        make('option', { value, textContent, selected: value === chosen }),
    );
    return make('select', { onchange: ({ target }) => change(target.value), ...properties }, ...options);
}

/** A list of names and values. */
export const facts = (rows) =>
    make('dl', {}, ...rows.flatMap(([name, value]) => [make('dt', { textContent: name }), make('dd', { textContent: value })]));

/** Buttons of which one is on, that arrow keys go through. items: [{value, text, title}]; chosen(value, event): who goes through them makes events that are not trusted. */
export function radios(group, items, chosen) {
    const buttons = items.map(({ value, text, title }) =>
        button(text, (event) => chosen(value, event), { role: 'radio', title: title ?? '', value }),
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

/** A box to tick, with its words. change(on). */
export const check = (text, checked, change, name = '') =>
    make(
        'label',
        { className: 'check' },
        make('input', { type: 'checkbox', name, checked, onchange: (event) => change(event.target.checked) }),
        make('span', { textContent: text }),
    );

/** A slider with its name and what it says; show(value) moves it, as its own property. */
export function slider(name, { min, max, step, value, tell, input }) {
    const said = make('output', { textContent: tell(value) });
    const range = make('input', {
        type: 'range',
        'aria-label': name, // a label names its first element alone, which is what is said
        min,
        max,
        step,
        value,
        oninput: () => {
            said.textContent = tell(Number(range.value));
            input(Number(range.value));
        },
    });
    const show = (to) => {
        range.value = to;
        said.textContent = tell(to);
    };
    return Object.assign(make('label', { className: 'slider' }, make('span', { textContent: name }), said, range), { range, show });
}

export function later(ms, work) {
    let timer;
    return (...given) => {
        clearTimeout(timer);
        timer = setTimeout(() => work(...given), ms);
    };
}

/** A digit group every three, with thin spaces, and a true minus. */
export function grouped(value, digits = 0) {
    const [whole, part] = Math.abs(value).toFixed(digits).split('.');
    const sign = value < 0 && Number(Math.abs(value).toFixed(digits)) !== 0 ? '\u2212' : '';
    return sign + whole.replace(/\B(?=(\d{3})+$)/g, '\u2009') + (part ? `.${part}` : '');
}

export async function copy(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const area = make('textarea', { value: text, className: 'unseen' });
        document.body.append(area);
        area.select();
        const done = document.execCommand('copy');
        area.remove();
        return done;
    }
}

/** A button that copies what text() gives, and says so. */
export const copyButton = (name, text) =>
    button(name, async ({ currentTarget }) => {
        currentTarget.textContent = (await copy(text())) ? 'Copied' : 'Could not copy';
    });

export function remember(name, value) {
    try {
        localStorage.setItem(`terrane.${name}`, JSON.stringify(value));
    } catch {
        /* a browser that keeps nothing */
    }
}

export function recall(name, otherwise) {
    try {
        return JSON.parse(localStorage.getItem(`terrane.${name}`)) ?? otherwise;
    } catch {
        return otherwise;
    }
}
