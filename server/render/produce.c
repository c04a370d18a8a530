/*
 * Producers.
 */
#include "produce.h"

#include <stdlib.h>

#include "../encode/encode.h"
#include "product.h"

struct producer *producer_create(void)
{
    struct producer *producer = calloc(1, sizeof *producer);
    if (!producer)
        return NULL;
    producer->scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes());
    producer->encoder = encoder_create();
    if (!producer->scratch || !producer->encoder) {
        producer_free(producer);
        return NULL;
    }
    return producer;
}

void producer_free(struct producer *producer)
{
    if (!producer)
        return;
    free(producer->scratch);
    if (producer->encoder)
        encoder_free(producer->encoder);
    free(producer);
}

struct blob *produce(struct producer *producer, const struct tile_key *key, const struct terrane_world *world,
                     struct produce_times *times)
{
    const struct product_key product = product_of_tile(key);
    return product_make_alone(producer, &product, world, NULL, times);
}
