/*
 * Go to a place: "x, y" in metres of the world, and a zoom, as people write them.
 */
import { $ } from './dom.js';
import { ZOOM_MAX, ZOOM_MIN } from './permalink.js';

/** {x, y, zoom} of a text, zoom undefined where it is not said; null: it is no place. */
export function placeOf(text) {
    const words = text
        .replaceAll('\u2212', '-')
        .replace(/[\u2009\u202f\u00a0]/g, '')
        .replace(/\b(x|y|zoom)\s*[=:]?/gi, ' ')
        .trim()
        .split(/\s*[,;]\s*|\s+/);
    const [x, y, zoom] = words.map((word) =>
        /^[+-]?(\d+\.?\d*|\.\d+)(e\d+)?$/i.test(word) ? Number(word) : NaN,
    );
    const fine = words.length >= 2 && words.length <= 3 && Math.abs(x) <= 2 ** 52 && Math.abs(y) <= 2 ** 52;
    if (!fine || (words.length === 3 && !(zoom >= ZOOM_MIN && zoom <= ZOOM_MAX))) return null;
    return { x, y, zoom };
}

/** half(): metres from the origin to an edge of the map. */
export function createGoTo({ view, half }) {
    const form = $('#goto');
    const button = $('#goto-button');
    const input = $('#goto-text');
    const wrong = $('.wrong', form);

    function toggle(open = form.hidden) {
        form.hidden = !open;
        button.setAttribute('aria-expanded', String(open));
        wrong.textContent = '';
        (open ? input : button).focus();
    }
    button.onclick = () => toggle();
    form.onkeydown = (event) => {
        if (event.key === 'Escape') {
            event.stopPropagation();
            toggle(false);
        }
    };
    form.onsubmit = (event) => {
        event.preventDefault();
        const place = placeOf(input.value);
        if (!place) {
            wrong.textContent = `Two numbers, as 12000, -3400; a zoom from ${ZOOM_MIN} to ${ZOOM_MAX} may follow.`;
        } else if (Math.max(Math.abs(place.x), Math.abs(place.y)) >= half()) {
            wrong.textContent = 'That is beyond the map; /tile reaches further.';
        } else {
            view.goTo(place);
            toggle(false);
        }
    };
    return { open: () => toggle(true) };
}
