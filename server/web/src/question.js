/*
 * What a panel asks the server: one question at a time. A new one ends the last.
 */
export function createQuestion(loader) {
    let controller = null;
    let asked = ''; // the last address

    function drop() {
        controller?.abort();
        if (asked) loader.forgive(asked); // the panel has said why
    }
    return {
        drop,
        /** Calls tell(answer), or fail(error), unless it was dropped meanwhile. options: fetch's. */
        async ask(url, tell, fail, options = {}) {
            drop();
            controller = new AbortController();
            const { signal } = controller;
            asked = url;
            try {
                const answer = await loader.json(url, { ...options, signal });
                if (!signal.aborted) tell(answer);
            } catch (error) {
                if (!signal.aborted) fail(error);
            }
        },
    };
}
