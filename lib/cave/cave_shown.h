/* Caves for layers and meshes. */
#ifndef TERRANE_CAVE_SHOWN_H
#define TERRANE_CAVE_SHOWN_H

#include "../terrane_features.h"

/*
 * terrane_caves_shown - floors and ceilings at other levels: from samples of the caves' level, of the window that
 * terrane_caves_shown_needs names, bilinear between samples that are all in a cave, TERRANE_ROCK elsewhere.
 */
int terrane_caves_shown(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        const struct terrane_window *caves, const float *floor_ceiling,
                        float *out) TERRANE_MUST_CHECK;

/*
 * Classifies the samples of such a window: rock if terrane_caves_shown has no cave, an opening if the ground is between floor
 * and ceiling, else inside a cave. ground: of the window caves, without paths; interpolated as floors are.
 */
int terrane_caves_kinds(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        const struct terrane_window *caves, const float *ground, const float *floor_ceiling,
                        uint8_t *kind) TERRANE_MUST_CHECK;

/* The window of the caves' level that a cave's mesh reads. */
void terrane_cave_mesh_needs(const struct terrane_recipe *recipe, const struct terrane_cave *cave,
                             struct terrane_window *window);

#define TERRANE_CAVES_MAX 1024 /* of terrane_caves */

/* The window of ground and water that terrane_caves reads for a window of the caves' level. */
void terrane_caves_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *ground);

/*
 * terrane_caves - the caves of a window of the caves' level (step 1).
 *
 *   ground, depth_m  of the window that terrane_caves_needs names
 *   floor_ceiling    floor_ceiling[2 * k], [2 * k + 1]: metres, floor below ceiling; TERRANE_ROCK both where there is none
 *   cave receives those with their top in the window, by (cy, cx), at most TERRANE_CAVES_MAX; *caves their number. Tops are
 *                    over 2 radius apart: windows of up to 32 (2 radius + 1) samples, 544 at least, have no more
 *
 * Returns 0, TERRANE_ELEVEL, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
int terrane_caves(const struct terrane_world *world, const struct terrane_window *window, const float *ground,
                  const float *depth_m, const struct terrane_memory *memory, float *floor_ceiling,
                  struct terrane_cave *cave, int *caves) TERRANE_MUST_CHECK;

#endif
