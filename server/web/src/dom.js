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
