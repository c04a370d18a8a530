/*
 * The render pool with worlds that erode: what pool_kit.h has not, for tests of products that rest on others.
 *
 * Making a region takes a large piece of aligned memory first: tests hold a worker there, which holds no lock
 * then, or let the memory be short. So they say exactly who is parked when.
 */
#ifndef TERRANE_TESTS_POOL_REGIONS_KIT_H
#define TERRANE_TESTS_POOL_REGIONS_KIT_H

#include "pool_kit.h"

#include <errno.h>

enum { BIG_BYTES = 128 << 10 };

enum grant { GRANT_ALL, GRANT_LATER, GRANT_NONE, GRANT_MAX };

SHARED atomic_int grant;
SHARED atomic_uint asked;

/* Before libc's, or a sanitizer's. GRANT_LATER holds who asks next, and nobody else. */
WRAPS(posix_memalign);
SHARED int __wrap_posix_memalign(void **room, size_t alignment, size_t bytes)
{
    int later = GRANT_LATER;
    if (bytes >= BIG_BYTES) {
        const unsigned turn = atomic_fetch_add(&asked, 1);
        if (atomic_load(&grant) == GRANT_NONE || (atomic_load(&grant) == GRANT_MAX && turn % 7 == 3))
            return ENOMEM;
        if (atomic_compare_exchange_strong(&grant, &later, GRANT_ALL)) {
            uv_sem_post(&holding);
            uv_sem_wait(&go);
        }
    }
    return __real_posix_memalign(room, alignment, bytes);
}

/* Levels 0 to 5 erode: those below 4 rest on anchors of level 4, the others on nothing. */
static inline struct terrane_world eroding_world(void)
{
    static struct terrane_recipe recipe;
    struct terrane_world world;
    if (recipe.terms == 0) {
        kit_recipe(&recipe, 6, 2, 5);
        assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    }
    terrane_world_init(&world, &recipe, 42);
    return world;
}

static inline struct tile_key eroded_at(int level, int64_t x, int64_t y, enum tile_layer layer)
{
    return kit_key(level, x, y, layer, FORMAT_F32, 65, VARIANT_ERODED);
}

static inline void eroding_open(void **state, unsigned threads, unsigned queue, unsigned deadline_ms,
                                uint64_t memory_bytes)
{
    const bool *const disk = *state;
    stage_open_tiers(*disk, (int)threads + 1, memory_bytes);
    stage.world = eroding_world();
    stage_start_pool(threads, queue, deadline_ms);
}

static inline void submit_eroded(struct client *client, int level, int64_t x, int64_t y)
{
    const struct tile_key key = eroded_at(level, x, y, LAYER_HEIGHT);
    submit(client, &key);
    assert_true(client->waits);
}

static inline uint64_t regions(void)
{
    uint64_t sum = 0;
    for (int kind = 0; kind < TERRANE_REGIONS; kind++)
        sum += metrics_read(&stage.metrics.regions[kind]);
    return sum;
}

/* A worker held at the first region that anybody makes from here on. */
static inline void hold_region(void)
{
    atomic_store(&grant, GRANT_LATER);
}

static inline void release_region(void)
{
    uv_sem_post(&go);
}

#endif
