/*
 * What is shown, in one place: set() merges, and tells those who listen for one of the keys that changed.
 */
export function createStore(initial) {
    let state = { ...initial };
    const listeners = [];

    return {
        get: () => state,
        set(patch) {
            const changed = Object.keys(patch).filter((key) => state[key] !== patch[key]);
            if (!changed.length) return;
            state = { ...state, ...patch };
            for (const { keys, tell } of listeners)
                if (!keys || keys.some((key) => changed.includes(key))) tell(state, changed);
        },
        /** keys: names separated by spaces; '' for all. */
        on(keys, tell) {
            listeners.push({ keys: keys ? keys.split(' ') : null, tell });
        },
    };
}
