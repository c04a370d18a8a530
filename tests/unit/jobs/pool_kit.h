/*
 * A render pool under test: clients that count their wakes, tiers, a way to hold workers, and worlds. Static: one test
 * program, one pool at a time.
 */
#ifndef TERRANE_TESTS_POOL_KIT_H
#define TERRANE_TESTS_POOL_KIT_H

#include "../../../server/base/turn.h"
#include "../../../server/encode/encode.h"
#include "../../../server/jobs/pool.h"
#include "../../../server/observe/log.h"
#include "../../../server/render/product.h"
#include "../clock_kit.h"
#include "../folder_kit.h"
#include "../region_kit.h"

enum { FOREVER_MS = 600000, MEMORY_BYTES = 8 << 20, HELD_X = 1000000 };

struct client {
    struct waiter waiter; /* first: a waiter is its client */
    atomic_int wakes;
    atomic_bool gone;
    bool waits; /* pool_submit said so */
    bool holds; /* keeps the worker that wakes it */
    int turn;   /* how many had been woken before */
};

SHARED uv_sem_t woken, holding, go, disk_go;
SHARED atomic_bool disk_hangs; /* for who reads it next, until disk_go */
static atomic_int turns;

WRAPS(disk_get);
SHARED struct blob *__wrap_disk_get(struct disk *disk, int reader, const struct digest *key)
{
    if (atomic_exchange(&disk_hangs, false)) {
        uv_sem_post(&holding);
        uv_sem_wait(&disk_go);
    }
    return __real_disk_get(disk, reader, key);
}

SHARED atomic_bool make_fails; /* nothing can be made */
SHARED atomic_bool make_holds; /* who makes next, until go; it takes half of a token's time besides */

WRAPS(product_make);
SHARED struct blob *__wrap_product_make(struct producer *producer, const struct product_key *key,
                                        const struct terrane_world *world, const struct product_plan *plan,
                                        struct blob *const *inputs, struct produce_times *times)
{
    if (atomic_exchange(&make_holds, false)) {
        uv_sem_post(&holding);
        uv_sem_wait(&go);
        const uint64_t until_ns = turn_cpu_ns() + CLIENTS_TOKEN_NS / 2;
        while (turn_cpu_ns() < until_ns)
            continue;
    }
    return atomic_load(&make_fails) ? NULL : __real_product_make(producer, key, world, plan, inputs, times);
}

static inline void client_wake(struct waiter *waiter)
{
    struct client *const client = (struct client *)waiter;

    if (client->holds) {
        uv_sem_post(&holding);
        uv_sem_wait(&go);
    }
    client->turn = atomic_fetch_add(&turns, 1);
    atomic_fetch_add(&client->wakes, 1);
    uv_sem_post(&woken);
}

static inline bool client_left(struct waiter *waiter)
{
    return atomic_load(&((struct client *)waiter)->gone);
}

/* The default world of a seed. */
static inline struct terrane_world default_world(uint64_t seed)
{
    static struct terrane_recipe recipe;
    struct terrane_world world;
    if (recipe.terms == 0) /* once: workers read it */
        terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, seed);
    return world;
}

SHARED struct stage {
    struct metrics metrics;
    struct terrane_world world;
    struct memory *memory;
    struct disk *disk;
    struct pool *pool;
    struct client held[8];
    int holds;
} stage;

static inline void stage_open_tiers(bool disk, int readers, uint64_t memory_bytes)
{
    const char *why;

    memset(&stage, 0, sizeof stage);
    stage.world = default_world(42);
    stage.memory = memory_create(memory_bytes);
    assert_non_null(stage.memory);
    atomic_store(&turns, 0);
    if (!disk)
        return;
    assert_int_equal(folder_make(NULL), 0);
    const struct disk_options options = {
        .dir = folder,
        .quota_bytes = 64 << 20,
        .quota_rows = 100000,
        .write_behind_bytes = 16 << 20,
        .write_interval_ms = 5,
        .retry_interval_ms = 1000,
        .readers = readers,
    };
    stage.disk = disk_open(&options, &why);
    if (!stage.disk)
        fail_msg("%s", why);
}

static inline void stage_start_pool(unsigned threads, unsigned queue, unsigned deadline_ms)
{
    const struct pool_options options = {
        .threads = threads,
        .queue = queue,
        .deadline_ms = deadline_ms,
        .memory = stage.memory,
        .disk = stage.disk,
        .metrics = &stage.metrics,
    };

    stage.pool = pool_start(&options);
    assert_non_null(stage.pool);
}

/* Another pool and memory on the disk that there is. */
static inline void stage_reopen(unsigned threads, unsigned queue)
{
    disk_flush(stage.disk);
    pool_free(stage.pool);
    memory_free(stage.memory);
    stage.memory = memory_create(MEMORY_BYTES);
    assert_non_null(stage.memory);
    stage_start_pool(threads, queue, FOREVER_MS);
    atomic_store(&turns, 0);
}

static inline void stage_open(void **state, unsigned threads, unsigned queue, unsigned deadline_ms)
{
    const bool *const disk = *state;

    stage_open_tiers(*disk, (int)threads + 1, MEMORY_BYTES);
    stage_start_pool(threads, queue, deadline_ms);
}

/* Stops everything. Whatever happened before, nothing waits any more. */
static inline void stage_close(void)
{
    pool_free(stage.pool);
    assert_int_equal(atomic_load(&stage.metrics.inflight), 0);
    assert_int_equal(atomic_load(&stage.metrics.queue_depth), 0);
    assert_int_equal(atomic_load(&stage.metrics.parked), 0);
    assert_int_not_equal(uv_sem_trywait(&woken), 0); /* no wake too many */
    atomic_store(&stopped_ns, 0);
    for (int i = 0; i < stage.holds; i++)
        blob_release(stage.held[i].waiter.blob);
    disk_close(stage.disk);
    memory_free(stage.memory);
    if (stage.disk)
        assert_int_equal(folder_remove(NULL), 0);
}

static inline struct tile_key key_at(int64_t x)
{
    struct tile_key key = {.seed = 42, .x = x, .y = -3, .level = 2, .format = FORMAT_F32, .size = 3};

    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    return key;
}

/* Its address, as long as the block lasts. */
#define AT(x) ((const struct tile_key[]){key_at(x)})

/* May be called from any thread: asserts nothing. Of what is asked for the key says which tile. */
static inline void submit_ask(struct client *client, const struct tile_key *key, struct pool_ask ask)
{
    const struct digest digest = tile_key_digest(key, &stage.world);

    ask.key = key;
    ask.digest = &digest;
    ask.world = &stage.world;
    memset(&client->waiter, 0xa5, sizeof client->waiter); /* what the pool needs, it sets */
    client->waiter.wake = client_wake;
    client->waiter.left = client_left;
    client->waits = pool_submit(stage.pool, &ask, &client->waiter);
}

static inline void submit_as(struct client *client, const struct tile_key *key, enum metric_class class)
{
    submit_ask(client, key, (struct pool_ask){.class = class});
}

static inline enum metric_prefetch prefetch_as(const struct tile_key *key, enum metric_class class)
{
    const struct digest digest = tile_key_digest(key, &stage.world);

    return pool_prefetch(
        stage.pool, &(struct pool_ask){.key = key, .digest = &digest, .world = &stage.world, .class = class});
}

static inline void submit(struct client *client, const struct tile_key *key)
{
    submit_as(client, key, CLASS_WAITING);
}

static inline void submit_at(struct client *client, int64_t x)
{
    submit(client, AT(x));
}

static inline void wait_for(int wakes)
{
    for (int i = 0; i < wakes; i++)
        uv_sem_wait(&woken);
}

/* Gets a worker into a wake, and keeps it there until stage_release. */
static inline void stage_hold(void)
{
    struct client *const client = &stage.held[stage.holds];

    client->holds = true;
    submit_at(client, HELD_X + stage.holds++);
    assert_true(client->waits);
    uv_sem_wait(&holding);
}

/* A pool of one worker, which is held. */
static inline void stage_open_held(void **state, unsigned queue)
{
    stage_open(state, 1, queue, FOREVER_MS);
    stage_hold();
}

static inline void stage_release(void)
{
    for (int i = 0; i < stage.holds; i++)
        uv_sem_post(&go);
    wait_for(stage.holds);
}

static inline void wait_gauge(const atomic_int_fast64_t *gauge, int64_t value)
{
    AWAIT(atomic_load(gauge) == value);
}

static inline void wait_counter(const atomic_uint_fast64_t *counter, uint64_t value)
{
    AWAIT(metrics_read(counter) == value);
}

static inline uint64_t renders(void)
{
    uint64_t sum = 0;

    for (int layer = 0; layer < LAYERS; layer++)
        sum += metrics_read(&stage.metrics.renders[layer]);
    return sum;
}

static inline void assert_outcome(struct client *client, enum pool_outcome outcome)
{
    assert_int_equal(atomic_load(&client->wakes), client->waits ? 1 : 0);
    assert_int_equal(client->waiter.outcome, outcome);
    if (outcome != POOL_DONE)
        assert_null(client->waiter.blob);
}

/* This became of all of them; releases what they got. */
static inline void assert_all(struct client *client, int count, enum pool_outcome outcome)
{
    for (int i = 0; i < count; i++) {
        assert_outcome(&client[i], outcome);
        blob_release(client[i].waiter.blob);
    }
}

/* Waits until so many clients have been woken: these, all of whom this became of. */
static inline void wait_end(struct client *client, int count, enum pool_outcome outcome)
{
    wait_for(count);
    assert_all(client, count, outcome);
}

static inline void assert_done(struct client *client, const struct tile_key *key, enum metric_tier tier)
{
    const struct terrane_world world = default_world(key->seed);

    assert_outcome(client, POOL_DONE);
    assert_int_equal(client->waiter.tier, tier);
    assert_non_null(client->waiter.blob);
    const struct digest digest = tile_key_digest(key, &world);
    assert_true(digest_equal(&client->waiter.blob->key, &digest));
    assert_int_equal(client->waiter.blob->info.format, key->format);
    assert_int_equal(client->waiter.blob->info.width, key->size);
}

/* What a tile must be, made without a pool. Owned. */
static inline struct blob *made_alone(const struct tile_key *key, const struct terrane_world *world)
{
    struct producer *producer = producer_create();
    struct produce_times times;
    assert_non_null(producer);
    struct blob *blob = produce(producer, key, world, &times);
    assert_non_null(blob);
    producer_free(producer);
    return blob;
}

static inline void assert_made(struct client *client, const struct blob *expected)
{
    assert_outcome(client, POOL_DONE);
    assert_non_null(client->waiter.blob);
    assert_int_equal(client->waiter.blob->bytes, expected->bytes);
    assert_memory_equal(client->waiter.blob->data, expected->data, expected->bytes);
    blob_release(client->waiter.blob);
}

/* Runs tests; returns the status of main. */
static inline int pool_kit_run(const char *name, const CMFixtureFunction each[static 2])
{
    if (terrane_init(NULL) != 0 || uv_sem_init(&woken, 0) != 0 || uv_sem_init(&holding, 0) != 0 ||
        uv_sem_init(&go, 0) != 0 || uv_sem_init(&disk_go, 0) != 0)
        return 1;
    log_set_level(LOG_ERROR);
    const int failed = unit_run(name, each, (CMFixtureFunction[2]){0});
    uv_sem_destroy(&woken);
    uv_sem_destroy(&holding);
    uv_sem_destroy(&go);
    uv_sem_destroy(&disk_go);
    return failed;
}

/* A test without a disk tier and with one: *state says which. */
static bool with_disk __attribute__((unused)) = true, without __attribute__((unused)) = false;
#define BOTH(test) \
    TESTS(test, {#test, test, NULL, NULL, &without}, {#test " (disk)", test, NULL, NULL, &with_disk})

/* POOL_GROUP(NAME, set_up, tear_down): as GROUP_EACH, between what all tests of pools need. */
#define POOL_GROUP(name, ...)                                            \
    UNIT(name)                                                           \
    {                                                                    \
        return pool_kit_run(#name, (CMFixtureFunction[2]){__VA_ARGS__}); \
    }                                                                    \
    struct unit

#endif
