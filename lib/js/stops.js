// Who wants to hear that an AbortSignal stops: all tiles of a view may have one signal, and it gets one listener, since node warns of more than ten.

const heard = new WeakMap(); // signal -> what is called

/** stop() is called when the signal aborts, unless what is returned was called before. */
export function onAbort(signal, stop) {
    if (!signal) return () => {};
    if (!heard.has(signal)) {
        const stops = new Set();
        heard.set(signal, stops);
        signal.addEventListener('abort', () => [...stops].forEach((each) => each()), { once: true });
    }
    heard.get(signal).add(stop);
    return () => void heard.get(signal).delete(stop);
}
