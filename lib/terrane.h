/*
 * libterrane - procedural worlds as a pure function.
 *
 * A world is a generator version, a recipe and a seed. Every sample of every layer is a function of the
 * world, a level of detail and two integer lattice coordinates, and of nothing else: not of the window it is
 * asked in, the order of questions, the thread, the instruction set, the compiler or the machine.
 * lib/README.md states the function to the last bit.
 *
 *     #include <stdlib.h>
 *     #include <terrane.h>
 *
 *     static struct terrane_recipe recipe;
 *     static float heights[257 * 257]; // metres; row j, column i at j * 257 + i
 *
 *     int main(void)
 *     {
 *         struct terrane_world world;
 *         struct terrane_window window;
 *         void *scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes());
 *
 *         // The best kernels of this CPU; world 42 of the recipe that ships; its tile 3, -7 at
 *         // level 0 with the edges it shares.
 *         terrane_recipe_default(&recipe);
 *         terrane_world_init(&world, &recipe, 42);
 *         if (!scratch || terrane_init(NULL) != 0 ||
 *             terrane_window_tile(&window, 0, 3, -7, 257) != 0 ||
 *             terrane_heights(&world, &window, scratch, heights) != 0)
 *             return 1;
 *         free(scratch);
 *         return 0;
 *     }
 *
 * Coordinates. At level L the sample (gi, gj) stands at X = gi * 2^L * spacing_m (east) and
 * Y = gj * 2^L * spacing_m (SOUTH: Y grows downwards, as image rows do), in metres. Heights are metres, up.
 *
 * Memory. The library never allocates, opens, locks or prints. The caller owns every buffer.
 *
 * Threads. Everything but terrane_init may be called from any thread at any time; a world and a window are
 * read only, a scratch buffer serves one call at a time.
 *
 * Errors. Fallible functions return 0 or a negative TERRANE_E code; on an error nothing has been written to
 * the outputs. terrane_error_text names a code.
 */
#ifndef TERRANE_H
#define TERRANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TERRANE_VERSION "0.1.0"

/* Rises with every change of any output bit of any layer; part of a world's digest. */
#define TERRANE_GENERATOR_VERSION 3

#define TERRANE_LEVEL_MAX         24                 /* levels of detail 0 (finest) .. 24 */
#define TERRANE_TILE_SAMPLES      256                /* samples from one tile's edge to the next */
#define TERRANE_TILE_LIMIT        (INT64_C(1) << 40) /* tiles -2^40 .. 2^40 - 1 along x and y, at every level */
#define TERRANE_WINDOW_MAX        4097               /* widest and highest window, in samples */
#define TERRANE_OCTAVES_MAX       24                 /* of a fractal */
#define TERRANE_OCTAVES_ALL       128                /* of all fractals of a recipe */
#define TERRANE_CELL_LOG2_MAX     40
#define TERRANE_ZONES_MAX         16
#define TERRANE_TERMS_MAX         48
#define TERRANE_INPUTS_MAX        8
#define TERRANE_KNOTS_MAX         12
#define TERRANE_STOPS_MAX         8
#define TERRANE_TABLE_MAX         16
#define TERRANE_PHASES_MAX        16  /* of droplets, at a level */
#define TERRANE_STEPS_MAX         64  /* of a droplet */
#define TERRANE_SLIDES_MAX        32  /* rounds of thermal erosion, at a level */
#define TERRANE_HALO_MAX          192 /* samples that erosion reads around a window, at a level */
#define TERRANE_LAKE_RADIUS_MAX   128 /* samples of the lakes' level */
#define TERRANE_CAVE_RADIUS_MAX   64  /* samples of the caves' level */
#define TERRANE_SCRATCH_ALIGN     64

#define TERRANE_MUST_CHECK        __attribute__((warn_unused_result))

/* name, value, text */
#define TERRANE_ERRORS(X)                                                                                    \
    X(TERRANE_ELEVEL, -1, "level of detail outside 0 .. 24")                                                 \
    X(TERRANE_ETILE, -2, "tile outside -2^40 .. 2^40 - 1")                                                   \
    X(TERRANE_ESIZE, -3, "size is neither 2^k from 2 to 512 nor 2^k + 1 from 3 to 257")                      \
    X(TERRANE_EWINDOW, -4, "window or point outside the lattice, empty, or over 4097 samples wide or high")  \
    X(TERRANE_EISA, -5, "instruction set unknown, or not usable on this machine")                            \
    X(TERRANE_ESPACING, -6, "recipe: spacing_m outside 2^-10 .. 2^20 m")                                     \
    X(TERRANE_ERANGE, -7, "recipe: low_m is not below high_m, or one is not within 32768 m of 0")            \
    X(TERRANE_EOCTAVES, -8,                                                                                  \
      "recipe: a fractal has not 1 .. 24 octaves, or more than halvings of its cell, or all together over "  \
      "128, or alias_octaves is not 0 or 1")                                                                 \
    X(TERRANE_ECELL, -9,                                                                                     \
      "recipe: a cell spans under 2 samples (a fractal's under 1 with alias_octaves) or over 2^40")          \
    X(TERRANE_EBASE, -10, "recipe: unknown base noise, kind of fractal, operation or kind of partition")     \
    X(TERRANE_EAMPLITUDE, -11,                                                                               \
      "recipe: an amplitude, offset, gain or other number is not finite or outside its range")               \
    X(TERRANE_EZONES, -12, "recipe: not 1 .. 16 zones, or a table that names another")                       \
    X(TERRANE_ETHRESHOLD, -13,                                                                               \
      "recipe: thresholds, knots or colour stops do not rise, or a blend is outside its range")              \
    X(TERRANE_ETERM, -15,                                                                                    \
      "recipe: not 1 .. 48 terms, or one that rests on itself, on a later one, or on zones that rest on it") \
    X(TERRANE_EFLOAT, -14, "floating point: not IEEE round to nearest with subnormals")                      \
    X(TERRANE_EEROSION, -16,                                                                                 \
      "recipe: erosion: a level, count or number is outside its range, or heights are beyond its units")     \
    X(TERRANE_EHALO, -17, "recipe: erosion: at a level, phases * (steps + 2) + slides is over 192 samples")  \
    X(TERRANE_ELAKES, -18, "recipe: lakes: a level, cell, radius, share or depth is outside its range")      \
    X(TERRANE_EPATHS, -19,                                                                                   \
      "recipe: paths: a level, cell, slope or width is outside its range, or the level is over one above "   \
      "that of the lakes")                                                                                   \
    X(TERRANE_ECAVES, -20,                                                                                   \
      "recipe: caves: a level, cell, radius, share, slope or height is outside its range, or the roof is "   \
      "thinner than paths cut")                                                                              \
    X(TERRANE_EPATCH, -21, "patch: side, spacing, unit or a height is outside its range")                    \
    X(TERRANE_ENODE, -22, "graph: a node lies outside the patch")                                            \
    X(TERRANE_EWIDTH, -23, "graph: a width, slope or border is not finite, is below 0, or a width is 0")     \
    X(TERRANE_EEDGE, -24, "graph: an edge names no node, joins a node to itself, or two nodes again")        \
    X(TERRANE_ECROSSING, -25, "graph: two edges cross")                                                      \
    X(TERRANE_EUNREACHABLE, -26, "graph: no way leads along an edge: its nodes are cut off from each other")

enum terrane_error {
#define X(name, value, text) name = value,
    TERRANE_ERRORS(X)
#undef X
};

/*
 * The sentence that belongs to an error code; "no error" for 0, "unknown error" for others. Static storage.
 */
const char *terrane_error_text(int error);

/* ---- Start --------------------------------------------------------------------------------------------- */

/*
 * terrane_init - choose the kernels.
 *
 *   isa  "scalar", "sse2", "avx2", "avx512" or "neon", or NULL for the fastest this machine runs.
 *
 * All of them give the same bytes. Without a call the scalar ones serve. Also checks that this thread's
 * floating point rounds to nearest and keeps subnormals; a thread that changes that breaks the library's
 * promise. Returns 0, TERRANE_EISA (unknown, not built in, or the CPU or its system lacks it; the choice
 * stands as it was) or TERRANE_EFLOAT. Call it once, before other threads use the library.
 */
int terrane_init(const char *isa) TERRANE_MUST_CHECK;

/* The chosen kernels' name: one of the names above. Static storage. */
const char *terrane_isa(void);

/* The k-th name that terrane_init would take here, fastest first; NULL behind the last. Static storage. */
const char *terrane_isa_usable(int k);

/* ---- Recipes ------------------------------------------------------------------------------------------- */

/*
 * Base noises, in [-1, 1] but where a range is given; lib/README.md has formulas and sources. VALUE to HERMITE
 * stand on a lattice of square cells. All but MIDPOINT (see the fractals) can be displaced and stretched.
 */
enum terrane_base {
    TERRANE_VALUE = 0,      /* corner values blended by S5 x S5: C2 */
    TERRANE_POLYNOMIAL = 1, /* zero-gradient D2M1N3 as published, sign corrected: C0, edges crease; 1.0098 */
    TERRANE_POLYNOMIAL_C1 = 2, /* zero-gradient in product form, S3 x S3: C1 */
    TERRANE_PERLIN3 = 3,       /* gradient noise with S3: C1 */
    TERRANE_PERLIN5 = 4,       /* gradient noise with S5: C2 */
    TERRANE_HERMITE = 5,       /* general D2M1N3: corner values and weight times corner gradients: C0;
                                  1.0098 + 0.38 weight */
    TERRANE_SIMPLEX = 6,       /* OpenSimplex2: gradients on a triangular lattice, kernel (1/2 - r^2)^4 */
    TERRANE_CELLULAR_F1 = 7,   /* Worley: distance to the nearest of one point a cell; C0 */
    TERRANE_CELLULAR_F2 = 8,   /* ... to the second nearest */
    TERRANE_CELLULAR_EDGE = 9, /* F2 - F1: -1 on the edges between cells */
    TERRANE_BASES
};

/* How octaves n_i, amplitudes a_i = amplitude_m * gain^i, become one surface. Ranges: sum = a_0 + a_1 + ... */
enum terrane_fractal_kind {
    TERRANE_FBM = 0,           /* sum of a n */
    TERRANE_BILLOW = 1,        /* a (2 |n| - 1) */
    TERRANE_RIDGED = 2,        /* a (1 - 2 |n|) */
    TERRANE_DOUBLE_RIDGED = 3, /* a (4 |1/2 - |n|| - 1): valleys and tops are ridges */
    TERRANE_IQ = 4, /* a n / (1 + |d|^2), d the sum of (pseudo-)derivatives so far; no analytic slopes */
    TERRANE_MULTIFRACTAL = 5, /* a n w, w = clamp(offset + sharpness * sum so far / a_0) after the first */
    TERRANE_HYBRID = 6,       /* Musgrave: signals a (n + offset), weighted by the product of those before */
    TERRANE_SWISS = 7,        /* de Carpentier: 0 .. sum; ridges distorted along slopes; no analytic slopes */
    TERRANE_JORDAN = 8,       /* de Carpentier: 0 .. sum; squares, warped and damped; no analytic slopes */
    TERRANE_MIDPOINT = 9,     /* diamond-square; base is ignored; no analytic slopes */
    TERRANE_MIDPOINT_SMOOTHED = 10, /* ... whose offsets shrink with the height of their neighbours */
    TERRANE_FRACTAL_KINDS
};

/*
 * Octave i has cells of cell / lacunarity^i level-0 samples. With lacunarity 2 and a cell that is a power of two
 * (and a base on square cells, not displaced) it lies on the lattice, the fast way; otherwise it is evaluated
 * point by point. Each octave's lattice (but MIDPOINT's) is shifted by its own hashed amount. Members that a kind or base does not
 * name are ignored, and zero in the canonical form.
 */
struct terrane_fractal {
    enum terrane_fractal_kind kind;
    uint8_t base[TERRANE_OCTAVES_MAX]; /* enum terrane_base of each octave */
    uint32_t salt;     /* tells fractals of one world apart: equal salts and cells repeat each other */
    int octaves;       /* 1 .. 24 */
    double cell;       /* of octave 0, in level-0 samples: 1 .. 2^40; the last octave's is at least 2 (1 with
                          alias_octaves); MIDPOINT: a power of two */
    double lacunarity; /* 1.25 .. 8; MIDPOINT: 2 */
    float amplitude_m; /* of the first octave: 0 .. 32768; a pure number where the term is no height */
    float gain;        /* 0 .. 1 */
    float weight;      /* HERMITE: of the gradients, 0 .. 4 */
    float jitter;      /* CELLULAR: 0 (a square grid) .. 1 */
    float
        offset; /* MULTIFRACTAL, HYBRID: -4 .. 4. MIDPOINT_SMOOTHED: height (in amplitudes) of full offsets, 0 .. 4 */
    float sharpness;  /* MULTIFRACTAL: -16 .. 16 */
    float warp;       /* SWISS (0.15), JORDAN (0.35): -4 .. 4, in cells of octave 0 */
    float damp;       /* JORDAN (0.8): 0 .. 4 */
    int warp_term[2]; /* terms whose values displace x (east) and y (south), in metres; -1: none */
    float warp_m;     /* factor on both: -2^20 .. 2^20 */
};

/* How a term is made of the terms before it. in[] are indices of terms, each less than the term's own. */
enum terrane_op {
    TERRANE_OP_FRACTAL = 0, /* fractal */
    TERRANE_OP_SUM = 1,     /* offset + factor[0] * in[0] + factor[1] * in[1] + ... */
    TERRANE_OP_PRODUCT = 2, /* offset + factor[0] * in[0] * in[1] * ... */
    TERRANE_OP_BLEND = 3,   /* from in[0] to in[1] as in[2] goes from low to high, by S5 */
    TERRANE_OP_CURVE = 4,   /* in[0] through knots: a monotone cubic between them, level outside */
    TERRANE_OP_ZONES = 5,   /* sum of the zones' weights * (zone offset + zone amplitude * zone term) */
    TERRANE_OPS
};

struct terrane_term {
    char name[24]; /* for people and messages; at most 23 bytes count; not part of the digest */
    enum terrane_op op;
    int inputs; /* SUM, PRODUCT: 0 .. 8; BLEND: 3; CURVE: 1; others 0 */
    int in[TERRANE_INPUTS_MAX];
    float factor[TERRANE_INPUTS_MAX]; /* -2^20 .. 2^20 */
    float offset;                     /* -32768 .. 32768 */
    float low, high;                  /* BLEND: low below high by at least 2^-10 */
    int knots;                        /* CURVE: 2 .. 12 */
    float knot_x[TERRANE_KNOTS_MAX];  /* rising by at least 2^-10 */
    float knot_y[TERRANE_KNOTS_MAX];
    struct terrane_fractal fractal; /* FRACTAL */
};

/* Colours over a quantity in metres: level below the first stop and above the last, straight between. */
struct terrane_gradient {
    int stops; /* 0 .. 8 */
    struct {
        float at_m;        /* rising by at least 2^-10 */
        uint8_t colour[3]; /* R, G, B */
    } stop[TERRANE_STOPS_MAX];
};

struct terrane_zone {
    char name[24];                  /* for people; at most 23 bytes count; part of the digest */
    int term;                       /* of OP_ZONES: an index, or -1: none */
    float amplitude;                /* factor on it: -64 .. 64 */
    float offset_m;                 /* -32768 .. 32768 */
    float share;                    /* VORONOI: how often the zone is drawn, against the others: 0 .. 1024 */
    uint8_t colour[3];              /* R, G, B of the partition mask */
    struct terrane_gradient ground; /* of relief, over height; without stops: the zone's colour */
    struct terrane_gradient steep; /* ... of slopes between steep_low and steep_high; without stops: ground */
};

enum terrane_partition_kind {
    TERRANE_PARTITION_NOISE = 0, /* bands of a term: zone k where threshold[k - 1] < value <= threshold[k] */
    TERRANE_PARTITION_VORONOI =
        1, /* the zone of the nearest site: one site a square cell, relaxed by Lloyd */
    TERRANE_PARTITION_CLIMATE = 2, /* a Whittaker table of temperature and moisture */
    TERRANE_PARTITION_KINDS
};

/* Which zone holds where, with weights that change hands smoothly. With one zone only zone[0] counts. */
struct terrane_partition {
    enum terrane_partition_kind kind;
    int zones; /* 1 .. 16 */
    struct terrane_zone zone[TERRANE_ZONES_MAX];
    float blend; /* width of a transition. NOISE: in the term's units, 2^-10 .. 2^20; VORONOI: in cells,
                                  2^-6 .. 1/2; CLIMATE: in entries of the table, 2^-10 .. 1 */
    /* NOISE */
    int by;                                 /* a term that does not rest on OP_ZONES, as the two below */
    float threshold[TERRANE_ZONES_MAX - 1]; /* zones - 1 of them, rising by at least blend */
    /* VORONOI */
    uint32_t salt;
    int cell_log2; /* of level-0 samples: 6 .. 40 */
    float jitter;  /* 0 .. 1 */
    int rounds;    /* of Lloyd's relaxation: 0 .. 4 */
    /* CLIMATE */
    int temperature, moisture;     /* terms */
    float cold, hot;               /* temperatures at the table's first and last row's outer edge */
    float dry, wet;                /* moistures at the first and last column's */
    int table_rows, table_columns; /* 1 .. 16 each */
    uint8_t table[TERRANE_TABLE_MAX *
                  TERRANE_TABLE_MAX]; /* zones; entry (row, column) at row * table_columns + column */
};

/*
 * How droplets run, and ground slides, where they start. Lengths, heights and sediment are counted in samples of the
 * level, so a slope of 1 is 45 degrees at every level.
 */
struct terrane_droplets {
    float density;      /* droplets a sample and phase: 0 .. 1 */
    float lifetime;     /* steps of about a sample, where the level's steps allow as many: 0 .. 64 */
    float inertia;      /* share of the old direction in the new one: 0 .. 0.99 */
    float capacity;     /* sediment carried for each slope, speed and water: 0 .. 64 */
    float min_capacity; /* sediment carried on flat ground: 0 .. 1 */
    float erosion;      /* share of free capacity taken up a step: 0 .. 1 */
    float deposition;   /* share of sediment over capacity dropped a step: 0 .. 1 */
    float evaporation;  /* share of water lost a step: 0 .. 1 */
    float gravity;      /* speed^2 gained for each sample of fall: 0 .. 64 */
    float speed;        /* at birth: 0 .. 16 */
    float water;        /* at birth: 0 .. 16 */
    float talus_deg;    /* angle above which ground slides: 1 .. 89 */
};

#define TERRANE_DROPLET_NUMBERS (sizeof(struct terrane_droplets) / sizeof(float))

/*
 * Erosion as a pyramid, from the coarsest of its levels down: each level takes over what the coarser ones moved, then
 * runs its phases of droplets, then its slides. Above the coarsest level nothing is eroded.
 */
struct terrane_erosion {
    int levels; /* 0 .. levels - 1 are eroded: 1 .. 25; 0: none, and nothing below counts */
    uint8_t phases[TERRANE_LEVEL_MAX + 1]; /* of droplets, at each of these levels: 0 .. 16 */
    uint8_t steps[TERRANE_LEVEL_MAX + 1];  /* longest life of a droplet there: 1 .. 64 */
    uint8_t slides[TERRANE_LEVEL_MAX + 1]; /* rounds of thermal erosion there; pits fill, too: 0 .. 32 */
    float limit;                           /* most that a phase or slide moves a sample: 2^-10 .. 1 samples */
    struct terrane_droplets zone[TERRANE_ZONES_MAX]; /* of the partition's zones; blended by weights */
};

/*
 * Lakes: at most one for each square cell of a level's lattice. A lake lies where water from a hashed start in its cell
 * comes to rest, and is filled to where it would spill.
 */
struct terrane_lakes {
    float share;     /* of cells that start one: 0 .. 1; 0: no lakes, and nothing below counts */
    int level;       /* whose lattice and surface decide: 0 .. 24 */
    int cell_log2;   /* of cells, in samples of that level: 3 .. 8 */
    int radius;      /* samples of that level from a lake's start that its water may reach: 4 .. 128 */
    float depth_m;   /* most, from surface to pit: 0 .. 32768; deeper basins are filled so far */
    float shallow_m; /* lakes that are not deeper are left out: 0 .. depth_m */
};

/*
 * Paths: one node a square cell of a level's lattice, joined by lines that rise no more than a slope allows. The ground
 * is cut and raised for them: terrane_paths.h.
 */
struct terrane_paths {
    float
        width_m; /* of a path: 2^-6 .. 1024, 2 samples of level 0 at least; 0: no paths, and nothing below counts */
    int level;         /* whose lattice and surface decide: 0 .. 24; with lakes one above theirs at most */
    int cell_log2;     /* of cells, in samples of that level: 4 .. 7; a cell is 32 reaches wide at least */
    float slope;       /* most that a path rises, in metres for each metre: 2^-6 .. 1 */
    float border_m;    /* on both sides of it, over which it passes into the ground: 0 .. 1024 */
    float depth_m;     /* most that the level's ground is cut or raised for a path: 0 .. 1024 */
    uint8_t colour[3]; /* R, G, B, of relief */
};

/*
 * Caves: at most one for each square cell of a level's lattice, under the top that a hashed start in the cell leads up
 * to: terrane_caves.h. Lengths are metres.
 */
struct terrane_caves {
    float share;    /* of cells that try one: 0 .. 1; 0: no caves, and nothing below counts */
    int level;      /* whose lattice and surface decide: 0 .. 24 */
    int cell_log2;  /* of cells, in samples of that level: 4 .. 8 */
    int radius;     /* samples of that level from a cave's top that all of it keeps to: 8 .. 64 */
    float high_m;   /* tops that are not higher have none: -32768 .. 32768 */
    float roof_m;   /* rock over the ceiling, at least: 1 .. 1024, paths.depth_m at least */
    float height_m; /* of a cave, at most: 2 .. 1024 */
    float room;     /* samples of floor that a cave has at least: 4 .. 4096 */
    float slope;    /* most of the ground before the entrance: 2^-6 .. 4 */
};

struct terrane_digest {
    uint8_t byte[16];
};

/*
 * What a world is made of, but for its seed. Fill what is above the line and call terrane_recipe_init. A zone of zeros
 * names term 0: write -1 where there is none.
 */
struct terrane_recipe {
    double spacing_m;  /* between level-0 samples: 2^-10 .. 2^20 */
    int alias_octaves; /* 0: octaves take part where a cell spans 2 samples or more; 1: also where it spans
                          one */
    float low_m,
        high_m;  /* the range of 16-bit formats, which clamp to it; heights themselves are not clamped */
    float sea_m; /* -32768 .. 32768: relief draws water below it, measures count land above */
    int terms;   /* 1 .. 48; the last one is the height, in metres */
    struct terrane_term term[TERRANE_TERMS_MAX];
    struct terrane_partition partition;
    struct terrane_gradient water; /* of relief, over depth */
    float steep_low,
        steep_high; /* slopes (rise over run, 0 .. 1024) between which relief goes from ground to steep */
    struct terrane_erosion erosion;
    struct terrane_lakes lakes;
    struct terrane_paths paths;
    struct terrane_caves caves;
    /* ---- made by terrane_recipe_init ---- */
    bool analytic;                /* slopes are analytic; else central differences of heights */
    struct terrane_digest digest; /* of generator version and canonical recipe */
};

/*
 * terrane_recipe_init - check a recipe and make it canonical, in place.
 *
 *   where  NULL, or receives the index of the term, or of the zone, that an error speaks of; -1: of neither.
 *
 * Members that do not count become zero; analytic and digest are filled. Returns 0 or the TERRANE_E code that says
 * what the recipe breaks; then the recipe stands as it was. Doing it twice changes nothing. The digest is
 * SipHash-2-4-128 (Aumasson and Bernstein) of the canonical bytes that lib/README.md lists: it names, it does not
 * authenticate.
 */
int terrane_recipe_init(struct terrane_recipe *recipe, int *where) TERRANE_MUST_CHECK;

/* Fills the recipe that terrane ships, ready to use: continents, seas, plains and ranges. */
void terrane_recipe_default(struct terrane_recipe *recipe);

/* A term that is a plain fractal with everything at its defaults: one octave of PERLIN5 with cells of 256 samples,
 * amplitude 1, lacunarity 2, gain 0.5, weight 1, jitter 0.65 and its kind's usual offset, sharpness, warp and damp. */
struct terrane_term terrane_term_fractal(enum terrane_fractal_kind kind);

/* ---- Worlds -------------------------------------------------------------------------------------------- */

/* A world, ready to use: small plain data, copy it freely. It borrows its recipe. Fill it with terrane_world_init. */
struct terrane_world {
    const struct terrane_recipe *recipe;
    uint64_t seed;
    struct terrane_digest digest; /* of recipe and seed */
};

/*
 * terrane_world_init - a recipe and a seed.
 *
 * Fills *world; borrows recipe, which terrane_recipe_init has accepted, for as long as the world is used. Two
 * worlds with equal digests give equal samples everywhere. Cost: a hash of 24 bytes.
 */
void terrane_world_init(struct terrane_world *world, const struct terrane_recipe *recipe, uint64_t seed);

/* The seed of a world called by name: a 64-bit hash of its bytes. The empty name has one, too. */
uint64_t terrane_seed_from_name(const char *name, size_t bytes);

/*
 * The level's geometric error in metres: no height at this level differs by more from the height that level 0
 * has at the same place. It is the reach of the octaves the level leaves out (an octave is summed where its
 * cell spans at least two samples), followed through the terms, and a rounding allowance. 0 at level 0. The
 * level must be valid.
 */
double terrane_level_error_m(const struct terrane_recipe *recipe, int level);

/* Bounds that no height passes, at any level, in metres, before erosion: which moves ground by terrane_erosion_bound_m
 * at most. */
void terrane_height_bounds_m(const struct terrane_recipe *recipe, double *low_m, double *high_m);

/* ---- Windows ------------------------------------------------------------------------------------------- */

/* width x height samples (gi + i * step, gj + j * step) of one level's lattice, stored row by row, north to
 * south. */
struct terrane_window {
    int level;
    int64_t gi, gj;    /* lattice coordinates of the north-west sample; |.| <= 2^50 */
    int step;          /* 1 .. 256: every step-th sample; the samples themselves do not change */
    int width, height; /* 1 .. 4097 */
};

/*
 * terrane_window_tile - the window of a tile.
 *
 *   size  2^k + 1 (3 .. 257): with the far edges, shared with the neighbours. 2^k (2 .. 256): without them.
 *         512: the four level - 1 tiles on the same ground; needs level >= 1.
 *
 * A smaller size is the exact subset of every 256/2^k-th sample. Fills *window.
 * Returns 0, TERRANE_ELEVEL, TERRANE_ETILE or TERRANE_ESIZE.
 */
int terrane_window_tile(struct terrane_window *window, int level, int64_t x, int64_t y,
                        int size) TERRANE_MUST_CHECK;

/* Metres of a lattice coordinate: g * 2^level * spacing_m, exact while spacing_m is a power of two. */
double terrane_lattice_m(const struct terrane_world *world, int level, int64_t g);

/*
 * Bytes of scratch memory that every call below needs, a multiple of TERRANE_SCRATCH_ALIGN and aligned so: about 5 MB,
 * of which a call touches what its recipe needs (the default's heights: under 1 MB).
 */
size_t terrane_scratch_bytes(void);

/*
 * Samples of a window. All of them: halo 0 unless said; borrow world and window; use scratch (its content does not
 * matter, before or after); return 0, TERRANE_ELEVEL or TERRANE_EWINDOW. Cost: linear in rows and octaves; a
 * row costs the same for every step, so a tile of size 65 costs a quarter of one of size 257.
 *
 * terrane_heights  out[j * width + i], metres.
 *
 * terrane_normals  out[(j * width + i) * 3 + c], unit normals of the level's surface, in world axes: c = 0 east,
 * 1 south, 2 up; up > 0. From analytic derivatives where recipe->analytic, else from central differences of the
 * level's heights: halo 1.
 *
 * terrane_zones    index[j * width + i], the dominant zone, 0 .. zones - 1, and weights[(j * width + i) *
 * zones + z], each in 0 .. 1, summing to 1 within rounding. Either may be NULL.
 */
int terrane_heights(const struct terrane_world *world, const struct terrane_window *window, void *scratch,
                    float *out) TERRANE_MUST_CHECK;
int terrane_normals(const struct terrane_world *world, const struct terrane_window *window, void *scratch,
                    float *out) TERRANE_MUST_CHECK;
int terrane_zones(const struct terrane_world *world, const struct terrane_window *window, void *scratch,
                  uint8_t *index, float *weights) TERRANE_MUST_CHECK;

/*
 * Unit normals (as above) of a surface given by its heights: central differences, halo 1.
 *
 * heights holds (width + 2) x (height + 2) samples of one level, one more on every side than out, which
 * gets width x height normals; sizes 1 .. 4097. spacing_m: between them, above 0.
 */
void terrane_normals_between(const float *heights, int width, int height, double spacing_m, float *out);

/* ---- Erosion ------------------------------------------------------------------------------------------- */

/*
 * What erosion did in a window with step 1. delta: height moved, in units of terrane_erosion_unit_m: below 0 where
 * ground was taken away. flow: sixteenths of droplets that came by, at this level and coarser ones. Both row by row;
 * the caller owns them.
 */
struct terrane_eroded {
    struct terrane_window window;
    int32_t *delta;
    uint32_t *flow;
};

/* The step in which erosion counts heights: a power of two, in metres; the same at all levels. */
double terrane_erosion_unit_m(const struct terrane_recipe *recipe);

/* Samples of a level that eroding a window of it reads on every side: phases * (steps + 2) + slides. 0 above the
 * coarsest level. */
int terrane_erosion_halo(const struct terrane_recipe *recipe, int level);

/* No delta passes this, at any level, in metres. */
double terrane_erosion_bound_m(const struct terrane_recipe *recipe);

/* The delta of this level and that of level 0 at the same place differ by at most this, in metres: 0 at level 0. An
 * eroded height's geometric error is this and terrane_level_error_m. */
double terrane_erosion_error_m(const struct terrane_recipe *recipe, int level);

/*
 * terrane_erode_needs - what eroding a window rests on at a coarser level.
 *
 *   level  above window->level, up to erosion.levels - 1
 *
 * Fills *needed: a window of that level; terrane_erode takes any product that covers it as from.
 */
void terrane_erode_needs(const struct terrane_recipe *recipe, const struct terrane_window *window, int level,
                         struct terrane_window *needed);

/* Bytes of memory that terrane_erode needs, aligned to TERRANE_SCRATCH_ALIGN, for a window and the level of from (-1:
 * none). About 12 a sample of the window with its halo. */
size_t terrane_erode_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window,
                           int from);

/*
 * terrane_erode - erode a window.
 *
 *   from    NULL, or a product of a coarser level below erosion.levels that covers what terrane_erode_needs
 *           names: the result is the same, to the last bit, and sooner there
 *   memory  terrane_erode_bytes of it; its content does not matter
 *   out     window (step 1) and the arrays to fill
 *
 * Borrows everything. Returns 0, TERRANE_ELEVEL or TERRANE_EWINDOW: the window, or what it needs at a level, is outside
 * the lattice or over 4097 samples wide, or from does not cover it. Deltas of from that pass the bound are taken as the
 * bound. Cost: 20 to 60 ns a sample of all windows on the way; without from, one for each level to the coarsest.
 */
int terrane_erode(const struct terrane_world *world, const struct terrane_eroded *from, void *scratch,
                  void *memory, struct terrane_eroded *out) TERRANE_MUST_CHECK;

/*
 * Parts of a product, of a window (any step) of its level that it covers. They return 0 or TERRANE_EWINDOW.
 *
 * terrane_eroded_heights  heights[j * width + i] holds what terrane_heights made of the window, and becomes eroded.
 *
 * terrane_eroded_values   delta_m: delta in metres; flow: droplets that came by. Either may be NULL.
 */
int terrane_eroded_heights(const struct terrane_recipe *recipe, const struct terrane_eroded *eroded,
                           const struct terrane_window *window, float *heights) TERRANE_MUST_CHECK;
int terrane_eroded_values(const struct terrane_recipe *recipe, const struct terrane_eroded *eroded,
                          const struct terrane_window *window, float *delta_m,
                          float *flow) TERRANE_MUST_CHECK;

/* ---- Water --------------------------------------------------------------------------------------------- */

#define TERRANE_DRY           (-0x1p20f) /* as a lake's level: there is none */
#define TERRANE_LAKES_COARSER 1          /* levels above the lakes' own that still show them */

/* The window of ground that terrane_lakes reads for a window of the lakes' level: 2 radius more on every side. */
void terrane_lakes_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *ground);

/* Bytes of memory that terrane_lakes needs, whatever the window. */
size_t terrane_lakes_bytes(const struct terrane_recipe *recipe);

/*
 * terrane_lakes - the lakes of a window of the lakes' level (step 1).
 *
 *   ground   heights, base or eroded, of the window that terrane_lakes_needs names
 *   level_m  level_m[j * width + i]: the height of the lake's surface over (or, on its shore: beside) the sample;
 *            TERRANE_DRY where there is no lake
 *
 * Returns 0, TERRANE_ELEVEL (not the lakes' level) or TERRANE_EWINDOW. Cost: a flood of at most (2 radius + 1)^2
 * samples for each cell that starts a lake.
 */
int terrane_lakes(const struct terrane_world *world, const struct terrane_window *window, const float *ground,
                  void *memory, float *level_m) TERRANE_MUST_CHECK;

/*
 * The window of the lakes' level that terrane_water reads for a window (any step) of any level. false: there are no
 * lakes at that level, only the sea.
 */
bool terrane_water_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *lakes);

/*
 * terrane_water - water over ground.
 *
 *   heights    of the window, base or eroded
 *   lakes      the window of level_m, which terrane_lakes made of the same ground; NULL: the sea alone
 *   surface_m  the higher one of ground and water; may be NULL
 *   depth_m    of water over ground, 0 where it is dry; may be NULL
 *
 * Returns 0, or TERRANE_EWINDOW: lakes does not cover what terrane_water_needs names.
 */
int terrane_water(const struct terrane_recipe *recipe, const struct terrane_window *window,
                  const float *heights, const struct terrane_window *lakes, const float *level_m,
                  float *surface_m, float *depth_m) TERRANE_MUST_CHECK;

/* ---- Shading ------------------------------------------------------------------------------------------- */

/*
 * Pictures of samples that the calls above made; each output sample depends on its own inputs only. normals as
 * terrane_normals fills them, weights as terrane_zones does. They never fail; outputs must not overlap inputs.
 *
 * terrane_slopes     degrees[i], 0 .. 90, within 0.001 degrees of atan(rise over run).
 *
 * terrane_hillshade  shade[i], 0 .. 255: cosine to a sun 45 degrees high in the north-west; flat ground is 180.
 *
 * terrane_relief     rgb[3 * i + c]: gradients of the zones over height, from ground to steep by slope, blended by
 *                    weights; water by depth_m, or, where that is NULL, by depth below sea_m; in the light of
 *                    hillshade, softer.
 */
void terrane_slopes(const float *normals, size_t count, float *degrees);
void terrane_hillshade(const float *normals, size_t count, uint8_t *shade);
void terrane_relief(const struct terrane_recipe *recipe, const float *heights, const float *normals,
                    const float *weights, const float *depth_m, size_t count, uint8_t *rgb);

/* ---- Noise at a point ---------------------------------------------------------------------------------- */

/*
 * terrane_noise_at - one octave in 1, 3 or 4 dimensions, for what is no map: time, caves, clouds.
 *
 *   base  TERRANE_PERLIN3, TERRANE_PERLIN5 or TERRANE_SIMPLEX
 *   key   tells noises apart: a world's seed, say, hashed with a constant
 *   at    dimensions coordinates, in cells; |.| <= 2^52
 *
 * Fills *value, in [-1, 1], and, unless NULL, slope[d], its derivative along each axis, per cell. Returns 0,
 * TERRANE_EBASE or TERRANE_EWINDOW (dimensions or a coordinate out of range). Cost: under a microsecond.
 */
int terrane_noise_at(enum terrane_base base, int dimensions, uint64_t key, const double *at, float *value,
                     float *slope) TERRANE_MUST_CHECK;

/* ---- Measures ------------------------------------------------------------------------------------------ */

/* Of the points (X, Y, height) of a window, in metres. */
struct terrane_measure {
    float min_m, max_m;
    double mean_m;        /* of heights rounded to 2^-16 m, summed exactly; never outside min .. max */
    double centroid_m[3]; /* mean X, mean Y, mean height */
    double box_low_m[3];  /* axis-aligned bounding box */
    double box_high_m[3];
    double sphere_centre_m[3]; /* the box's centre */
    double sphere_radius_m;    /* from there to the farthest point: the sphere encloses all */
};

/* The least and the greatest of count (at least 1) heights; -0 counts as 0. */
void terrane_height_range(const float *heights, size_t count, float *min_m, float *max_m);

/*
 * Measures heights[j * width + i] that terrane_heights made of this window. Order-free: minima, maxima and
 * integer sums only. Never fails on a valid window. Cost: two passes over the samples.
 */
void terrane_measure_heights(const struct terrane_world *world, const struct terrane_window *window,
                             const float *heights, struct terrane_measure *out);

#ifdef __cplusplus
}
#endif
#endif
