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
 * hundreds of tiles share, and more from level to level.
 *
 * Networks and caves look at ground far around. Where the paths' level is an anchor's, a network's ground is that of its
 * anchor, which covers all of it: tiles below wait for that one anyway. Its lakes' ground is, too, or made from it, where
 * they are of that level or a finer one, and otherwise made from an anchor two levels above them at least. Other networks,
 * and caves, which are asked for seldom, rest on one anchor two levels above both them and the lakes they look at, so that
 * no other region has to wait for more.
 */
#ifndef TERRANE_REGION_H
#define TERRANE_REGION_H

#include "terrane_caves.h"
#include "terrane_paths.h"
#include "terrane_rivers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TERRANE_REGION_MARGIN =
        2, /* of regions that tiles alone read: a halo of 1, and the corner of lakes beyond the edge */
    TERRANE_ANCHOR_LEVELS = 4, /* from one anchor to the next */
    TERRANE_REGION_LAYOUT = 3, /* of packed regions: rises with every change of their bytes */
    TERRANE_REGION_HEADER_BYTES = 64,
    TERRANE_REGION_GROUNDS = 2, /* windows of ground that one is made of, at most */
    TERRANE_REGION_NEEDS = 2    /* regions that one is made of, at most */
};

/* What ground is: as noise makes it, eroded where its level erodes, and with paths in it where its level is carved. */
enum terrane_variant {
    TERRANE_VARIANT_BASE,
    TERRANE_VARIANT_ERODED,
    TERRANE_VARIANT_CARVED,
    TERRANE_VARIANTS
};

enum terrane_region_kind {
    TERRANE_REGION_EROSION, /* for tiles and such */
    TERRANE_REGION_ANCHOR,  /* erosion, too: for regions below */
    TERRANE_REGION_LAKES,
    TERRANE_REGION_PATHS, /* the network of the paths' level */
    TERRANE_REGION_CAVES,
    TERRANE_REGION_DRAINAGE /* of a recipe with rivers, of the levels rivers.bottom .. rivers.top */
};

/* One region. variant: of TERRANE_REGION_LAKES, TERRANE_REGION_PATHS and TERRANE_REGION_CAVES, the ground that they lie on,
 * base where neither their level nor (of the last two) the lakes' erodes; of others always TERRANE_VARIANT_ERODED. */
struct terrane_region {
    enum terrane_region_kind kind;
    int level;
    int64_t x, y;
    enum terrane_variant variant;
};

/* log2 of the samples that a region is wide. */
int terrane_region_log2(enum terrane_region_kind kind, int level);

/* The region that holds a sample along an axis. */
int64_t terrane_region_of(enum terrane_region_kind kind, int level, int64_t g);

/* ---- Windows ------------------------------------------------------------------------------------------- */

/* What a region stores. */
void terrane_region_window(const struct terrane_recipe *recipe, const struct terrane_region *region,
                           struct terrane_window *window);

/*
 * The windows of ground that a region is made of: of its level, or all that it stores where it is of erosion; of networks (at
 * most) and caves also that of the lakes' level, where it shows any. Returns how many: up to TERRANE_REGION_GROUNDS.
 */
int terrane_region_grounds(const struct terrane_recipe *recipe, const struct terrane_region *region,
                           struct terrane_window *ground);

/* The window of the lakes' level that water over ground needs; false: there is only the sea. */
bool terrane_region_lakes(const struct terrane_recipe *recipe, const struct terrane_window *ground,
                          struct terrane_window *lakes);

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
};

void terrane_region_needs(const struct terrane_recipe *recipe, const struct terrane_region *region,
                          struct terrane_region_needs *needs);

/* What making a region takes at most beside the scratch memory, whatever a recipe says; under 32 MB with what is usual. */
#define TERRANE_REGION_BYTES_MOST ((size_t)64 << 20)

/*
 * Into how many pieces along each axis a network's or caves' window of ground is cut when its ground, or the water over it
 * (wet), is made: so that one takes no more than TERRANE_PIECE_BYTES, if it is wider than TERRANE_PIECE_LEAST samples. from:
 * the level it is eroded from, or -1.
 */
int terrane_region_pieces(const struct terrane_recipe *recipe, const struct terrane_window *window, bool wet,
                          int from);
#define TERRANE_PIECE_BYTES ((size_t)16 << 20)
enum { TERRANE_PIECE_LEAST = 128 };

/* ---- Packed -------------------------------------------------------------------------------------------- */

/*
 * A region in bytes: a header of 64 and the arrays, little-endian, row by row: delta and flow of erosion, level_m of lakes,
 * floor and ceiling by turns, then ground, of caves, z, low and high of drainage.
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

/* Bytes of a packed region; of a network or caves, at most. */
size_t terrane_region_packed_bytes(const struct terrane_recipe *recipe, const struct terrane_region *region);

/*
 * terrane_region_make - one region.
 *
 *   needs   as terrane_region_needs fills it
 *   inputs  those of it, packed, as they were made or terrane_region_fits has accepted them
 *   out     receives a block of memory, the caller's from then on
 *
 * Returns 0, TERRANE_EMEMORY or TERRANE_EWINDOW: the region is beyond the lattice.
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

/* Opens one that was made here, or that terrane_region_fits has accepted. Returns 0 or TERRANE_EMEMORY. A view of zeros may be
 * closed. */
int terrane_region_open(const struct terrane_recipe *recipe, const struct terrane_region *region,
                        const struct terrane_packed *packed, const struct terrane_memory *memory,
                        struct terrane_region_view *view) TERRANE_MUST_CHECK;
void terrane_region_close(struct terrane_region_view *view, const struct terrane_memory *memory);

#ifdef __cplusplus
}
#endif
#endif
