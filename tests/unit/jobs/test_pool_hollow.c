/*
 * The render pool and worlds with paths and caves: the same tiles as without a pool, whatever its tiers hold and in whatever
 * order they are asked for; where memory is short, everybody is told.
 */
#include "../unit.h"

#include "../hollow_kit.h"
#include "pool_regions_kit.h"

enum { TILES = 12 };

static struct terrane_world hollow_world(void)
{
    static struct terrane_recipe recipe;
    struct terrane_world world;
    if (recipe.terms == 0) {
        hollow_recipe(&recipe);
        assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    }
    terrane_world_init(&world, &recipe, 42);
    return world;
}

/* Of two networks, two regions of caves, of many kinds. */
static struct tile_key hollow_key(int i)
{
    static const struct {
        int level, size;
        enum tile_layer layer;
        enum tile_format format;
    } kind[] = {{0, 65, LAYER_HEIGHT, FORMAT_F32},  {1, 65, LAYER_NORMAL, FORMAT_F32},
                {2, 64, LAYER_RELIEF, FORMAT_PNG},  {3, 65, LAYER_PATH, FORMAT_GEOJSON},
                {2, 65, LAYER_CAVE, FORMAT_F32},    {1, 257, LAYER_CAVE, FORMAT_GLB},
                {2, 65, LAYER_HEIGHT, FORMAT_JSON}, {5, 512, LAYER_PATH, FORMAT_F32},
                {2, 257, LAYER_HEIGHT, FORMAT_GLB}, {4, 65, LAYER_SURFACE, FORMAT_F32},
                {0, 64, LAYER_PATH, FORMAT_PNG},    {3, 65, LAYER_CAVE, FORMAT_PNG}};
    _Static_assert(sizeof kind / sizeof *kind == TILES, "one each");
    const struct terrane_world world = hollow_world();
    struct tile_key key =
        kit_key(kind[i].level, i % 3 - 1, i % 2, kind[i].layer, kind[i].format, kind[i].size, VARIANT_UNSAID);
    tile_key_vary(&key, world.recipe);
    return key;
}

static void hollow_open(struct stage *stage, void **state, unsigned threads, uint64_t memory_bytes)
{
    const bool *const disk = *state;
    stage_open_tiers(stage, *disk, (int)threads + 1, memory_bytes);
    stage->world = hollow_world();
    stage_start_pool(stage, threads, TILES, FOREVER_MS);
}

BOTH(pools_make_the_same)
{
    static const uint64_t budgets[] = {4096, 12 << 20, 128 << 20}; /* of what regions take: none, some, all */
    const struct terrane_world world = hollow_world();
    struct producer *producer = producer_create();
    struct blob *expected[TILES];
    struct produce_times times;
    struct stage stage;
    assert_non_null(producer);
    for (int i = 0; i < TILES; i++) {
        const struct tile_key key = hollow_key(i);
        expected[i] = produce(producer, &key, &world, &times);
        assert_non_null(expected[i]);
    }
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++)
        for (unsigned threads = 1; threads <= 4; threads *= 4) {
            struct client client[TILES] = {0};
            hollow_open(&stage, state, threads, budgets[b]);
            for (int k = 0; k < TILES; k++) { /* every other pool from the end */
                const int i = threads == 1 ? k : TILES - 1 - k;
                const struct tile_key key = hollow_key(i);
                submit(&stage, &client[i], &key);
                assert_true(client[i].waits);
            }
            wait_for(TILES);
            for (int i = 0; i < TILES; i++)
                assert_made(&client[i], expected[i]);
            stage_close(&stage);
        }
    for (int i = 0; i < TILES; i++)
        blob_release(expected[i]);
    producer_free(producer);
}

BOTH(short_memory_is_told)
{
    struct client client[TILES] = {0};
    struct stage stage;
    int failed = 0;
    hollow_open(&stage, state, 2, 64 << 20);
    atomic_store(&grant, GRANT_NONE);
    for (int i = 0; i < TILES; i++) {
        const struct tile_key key = hollow_key(i);
        submit(&stage, &client[i], &key);
        assert_true(client[i].waits);
    }
    wait_for(TILES);
    atomic_store(&grant, GRANT_ALL);
    for (int i = 0; i < TILES; i++) {
        assert_outcome(&client[i], client[i].waiter.outcome == POOL_DONE ? POOL_DONE : POOL_FAILED);
        failed += client[i].waiter.outcome == POOL_FAILED;
        blob_release(client[i].waiter.blob);
    }
    assert_int_equal(failed, TILES);
    stage_close(&stage);
}

POOL_GROUP(pool_hollow);
