/*
 * The key of a server that wants one: asked for where it is refused, kept for the session of the tab, and
 * never in the address.
 */
import { make } from './dom.js';

const NAME = 'terrane.key';
const FORM = /^[\x21-\x7e]{1,128}$/; // what a header can carry

function kept(key) {
    try {
        if (key) sessionStorage.setItem(NAME, key);
        else if (key === '') sessionStorage.removeItem(NAME);
        return sessionStorage.getItem(NAME) ?? '';
    } catch {
        return key ?? ''; // a browser that keeps nothing
    }
}

/** The key, or ''. One in the address (?key=) is taken out of it. */
export function keyOf() {
    const query = new URLSearchParams(location.search);
    const given = query.get('key');
    if (given === null) return kept();
    query.delete('key');
    const rest = query.toString();
    history.replaceState(null, '', `${location.pathname}${rest && `?${rest}`}${location.hash}`);
    return kept(given);
}

export const wantsKey = (error) => error?.status === 401 || error?.status === 403;

/**
 * A form that takes a key and begins anew with it. why: what the server said; had: of a key that was sent.
 */
export function keyForm(why, had) {
    const input = make('input', {
        id: 'key',
        type: 'password',
        autocomplete: 'off',
        spellcheck: false,
        maxLength: 128,
        required: !had,
    });
    const wrong = make('p', { className: 'wrong', role: 'alert' });
    const form = make(
        'form',
        { id: 'key-form' },
        make('p', {}, had ? `The server does not take this key: ${why}` : 'This server wants a key.'),
        make('label', { for: 'key', textContent: 'Key' }),
        make('span', { className: 'row' }, input, make('button', { type: 'submit', textContent: 'Use it' })),
        wrong,
        make('p', {
            className: 'note',
            textContent: 'It is kept until this tab is closed, sent to this server alone, and is in no address that you share.',
        }),
    );
    form.onsubmit = (event) => {
        event.preventDefault();
        const key = input.value.trim();
        if (!FORM.test(key) && !(had && !key)) {
            wrong.textContent = 'A key is up to 128 letters, digits and signs, without spaces.';
            return;
        }
        kept(key);
        location.reload();
    };
    return form;
}
