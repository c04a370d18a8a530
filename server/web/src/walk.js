/*
 * The way to the page of a walk, which begins in the middle of the view and looks where the view does.
 */
import { $, later } from './dom.js';

/** Address of the walk of a view. Of the world as it is now: no walk leads into its past. */
export function walkUrl({ seed, recipe, v, variant, x, y, bearing }) {
    const asked = { world: seed, recipe, v, variant, x: Math.round(x), z: Math.round(y), bearing: Math.round(bearing ?? 0) };
    return `viewer/walk.html?${new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== '' && value !== undefined && value !== null))}`;
}

/** { go() }. A server is needed: gives(what). */
export function createWalk({ store, gives }) {
    const link = $('#walk');
    const lead = () => (link.href = walkUrl(store.get()));
    link.hidden = !gives('walk');
    store.on('seed recipe v variant x y bearing', later(150, lead));
    lead();
    return { go: () => link.hidden || (lead(), link.click()) };
}
