/*
 * "Made here": a server's tiles made in this browser, and how many of them were compared with the server's. Where there is no server
 * all are, and it is only told.
 */
import { grouped, make, note, section } from './dom.js';

const plural = (count, one) => `${grouped(count)} ${one}${count === 1 ? '' : 's'}`;

/** What counts of the package say, in words. */
export function told({ tiles = 0, verified = 0, fetched = 0, differed = 0 }, alone) {
    if (alone) return `${plural(tiles, 'tile')} made in this browser; no server is asked.`;
    const made = `${plural(tiles, 'tile')} made in this browser${fetched ? `, ${grouped(fetched)} fetched` : ''}`;
    if (differed) return `${made}. The server's ground is another: its samples are fetched.`;
    return `${made}; ${grouped(verified)} compared with the server's${verified ? ': they agree' : ''}.`;
}

/**
 * maker: what the loader is to ask. address(): of the world that is shown. changed(on): tiles are asked for anew. say(text): why it
 * cannot be.
 */
export function createHere({ alone, loader, maker, address, changed, say }) {
    let on = false;
    let line = null;
    let box = null; // one for all: what is around it is drawn anew while a world is opened

    async function update() {
        if (line && (on || alone)) line.textContent = told(await maker.stats(), alone);
        else if (line) line.textContent = 'The same ground, bit for bit; the server makes less, and is held against what is made.';
    }

    async function turn() {
        try {
            if (box.checked) await maker.open(address());
            on = box.checked;
            loader.make(on ? maker : null);
            changed(on);
        } catch (error) {
            box.checked = false;
            say(`It cannot be made here: ${error.message}`, 10000);
        }
        update();
    }

    return {
        /** Whether the world of an address is made here. */
        makes: async (url) => on && maker.open(url).then(() => on, () => false),
        update,
        /** The switch, and what is told of it. */
        section() {
            line = note('', { id: 'made' });
            box ??= make('input', { type: 'checkbox', onchange: turn });
            update();
            return section(
                'Tiles',
                alone ? null : make('label', { className: 'check' }, box, make('span', { textContent: 'Made here' })),
                line,
            );
        },
    };
}
