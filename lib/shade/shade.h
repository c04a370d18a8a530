/*
 * Angles of ground, in degrees.
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

#endif
