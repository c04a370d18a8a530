/*
 * A small world that erodes and has lakes, for tests of the server's regions: cheap enough that a tile of the finest
 * level takes milliseconds. And keys of its tiles.
 */
#ifndef TERRANE_TESTS_REGION_KIT_H
#define TERRANE_TESTS_REGION_KIT_H

#include "unit.h"

#include "../../server/render/product.h"
#include "droplets_kit.h"

/* Hills of 4 km around the sea; levels of them erode, in phases of steps at each. Lakes of level 3. */
static inline void kit_recipe(struct terrane_recipe *recipe, int levels, int phases, int steps)
{
    struct terrane_term term = terrane_term_fractal(TERRANE_FBM);
    memset(recipe, 0, sizeof *recipe);
    term.fractal.octaves = 10;
    term.fractal.cell = 4096;
    term.fractal.amplitude_m = 900;
    recipe->spacing_m = 1;
    recipe->low_m = -4096;
    recipe->high_m = 4096;
    recipe->sea_m = -400;
    recipe->terms = 1;
    recipe->term[0] = term;
    recipe->partition.zones = 1;
    recipe->partition.zone[0].term = -1;
    recipe->erosion.levels = levels;
    recipe->erosion.limit =
        levels > 12 ? 0x1p-10f : 0.25f; /* what coarse levels could move must be countable */
    for (int level = 0; level < levels; level++) {
        recipe->erosion.phases[level] = (uint8_t)phases;
        recipe->erosion.steps[level] = (uint8_t)steps;
        recipe->erosion.slides[level] = 1;
    }
    recipe->erosion.zone[0] = droplets_default;
    recipe->lakes = (struct terrane_lakes){
        .share = 1, .level = 3, .cell_log2 = 5, .radius = 24, .depth_m = 300, .shallow_m = 0};
}

/* The key of a region of a product. */
static inline struct product_key kit_region(enum product product, int level, int64_t x, int64_t y,
                                            enum terrane_variant variant)
{
    struct terrane_region region = {TERRANE_REGION_EROSION, level, x, y, variant};
    while (product_of_region(&region).product != product)
        region.kind++;
    return product_of_region(&region);
}

static inline struct tile_key kit_key(int level, int64_t x, int64_t y, enum tile_layer layer,
                                      enum tile_format format, int size, enum tile_variant variant)
{
    struct tile_key key = {.seed = 42,
                           .x = x,
                           .y = y,
                           .level = level,
                           .layer = layer,
                           .variant = variant,
                           .format = format,
                           .size = size};
    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    return key;
}

/* With zeros behind where it is longer; owned. */
static inline struct blob *kit_copy(const struct blob *blob, size_t bytes)
{
    unsigned char *data =
        calloc(1, bytes + 1); /* exact for the sanitizer but for a byte that makes it never empty */
    assert_non_null(data);
    memcpy(data, blob->data, bytes < blob->bytes ? bytes : blob->bytes);
    struct blob *copy = blob_create(&blob->key, &blob->info, data, bytes);
    assert_non_null(copy);
    return copy;
}

/* A fixture: the best kernels. */
static inline int kit_library(void **state)
{
    (void)state;
    return terrane_init(NULL);
}

#endif
