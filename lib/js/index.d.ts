/** What the library refuses, in its own words. */
export class TerraneError extends Error {}

export type Layer =
    | 'height' | 'normal' | 'partition' | 'slope' | 'water' | 'surface' | 'delta' | 'flow' | 'path' | 'cave' | 'aspect' | 'river'
    | 'cover' | 'climate' | 'hillshade' | 'relief' | 'objects';
export type Variant = 'base' | 'eroded' | 'carved';
export type Shipped = 'alpine' | 'archipelago' | 'badlands' | 'continents' | 'desert' | 'wayfarer';

export interface Options {
    /** A recipe's document, or its text, or the name of one that ships; 'continents' where it is not given. */
    recipe?: Shipped | string | object;
    /** 0 .. 2^64 - 1, '0x' and hex digits, or a name, as the server reads it. */
    seed?: string | bigint | number;
    /** Whose functions make the world, and whose recipes ship; the recipe's or the server's, else the newest, where it is not given. */
    generator?: number;
    /** A server's address, of http or https, instead of a seed: it tells seed and recipe of `world`. Its tiles are made here or fetched, whatever is sooner. */
    server?: string | URL;
    world?: string;
    /** What the server's addresses say besides: `{ recipe: 'alpine' }` of a world that it makes by its `recipe=`. */
    query?: Record<string, string>;
    /** The share of tiles, and of those that are fetched, that are made here and compared with the server's digest: 1/16 where it is not given. */
    verify?: number;
    /** Is told once, where a tile differs. From then on all samples are the server's. */
    differs?: (different: Different) => void;
    /** At most so many; one less than there are processors, 8 at most, where it is not given. */
    workers?: number;
    /** Bytes of regions that are kept; 256 MB where it is not given. */
    budget?: number;
    /** What a recipe may cost: octaves of lattice noise a sample (2000), seconds of a tile that nothing is kept of (5). */
    limits?: { cost?: number; seconds?: number };
    /** false: the build without vectors, which is taken by itself where there are none. */
    vectors?: boolean;
    /** Asks the server, and passes on the options that it gets; globalThis.fetch where it is not given. */
    fetch?: typeof fetch;
    /** The text of a recipe that ships, 'alpine' or, as a generator had it, '7/alpine'; of the package's folder where it is not given. */
    recipes?: (file: string) => string | Promise<string>;
}

export interface TileOptions {
    level: number;
    x: number;
    y: number;
    /** 'height' where it is not given. */
    layer?: Layer;
    /** The recipe's own where it is not given: `facts.variant`. */
    variant?: Variant;
    /** 2^k (2 .. 256), or 2^k + 1 (3 .. 257) with the far edge; 257 where it is not given. */
    size?: number;
    /** Higher ones are made first; 0 where it is not given. */
    priority?: number;
    signal?: AbortSignal;
}

export interface Tile {
    /** samples[(j * width + i) * values + c], row by row from north to south. */
    samples: Float32Array;
    width: number;
    height: number;
    /** Numbers a sample. */
    values: number;
}

export interface PictureOptions extends Omit<TileOptions, 'size'> {
    /** 256 where it is not given. */
    size?: number;
    /** Of height, surface and delta: values of pixels' middles, as `reg=center` has them; of sizes 2^k. */
    center?: boolean;
    /** Of cover: 0, the first four materials, or 1, the others. */
    bands?: 0 | 1;
}

/** The pixels that the server's PNG has: heights as terrarium, indices with a palette. */
export interface Picture {
    /** data[(j * width + i) * channels + c]; of water numbers of 16 bits. */
    data: Uint8Array | Uint16Array;
    width: number;
    height: number;
    channels: number;
    /** Of indices: three bytes a colour. */
    palette?: Uint8Array;
}

export interface River {
    points: [x: number, y: number, height: number][];
    /** Cubic metres a second, and metres, at its end. */
    discharge: number;
    width: number;
    order: number;
}

export interface Path {
    points: [x: number, y: number][];
    /** What lies under it from each point to the next. */
    over: ('land' | 'ford' | 'bridge')[];
    rank: 'lane' | 'trunk';
    width: number;
    /** The same in every tile that has it. */
    id: number;
}

export interface Facts {
    readonly seed: bigint;
    /** The world's digest, as the server's /world/{seed} has it. */
    readonly digest: string;
    readonly generator: number;
    /** Metres between samples of level 0. */
    readonly spacing: number;
    /** Numbers a sample of each layer. */
    readonly layers: Readonly<Record<Layer, number>>;
    readonly variants: readonly Variant[];
    /** The variant that ground has where none is asked for. */
    readonly variant: Variant;
    readonly kernels: 'simd128' | 'scalar';
    readonly cost: number;
    readonly seconds: number;
}

export interface Different {
    /** The server's address. */
    readonly server: string;
    readonly tile: Readonly<{ level: number; x: number; y: number; layer: Layer; variant: Variant; size: number }>;
    /** Digests of its samples, as Terrane-Digest has them: counted here, and told by the server. */
    readonly here: string;
    readonly there: string;
}

export interface Stats {
    /** Made so far. */
    tiles: number;
    regions: number;
    /** Workers that died, regions that were let go. */
    died: number;
    dropped: number;
    workers: number;
    /** Tiles that are waited for. */
    waiting: number;
    /** Regions that are kept, their bytes, and the most these have been. */
    kept: number;
    bytes: number;
    mostBytes: number;
    /** Of a server's world: tiles that were fetched, that were compared, that were drawn and could not be, requests that failed (a server that asks to be asked later is left alone till then, one that does not answer for 30 s), and 1 where one differed. */
    fetched?: number;
    verified?: number;
    unverified?: number;
    failed?: number;
    differed?: number;
}

/** Of a picture, as an ImageData wants it. */
export function rgbaOf(picture: Picture): ReturnType<typeof Uint8ClampedArray.of>;

export class World {
    private constructor();
    static open(options?: Options): Promise<World>;
    readonly facts: Facts;
    /** Undefined: nothing so far. */
    readonly different: Different | undefined;
    tile(tile: TileOptions): Promise<Tile>;
    picture(tile: PictureOptions): Promise<Picture>;
    /** Where objects stand: the bytes of the server's .bin. */
    places(tile: Omit<TileOptions, 'layer' | 'size'>): Promise<ArrayBuffer>;
    /** Lines of rivers that begin in a tile, of the levels that have rivers; or of paths that come near it. In metres, points as [x, y, height] or [x, y]. */
    lines(tile: Omit<TileOptions, 'layer' | 'size' | 'variant'> & { layer?: 'river' }): Promise<River[]>;
    lines(tile: Omit<TileOptions, 'layer' | 'size' | 'variant'> & { layer: 'path' }): Promise<Path[]>;
    /** Where it is worth seeing first, as base ground is, in metres: where the server's `spawn` begins to look. */
    spawn(): { x: number; y: number; height: number };
    stats(): Stats;
    /** What the base surface is made of, for glslOf of `terrane/glsl.js`. */
    terms(): object;
    /** Ends the workers; whoever waits is told. */
    close(): void;
}
