// The quadtree of a world as a plugin of 3d-tiles-renderer's TilesRenderer: which tiles there are, and which are wanted. All around, whichever
// way one looks, so that turning round shows nothing coarse; and where one will be soon, so that it is there by then.

const TOP = 40; // tiles of this level are -1 and 0 along both axes
const ENDING = 'terrane';
const PATH = new RegExp(`(\\d+)/(-?\\d+)/(-?\\d+)\\.${ENDING}$`);
const EMPTY = 1024; // times as coarse as it is large: nothing below is fine enough to be left out
const MARGIN = 1.25; // of the distance at which a tile is needed: it is asked for farther away
const MOMENTS = [0, 0.25, 0.5, 0.75, 1]; // of the time ahead

/* Metres from p to a box { x, z, half } with heights [low, high]. */
const distanceTo = ({ x, z, half }, [low, high], p) =>
    Math.hypot(Math.max(Math.abs(p.x - x) - half, 0), Math.max(p.y - high, low - p.y, 0), Math.max(Math.abs(p.z - z) - half, 0));

export class Quadtree {
    name = 'TERRANE_QUADTREE';
    #tiles;
    #here = { x: 0, y: 0, z: 0 };
    #places = [this.#here];

    /** top: the coarsest level that is loaded; load(tile, signal) gets a tile's parts, build(tile, parts) makes its Object3D. */
    constructor({ spacing, heights, reach, far, top, load, build }) {
        Object.assign(this, { spacing, heights, reach, far, top, load, build });
    }

    init(tiles) {
        this.#tiles = tiles;
    }

    /** Where the eye is, and where it goes in the time ahead: metres of the world. */
    look(here, way) {
        this.#here = here;
        this.#places = MOMENTS.map((share) => ({ x: here.x + share * way.x, y: here.y + share * way.y, z: here.z + share * way.z }));
    }

    sizeOf(level) {
        return 256 * this.spacing * 2 ** level;
    }

    /** Names of tiles that have to be there: those whose place is within their level's distance of the eye. */
    *needed(ground) {
        for (let level = 0; level <= this.top; level++) {
            const size = this.sizeOf(level), most = Math.min(this.reach * size, this.far);
            const [x0, x1, y0, y1] = [this.#here.x - most, this.#here.x + most, this.#here.z - most, this.#here.z + most].map((edge) => Math.floor(edge / size));
            for (let y = y0; y <= y1; y++)
                for (let x = x0; x <= x1; x++)
                    if (distanceTo({ x: (x + 0.5) * size, z: (y + 0.5) * size, half: size / 2 }, [ground, ground], this.#here) < most) yield { level, x, y };
        }
    }

    #node(level, x, y) {
        const size = this.sizeOf(level), half = size / 2, [low, high] = this.heights;
        const at = { level, x, y, box: { x: (x + 0.5) * size, z: (y + 0.5) * size, half } }, empty = level > this.top;
        return {
            terrane: at,
            refine: empty ? 'ADD' : 'REPLACE', // what has no ground of its own waits for no sibling to show that of another
            geometricError: empty ? size * EMPTY : size,
            boundingVolume: { box: [at.box.x, (low + high) / 2, at.box.z, half, 0, 0, 0, (high - low) / 2, 0, 0, 0, half] },
            content: empty ? undefined : { uri: `${level}/${x}/${y}.${ENDING}` },
            children: [],
        };
    }

    async loadRootTileset() {
        const root = this.#node(TOP + 1, -0.5, -0.5);
        root.children = [-1, 0].flatMap((y) => [-1, 0].map((x) => this.#node(TOP, x, y)));
        const tileset = { asset: { version: '1.0' }, geometricError: root.geometricError, root };
        this.#tiles.preprocessTileset(tileset, '');
        return tileset;
    }

    preprocessNode(tile) {
        const { level, x, y } = tile.terrane;
        if (level === 0 || tile.children.length) return;
        for (const k of [0, 1, 2, 3]) tile.children.push(this.#node(level - 1, 2 * x + (k & 1), 2 * y + (k >> 1)));
    }

    /* Of ground that was left, nodes below go with it, and are made anew where one comes back; while one of them is held nothing goes. */
    disposeTile(tile) {
        const held = (each) => this.#tiles.lruCache.has(each) || each.children.some(held);
        if (tile.children.some(held)) return;
        tile.children = [];
        this.preprocessNode(tile);
    }

    /* Lowest and highest ground of a tile: its own, or while it is not there that of what it is part of. */
    #rangeOf(tile) {
        for (let each = tile; each; each = each.parent) if (each.terrane.range) return each.terrane.range;
        return this.heights;
    }

    calculateTileViewError(tile, target) {
        const { box, level } = tile.terrane, range = this.#rangeOf(tile);
        const distance = Math.min(...this.#places.map((place) => distanceTo(box, range, place)));
        if (distance > this.far) return false;
        /* What is needed sooner comes first. Quarters come together, so what counts is what they are quarters of. */
        const whole = tile.parent?.terrane.box ?? box, when = this.#places.findIndex((place) => distanceTo(whole, range, place) < 2 * this.reach * box.half);
        tile.priority = -(when < 0 ? MOMENTS.length : when);
        target.inView = true;
        target.distance = distance;
        target.error = level > this.top ? Infinity : (MARGIN * this.reach * box.half) / Math.max(distance, 1e-3); // above 1: its quarters are asked for
        return true;
    }

    fetchData(url, { signal }) {
        const [, ...numbers] = PATH.exec(url) ?? [];
        if (!numbers.length) return null;
        const [level, x, y] = numbers.map(Number);
        return this.load({ level, x, y, signal }).then((parts) => Object.assign(new ArrayBuffer(0), { parts }));
    }

    parseToMesh({ parts }, tile, ending) {
        if (ending !== ENDING) return null;
        tile.terrane.range = parts.range;
        return Promise.resolve(this.build(tile.terrane, parts));
    }
}
