/*
 * Recipes of the golden digests that have paths: gentle ground, so that most edges are open. Included by golden_paths.c
 * only.
 */
#ifndef TERRANE_TESTS_GOLDEN_CASES_PATHS_H
#define TERRANE_TESTS_GOLDEN_CASES_PATHS_H

#include "cases.h"

/* Eroded hills with lakes and a sea; no border, smallest cells; an odd spacing; towns. */
enum { CASE_PATHS = 4 };

static inline void case_paths(struct terrane_recipe *recipe, int turn)
{
    static const struct terrane_paths paths[CASE_PATHS] = {
        {6, 4, 6, 0.25f, 12, 12, {206, 180, 138}, {0}},
        {1, 2, 4, 0.5f, 0, 1, {1, 2, 3}, {0}},
        {0.8f, 2, 5, 0.4f, 0.9f, 2, {255, 0, 9}, {0}},
        {1, 2, 5, 0.5f, 0.25f, 2, {9, 8, 7}, {2, 0.5f}},
    };
    static const double spacing_m[CASE_PATHS] = {1, 0.5, 1.0 / 3, 0.25};
    case_empty(recipe);
    recipe->spacing_m = spacing_m[turn];
    recipe->sea_m = -4000;
    recipe->paths = paths[turn];
    const double cell = (double)(INT64_C(1) << (paths[turn].level + paths[turn].cell_log2));
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 5, 2 * cell, (float)(cell * 0.08 * spacing_m[turn]),
             CASE_LATTICE);
    if (turn > 0)
        return;
    recipe->sea_m = -25;
    recipe->erosion = (struct terrane_erosion){
        .levels = 6, .phases = {1, 1, 1, 1, 1, 1}, .steps = {6, 6, 6, 6, 6, 6}, .limit = 0.25f};
    recipe->erosion.zone[0] =
        (struct terrane_droplets){0.05f, 30, 0.1f, 8, 0.01f, 0.05f, 0.05f, 0.01f, 1, 1, 1, 40};
    recipe->lakes = (struct terrane_lakes){
        .share = 0.7f, .level = 4, .cell_log2 = 5, .radius = 16, .depth_m = 50, .shallow_m = 0.5f};
}

#endif
