/*
 * Regions under way: what the files that make, pack and read them share.
 */
#ifndef TERRANE_PRODUCT_REGION_H
#define TERRANE_PRODUCT_REGION_H

#include <string.h>

#include "../base/lend.h"
#include "../base/window.h"
#include "../terrane_make.h"

enum { TERRANE_REGION_GROUNDS = 2 }; /* windows of ground that a region is made of, at most */

/* Whether a kind is a lattice of drainage. */
static inline bool region_is_drained(enum terrane_region_kind kind)
{
    return kind == TERRANE_REGION_DRAINAGE || kind == TERRANE_REGION_RIVERS || kind == TERRANE_REGION_LATTICE;
}

/* The region that holds a sample along an axis. */
int64_t terrane_region_of(enum terrane_region_kind kind, int level, int64_t g);

/* ---- Windows ------------------------------------------------------------------------------------------- */

/* The next anchor above a level, or the finest lattice of drainage; -1: erosion goes down from its coarsest level. */
int region_anchor_above(const struct terrane_recipe *recipe, int level);

/* What a region stores. Margins are found from level to level, which takes tens of microseconds of some recipes: once a plan
 * (terrane_region_needs), which the functions below are handed. */
void terrane_region_window(const struct terrane_recipe *recipe, const struct terrane_region *region,
                           struct terrane_window *window);

/* Bytes of that packed, of a network or caves at most. */
size_t region_packed_bytes(enum terrane_region_kind kind, const struct terrane_window *window);

/* Samples that a region stores around its own (and the far edge): TERRANE_REGION_MARGIN, but for anchors, for caves, which store
 * all that a mesh of one of theirs reads, and for networks, which store none. Of anchors, level is 4, 8 ... below
 * erosion.levels. */
int region_margin(const struct terrane_recipe *recipe, enum terrane_region_kind kind, int level);

/*
 * Whether all that a region is made of lies on the lattice. Of those that tiles name only regions of lakes and caves may not,
 * at the ends of the range one level above them: such a region is dry, or has no caves, and is made from nothing.
 */
bool region_inside(const struct terrane_recipe *recipe, const struct terrane_region *region,
                   const struct terrane_window *window);

/* Whether a region takes its ground from the anchor of its own level, as it is there: networks, if that does not have to grow
 * by too much for them. */
bool region_shares(const struct terrane_recipe *recipe, const struct terrane_region *region);

/*
 * The windows of ground that a region is made of: of its level, or all that it stores where it is of erosion; of networks (at
 * most) and caves also that of the lakes' level, where it shows any. Returns how many: up to TERRANE_REGION_GROUNDS.
 */
int terrane_region_grounds(const struct terrane_recipe *recipe, const struct terrane_region *region,
                           const struct terrane_window *window, struct terrane_window *ground);

/* The window of the lakes' level that water over ground needs; false: there is only the sea. */
bool terrane_region_lakes(const struct terrane_recipe *recipe, const struct terrane_window *ground,
                          struct terrane_window *lakes);

/*
 * Into how many pieces along each axis a network's or caves' window of ground is cut when its ground, or the water over it
 * (wet), is made: so that one takes no more than TERRANE_PIECE_BYTES, if it is wider than TERRANE_PIECE_MIN samples. from:
 * the level it is eroded from, or -1.
 */
int terrane_region_pieces(const struct terrane_recipe *recipe, const struct terrane_window *window, bool wet,
                          int from);
#define TERRANE_PIECE_BYTES ((size_t)16 << 20)
enum { TERRANE_PIECE_MIN = 128 };

/* ---- Making -------------------------------------------------------------------------------------------- */

/* One region under way. */
struct source {
    const struct terrane_memory *memory;
    const struct terrane_world *world;
    const struct terrane_window *window; /* what it stores */
    const struct terrane_eroded *from,
        *lakes_from;                       /* what its ground, and its lakes', are made from; or NULL */
    const struct terrane_drained *drained; /* what its ground or its water is made from; or NULL */
};

/* The arrays of a region, each of as many samples as its window has; NULL where its kind has none. */
struct region_arrays {
    struct terrane_eroded eroded;
    struct terrane_drained drained;
    float *level_m;
    float *floor_ceiling, *ground; /* of caves */
};

/* A packed region that is being made. Networks and caves have room for as many nodes, edges, points and caves as there may
 * be, and are packed last. */
struct region_room {
    enum terrane_region_kind kind;
    unsigned char *data; /* owned */
    size_t bytes;        /* without what will be packed behind them */
    struct terrane_window window;
    struct region_arrays arrays;
    struct terrane_cave *cave; /* owned: region_room_free */
    int caves;
    struct terrane_path_network network; /* its arrays owned, as cave */
};

/* These return 0 or an error. */
int region_room_make(struct region_room *room, const struct source *source,
                     const struct terrane_region *region);
void region_room_free(struct region_room *room, const struct terrane_memory *memory);

/* Takes what the room owns, whose arrays are filled. */
int region_pack(struct region_room *room, const struct terrane_memory *memory, struct terrane_packed *out);

/* The ground of a window; the caller's. from: an anchor that covers what it needs, or the window, if it is of the same level;
 * or NULL. */
int region_ground(const struct source *source, const struct terrane_eroded *from,
                  const struct terrane_window *window, bool eroded, float **ground);

/* Networks of paths, and caves. The room is empty before. */
int region_paths(const struct source *source, const struct terrane_region *region, struct region_room *room);
int region_caves(const struct source *source, const struct terrane_region *region, struct region_room *room);

/* ---- Which samples of a window lie in which region of a grid (region_grid.c) ------------------------------------ */

/* The regions of first's kind, level and variant that a window (of any level and step) lies in; its far edge counts to those
 * that end there. Fills first.x and .y, columns and rows. Returns 0, or TERRANE_EWINDOW, where they are not 2 x 2 at most. */
int grid_lay(struct terrane_region_grid *grid, const struct terrane_window *window);

/* The k-th of them, row by row. */
struct terrane_region grid_at(const struct terrane_region_grid *grid, int k);

/* Samples of a window that lie in one region. */
struct block {
    struct terrane_window window;
    size_t at; /* of its first sample, in the whole window */
    int k;     /* the region */
};

/* Calls visit for every block, until one returns not 0; returns what the last one did. What lies beyond all regions, as the
 * ring around a tile does, belongs to the nearest. */
int grid_visit(const struct terrane_region_grid *grid, const struct terrane_window *window,
               int (*visit)(void *context, const struct block *block), void *context);

/* Copies a block of samples out of arrays that are width samples wide, or back; size: bytes of a sample. Where whole is NULL,
 * nothing. */
void block_copy(const struct block *block, int width, void *whole, void *part, size_t size, bool back);

/*
 * Bytes that making a region takes beside the scratch memory: what it is made from, what it works in, and what comes
 * out. Under 32 MB with the parameters that recipes have by default; at most TERRANE_REGION_BYTES_MAX whatever a recipe says.
 */
size_t terrane_region_bytes(const struct terrane_recipe *recipe, const struct terrane_region *region);

/* Adds to a list what terrane_make of the same reads. Returns 0, TERRANE_ELEVEL or TERRANE_EWINDOW. */
int make_regions(const struct terrane_recipe *recipe, const struct terrane_window *window,
                 enum terrane_layer layer, enum terrane_variant variant,
                 struct terrane_region_list *list) TERRANE_MUST_CHECK;

#endif
