/*
 * The render pool and products that rest on others (server/jobs/pool.c): jobs that park, regions made once, how
 * much of both there may be, and what becomes of those who rest on a job that is dropped, fails, or is stopped.
 */
#include "pool_regions_kit.h"

BOTH(parked_jobs_belong_to_nobody)
{
    struct client first = {0}, second = {0}, later = {0}, base = {0};

    eroding_open(state, 2, 10, FOREVER_MS, 64 << 20);
    hold_region();
    submit_eroded(&first, 0, 0, 0);
    uv_sem_wait(&holding); /* one worker makes the anchor; its region and tile are parked */
    assert_int_equal(atomic_load(&stage.metrics.parked), 2);
    assert_int_equal(atomic_load(&stage.metrics.queue_depth), 0);
    submit_eroded(&second, 0, 1, 1); /* joins the region */
    submit_at(&base, 3);             /* and the other worker is free */
    wait_end(&base, 1, POOL_DONE);
    wait_gauge(&stage.metrics.parked, 3);
    assert_int_equal(atomic_load(&stage.metrics.inflight), 2);
    release_region();
    wait_for(2);
    assert_true(first.waiter.region_ns > 0);
    assert_all(&first, 1, POOL_DONE);
    assert_all(&second, 1, POOL_DONE);
    submit_eroded(&later, 0, 1, 0); /* finds it */
    wait_end(&later, 1, POOL_DONE);
    assert_int_equal(metrics_read(&stage.metrics.region_hits[TIER_MEMORY]), 1);
    assert_int_equal(metrics_read(&stage.metrics.regions[TERRANE_REGION_EROSION]), 1);
    assert_int_equal(metrics_read(&stage.metrics.regions[TERRANE_REGION_ANCHOR]), 1);
    assert_int_equal(regions(), 2);
    stage_close();
}

enum { MAX_REGIONS = 3 * 3 /* that 10 x 10 tiles lie in: which are begun first, the lookers decide */ };

/* Most is begun of what somebody waits for; however much of it is parked, bulk keeps nobody from being begun who waits. */
BOTH(no_more_is_begun_than_can_be_held)
{
    LONG_ONLY();
    enum { THREADS = 2, TILES = 100, MAX = POOL_BEGUN + 8 * THREADS };
    static struct client client[TILES];
    static const enum metric_class class[] = {CLASS_WAITING, CLASS_BULK};

    for (int k = 0; k < 2; k++) {
        struct client base = {0};
        memset(client, 0, sizeof client);
        eroding_open(state, THREADS, 4 * TILES, FOREVER_MS, 64 << 20);
        hold_region();
        for (int i = 0; i < TILES; i++) { /* all of one anchor: the one that is held */
            const struct tile_key key = eroded_at(0, i % 10, i / 10, LAYER_HEIGHT);
            submit_as(&client[i], &key, class[k]);
            assert_true(client[i].waits);
        }
        uv_sem_wait(&holding);
        uv_sleep(50);
        assert_in_range(atomic_load(&stage.metrics.parked), 1, (k ? MAX / 4 : MAX) + MAX_REGIONS);
        if (class[k] == CLASS_BULK) {
            submit_at(&base, 3);
            wait_end(&base, 1, POOL_DONE); /* by the other worker */
        }
        release_region();
        wait_end(client, TILES, POOL_DONE);
        stage_close();
    }
}

/* Its region is as old as the tile, so both are made before a tile that was asked for later. */
TEST(regions_come_in_the_turn_of_their_tile, .initial_state = NULL)
{
    const struct tile_key key = kit_key(0, 6, 6, LAYER_HEIGHT, FORMAT_F32, 65, VARIANT_ERODED);
    struct client eroded = {0}, later = {0};

    stage_open_tiers(false, 2, 64 << 20); /* the disk would be searched meanwhile */
    stage.world = eroding_world();
    stage_start_pool(1, 100, FOREVER_MS);
    stage_hold();
    submit(&eroded, &key);
    submit_at(&later, 1);
    assert_true(eroded.waits && later.waits);
    stage_release();
    wait_for(2);
    assert_true(eroded.turn < later.turn);
    assert_all(&eroded, 1, POOL_DONE);
    assert_all(&later, 1, POOL_DONE);
    stage_close();
}

/* Regions that no tier can hold are handed over: nobody loops, nobody makes one twice for tiles that wait together. */
BOTH(tiny_memory_makes_the_same)
{
    enum { TILES = 8, REGIONS = 8 };
    static const uint64_t budgets[] = {4096, 2 << 20, 12 << 20}; /* none, some, all but few */
    const struct terrane_world world = eroding_world();
    struct blob *expected[TILES];
    struct tile_key key[TILES];

    for (int i = 0; i < TILES; i++) {
        key[i] = eroded_at(i % 3 ? 2 : 3, i % 4, -i % 3, i % 2 ? LAYER_SURFACE : LAYER_FLOW);
        expected[i] = made_alone(&key[i], &world);
    }
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        struct client client[TILES] = {0};
        eroding_open(state, b % 2 ? 1 : 4, TILES, FOREVER_MS, budgets[b]);
        for (int i = 0; i < TILES; i++) {
            submit(&client[i], &key[i]);
            assert_true(client[i].waits);
        }
        wait_for(TILES);
        for (int i = 0; i < TILES; i++)
            assert_made(&client[i], expected[i]);
        /* 1 of level 2, 2 of level 3, 2 of lakes, and 3 anchors: at worst each tile has all of its own */
        assert_in_range(regions(), REGIONS, 4 * TILES);
        stage_close();
    }
    for (int i = 0; i < TILES; i++)
        blob_release(expected[i]);
}

enum { LONG_MS = 20 };

/* What a worker has outlives those who wanted it, and serves those who come meanwhile. */
BOTH(jobs_under_way_may_be_joined_again)
{
    struct client late = {0}, again = {0};

    clock_stop();
    eroding_open(state, 2, 10, LONG_MS, 64 << 20);
    hold_region();
    submit_eroded(&late, 0, 0, 0);
    uv_sem_wait(&holding);
    clock_pass(POOL_IN_HAND * LONG_MS);
    pool_tick(stage.pool);
    wait_end(&late, 1, POOL_EXPIRED);
    assert_int_equal(atomic_load(&stage.metrics.parked), 0);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 2); /* the tile and its region, not the anchor */
    submit_eroded(&again, 0, 0, 0);
    wait_gauge(&stage.metrics.parked, 2);
    release_region();
    wait_end(&again, 1, POOL_DONE);
    assert_int_equal(regions(), 2);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 2);
    stage_close();
}

/* A region is wanted as long as anybody is there who waits for something that rests on it, and a tile as long as one is there. */
BOTH(clients_leave_while_parked)
{
    struct client gone[3] = {{.waits = false}}, stays = {0}, left = {0};

    eroding_open(state, 2, 10, FOREVER_MS, 64 << 20);
    hold_region();
    submit_eroded(&gone[0], 0, 0, 0);
    uv_sem_wait(&holding);
    submit_eroded(&gone[1], 0, 1, 0); /* of the same region */
    submit_eroded(&gone[2], 0, 4, 0); /* of one that nobody else wants */
    submit_eroded(&stays, 0, 0, 1);
    submit_eroded(&left, 0, 0, 1);
    wait_gauge(&stage.metrics.parked, 6);
    for (int i = 0; i < 3; i++)
        atomic_store(&gone[i].gone, true);
    atomic_store(&left.gone, true);
    release_region();
    wait_for(5);
    assert_all(gone, 3, POOL_GONE);
    assert_all(&stays, 1, POOL_DONE);
    assert_all(&left, 1, POOL_DONE);
    pool_free(stage.pool);
    stage.pool = NULL;
    assert_int_equal(regions(), 2);
    assert_int_equal(renders(), 1);
    assert_int_equal(metrics_read(&stage.metrics.left), 3);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 4); /* three tiles and a region */
    stage_close();
}

static atomic_int freed;

static void count_free(struct refcount *owner)
{
    (void)owner;
    atomic_fetch_add(&freed, 1);
}

/* A region may outlive the tile that needed it, and needs the world as long. */
BOTH(regions_hold_the_owner_of_their_world)
{
    const struct tile_key key = eroded_at(0, 0, 0, LAYER_HEIGHT);
    struct client client = {0};
    struct refcount owner;

    atomic_store(&freed, 0);
    refcount_init(&owner, count_free);
    eroding_open(state, 1, 10, FOREVER_MS, 64 << 20);
    hold_region();
    submit_ask(&client, &key, (struct pool_ask){.owner = &owner});
    refcount_release(&owner); /* the caller's own */
    uv_sem_wait(&holding);
    assert_int_equal(atomic_load(&owner.references), 3); /* tile, region and anchor */
    atomic_store(&client.gone, true);
    pool_tick(stage.pool);
    wait_end(&client, 1, POOL_GONE);
    assert_int_equal(atomic_load(&owner.references), 1); /* the anchor, which is under way */
    assert_int_equal(atomic_load(&freed), 0);
    release_region();
    pool_free(stage.pool);
    stage.pool = NULL;
    assert_int_equal(atomic_load(&freed), 1);
    assert_int_equal(regions(), 1);
    stage_close();
}

BOTH(failures_reach_all_that_rest_on_them)
{
    struct client client[3] = {{.waits = false}}, water = {0}, again = {0};

    eroding_open(state, 1, 10, FOREVER_MS, 64 << 20);
    stage_hold();
    submit_eroded(&client[0], 0, 0, 0);
    submit_eroded(&client[1], 0, 1, 0);                           /* of the same region */
    submit_eroded(&client[2], 1, 0, 5);                           /* of another, on the same anchor */
    const struct tile_key lake = eroded_at(2, 0, 0, LAYER_WATER); /* of two, which share it, too */
    submit(&water, &lake);
    atomic_store(&grant, GRANT_NONE);
    stage_release();
    wait_for(4);
    assert_all(client, 3, POOL_FAILED);
    assert_outcome(&water, POOL_FAILED);
    atomic_store(&grant, GRANT_ALL);
    assert_in_range(metrics_read(&stage.metrics.failed), 1, 4);
    assert_int_equal(regions(), 0);
    submit(&again, &lake); /* and it goes on */
    assert_true(again.waits);
    wait_end(&again, 1, POOL_DONE);
    stage_close();
}

static void stop(void *none)
{
    (void)none;
    pool_join(stage.pool);
}

BOTH(pools_stop_while_jobs_are_parked)
{
    enum { TILES = 6 };
    struct client client[TILES] = {0};
    uv_thread_t stopper;

    eroding_open(state, 2, TILES, FOREVER_MS, 64 << 20);
    hold_region();
    for (int i = 0; i < TILES; i++)
        submit_eroded(&client[i], i % 3, i / 2, i / 2); /* all of the anchor that is held */
    uv_sem_wait(&holding);
    assert_int_equal(uv_thread_create(&stopper, stop, NULL), 0);
    wait_end(client, TILES, POOL_STOPPED); /* at once, whoever makes what */
    release_region();
    uv_thread_join(&stopper); /* has seen that no job is left */
    assert_int_equal(renders(), 0);
    stage_close();
}

/* ---- Storms -------------------------------------------------------------------------------------------------
 * Threads submit tiles of dice, of which some are gone before they are served and some leave while they wait, and one lets deadlines pass.
 * Everybody is woken once, whoever leaves, whatever fails; and each job gives back what it held, once. */

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

/* Memory is short now and then, and the tier holds a part of the regions. How many tiles were made. */
static uint64_t storm_of(void **state, unsigned deadline_ms, unsigned refuse_ms)
{
    static struct stormer stormer[STORMERS];
    uint64_t outcomes[POOL_STOPPED + 1] = {0};
    struct refcount owner;
    uv_thread_t expirer;
    int waiting = 0;

    refcount_init(&owner, count_free);
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

POOL_GROUP(pool_regions);
