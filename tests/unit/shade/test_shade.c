/* Relief (lib/shade/relief.c): how dark it may be, and rivers, which neither tests/reference nor tests/golden paints. */
#include "../../../lib/shade/shade.h"
#include "../lib_fixture.h"

/* The one colour of a relief of ground that leans so. */
static void relief_of(struct terrane_recipe *recipe, int level, float grey, const float normal[3],
                      uint8_t rgb[3])
{
    const uint8_t byte = (uint8_t)grey;
    recipe->sea_m = -1;
    recipe->partition.zones = 1;
    recipe->partition.zone[0] = (struct terrane_zone){.colour = {byte, byte, byte}};
    terrane_relief(recipe, level, (const float[]){0}, normal, (const float[]){1}, NULL, 1, rgb);
}

/* A colour stands on level ground as it is; from a quarter grey on none is under 15 % grey, whichever way its ground leans. */
TEST(shade_is_not_black)
{
    static struct terrane_recipe recipe;
    uint8_t rgb[3];
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        for (float grey = 64; grey < 256; grey += 7) {
            relief_of(&recipe, level, grey, (const float[]){0, 0, 1}, rgb);
            assert_true(rgb[0] == (uint8_t)grey && rgb[1] == (uint8_t)grey && rgb[2] == (uint8_t)grey);
            for (float up = 1e-6f; up < 1; up += 0.06f)
                for (float turn = 0; turn < 6.3f; turn += 0.2f) {
                    const float across = sqrtf(1 - up * up);
                    const float normal[] = {across * cosf(turn), across * sinf(turn), up};
                    relief_of(&recipe, level, grey, normal, rgb);
                    assert_true(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2] >= 0.15 * 255 - 0.5);
                }
        }
}

/* The grey that a relief of a grey, or of black, has where a river of so much discharge flows over level ground. */
static int river_on(uint8_t grey, const struct terrane_recipe *recipe, int level, float depth_m,
                    float discharge)
{
    uint8_t rgb[4] = {grey, grey, grey, 77};
    terrane_relief_rivers(recipe, level, (const float[]){0, 0, 1}, &depth_m, &discharge, 1, rgb);
    assert_true(rgb[0] == rgb[1] && rgb[0] == rgb[2] && rgb[3] == 77);
    return rgb[0];
}

static int river_on_black(const struct terrane_recipe *recipe, int level, float depth_m, float discharge)
{
    return river_on(0, recipe, level, depth_m, discharge);
}

/* The recipe of these rivers. */
static struct terrane_recipe recipe_with_rivers(int generator)
{
    return (struct terrane_recipe){
        .generator = generator,
        .spacing_m = 1,
        .rivers = {.runoff = -1, .runoff_mm = 512, .shown = 1},
        .water = {.stops = 1, .stop = {{.colour = {200, 200, 200}}}},
    };
}

/* Small ones are not seen from far, great ones from everywhere; none on standing water. */
TEST(rivers_are_painted_by_discharge_and_level)
{
    struct terrane_recipe recipe = recipe_with_rivers(0);
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
        const float min = 0x1p-20f * (float)(UINT64_C(1) << 2 * level); /* m3/s */
        assert_int_equal(river_on_black(&recipe, level, 0, 0), 0);
        assert_int_equal(river_on_black(&recipe, level, 0, min), 0);
        assert_int_equal(river_on_black(&recipe, level, 1, 0x1p40f), 0);
        assert_int_equal(river_on_black(&recipe, level, 0, 0x1p70f), 200);
        assert_int_equal(river_on_black(&recipe, level, 0, 4 * min), 100);
        for (float q = min, last = 0; q < 0x1p40f; q *= 1.5f) {
            const int grey = river_on_black(&recipe, level, 0, q);
            assert_true((float)grey >= last);
            last = (float)grey;
        }
    }
}

/* From generator 9 on water that flows is as dark as deep water, however shallow; a lake is not. */
TEST(rivers_are_dark_where_their_water_stands)
{
    struct terrane_recipe recipe = recipe_with_rivers(0);
    for (recipe.generator = 8; recipe.generator <= 9; recipe.generator++) {
        assert_int_equal(river_on_black(&recipe, 3, 1, 0x1p-30f), recipe.generator == 9 ? 150 : 0);
        assert_int_equal(river_on_black(&recipe, 3, 1, 0), 0);
        assert_int_equal(river_on_black(&recipe, 3, 0, 0x1p70f), 200);
    }
}

/* From generator 14 on: a brook is faint beside the river that it flows into, which may be seen more clearly than before. Up to 16 where
 * channels begin does not count. */
TEST(brooks_are_faint)
{
    const float min = 0x1p-20f;
    static const struct {
        float times;
        int grey;
    } cases[] = {{1, 0}, {16, 125}, {256, 188}, {0x1p40f, 188}};
    for (int generator = 14; generator <= 16; generator++) {
        struct terrane_recipe recipe = recipe_with_rivers(generator);
        recipe.rivers.sources_ha = 16;
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            assert_int_equal(river_on_black(&recipe, 0, 0, cases[k].times * min), cases[k].grey);
        assert_int_equal(river_on_black(&recipe, 0, 0.25f, 1), 150);
        assert_int_equal(river_on_black(&recipe, 0, 0.125f, 1), 200 * (192 * 11 / 16) / 256);
    }
}

/* From generator 17 on: nothing is painted where a channel begins, whichever level; and a brook, four samples wide at most, is one line,
 * whether its water stands or not. */
static void expect_brooks(int generator, int own)
{
    const int most = (own * 240 + 128) / 256;
    struct terrane_recipe recipe = recipe_with_rivers(generator);
    recipe.rivers.sources_ha = 16;
    const float head = 16 * 10 * 512 / 31557600.0f; /* m3/s */
    for (int level = 0; level <= 2; level++) {
        const float brook = 4 * (float)(1 << 2 * level);
        for (float q = head / 100; q <= head; q *= 1.1f)
            assert_int_equal(river_on_black(&recipe, level, 0, q), 0);
        int last = 0;
        for (float q = head; q < 0x1p40f; q *= 1.5f) {
            const int dry = river_on_black(&recipe, level, 0, q),
                      wet = river_on_black(&recipe, level, 0.125f, q);
            assert_int_equal(dry, river_on_black(&recipe, 0, 0, q));
            assert_true(dry > last || dry == (q > head ? most : 0));
            assert_true(wet == dry ? q < brook || level > 0 : wet < dry && q >= brook);
            last = dry;
        }
        assert_int_equal(last, most);
        assert_int_equal(river_on_black(&recipe, level, 0.125f, 0), 0); /* a lake */
    }
    assert_int_equal(river_on_black(&recipe, 0, 0.25f, 1e6f), most);
    assert_int_equal(river_on_black(&recipe, 0, 0.125f, 1e6f), (own * (240 * 11 / 16) + 128) / 256);
}

TEST(brooks_taper)
{
    enum { OWN = 188 }; /* of 200: from generator 18 on nearer to grey, and darker */
    struct terrane_recipe recipe = recipe_with_rivers(18);
    expect_brooks(17, 200);
    expect_brooks(18, OWN);
    assert_int_equal(river_on(192, &recipe, 0, 0, 0x1p70f), (192 * 16 + OWN * 240 + 128) / 256);
    assert_int_equal(river_on(255, &recipe, 0, 0, 0x1p70f),
                     (255 * (256 - 82) + OWN * 82 + 128) / 256); /* snow */
    recipe.generator = 17;
    assert_int_equal(river_on(255, &recipe, 0, 0, 0x1p70f), (255 * 16 + 200 * 240 + 128) / 256);
}

/* Dry ground by as much as it is a bank, and nothing below 15 % grey. */
TEST(banks_are_dark)
{
    static const struct {
        float bank, depth_m;
        uint8_t from, to[3];
    } cases[] = {
        {1, 0, 200, {116, 140, 128}},     {0.5f, 0, 200, {158, 170, 164}}, {0, 0, 200, {200, 200, 200}},
        {1, 0.01f, 200, {200, 200, 200}}, {1, 0, 60, {38, 42, 38}},        {1, 0, 30, {30, 30, 30}},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    float bank[CASES], depth_m[CASES];
    uint8_t rgb[3 * CASES + 1];
    rgb[3 * CASES] = 77;
    for (int k = 0; k < CASES; k++) {
        bank[k] = cases[k].bank;
        depth_m[k] = cases[k].depth_m;
        memset(rgb + 3 * k, cases[k].from, 3);
    }
    terrane_relief_banks(bank, depth_m, CASES, rgb);
    for (int k = 0; k < CASES; k++)
        assert_memory_equal(rgb + 3 * k, cases[k].to, 3);
    assert_int_equal(rgb[3 * CASES], 77);
}

GROUP(shade, set_up, tear_down);
