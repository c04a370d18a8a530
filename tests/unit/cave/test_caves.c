/*
 * Caves (lib/cave/caves.c, dig.c, dig_corridor.c): the same in every window, on every instruction set; and what is refused or
 * survived.
 */
#include "caves_kit.h"

static const struct terrane_window hills_window = {2, -300, 500, 1, 700, 600};

static const struct terrane_cave *cave_of_cell(const struct caves_made *made, const struct terrane_cave *of)
{
    for (int k = 0; k < made->caves; k++)
        if (made->cave[k].cx == of->cx && made->cave[k].cy == of->cy)
            return &made->cave[k];
    return NULL;
}

/* The part has the samples that all of it has there, and just the caves whose tops are there. */
static void expect_part(const struct caves_made *all, const struct caves_made *part)
{
    float *expected = part_new(&all->window, all->floor_ceiling, 2, &part->window);
    assert_memory_equal(part->floor_ceiling, expected, 2 * samples_of(&part->window) * sizeof *expected);
    free(expected);
    int inside = 0;
    for (int k = 0; k < all->caves; k++)
        if (window_holds(&part->window, all->cave[k].gi, all->cave[k].gj, 0)) {
            const struct terrane_cave *same = cave_of_cell(part, &all->cave[k]);
            inside++;
            assert_non_null(same);
            assert_memory_equal(&all->cave[k], same, sizeof *same);
        }
    assert_int_equal(part->caves, inside);
}

/* Nothing is higher than asked: neither the room, nor what stands open at the entrance. */
static void expect_heights(const struct caves_made *made, float max_m)
{
    const float rounded_m = 0.001f;
    for (int k = 0; k < made->caves; k++) {
        const struct terrane_cave *cave = &made->cave[k];
        assert_true(cave->ceiling_m - cave->floor_m <= max_m + rounded_m);
        if (window_holds(&made->window, cave->entrance_gi, cave->entrance_gj, 0)) {
            const size_t at = place_of(&made->window, cave->entrance_gi, cave->entrance_gj);
            assert_true(made->floor_ceiling[2 * at + 1] - cave->entrance_m <= max_m + rounded_m);
        }
    }
}

TEST(windows_agree)
{
    static const int64_t far[][2] = {{0, 0},
                                     {-100000, 77777},
                                     {(INT64_C(1) << 48) - 100, -(INT64_C(1) << 48) - 50},
                                     {(INT64_C(1) << 50) - 499, -(INT64_C(1) << 50) + 200}};
    struct dice dice = {71};
    struct terrane_recipe recipe;
    struct terrane_world world;
    int caves = 0;

    for (int n = 0; n < 2 * COUNT(far); n++) {
        struct terrane_caves odd = hill_caves;
        odd.cell_log2 = 5 + n % 3;
        odd.radius = n % 2 ? 40 : 23;
        odd.room = n % 2 ? 80 : 30;
        odd.roof_m = 6;
        odd.height_m = n % 4 ? 14 : 2;
        make_hills(&world, &recipe, odd, HILLS, dice_bits(&dice));
        const struct terrane_window window = {2, far[n / 2][0], far[n / 2][1], 1, 420, 380};
        isa_choose(n);
        struct caves_made all = caves_new(&world, &window);
        caves += all.caves;
        expect_heights(&all, odd.height_m);
        for (int k = 0; k < 10; k++) {
            const struct terrane_window part = dice_part(&dice, &window, 420);
            isa_choose(n + k);
            struct caves_made made = caves_new(&world, &part);
            expect_part(&all, &made);
            caves_free(&made);
        }
        caves_free(&all);
    }
    isa_choose(0);
    assert_true(caves >= 10);
}

/* Crowds of rivals: small windows know of all that count. */
TEST(rivals_agree)
{
    struct dice dice = {75};
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_caves crowd = hill_caves;
    const struct terrane_window window = {2, -300, 500, 1, 420, 380};

    crowd.cell_log2 = 4, crowd.radius = 20, crowd.room = 12, crowd.roof_m = 3, crowd.height_m = 6;
    make_hills(&world, &recipe, crowd, HILLS, 42);
    struct caves_made all = caves_new(&world, &window);
    assert_true(all.caves >= 8);
    for (int n = 0; n < sets(700); n++) {
        const struct terrane_window part = dice_part(&dice, &window, 8);
        struct caves_made made = caves_new(&world, &part);
        expect_part(&all, &made);
        caves_free(&made);
    }
    caves_free(&all);
}

/* The ids that others are told are of the world's ids: where these are not the seed, all else is as it was. */
TEST(ids_that_are_told)
{
    struct terrane_recipe recipe;
    struct terrane_world world;

    make_hills(&world, &recipe, hill_caves, HILLS, 42);
    struct terrane_world hidden = world;
    hidden.ids = 7;
    struct caves_made all = caves_new(&world, &hills_window), same = caves_new(&hidden, &hills_window);
    assert_true(all.caves >= 3 && all.caves == same.caves);
    assert_memory_equal(all.cave, same.cave, (size_t)all.caves * sizeof *all.cave);
    for (int k = 0; k < all.caves; k++) {
        assert_true(terrane_cave_id(&world, &all.cave[k]) == all.cave[k].id);
        assert_true(terrane_cave_id(&hidden, &all.cave[k]) != all.cave[k].id);
    }
    caves_free(&all), caves_free(&same);
}

TEST(refusals_write_nothing)
{
    struct terrane_recipe recipe;
    struct terrane_world world;
    const struct {
        struct terrane_window window;
        int error;
    } refused[] = {
        {{1, 0, 0, 1, 4, 4}, TERRANE_ELEVEL},
        {{2, 0, 0, 2, 4, 4}, TERRANE_EWINDOW},
        {{2, 0, 0, 1, 4, 4098}, TERRANE_EWINDOW},
    };
    float floor_ceiling = 3;
    struct terrane_cave cave = {.id = 9};
    int caves = 7;

    make_hills(&world, &recipe, hill_caves, HILLS, 1);
    for (int k = 0; k < COUNT(refused); k++)
        assert_int_equal(
            terrane_caves(&world, &refused[k].window, NULL, NULL, NULL, &floor_ceiling, &cave, &caves),
            refused[k].error);
    assert_true(floor_ceiling == 3 && cave.id == 9 && caves == 7);
    struct terrane_cave_mesh mesh = {.vertices = 5};
    const struct terrane_window small = {2, -40, -40, 1, 81, 80};
    cave = (struct terrane_cave){0};
    assert_int_equal(terrane_cave_mesh(&world, &small, &cave, NULL, NULL, NULL, &mesh), TERRANE_EWINDOW);
    assert_int_equal(mesh.vertices, 5);
}

static float odd_ground(struct dice *dice, int kind, int i, int j)
{
    static const float odd[] = {INFINITY, -INFINITY, NAN, 0.0f, -0.0f, 1e30f, -1e30f, 300};
    switch (kind) {
    case 0:
        return odd[dice_int(dice, 0, COUNT(odd) - 1)];
    case 1:
        return 300;
    case 2: /* a tower */
        return abs(i - 300) < 30 && abs(j - 300) < 30 ? 1e6f : 0;
    case 3: /* towers everywhere */
        return (float)dice_int(dice, 0, 1) * 1000;
    case 4: /* a cone with cliffs */
        return 600 - 2.0f * (float)((abs(i - 260) + abs(j - 260)) / 2 * 2);
    case 5: /* pyramids over abysses */
        return 900 - 12.0f * (float)(abs(i % 80 - 40) + abs(j % 80 - 40)) - (i % 80 == 20 ? 1e5f : 0);
    default:
        return (float)dice_int(dice, 100, 130);
    }
}

TEST(any_ground_is_survived)
{
    struct dice dice = {19};
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_cave_mesh mesh = mesh_memory_new();
    int meshes = 0;

    for (int n = 0; n < 28; n++) {
        struct terrane_caves odd = hill_caves;
        odd.cell_log2 = 4;
        odd.radius = n % 3 ? 40 : 64;
        odd.slope = n % 2 ? 4 : 0.6f;
        odd.room = n % 4 ? 20 : 300;
        odd.height_m = n % 5 ? 14 : n % 2 ? 2 : 1024;
        make_hills(&world, &recipe, odd, HILLS, dice_bits(&dice));
        const struct terrane_window window = {2, 0, 0, 1, 200, 200};
        struct terrane_window around;
        terrane_caves_needs(&recipe, &window, &around);
        float *ground = malloc(samples_of(&around) * sizeof *ground);
        float *depth_m = calloc(samples_of(&around), sizeof *depth_m);
        assert_true(ground && depth_m);
        for (int j = 0; j < around.height; j++)
            for (int i = 0; i < around.width; i++)
                ground[(size_t)j * (size_t)around.width + (size_t)i] = odd_ground(&dice, n % 7, i, j);
        struct caves_made made = caves_of(&world, &window, ground, depth_m);
        for (int k = 0; k < made.caves; k++) {
            if (!window_holds(&window, made.cave[k].gi, made.cave[k].gj, odd.radius))
                continue;
            const int error = terrane_cave_mesh(&world, &window, &made.cave[k], made.own_ground,
                                                made.floor_ceiling, &guarded_memory, &mesh);
            assert_true(error == 0 || error == TERRANE_ECAVES);
            meshes += error == 0;
        }
        caves_free(&made);
    }
    assert_true(meshes >= 1);
    mesh_memory_free(&mesh);
}

GROUP(caves, set_up, tear_down);
