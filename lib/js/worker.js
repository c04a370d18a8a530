// A worker: one instance of the module, which makes regions and tiles as it is told (pool.js).
//
// Regions that the last job read stay in the module's memory for the next one; all others are given back first, so that it holds
// what one job needs.

import { Terrane, TerraneError } from './module.js';
import { listen } from './platform.js';

let terrane;
let opened; // promise: the first job comes right behind the world
const held = new Map(); // key -> { at, bytes }

function inputsOf(inputs) {
    const wanted = new Set(inputs.map(({ key }) => key));
    for (const [key, { at }] of held)
        if (!wanted.has(key)) {
            terrane.give(at);
            held.delete(key);
        }
    for (const { key, buffer } of inputs)
        if (!held.has(key)) held.set(key, { at: terrane.take(new Uint8Array(buffer)), bytes: buffer.byteLength });
    return inputs.map(({ key }) => held.get(key));
}

/* What was made is copied out of the module's memory and given away. Not shared: memory that is shared is let go too late. */
function make(job, say) {
    const buffer = terrane.make(job, inputsOf(job.inputs)).slice().buffer;
    say({ made: buffer }, [buffer]);
}

async function open({ module, text, seed }, say) {
    terrane = await Terrane.of(module);
    terrane.open(text, seed);
    say({ opened: true });
}

async function heard(message, say) {
    try {
        if (message.open) await (opened = open(message.open, say));
        else await opened.then(() => make(message.job, say));
    } catch (error) {
        // What the library refuses it would refuse again; whatever else went wrong, this instance is not to be trusted.
        say({ failed: error.message, refused: error instanceof TerraneError && !error.short });
    }
}

listen(heard);
