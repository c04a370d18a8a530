/*
 * Tiles and worlds as JSON (server/encode/describe.c): what short memory makes of them.
 */
#include "../unit.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "../../../server/encode/describe.h"

static long allocations, fail_at, balance;

static void *count_malloc(size_t bytes)
{
    if (allocations++ == fail_at)
        return NULL;
    balance++;
    return malloc(bytes);
}

static void count_free(void *memory)
{
    balance -= memory != NULL;
    free(memory);
}

static int describe_either(bool tile, unsigned char **data, size_t *bytes)
{
    struct tile_key key = {
        .seed = 42, .x = -5, .y = 7, .level = 3, .variant = VARIANT_BASE, .format = FORMAT_JSON};
    static const struct recipe named = {
        .name = "default", .description = "Hills.", .world.generator = TERRANE_GENERATOR_VERSION};
    const struct world_facts told = {.recipe = &named, .standard = true, .key = &key, .prefix = ""};
    struct tile_facts facts = {.measure.mean_m = -0.1, .zone_share = {0.5, 0.5}};
    static struct terrane_recipe recipe;
    static struct terrane_world world;

    if (!world.recipe) {
        terrane_recipe_default(&recipe);
        terrane_world_init(&world, &recipe, 42);
    }
    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    assert_int_equal(terrane_window_tile(&facts.window, key.level, key.x, key.y, key.size), 0);
    return tile ? describe_tile(&key, &world, &facts, data, bytes)
                : describe_world(&world, &told, data, bytes);
}

/* Whichever allocation of jansson's fails: no answer, or the whole answer, and nothing is left behind. */
TEST(short_memory_leaves_nothing_out)
{
    unsigned char *whole, *data;
    size_t whole_bytes, bytes;

    json_set_alloc_funcs(count_malloc, count_free);
    for (int tile = 0; tile < 2; tile++) {
        fail_at = -1;
        assert_int_equal(describe_either(tile, &whole, &whole_bytes), 0);
        int refused = 0;
        for (fail_at = 0;; fail_at++) {
            allocations = balance = 0;
            data = NULL;
            const int result = describe_either(tile, &data, &bytes);
            if (result == 0) {
                if (bytes != whole_bytes || memcmp(data, whole, bytes) != 0)
                    fail_msg("allocation %ld failed, and the answer is another", fail_at);
                free(data);
            } else {
                assert_null(data);
                refused++;
            }
            if (balance != 0)
                fail_msg("allocation %ld failed: %ld blocks are left", fail_at, balance);
            if (allocations <= fail_at) /* there was no such allocation */
                break;
        }
        assert_true(refused > 10);
        free(whole);
    }
    json_set_alloc_funcs(malloc, free);
}

GROUP(describe_memory);
