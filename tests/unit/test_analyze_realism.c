/*
 * The recipe that ships is measured as real ground is (terrane analyze): 64 windows of 2048 x 2048 samples at level
 * 5, 65 km wide, one of each seed from 1 to 64 at a hashed place. What they have of coast (where that is 16 km or
 * more) and of land (where that is a fiftieth or more) is pooled.
 *
 * Real coasts have dimensions from 1.02 to 1.25 (Richardson 1961), Norway's 1.52; half of all land is flatter than
 * 5.5 degrees (Tang 2020); hypsometric integrals of 0.35 to 0.6 are called mature (Strahler 1952).
 */
#include "lib_fixture.h"

#include "../../analyze/box_count.h"
#include "../../analyze/ground.h"

enum { WINDOWS = 64, SIDE = 2048, LEVEL = 5 };

/* What the windows come to together. */
struct pool {
    struct box_count coast[WINDOWS];
    int coasts, lands;
    double slope_share[GROUND_DEGREES]; /* samples by degrees */
    double integrals;                   /* sum over windows with land */
};

static struct pool pool;

static struct terrane_window window_of(uint64_t seed)
{
    const int64_t places = INT64_C(1) << (26 - LEVEL); /* within 2^25 m of the origin */
    return (struct terrane_window){
        .level = LEVEL,
        .gi = (int64_t)(hash_mix(seed + 76) % (uint64_t)places) - places / 2,
        .gj = (int64_t)(hash_mix(seed + 7776) % (uint64_t)places) - places / 2,
        .step = 1,
        .width = SIDE,
        .height = SIDE,
    };
}

static void take(const struct raster *raster)
{
    struct box_count coast;
    struct ground ground;
    assert_int_equal(box_count_level(raster, 0, &coast), 0);
    if (coast.sizes == BOX_SIZES && coast.mean[0] > 500) /* some 16 km of coast or more */
        pool.coast[pool.coasts++] = coast;
    ground_measure(raster, 0, &ground);
    if (ground.land < (size_t)SIDE * SIDE / 50)
        return;
    pool.integrals += ground.integral;
    pool.lands++;
    for (int degrees = 0; degrees < GROUND_DEGREES; degrees++)
        pool.slope_share[degrees] += ground.slope_share[degrees] * (double)ground.interior;
}

static int measure_all(void **state)
{
    static struct terrane_recipe recipe;
    const double spacing = 1 << LEVEL;
    struct raster raster;
    if (set_up(state) != 0 || raster_make(&raster, SIDE, SIDE) != 0)
        return -1;
    raster.dx_m = raster.dy_m = spacing;
    terrane_recipe_default(&recipe);
    for (uint64_t seed = 1; seed <= WINDOWS; seed++) {
        struct terrane_world world;
        const struct terrane_window window = window_of(seed);
        terrane_world_init(&world, &recipe, seed);
        if (terrane_heights(&world, &window, scratch, raster.sample) != 0)
            return -1;
        take(&raster);
    }
    raster_free(&raster);
    return 0;
}

static void coasts_are_as_crooked_as_real_ones(void **state)
{
    (void)state;
    const struct box_count all = box_count_pool(pool.coast, pool.coasts);
    const double dimension = box_count_dimension(&all.fit);
    print_message("%d windows with a coast: dimension %.3f, R^2 %.4f\n", pool.coasts, dimension, all.fit.r2);
    assert_true(pool.coasts >= 16);
    assert_true(dimension > 1.10 && dimension < 1.30);
    assert_true(all.fit.r2 > 0.99);
}

static void land_is_as_steep_as_real_land(void **state)
{
    double all = 0, below = 0;
    int degrees = 0;
    (void)state;
    for (int k = 0; k < GROUND_DEGREES; k++)
        all += pool.slope_share[k];
    while (below + pool.slope_share[degrees] < all / 2)
        below += pool.slope_share[degrees++];
    const double median = degrees + (all / 2 - below) / pool.slope_share[degrees];
    print_message("median slope of land %.2f degrees\n", median);
    assert_true(median > 4 && median < 8);
}

static void land_is_neither_young_nor_worn_down(void **state)
{
    (void)state;
    const double integral = pool.integrals / pool.lands;
    print_message("%d windows with land: hypsometric integral %.3f\n", pool.lands, integral);
    assert_true(pool.lands >= 32);
    assert_true(integral > 0.3 && integral < 0.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coasts_are_as_crooked_as_real_ones),
        cmocka_unit_test(land_is_as_steep_as_real_land),
        cmocka_unit_test(land_is_neither_young_nor_worn_down),
    };
    return cmocka_run_group_tests(tests, measure_all, tear_down);
}
