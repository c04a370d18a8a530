/*
 * Golden digests of caves: floors and ceilings at their level and others, openings, and meshes. golden.c has the rest.
 */
#include "../../lib/cave/cave_shown.h"
#include "cases.h"
#include "golden.h"

enum { CAVES_SIDE = 257 };

/* Hills over a sea; caves under most of them. */
static void hills(struct terrane_recipe *recipe, int turn)
{
    static const struct terrane_caves caves[] = {{1, 2, 7, 40, 100, 12, 14, 80, 0.6f},
                                                 {0.75f, 1, 5, 24, 20, 3, 6, 30, 1}};
    case_empty(recipe);
    recipe->sea_m = -40;
    recipe->caves = caves[turn];
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 9, turn ? 512 : 2048, turn ? 160 : 500, CASE_LATTICE);
    recipe->term[recipe->terms - 1].fractal.gain = 0.42f;
}

/* Floors and ceilings of a window, and the caves whose tops are in it. Returns how many. */
static int dig(const struct terrane_world *world, const struct terrane_window *window, float *floor_ceiling,
               struct terrane_cave *cave)
{
    struct terrane_window around;
    terrane_caves_needs(world->recipe, window, &around);
    float *ground = ground_of(world, &around), *depth_m = depth_of(world, &around, ground);
    int caves;
    need(terrane_caves(world, window, ground, depth_m, NULL, floor_ceiling, cave, &caves) == 0, "caves");
    return caves;
}

static void put_cave(const struct terrane_cave *cave)
{
    put(cave->id, 8);
    put((uint64_t)cave->gi, 8);
    put((uint64_t)cave->gj, 8);
    put((uint64_t)cave->entrance_gi, 8);
    put((uint64_t)cave->entrance_gj, 8);
    put((uint64_t)cave->samples, 4);
    put_floats((const float[]){cave->entrance_m, cave->floor_m, cave->ceiling_m}, 3);
}

/* All caves of a window are dug again for the mesh of one. */
static void put_mesh(const struct terrane_world *world, const struct terrane_cave *cave)
{
    struct terrane_window window;
    terrane_cave_mesh_needs(world->recipe, cave, &window);
    struct terrane_cave_mesh mesh = {
        .vertex = lend(TERRANE_CAVE_VERTICES_MAX * 3 * sizeof *mesh.vertex),
        .normal = lend(TERRANE_CAVE_VERTICES_MAX * 3 * sizeof *mesh.normal),
        .index = lend(TERRANE_CAVE_TRIANGLES_MAX * 3 * sizeof *mesh.index),
    };
    float *floor_ceiling = lend(2 * samples_of(&window) * sizeof *floor_ceiling);
    struct terrane_cave *all = lend(TERRANE_CAVES_MAX * sizeof *all);
    dig(world, &window, floor_ceiling, all);
    float *ground = ground_of(world, &window);
    need(terrane_cave_mesh(world, &window, cave, ground, floor_ceiling, NULL, &mesh) == 0, "a mesh");
    put_floats(mesh.vertex, 3 * (size_t)mesh.vertices);
    put_floats(mesh.normal, 3 * (size_t)mesh.vertices);
    for (size_t k = 0; k < 3 * (size_t)mesh.triangles; k++)
        put(mesh.index[k], 4);
}

/* In the middle of what was made of it, with room for what lies between samples. */
static void put_shown(const struct terrane_recipe *recipe, const struct terrane_window *made,
                      const float *floor_ceiling, int level)
{
    const int finer = made->level - level;
    const int64_t gi = made->gi + 96, gj = made->gj + 96;
    const struct terrane_window window = {.level = level,
                                          .gi = finer >= 0 ? gi * (1 << finer) + 1 : gi >> -finer,
                                          .gj = finer >= 0 ? gj * (1 << finer) + 1 : gj >> -finer,
                                          .step = 1,
                                          .width = 60,
                                          .height = 60};
    float *out = lend(2 * samples_of(&window) * sizeof *out);
    need(terrane_caves_shown(recipe, &window, made, floor_ceiling, out) == 0, "caves of another level");
    put_floats(out, 2 * samples_of(&window));
}

/* Returns how many caves have their top in it. */
static int put_window(const struct terrane_world *world, const struct terrane_window *window)
{
    const struct terrane_recipe *recipe = world->recipe;
    const size_t count = samples_of(window);
    float *floor_ceiling = lend(2 * count * sizeof *floor_ceiling), *ground = ground_of(world, window);
    uint8_t *opening = lend(count);
    struct terrane_cave *cave = lend(TERRANE_CAVES_MAX * sizeof *cave);
    const int caves = dig(world, window, floor_ceiling, cave);
    put_floats(floor_ceiling, 2 * count);
    for (int k = 0; k < caves; k++)
        put_cave(&cave[k]);
    need(terrane_caves_openings(recipe, window, ground, floor_ceiling, opening) == 0, "openings");
    put_octets(opening, (CAVES_SIDE - 1) * (CAVES_SIDE - 1));
    for (int level = 0; level <= recipe->caves.level + TERRANE_CAVES_COARSER; level++)
        put_shown(recipe, window, floor_ceiling, level);
    if (caves > 0)
        put_mesh(world, &cave[0]);
    return caves;
}

void caves(void)
{
    static const int64_t place[] = {0, -70000, INT64_C(1) << 47};
    int dug = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int k = 0; k < 3; k++) {
            struct terrane_recipe recipe;
            hills(&recipe, turn);
            const struct terrane_world world = world_of(&recipe, (uint64_t)turn + 71);
            const struct terrane_window window = {recipe.caves.level, place[k],  -place[k] / 2, 1,
                                                  CAVES_SIDE,         CAVES_SIDE};
            dug += put_window(&world, &window);
            print_as("caves %d, place %d", turn, k);
        }
    need(dug >= 6, "caves, some of them");
}
