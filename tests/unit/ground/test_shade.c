/* Slopes, hillshade and relief (lib/shade.c), against libm, known values and a plain relief in binary64. */
#include "../unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../lib/terrane.h"

enum { MANY = 1 << 16, FEW = 300 };

/* ---- Dice ---------------------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t dice_state;

static uint64_t dice_bits(void)
{
    uint64_t z = dice_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static double dice_real(double low, double high)
{
    return low + (high - low) * ((double)(dice_bits() >> 11) * 0x1p-53);
}

static int dice_int(int low, int high)
{
    return low + (int)(dice_bits() % (uint64_t)(high - low + 1));
}

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
    const double slope = dice_int(0, 20) ? exp2(dice_real(-20, 10)) : 0;
    normal_of(slope, dice_real(0, 360), normal);
}

/* ---- Slopes -------------------------------------------------------------------------------------------- */

static double slope_true(const float normal[3])
{
    return atan2(hypot((double)normal[0], (double)normal[1]), (double)normal[2]) * 57.29577951308232;
}

static void slopes_are_within_a_thousandth_of_a_degree(void **state)
{
    static float normals[3 * MANY], degrees[MANY];
    double worst = 0;
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        if (i < MANY / 2)
            normal_of(tan((double)i / (MANY / 2) * 1.5707), 360.0 * (double)i / 1000, normals + 3 * i);
        else
            dice_normal(normals + 3 * i);
    terrane_slopes(normals, MANY, degrees);
    for (size_t i = 0; i < MANY; i++) {
        const double off = fabs((double)degrees[i] - slope_true(normals + 3 * i));
        worst = off > worst ? off : worst;
        assert_true(degrees[i] >= 0 && degrees[i] <= 90);
    }
    assert_true(worst < 0.0001);
}

static void slopes_have_their_ends(void **state)
{
    static const float normals[] = {0, 0, 1, 0.70710678f, 0, 0.70710678f, 0, -1, 0, 0, -0.6f, 0.8f};
    float degrees[4];
    (void)state;
    terrane_slopes(normals, 4, degrees);
    assert_true(degrees[0] == 0 && !signbit(degrees[0]));
    assert_true(fabsf(degrees[1] - 45) < 1e-4f);
    assert_true(degrees[2] == 90);
    assert_true(fabsf(degrees[3] - 36.869898f) < 1e-4f);
}

/* A steeper slope never has fewer degrees than a gentler one, but for roundings. */
static void slopes_rise(void **state)
{
    float last = 0;
    (void)state;
    for (double slope = 0; slope < 1024; slope = slope * 1.001 + 1e-5) {
        float normal[3], degrees;
        normal_of(slope, 0, normal);
        terrane_slopes(normal, 1, &degrees);
        assert_true(degrees >= last - 2e-5f);
        last = degrees;
    }
    assert_true(last > 89.9f && last < 90);
}

/* ---- Hillshade ----------------------------------------------------------------------------------------- */

static int shade_of(double slope, double degrees)
{
    float normal[3];
    uint8_t shade;
    normal_of(slope, degrees, normal);
    terrane_hillshade(normal, 1, &shade);
    return shade;
}

static void hillshade_has_its_known_values(void **state)
{
    (void)state;
    assert_int_equal(shade_of(0, 0), 180);
    assert_int_equal(shade_of(1, 315), 255);    /* straight at the sun */
    assert_int_equal(shade_of(1, 135), 0);      /* along its rays */
    assert_int_equal(shade_of(4, 135), 0);      /* behind them */
    assert_in_range(shade_of(1, 45), 127, 128); /* cosine 1/2 */
    assert_in_range(shade_of(1, 225), 127, 128);
    assert_in_range(shade_of(1e6, 315), 179, 181); /* a wall in the north-west's light */
    assert_true(shade_of(0.2, 315) > 180 && shade_of(0.2, 270) > 180 && shade_of(0.2, 0) > 180);
    assert_true(shade_of(0.2, 135) < 180 && shade_of(0.2, 90) < 180 && shade_of(0.2, 180) < 180);
}

static void hillshade_is_the_cosine(void **state)
{
    (void)state;
    for (int i = 0; i < MANY; i++) {
        float n[3];
        uint8_t shade;
        dice_normal(n);
        terrane_hillshade(n, 1, &shade);
        const double cosine = sqrt(0.5) * (double)n[2] - 0.5 * ((double)n[0] + (double)n[1]);
        assert_true(fabs((cosine > 0 ? cosine : 0) * 255 - shade) < 0.5001);
    }
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
    const int stops = dice_int(least, TERRANE_STOPS_MAX);
    float at = (float)low;
    for (int k = 0; k < stops; k++) {
        gradient_stop(gradient, at, dice_int(0, 255), dice_int(0, 255), dice_int(0, 255));
        at += (float)exp2(dice_real(-10, 10));
    }
}

static struct terrane_recipe dice_recipe(void)
{
    struct terrane_recipe recipe = {.sea_m = dice_int(0, 2) ? (float)dice_real(-300, 300) : -32768};
    recipe.steep_low = (float)dice_real(0, 1);
    recipe.steep_high = recipe.steep_low + (float)exp2(dice_real(-10, 2));
    recipe.partition.zones = dice_int(1, TERRANE_ZONES_MAX);
    dice_gradient(&recipe.water, 0, dice_real(0, 10));
    for (int z = 0; z < recipe.partition.zones; z++) {
        struct terrane_zone *zone = &recipe.partition.zone[z];
        for (int c = 0; c < 3; c++)
            zone->colour[c] = (uint8_t)dice_int(0, 255);
        dice_gradient(&zone->ground, 0, dice_real(-500, 500));
        dice_gradient(&zone->steep, 0, dice_real(-500, 500));
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
    const double wide = exp2(dice_real(0, 11)), middle = dice_real(-500, 500), wave = dice_real(0.001, 0.3);
    for (int i = 0; i < FEW; i++) {
        float *weight = ground->weight + (size_t)i * (size_t)zones;
        double rest = 1;
        ground->height[i] = (float)(middle + wide * sin(wave * i) + dice_real(-1, 1));
        if (dice_int(0, 30) == 0) /* on a stop */
            ground->height[i] = recipe->partition.zone[0].ground.stop[dice_int(0, 7)].at_m;
        dice_normal(ground->normal + 3 * i);
        memset(weight, 0, (size_t)zones * sizeof *weight);
        for (int k = dice_int(0, 2); k > 0; k--) {
            const double part = dice_real(0, rest);
            weight[(i / 50 + k) % zones] += (float)part;
            rest -= part;
        }
        weight[(i / 50) % zones] += (float)rest;
    }
}

/* ---- Relief: the plain way ----------------------------------------------------------------------------- */

static double gradient_true(const struct terrane_gradient *gradient, double v, int channel)
{
    int k = 0;
    while (k < gradient->stops && (double)gradient->stop[k].at_m <= v)
        k++;
    if (k == 0 || k == gradient->stops)
        return gradient->stop[k ? k - 1 : 0].colour[channel];
    const double from = (double)gradient->stop[k - 1].at_m, to = (double)gradient->stop[k].at_m;
    const double low = gradient->stop[k - 1].colour[channel], high = gradient->stop[k].colour[channel];
    return low + (high - low) * ((v - from) / (to - from));
}

/* A channel of a sample on land. */
static double land_true(const struct terrane_recipe *recipe, const struct ground *ground, int i, int channel)
{
    static const double sky[3] = {0.32, 0.34, 0.38};
    const float *n = ground->normal + 3 * i;
    const double slope = hypot((double)n[0], (double)n[1]) / (double)n[2], height = (double)ground->height[i];
    double t = (slope - (double)recipe->steep_low) / ((double)recipe->steep_high - (double)recipe->steep_low);
    double sun = (double)n[2] - ((double)n[0] + (double)n[1]) * sqrt(0.5), sum = 0;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    t = t * t * t * (t * (t * 6 - 15) + 10);
    sun = sun > 0 ? sun : 0;
    for (int z = 0; z < recipe->partition.zones; z++) {
        const struct terrane_zone *zone = &recipe->partition.zone[z];
        const double low =
            zone->ground.stops ? gradient_true(&zone->ground, height, channel) : zone->colour[channel];
        const double high = zone->steep.stops ? gradient_true(&zone->steep, height, channel) : low;
        sum += (double)ground->weight[i * recipe->partition.zones + z] * (low + (high - low) * t);
    }
    sum *= sky[channel] + (1 - sky[channel]) * sun;
    return sum < 255 ? sum : 255;
}

static void relief_of(const struct terrane_recipe *recipe, const struct ground *ground, uint8_t *rgb)
{
    terrane_relief(recipe, ground->height, ground->normal, ground->weight, NULL, FEW, rgb);
}

/* Half a step is a byte's own rounding; all others together have 1/100. */
static void relief_is_what_it_says(void **state)
{
    static struct ground ground;
    uint8_t rgb[3 * FEW];
    int land = 0;
    (void)state;
    for (int set = 0; set < 200; set++) {
        const struct terrane_recipe recipe = dice_recipe();
        dice_ground(&ground, &recipe);
        relief_of(&recipe, &ground, rgb);
        for (int i = 0; i < FEW; i++)
            for (int c = 0; c < 3 && ground.height[i] >= recipe.sea_m; c++) {
                const double off = fabs(land_true(&recipe, &ground, i, c) - rgb[3 * i + c]);
                assert_true(off < 0.51);
                land++;
            }
    }
    assert_true(land > 20000);
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
        const struct terrane_recipe recipe = dice_recipe();
        const size_t zones = (size_t)recipe.partition.zones;
        dice_ground(&ground, &recipe);
        relief_of(&recipe, &ground, whole);
        terrane_hillshade(ground.normal, FEW, shade);
        terrane_slopes(ground.normal, FEW, degrees);
        for (size_t at = 0, count; at < FEW; at += count) {
            count = (size_t)dice_int(0, set % 2 ? 3 : 150);
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

/* A level sample's colour. */
static void level_at(const struct terrane_recipe *recipe, float height, const float *weights, uint8_t rgb[3])
{
    terrane_relief(recipe, &height, upright, weights, NULL, 1, rgb);
}

static void expect_colour(const uint8_t *rgb, int red, int green, int blue)
{
    assert_int_equal(rgb[0], red);
    assert_int_equal(rgb[1], green);
    assert_int_equal(rgb[2], blue);
}

static void level_ground_has_the_stops_colours(void **state)
{
    static const float all[1] = {1};
    struct terrane_recipe recipe = {.sea_m = -100, .steep_low = 0.25f, .steep_high = 1, .partition.zones = 1};
    struct terrane_gradient *ground = &recipe.partition.zone[0].ground;
    uint8_t rgb[3];
    (void)state;
    gradient_stop(ground, 0.1f, 10, 200, 31);
    gradient_stop(ground, 300.3f, 110, 100, 32);
    gradient_stop(ground, 1000, 255, 255, 255);
    gradient_stop(&recipe.partition.zone[0].steep, 0, 1, 2, 3);
    level_at(&recipe, -50, all, rgb);
    expect_colour(rgb, 10, 200, 31);
    level_at(&recipe, 0.1f, all, rgb);
    expect_colour(rgb, 10, 200, 31);
    level_at(&recipe, 150.2f, all, rgb); /* half way: 60, 150, 31.5 */
    expect_colour(rgb, 60, 150, 32);
    level_at(&recipe, 300.3f, all, rgb);
    expect_colour(rgb, 110, 100, 32);
    level_at(&recipe, 1000, all, rgb);
    expect_colour(rgb, 255, 255, 255);
    level_at(&recipe, 5000, all, rgb);
    expect_colour(rgb, 255, 255, 255);
}

static void zones_without_stops_have_their_own_colour(void **state)
{
    static const float weights[3][2] = {{1, 0}, {0, 1}, {0.5f, 0.5f}};
    struct terrane_recipe recipe = {
        .sea_m = -1000, .steep_low = 0.25f, .steep_high = 1, .partition.zones = 2};
    uint8_t rgb[3];
    (void)state;
    memcpy(recipe.partition.zone[0].colour, (uint8_t[]){40, 80, 120}, 3);
    memcpy(recipe.partition.zone[1].colour, (uint8_t[]){60, 20, 121}, 3);
    level_at(&recipe, 700, weights[0], rgb);
    expect_colour(rgb, 40, 80, 120);
    level_at(&recipe, -700, weights[1], rgb);
    expect_colour(rgb, 60, 20, 121);
    level_at(&recipe, 0, weights[2], rgb);
    expect_colour(rgb, 50, 50, 121); /* 120.5 goes up */
}

static void weights_blend_without_turning_back(void **state)
{
    struct terrane_recipe recipe = {
        .sea_m = -1000, .steep_low = 0.25f, .steep_high = 1, .partition.zones = 2};
    int last = 255;
    (void)state;
    gradient_stop(&recipe.partition.zone[0].ground, 0, 255, 0, 7);
    gradient_stop(&recipe.partition.zone[1].ground, 0, 0, 255, 7);
    for (int k = 0; k <= 4096; k++) {
        const float weights[2] = {1 - (float)k / 4096, (float)k / 4096};
        uint8_t rgb[3];
        level_at(&recipe, 3, weights, rgb);
        assert_true(rgb[0] <= last && rgb[0] + rgb[1] >= 255 && rgb[0] + rgb[1] <= 256);
        assert_int_equal(rgb[2], 7);
        last = rgb[0];
    }
    assert_int_equal(last, 0);
}

/* Told by the share of red, as the light changes with the slope, too. */
static void steep_ground_changes_colour(void **state)
{
    static const float one = 1, height = 10;
    struct terrane_recipe recipe = {
        .sea_m = -1000, .steep_low = 0.25f, .steep_high = 1, .partition.zones = 1};
    struct terrane_zone *zone = &recipe.partition.zone[0];
    uint8_t first[3], last[3], rgb[3];
    float normal[3];
    double share = -1;
    (void)state;
    gradient_stop(&zone->ground, 0, 0, 200, 0);
    gradient_stop(&zone->steep, 0, 200, 0, 0);
    for (double slope = 0; slope < 2; slope += 0.01) {
        normal_of(slope, 45, normal);
        terrane_relief(&recipe, &height, normal, &one, NULL, 1, rgb);
        const double now = (double)rgb[0] / (rgb[0] + rgb[1]);
        assert_true(now >= share - 0.01);
        assert_true(slope > 0.25 || rgb[0] == 0);
        assert_true(slope < 1 || rgb[1] == 0);
        share = now;
    }
    assert_true(share == 1);
    zone->steep.stops = 0; /* then steep ground is ground */
    normal_of(0, 45, normal);
    terrane_relief(&recipe, &height, normal, &one, NULL, 1, first);
    normal_of(3, 45, normal);
    terrane_relief(&recipe, &height, normal, &one, NULL, 1, last);
    assert_true(first[1] == 200 && last[0] == 0 && last[1] > 0);
}

static int brightness(const struct terrane_recipe *recipe, float height, double slope, double degrees)
{
    static const float one = 1;
    float normal[3];
    uint8_t rgb[3];
    normal_of(slope, degrees, normal);
    terrane_relief(recipe, &height, normal, &one, NULL, 1, rgb);
    return rgb[0] + rgb[1] + rgb[2];
}

static void light_is_stronger_on_land(void **state)
{
    struct terrane_recipe recipe = {.sea_m = 0, .steep_low = 1, .steep_high = 2, .partition.zones = 1};
    (void)state;
    gradient_stop(&recipe.partition.zone[0].ground, 0, 120, 120, 120);
    gradient_stop(&recipe.water, 0, 120, 120, 120);
    for (double slope = 0.1; slope <= 1; slope += 0.1) {
        const int lit = brightness(&recipe, 1, slope, 315), dark = brightness(&recipe, 1, slope, 135);
        const int lit_water = brightness(&recipe, -1, slope, 315),
                  dark_water = brightness(&recipe, -1, slope, 135);
        assert_true(dark < dark_water && dark_water < 360 && 360 < lit_water && lit_water < lit);
    }
    assert_in_range(brightness(&recipe, 1, 50, 135), 90, 150); /* the darkest shade still shows its colour */
}

static void water_is_coloured_by_depth(void **state)
{
    static const float one = 1;
    struct terrane_recipe recipe = {.sea_m = 20, .steep_low = 0.25f, .steep_high = 1, .partition.zones = 1};
    uint8_t rgb[3];
    int last = 3 * 255;
    (void)state;
    memcpy(recipe.partition.zone[0].colour, (uint8_t[]){1, 2, 3}, 3);
    level_at(&recipe, 20, &one, rgb);
    expect_colour(rgb, 1, 2, 3); /* the shore is land */
    for (float depth = 0.01f; depth < 20000; depth *= 1.1f) {
        level_at(&recipe, 20 - depth, &one, rgb);
        assert_true(rgb[0] + rgb[1] + rgb[2] <= last && rgb[2] > rgb[1] && rgb[1] > rgb[0]);
        last = rgb[0] + rgb[1] + rgb[2];
    }
    assert_true(last < 150);
    gradient_stop(&recipe.water, 0, 0, 200, 100);
    gradient_stop(&recipe.water, 50, 0, 100, 200);
    level_at(&recipe, 19.999f, &one, rgb);
    expect_colour(rgb, 0, 200, 100);
    level_at(&recipe, -5, &one, rgb);
    expect_colour(rgb, 0, 150, 150);
    level_at(&recipe, -30, &one, rgb);
    expect_colour(rgb, 0, 100, 200);
    level_at(&recipe, -3000, &one, rgb);
    expect_colour(rgb, 0, 100, 200);
}

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
        cmocka_unit_test(slopes_are_within_a_thousandth_of_a_degree),
        cmocka_unit_test(slopes_have_their_ends),
        cmocka_unit_test(slopes_rise),
        cmocka_unit_test(hillshade_has_its_known_values),
        cmocka_unit_test(hillshade_is_the_cosine),
        cmocka_unit_test(relief_is_what_it_says),
        cmocka_unit_test(samples_do_not_know_each_other),
        cmocka_unit_test(level_ground_has_the_stops_colours),
        cmocka_unit_test(zones_without_stops_have_their_own_colour),
        cmocka_unit_test(weights_blend_without_turning_back),
        cmocka_unit_test(steep_ground_changes_colour),
        cmocka_unit_test(light_is_stronger_on_land),
        cmocka_unit_test(water_is_coloured_by_depth),
        cmocka_unit_test(nothing_makes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
