/* Textures of materials (lib/cover/texture.c): of any window the same, as strong as they say, there at their levels alone. */
#include "../../../lib/cover/cover.h"
#include "../lib_fixture.h"

enum { SIDE = 96, SAMPLES = SIDE * SIDE, MATERIALS = TERRANE_TEXTURES };

/* A material of each kind, and ground for them all. */
static struct terrane_recipe recipe;
static struct terrane_world world;
static float heights[SAMPLES], normals[3 * SAMPLES], weights[MATERIALS * SAMPLES], flat[3 * SAMPLES];

/* From generator 16 on with sizes of which 17 has two wide grains. */
static void texture_world(float grey, int generator)
{
    const float coarsest_m = generator < 16 ? 64 : 512;
    world = (struct terrane_world){.recipe = &recipe, .seed = 7};
    recipe.generator = generator;
    recipe.spacing_m = 1;
    recipe.cover.materials = MATERIALS;
    for (int m = 0; m < MATERIALS; m++)
        recipe.cover.material[m].texture =
            (struct terrane_texture){.kind = m, .size_m = {8, coarsest_m}, .strength = 0.3f, .wind = 200};
    for (size_t i = 0; i < SAMPLES; i++) {
        heights[i] = 37 * sinf((float)i * 0.01f) + (float)(i % SIDE);
        normals[3 * i] = 0.6f * cosf((float)i);
        normals[3 * i + 2] = sqrtf(1 - normals[3 * i] * normals[3 * i]);
    }
    for (size_t i = 0; i < 3 * SAMPLES; i++)
        flat[i] = grey;
}

/* All of one material, or a quarter of each but the plain one. */
static void weigh(int material)
{
    for (size_t i = 0; i < SAMPLES; i++)
        for (int m = 0; m < MATERIALS; m++)
            weights[i * MATERIALS + (size_t)m] =
                material < 0 ? (m == 0 ? 0 : 0.25f) : (m == material ? 1 : 0);
}

static float colour[3 * SAMPLES];

static void paint(int level, int64_t gi, int64_t gj)
{
    const struct terrane_window window = {level, gi, gj, 1, SIDE, SIDE};
    memcpy(colour, flat, sizeof colour);
    assert_int_equal(terrane_cover_texture(&world, &window, NULL, heights, normals, weights, colour), 0);
}

/* A part of the window that was painted, with a step, of its own copies of what the samples are, in memory between pages no one has. */
static void expect_part(int level, int64_t gi, int64_t gj, int x, int y, int step, int side)
{
    static float height[SAMPLES], normal[3 * SAMPLES], weight[MATERIALS * SAMPLES], out[3 * SAMPLES];
    const struct terrane_window part = {level, gi + x, gj + y, step, side, side};
    for (int k = 0; k < side * side; k++) {
        const size_t at = (size_t)((y + k / side * step) * SIDE + x + k % side * step), to = (size_t)k;
        height[to] = heights[at];
        memcpy(&normal[3 * to], &normals[3 * at], 3 * sizeof *normal);
        memcpy(&weight[MATERIALS * to], &weights[MATERIALS * at], MATERIALS * sizeof *weight);
        memcpy(&out[3 * to], &flat[3 * at], 3 * sizeof *out);
    }
    assert_int_equal(terrane_cover_texture(&world, &part, &guarded_memory, height, normal, weight, out), 0);
    for (int k = 0; k < side * side; k++)
        assert_memory_equal(&out[3 * k], &colour[3 * ((y + k / side * step) * SIDE + x + k % side * step)],
                            3 * sizeof *out);
}

TEST(a_texture_is_the_same_in_any_window)
{
    static const int64_t place[] = {
        0, -40, 123457, (INT64_C(1) << 50) - SIDE, -(INT64_C(1) << 50), INT64_C(1) << 32};
    for (int turn = 0; turn < 3; turn++) {
        texture_world(150, turn ? 16 + turn : 0);
        weigh(-1);
        for (int level = 0; level <= TERRANE_LEVEL_MAX; level += level < 6 ? 1 : 9)
            for (size_t p = 0; p < sizeof place / sizeof *place; p++) {
                const int64_t gi = place[p], gj = place[(p + 2) % 6];
                paint(level, gi, gj);
                expect_part(level, gi, gj, 0, 0, 1, SIDE / 2);
                expect_part(level, gi, gj, 31, 17, 1, 33);
                expect_part(level, gi, gj, 5, 3, 7, 13);
                expect_part(level, gi, gj, 95, 95, 1, 1);
            }
    }
}

/* From generator 17 on of two kinds; from 18 on rock has a grain, too. What slides has no ripples; level 9 shows no texture. */
TEST(woods_and_ripples_are_here_and_not_there)
{
    static const int levels[] = {0, 3, 9};
    static float before[3 * SAMPLES];
    for (int kind = 0; kind < TERRANE_TEXTURES; kind++)
        for (int k = 0; k < 6; k++) {
            const int level = levels[k / 2], generator = 17 + k % 2;
            weigh(kind);
            texture_world(150, generator - 1);
            paint(level, 1000, -3000);
            memcpy(before, colour, sizeof before);
            texture_world(150, generator);
            paint(level, 1000, -3000);
            const bool changes = level < 9 && (kind == TERRANE_STIPPLE ||
                                               kind == (generator == 17 ? TERRANE_DUNES : TERRANE_STRATA));
            assert_int_equal(memcmp(before, colour, sizeof before) != 0, changes);
            for (size_t i = 0; i < SAMPLES && kind == TERRANE_DUNES; i++)
                assert_true(normals[3 * i + 2] > 0.85f || colour[3 * i] == 150); /* slopes of 0.62 */
        }
}

/* Mean and greatest distance from 150. */
static double spread(double *max)
{
    double sum = 0;
    *max = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        const double off = fabs((double)colour[3 * i] - 150);
        sum += off;
        *max = off > *max ? off : *max;
    }
    return sum / SAMPLES;
}

/* Sizes of 8 to 64 m are 8 to 64 samples of level 0: level 5, of 32 m, shows the last of them, and level 6 none. */
TEST(a_texture_fades_behind_its_coarsest_size)
{
    texture_world(150, 0);
    for (int kind = 1; kind < TERRANE_TEXTURES; kind++) {
        weigh(kind);
        for (int level = 0; level <= 6; level++) {
            double max;
            paint(level, 1000, -3000);
            assert_true(level == 6 ? spread(&max) == 0 : spread(&max) > 0.5);
            assert_true(max <= 45.001 / (level < 5 ? 1 : 2)); /* 0.3 of 150; half of it where one is left */
        }
    }
    weigh(TERRANE_PLAIN);
    paint(0, 1000, -3000);
    assert_memory_equal(colour, flat, sizeof flat);
}

/* Of a colour above a quarter grey; one that is darker gets no darker, and none gets too light for a byte. */
TEST(textures_make_nothing_black_or_beyond_white)
{
    static const float grey[] = {10, 64, 70, 90, 250};
    weigh(-1);
    for (size_t k = 0; k < 2 * sizeof grey / sizeof *grey; k++) {
        const float from = grey[k / 2];
        texture_world(from, k % 2 ? 18 : 0);
        paint(0, 0, 0);
        for (size_t i = 0; i < 3 * SAMPLES; i++)
            assert_true(colour[i] >= fminf(from, 63.99f) && colour[i] <= 255);
    }
}

TEST(short_memory_and_wrong_windows_leave_colours)
{
    struct purse purse = {.left = 0};
    const struct terrane_memory none = {.alloc = purse_lend, .free = purse_take_back, .user = &purse};
    const struct terrane_window window = {0, 0, 0, 1, SIDE, SIDE}, wrong = {25, 0, 0, 1, SIDE, SIDE};
    texture_world(150, 0);
    weigh(-1);
    memcpy(colour, flat, sizeof colour);
    assert_int_equal(terrane_cover_texture(&world, &window, &none, heights, normals, weights, colour),
                     TERRANE_EMEMORY);
    assert_int_equal(terrane_cover_texture(&world, &wrong, NULL, heights, normals, weights, colour),
                     TERRANE_EWINDOW);
    assert_memory_equal(colour, flat, sizeof flat);
}

GROUP(texture);
