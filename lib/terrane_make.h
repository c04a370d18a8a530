/*
 * Any layer of any window, with one call.
 *
 *     float heights[257 * 257];
 *     if (terrane_make(&world, &window, TERRANE_LAYER_HEIGHT, TERRANE_VARIANT_CARVED, NULL, NULL, heights) != 0)
 *         ...
 *
 * Regions of drainage, erosion, lakes, paths and caves are made on the way: of a world with erosion, seconds of work for a window far
 * from any other. A store that keeps them makes that once.
 *
 * Memory, threads and errors are as in terrane.h.
 */
#ifndef TERRANE_MAKE_H
#define TERRANE_MAKE_H

#include "terrane_edit.h"
#include "terrane_features.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Layers ---------------------------------------------------------------------------------------------- */

/* What ground is: as noise makes it, eroded where its level erodes, and with paths in it where its level is carved. */
enum terrane_variant {
    TERRANE_VARIANT_BASE,
    TERRANE_VARIANT_ERODED,
    TERRANE_VARIANT_CARVED,
    TERRANE_VARIANTS
};

/*
 * Layers of samples, a row each: X(id, name, numbers a sample, what it reads, which variants it has). Numbers: 0 where they are
 * weights of the recipe's zones, or materials. Variants: any that is asked for, or always the one that is named.
 */
#define TERRANE_LAYER_ROWS(X)                                                                                \
    X(HEIGHT, "height", 1, READS_GROUND, AS_ASKED)                         /* metres */                      \
    X(NORMAL, "normal", 3, READS_GROUND, AS_ASKED)                         /* terrane_normals */             \
    X(PARTITION, "partition", 0, READS_NOTHING, ALWAYS_BASE)               /* terrane_zones */               \
    X(SLOPE, "slope", 1, READS_GROUND, AS_ASKED)                           /* degrees, 0 .. 90 */            \
    X(WATER, "water", 1, READS_GROUND | TERRANE_READS_WATER, AS_ASKED)     /* its depth over the ground */   \
    X(SURFACE, "surface", 1, READS_GROUND | TERRANE_READS_WATER, AS_ASKED) /* whichever is higher */         \
    X(DELTA, "delta", 1, READS_GROUND, ALWAYS_ERODED)                      /* what erosion moved */          \
    X(FLOW, "flow", 1, READS_GROUND, ALWAYS_ERODED)                        /* droplets that came by */       \
    X(PATH, "path", 2, READS_PATHS, ALWAYS_DEFAULT) /* enum terrane_path_class, and the way to its middle */ \
    X(CAVE, "cave", 2, READS_CAVES, ALWAYS_DEFAULT) /* floor and ceiling */                                  \
    X(ASPECT, "aspect", 1, READS_GROUND, AS_ASKED)  /* degrees, clockwise from north */                      \
    X(RIVER, "river", 1, READS_RIVERS, ALWAYS_ERODED) /* discharge, m3/s; 0 where no river is */             \
    X(COVER, "cover", 0, READS_GROUND | TERRANE_READS_WATER, AS_ASKED)     /* weights of materials */        \
    X(CLIMATE, "climate", 3, READS_GROUND | TERRANE_READS_WATER, AS_ASKED) /* degrees, mm a year, wetness */ \
    X(HILLSHADE, "hillshade", 1, READS_GROUND,                                                               \
      AS_ASKED) /* 0 .. 255, as the two below: enum terrane_picture */                                       \
    X(RELIEF, "relief", 3, READS_RELIEF, AS_ASKED)                                                           \
    X(OBJECTS, "objects", 1, OBJECTS_READS, ALWAYS_DEFAULT)

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

/*
 * The variant of a layer where one is asked for: base of the partition, which nothing moves; eroded of delta, flow and river; all that
 * the recipe has (carved where it has paths, else eroded where it erodes) of paths, caves and objects, and where it has no such ground.
 */
enum terrane_variant terrane_layer_variant(const struct terrane_recipe *recipe, enum terrane_layer layer,
                                           enum terrane_variant asked);

/* Bounds of a recipe's ground in metres, at any level. */
struct terrane_ground_bounds {
    double low_m, high_m; /* no height of base ground passes them */
    double erosion_m;     /* erosion, with rivers, moves ground by no more */
    double paths_m;       /* ... paths */
};
void terrane_ground_bounds(const struct terrane_recipe *recipe, struct terrane_ground_bounds *bounds);

/* By how much a level's ground differs from that of finer levels at the same place at most, in metres, for what it leaves out of
 * each; level 0 .. 25, the last of which shows nothing; all are 0 at level 0. lib/README.md tells what of it is proved. */
struct terrane_ground_errors {
    double terms_m; /* octaves, followed through the terms */
    double erosion_m, rivers_m, paths_m;
    double variant_m
        [TERRANE_VARIANTS]; /* the geometric error of the level: the sum of those that the variant has */
};
void terrane_ground_errors(const struct terrane_recipe *recipe, int level,
                           struct terrane_ground_errors *errors);

/* ---- One call -------------------------------------------------------------------------------------------- */

struct terrane_region;
struct terrane_packed;

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
 *   variant  what is asked for; what is made is terrane_layer_variant's
 *   out      out[(j * width + i) * values + c]
 *
 * Made tile by tile, whatever the window. What is read is made once, as long as it fits TERRANE_MAKE_KEPT bytes; a call takes
 * that, TERRANE_REGION_BYTES_MAX at most on top, under 8 MB for samples, and a scratch where none is lent. Returns 0,
 * TERRANE_ELEVEL, TERRANE_EWINDOW or TERRANE_EMEMORY; where it fails on the way, part of out may have been written.
 */
int terrane_make(const struct terrane_world *world, const struct terrane_window *window,
                 enum terrane_layer layer, enum terrane_variant variant, const struct terrane_store *store,
                 const struct terrane_memory *memory, float *out) TERRANE_MUST_CHECK;
#define TERRANE_MAKE_KEPT ((size_t)64 << 20)

/* ---- Where a world is worth seeing first ------------------------------------------------------------------ */

struct terrane_spawn {
    double x_m, y_m; /* a sample of level 0: to the east, and to the south */
    double height_m; /* of base ground there */
    int level;       /* what there is to see is four tiles of it wide: 0 .. 8 */
};

/*
 * terrane_spawn - a coast or a valley with relief around it, and dry, gentle ground to stand on.
 *
 * A function of the world alone, the same on every machine: samples of base ground, compared as whole numbers; what becomes of that
 * ground is not looked at. A world in which no land with relief is seen within 2^22 samples of level 0 has it by the origin. Makes
 * seven windows of 128 x 128 samples and six of 65 x 65 at most: less than two and a half tiles. Returns 0 or TERRANE_EMEMORY.
 */
int terrane_spawn(const struct terrane_world *world, const struct terrane_memory *memory,
                  struct terrane_spawn *spawn) TERRANE_MUST_CHECK;

/* ---- Regions: for callers that schedule and keep them themselves ----------------------------------------- */

/*
 * Regions: the squares in which erosion, lakes, networks of paths and caves are made and kept: size x size samples of one
 * level, some tiles wide, from sample size * x, size * y on, stored with the far edge and a margin around them. Of a network
 * there are no samples to store, but all that reaches the square.
 *
 * Erosion goes down a pyramid of levels. Anchors, regions of the levels 4, 8, 12 ... that erode, are where it may be
 * entered: a region is made from the anchor of the next such level above it, and from nothing where there is none.
 * Windows are functions of recipe, level and place alone, so that every region finds in its one anchor what it needs.
 *
 * Sizes. What a region costs beyond its own samples are halos, at its level and those down from its anchor: large regions
 * waste less, small ones are there sooner. Fine levels have short halos under many tiles: 1024. A coarse one has long
 * halos: 512 stays within the memory of a job. Anchors are small, 256: a tile far away waits for one of each level, which
 * hundreds of tiles share, and more from level to level. So are lattices of rivers that others rest on, 128: what a tile
 * reads of them is a sixteenth as much every second level up. A tile of a lattice's own level reads less around it than finer regions do,
 * and has a region of its own kind.
 *
 * Networks and caves look at ground far around. Where the paths' level is an anchor's, a network's ground is that of its
 * anchor, which covers all of it: tiles below wait for that one anyway. Its lakes' ground is, too, or made from it, where
 * they are of that level or a finer one, and otherwise made from an anchor two levels above them at least. Other networks,
 * and caves, which are asked for seldom, rest on one anchor two levels above both them and the lakes they look at, so that
 * no other region has to wait for more.
 */

enum {
    TERRANE_REGION_MARGIN =
        2, /* of regions that tiles alone read: a halo of 1, and the corner of lakes beyond the edge */
    TERRANE_ANCHOR_LEVELS = 4, /* from one anchor to the next */
    TERRANE_REGION_LAYOUT = 4, /* of packed regions: rises with every change of their bytes */
    TERRANE_REGION_HEADER_BYTES = 64,
    TERRANE_REGION_NEEDS = 2 /* regions that one is made of, at most */
};

/* Kinds of regions, a row each: X(id, name, words that are packed of a sample, log2 of the samples that it is wide). */
#define TERRANE_REGION_ROWS(X)                                                                               \
    X(EROSION, "erosion", 2, 9) /* for tiles and such; twice as wide at the finest levels */                 \
    X(ANCHOR, "anchor", 2, 8)   /* erosion, too: for regions below */                                        \
    X(LAKES, "lakes", 1, 9)                                                                                  \
    X(PATHS, "paths", 0, TERRANE_PATHS_LOG2) /* the network of the paths' level */                           \
    X(CAVES, "caves", 3, 9)                                                                                  \
    X(DRAINAGE, "drainage", 4, 8) /* a lattice of rivers: for regions of finer levels, and names of lakes */ \
    X(RIVERS, "rivers", 4, 8)     /* drainage, too: for tiles of the levels rivers.bottom .. rivers.top */   \
    X(LATTICE, "lattice", 4, 7)   /* and this: for lattices below */

enum terrane_region_kind {
#define TERRANE_REGION_ID(id, ...) TERRANE_REGION_##id,
    TERRANE_REGION_ROWS(TERRANE_REGION_ID)
#undef TERRANE_REGION_ID
        TERRANE_REGIONS
};

extern const char *const terrane_region_name[TERRANE_REGIONS];

/* One region. variant: of TERRANE_REGION_LAKES, TERRANE_REGION_PATHS and TERRANE_REGION_CAVES, the ground that they lie on,
 * base where neither their level nor (of the last two) the lakes' erodes; of others always TERRANE_VARIANT_ERODED. x and y: such
 * that its first sample is within 2^51, as a plan's are. */
struct terrane_region {
    enum terrane_region_kind kind;
    int level;
    int64_t x, y;
    enum terrane_variant variant;
};

/* log2 of the samples that a region is wide: the one that holds a sample g along an axis is g >> that. */
int terrane_region_log2(enum terrane_region_kind kind, int level);

/*
 * What a region is made of: the anchor that its ground is made from, then that of its lakes, where it is another one. Lakes on
 * eroded ground rest on the anchor that erosion of their level does, networks and caves on one that serves the lakes they look
 * at, too; and networks that take their ground from the anchor of their own level, with lakes of a coarser one, on two.
 */
struct terrane_region_needs {
    int count;
    struct terrane_region region[TERRANE_REGION_NEEDS];
    int ground,
        lakes;    /* which of them ground, and lakes', is made from; -1: none, it is eroded from the top */
    int drainage; /* which is of drainage; -1: none */
    struct terrane_window window; /* what the region stores */
    size_t bytes;                 /* of it, packed; of a network or caves, at most */
};

void terrane_region_needs(const struct terrane_recipe *recipe, const struct terrane_region *region,
                          struct terrane_region_needs *needs);

/* What making a region takes at most beside the scratch memory, whatever a recipe says; under 32 MB with what is usual. */
#define TERRANE_REGION_BYTES_MAX ((size_t)64 << 20)

/*
 * A region in bytes: a header of 64 and the arrays, little-endian, row by row: delta and flow of erosion, level_m of lakes,
 * floor and ceiling by turns, then ground, of caves, z, low, high and stem of drainage.
 *
 *     offset bytes
 *          0     4  magic "TRRG"
 *          4     4  TERRANE_REGION_LAYOUT
 *          8     8  enum terrane_region_kind, enum terrane_variant (4 bytes each)
 *         16    24  level, x, y (8 bytes each)
 *         40    24  the window: gi, gj, width and height (8, 8, 4 and 4 bytes)
 *
 * Networks have no arrays, but the members of struct terrane_path_network, without gaps: its nodes, edges and points (4
 * bytes each), then of each node cx, cy, gi, gj (8 each), height and open (4 each; bit 31: a town), of each edge id (8), from,
 * to, state (from bit 8 on: its road), points and first (4 each), of each point x, y (8 each), height (4) and over (1).
 *
 * Behind the arrays of caves stands how many there are (4), and of each id, cx, cy, gi, gj, entrance_gi, entrance_gj (8 each),
 * entrance_m, floor_m, ceiling_m and samples (4 each).
 */
struct terrane_packed {
    void *data; /* aligned to 4 bytes */
    size_t bytes;
};

/*
 * terrane_region_make - one region.
 *
 *   needs   as terrane_region_needs fills it
 *   inputs  those of it, packed, as they were made or terrane_region_fits has accepted them
 *   out     receives a block of memory, the caller's from then on
 *
 * Returns 0, TERRANE_EMEMORY or TERRANE_EWINDOW: the region is beyond the lattice; lakes, networks and caves there are none, and 0.
 */
int terrane_region_make(const struct terrane_world *world, const struct terrane_region *region,
                        const struct terrane_region_needs *needs, const struct terrane_packed *inputs,
                        const struct terrane_memory *memory, struct terrane_packed *out) TERRANE_MUST_CHECK;

/*
 * Whether untrusted bytes are a packed region: length, header and every number (deltas within the bound, levels
 * of lakes finite, floors below ceilings, networks such as terrane_paths_valid takes). They may show another
 * surface; they do no harm beyond that. Also false where memory is short.
 */
bool terrane_region_fits(const struct terrane_recipe *recipe, const struct terrane_region *region,
                         const struct terrane_packed *packed, const struct terrane_memory *memory);

/*
 * What a packed region holds. Arrays lie in its bytes, but on machines that are not little-endian, where they are a copy. An
 * eroded region's pointers are not const for terrane_erode's sake: nobody writes through them.
 */
struct terrane_region_view {
    struct terrane_region region;
    struct terrane_window window;
    struct terrane_eroded eroded;        /* of erosion */
    struct terrane_drained drained;      /* of drainage */
    const float *level_m;                /* of lakes */
    const float *floor_ceiling, *ground; /* of caves */
    struct terrane_cave *cave;           /* ... owned */
    int caves;
    struct terrane_path_network network; /* its arrays owned */
    void *copy;                          /* owned, or NULL */
};

/* Opens one that was made here, or that terrane_region_fits has accepted. Returns 0, TERRANE_EMEMORY or TERRANE_EWINDOW: it is none. A view of zeros may be
 * closed. */
int terrane_region_open(const struct terrane_region *region, const struct terrane_packed *packed,
                        const struct terrane_memory *memory,
                        struct terrane_region_view *view) TERRANE_MUST_CHECK;
void terrane_region_close(struct terrane_region_view *view, const struct terrane_memory *memory);

/* ---- Ground: what a window is made of -------------------------------------------------------------------- */

/* Regions, each once: max at most, and where there are more count is max + 1. */
struct terrane_region_list {
    struct terrane_region *region;
    int count, max;
};

/* What is read of a window: or'ed. */
enum {
    TERRANE_READS_NOTHING = 0,
    TERRANE_READS_GROUND = 1,
    TERRANE_READS_WATER = 2,
    TERRANE_READS_PATHS = 4,
    TERRANE_READS_CAVES = 8,
    TERRANE_READS_RIVERS = 16,
    TERRANE_READS_AROUND = 32, /* the lattice of rivers as far around as finer levels read it */
    TERRANE_READS_RELIEF =
        TERRANE_READS_GROUND | TERRANE_READS_WATER | TERRANE_READS_PATHS | TERRANE_READS_RIVERS
};

extern const unsigned terrane_layer_reads[TERRANE_LAYERS];

/* columns x rows regions, from the first on to the east and south, row by row; none: all are 0. */
struct terrane_region_grid {
    struct terrane_region first;
    int columns, rows, count;
};
#define TERRANE_REGION_GRID_MAX 4                                 /* 2 x 2 regions */
#define TERRANE_PLAN_REGIONS    (1 + 3 * TERRANE_REGION_GRID_MAX) /* drainage is there in the place of lakes */

/* What a window rests on. */
struct terrane_plan {
    struct terrane_window window;
    bool eroded; /* its ground is: region erosion */
    bool carved; /* ... is, by paths */
    struct terrane_region erosion;
    struct terrane_region_grid drainage, lakes, paths, caves; /* those that it shows, and reads */
    struct terrane_region region[TERRANE_PLAN_REGIONS]; /* all of them: erosion, and these, in this order */
    int regions;
};

/*
 * terrane_plan - what a window rests on: one that terrane_window_tile fills, or a part of it.
 *
 *   variant  of what is made: terrane_layer_variant
 *   reads    TERRANE_READS_GROUND ...
 *
 * Returns 0, TERRANE_ELEVEL or TERRANE_EWINDOW: it lies in more than one region of erosion, or 2 x 2 of others.
 */
int terrane_plan(const struct terrane_recipe *recipe, const struct terrane_window *window,
                 enum terrane_variant variant, unsigned reads, struct terrane_plan *plan) TERRANE_MUST_CHECK;

/* Operations that a window rests on, in order: all, or those behind what packed has of them (terrane_edit_pack). All is borrowed. */
struct terrane_edit_found {
    const struct terrane_edit *edits;
    size_t count;
    struct terrane_edit_needs needs; /* of edits, or more */
    const void *packed;              /* NULL: edits are all; else needs are its own */
    size_t packed_bytes;
    size_t keep_at; /* after so many of them keep is called; 0: it is not */
};

/* Where operations over a ground come from, window by window. */
struct terrane_edit_source {
    void *user;
    struct terrane_digest digest; /* of all that any window of the ground rests on */

    /* Returns 0 or an error. kind, below 16: the same window has the same heights, without edits, wherever it is of the same kind. */
    int (*find)(void *user, const struct terrane_window *window, unsigned kind,
                struct terrane_edit_found *found);
    /* Of the window that was found last; NULL where find asks for none. */
    void (*keep)(void *user, const struct terrane_editing *editing);
    void (*done)(void *user); /* with what was found; after an error, too; or NULL */
    const struct terrane_store
        *store; /* of regions that ground beside the window is made of (terrane_edit_regions), or NULL */
};

/*
 * Adds to a list the regions that ground of needs is made of, where it is read for a window of a plan: that ground is made by
 * terrane_make, window by window. Returns 0 or an error.
 */
int terrane_edit_regions(const struct terrane_recipe *recipe, const struct terrane_plan *plan,
                         const struct terrane_edit_needs *needs,
                         struct terrane_region_list *list) TERRANE_MUST_CHECK;

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
    struct terrane_object *object;
    size_t objects;
    const struct terrane_edit_source *
        edits; /* borrowed; set behind terrane_ground_open, before the first layer: what lies over the ground, or NULL */
};

/* Opens a ground; inputs: those of its regions, packed. All is borrowed until terrane_ground_close, which a ground of zeros,
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

/*
 * terrane_ground_objects - makes ground->object: those between the first sample and the last along both axes, the first's edges with
 * them, by class, from coarse generations to fine, row by row.
 *
 * The plan: TERRANE_OBJECTS_READS, of the recipe's own variant, whose window has every sample (step 1). None above
 * TERRANE_OBJECTS_LEVEL. Returns 0 or an error.
 */
#define TERRANE_OBJECTS_READS TERRANE_READS_RELIEF
int terrane_ground_objects(struct terrane_ground *ground) TERRANE_MUST_CHECK;

/* ---- Pictures: what ground looks like, in bytes ---------------------------------------------------------- */

/*
 * Pictures of a ground, each sample's from its own and its neighbours' numbers alone. A plan reads what the layer of the same name
 * does, of zones and cover the ground.
 *
 * HILLSHADE  grey: cosine to a sun 45 degrees high in the north-west; flat ground is 180. What is lit is ground made steeper, or
 *            less steep, by the level alone, so that all levels show form alike
 * RELIEF     red, green, blue: the materials' colours and textures where the recipe has cover, else gradients of the zones over
 *            height, from ground to steep by slope; water by its depth, rivers and paths; in the light of hillshade and of a sky
 * CLIMATE    red, green, blue: ice, tundra, sand, grass and woods
 * COVER      weights of the materials, each within 1 of 255 times the layer's; those of a sample sum to 255
 *
 * The others are of indices, whose colours terrane_picture_palette has:
 *
 * ZONES      the dominant zone
 * PATHS      enum terrane_path_class
 * CAVES      enum terrane_cave_kind
 * OBJECTS    1 + the class of the first object between a sample and the next ones; 0: there is none. Every sample (step 1), as
 *            terrane_ground_objects wants it; none is in the last row and column
 */
enum terrane_picture {
    TERRANE_PICTURE_NONE,
    TERRANE_PICTURE_HILLSHADE,
    TERRANE_PICTURE_RELIEF,
    TERRANE_PICTURE_CLIMATE,
    TERRANE_PICTURE_COVER,
    TERRANE_PICTURE_ZONES,
    TERRANE_PICTURE_PATHS,
    TERRANE_PICTURE_CAVES,
    TERRANE_PICTURE_OBJECTS,
    TERRANE_PICTURES
};

/* Fills pixels[(j * width + i) * channels + c]. Returns 0 or an error; then part of pixels may have been written. */
int terrane_ground_picture(struct terrane_ground *ground, enum terrane_picture picture,
                           uint8_t *pixels) TERRANE_MUST_CHECK;

/* The colours of a picture's indices, red, green and blue; returns how many: 0 of a picture that has none. */
#define TERRANE_PALETTE_MAX TERRANE_ZONES_MAX
int terrane_picture_palette(const struct terrane_recipe *recipe, enum terrane_picture picture,
                            uint8_t colour[TERRANE_PALETTE_MAX][3]);

#ifdef __cplusplus
}
#endif
#endif
