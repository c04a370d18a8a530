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
#ifndef TERRANE_SERVER_REGION_H
#define TERRANE_SERVER_REGION_H

#include "../../lib/terrane_caves.h"
#include "../../lib/terrane_paths.h"
#include "../cache/blob.h"

enum {
    REGION_MARGIN =
        2, /* of regions that tiles alone read: a halo of 1, and the corner of lakes beyond the edge */
    ANCHOR_LEVELS = 4, /* from one anchor to the next */
    REGION_LAYOUT = 2, /* of blobs; part of their digests */
    REGION_HEADER_BYTES = 64,
    REGION_GROUNDS = 2 /* windows of ground that one is made of, at most */
};

enum region_kind {
    REGION_EROSION, /* for tiles and such */
    REGION_ANCHOR,  /* erosion, too: for regions below */
    REGION_LAKES,
    REGION_PATHS, /* the network of the paths' level */
    REGION_CAVES
};

/* One region. variant: of REGION_LAKES, REGION_PATHS and REGION_CAVES, the ground that they lie on, base where neither their
 * level nor (of the last two) the lakes' erodes; of others always VARIANT_ERODED. */
struct region {
    enum region_kind kind;
    int level;
    int64_t x, y;
    enum tile_variant variant;
};

/* log2 of the samples that a region is wide. */
int region_log2(enum region_kind kind, int level);

/* The region that holds a sample along an axis. */
int64_t region_of(enum region_kind kind, int level, int64_t g);

/* ---- Windows ------------------------------------------------------------------------------------------- */

/* The next anchor above a level; -1: erosion goes down from its coarsest level. */
int region_anchor_above(const struct terrane_recipe *recipe, int level);

/* Samples that a region stores around its own (and the far edge): REGION_MARGIN, but for anchors, for caves, which store all
 * that a mesh of one of theirs reads, and for networks, which store none. Of REGION_ANCHOR, level is 4, 8 ... below
 * erosion.levels. */
int region_margin(const struct terrane_recipe *recipe, enum region_kind kind, int level);

/* What a region stores. */
void region_window(const struct terrane_recipe *recipe, const struct region *region,
                   struct terrane_window *window);

/*
 * Whether all that a region is made of lies on the lattice. Of those that tiles name only regions of lakes and caves may not,
 * at the ends of the range one level above them: such a region is dry, or has no caves, and is made from nothing.
 */
bool region_inside(const struct terrane_recipe *recipe, const struct region *region);

/*
 * The windows of ground that a region is made of: of its level, or all that it stores where it is of erosion; of networks (at
 * most) and caves also that of the lakes' level, where it shows any. Returns how many.
 */
int region_grounds(const struct terrane_recipe *recipe, const struct region *region,
                   struct terrane_window ground[static REGION_GROUNDS]);

/* The window of the lakes' level that water over ground needs; false: there is only the sea. */
bool region_lakes(const struct terrane_recipe *recipe, const struct terrane_window *ground,
                  struct terrane_window *lakes);

/* Whether a region takes its ground from the anchor of its own level, as it is there: networks, if that does not have to grow
 * by too much for them. */
bool region_shares(const struct terrane_recipe *recipe, const struct region *region);

/*
 * The anchor that a region is made from. false: it is made from none. Lakes on eroded ground need one as erosion of
 * their level does, networks and caves for the lakes they look at, too.
 */
bool region_anchor(const struct terrane_recipe *recipe, const struct region *region, struct region *anchor);

/* The one that its lakes are made from, where that is another one: of regions that share, with lakes of a coarser level. */
bool region_lakes_anchor(const struct terrane_recipe *recipe, const struct region *region,
                         struct region *anchor);

/*
 * Bytes that making a region takes beside the scratch memory: what it is made from, what it works in, and what comes
 * out. Under 32 MB with the parameters that recipes have by default; at most REGION_BYTES_MOST whatever a recipe says.
 */
size_t region_bytes(const struct terrane_recipe *recipe, const struct region *region);
#define REGION_BYTES_MOST ((size_t)64 << 20)

/*
 * Into how many pieces along each axis a network's or caves' window of ground is cut when its ground, or the water over it
 * (wet), is made: so that one takes no more than PIECE_BYTES, if it is wider than PIECE_LEAST samples. from: the level it is
 * eroded from, or -1.
 */
int region_pieces(const struct terrane_recipe *recipe, const struct terrane_window *window, bool wet,
                  int from);
#define PIECE_BYTES ((size_t)16 << 20)
enum { PIECE_LEAST = 128 };

/* ---- Blobs --------------------------------------------------------------------------------------------- */

/*
 * A header of 64 bytes and the arrays, little-endian, row by row: delta and flow of erosion, level_m of REGION_LAKES, floor and
 * ceiling by turns, then ground, of REGION_CAVES.
 *
 *     offset bytes
 *          0     4  magic "TRRG"
 *          4     4  REGION_LAYOUT
 *          8     8  enum region_kind, enum tile_variant (4 bytes each)
 *         16    24  level, x, y (8 bytes each)
 *         40    24  the window: gi, gj, width and height (8, 8, 4 and 4 bytes)
 *
 * REGION_PATHS has no arrays, but the members of struct terrane_path_network, without gaps: its nodes, edges and points (4
 * bytes each), then of each node cx, cy, gi, gj (8 each), height and open (4 each), of each edge id (8), from, to, state,
 * points and first (4 each), of each point x, y (8 each) and height (4).
 *
 * Behind the arrays of REGION_CAVES stands how many caves it has (4), and of each cave id, cx, cy, gi, gj, entrance_gi,
 * entrance_gj (8 each), entrance_m, floor_m, ceiling_m and samples (4 each).
 */

/* Bytes of a region's blob; of a network or caves, at most. */
size_t region_blob_bytes(const struct terrane_recipe *recipe, const struct region *region);

/* The blob under way of a region: room for its arrays, each of as many samples as the window has. Networks and caves have
 * room for as many nodes, edges, points and caves as there may be, which are packed when the blob is made. */
struct region_room {
    enum region_kind kind;
    unsigned char *data; /* owned, malloc'ed; NULL: memory is short */
    size_t bytes;        /* without what will be packed behind them */
    struct terrane_window window;
    int32_t *delta;
    uint32_t *flow;
    float *level_m;
    float *floor_ceiling, *ground; /* REGION_CAVES */
    struct terrane_cave *cave;     /* owned: region_room_free */
    int caves;
    struct terrane_path_network network; /* REGION_PATHS; its arrays owned, as cave */
};

void region_room_make(struct region_room *room, const struct terrane_recipe *recipe,
                      const struct region *region);

/* The blob of a room whose arrays are filled; takes what it owns. NULL when memory is short. */
struct blob *region_blob(struct region_room *room, const struct digest *digest);
void region_room_free(struct region_room *room);

/*
 * A blob's arrays. They lie in the blob, but on machines that are not little-endian, where they are a copy. An eroded
 * region's pointers are not const for terrane_erode's sake: nobody writes through them.
 */
struct region_view {
    struct terrane_window window;
    struct terrane_eroded eroded;        /* erosion */
    const float *level_m;                /* REGION_LAKES */
    const float *floor_ceiling, *ground; /* REGION_CAVES */
    struct terrane_cave *cave;           /* ... owned */
    int caves;
    struct terrane_path_network network; /* REGION_PATHS; its arrays owned */
    void *copy;                          /* owned, or NULL */
};

/* Opens a blob that region_blob_fits has accepted, or that was made here. Returns 0, or -1 when memory is short. A view of
 * zeros may be closed. */
int region_open(struct region_view *view, const struct terrane_recipe *recipe, const struct region *region,
                const struct blob *blob);
void region_close(struct region_view *view);

/*
 * Whether untrusted bytes are a blob of this region: length, header and every number (deltas within the bound, levels
 * of lakes finite, floors below ceilings, networks such as terrane_paths_valid takes). Whoever wrote them may have written
 * another surface; they do no harm beyond that.
 */
bool region_blob_fits(const struct terrane_recipe *recipe, const struct region *region,
                      const struct blob *blob);

#endif
