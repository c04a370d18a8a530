/*
 * What the tests of a world's paths share: small recipes that have them, and networks with the ground they rest on. Include
 * it first: it brings cmocka.
 */
#ifndef TERRANE_TESTS_PATHS_KIT_H
#define TERRANE_TESTS_PATHS_KIT_H

#include "../lib_fixture.h"

#include "../../../lib/path/network.h"
#include "../../../lib/path/world.h"
#include "../direct_kit.h"

/* Eroded hills with lakes and a sea; no border, smallest cells; an odd spacing; the level of the samples, largest cells; towns. */
enum { PATHS_HILLS, PATHS_BARE, PATHS_ODD, PATHS_WIDE, PATHS_TOWNS, PATHS_KINDS };

struct paths {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_path_network network;
    struct terrane_window needs;
    struct terrane_memory memory; /* with scratch */
    float *ground, *depth_m;      /* of needs */
};

static inline void paths_hills(struct terrane_recipe *recipe)
{
    recipe->sea_m = -40;
    recipe->erosion = (struct terrane_erosion){
        .levels = 6, .phases = {1, 1, 1, 1, 1, 1}, .steps = {8, 8, 8, 8, 8, 8}, .limit = 0.25f};
    recipe->erosion.zone[0] = (struct terrane_droplets){0.05f, 30, 0.1f, 8, 0, 0.05f, 0.05f, 0, 1, 1, 1, 40};
    recipe->lakes = (struct terrane_lakes){
        .share = 0.7f, .level = 5, .cell_log2 = 5, .radius = 16, .depth_m = 50, .shallow_m = 0.5f};
}

static inline struct terrane_recipe paths_recipe(int kind)
{
    static const struct terrane_paths paths[PATHS_KINDS] = {
        {6, 4, 6, 0.25f, 12, 12, {200, 180, 140}, {0}},  {1, 1, 4, 0.5f, 0, 1, {1, 2, 3}, {0}},
        {0.8f, 2, 5, 0.4f, 0.9f, 2, {255, 0, 9}, {0}},   {4.5f, 0, 7, 0.2f, 3, 6, {90, 80, 70}, {0}},
        {1, 2, 5, 0.5f, 0.25f, 2, {9, 8, 7}, {2, 0.5f}},
    };
    static const double spacing[PATHS_KINDS] = {1, 0.5, 1.0 / 3, 2, 0.25};
    const int cell_log2 = paths[kind].level + paths[kind].cell_log2;
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN5, 5, cell_log2 + 1,
                                                  (float)(0.1 * exp2(cell_log2) * spacing[kind]), 0.45f);
    recipe.spacing_m = spacing[kind];
    recipe.sea_m = -4000;
    recipe.paths = paths[kind];
    if (kind == PATHS_HILLS)
        paths_hills(&recipe);
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    return recipe;
}

static inline struct paths *paths_new(int kind, uint64_t seed)
{
    struct paths *paths = direct_room(sizeof *paths);
    memset(paths, 0, sizeof *paths);
    paths->recipe = paths_recipe(kind);
    terrane_world_init(&paths->world, &paths->recipe, seed);
    paths->memory.scratch = direct_room(terrane_scratch_bytes);
    paths->network = direct_network();
    return paths;
}

static inline void paths_free(struct paths *paths)
{
    free(paths->memory.scratch);
    free(paths->ground);
    free(paths->depth_m);
    direct_network_free(&paths->network);
    free(paths);
}

/* The network of a region without lines: an error of terrane's, or 0. */
static inline int paths_graph(struct paths *paths, int64_t x, int64_t y)
{
    paths->network.x = x;
    paths->network.y = y;
    return terrane_paths_graph(&paths->world, &paths->memory, &paths->network, &paths->needs);
}

/* ... lines and all. */
static inline void paths_make(struct paths *paths, int64_t x, int64_t y)
{
    assert_int_equal(paths_graph(paths, x, y), 0);
    const size_t samples = (size_t)paths->needs.width * (size_t)paths->needs.height;
    free(paths->ground);
    free(paths->depth_m);
    paths->ground = direct_room(samples * sizeof *paths->ground);
    paths->depth_m = direct_room(samples * sizeof *paths->depth_m);
    if (paths->needs.width > 0) {
        direct_ground(&paths->world, &paths->needs, true, &paths->memory, paths->ground);
        direct_water(&paths->world, &paths->needs, paths->ground, true, &paths->memory, NULL, paths->depth_m);
    }
    assert_int_equal(terrane_paths_lines(&paths->world, &paths->needs, paths->ground, paths->depth_m, NULL,
                                         &guarded_memory, &paths->network),
                     0);
}

/* A window's answers; heights become carved. */
static inline int paths_apply(const struct paths *paths, const struct terrane_window *window, float *heights,
                              uint8_t *kind, float *distance_m)
{
    return terrane_paths_apply(&paths->recipe, window, &paths->network, &guarded_memory, heights, kind,
                               distance_m);
}

static inline const struct terrane_path_edge *paths_edge(const struct terrane_path_network *network,
                                                         uint64_t id)
{
    for (int e = 0; e < network->edges; e++)
        if (network->edge[e].id == id)
            return &network->edge[e];
    return NULL;
}

static inline int paths_open(const struct terrane_path_network *network)
{
    int open = 0;
    for (int e = 0; e < network->edges; e++)
        open += network->edge[e].state == TERRANE_PATH_OPEN;
    return open;
}

#endif
