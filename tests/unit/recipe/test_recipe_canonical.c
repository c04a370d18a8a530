/*
 * Recipes (lib/recipe_canonical.c, lib/recipe.c, lib/recipe/recipe_default.c): the canonical form, whether slopes
 * are analytic, and recipes that are ready.
 */
#include "../recipe_kit.h"

#include <limits.h>

/* Everything that does not count in a fractal of plain octaves. */
static void spoil_fractal(struct terrane_fractal *fractal)
{
    memset(fractal->base + fractal->octaves, 0xEE, (size_t)(TERRANE_OCTAVES_MAX - fractal->octaves));
    fractal->weight = fractal->jitter = NAN;
    fractal->offset = fractal->sharpness = fractal->warp = fractal->damp = INFINITY;
    fractal->warp_term[0] = 1000;
    fractal->warp_term[1] = INT_MIN;
    fractal->warp_m = -0.0f;
}

TEST(terms_are_rid_of_what_does_not_count)
{
    const struct terrane_recipe middle = recipe_middle(TERRANE_PARTITION_NOISE);
    struct terrane_recipe plain = recipe_fractal(TERRANE_VALUE, 3, 9, 5, 0.5f), other = plain;

    spoil_fractal(&other.term[0].fractal);
    other.term[0].inputs = -3;
    other.term[0].in[2] = 99;
    other.term[0].factor[0] = other.term[0].low = other.term[0].offset = NAN;
    other.term[0].knots = 1000;
    expect_same(plain, other);

    other = middle;
    memset(other.term[SMOOTHED].fractal.base, 0xEE, TERRANE_OCTAVES_MAX); /* MIDPOINT takes none */
    other.term[SMOOTHED].fractal.warp_term[0] = 1;
    other.term[SMOOTHED].fractal.warp_m = 5;
    other.term[SMOOTHED].fractal.weight = 4;
    other.term[MULTI].fractal.weight = other.term[MULTI].fractal.jitter = NAN; /* no base takes them */
    other.term[SUM].in[2] = other.term[SUM].in[7] = -9;
    other.term[SUM].factor[2] = other.term[SUM].low = NAN;
    other.term[SUM].fractal.octaves = INT_MAX;
    other.term[PRODUCT].factor[1] = NAN;
    other.term[BLEND].factor[0] = other.term[BLEND].offset = NAN;
    other.term[BLEND].in[3] = 700;
    other.term[CURVE].knot_x[3] = other.term[CURVE].knot_y[11] = other.term[CURVE].offset = NAN;
    other.term[ZONES].inputs = 9;
    other.term[ZONES].knots = -1;
    memset(&other.term[TERMS], 0xFF, sizeof other.term[TERMS]); /* behind the last */
    memset(other.term[SUM].name + 4, 'x', 20);
    other.term[SUM].name[3] = '\0';
    expect_same(middle, other);
}

TEST(partitions_are_rid_of_what_does_not_count)
{
    for (int kind = 0; kind < TERRANE_PARTITION_KINDS; kind++) {
        const struct terrane_recipe middle = recipe_middle((enum terrane_partition_kind)kind);
        struct terrane_recipe other = middle, one = middle;
        struct terrane_partition *partition = &other.partition;
        if (kind != TERRANE_PARTITION_NOISE) {
            partition->by = 99;
            partition->threshold[0] = NAN;
        }
        if (kind != TERRANE_PARTITION_VORONOI) {
            partition->salt = 5;
            partition->cell_log2 = -1;
            partition->jitter = partition->zone[1].share = NAN;
            partition->rounds = 77;
        }
        if (kind != TERRANE_PARTITION_CLIMATE) {
            partition->temperature = partition->moisture = -7;
            partition->cold = partition->wet = NAN;
            partition->table_rows = 1000;
            memset(partition->table, 0xEE, sizeof partition->table);
        }
        partition->threshold[2] = NAN;
        memset(&partition->zone[3], 0xFF, 13 * sizeof partition->zone[3]);
        partition->zone[0].ground.stop[2].at_m = NAN;
        expect_same(middle, other);

        one.partition.zones = other.partition.zones = 1;
        partition->kind = TERRANE_PARTITION_KINDS;
        partition->blend = NAN;
        partition->threshold[1] = partition->zone[0].share = partition->cold = NAN;
        partition->by = partition->temperature = partition->moisture = INT_MIN;
        expect_same(one, other);
    }
}

TEST(names_end_and_zeros_lose_their_sign)
{
    struct terrane_recipe recipe = recipe_middle(TERRANE_PARTITION_NOISE), other = recipe;

    recipe.sea_m = recipe.term[SUM].offset = recipe.partition.threshold[0] = recipe.term[CURVE].knot_y[0] = 0;
    other.sea_m = other.term[SUM].offset = other.partition.threshold[0] = other.term[CURVE].knot_y[0] = -0.0f;
    recipe.partition.zone[2].offset_m = recipe.water.stop[0].at_m = recipe.term[MULTI].fractal.gain = 0;
    other.partition.zone[2].offset_m = other.water.stop[0].at_m = other.term[MULTI].fractal.gain = -0.0f;
    memset(other.partition.zone[2].name, 'n', 24);
    memset(recipe.partition.zone[2].name, 'n', 23);
    memset(other.term[0].name, 't', 24);
    memcpy(recipe.term[0].name, other.term[0].name, 23);
    recipe.partition.zone[1].term = other.partition.zone[1].term = -1;
    recipe.partition.zone[1].amplitude = 0;
    other.partition.zone[1].amplitude = NAN; /* of nothing */
    expect_same(recipe, other);
    assert_int_equal(terrane_recipe_init(&other, NULL), 0);
    assert_false(signbit(other.sea_m) || signbit(other.term[SUM].offset));
    assert_int_equal(strlen(other.term[0].name), 23);
}

TEST(canonical_recipes_stay)
{
    struct dice dice = {0x7EC1};
    int eroded = 0;

    for (int n = 0; n < 3000; n++) {
        struct terrane_recipe recipe;
        dice_recipe(&dice, &recipe);
        expect_taken(&recipe);
        dice_erosion(&dice, &recipe, TERRANE_LEVEL_MAX + 1);
        eroded += recipe.erosion.levels > 0;
        expect_taken(&recipe);
    }
    assert_true(eroded > 1000); /* the others move or reach too far */
}

static bool is_analytic(struct terrane_recipe recipe)
{
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    return recipe.analytic;
}

TEST(slopes_are_analytic_where_all_are)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 2, 9, 5, 0.5f);

    for (int kind = 0; kind < TERRANE_FRACTAL_KINDS; kind++) {
        const bool rough = kind == TERRANE_IQ || kind == TERRANE_SWISS || kind == TERRANE_JORDAN ||
                           kind == TERRANE_MIDPOINT || kind == TERRANE_MIDPOINT_SMOOTHED;
        struct terrane_recipe warped = recipe_fractal(TERRANE_SIMPLEX, 2, 9, 5, 0.5f), unused;
        warped.term[0].fractal.kind = (enum terrane_fractal_kind)kind;
        assert_int_equal(is_analytic(warped), !rough);
        recipe_add(&warped, recipe.term[0]);
        assert_true(is_analytic(warped)); /* the first is unused */
        warped.term[1].fractal.warp_term[1] = 0;
        assert_true(is_analytic(warped)); /* by nothing */
        warped.term[1].fractal.warp_m = 3;
        assert_int_equal(is_analytic(warped), !rough);
        unused = warped;
        recipe_add(&unused, (struct terrane_term){.op = TERRANE_OP_ZONES});
        unused.partition.zone[0].term = 1;
        assert_int_equal(is_analytic(unused), !rough); /* through the zones */
    }
    for (int kind = 0; kind < TERRANE_PARTITION_KINDS; kind++) {
        recipe = recipe_middle((enum terrane_partition_kind)kind);
        for (int i = SWISS; i <= SMOOTHED; i++)
            recipe.term[i].fractal.kind = TERRANE_RIDGED;
        assert_int_equal(is_analytic(recipe), kind == TERRANE_PARTITION_NOISE);
        recipe.partition.zones = 1;
        assert_true(is_analytic(recipe));
        recipe.terms = ZONES; /* no zones in the height */
        recipe.partition.zones = 3;
        assert_true(is_analytic(recipe));
    }
    recipe = recipe_middle(TERRANE_PARTITION_NOISE); /* through what the partition asks */
    recipe.terms = ZONES + 1;
    assert_true(is_analytic(recipe));
    recipe.partition.by = JORDAN;
    assert_false(is_analytic(recipe));
}

TEST(plain_fractals_are_taken)
{
    for (int kind = 0; kind < TERRANE_FRACTAL_KINDS; kind++) {
        struct terrane_recipe recipe = recipe_flat();
        recipe.term[0] = terrane_term_fractal((enum terrane_fractal_kind)kind);
        expect_taken(&recipe);
        const struct terrane_fractal *fractal = &recipe.term[0].fractal;
        assert_true(fractal->octaves == 1 && fractal->cell == 256 && fractal->lacunarity == 2);
        assert_true(fractal->amplitude_m == 1 && fractal->gain == 0.5f && fractal->weight == 1);
        assert_true(fractal->base[0] == TERRANE_PERLIN5 && fractal->base[23] == TERRANE_PERLIN5);
        assert_true(fractal->warp_term[0] == -1 && fractal->warp_term[1] == -1 && fractal->warp_m == 0);
    }
    assert_true(terrane_term_fractal(TERRANE_SWISS).fractal.warp == 0.15f);
    assert_true(terrane_term_fractal(TERRANE_JORDAN).fractal.damp == 0.8f);
}

TEST(the_default_recipe_is_ready)
{
    struct terrane_recipe recipe, again;

    memset(&recipe, 0xA5, sizeof recipe);
    terrane_recipe_default(&recipe);
    memcpy(&again, &recipe, sizeof again);
    assert_int_equal(terrane_recipe_init(&again, NULL), 0);
    assert_memory_equal(&again, &recipe, sizeof again);
    assert_memory_not_equal(&recipe.digest, &(struct terrane_digest){{0}}, sizeof recipe.digest);
}

GROUP(recipe_canonical);
