/*
 * Any layer of any window, with one call.
 *
 *     float heights[257 * 257];
 *     if (terrane_make(&world, &window, TERRANE_LAYER_HEIGHT, TERRANE_VARIANT_CARVED, NULL, NULL, heights) != 0)
 *         ...
 *
 * What erosion, lakes, paths and caves are read from is made on the way (terrane_region.h): of a world with erosion, seconds of
 * work for a window far from any other. A store that keeps it makes that once.
 *
 * Memory, threads and errors are as in terrane.h.
 */
#ifndef TERRANE_MAKE_H
#define TERRANE_MAKE_H

#include "terrane_region.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Layers of samples, a row each: X(id, name, numbers a sample, what it reads, which variants it has). Numbers: 0 where they are
 * weights of the recipe's zones, or materials. Variants: any that is asked for, or always the one that is named.
 */
#define TERRANE_LAYER_ROWS(X)                                                                                \
    X(HEIGHT, "height", 1, READS_GROUND, AS_ASKED)                         /* metres */                      \
    X(NORMAL, "normal", 3, READS_GROUND, AS_ASKED)                         /* terrane_normals */             \
    X(PARTITION, "partition", 0, READS_NOTHING, ALWAYS_BASE)               /* terrane_zones */               \
    X(SLOPE, "slope", 1, READS_GROUND, AS_ASKED)                           /* terrane_slopes */              \
    X(WATER, "water", 1, READS_GROUND | TERRANE_READS_WATER, AS_ASKED)     /* its depth over the ground */   \
    X(SURFACE, "surface", 1, READS_GROUND | TERRANE_READS_WATER, AS_ASKED) /* whichever is higher */         \
    X(DELTA, "delta", 1, READS_GROUND, ALWAYS_ERODED)                      /* what erosion moved */          \
    X(FLOW, "flow", 1, READS_GROUND, ALWAYS_ERODED)                        /* droplets that came by */       \
    X(PATH, "path", 2, READS_PATHS, ALWAYS_DEFAULT) /* enum terrane_path_class, and the way to its middle */ \
    X(CAVE, "cave", 2, READS_CAVES, ALWAYS_DEFAULT) /* floor and ceiling */                                  \
    X(ASPECT, "aspect", 1, READS_GROUND, AS_ASKED)  /* terrane_aspects */                                    \
    X(RIVER, "river", 1, READS_RIVERS, ALWAYS_ERODED) /* discharge, m3/s; 0 where no river is */             \
    X(COVER, "cover", 0, READS_GROUND | TERRANE_READS_WATER, AS_ASKED)     /* terrane_cover.h */             \
    X(CLIMATE, "climate", 3, READS_GROUND | TERRANE_READS_WATER, AS_ASKED) /* degrees, mm a year, wetness */

enum terrane_layer {
#define TERRANE_LAYER_ID(id, ...) TERRANE_LAYER_##id,
    TERRANE_LAYER_ROWS(TERRANE_LAYER_ID)
#undef TERRANE_LAYER_ID
        TERRANE_LAYERS
};

/* "height", "normal" ... and "base", "eroded", "carved". */
extern const char *const terrane_layer_name[TERRANE_LAYERS];
extern const char *const terrane_variant_name[TERRANE_VARIANTS];

/* Numbers a sample. */
int terrane_layer_values(const struct terrane_recipe *recipe, enum terrane_layer layer);

/* The variant that a recipe's ground has where none is asked for: carved where it has paths, else eroded where it erodes. */
enum terrane_variant terrane_variant_default(const struct terrane_recipe *recipe);

/*
 * The variant of a layer where one is asked for: base of the partition, which nothing moves; eroded of delta and flow; the
 * recipe's default of paths and caves, and where the recipe has no such ground.
 */
enum terrane_variant terrane_layer_variant(const struct terrane_recipe *recipe, enum terrane_layer layer,
                                           enum terrane_variant asked);

/*
 * The geometric error of a level in metres: no height of a variant at this level differs by more from that of a finer level at the same
 * place (lib/README.md tells what of it is proved). 0 at level 0. It is the sum of terrane_level_error_m and, where the variant
 * has them, terrane_erosion_error_m, terrane_rivers_error_m and terrane_paths_bound_m.
 */
double terrane_ground_error_m(const struct terrane_recipe *recipe, int level, enum terrane_variant variant);

/* ---- One call ------------------------------------------------------------------------------------------ */

/*
 * Where packed regions are kept between calls, by world (terrane_world.digest) and region. Both may be NULL; so may a store be.
 *
 * get  fills *packed with memory->alloc'ed bytes, which the call gives back. false: there is none. What it finds is checked.
 * put  is shown what was made, for as long as it takes.
 */
struct terrane_store {
    bool (*get)(void *user, const struct terrane_world *world, const struct terrane_region *region,
                const struct terrane_memory *memory, struct terrane_packed *packed);
    void (*put)(void *user, const struct terrane_world *world, const struct terrane_region *region,
                const struct terrane_packed *packed);
    void *user;
};

/*
 * terrane_make - samples of a layer of a window.
 *
 *   variant  terrane_layer_variant of it is made
 *   out      out[(j * width + i) * values + c]
 *
 * Made tile by tile, whatever the window. What is read is made once, as long as it fits TERRANE_MAKE_KEPT bytes; a call takes
 * that, TERRANE_REGION_BYTES_MOST at most on top, under 8 MB for samples, and a scratch where none is lent. Returns 0,
 * TERRANE_ELEVEL, TERRANE_EWINDOW or TERRANE_EMEMORY; where it fails on the way, part of out may have been written.
 */
int terrane_make(const struct terrane_world *world, const struct terrane_window *window,
                 enum terrane_layer layer, enum terrane_variant variant, const struct terrane_store *store,
                 const struct terrane_memory *memory, float *out) TERRANE_MUST_CHECK;
#define TERRANE_MAKE_KEPT ((size_t)64 << 20)

/* ---- Ground: for callers that schedule and keep regions themselves --------------------------------------- */

/* What is read of a window: or'ed. */
enum {
    TERRANE_READS_NOTHING = 0,
    TERRANE_READS_GROUND = 1,
    TERRANE_READS_WATER = 2,
    TERRANE_READS_PATHS = 4,
    TERRANE_READS_CAVES = 8,
    TERRANE_READS_RIVERS = 16
};

unsigned terrane_layer_reads(enum terrane_layer layer);

/* columns x rows regions, from the first on to the east and south; none: columns and rows are 0. */
struct terrane_region_grid {
    struct terrane_region first;
    int columns, rows;
};
#define TERRANE_REGION_GRID_MAX 4 /* 2 x 2 regions */

static inline int terrane_region_grid_count(const struct terrane_region_grid *grid)
{
    return grid->columns * grid->rows;
}

/* The k-th of them, row by row. */
struct terrane_region terrane_region_grid_at(const struct terrane_region_grid *grid, int k);

/* What a window rests on. */
struct terrane_plan {
    struct terrane_window window;
    bool eroded; /* its ground is: region erosion */
    bool carved; /* ... is, by paths */
    struct terrane_region erosion;
    struct terrane_region_grid drainage, lakes, paths, caves; /* those that it shows, and reads */
};
#define TERRANE_PLAN_REGIONS (1 + 3 * TERRANE_REGION_GRID_MAX) /* drainage is there in the place of lakes */

/*
 * terrane_plan - what a window rests on: one that terrane_window_tile fills, or a part of it.
 *
 *   variant  terrane_layer_variant of what is asked for
 *   reads    TERRANE_READS_GROUND ...
 *
 * Returns 0, TERRANE_ELEVEL or TERRANE_EWINDOW: it lies in more than one region of erosion, or 2 x 2 of others.
 */
int terrane_plan(const struct terrane_recipe *recipe, const struct terrane_window *window,
                 enum terrane_variant variant, unsigned reads, struct terrane_plan *plan) TERRANE_MUST_CHECK;

/* The regions of a plan: erosion, then drainage, lakes, networks and caves. Returns how many. */
int terrane_plan_regions(const struct terrane_plan *plan,
                         struct terrane_region *region); /* TERRANE_PLAN_REGIONS */

/* A plan with its regions, and the layers that were made of it: those of terrane_ground_layer, NULL before. */
struct terrane_ground {
    const struct terrane_world *world;
    const struct terrane_plan *plan;
    const struct terrane_memory *memory;
    struct terrane_region_view erosion, drainage[TERRANE_REGION_GRID_MAX], lakes[TERRANE_REGION_GRID_MAX],
        paths[TERRANE_REGION_GRID_MAX], caves[TERRANE_REGION_GRID_MAX];
    size_t count;  /* samples */
    float *around; /* terrane_ground_around */
    float *layer[TERRANE_LAYERS];
    struct terrane_object *object; /* terrane_objects.h */
    size_t objects;
};

/* Opens a ground; inputs: of terrane_plan_regions, packed. All is borrowed until terrane_ground_close, which a ground of zeros,
 * or one that failed to open, may be given, too. These return 0 or an error. */
int terrane_ground_open(const struct terrane_world *world, const struct terrane_plan *plan,
                        const struct terrane_packed *inputs, const struct terrane_memory *memory,
                        struct terrane_ground *ground) TERRANE_MUST_CHECK;
void terrane_ground_close(struct terrane_ground *ground);

/* Makes a layer of what the plan reads, where it is not there yet. */
int terrane_ground_layer(struct terrane_ground *ground, enum terrane_layer layer) TERRANE_MUST_CHECK;

/* Makes ground->around, where it is not there yet: every sample of the ground, whatever the step, and one more on each side;
 * heights that are made later are taken from it. */
int terrane_ground_around(struct terrane_ground *ground) TERRANE_MUST_CHECK;

/* enum terrane_path_class and enum terrane_cave_kind of each sample. */
int terrane_ground_paths(struct terrane_ground *ground, uint8_t *kind) TERRANE_MUST_CHECK;
int terrane_ground_caves(struct terrane_ground *ground, uint8_t *kind) TERRANE_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
