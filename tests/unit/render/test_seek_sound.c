/*
 * What soundings rest on (server/render/seek_sound.c): between samples of a coarse level ground is no higher than they say.
 *
 * Runs at the root of the repository and reads config/worlds.
 */
#include "../lib_fixture.h"

#include "../../../lib/terrane_make.h"
#include "../../../server/recipe/recipe_json.h"
#include "../../../server/render/seek_parts.h"

enum { PLACES = 400, FINER_MAX = 5, SIDE_MAX = (2 << FINER_MAX) + 1 };

static const double world_m = 8e6; /* places lie within so far from the middle */

static void heights(const struct terrane_world *world, int level, int64_t gi, int64_t gj, int side, float *to)
{
    const struct terrane_window window = {level, gi, gj, 1, side, side};
    assert_int_equal(terrane_heights(world, &window, NULL, to), 0);
}

static void bounds_of(const float *height, int count, float *low, float *high)
{
    *low = *high = height[0];
    for (int k = 1; k < count; k++) {
        *low = height[k] < *low ? height[k] : *low;
        *high = height[k] > *high ? height[k] : *high;
    }
}

struct found {
    int deep, over; /* places under the sea; those of them whose finer ground is above all samples around */
    double share;   /* the largest part that finer ground needs of what it may stand over these */
};

/* Sounds random places as a search would, on ground that nothing has moved. */
static void sound(const struct terrane_world *world, int coarse, int fine, struct found *found)
{
    static float samples[9], finer[SIDE_MAX * SIDE_MAX];
    const int by = coarse - fine, side = (2 << by) + 1;
    struct terrane_ground_errors errors;
    struct dice dice = {.state = 20};
    assert_in_range(by, 1, FINER_MAX);
    terrane_ground_errors(world->recipe, coarse, &errors);
    const int64_t reach = (int64_t)(world_m / terrane_lattice_m(world, coarse, 1));
    for (int k = 0; k < PLACES; k++) {
        const int64_t gi = dice_whole(&dice, -reach, reach), gj = dice_whole(&dice, -reach, reach);
        float low, high, least, most;
        heights(world, coarse, gi, gj, 3, samples);
        bounds_of(samples, 9, &low, &high);
        if (high >= world->recipe->sea_m)
            continue;
        heights(world, fine, gi * (INT64_C(1) << by), gj * (INT64_C(1) << by), side, finer);
        bounds_of(finer, side * side, &least, &most);
        const double may = (double)(seek_sound_most(low, high) - high) + errors.terms_m,
                     share = (double)(most - high) / may;
        assert_true(may > 0);
        found->deep++;
        found->over += most > high;
        found->share = share > found->share ? share : found->share;
    }
}

TEST(ground_between_samples_is_no_higher_than_soundings_say)
{
    static struct recipe shipped;
    char error[TERRANE_REFUSAL_BYTES + 256];
    assert_int_equal(recipe_load(&shipped, "config/worlds/wayfarer.json", error, sizeof error), 0);
    const struct terrane_recipe *recipe = &shipped.world;
    struct terrane_world world;
    terrane_world_init(&world, recipe, 42);
    const int levels[] = {recipe->caves.level, recipe->paths.level};
    for (int k = 0; k < 2; k++) {
        struct found found = {0};
        sound(&world, recipe->rivers.bottom + 2, levels[k], &found);
        assert_in_range(found.deep, 50, PLACES);
        assert_in_range(found.over, 10, found.deep); /* samples alone would not do */
        if (found.share >= 0.2)
            fail_msg("level %d: finer ground needs %.3f of what it may stand higher", levels[k], found.share);
    }
}

GROUP(seek_sound);
