/*
 * Producers.
 */
#include "produce.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "../encode/encode.h"
#include "product.h"

/* Memory of a job is large and new to the kernel each time. In huge pages, where they are to be had, it comes in some
 * ten faults in place of thousands, which take a tenth of a region's time. */
static void *take(void *user, size_t bytes)
{
    const size_t huge = (size_t)2 << 20, align = bytes < 2 * huge ? TERRANE_SCRATCH_ALIGN : huge;
    void *block;
    (void)user;
    if (posix_memalign(&block, align, bytes) != 0)
        return NULL;
    if (align == huge)
        madvise(block, bytes / huge * huge, MADV_HUGEPAGE); /* an advice: no harm where it is refused */
    return block;
}

static void give(void *user, void *block)
{
    (void)user;
    free(block);
}

const struct terrane_memory producer_memory = {.alloc = take, .free = give};

struct producer *producer_create(void)
{
    struct producer *producer = calloc(1, sizeof *producer);
    if (!producer)
        return NULL;
    producer->memory = producer_memory;
    producer->memory.scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes());
    producer->encoder = encoder_create();
    if (!producer->memory.scratch || !producer->encoder) {
        producer_free(producer);
        return NULL;
    }
    return producer;
}

void producer_free(struct producer *producer)
{
    if (!producer)
        return;
    free(producer->memory.scratch);
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
