/*
 * From a key to a blob: samples by libterrane, bytes by encode/. One producer a thread.
 */
#ifndef TERRANE_SERVER_PRODUCE_H
#define TERRANE_SERVER_PRODUCE_H

#include "../cache/blob.h"

struct producer;
struct producer *producer_create(void); /* returns owned; NULL when memory is short */
void producer_free(struct producer *producer);

struct produce_times {
    uint64_t surface_ns, encode_ns;
};

/* key is canonical (tile_key_finish) and names this world's seed. The blob, owned by the caller; NULL when
 * memory is short. */
struct blob *produce(struct producer *producer, const struct tile_key *key, const struct terrane_world *world,
                     struct produce_times *times);

#endif
