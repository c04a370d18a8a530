/*
 * A world's paths (lib/path/world_surface.c, world_apply.c): slopes, and one answer whatever is asked first; tests/golden has what they
 * make of samples.
 */
#include "paths_kit.h"

enum { SIDE = 257, SAMPLES = SIDE * SIDE };

static float ground[SAMPLES], heights[SAMPLES], distance_m[SAMPLES], other[SAMPLES];
static uint8_t kinds[SAMPLES], other_kinds[SAMPLES];

/* A window of 257 x 257 around a node of the region that has open edges. */
static struct terrane_window window_near(const struct paths *paths, int level, int skip)
{
    const struct terrane_path_network *network = &paths->network;
    const int finer = paths->recipe.paths.level - level;
    for (int n = 0; n < network->nodes; n++) {
        const struct terrane_path_node *node = &network->node[n];
        const int64_t x = node->gi - 256 * network->x, y = node->gj - 256 * network->y;
        if (node->open < 2 || x < 0 || x > 255 || y < 0 || y > 255 || skip-- > 0)
            continue;
        const int64_t low_x = 256 * network->x * (1 << finer), low_y = 256 * network->y * (1 << finer);
        const int64_t max = (256 << finer) - 256;
        int64_t gi = node->gi * (1 << finer) - 131 - low_x, gj = node->gj * (1 << finer) - 97 - low_y;
        gi = gi < 0 ? 0 : gi > max ? max : gi;
        gj = gj < 0 ? 0 : gj > max ? max : gj;
        return (struct terrane_window){level, low_x + gi, low_y + gj, 1, SIDE, SIDE};
    }
    return (struct terrane_window){0};
}

/* A height of a path in whole units: exact. */
static int64_t units(const struct path_scale *scale, float height)
{
    const double v = (double)height / scale->unit_m;
    assert_true(v == floor(v));
    return (int64_t)v;
}

/* All quadrants of samples that lie on paths; returns how many. */
static int slopes_of(const struct paths *paths, const struct terrane_window *window, const float *h,
                     const uint8_t *kind)
{
    const struct path_scale scale = path_scale_of(&paths->recipe);
    const double spacing = paths->recipe.spacing_m * (double)(1 << window->level);
    const double max = (double)paths->recipe.paths.slope * spacing / scale.unit_m;
    int quadrants = 0;
    for (int j = 0; j < window->height; j++)
        for (int i = 0; i < window->width; i++)
            for (int q = 0; q < 4; q++) {
                const int x = i + (q & 1 ? 1 : -1), y = j + (q & 2 ? 1 : -1), w = window->width;
                if (x < 0 || x >= w || y < 0 || y >= window->height || kind[j * w + i] < TERRANE_PATH_WAY ||
                    kind[j * w + x] < TERRANE_PATH_WAY || kind[y * w + i] < TERRANE_PATH_WAY)
                    continue;
                const int64_t z = units(&scale, h[j * w + i]);
                const int64_t dx = units(&scale, h[j * w + x]) - z, dy = units(&scale, h[y * w + i]) - z;
                assert_true((double)(dx * dx + dy * dy) <= max * max);
                quadrants++;
            }
    return quadrants;
}

/* Lines themselves: tests/http/test_paths.py. */
TEST(samples_on_paths_are_no_steeper_than_is_allowed)
{
    for (int kind = 0; kind < PATHS_KINDS; kind++) {
        struct paths *paths = paths_new(kind, 4);
        int quadrants = 0;
        for (int64_t at = 0; at < 2; at++) {
            paths_make(paths, at, 1);
            for (int level = 0; terrane_paths_carved(&paths->recipe, level); level++) {
                const int64_t side = INT64_C(256) << (paths->recipe.paths.level - level);
                for (int64_t part = 0; part < side / 256 * (side / 256); part += level ? 1 : 3) {
                    const struct terrane_window window = {level,
                                                          at * side + part % (side / 256) * 256,
                                                          side + part / (side / 256) * 256,
                                                          1,
                                                          256,
                                                          256};
                    memset(heights, 0, sizeof heights);
                    assert_int_equal(paths_apply(paths, &window, heights, kinds, NULL), 0);
                    quadrants += slopes_of(paths, &window, heights, kinds);
                }
            }
        }
        assert_true(quadrants > 1000);
        paths_free(paths);
    }
}

/* The widest paths on the finest samples, as high as heights go: what is between places of the lattice fits its integers. */
TEST(the_highest_and_widest_path_is_as_high_as_its_line)
{
    enum { AROUND = 20, WIDE = 2 * AROUND + 1 };
    struct paths *paths = paths_new(PATHS_BARE, 6);
    struct terrane_recipe *recipe = &paths->recipe;
    struct terrane_path_network *network = &paths->network;
    recipe->spacing_m = 0x1p-10;
    recipe->sea_m = -100;
    recipe->term[0].fractal.amplitude_m = 100;
    recipe->paths = (struct terrane_paths){1024, 19, 7, 1, 1024, 200, {0}, {0}};
    assert_int_equal(terrane_recipe_init(recipe, NULL), 0);
    const struct path_scale scale = path_scale_of(recipe);
    const int64_t sample = INT64_C(1) << scale.sample_log2, x = 100 * sample;
    const int32_t height = PATH_HEIGHT_MAX - 1;
    network->nodes = 2;
    network->edges = 1;
    network->points = 2;
    network->node[0] = (struct terrane_path_node){.gi = 100, .gj = 100, .height = height};
    network->node[1] = (struct terrane_path_node){.gi = 102, .gj = 100, .cx = 1, .height = height};
    network->point[0] = (struct terrane_path_point){.x = x, .y = x, .height = height};
    network->point[1] = (struct terrane_path_point){.x = x + 2 * sample, .y = x, .height = height};
    network->edge[0] = (struct terrane_path_edge){.id = 1, .to = 1, .points = 2};
    for (int level = 16; level <= 19; level++) {
        const int64_t at = 100 << (19 - level);
        const struct terrane_window window = {level, at - AROUND, at - AROUND, 1, WIDE, WIDE};
        int way = 0;
        memset(heights, 0, sizeof heights);
        assert_int_equal(paths_apply(paths, &window, heights, kinds, NULL), 0);
        for (int k = 0; k < WIDE * WIDE; k++) {
            assert_true(kinds[k] < TERRANE_PATH_WAY || units(&scale, heights[k]) == height);
            way += kinds[k] == TERRANE_PATH_WAY;
        }
        assert_true(way > 0);
    }
    paths_free(paths);
}

/* Some window that overlaps one that was answered agrees with it. */
static void compare_part(struct paths *paths, const struct terrane_window *all, struct terrane_window part)
{
    const int x = (int)(part.gi - all->gi), y = (int)(part.gj - all->gj);
    for (int j = 0; j < part.height; j++)
        for (int i = 0; i < part.width; i++)
            other[j * part.width + i] = ground[(y + j * part.step) * SIDE + x + i * part.step];
    assert_int_equal(paths_apply(paths, &part, other, other_kinds, NULL), 0);
    for (int j = 0; j < part.height; j++)
        for (int i = 0; i < part.width; i++) {
            const int k = (y + j * part.step) * SIDE + x + i * part.step;
            assert_true(other[j * part.width + i] == heights[k]);
            assert_int_equal(other_kinds[j * part.width + i], kinds[k]);
        }
}

TEST(parts_and_steps_agree)
{
    struct dice dice = {.state = 5};
    for (int kind = 0; kind < PATHS_KINDS; kind++) {
        struct paths *paths = paths_new(kind, 4);
        paths_make(paths, 0, 1);
        for (int level = 0; level <= paths->recipe.paths.level; level++) {
            const struct terrane_window all = window_near(paths, level, 0);
            if (!all.width)
                continue;
            direct_ground(&paths->world, &all, true, &paths->memory, ground);
            memcpy(heights, ground, sizeof heights);
            assert_int_equal(paths_apply(paths, &all, heights, kinds, distance_m), 0);
            for (int turn = 0; turn < 20; turn++) {
                const int step = dice_int(&dice, 1, 9), max = (SIDE - 1) / step;
                struct terrane_window part = {
                    level, 0, 0, step, dice_int(&dice, 1, max), dice_int(&dice, 1, max)};
                part.gi = all.gi + dice_int(&dice, 0, SIDE - 1 - (part.width - 1) * step);
                part.gj = all.gj + dice_int(&dice, 0, SIDE - 1 - (part.height - 1) * step);
                compare_part(paths, &all, part);
            }
        }
        paths_free(paths);
    }
}

/* Samples that two regions may answer are the same from both. */
TEST(regions_agree_where_they_meet)
{
    for (int kind = 0; kind < PATHS_KINDS; kind++) {
        struct paths *west = paths_new(kind, 9), *east = paths_new(kind, 9);
        int touched = 0;
        for (int64_t at = 0; at < 3; at++) {
            const bool across = at & 1;
            paths_make(west, at, 4);
            paths_make(east, at + !across, 4 + across);
            for (int level = 0; level <= west->recipe.paths.level; level++) {
                const int finer = west->recipe.paths.level - level;
                const int64_t x = (across ? at : at + 1) * (256 << finer),
                              y = (across ? 5 : 4) * (256 << finer);
                for (int64_t along = 0; along < 256 << finer; along += 250) {
                    const struct terrane_window window =
                        across ? (struct terrane_window){level, x + along, y - 2, 1, 250, 5}
                               : (struct terrane_window){level, x - 2, y + along, 1, 5, 250};
                    if (along + 250 > 256 << finer)
                        break;
                    direct_ground(&west->world, &window, true, &west->memory, heights);
                    memcpy(other, heights, sizeof other);
                    assert_int_equal(paths_apply(west, &window, heights, kinds, distance_m), 0);
                    assert_int_equal(paths_apply(east, &window, other, other_kinds, NULL), 0);
                    assert_memory_equal(heights, other, 1250 * sizeof *heights);
                    assert_memory_equal(kinds, other_kinds, 1250);
                    for (int k = 0; k < 1250; k++)
                        touched += kinds[k] != TERRANE_PATH_NONE;
                }
            }
        }
        assert_true(touched > 20);
        paths_free(west);
        paths_free(east);
    }
}

TEST(windows_outside_are_refused)
{
    struct paths *paths = paths_new(PATHS_HILLS, 4);
    paths_make(paths, 2, -1);
    const int64_t x = 2 * 4096, y = -4096;
    struct terrane_window window = {0, x - 2, y - 2, 1, 200, 200};
    assert_int_equal(paths_apply(paths, &window, NULL, kinds, NULL), 0);
    window = (struct terrane_window){0, x + 4096 + 1 - 199, y + 4096 + 1 - 199, 1, 200, 200};
    assert_int_equal(paths_apply(paths, &window, NULL, kinds, NULL), 0);
    const struct terrane_window bad[] = {
        {0, x - 3, y, 1, 9, 9},
        {0, x, y - 3, 1, 9, 9},
        {0, x + 4090, y, 1, 14, 9},
        {0, x, y + 4090, 1, 9, 14},
        {0, x, y, 256, 30, 3},
        {0, x, y, 0, 9, 9},
        {0, x, y, 257, 1, 1},
        {0, x, y, 1, 0, 9},
        {0, x, y, 1, 9, 5000},
        {0, INT64_MAX, y, 1, 9, 9},
        {0, x, INT64_MIN, 1, 9, 9},
        {4, 2 * 256 - 3, -256, 1, 9, 9},
        {0, x - (INT64_C(1) << 49), y, 1, 9, 9},
    };
    for (int k = 0; k < COUNT(bad); k++)
        assert_int_equal(paths_apply(paths, &bad[k], NULL, kinds, NULL), TERRANE_EWINDOW);
    window.level = 5;
    assert_int_equal(paths_apply(paths, &window, NULL, kinds, NULL), TERRANE_ELEVEL);
    window.level = -1;
    assert_int_equal(paths_apply(paths, &window, NULL, kinds, NULL), TERRANE_ELEVEL);
    paths_free(paths);
}

GROUP(paths_apply);
