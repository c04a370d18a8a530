/*
 * What the tests of recipes share: recipes that are taken, refused or the same as others, and one in the
 * middle of every limit, so that each of its members can be moved on its own. Include it first: it brings
 * lib_fixture.h.
 */
#ifndef TERRANE_TESTS_RECIPE_KIT_H
#define TERRANE_TESTS_RECIPE_KIT_H

#include "lib_fixture.h"

/* Refused, and left as it was. */
static inline void expect_refused(const struct terrane_recipe *recipe, int error, int where)
{
    struct terrane_recipe copy;
    int at = 77;
    memcpy(&copy, recipe, sizeof copy);
    assert_int_equal(terrane_recipe_init(&copy, &at), error);
    assert_int_equal(at, where);
    assert_memory_equal(&copy, recipe, sizeof copy);
    assert_int_equal(terrane_recipe_init(&copy, NULL), error);
}

/* Taken, and as it was when it is taken again. */
static inline void expect_taken(const struct terrane_recipe *recipe)
{
    struct terrane_recipe copy = *recipe, twice;
    int at = 77;
    assert_int_equal(terrane_recipe_init(&copy, &at), 0);
    assert_int_equal(at, -1);
    memcpy(&twice, &copy, sizeof twice);
    assert_int_equal(terrane_recipe_init(&twice, NULL), 0);
    assert_memory_equal(&twice, &copy, sizeof copy);
}

static inline void expect_same(struct terrane_recipe a, struct terrane_recipe b)
{
    assert_int_equal(terrane_recipe_init(&a, NULL), 0);
    assert_int_equal(terrane_recipe_init(&b, NULL), 0);
    assert_memory_equal(&a, &b, sizeof a);
}

enum { DIGESTS_MAX = 256 };

struct digests {
    int count;
    struct terrane_digest digest[DIGESTS_MAX];
};

/* Takes up a digest that must differ from all so far. */
static inline void digest_new(struct digests *digests, struct terrane_recipe recipe)
{
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    for (int i = 0; i < digests->count; i++)
        assert_memory_not_equal(&recipe.digest, &digests->digest[i], sizeof recipe.digest);
    assert_true(digests->count < DIGESTS_MAX);
    digests->digest[digests->count++] = recipe.digest;
}

enum { BASES, MULTI, HYBRID, SWISS, JORDAN, SMOOTHED, SUM, PRODUCT, BLEND, CURVE, ZONES, HEIGHT, TERMS };

static inline void add_fractals(struct terrane_recipe *recipe)
{
    static const enum terrane_fractal_kind kinds[] = {TERRANE_FBM,    TERRANE_MULTIFRACTAL,
                                                      TERRANE_HYBRID, TERRANE_SWISS,
                                                      TERRANE_JORDAN, TERRANE_MIDPOINT_SMOOTHED};
    for (int i = 0; i < COUNT(kinds); i++) {
        struct terrane_term term = term_fractal(kinds[i], TERRANE_PERLIN3, 4, 1024, 4, 0.5f);
        snprintf(term.name, sizeof term.name, "fractal %d", i);
        term.fractal.salt = (uint32_t)i;
        recipe_add(recipe, term);
    }
    recipe->term[BASES].fractal.base[1] = TERRANE_HERMITE;
    recipe->term[BASES].fractal.base[2] = TERRANE_CELLULAR_F2;
    recipe->term[MULTI].fractal.warp_term[0] = BASES;
    recipe->term[MULTI].fractal.warp_m = 10;
}

static inline void add_operations(struct terrane_recipe *recipe)
{
#define ADD(...) recipe_add(recipe, (struct terrane_term){__VA_ARGS__})
    ADD(.name = "sum", .op = TERRANE_OP_SUM, .inputs = 2, .in = {BASES, MULTI}, .factor = {1, 2},
        .offset = 3);
    ADD(.name = "product", .op = TERRANE_OP_PRODUCT, .inputs = 2, .in = {BASES, HYBRID}, .factor = {0.25f},
        .offset = 3);
    ADD(.name = "blend", .op = TERRANE_OP_BLEND, .inputs = 3, .in = {SWISS, JORDAN, SMOOTHED}, .low = -1,
        .high = 2);
    ADD(.name = "curve", .op = TERRANE_OP_CURVE, .inputs = 1, .in = {SUM}, .knots = 3,
        .knot_x = {-100, 0, 100}, .knot_y = {-10, 0, 50});
    ADD(.name = "zones", .op = TERRANE_OP_ZONES);
    ADD(.name = "height", .op = TERRANE_OP_SUM, .inputs = 4, .in = {PRODUCT, BLEND, CURVE, ZONES},
        .factor = {1, 1, 1, 1});
#undef ADD
}

static inline void add_zones(struct terrane_partition *partition)
{
    for (int z = 0; z < 3; z++) {
        struct terrane_zone *zone = &partition->zone[z];
        *zone = (struct terrane_zone){"zone", z, 1 + (float)z, 5, 2, {1, 2, 3}, {0}, {0}};
        zone->ground = (struct terrane_gradient){.stops = 2, .stop = {{-5, {1, 2, 3}}, {5, {4, 5, 6}}}};
        zone->steep = (struct terrane_gradient){.stops = 1, .stop = {{0, {7, 8, 9}}}};
    }
}

static inline struct terrane_recipe recipe_middle(enum terrane_partition_kind kind)
{
    struct terrane_recipe recipe = {.spacing_m = 2, .low_m = -500, .high_m = 700, .sea_m = 1};
    add_fractals(&recipe);
    add_operations(&recipe);
    recipe.partition = (struct terrane_partition){.kind = kind, .zones = 3, .blend = 0.25f};
    add_zones(&recipe.partition);
    recipe.water = (struct terrane_gradient){.stops = 2, .stop = {{0, {1, 2, 3}}, {50, {4, 5, 6}}}};
    recipe.steep_low = 0.5f;
    recipe.steep_high = 0.75f;
    struct terrane_partition *partition = &recipe.partition;
    if (kind == TERRANE_PARTITION_NOISE) {
        partition->threshold[0] = -1;
        partition->threshold[1] = 1;
        partition->by = BASES;
    } else if (kind == TERRANE_PARTITION_VORONOI) {
        partition->salt = 9;
        partition->cell_log2 = 10;
        partition->jitter = 0.5f;
        partition->rounds = 2;
    } else {
        partition->temperature = BASES;
        partition->moisture = CURVE;
        partition->cold = partition->dry = -10;
        partition->hot = partition->wet = 10;
        partition->table_rows = 2;
        partition->table_columns = 3;
        memcpy(partition->table, (const uint8_t[]){0, 1, 2, 2, 1, 0}, 6);
    }
    return recipe;
}

#endif
