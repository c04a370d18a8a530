// One instance of the module: its calls, with texts and bytes put into its memory and taken out.

const WORDS = 7; // of a region
const MAKES = { samples: 'js_tile_make', pixels: 'js_picture_make', places: 'js_places_make', lines: 'js_lines_make' };
const SHORT = 'memory is short'; // the library's words for it

/** What the module refused, in the library's own words. */
export class TerraneError extends Error {
    constructor(message, options) {
        super(message, options);
        this.name = 'TerraneError';
        this.short = message === SHORT;
    }
}

export class Terrane {
    #calls;

    /** module: a WebAssembly.Module, compiled. */
    static async of(module) {
        const terrane = new Terrane();
        terrane.#calls = (await WebAssembly.instantiate(module, {})).exports;
        return terrane;
    }

    #bytes(at, count) {
        return new Uint8Array(this.#calls.memory.buffer, at, count);
    }

    #text(at) {
        if (at === 0) return undefined;
        const bytes = new Uint8Array(this.#calls.memory.buffer, at);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    }

    #checked(result) {
        if (result < 0) throw new TerraneError(this.#text(this.#calls.js_message(result)));
        return result;
    }

    /** A copy of bytes in the module's memory, which give() gives back. */
    take(bytes) {
        const at = this.#calls.js_take(Math.max(bytes.length, 1));
        if (at === 0) throw new TerraneError(SHORT);
        this.#bytes(at, bytes.length).set(bytes);
        return at;
    }

    give(at) {
        this.#calls.js_give(at);
    }

    #with(bytes, use) {
        const at = this.take(bytes);
        try {
            return use(at, bytes.length);
        } finally {
            this.give(at);
        }
    }

    #list(name) {
        const names = [];
        for (let text; (text = this.#text(name(names.length))) !== undefined; ) names.push(text);
        return names;
    }

    /** text: a recipe's; seed: a BigInt of 64 bits. */
    open(text, seed) {
        const low = Number(seed & 0xffffffffn), high = Number(seed >> 32n);
        this.#with(new TextEncoder().encode(text), (at, bytes) => this.#checked(this.#calls.js_open(at, bytes, low, high)));
    }

    /* So many bytes that a call fills in: as a DataView. */
    #filled(count, call) {
        return this.#with(new Uint8Array(count), (at) => {
            this.#checked(call(at) ?? 0);
            return new DataView(this.#bytes(at, count).slice().buffer);
        });
    }

    seedOfName(name) {
        return this.#with(new TextEncoder().encode(name), (text, bytes) =>
            this.#filled(8, (at) => this.#calls.js_seed_of_name(text, bytes, at)).getBigUint64(0, true),
        );
    }

    /** Where the world is worth seeing first, as base ground is: { x, y, height } in metres. */
    spawn() {
        const told = this.#filled(24, (at) => this.#calls.js_spawn(at));
        const [x, y, height] = [0, 8, 16].map((byte) => told.getFloat64(byte, true));
        return { x, y, height };
    }

    /** What the base surface is made of: the numbers that terms.js reads, and the words for them. */
    terms() {
        this.#checked(this.#calls.js_terms_make());
        const numbers = new Float64Array(this.#bytes(this.#calls.js_made(), this.#calls.js_made_bytes()).slice().buffer);
        const [ops, kinds, bases, partitions] = [0, 1, 2, 3].map((of) => this.#list((k) => this.#calls.js_term_word(of, k)));
        return { numbers, words: { ops, kinds, bases, partitions } };
    }

    #digest(at) {
        return [...this.#bytes(at, 16)].map((b) => b.toString(16).padStart(2, '0')).join('');
    }

    /* Colours of a picture's indices, three bytes each; undefined: its pixels are none. */
    #palette(layer) {
        const colours = this.#calls.js_palette(layer);
        return colours === 0 ? undefined : this.#bytes(this.#calls.js_colours(), 3 * colours).slice();
    }

    /** The digest of a Float32Array, as Terrane-Digest has it. */
    digestOf(samples) {
        const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
        return this.#with(bytes, (at, count) => this.#digest(this.#calls.js_samples_digest(at, count)));
    }

    /** What there is to say of the world. */
    facts() {
        const { js_layer_name, js_layer_values, js_variant_name, js_variant_default } = this.#calls;
        const layers = this.#list(js_layer_name), variants = this.#list(js_variant_name);
        return {
            kernels: this.#text(this.#calls.js_isa()),
            digest: this.#digest(this.#calls.js_digest()),
            generator: this.#calls.js_generator(),
            spacing: this.#calls.js_spacing_m(),
            cost: this.#calls.js_cost(),
            seconds: this.#calls.js_seconds(),
            layers: Object.fromEntries(layers.map((name, layer) => [name, js_layer_values(layer)])),
            variants,
            variant: variants[js_variant_default()],
        };
    }

    /** Of each layer, by name: { channels, palette } of the picture that the library makes; undefined: it makes none. */
    pictures() {
        const { js_layer_name, js_layer_channels } = this.#calls;
        const of = (layer) => ({ channels: js_layer_channels(layer), palette: this.#palette(layer) });
        return Object.fromEntries(this.#list(js_layer_name).map((name, layer) => [name, js_layer_channels(layer) ? of(layer) : undefined]));
    }

    #regions(count) {
        const words = new Int32Array(this.#calls.memory.buffer, this.#calls.js_regions(), WORDS * count);
        return Array.from({ length: count }, (_, k) => words.slice(WORDS * k, WORDS * (k + 1)));
    }

    #withWords(region, call) {
        return this.#with(new Uint8Array(region.buffer), (at) => this.#checked(call(at)));
    }

    /** The regions that a region is made of. */
    needs(region) {
        return this.#regions(this.#withWords(region, this.#calls.js_needs));
    }

    /** The regions that a tile rests on; tile: { level, x, y, layer, variant, size }, these in numbers. */
    plan({ level, x, y, layer, variant, size }) {
        return this.#regions(this.#checked(this.#calls.js_tile(level, x, y, layer, variant, size)));
    }

    /** Makes a region, or a tile (its form: 'samples', 'pixels', 'places' or 'lines'), of inputs [{ at, bytes }] in the order of needs() or plan(): its bytes in this
     * memory, there until the next call. */
    make({ region, tile }, inputs) {
        const regions = region ? this.needs(region) : this.plan(tile);
        if (regions.length !== inputs.length) throw new TerraneError('inputs are missing');
        inputs.forEach(({ at, bytes }, k) => this.#calls.js_input(k, at, bytes));
        if (region) this.#withWords(region, this.#calls.js_region_make);
        else this.#checked(this.#calls[MAKES[tile.form ?? 'samples']]());
        return this.#bytes(this.#calls.js_made(), this.#calls.js_made_bytes());
    }
}
