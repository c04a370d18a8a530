/* Slopes, hillshade and relief (lib/shade.c): samples do not know each other; tests/reference has their values. */
#include "../dice_recipe.h"

enum { FEW = 300 };

static struct dice dice;

/* The normal of a slope (rise over run) that falls towards a compass direction, clockwise from north. */
static void normal_of(double slope, double degrees, float normal[3])
{
    const double up = 1 / sqrt(1 + slope * slope), turn = degrees * 0.017453292519943295;
    normal[0] = (float)(slope * up * sin(turn));
    normal[1] = (float)(-slope * up * cos(turn));
    normal[2] = (float)up;
}

/* From level ground to cliffs, as many of each magnitude. */
static void dice_normal(float normal[3])
{
    const double slope = dice_int(&dice, 0, 20) ? exp2(dice_real(&dice, -20, 10)) : 0;
    normal_of(slope, dice_real(&dice, 0, 360), normal);
}

/* ---- Relief: recipes and samples ----------------------------------------------------------------------- */

static void gradient_stop(struct terrane_gradient *gradient, float at_m, int red, int green, int blue)
{
    const int k = gradient->stops++;
    gradient->stop[k].at_m = at_m;
    gradient->stop[k].colour[0] = (uint8_t)red;
    gradient->stop[k].colour[1] = (uint8_t)green;
    gradient->stop[k].colour[2] = (uint8_t)blue;
}

static void dice_gradient(struct terrane_gradient *gradient, int least, double low)
{
    const int stops = dice_int(&dice, least, TERRANE_STOPS_MAX);
    float at = (float)low;
    for (int k = 0; k < stops; k++) {
        gradient_stop(gradient, at, dice_int(&dice, 0, 255), dice_int(&dice, 0, 255),
                      dice_int(&dice, 0, 255));
        at += (float)exp2(dice_real(&dice, -10, 10));
    }
}

static struct terrane_recipe dice_colours(void)
{
    struct terrane_recipe recipe = {.sea_m =
                                        dice_int(&dice, 0, 2) ? (float)dice_real(&dice, -300, 300) : -32768};
    recipe.steep_low = (float)dice_real(&dice, 0, 1);
    recipe.steep_high = recipe.steep_low + (float)exp2(dice_real(&dice, -10, 2));
    recipe.partition.zones = dice_int(&dice, 1, TERRANE_ZONES_MAX);
    dice_gradient(&recipe.water, 0, dice_real(&dice, 0, 10));
    for (int z = 0; z < recipe.partition.zones; z++) {
        struct terrane_zone *zone = &recipe.partition.zone[z];
        for (int c = 0; c < 3; c++)
            zone->colour[c] = (uint8_t)dice_int(&dice, 0, 255);
        dice_gradient(&zone->ground, 0, dice_real(&dice, -500, 500));
        dice_gradient(&zone->steep, 0, dice_real(&dice, -500, 500));
    }
    return recipe;
}

struct ground {
    float height[FEW], normal[3 * FEW], weight[TERRANE_ZONES_MAX * FEW];
};

/* Ground that rolls, so that blocks are now narrow and now wide; one to three zones at a place. */
static void dice_ground(struct ground *ground, const struct terrane_recipe *recipe)
{
    const int zones = recipe->partition.zones;
    const double wide = exp2(dice_real(&dice, 0, 11)), middle = dice_real(&dice, -500, 500),
                 wave = dice_real(&dice, 0.001, 0.3);
    for (int i = 0; i < FEW; i++) {
        float *weight = ground->weight + (size_t)i * (size_t)zones;
        double rest = 1;
        ground->height[i] = (float)(middle + wide * sin(wave * i) + dice_real(&dice, -1, 1));
        if (dice_int(&dice, 0, 30) == 0) /* on a stop */
            ground->height[i] = recipe->partition.zone[0].ground.stop[dice_int(&dice, 0, 7)].at_m;
        dice_normal(ground->normal + 3 * i);
        memset(weight, 0, (size_t)zones * sizeof *weight);
        for (int k = dice_int(&dice, 0, 2); k > 0; k--) {
            const double part = dice_real(&dice, 0, rest);
            weight[(i / 50 + k) % zones] += (float)part;
            rest -= part;
        }
        weight[(i / 50) % zones] += (float)rest;
    }
}

static void relief_of(const struct terrane_recipe *recipe, const struct ground *ground, uint8_t *rgb)
{
    terrane_relief(recipe, ground->height, ground->normal, ground->weight, NULL, FEW, rgb);
}

/* ---- Relief: what it promises -------------------------------------------------------------------------- */

/* However the samples are split, the bytes are the same, and nothing is written behind them. */
static void samples_do_not_know_each_other(void **state)
{
    static struct ground ground;
    uint8_t whole[3 * FEW], split[3 * FEW + 1], shade[FEW], shade_split[FEW + 1];
    float degrees[FEW], degrees_split[FEW + 1];
    (void)state;
    for (int set = 0; set < 300; set++) {
        const struct terrane_recipe recipe = dice_colours();
        const size_t zones = (size_t)recipe.partition.zones;
        dice_ground(&ground, &recipe);
        relief_of(&recipe, &ground, whole);
        terrane_hillshade(ground.normal, FEW, shade);
        terrane_slopes(ground.normal, FEW, degrees);
        for (size_t at = 0, count; at < FEW; at += count) {
            count = (size_t)dice_int(&dice, 0, set % 2 ? 3 : 150);
            count = count < FEW - at ? count : FEW - at;
            split[3 * (at + count)] = shade_split[at + count] = 99;
            degrees_split[at + count] = 99;
            terrane_relief(&recipe, ground.height + at, ground.normal + 3 * at, ground.weight + zones * at,
                           NULL, count, split + 3 * at);
            terrane_hillshade(ground.normal + 3 * at, count, shade_split + at);
            terrane_slopes(ground.normal + 3 * at, count, degrees_split + at);
            assert_true(split[3 * (at + count)] == 99 && shade_split[at + count] == 99);
            assert_true(degrees_split[at + count] == 99);
        }
        assert_memory_equal(whole, split, sizeof whole);
        assert_memory_equal(shade, shade_split, sizeof shade);
        assert_memory_equal(degrees, degrees_split, sizeof degrees);
    }
}

static const float upright[3] = {0, 0, 1};

static void nothing_makes_nothing(void **state)
{
    const struct terrane_recipe recipe = {.partition.zones = 1};
    uint8_t byte = 7;
    float value = 7;
    (void)state;
    terrane_slopes(upright, 0, &value);
    terrane_hillshade(upright, 0, &byte);
    terrane_relief(&recipe, upright, upright, upright, NULL, 0, &byte);
    assert_true(byte == 7 && value == 7);
}

UNIT(shade)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_do_not_know_each_other),
        cmocka_unit_test(nothing_makes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
