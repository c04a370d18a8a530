/*
 * Pictures of samples: angles of ground, light, and the relief map.
 */
#ifndef TERRANE_SHADE_H
#define TERRANE_SHADE_H

#include "../terrane.h"

/*
 * Of normals, as terrane_normals fills them.
 *
 * terrane_slopes     degrees[i], 0 .. 90, within 0.001 degrees of atan(rise over run).
 *
 * terrane_aspects    degrees[i], at least 0 and under 360: which way is down, clockwise from north, within 0.001 degrees; 0
 *                    of level ground, too.
 */
void terrane_slopes(const float *normals, size_t count, float *degrees);
void terrane_aspects(const float *normals, size_t count, float *degrees);

/*
 * Pictures of samples that the calls above made; each output sample depends on its own inputs only. normals as
 * terrane_normals fills them, weights as terrane_zones does. They never fail; outputs must not overlap inputs.
 *
 * terrane_hillshade  shade[i], 0 .. 255: cosine to a sun 45 degrees high in the north-west; flat ground is 180. What is lit
 *                    is ground made steeper, or less steep, by the level alone, so that all levels show form alike.
 *
 * terrane_relief     rgb[3 * i + c]: gradients of the zones over height, from ground to steep by slope, blended by
 *                    weights; water by depth_m, or, where that is NULL, by depth below sea_m; in the light of
 *                    hillshade, and of a sky beside it.
 *
 * terrane_relief_cover  the same with colours[3 * i + c] of the land, 0 .. 255, as terrane_cover_colours makes them.
 *
 * terrane_relief_banks  makes dry samples of rgb as much darker as they are banks (terrane_rivers_damp): ground is damp there, and in the
 *                    shade of what grows on it.
 *
 * terrane_relief_rivers  paints those of discharge[i] (m3/s) on dry samples of rgb, a relief of the level's samples: clearer
 *                    the more water comes for the level, and what is small there not at all.
 */
void terrane_hillshade(int level, const float *normals, size_t count, uint8_t *shade);
void terrane_relief(const struct terrane_recipe *recipe, int level, const float *heights,
                    const float *normals, const float *weights, const float *depth_m, size_t count,
                    uint8_t *rgb);
void terrane_relief_cover(const struct terrane_recipe *recipe, int level, const float *heights,
                          const float *normals, const float *colours, const float *depth_m, size_t count,
                          uint8_t *rgb);
void terrane_relief_rivers(const struct terrane_recipe *recipe, int level, const float *normals,
                           const float *depth_m, const float *discharge, size_t count, uint8_t *rgb);
void terrane_relief_banks(const float *banks, const float *depth_m, size_t count, uint8_t *rgb);

#endif
