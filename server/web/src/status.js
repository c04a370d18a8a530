/*
 * What is loading, what waits and what failed: a line that runs while there is something, and words where it
 * takes long.
 */
import { $ } from './dom.js';

const PATIENCE_MS = 900;

/** Words for counts of a loader; '' where there is nothing to say. */
export function words({ loading, waiting, failed, why }, long) {
    if (failed && !loading)
        return `${failed === 1 ? 'One thing' : `${failed} things`} could not be loaded. ${why}`;
    if (waiting) return `Waiting for the server (${waiting}). ${why}`;
    return loading && long ? `Loading ${loading}\u2026` : '';
}

export function createStatus({ again }) {
    const line = $('#progress');
    const box = $('#status');
    const text = $('span', box);
    const button = $('button', box);
    let since = 0;
    let last = { loading: 0, waiting: 0, failed: 0, why: '' };
    let timer;
    let word = ''; // said to somebody, before all else, for its time
    let held = ''; // said for as long as it holds
    let spoken;

    function show() {
        const said =
            word || [held, words(last, performance.now() - since >= PATIENCE_MS)].filter(Boolean).join(' ');
        line.classList.toggle('on', last.loading > 0);
        text.textContent = said;
        box.classList.toggle('on', Boolean(said));
        button.hidden = Boolean(word) || !(last.failed && !last.loading);
    }
    button.onclick = () => again();
    return {
        update(counts) {
            if (counts.loading && !last.loading) {
                since = performance.now();
                clearTimeout(timer);
                timer = setTimeout(show, PATIENCE_MS);
            }
            last = counts;
            show();
        },
        /** Says something until it is ''. */
        hold(message) {
            held = message;
            show();
        },
        say(message, ms = 5000) {
            word = message;
            clearTimeout(spoken);
            spoken = setTimeout(() => {
                word = '';
                show();
            }, ms);
            show();
        },
    };
}
