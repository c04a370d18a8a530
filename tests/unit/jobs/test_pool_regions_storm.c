/*
 * The render pool and products that rest on others (server/jobs/pool.c): threads submit tiles of dice, of which some are gone
 * before they are served and some leave while they wait, and one lets deadlines pass. Everybody is woken once, whoever leaves,
 * whatever fails.
 */
#include "../unit.h"

#include "pool_regions_kit.h"

enum { STORMERS = 3, STORM_MOST = 1500 };

struct stormer;

struct storm {
    int clients;                              /* of each thread, at most STORM_MOST */
    struct tile_key (*key)(struct stormer *); /* thrown anew for each */
    unsigned rests, rest_ms; /* one of so many submissions is followed by a rest of 1 ms to so many */
    unsigned tick_ms;        /* between two looks at the deadlines */
    unsigned refuse_ms;      /* when the pool begins to refuse; 0: it does not */
};

struct stormer {
    uv_thread_t thread;
    const struct storm *storm;
    struct stage *stage;
    uint32_t random;
    struct client client[STORM_MOST];
};

struct storm_clock {
    struct stage *stage;
    unsigned tick_ms;
    atomic_bool stop;
};

static uint32_t stormer_roll(struct stormer *stormer)
{
    stormer->random = stormer->random * 1664525u + 1013904223u;
    return stormer->random >> 8;
}

static void storm_submit(void *argument)
{
    struct stormer *const stormer = argument;
    const struct storm *const storm = stormer->storm;

    for (int i = 0; i < storm->clients; i++) {
        const struct tile_key key = storm->key(stormer);
        atomic_store(&stormer->client[i].gone, stormer_roll(stormer) % 4 == 0);
        submit(stormer->stage, &stormer->client[i], &key);
        if (i > 0)
            atomic_store(&stormer->client[stormer_roll(stormer) % (uint32_t)i].gone, true);
        if (stormer_roll(stormer) % storm->rests == 0)
            uv_sleep(1 + stormer_roll(stormer) % storm->rest_ms);
    }
}

static void storm_expire(void *argument)
{
    struct storm_clock *const clock = argument;

    while (!atomic_load(&clock->stop)) {
        pool_tick(clock->stage->pool);
        if (clock->tick_ms > 0)
            uv_sleep(clock->tick_ms);
    }
}

/* How many of all came to each end, as the stage's metrics have to know, too. Releases their blobs. */
static void storm_count(struct stage *stage, struct stormer *stormer, const struct storm *storm,
                        uint64_t outcomes[static POOL_STOPPED + 1])
{
    for (int t = 0; t < STORMERS; t++)
        for (int i = 0; i < storm->clients; i++) {
            struct client *const client = &stormer[t].client[i];
            assert_in_range(client->waiter.outcome, 0, POOL_STOPPED);
            assert_outcome(client, client->waiter.outcome);
            outcomes[client->waiter.outcome]++;
            assert_int_equal(client->waiter.blob != NULL, client->waiter.outcome == POOL_DONE);
            blob_release(client->waiter.blob);
        }
    assert_int_equal(outcomes[POOL_EXPIRED], metrics_read(&stage->metrics.expired));
    assert_int_equal(outcomes[POOL_GONE], metrics_read(&stage->metrics.left));
    assert_int_equal(outcomes[POOL_FULL], metrics_read(&stage->metrics.refused[CLASS_WAITING]));
}

/* Over a stage that is open; ends with its pool freed, and everybody counted. */
static void storm_run(struct stage *stage, const struct storm *storm,
                      uint64_t outcomes[static POOL_STOPPED + 1])
{
    static struct stormer stormer[STORMERS];
    struct storm_clock clock = {.stage = stage, .tick_ms = storm->tick_ms};
    uv_thread_t expirer;
    int waiting = 0;

    assert_in_range(storm->clients, 1, STORM_MOST);
    memset(stormer, 0, sizeof stormer);
    assert_int_equal(uv_thread_create(&expirer, storm_expire, &clock), 0);
    for (int t = 0; t < STORMERS; t++) {
        stormer[t].storm = storm;
        stormer[t].stage = stage;
        stormer[t].random = (uint32_t)t + 1;
        assert_int_equal(uv_thread_create(&stormer[t].thread, storm_submit, &stormer[t]), 0);
    }
    if (storm->refuse_ms > 0) {
        uv_sleep(storm->refuse_ms);
        pool_refuse(stage->pool);
    }
    for (int t = 0; t < STORMERS; t++)
        uv_thread_join(&stormer[t].thread);
    for (int t = 0; t < STORMERS; t++)
        for (int i = 0; i < storm->clients; i++)
            waiting += stormer[t].client[i].waits;
    wait_for(waiting); /* everybody is woken: by a worker, or by the clock */
    assert_int_equal(atomic_load(&stage->metrics.inflight), 0);
    atomic_store(&clock.stop, true);
    uv_thread_join(&expirer);
    pool_free(stage->pool);
    stage->pool = NULL;
    storm_count(stage, stormer, storm, outcomes);
    if (storm->refuse_ms == 0)
        assert_int_equal(outcomes[POOL_STOPPED], 0);
}

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
