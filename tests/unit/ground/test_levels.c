/*
 * Levels of detail: where the same octaves take part, a level's samples are every second one of the level below, to the
 * last bit (lib/plan.c).
 */
#include "../lib_fixture.h"

/* Whether the same octaves of all fractals take part at two levels, and a partition is made in the same way. */
static bool same_octaves(const struct terrane_recipe *recipe, int a, int b)
{
    for (int t = 0; t < recipe->terms; t++) {
        const struct terrane_fractal *fractal = &recipe->term[t].fractal;
        if (recipe->term[t].op != TERRANE_OP_FRACTAL || fractal->kind >= TERRANE_MIDPOINT)
            continue; /* midpoints are subsets at every level */
        double cell = fractal->cell;
        for (int i = 0; i < fractal->octaves; i++, cell /= fractal->lacunarity)
            if ((cell >= ldexp(recipe->alias_octaves ? 1 : 2, a)) !=
                (cell >= ldexp(recipe->alias_octaves ? 1 : 2, b)))
                return false;
    }
    /* a Voronoi partition's points are scattered while they span 2 samples, its cells while they span 8 */
    return recipe->partition.zones == 1 || recipe->partition.kind != TERRANE_PARTITION_VORONOI ||
           b + 8 < recipe->partition.cell_log2;
}

/* A window, and the same ground one level up: compares heights and zones. Returns whether all agree. */
static void expect_subset(const struct terrane_world *world, int level, int64_t gi, int64_t gj,
                          const char *what)
{
    const struct terrane_window fine = {
        .level = level, .gi = 2 * gi, .gj = 2 * gj, .step = 2, .width = 70, .height = 9};
    const struct terrane_window coarse = {
        .level = level + 1, .gi = gi, .gj = gj, .step = 1, .width = 70, .height = 9};
    for (int layer = 0; layer < LAYER_COUNT; layer++) {
        if (layer == LAYER_NORMALS && !world->recipe->analytic)
            continue; /* differences over other distances */
        const size_t bytes = window_samples(&fine) * layer_sample_bytes(world, (enum layer)layer);
        void *a = layer_new(world, (enum layer)layer, &fine, scratch),
             *b = layer_new(world, (enum layer)layer, &coarse, scratch);
        if (memcmp(a, b, bytes) != 0)
            fail_msg("%s, layer %d: %s is no subset", what, layer, window_text(&coarse));
        free(a);
        free(b);
    }
}

static void levels_are_subsets(void **state)
{
    struct dice dice = {101};
    int compared = 0;

    (void)state;
    for (int n = 0; n < 300; n++) {
        struct dice_world any;
        char what[16];
        dice_world(&dice, &any);
        snprintf(what, sizeof what, "set %d", n);
        for (int level = 0; level < TERRANE_LEVEL_MAX; level += dice_int(&dice, 1, 4)) {
            if (!same_octaves(&any.recipe, level, level + 1))
                continue;
            expect_subset(&any.world, level, dice_place(&dice, &any.world, level, 1) / 4,
                          dice_place(&dice, &any.world, level, 2) / 4, what);
            compared++;
        }
    }
    assert_true(compared > 500);
}

UNIT(levels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_subsets),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
