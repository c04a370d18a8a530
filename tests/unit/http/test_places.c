/*
 * Places on the ground (server/http/places.c): which samples they lie between.
 */
#include "../unit.h"

#include "../../../server/http/places.h"

static struct terrane_recipe recipe;

static struct terrane_world world_of(double spacing_m)
{
    recipe.spacing_m = spacing_m;
    return (struct terrane_world){.recipe = &recipe};
}

static struct point located(double spacing_m, int level, double x_m, double y_m)
{
    const struct terrane_world world = world_of(spacing_m);
    struct body_complaint complaint;
    struct places *places = places_one(x_m, y_m);
    assert_non_null(places);
    assert_true(places_locate(places, &world, level, &complaint));
    const struct point point = places->point[0];
    assert_int_equal(places->tiles, point.outside ? 0 : 1);
    free(places);
    return point;
}

/* Also where the spacing is no power of two, and a division would miss. */
TEST(test_samples_places_are_theirs)
{
    static const double spacing[] = {1, 0.1, 1.0 / 3, 30.87, 0x1p-10, 1e6};
    uint64_t dice = 1;
    for (int n = 0; n < 200000; n++) {
        dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t g = ((int64_t)dice >> 15) >> (n % 49);
        const int level = n % 25;
        const struct terrane_world world = world_of(spacing[n % 6]);
        const struct point point = located(recipe.spacing_m, level, terrane_lattice_m(&world, level, g), 0);
        int64_t gi, gj;
        assert_null(point.outside);
        assert_true(point.east == 0 && point.south == 0);
        assert_int_equal(point.tile_x * 256 + point.column, g);
        point_nearest(&point, &gi, &gj);
        assert_int_equal(gi, g);
        assert_int_equal(gj, 0);
    }
    const struct point point = located(1, 0, -1e-300, 0); /* nearer to 0 than to any double above -1 */
    assert_true(point.tile_x == -1 && point.column == 255 && point.east == 1);
}

GROUP(places);
