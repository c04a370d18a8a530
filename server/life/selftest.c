/*
 * The self-test: detects errors of a processor, a compiler or a damaged file before anybody is served.
 *
 * Each case is a tile of the built-in recipe, made as for a request, with one memory tier: the tiles of eroded ground share
 * their region, which takes most of the time. It compares samples (a PNG is decoded), so another libdeflate changes nothing.
 *
 * Drainage is tested at level 15, which needs only the coarsest lattice; finer ones cost several times as much. Droplets are
 * tested on ground without rivers, at the coarsest eroded level, for the same reason.
 *
 * The digests belong to TERRANE_GENERATOR_VERSION: a change of samples renews them together with the golden ones. The unit
 * test selftest, with SELFTEST_PRINT set, prints them in the form below, and compares the first with the golden digest of
 * the same tile.
 */
#include "selftest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "../base/check.h"
#include "../cache/memory.h"
#include "../encode/encode.h"
#include "../render/product.h"

enum { MEMORY_BYTES = 64 << 20 }; /* a bound: what is made takes some 4 MB of it */

#define CASE(LEVEL, X, Y, LAYER, VARIANT, FORMAT, SIZE)                                        \
    .seed = SELFTEST_SEED, .level = LEVEL, .x = X, .y = Y, .layer = LAYER, .variant = VARIANT, \
    .format = FORMAT, .size = SIZE

const struct selftest_case selftest_cases[SELFTEST_CASES] = {
    {{CASE(0, 3, -2, LAYER_HEIGHT, VARIANT_BASE, FORMAT_F32, 65)},
     false,
     {.high = UINT64_C(0xfb6386d5290f9843), .low = UINT64_C(0xc085494b21e1500c)}},
    {{CASE(15, -3, 1, LAYER_HEIGHT, VARIANT_ERODED, FORMAT_F32, 65)},
     false,
     {.high = UINT64_C(0xc0b93596a7861a4c), .low = UINT64_C(0x47577856bf88566c)}},
    {{CASE(15, -3, 1, LAYER_WATER, VARIANT_ERODED, FORMAT_PNG, 64)},
     false,
     {.high = UINT64_C(0x9a3bed6bc3fa05dc), .low = UINT64_C(0x18c21e468c895638)}},
    {{CASE(4, -3, 1, LAYER_HEIGHT, VARIANT_ERODED, FORMAT_F32, 65)},
     true,
     {.high = UINT64_C(0x270a3104d2540db3), .low = UINT64_C(0x4d27cdaeb9938954)}},
    {{CASE(4, -3, 1, LAYER_NORMAL, VARIANT_ERODED, FORMAT_F32, 65)},
     true,
     {.high = UINT64_C(0xa22448cb52e36829), .low = UINT64_C(0x14d129be06829306)}},
};

/* The name of a case: the path of its request. */
static void name_of(const struct selftest_case *test, char *name, size_t name_bytes)
{
    const struct tile_key *key = &test->key;
    snprintf(name, name_bytes,
             "/tile/%" PRIu64 "/%d/%" PRId64 "/%" PRId64 ".%s?layer=%s&variant=%s&size=%d%s", key->seed,
             key->level, key->x, key->y, tile_format_name[key->format], tile_layer_name[key->layer],
             tile_variant_name[key->variant], key->size, test->dry ? " without rivers" : "");
}

static struct digest digest_of(const void *bytes, size_t count)
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, count);
    return (struct digest){.low = hash.low64, .high = hash.high64};
}

/* false: a PNG that cannot be read, or is of another size than was asked for. */
static bool digest_blob(const struct tile_key *key, const struct blob *blob, struct digest *digest)
{
    struct picture picture;
    if (key->format != FORMAT_PNG) {
        *digest = digest_of(blob->data, blob->bytes);
        return true;
    }
    if (picture_read(&picture, blob->data, blob->bytes) != 0)
        return false;
    const bool fits = picture.width == key->size && picture.height == key->size;
    *digest = digest_of(picture.pixels, picture.pixel * (size_t)picture.width * (size_t)picture.height);
    free(picture.pixels);
    return fits;
}

static int make_case(struct producer *producer, struct memory *memory, const struct terrane_world *world,
                     const struct selftest_case *test, struct digest *got, char *error, size_t error_bytes)
{
    struct tile_key key = test->key;
    struct produce_times times;
    char name[160];
    world += test->dry;
    tile_key_vary(&key, world->recipe);
    CHECK(tile_key_finish(&key) == TILE_FINE);
    name_of(test, name, sizeof name);
    const struct product_key product = product_of_tile(&key);
    struct blob *blob = product_make_alone(producer, &product, world, memory, &times);
    if (!blob) {
        snprintf(error, error_bytes, "self-test: %s: out of memory", name);
        return -1;
    }
    const bool fits = digest_blob(&key, blob, got);
    if (!fits)
        snprintf(error, error_bytes, "self-test: %s: what was made is no such PNG", name);
    blob_release(blob);
    return fits ? 0 : -1;
}

int selftest_digests(const struct terrane_world *world, const struct selftest_case *cases, int count,
                     struct digest *got, char *error, size_t error_bytes)
{
    struct producer *producer = producer_create();
    struct memory *memory = memory_create(MEMORY_BYTES);
    int failed = producer && memory ? 0 : -1;
    if (failed)
        snprintf(error, error_bytes, "self-test: out of memory");
    for (int i = 0; i < count && !failed; i++)
        failed = make_case(producer, memory, world, &cases[i], &got[i], error, error_bytes);
    memory_free(memory);
    producer_free(producer);
    return failed;
}

int selftest_compare(const struct terrane_world *world, const struct selftest_case *cases, int count,
                     char *error, size_t error_bytes)
{
    struct digest got[SELFTEST_CASES];
    char name[160];
    CHECK(count <= SELFTEST_CASES);
    if (selftest_digests(world, cases, count, got, error, error_bytes) != 0)
        return -1;
    for (int i = 0; i < count; i++) {
        const struct digest wanted = cases[i].wanted;
        if (digest_equal(&got[i], &wanted))
            continue;
        name_of(&cases[i], name, sizeof name);
        snprintf(error, error_bytes,
                 "self-test: %s: with %s kernels its samples hash to %016" PRIx64 "%016" PRIx64
                 ", and have to hash to %016" PRIx64 "%016" PRIx64,
                 name, terrane_isa(), got[i].high, got[i].low, wanted.high, wanted.low);
        return -1;
    }
    return 0;
}

void selftest_worlds(struct terrane_recipe recipe[static 2], struct terrane_world world[static 2])
{
    terrane_recipe_default(&recipe[0]);
    recipe[1] = recipe[0];
    recipe[1].rivers.top = 0;
    CHECK(terrane_recipe_init(&recipe[1], NULL) == 0);
    for (int dry = 0; dry < 2; dry++)
        terrane_world_init(&world[dry], &recipe[dry], SELFTEST_SEED);
}

int selftest_run(char *error, size_t error_bytes)
{
    struct terrane_recipe *recipe = malloc(2 * sizeof *recipe);
    struct terrane_world world[2];
    if (!recipe) {
        snprintf(error, error_bytes, "self-test: out of memory");
        return -1;
    }
    selftest_worlds(recipe, world);
    const int failed = selftest_compare(world, selftest_cases, SELFTEST_CASES, error, error_bytes);
    free(recipe);
    return failed;
}
