// What heights must be: the server's .f32 tiles, read without any client.

const SAMPLES = 257;

export class Truth {
    #tiles = new Map();

    constructor(server, seed, query = "") {
        this.base = `${server}/tile/${seed}`;
        this.query = query;
    }

    /** The 257 x 257 heights of a native tile. */
    tile(lod, x, y) {
        const target = `${this.base}/${lod}/${x}/${y}.f32${this.query}`;
        if (!this.#tiles.has(target)) this.#tiles.set(target, this.#fetch(target));
        return this.#tiles.get(target);
    }

    async #fetch(target) {
        const answer = await fetch(target);
        if (answer.status !== 200) throw new Error(`${target}: status ${answer.status}`);
        const heights = new Float32Array(await answer.arrayBuffer());
        if (heights.length !== SAMPLES * SAMPLES) throw new Error(`${target}: ${heights.length} samples`);
        return heights;
    }

    /** The sample (i, j) of a level's lattice, counted from the world's origin to the east and to the south. */
    async sample(lod, i, j) {
        const x = Math.floor(i / 256), y = Math.floor(j / 256);
        return (await this.tile(lod, x, y))[(j - y * 256) * SAMPLES + (i - x * 256)];
    }

    /** Between samples: bilinear. */
    async at(lod, u, v) {
        const i = Math.floor(u), j = Math.floor(v), a = u - i, b = v - j;
        const [nw, ne, sw, se] = await Promise.all([[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]]
            .map(([p, q]) => this.sample(lod, p, q)));
        return (nw * (1 - a) + ne * a) * (1 - b) + (sw * (1 - a) + se * a) * b;
    }
}

/** Throws, in words, unless got is within bound of expected. */
export function near(got, expected, bound, what) {
    if (typeof got === "number" && Math.abs(got - expected) <= bound) return Math.abs(got - expected);
    throw new Error(`${what}: the client says ${got}, f32 says ${expected}; they may differ by ${bound}`);
}
