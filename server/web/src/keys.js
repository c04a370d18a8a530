/*
 * Keys, where nobody is typing. What they do is in the help.
 */
import { LAYERS } from './permalink.js';

/** Whether somebody is typing there. */
export const typing = (target) =>
    target.closest?.('input:not([type="range"]):not([type="checkbox"]), select, textarea, [contenteditable]');

export function listen({ store, actions }) {
    document.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        if (typing(event.target)) {
            if (event.key === 'Escape') event.target.blur();
            return;
        }
        const layer = LAYERS[Number(event.key) - 1];
        const action = actions[event.key.toLowerCase()];
        if (layer && /^[1-9]$/.test(event.key)) actions.layer(layer, store);
        else if (action) action();
        else return;
        event.preventDefault();
    });
}
