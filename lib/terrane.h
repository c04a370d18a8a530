/*
 * libterrane - procedural worlds as a pure function.
 *
 * A world is a generator version, a recipe and a seed. Every sample of every layer is a function of the
 * world, a level of detail and two integer lattice coordinates, and of nothing else: not of the window it is
 * asked in, the order of questions, the thread, the instruction set, the compiler or the machine.
 * lib/README.md states the function to the last bit. This header has its parts; terrane_make.h has any layer of any
 * window, eroded, with its lakes, paths and caves, by one call.
 *
 *     #include <terrane.h>
 *
 *     static struct terrane_recipe recipe;
 *     static float heights[257 * 257]; // metres; row j, column i at j * 257 + i
 *
 *     int main(void)
 *     {
 *         struct terrane_world world;
 *         struct terrane_window window;
 *
 *         // The best kernels of this CPU; world 42 of the recipe that ships; its tile 3, -7 at
 *         // level 0 with the edges it shares.
 *         terrane_recipe_default(&recipe);
 *         terrane_world_init(&world, &recipe, 42);
 *         return terrane_init(NULL) != 0 ||
 *                terrane_window_tile(&window, 0, 3, -7, 257) != 0 ||
 *                terrane_heights(&world, &window, NULL, heights) != 0;
 *     }
 *
 * Coordinates. At level L the sample (gi, gj) stands at X = gi * 2^L * spacing_m (east) and
 * Y = gj * 2^L * spacing_m (SOUTH: Y grows downwards, as image rows do), in metres. Heights are metres, up.
 *
 * Arguments. World or recipe, window or region, inputs, memory, outputs, in this order; what a call sets up as a whole, a world
 * or a window, comes first.
 *
 * Memory. Outputs are the caller's arrays, or a block that the call says is the caller's from then on. What else a call needs it
 * takes from a struct terrane_memory, or from C's heap where that is NULL, and gives back before it returns; what a view or a
 * ground is opened with it keeps until that is closed. The library opens, locks and prints nothing.
 *
 * Threads. Everything but terrane_init may be called from any thread at any time; a world and a window are
 * read only. A struct terrane_memory with a scratch serves one call at a time; without, as many as its alloc and free allow.
 *
 * Errors. Fallible functions return 0 or a negative TERRANE_E code; on an error nothing has been written to
 * the outputs, unless a function says otherwise. terrane_error_text names a code.
 */
#ifndef TERRANE_H
#define TERRANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "terrane_error.h"
#include "terrane_recipe.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TERRANE_VERSION "1.0.0-rc.1"

/*
 * The newest generator, and the oldest that is kept: a recipe says whose functions make it, and every one between them makes the
 * same bits in all versions to come (docs/promise.md). A change of any output bit of a recipe that there was before begins a new one.
 */
#define TERRANE_GENERATOR_VERSION 18
#define TERRANE_GENERATOR_OLDEST  7

#define TERRANE_TILE_SAMPLES      256                /* samples from one tile's edge to the next */
#define TERRANE_TILE_LIMIT        (INT64_C(1) << 40) /* tiles -2^40 .. 2^40 - 1 along x and y, at every level */
#define TERRANE_WINDOW_MAX        4097               /* widest and highest window, in samples */
#define TERRANE_SCRATCH_ALIGN     64

/* ---- Start --------------------------------------------------------------------------------------------- */

/*
 * terrane_init - choose the kernels.
 *
 *   isa  "scalar", "sse2", "avx2", "avx512", "neon" or "simd128", or NULL for the fastest this machine runs.
 *
 * All of them give the same bytes. Without a call the scalar ones serve; in WebAssembly with vectors there is simd128 alone. Also checks that this thread's
 * floating point rounds to nearest and keeps subnormals; a thread that changes that breaks the library's
 * promise. Returns 0, TERRANE_EISA (unknown, not built in, or the CPU or its system lacks it; the choice
 * stands as it was) or TERRANE_EFLOAT. Call it once, before other threads use the library.
 */
int terrane_init(const char *isa) TERRANE_MUST_CHECK;

/* The chosen kernels' name: one of the names above. Static storage. */
const char *terrane_isa(void);

/* The k-th name that terrane_init would take here, fastest first; NULL behind the last. Static storage. */
const char *terrane_isa_usable(int k);

/* ---- Memory -------------------------------------------------------------------------------------------- */

/*
 * Where calls take memory from. What alloc returns is aligned to TERRANE_SCRATCH_ALIGN; NULL: it is short, and the call returns
 * TERRANE_EMEMORY. A NULL struct, and one whose alloc is NULL, stand for C's aligned_alloc and free.
 *
 * scratch: terrane_scratch_bytes, whose content does not matter before or after; NULL: calls that need it take it. Where calls
 * are many, lend one for ever: terrane_heights, _normals, _zones and _paths_graph then take nothing but, of recipes with a climate or coarse
 * terms, what these have at nodes.
 *
 * memo: terrane_memo_bytes of zeros at first, which calls then remember climates, plates, landmarks, the ground of drained lattices, the rows of windows that
 * are drained one after the other, and what was drained in; NULL: they are made again for every window.
 * What is made is the same. It serves one call at a time, of any worlds.
 */
struct terrane_memory {
    void *(*alloc)(void *user, size_t bytes); /* bytes is above 0 */
    void (*free)(void *user, void *block);
    void *user;
    void *scratch;
    struct terrane_memo *memo;
};

/* About 50 MB, of which little is touched where plates are wide, and rivers and climate none; aligned as any object. */
extern const size_t terrane_memo_bytes;

/*
 * A multiple of TERRANE_SCRATCH_ALIGN, and aligned so: about 7 MB, of which a call touches what its recipe needs (the default's
 * heights: under 1 MB).
 */
extern const size_t terrane_scratch_bytes;

/* ---- Worlds -------------------------------------------------------------------------------------------- */

/* A world, ready to use: small plain data, copy it freely. It borrows its recipe. Fill it with terrane_world_init. */
struct terrane_world {
    const struct terrane_recipe *recipe;
    uint64_t seed;
    uint64_t
        ids; /* what ids of rivers and caves begin with: the seed. Who may not tell it puts another number here */
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

/* Metres of a lattice coordinate: g * 2^level * spacing_m, exact while spacing_m is a power of two. Level -4: of parts of a sample. */
double terrane_lattice_m(const struct terrane_world *world, int level, int64_t g);

/*
 * Samples of a window. All of them: halo 0 unless said; borrow world and window; return 0, TERRANE_ELEVEL, TERRANE_EWINDOW or
 * TERRANE_EMEMORY. Cost: linear in rows and octaves; a row costs the same for every step, so a tile of size 65 costs a quarter
 * of one of size 257.
 *
 * terrane_heights  out[j * width + i], metres.
 *
 * terrane_normals  out[(j * width + i) * 3 + c], unit normals of the level's surface, in world axes: c = 0 east,
 * 1 south, 2 up; up > 0, before generator 16 only where no slope reaches 2^63, which takes warps of warps. From analytic derivatives where recipe->analytic, else from central differences of the
 * level's heights: halo 1.
 *
 * terrane_zones    index[j * width + i], the dominant zone, 0 .. zones - 1, and weights[(j * width + i) *
 * zones + z], each in 0 .. 1, summing to 1 within rounding. Either may be NULL.
 */
int terrane_heights(const struct terrane_world *world, const struct terrane_window *window,
                    const struct terrane_memory *memory, float *out) TERRANE_MUST_CHECK;
int terrane_normals(const struct terrane_world *world, const struct terrane_window *window,
                    const struct terrane_memory *memory, float *out) TERRANE_MUST_CHECK;
int terrane_zones(const struct terrane_world *world, const struct terrane_window *window,
                  const struct terrane_memory *memory, uint8_t *index, float *weights) TERRANE_MUST_CHECK;

/*
 * Unit normals (as above) of a surface given by its heights: central differences, halo 1.
 *
 * heights holds (width + 2) x (height + 2) samples of one level, one more on every side than out, which
 * gets width x height normals; sizes 1 .. 4097. spacing_m: between them, above 0.
 */
void terrane_normals_between(const float *heights, int width, int height, double spacing_m, float *out);

/* ---- Erosion ------------------------------------------------------------------------------------------- */

/*
 * What erosion did in a window with step 1. delta: height moved, in units (terrane_units): below 0 where
 * ground was taken away. flow: sixteenths of droplets that came by, at this level and coarser ones. Both row by row;
 * the caller owns them.
 */
struct terrane_eroded {
    struct terrane_window window;
    int32_t *delta;
    uint32_t *flow;
};

/* The steps in which heights are counted, in metres: powers of two, the same at all levels. paths: at most 2^-8 of what the slope allows
 * over a level-0 sample, if heights then stay below 2^24 units. */
struct terrane_units {
    double erosion_m; /* and of drainage and rivers */
    double paths_m;   /* where the recipe has any */
};
struct terrane_units terrane_units(const struct terrane_recipe *recipe);

/* Samples of a level that eroding a window of it reads on every side: phases * (steps + 2) + slides + creep, and with detail some more. 0 above the
 * coarsest level. */
int terrane_erosion_halo(const struct terrane_recipe *recipe, int level);

/* ---- Water --------------------------------------------------------------------------------------------- */

#define TERRANE_DRY           (-1048576.0f) /* as a lake's level: there is none */
#define TERRANE_LAKES_COARSER 1             /* levels above the lakes' own that still show them */

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

/*
 * The digest of a window's samples, of whatever layer: SipHash-2-4-128 under the key 00 01 .. 0f of their bytes as f32 files have
 * them, little-endian binary32, row by row. Equal digests: the same samples, to the bit. Cost: two nanoseconds a sample.
 */
void terrane_samples_digest(const void *bytes, size_t count, struct terrane_digest *digest);

/* Min and max of count (1 or more) heights; -0 counts as 0. */
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
