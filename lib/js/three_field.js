// Heights that are here: of each tile that was loaded its samples, so that whoever stands on ground asks nobody.

/** The height at (u, v), counted in samples, of the two triangles that a mesh has there. */
function between(heights, side, u, v) {
    const i = Math.min(Math.floor(u), side - 2), j = Math.min(Math.floor(v), side - 2);
    const s = u - i, t = v - j, k = j * side + i;
    const [nw, ne, sw, se] = [heights[k], heights[k + 1], heights[k + side], heights[k + side + 1]];
    return s + t < 1 ? nw + s * (ne - nw) + t * (sw - nw) : se + (1 - s) * (sw - se) + (1 - t) * (ne - se);
}

export class Field {
    #tiles = new Map();
    #spacing;
    #top;

    /** top: the coarsest level of tiles. */
    constructor(spacing, top) {
        this.#spacing = spacing;
        this.#top = top;
    }

    static nameOf = ({ level, x, y }) => `${level}/${x}/${y}`;

    put(tile, parts) {
        this.#tiles.set(Field.nameOf(tile), parts);
    }

    drop(tile) {
        this.#tiles.delete(Field.nameOf(tile));
    }

    has(tile) {
        return this.#tiles.has(Field.nameOf(tile));
    }

    /* The finest tile that is here of a place in metres, and where in it: 0 .. 1 both. */
    #find(x, y) {
        for (let level = 0, size = 256 * this.#spacing; level <= this.#top; level++, size *= 2) {
            const tile = { level, x: Math.floor(x / size), y: Math.floor(y / size) };
            const parts = this.#tiles.get(Field.nameOf(tile));
            if (parts) return { parts, level, u: x / size - tile.x, v: y / size - tile.y };
        }
        return undefined;
    }

    /** Metres; undefined where nothing of the place is here. */
    heightAt(x, y) {
        const found = this.#find(x, y);
        if (!found) return undefined;
        const { heights, side } = found.parts;
        return between(heights, side, found.u * (side - 1), found.v * (side - 1));
    }

    /** Metres of water over the ground. */
    depthAt(x, y) {
        const found = this.#find(x, y), depths = found?.parts.depths;
        if (!depths) return 0;
        const side = Math.sqrt(depths.length);
        return between(depths, side, found.u * (side - 1), found.v * (side - 1));
    }

    /** The level of the finest tile that is here; undefined: none. */
    levelAt = (x, y) => this.#find(x, y)?.level;
}
