/*
 * The product graph: what is made, and of what.
 *
 *     PRODUCT_TILE, coded ──► PRODUCT_TILE, textured ──► PRODUCT_TILE, shifted
 *          │                       │
 *          ▼                       ▼
 *     PRODUCT_TILE ──► PRODUCT_EROSION of its level ──► PRODUCT_ANCHOR of the next level that has them ──► ...
 *          │                                                   ▲
 *          ├─────────► PRODUCT_RIVERS of its level, or PRODUCT_DRAINAGE, of coarser ones, too ──► PRODUCT_LATTICE of the next coarser one ──► ...
 *          ├─────────► PRODUCT_LAKES ──────────────────────────┤
 *          │                                                   │
 *          └─────────► PRODUCT_PATHS, PRODUCT_CAVES ───────────┘
 *
 * A product is a pure function of its key, its world and the blobs of its inputs, and those of theirs: whether they
 * come from a cache, from another job or are made on the spot changes nothing. The graph has no cycles, since inputs
 * of tiles are regions, or tiles whose bytes are coded, copied or put together, and those of regions are anchors: of coarser
 * levels or, of networks of paths, of their own; no way down is longer than PRODUCT_DEPTH_MAX.
 *
 * What a region is, and what is made of which, is the library's (terrane_make.h): product_plan asks it (terrane_plan, terrane_region_needs).
 * The pool walks the graph by jobs (jobs/pool_work.c), product_make_alone in one thread with a cache, terrane_make within the library.
 */
#ifndef TERRANE_SERVER_PRODUCT_H
#define TERRANE_SERVER_PRODUCT_H

#include "../cache/memory.h"
#include "tile_make.h"

/* What one thread needs to make products. */
struct producer {
    struct terrane_memory memory; /* with scratch */
    void *spare;                  /* a large block of it that nobody has; NULL: none */
    size_t stays;                 /* bytes of what is made, which become a blob's */
    struct encoder *encoder;
    struct ground_kept kept;
    bool untold; /* tiles' samples are not digested: nobody is told */
};

struct producer *producer_create(void); /* returns owned; NULL when memory is short */
void producer_free(struct producer *producer);

/* What making took: of a tile its samples and its bytes; of a region all of it. coding_ns is the part of encode_ns that a
 * content coding took: of a coded tile all of it. */
struct produce_times {
    uint64_t surface_ns, encode_ns, region_ns, coding_ns;
};

enum product {
    PRODUCT_TILE, /* an encoded tile; with a content coding, where its key has one that paid; shifted or textured, of tiles */
#define PRODUCT_ID(id, ...) PRODUCT_##id, /* a region of that kind */
    TERRANE_REGION_ROWS(PRODUCT_ID)
#undef PRODUCT_ID
        PRODUCTS
};

enum {
    PRODUCT_INPUTS_BESIDE = 24, /* of ground beside a tile, which what people did there reads */
    PRODUCT_INPUTS_MAX =
        16 +
        PRODUCT_INPUTS_BESIDE, /* a tile of size 512 that shows the coarsest level with lakes (or drainage), paths and caves,
                                       described: erosion, 2 x 2 regions of each of them, and three of coarser drainage */
    PRODUCT_DEPTH_MAX =
        16 /* a coded tile, a textured one, a shifted one, a tile, erosion, anchors of levels 4 ... 24 or one and six of drainage, some to spare */
};

extern const char *const product_name[PRODUCTS];

struct product_key {
    enum product product;
    struct tile_key tile;         /* of PRODUCT_TILE, finished; of others zero */
    struct terrane_region region; /* of others; of PRODUCT_TILE zero */
};

struct product_key product_of_tile(const struct tile_key *key);
struct product_key product_of_region(const struct terrane_region *region);

/*
 * 128 bits that name the product's blob: of tiles tile_key_digest. What regions hash differs from what any tile does,
 * and holds TERRANE_REGION_LAYOUT.
 */
struct digest product_digest(const struct product_key *key, const struct terrane_world *world);

/* How a product is made: found once, from the key alone. */
struct product_plan {
    struct digest digest; /* product_digest */
    union {
        struct tile_plan tile; /* of tiles that are made of samples */
        struct terrane_region_needs region;
    };
};

/* Plans a product, and fills the keys that it reads, at most PRODUCT_INPUTS_MAX, in the order product_make wants them. Returns
 * how many. product_inputs: without the plan. */
int product_plan(const struct product_key *key, const struct digest *digest,
                 const struct terrane_world *world, struct product_plan *plan,
                 struct product_key inputs[static PRODUCT_INPUTS_MAX]);
int product_inputs(const struct product_key *key, const struct terrane_world *world,
                   struct product_key inputs[static PRODUCT_INPUTS_MAX]);

/* The blob, owned by the caller; NULL when memory is short. inputs[i] is of the i-th key of product_plan. */
struct blob *product_make(struct producer *producer, const struct product_key *key,
                          const struct terrane_world *world, const struct product_plan *plan,
                          struct blob *const *inputs, struct produce_times *times);

/* Bytes of its blob; of networks and caves, at most; 0: nobody knows before it is made, but it is no region. */
size_t product_bytes(const struct product_key *key, const struct terrane_world *world);

/* Whether a blob that was stored under the product's digest, by any node, is one that product_make and replies can read: its
 * lengths, heads and numbers are checked here and nowhere else. What an older version did not tell of it is added (tile_blob_fits). */
bool product_fits(const struct product_key *key, const struct terrane_world *world, struct blob *blob);

/*
 * A product with all that it rests on, in this thread. What memory (or NULL) holds is taken from there, what is made on
 * the way is put there. times are those of the product itself, and of all regions made for it together.
 */
struct blob *product_make_alone(struct producer *producer, const struct product_key *key,
                                const struct terrane_world *world, struct memory *memory,
                                struct produce_times *times);

/* A tile alone: what it reads is made for it, kept in PRODUCE_BYTES while it is made, and forgotten. */
#define PRODUCE_BYTES ((uint64_t)128 << 20)
struct blob *produce(struct producer *producer, const struct tile_key *key, const struct terrane_world *world,
                     struct produce_times *times);

#endif
