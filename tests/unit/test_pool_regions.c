/*
 * The render pool and products that rest on others: jobs that park, regions made once, and what becomes of those who
 * rest on a job that is dropped, fails, or is stopped.
 *
 * Making a region takes a large piece of aligned memory first: tests hold a worker there, which holds no lock then, or
 * let the memory be short. So they say exactly who is parked when.
 */
#include "pool_kit.h"

#include <errno.h>
#include <malloc.h>

enum { BIG_BYTES = 128 << 10, LONG_MS = 20 };

/* ---- Memory -------------------------------------------------------------------------------------------- */

enum grant { GRANT_ALL, GRANT_LATER, GRANT_NONE, GRANT_MOST };

static atomic_int grant;
static atomic_uint asked;

/* In place of libc's. GRANT_LATER holds who asks next, and nobody else. */
int posix_memalign(void **room, size_t alignment, size_t bytes)
{
    int later = GRANT_LATER;
    if (bytes >= BIG_BYTES) {
        const unsigned turn = atomic_fetch_add(&asked, 1);
        if (atomic_load(&grant) == GRANT_NONE || (atomic_load(&grant) == GRANT_MOST && turn % 7 == 3))
            return ENOMEM;
        if (atomic_compare_exchange_strong(&grant, &later, GRANT_ALL)) {
            uv_sem_post(&holding);
            uv_sem_wait(&go);
        }
    }
    void *memory = memalign(alignment, bytes);
    if (!memory)
        return ENOMEM;
    *room = memory;
    return 0;
}

/* ---- Worlds and tiles ---------------------------------------------------------------------------------- */

/* Levels 0 to 5 erode: those below 4 rest on anchors of level 4, the others on nothing. */
static struct terrane_world eroding_world(void)
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

static struct tile_key eroded_at(int level, int64_t x, int64_t y, enum tile_layer layer)
{
    return kit_key(level, x, y, layer, FORMAT_F32, 65, VARIANT_ERODED);
}

static void eroding_open(struct stage *stage, void **state, unsigned threads, unsigned queue,
                         unsigned deadline_ms, uint64_t memory_bytes)
{
    const bool *const disk = *state;
    stage_open_tiers(stage, *disk, (int)threads + 1, memory_bytes);
    stage->world = eroding_world();
    stage_start_pool(stage, threads, queue, deadline_ms);
}

static void submit_eroded(struct stage *stage, struct client *client, int level, int64_t x, int64_t y)
{
    const struct tile_key key = eroded_at(level, x, y, LAYER_HEIGHT);
    submit(stage, client, &key);
    assert_true(client->waits);
}

/* What a tile must be, made without a pool. Owned. */
static struct blob *expected_of(const struct tile_key *key)
{
    const struct terrane_world world = eroding_world();
    struct producer *producer = producer_create();
    struct produce_times times;
    assert_non_null(producer);
    struct blob *blob = produce(producer, key, &world, &times);
    assert_non_null(blob);
    producer_free(producer);
    return blob;
}

static void assert_made(struct client *client, const struct blob *expected)
{
    assert_outcome(client, POOL_DONE);
    assert_non_null(client->waiter.blob);
    assert_int_equal(client->waiter.blob->bytes, expected->bytes);
    assert_memory_equal(client->waiter.blob->data, expected->data, expected->bytes);
    blob_release(client->waiter.blob);
}

static uint64_t regions(struct stage *stage)
{
    uint64_t sum = 0;
    for (int kind = 0; kind < METRIC_REGIONS; kind++)
        sum += metrics_read(&stage->metrics.regions[kind]);
    return sum;
}

/* A worker held at the first region that anybody makes from here on. */
static void hold_region(void)
{
    atomic_store(&grant, GRANT_LATER);
}

static void release_region(void)
{
    uv_sem_post(&go);
}

/* ---- Single flight ------------------------------------------------------------------------------------- */

static void tiles_share_their_regions(void **state)
{
    enum { SIDE = 4, TILES = SIDE * SIDE, WEST = 6 };
    struct client client[TILES] = {0};
    struct blob *expected[TILES];
    struct stage stage;

    for (int i = 0; i < TILES; i++) {
        const struct tile_key key = eroded_at(0, WEST + i % SIDE, WEST + i / SIDE, LAYER_HEIGHT);
        expected[i] = expected_of(&key);
    }
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        memset(client, 0, sizeof client);
        eroding_open(&stage, state, threads, TILES, FOREVER_MS, 64 << 20);
        for (int i = 0; i < TILES; i++)
            submit_eroded(&stage, &client[i], 0, WEST + i % SIDE, WEST + i / SIDE);
        wait_for(TILES);
        for (int i = 0; i < TILES; i++) {
            assert_int_equal(client[i].waiter.tier, TIER_RENDER);
            assert_made(&client[i], expected[i]);
        }
        assert_int_equal(metrics_read(&stage.metrics.regions[METRIC_EROSION]), 4); /* 2 x 2 */
        assert_int_equal(metrics_read(&stage.metrics.regions[METRIC_ANCHOR]), 1);  /* theirs */
        assert_int_equal(regions(&stage), 5);
        assert_int_equal(renders(&stage), TILES);
        assert_int_equal(metrics_read(&stage.metrics.dropped), 0);
        stage_close(&stage);
    }
    for (int i = 0; i < TILES; i++)
        blob_release(expected[i]);
}

static void parked_jobs_belong_to_nobody(void **state)
{
    struct client first = {0}, second = {0}, base = {0};
    struct stage stage;
    const struct tile_key plain = key_at(3);

    eroding_open(&stage, state, 2, 10, FOREVER_MS, 64 << 20);
    hold_region();
    submit_eroded(&stage, &first, 0, 0, 0);
    uv_sem_wait(&holding); /* one worker makes the anchor; its region and tile are parked */
    assert_int_equal(atomic_load(&stage.metrics.parked), 2);
    assert_int_equal(atomic_load(&stage.metrics.queue_depth), 0);
    submit_eroded(&stage, &second, 0, 1, 1); /* joins the region */
    submit(&stage, &base, &plain);           /* and the other worker is free */
    wait_for(1);
    assert_outcome(&base, POOL_DONE);
    blob_release(base.waiter.blob);
    wait_gauge(&stage.metrics.parked, 3);
    assert_int_equal(atomic_load(&stage.metrics.inflight), 2);
    release_region();
    wait_for(2);
    assert_outcome(&first, POOL_DONE);
    assert_outcome(&second, POOL_DONE);
    assert_true(first.waiter.region_ns > 0);
    blob_release(first.waiter.blob);
    blob_release(second.waiter.blob);
    assert_int_equal(regions(&stage), 2);
    stage_close(&stage);
}

/* ---- Bounds -------------------------------------------------------------------------------------------- */

static void parked_tiles_count_as_waiting(void **state)
{
    enum { QUEUE = 3 };
    const bool *const disk = *state;
    struct client client[QUEUE] = {0}, more = {0};
    struct stage stage;

    eroding_open(&stage, state, 2, QUEUE, FOREVER_MS, 64 << 20);
    hold_region();
    submit_eroded(&stage, &client[0], 0, 0, 0);
    uv_sem_wait(&holding);
    for (int i = 1; i < QUEUE; i++)
        submit_eroded(&stage, &client[i], 0, 4 * i, 0); /* of other regions on the same anchor */
    wait_gauge(&stage.metrics.parked, 2 * QUEUE);
    const struct tile_key key = key_at(1);
    submit(&stage, &more, &key);
    assert_int_equal(more.waits, *disk); /* with a disk tier it is looked for first */
    if (*disk)
        wait_for(1);
    assert_outcome(&more, POOL_FULL);
    release_region();
    wait_for(QUEUE);
    for (int i = 0; i < QUEUE; i++) {
        assert_outcome(&client[i], POOL_DONE);
        blob_release(client[i].waiter.blob);
    }
    assert_int_equal(metrics_read(&stage.metrics.refused[CLASS_WAITING]), 1);
    stage_close(&stage);
}

static void no_more_is_begun_than_can_be_held(void **state)
{
    enum { THREADS = 2, TILES = 100, MOST = POOL_BEGUN + 8 * THREADS };
    static struct client client[TILES];
    struct stage stage;

    memset(client, 0, sizeof client);
    eroding_open(&stage, state, THREADS, TILES, FOREVER_MS, 64 << 20);
    hold_region();
    submit_eroded(&stage, &client[0], 0, 0, 0);
    uv_sem_wait(&holding);
    for (int i = 1; i < TILES; i++) /* all of one anchor: the one that is held */
        submit_eroded(&stage, &client[i], 0, i % 10, i / 10);
    uv_sleep(50);
    assert_in_range(atomic_load(&stage.metrics.parked), 1, MOST + 2);
    assert_true(atomic_load(&stage.metrics.inflight) > 1);
    release_region();
    wait_for(TILES);
    for (int i = 0; i < TILES; i++) {
        assert_outcome(&client[i], POOL_DONE);
        blob_release(client[i].waiter.blob);
    }
    stage_close(&stage);
}

/* However much of it is parked, bulk keeps nobody from being begun who waits. */
static void bulk_leaves_room_to_begin(void **state)
{
    enum { THREADS = 2, TILES = 100, MOST = POOL_BEGUN + 8 * THREADS };
    static struct client client[TILES];
    const struct tile_key plain = key_at(3);
    struct client base = {0};
    struct stage stage;

    memset(client, 0, sizeof client);
    eroding_open(&stage, state, THREADS, 4 * TILES, FOREVER_MS, 64 << 20);
    hold_region();
    for (int i = 0; i < TILES; i++) { /* all of one anchor: the one that is held */
        const struct tile_key key = eroded_at(0, i % 10, i / 10, LAYER_HEIGHT);
        submit_as(&stage, &client[i], &key, CLASS_BULK, NULL);
        assert_true(client[i].waits);
    }
    uv_sem_wait(&holding);
    uv_sleep(50);
    assert_in_range(atomic_load(&stage.metrics.parked), 1, MOST / 4 + 2);
    submit(&stage, &base, &plain);
    wait_for(1); /* by the other worker */
    assert_outcome(&base, POOL_DONE);
    blob_release(base.waiter.blob);
    release_region();
    wait_for(TILES);
    for (int i = 0; i < TILES; i++) {
        assert_outcome(&client[i], POOL_DONE);
        blob_release(client[i].waiter.blob);
    }
    stage_close(&stage);
}

/* Its region is as old as the tile, so both are made before a tile that was asked for later. */
static void regions_come_in_the_turn_of_their_tile(void **state)
{
    const struct tile_key key = kit_key(0, 6, 6, LAYER_HEIGHT, FORMAT_F32, 65, VARIANT_ERODED);
    struct client eroded = {0}, later = {0};
    struct stage stage;
    (void)state;

    stage_open_tiers(&stage, false, 2, 64 << 20); /* the disk would be searched meanwhile */
    stage.world = eroding_world();
    stage_start_pool(&stage, 1, 100, FOREVER_MS);
    stage_hold(&stage);
    submit(&stage, &eroded, &key);
    submit_at(&stage, &later, 1);
    assert_true(eroded.waits && later.waits);
    stage_release(&stage);
    wait_for(2);
    assert_outcome(&eroded, POOL_DONE);
    assert_outcome(&later, POOL_DONE);
    assert_true(eroded.turn < later.turn);
    blob_release(eroded.waiter.blob);
    blob_release(later.waiter.blob);
    stage_close(&stage);
}

/* Regions that no tier can hold are handed over all the same: nobody loops, and nobody makes a region twice for tiles
 * that wait together. */
static void tiny_memory_makes_the_same(void **state)
{
    enum { TILES = 8, REGIONS = 8 };
    static const uint64_t budgets[] = {4096, 2 << 20, 12 << 20, 64 << 20}; /* none, some, all but few, all */
    struct blob *expected[TILES];
    struct tile_key key[TILES];
    struct stage stage;

    for (int i = 0; i < TILES; i++) {
        key[i] = eroded_at(i % 3 ? 2 : 3, i % 4, -i % 3, i % 2 ? LAYER_SURFACE : LAYER_FLOW);
        expected[i] = expected_of(&key[i]);
    }
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++)
        for (unsigned threads = 1; threads <= 4; threads *= 4) {
            struct client client[TILES] = {0};
            eroding_open(&stage, state, threads, TILES, FOREVER_MS, budgets[b]);
            for (int i = 0; i < TILES; i++) {
                submit(&stage, &client[i], &key[i]);
                assert_true(client[i].waits);
            }
            wait_for(TILES);
            for (int i = 0; i < TILES; i++)
                assert_made(&client[i], expected[i]);
            /* 1 of level 2, 2 of level 3, 2 of lakes, and 3 anchors: at worst each tile has all of its own */
            assert_in_range(regions(&stage), REGIONS, budgets[b] == 64 << 20 ? REGIONS : 4 * TILES);
            stage_close(&stage);
        }
    for (int i = 0; i < TILES; i++)
        blob_release(expected[i]);
}

/* ---- Ends ---------------------------------------------------------------------------------------------- */

static void deadlines_pass_while_parked(void **state)
{
    struct client late = {0}, again = {0};
    struct stage stage;

    eroding_open(&stage, state, 1, 10, LONG_MS, 64 << 20);
    hold_region();
    submit_eroded(&stage, &late, 0, 0, 0);
    uv_sem_wait(&holding);
    uv_sleep(LONG_MS + 5);
    pool_tick(stage.pool);
    wait_for(1);
    assert_outcome(&late, POOL_EXPIRED);
    assert_int_equal(atomic_load(&stage.metrics.parked),
                     0); /* nobody wants them, and nobody has begun to make them */
    release_region();
    pool_free(stage.pool);
    stage.pool = NULL;
    assert_int_equal(regions(&stage), 1); /* the anchor, which was under way */
    assert_int_equal(renders(&stage), 0);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 2);
    stage_start_pool(&stage, 1, 10, FOREVER_MS); /* what was made is not lost */
    submit_eroded(&stage, &again, 0, 0, 0);
    wait_for(1);
    assert_outcome(&again, POOL_DONE);
    blob_release(again.waiter.blob);
    assert_int_equal(regions(&stage), 2);
    stage_close(&stage);
}

/* What a worker has outlives those who wanted it, and serves those who come meanwhile. */
static void jobs_under_way_may_be_joined_again(void **state)
{
    struct client late = {0}, again = {0};
    struct stage stage;

    eroding_open(&stage, state, 2, 10, 400, 64 << 20);
    hold_region();
    submit_eroded(&stage, &late, 0, 0, 0);
    uv_sem_wait(&holding);
    uv_sleep(410);
    pool_tick(stage.pool);
    wait_for(1);
    assert_outcome(&late, POOL_EXPIRED);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 2); /* the tile and its region, not the anchor */
    submit_eroded(&stage, &again, 0, 0, 0);
    wait_gauge(&stage.metrics.parked, 2);
    release_region();
    wait_for(1);
    assert_outcome(&again, POOL_DONE);
    blob_release(again.waiter.blob);
    assert_int_equal(regions(&stage), 2);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 2);
    stage_close(&stage);
}

/* A region is wanted as long as anybody is there who waits for something that rests on it. */
static void clients_leave_while_parked(void **state)
{
    struct client gone[3] = {{.waits = false}}, stays = {0};
    struct stage stage;

    eroding_open(&stage, state, 2, 10, FOREVER_MS, 64 << 20);
    hold_region();
    submit_eroded(&stage, &gone[0], 0, 0, 0);
    uv_sem_wait(&holding);
    submit_eroded(&stage, &gone[1], 0, 1, 0); /* of the same region */
    submit_eroded(&stage, &gone[2], 0, 4, 0); /* of one that nobody else wants */
    submit_eroded(&stage, &stays, 0, 0, 1);
    wait_gauge(&stage.metrics.parked, 6);
    for (int i = 0; i < 3; i++)
        atomic_store(&gone[i].gone, true);
    release_region();
    wait_for(4);
    for (int i = 0; i < 3; i++)
        assert_outcome(&gone[i], POOL_GONE);
    assert_outcome(&stays, POOL_DONE);
    blob_release(stays.waiter.blob);
    pool_free(stage.pool);
    stage.pool = NULL;
    assert_int_equal(regions(&stage), 2);
    assert_int_equal(renders(&stage), 1);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 4); /* three tiles and a region */
    stage_close(&stage);
}

static atomic_int freed;

static void count_free(struct shared *owner)
{
    (void)owner;
    atomic_fetch_add(&freed, 1);
}

/* A region may outlive the tile that needed it, and needs the world as long. */
static void regions_hold_the_owner_of_their_world(void **state)
{
    const struct tile_key key = eroded_at(0, 0, 0, LAYER_HEIGHT);
    struct client client = {0};
    struct shared owner;
    struct stage stage;

    atomic_store(&freed, 0);
    shared_init(&owner, count_free);
    eroding_open(&stage, state, 1, 10, FOREVER_MS, 64 << 20);
    hold_region();
    submit_as(&stage, &client, &key, CLASS_WAITING, &owner);
    shared_release(&owner); /* the caller's own */
    uv_sem_wait(&holding);
    assert_int_equal(atomic_load(&owner.references), 3); /* tile, region and anchor */
    atomic_store(&client.gone, true);
    pool_tick(stage.pool);
    wait_for(1);
    assert_outcome(&client, POOL_GONE);
    assert_int_equal(atomic_load(&owner.references), 1); /* the anchor, which is under way */
    assert_int_equal(atomic_load(&freed), 0);
    release_region();
    pool_free(stage.pool);
    stage.pool = NULL;
    assert_int_equal(atomic_load(&freed), 1);
    assert_int_equal(regions(&stage), 1);
    stage_close(&stage);
}

static void failures_reach_all_that_rest_on_them(void **state)
{
    struct client client[3] = {{.waits = false}}, water = {0}, again = {0};
    struct stage stage;

    eroding_open(&stage, state, 1, 10, FOREVER_MS, 64 << 20);
    stage_hold(&stage);
    submit_eroded(&stage, &client[0], 0, 0, 0);
    submit_eroded(&stage, &client[1], 0, 1, 0);                   /* of the same region */
    submit_eroded(&stage, &client[2], 1, 0, 5);                   /* of another, on the same anchor */
    const struct tile_key lake = eroded_at(2, 0, 0, LAYER_WATER); /* of two, which share it, too */
    submit(&stage, &water, &lake);
    atomic_store(&grant, GRANT_NONE);
    stage_release(&stage);
    wait_for(4);
    for (int i = 0; i < 3; i++)
        assert_outcome(&client[i], POOL_FAILED);
    assert_outcome(&water, POOL_FAILED);
    atomic_store(&grant, GRANT_ALL);
    assert_in_range(metrics_read(&stage.metrics.failed), 1, 4);
    assert_int_equal(regions(&stage), 0);
    submit(&stage, &again, &lake); /* and it goes on */
    assert_true(again.waits);
    wait_for(1);
    assert_outcome(&again, POOL_DONE);
    blob_release(again.waiter.blob);
    stage_close(&stage);
}

/* One input fails while another one has come, and a third is under way. */
static void failures_leave_other_jobs_alone(void **state)
{
    struct client water = {0}, height = {0};
    struct stage stage;
    const struct tile_key lake = eroded_at(4, 0, 0, LAYER_WATER), ground = eroded_at(5, 1, 1, LAYER_HEIGHT);
    enum { ASKED = 4 }; /* for erosion of levels 4 and 5, an anchor, and lakes on it */

    for (unsigned fail = 0; fail <= ASKED; fail++) {
        atomic_store(&water.wakes, 0);
        atomic_store(&height.wakes, 0);
        eroding_open(&stage, state, 2, 10, FOREVER_MS, 64 << 20);
        atomic_store(&asked, 7 + 3 - fail); /* whoever asks after so many others, at most 6 */
        atomic_store(&grant, GRANT_MOST);
        submit(&stage, &water, &lake);
        submit(&stage, &height, &ground);
        wait_for(2);
        atomic_store(&grant, GRANT_ALL);
        assert_int_equal(water.waiter.outcome == POOL_DONE || water.waiter.outcome == POOL_FAILED, true);
        assert_int_equal(height.waiter.outcome == POOL_DONE || height.waiter.outcome == POOL_FAILED, true);
        assert_int_equal(water.waiter.outcome == POOL_FAILED || height.waiter.outcome == POOL_FAILED,
                         fail < ASKED);
        blob_release(water.waiter.blob);
        blob_release(height.waiter.blob);
        stage_close(&stage);
    }
}

static void stop(void *argument)
{
    pool_join(((struct stage *)argument)->pool);
}

static void pools_stop_while_jobs_are_parked(void **state)
{
    enum { TILES = 6 };
    struct client client[TILES] = {0};
    struct stage stage;
    uv_thread_t stopper;

    for (unsigned threads = 1; threads <= 3; threads++) {
        memset(client, 0, sizeof client);
        eroding_open(&stage, state, threads, TILES, FOREVER_MS, 64 << 20);
        hold_region();
        for (int i = 0; i < TILES; i++)
            submit_eroded(&stage, &client[i], i % 3, 3 * i, -i);
        uv_sem_wait(&holding);
        assert_int_equal(uv_thread_create(&stopper, stop, &stage), 0);
        wait_for(TILES); /* at once, whoever makes what */
        for (int i = 0; i < TILES; i++)
            assert_outcome(&client[i], POOL_STOPPED);
        release_region();
        uv_thread_join(&stopper); /* has seen that no job is left */
        assert_int_equal(renders(&stage), 0);
        stage_close(&stage);
    }
}

/* ---- The disk tier ------------------------------------------------------------------------------------- */

static void restart(struct stage *stage)
{
    pool_free(stage->pool);
    disk_flush(stage->disk);
    memory_free(stage->memory);
    stage->memory = memory_create(64 << 20);
    assert_non_null(stage->memory);
    stage_start_pool(stage, 2, 10, FOREVER_MS);
}

static void regions_are_found_on_disk(void **state)
{
    struct client first = {0}, second = {0};
    struct stage stage;

    eroding_open(&stage, state, 2, 10, FOREVER_MS, 64 << 20);
    submit_eroded(&stage, &first, 0, 0, 0);
    wait_for(1);
    assert_outcome(&first, POOL_DONE);
    blob_release(first.waiter.blob);
    restart(&stage);
    submit_eroded(&stage, &second, 0, 1, 1);
    wait_for(1);
    assert_outcome(&second, POOL_DONE);
    blob_release(second.waiter.blob);
    assert_int_equal(regions(&stage), 2); /* none since */
    assert_int_equal(metrics_read(&stage.metrics.region_hits[TIER_DISK]), 1);
    assert_int_equal(metrics_read(&stage.metrics.hits[TIER_DISK]), 0);
    stage_close(&stage);
}

/* An intact entry under the name of a region that is none, or has other numbers than a region may have. */
static void hostile_regions_are_made_anew(void **state)
{
    const struct terrane_world world = eroding_world();
    const struct product_key key = {.product = PRODUCT_EROSION, .level = 5, .variant = VARIANT_ERODED};
    const struct digest digest = product_digest(&key, &world);
    const struct tile_key tile = eroded_at(5, 0, 0, LAYER_HEIGHT);
    struct blob *expected = expected_of(&tile);
    struct producer *producer = producer_create();
    struct produce_times times;
    struct disk_stats stats;

    assert_non_null(producer);
    struct blob *region = product_make_alone(producer, &key, &world, NULL, &times);
    assert_non_null(region);
    for (int kind = 0; kind < 3; kind++) {
        const size_t bytes = kind == 0 ? 100 : region->bytes;
        unsigned char *data = malloc(bytes);
        struct client client = {0}, after = {0};
        struct stage stage;
        assert_non_null(data);
        memcpy(data, region->data, bytes);
        data[kind == 1 ? 4 : REGION_HEADER_BYTES + 3] ^=
            0x55; /* the layout's version, or a delta of 10^9 units */
        struct blob *bad = blob_create(&digest, &region->info, data, bytes);
        assert_non_null(bad);
        eroding_open(&stage, state, 2, 10, FOREVER_MS, 64 << 20);
        disk_put(stage.disk, bad);
        disk_flush(stage.disk);
        blob_release(bad);
        submit(&stage, &client, &tile);
        wait_for(1);
        assert_made(&client, expected);
        assert_int_equal(regions(&stage), 1);
        disk_stats(stage.disk, &stats);
        assert_int_equal(stats.damaged, 1);
        restart(&stage); /* the good one is in its place */
        const struct tile_key next = eroded_at(5, 1, 0, LAYER_HEIGHT);
        submit(&stage, &after, &next);
        wait_for(1);
        assert_outcome(&after, POOL_DONE);
        blob_release(after.waiter.blob);
        assert_int_equal(regions(&stage), 1);
        disk_stats(stage.disk, &stats);
        assert_int_equal(stats.damaged, 1);
        stage_close(&stage);
    }
    blob_release(region);
    blob_release(expected);
    producer_free(producer);
}

/* ---- Storm --------------------------------------------------------------------------------------------- */

enum { STORMERS = 3, STORM = 400 };

struct stormer {
    uv_thread_t thread;
    struct stage *stage;
    uint32_t random;
    struct client client[STORM];
};

static atomic_bool calm;

static uint32_t roll(struct stormer *stormer)
{
    stormer->random = stormer->random * 1664525u + 1013904223u;
    return stormer->random >> 8;
}

static void storm_submit(void *argument)
{
    static const enum tile_layer layers[] = {LAYER_HEIGHT, LAYER_WATER, LAYER_FLOW, LAYER_NORMAL};
    struct stormer *const stormer = argument;

    for (int i = 0; i < STORM; i++) {
        struct tile_key key = {.seed = 42,
                               .x = roll(stormer) % 5,
                               .y = roll(stormer) % 3,
                               .level = (int)(roll(stormer) % 7),
                               .layer = layers[roll(stormer) % 4],
                               .variant = roll(stormer) % 4 ? VARIANT_ERODED : VARIANT_BASE,
                               .format = FORMAT_F32,
                               .size = 17};
        atomic_store(&stormer->client[i].gone, roll(stormer) % 4 == 0);
        submit(stormer->stage, &stormer->client[i], &key);
        if (i > 0)
            atomic_store(&stormer->client[roll(stormer) % (uint32_t)i].gone, true);
        if (roll(stormer) % 4 == 0)
            uv_sleep(roll(stormer) % 8);
    }
}

static void storm_expire(void *argument)
{
    struct stage *const stage = argument;

    while (!atomic_load(&calm)) {
        pool_tick(stage->pool);
        uv_sleep(1);
    }
}

/* Some are gone, some leave, some expire, memory is short now and then, and the tier holds a part of the regions. */
static void storm(void **state, bool refuse)
{
    static struct stormer stormer[STORMERS];
    struct stage stage;
    uv_thread_t expirer;
    uint64_t outcomes[POOL_STOPPED + 1] = {0};
    int waiting = 0;

    memset(stormer, 0, sizeof stormer);
    eroding_open(&stage, state, 3, 20, 60, 24 << 20);
    atomic_store(&calm, false);
    atomic_store(&grant, GRANT_MOST);
    assert_int_equal(uv_thread_create(&expirer, storm_expire, &stage), 0);
    for (int t = 0; t < STORMERS; t++) {
        stormer[t].stage = &stage;
        stormer[t].random = (uint32_t)t + 1;
        assert_int_equal(uv_thread_create(&stormer[t].thread, storm_submit, &stormer[t]), 0);
    }
    if (refuse) {
        uv_sleep(100);
        pool_refuse(stage.pool);
    }
    for (int t = 0; t < STORMERS; t++)
        uv_thread_join(&stormer[t].thread);
    for (int t = 0; t < STORMERS; t++)
        for (int i = 0; i < STORM; i++)
            waiting += stormer[t].client[i].waits;
    wait_for(waiting);
    assert_int_equal(atomic_load(&stage.metrics.inflight), 0);
    atomic_store(&calm, true);
    uv_thread_join(&expirer);
    pool_free(stage.pool);
    stage.pool = NULL;
    atomic_store(&grant, GRANT_ALL);
    for (int t = 0; t < STORMERS; t++)
        for (int i = 0; i < STORM; i++) {
            struct client *const client = &stormer[t].client[i];
            assert_outcome(client, client->waiter.outcome);
            assert_in_range(client->waiter.outcome, 0, POOL_STOPPED);
            outcomes[client->waiter.outcome]++;
            blob_release(client->waiter.blob);
        }
    assert_int_equal(outcomes[POOL_EXPIRED], metrics_read(&stage.metrics.expired));
    assert_int_equal(outcomes[POOL_GONE], metrics_read(&stage.metrics.left));
    assert_int_equal(outcomes[POOL_FULL], metrics_read(&stage.metrics.refused[CLASS_WAITING]));
    if (!refuse) {
        assert_int_equal(outcomes[POOL_STOPPED], 0);
        assert_true(outcomes[POOL_DONE] > 0);
    }
    stage_close(&stage);
}

static void storms_wake_everybody_once(void **state)
{
    storm(state, false);
}

static void storms_may_be_refused(void **state)
{
    storm(state, true);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(tiles_share_their_regions),
        BOTH(parked_jobs_belong_to_nobody),
        BOTH(parked_tiles_count_as_waiting),
        BOTH(no_more_is_begun_than_can_be_held),
        BOTH(bulk_leaves_room_to_begin),
        {"regions_come_in_the_turn_of_their_tile", regions_come_in_the_turn_of_their_tile, NULL, NULL, NULL},
        BOTH(tiny_memory_makes_the_same),
        BOTH(deadlines_pass_while_parked),
        BOTH(jobs_under_way_may_be_joined_again),
        BOTH(clients_leave_while_parked),
        BOTH(regions_hold_the_owner_of_their_world),
        BOTH(failures_reach_all_that_rest_on_them),
        BOTH(failures_leave_other_jobs_alone),
        BOTH(pools_stop_while_jobs_are_parked),
        {"regions_are_found_on_disk", regions_are_found_on_disk, NULL, NULL, &with_disk},
        {"hostile_regions_are_made_anew", hostile_regions_are_made_anew, NULL, NULL, &with_disk},
        BOTH(storms_wake_everybody_once),
        BOTH(storms_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    return pool_kit_run(run);
}
