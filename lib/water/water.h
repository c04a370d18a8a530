/* Water over ground: known lakes, and the sea. */
#ifndef TERRANE_WATER_H
#define TERRANE_WATER_H

#include "../terrane.h"

/*
 * The window of the lakes' level that terrane_water reads for a window (any step) of any level. false: there are no
 * lakes at that level, only the sea.
 */
bool terrane_water_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *lakes);

/*
 * terrane_water - water over ground.
 *
 *   heights    of the window, base or eroded
 *   lakes the window of level_m, made by terrane_lakes from the same ground; NULL: only the sea surface_m the
 *   higher one of ground and water; may be NULL depth_m of water over ground, 0 where it is dry; may be NULL
 *
 * Returns 0, or TERRANE_EWINDOW: lakes does not cover what terrane_water_needs names.
 */
int terrane_water(const struct terrane_recipe *recipe, const struct terrane_window *window,
                  const float *heights, const struct terrane_window *lakes, const float *level_m,
                  float *surface_m, float *depth_m) TERRANE_MUST_CHECK;

/* The window of ground that terrane_lakes reads for a window of the lakes' level: 2 radius more on every side. */
void terrane_lakes_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *ground);

/*
 * terrane_lakes - the lakes of a window of the lakes' level (step 1).
 *
 *   ground   heights, base or eroded, of the window that terrane_lakes_needs names
 *   level_m  level_m[j * width + i]: the height of the lake's surface over (or, on its shore: beside) the sample;
 *            TERRANE_DRY where there is no lake
 *
 * Returns 0, TERRANE_ELEVEL (not the lakes' level), TERRANE_EWINDOW or TERRANE_EMEMORY. Cost: a flood of at most
 * (2 radius + 1)^2 samples for each cell that starts a lake.
 */
int terrane_lakes(const struct terrane_world *world, const struct terrane_window *window, const float *ground,
                  const struct terrane_memory *memory, float *level_m) TERRANE_MUST_CHECK;

#endif
