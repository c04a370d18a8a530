/*
 * What pages of one origin that show the same have one of, as a stream of events: one of them leads, which is who has the lock of that
 * name, and tells the others. Where it is closed, hidden or held up another one leads. Browsers have locks for pages that came by https
 * or from this machine; elsewhere each page leads, and tells nobody.
 */

const SILENT_MS = 90000; // who leads and says nothing for so long is held up: the lock is taken from it

/** Aborted as soon as one of them is; AbortSignal.any is too new for many browsers. */
export function firstOf(...signals) {
    const first = new AbortController();
    for (const each of signals) {
        if (each.aborted) first.abort(each.reason);
        else each.addEventListener('abort', () => first.abort(each.reason), { once: true, signal: first.signal });
    }
    return first.signal;
}

async function digestOf(text) {
    const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return Array.from(new Uint8Array(bytes).subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** what: a text that pages have in common which share; it stays a secret. */
export function createShare(what, { locks = globalThis.navigator?.locks, Channel = globalThis.BroadcastChannel, silentMs = SILENT_MS } = {}) {
    let channel = null;

    /* Waits for the lock, or takes it away, and leads until signal. True: who leads is held up. */
    async function turn(name, signal, steal, { lead, hear, news }) {
        const silent = new AbortController();
        const lost = new AbortController();
        let timer;
        const wait = () => {
            clearTimeout(timer);
            timer = setTimeout(() => silent.abort(), silentMs * (1 + Math.random() / 3)); // not all at once
        };
        const led = () => {
            clearTimeout(timer);
            channel.onmessage = ({ data }) => data.asks && channel.postMessage(news());
            channel.postMessage(news());
            return lead(firstOf(signal, lost.signal));
        };
        channel.onmessage = ({ data }) => {
            if (data.asks) return;
            wait();
            hear(data);
        };
        channel.postMessage({ asks: true });
        wait();
        try {
            await locks.request(name, steal ? { steal } : { signal: firstOf(signal, silent.signal) }, led);
        } catch (error) {
            if (error.name !== 'AbortError') throw error; // of waiting, or of a lock that another page took
        } finally {
            clearTimeout(timer);
            lost.abort();
        }
        return silent.signal.aborted;
    }

    return {
        /** Of who leads: to all others. */
        tell: (message) => channel?.postMessage(message),
        /** Until signal: lead(signal) when it is this page's turn; else hear(message) of who leads. news(): what who leads tells who comes. */
        async attend(signal, acts) {
            if (!locks || !Channel) return acts.lead(signal);
            try {
                const name = `terrane ${await digestOf(what)}`;
                channel = new Channel(name);
                for (let steal = false; !signal.aborted; ) steal = await turn(name, signal, steal, acts);
            } catch {
                if (!signal.aborted) await acts.lead(signal); // a browser that forbids them
            } finally {
                channel?.close();
                channel = null;
            }
        },
    };
}
