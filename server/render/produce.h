/*
 * What one thread needs to make products: scratch memory and an encoder.
 */
#ifndef TERRANE_SERVER_PRODUCE_H
#define TERRANE_SERVER_PRODUCE_H

#include "../../lib/terrane_make.h"
#include "../cache/blob.h"

struct producer {
    struct terrane_memory memory; /* with scratch */
    struct encoder *encoder;
};

/* Where libterrane takes memory from, whose blocks free frees: without scratch, for any thread. */
extern const struct terrane_memory producer_memory;

struct producer *producer_create(void); /* returns owned; NULL when memory is short */
void producer_free(struct producer *producer);

/* What making took: of a tile its samples and its bytes; of a region all of it. coding_ns is the part of encode_ns that a
 * content coding took: of a coded tile all of it. */
struct produce_times {
    uint64_t surface_ns, encode_ns, region_ns, coding_ns;
};

/* A tile alone, with what it reads made for it and forgotten: product_make_alone (product.h) without a tier. */
struct blob *produce(struct producer *producer, const struct tile_key *key, const struct terrane_world *world,
                     struct produce_times *times);

#endif
