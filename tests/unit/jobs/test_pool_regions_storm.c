/*
 * The render pool and products that rest on others (server/jobs/pool.c): everybody is woken once, whoever
 * leaves, whatever fails.
 */
#include "../unit.h"

#include "pool_regions_kit.h"
#include "storm_kit.h"

static struct tile_key storm_key(struct stormer *stormer)
{
    static const enum tile_layer layers[] = {LAYER_HEIGHT, LAYER_WATER, LAYER_FLOW, LAYER_NORMAL};
    struct tile_key key = {.seed = 42, .format = FORMAT_F32, .size = 17};

    key.x = stormer_roll(stormer) % 5;
    key.y = stormer_roll(stormer) % 3;
    key.level = (int)(stormer_roll(stormer) % 7);
    key.layer = layers[stormer_roll(stormer) % 4];
    key.variant = stormer_roll(stormer) % 4 ? VARIANT_ERODED : VARIANT_BASE;
    return key;
}

/* How many tiles were made. */
static uint64_t storm_of(void **state, unsigned deadline_ms, unsigned refuse_ms)
{
    const struct storm storm = {
        .clients = 400, .key = storm_key, .rests = 4, .rest_ms = 7, .tick_ms = 1, .refuse_ms = refuse_ms};
    uint64_t outcomes[POOL_STOPPED + 1] = {0};
    struct stage stage;

    eroding_open(&stage, state, 3, 20, deadline_ms, 24 << 20);
    atomic_store(&grant, GRANT_MOST);
    storm_run(&stage, &storm, outcomes);
    atomic_store(&grant, GRANT_ALL);
    stage_close(&stage);
    return outcomes[POOL_DONE];
}

/*
 * Some are gone, some leave, some expire, memory is short now and then, and the tier holds a part of the regions. On a machine
 * so slow that all expire, there is more time in the next one.
 */
static void storm(void **state, unsigned refuse_ms)
{
    unsigned deadline_ms = 60;
    while (storm_of(state, deadline_ms, refuse_ms) == 0 && refuse_ms == 0) {
        deadline_ms *= 4;
        assert_in_range(deadline_ms, 1, 60000);
    }
}

BOTH(storms_wake_everybody_once)
{
    storm(state, 0);
}

BOTH(storms_may_be_refused)
{
    storm(state, 100);
}

POOL_GROUP(pool_regions_storm);
