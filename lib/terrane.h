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
 *         if (!scratch || terrane_init(NULL) != 0 ||
 *             terrane_world_init(&world, terrane_recipe_default(), 42) != 0 ||
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

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TERRANE_VERSION "0.1.0"

/* Rises with every change of any output bit of any layer; part of a world's digest. */
#define TERRANE_GENERATOR_VERSION 1

#define TERRANE_LEVEL_MAX         24                 /* levels of detail 0 (finest) .. 24 */
#define TERRANE_TILE_SAMPLES      256                /* samples from one tile's edge to the next */
#define TERRANE_TILE_LIMIT        (INT64_C(1) << 40) /* tiles -2^40 .. 2^40 - 1 along x and y, at every level */
#define TERRANE_WINDOW_MAX        4097               /* widest and highest window, in samples */
#define TERRANE_OCTAVES_MAX       24
#define TERRANE_CELL_LOG2_MAX     40
#define TERRANE_ZONES_MAX         16
#define TERRANE_SCRATCH_ALIGN     64

#define TERRANE_MUST_CHECK        __attribute__((warn_unused_result))

/* name, value, text */
#define TERRANE_ERRORS(X)                                                                                   \
    X(TERRANE_ELEVEL, -1, "level of detail outside 0 .. 24")                                                \
    X(TERRANE_ETILE, -2, "tile outside -2^40 .. 2^40 - 1")                                                  \
    X(TERRANE_ESIZE, -3, "size is neither 2^k from 2 to 512 nor 2^k + 1 from 3 to 257")                     \
    X(TERRANE_EWINDOW, -4, "window outside the lattice, empty, or over 4097 samples wide or high")          \
    X(TERRANE_EISA, -5, "instruction set unknown, or not usable on this machine")                           \
    X(TERRANE_ESPACING, -6, "recipe: spacing_m outside 2^-10 .. 2^20 m")                                    \
    X(TERRANE_ERANGE, -7, "recipe: low_m is not below high_m, or one is not within 32768 m of 0")           \
    X(TERRANE_EOCTAVES, -8,                                                                                 \
      "recipe: a fractal has more octaves than 24 or than halvings of its cell, or alias_octaves is not 0 " \
      "or 1")                                                                                               \
    X(TERRANE_ECELL, -9,                                                                                    \
      "recipe: a cell spans under 2 samples (a fractal's under 1 with alias_octaves) or over 2^40")         \
    X(TERRANE_EBASE, -10, "recipe: unknown base noise")                                                     \
    X(TERRANE_EAMPLITUDE, -11, "recipe: an amplitude, offset or gain is not finite or too large")           \
    X(TERRANE_EZONES, -12, "recipe: not 1 .. 16 zones")                                                     \
    X(TERRANE_ETHRESHOLD, -13, "recipe: thresholds do not rise by at least the blend width within -1 .. 1") \
    X(TERRANE_EFLOAT, -14, "floating point: not IEEE round to nearest with subnormals")

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

/* ---- Worlds -------------------------------------------------------------------------------------------- */

/*
 * Base noises on a lattice of square cells, in [-1, 1] but for POLYNOMIAL (1.0098). Sources: lib/README.md.
 */
enum terrane_base {
    TERRANE_VALUE = 0,         /* corner values blended by S5 x S5: C2 */
    TERRANE_POLYNOMIAL = 1,    /* zero-gradient D2M1N3 as published, sign corrected: C0, edges crease */
    TERRANE_POLYNOMIAL_C1 = 2, /* zero-gradient in product form, S3 x S3: C1 */
    TERRANE_PERLIN3 = 3,       /* gradient noise with S3: C1 */
    TERRANE_PERLIN5 = 4,       /* gradient noise with S5: C2 */
    TERRANE_BASES
};

/*
 * Fractional Brownian motion with lacunarity 2: octave i has cells of 2^(cell_log2 - i) level-0 samples and
 * the amplitude amplitude_m * gain^i. Each octave's lattice is shifted by its own hashed amount.
 */
struct terrane_fractal {
    enum terrane_base base;
    uint32_t salt;     /* tells fractals of one world apart: equal salts and cells repeat each other */
    int octaves;       /* 0 .. 24; 0: the fractal is absent, its other members are ignored */
    int cell_log2;     /* octaves (less alias_octaves) .. 40: the last cell spans at least 2 samples (1) */
    float amplitude_m; /* of the first octave: 0 .. 32768 */
    float gain;        /* 0 .. 1 */
};

struct terrane_zone {
    char name[24];     /* for people; at most 23 bytes count; part of the digest */
    float amplitude;   /* factor on the detail fractal: 0 .. 64 */
    float offset_m;    /* added to the height: -32768 .. 32768 */
    uint8_t colour[3]; /* R, G, B of the partition mask */
};

/*
 * Zones as bands of one octave of noise. Zone k holds where threshold[k - 1] <= noise < threshold[k]. Across
 * a threshold the weights change hands smoothly (S5) over a band of blend noise units.
 */
struct terrane_partition {
    enum terrane_base base;
    uint32_t salt;
    int cell_log2;                          /* 1 .. 40 */
    int zones;                              /* 1 .. 16 */
    float blend;                            /* width of a transition: 2^-10 .. 2 */
    float threshold[TERRANE_ZONES_MAX - 1]; /* zones - 1 of them, rising by at least blend */
    struct terrane_zone zone[TERRANE_ZONES_MAX];
};

/* height = offset_m + base + sum of the zones' weights * (zone offset + zone amplitude * detail) */
struct terrane_recipe {
    double spacing_m;  /* between level-0 samples: 2^-10 .. 2^20 */
    int alias_octaves; /* 0: octaves take part where a cell spans 2 samples or more; 1: also where it spans
                          one */
    float offset_m;    /* -32768 .. 32768 */
    float low_m,
        high_m; /* the range of 16-bit formats, which clamp to it; heights themselves are not clamped */
    struct terrane_fractal base;
    struct terrane_fractal detail;
    struct terrane_partition partition;
};

struct terrane_digest {
    uint8_t byte[16];
};

/* A world, ready to use. Plain data: copy it freely. Fill it with terrane_world_init; read it as you like. */
struct terrane_world {
    struct terrane_recipe recipe; /* canonical: unused members are zero */
    uint64_t seed;
    struct terrane_digest digest; /* of generator version, canonical recipe and seed */
};

/* The recipe that terrane ships: seas, plains, hills and mountains. Static storage. */
const struct terrane_recipe *terrane_recipe_default(void);

/*
 * terrane_world_init - check a recipe and make a world of it.
 *
 * Fills *world. Borrows the recipe for the call. Returns 0 or the TERRANE_E code that says what the recipe
 * breaks. Two worlds with equal digests give equal samples everywhere. The digest is SipHash-2-4-128
 * (Aumasson and Bernstein) of the canonical bytes that lib/README.md lists: it names, it does not
 * authenticate.
 */
int terrane_world_init(struct terrane_world *world, const struct terrane_recipe *recipe,
                       uint64_t seed) TERRANE_MUST_CHECK;

/* The seed of a world called by name: a 64-bit hash of its bytes. The empty name has one, too. */
uint64_t terrane_seed_from_name(const char *name, size_t bytes);

/*
 * The level's geometric error in metres: no height at this level differs by more from the height that level 0
 * has at the same place. It is the reach of the octaves the level leaves out (an octave is summed where its
 * cell spans at least two samples), steered by the steepest zone, and a rounding allowance. 0 at level 0. The
 * level must be valid.
 */
double terrane_level_error_m(const struct terrane_world *world, int level);

/* Bounds that no height of this world passes, at any level, in metres. */
void terrane_height_bounds_m(const struct terrane_world *world, double *low_m, double *high_m);

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

/* Bytes of scratch memory that every call below needs: about 0.5 MB, a multiple of TERRANE_SCRATCH_ALIGN, aligned so. */
size_t terrane_scratch_bytes(void);

/*
 * Samples of a window. All of them: halo 0; borrow world and window; use scratch (its content does not
 * matter, before or after); return 0, TERRANE_ELEVEL or TERRANE_EWINDOW. Cost: linear in rows and octaves; a
 * row costs the same for every step, so a tile of size 65 costs a quarter of one of size 257.
 *
 * terrane_heights  out[j * width + i], metres.
 *
 * terrane_normals  out[(j * width + i) * 3 + c], unit normals of the level's surface from analytic
 * derivatives, in world axes: c = 0 east, 1 south, 2 up; up > 0.
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
