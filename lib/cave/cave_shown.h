/*
 * Caves as layers and meshes read them.
 */
#ifndef TERRANE_CAVE_SHOWN_H
#define TERRANE_CAVE_SHOWN_H

#include "../terrane_caves.h"

/*
 * terrane_caves_shown - floors and ceilings at other levels: from samples of the caves' level, of the window that
 * terrane_caves_shown_needs names, bilinear between samples that are all in a cave, TERRANE_ROCK elsewhere.
 */
int terrane_caves_shown(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        const struct terrane_window *caves, const float *floor_ceiling,
                        float *out) TERRANE_MUST_CHECK;

/*
 * What samples of such a window are: rock where terrane_caves_shown has none, an opening where the ground lies above the floor
 * and below the ceiling, else inside a cave. ground: of the window caves, without paths; between samples as floors are.
 */
int terrane_caves_kinds(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        const struct terrane_window *caves, const float *ground, const float *floor_ceiling,
                        uint8_t *kind) TERRANE_MUST_CHECK;

/* The window of the caves' level that a cave's mesh reads. */
void terrane_cave_mesh_needs(const struct terrane_recipe *recipe, const struct terrane_cave *cave,
                             struct terrane_window *window);

#endif
