/*
 * The key of a server that wants one: asked for where it is refused, kept for the session of the tab, and
 * never in the address.
 */
import { make, note } from './dom.js';

const NAME = 'terrane.key';
const FORM = /^[\x21-\x7e]{1,128}$/; // what a header can carry

const NAME_EDIT = 'terrane.edit-key';

function kept(key, name = NAME) {
    try {
        if (key) sessionStorage.setItem(name, key);
        else if (key === '') sessionStorage.removeItem(name);
        return sessionStorage.getItem(name) ?? '';
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

/** The key to change worlds with: one of its own, or that of the server; '' where there is none. */
export const editKeyOf = () => kept(undefined, NAME_EDIT) || kept();

/** A form that takes a key. first: what it says before; where: which addresses it is in; needed: whether none is no answer; take(key): may say why not. */
function formOf({ id, first, where, needed, take }) {
    const input = make('input', {
        id,
        type: 'password',
        autocomplete: 'off',
        spellcheck: false,
        maxLength: 128,
        required: needed,
    });
    const wrong = make('p', { className: 'wrong', role: 'alert' });
    const form = make(
        'form',
        { id: `${id}-form`, className: 'key-form' },
        make('p', {}, first),
        make('label', { for: id, textContent: 'Key' }),
        make('span', { className: 'row' }, input, make('button', { type: 'submit', textContent: 'Use it' })),
        wrong,
        note(`It is kept until this tab is closed, and sent to this server alone. ${where}`),
    );
    form.onsubmit = (event) => {
        event.preventDefault();
        const key = input.value.trim();
        if (!FORM.test(key) && (needed || key)) {
            wrong.textContent = 'A key is up to 128 letters, digits and signs, without spaces.';
            return;
        }
        wrong.textContent = take(key) ?? '';
    };
    return form;
}

/**
 * A form that takes a key and begins anew with it. why: what the server said; had: of a key that was sent.
 */
export const keyForm = (why, had) =>
    formOf({
        id: 'key',
        first: had ? `The server does not take this key: ${why}` : 'This server wants a key.',
        where: 'The address of this page is without it; links under Export and code under Connect hold it.',
        needed: !had,
        take(key) {
            kept(key);
            if (key && kept() !== key) return 'This browser keeps nothing for this page, so no key, either.';
            location.reload();
            return '';
        },
    });

/** A form that takes a key to change worlds with. why: what the server said of the one there was, or ''; take(key). */
export const editKeyForm = (why, take) =>
    formOf({
        id: 'edit-key',
        first: why || 'Changing this world needs a key with the right to do so.',
        where: 'It is in no address.',
        needed: true,
        take(key) {
            kept(key, NAME_EDIT);
            take(key);
        },
    });

