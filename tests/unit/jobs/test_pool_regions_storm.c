/*
 * The render pool and products that rest on others (server/jobs/pool.c): threads submit tiles of dice, of which some are gone
 * before they are served and some leave while they wait, and one lets deadlines pass. Everybody is woken once, whoever leaves,
 * whatever fails; and each job gives back what it held, once.
 */
#include "pool_regions_kit.h"

enum { STORMERS = 3, CLIENTS = 400 /* of each */ };

struct stormer {
    uv_thread_t thread;
    struct refcount *owner;
    uint32_t random;
    struct client client[CLIENTS];
};

static atomic_bool calm;

static uint32_t roll(struct stormer *stormer)
{
    stormer->random = stormer->random * 1664525u + 1013904223u;
    return stormer->random >> 8;
}

static struct tile_key key_of_dice(struct stormer *stormer)
{
    static const enum tile_layer layers[] = {LAYER_HEIGHT, LAYER_WATER, LAYER_FLOW, LAYER_NORMAL};
    struct tile_key key = {.seed = 42, .format = FORMAT_F32, .size = 17};

    key.x = roll(stormer) % 5;
    key.y = roll(stormer) % 3;
    key.level = (int)(roll(stormer) % 7);
    key.layer = layers[roll(stormer) % 4];
    key.variant = roll(stormer) % 4 ? VARIANT_ERODED : VARIANT_BASE;
    return key;
}

static void storm_submit(void *argument)
{
    struct stormer *const stormer = argument;

    for (uint32_t i = 0; i < CLIENTS; i++) {
        const struct tile_key key = key_of_dice(stormer);
        atomic_store(&stormer->client[i].gone, roll(stormer) % 4 == 0);
        submit_ask(&stormer->client[i], &key, (struct pool_ask){.owner = stormer->owner});
        if (i > 0)
            atomic_store(&stormer->client[roll(stormer) % i].gone, true);
        if (roll(stormer) % 4 == 0)
            uv_sleep(1 + roll(stormer) % 7);
    }
}

static void storm_expire(void *none)
{
    (void)none;
    for (; !atomic_load(&calm); uv_sleep(1))
        pool_tick(stage.pool);
}

/* How many of all came to each end, as the stage's metrics have to know, too. Releases their blobs. */
static void storm_count(struct stormer *stormer, uint64_t outcomes[static POOL_STOPPED + 1])
{
    for (int t = 0; t < STORMERS; t++)
        for (int i = 0; i < CLIENTS; i++) {
            struct client *const client = &stormer[t].client[i];
            assert_in_range(client->waiter.outcome, 0, POOL_STOPPED);
            assert_outcome(client, client->waiter.outcome);
            outcomes[client->waiter.outcome]++;
            assert_int_equal(client->waiter.blob != NULL, client->waiter.outcome == POOL_DONE);
            blob_release(client->waiter.blob);
        }
    assert_int_equal(outcomes[POOL_EXPIRED], metrics_read(&stage.metrics.expired));
    assert_int_equal(outcomes[POOL_GONE], metrics_read(&stage.metrics.left));
    assert_int_equal(outcomes[POOL_FULL], metrics_read(&stage.metrics.refused[CLASS_WAITING]));
}

static void owner_free(struct refcount *owner)
{
    (void)owner;
}

/* Memory is short now and then, and the tier holds a part of the regions. How many tiles were made. */
static uint64_t storm_of(void **state, unsigned deadline_ms, unsigned refuse_ms)
{
    static struct stormer stormer[STORMERS];
    uint64_t outcomes[POOL_STOPPED + 1] = {0};
    struct refcount owner;
    uv_thread_t expirer;
    int waiting = 0;

    refcount_init(&owner, owner_free);
    eroding_open(state, 3, 20, deadline_ms, 24 << 20);
    atomic_store(&grant, GRANT_MAX);
    memset(stormer, 0, sizeof stormer);
    atomic_store(&calm, false);
    assert_int_equal(uv_thread_create(&expirer, storm_expire, NULL), 0);
    for (int t = 0; t < STORMERS; t++) {
        stormer[t].owner = &owner;
        stormer[t].random = (uint32_t)t + 1;
        assert_int_equal(uv_thread_create(&stormer[t].thread, storm_submit, &stormer[t]), 0);
    }
    if (refuse_ms > 0) {
        uv_sleep(refuse_ms);
        pool_refuse(stage.pool);
    }
    for (int t = 0; t < STORMERS; t++)
        uv_thread_join(&stormer[t].thread);
    for (int t = 0; t < STORMERS; t++)
        for (int i = 0; i < CLIENTS; i++)
            waiting += stormer[t].client[i].waits;
    wait_for(waiting); /* everybody is woken: by a worker, or by the clock */
    assert_int_equal(atomic_load(&stage.metrics.inflight), 0);
    atomic_store(&calm, true);
    uv_thread_join(&expirer);
    pool_free(stage.pool);
    stage.pool = NULL;
    storm_count(stormer, outcomes);
    assert_int_equal(atomic_load(&owner.references), 1);
    assert_true(refuse_ms > 0 || outcomes[POOL_STOPPED] == 0);
    atomic_store(&grant, GRANT_ALL);
    stage_close();
    return outcomes[POOL_DONE];
}

/* On a machine so slow that all expire, there is more time in the next one. */
BOTH(storms_wake_everybody_once)
{
    unsigned deadline_ms = 60;
    while (storm_of(state, deadline_ms, 0) == 0) {
        deadline_ms *= 4;
        assert_in_range(deadline_ms, 1, 60000);
    }
}

BOTH(storms_may_be_refused)
{
    storm_of(state, 60, 100);
}

POOL_GROUP(pool_regions_storm);
