/*
 * Ground under way: what the files that make its layers share.
 */
#ifndef TERRANE_PRODUCT_GROUND_LAYERS_H
#define TERRANE_PRODUCT_GROUND_LAYERS_H

#include "region.h"

static inline float *ground_floats(const struct terrane_ground *ground, size_t count)
{
    return memory_take(ground->memory, count * sizeof(float));
}

/* These return 0 or an error. */

/* Paths over a window of the ground's level; heights, kind and distance_m may be NULL. */
int ground_apply_paths(const struct terrane_ground *ground, const struct terrane_window *window,
                       float *heights, uint8_t *kind, float *distance_m);

/* Edits over the heights of a window of the ground's level. */
int ground_edit(const struct terrane_ground *ground, const struct terrane_window *window, float *heights);

/* Of a recipe with rivers: base or eroded heights of a window of the ground's level become drained ones; beds through paths; what drainage and
 * erosion moved; water over heights; discharge. */
bool ground_on_lattice(const struct terrane_ground *ground); /* where noise counts under lakes alone: */
int ground_lake_beds(const struct terrane_ground *ground, const struct terrane_window *window,
                     float *heights);
int ground_drain(const struct terrane_ground *ground, const struct terrane_window *window, float *heights);
int ground_beds(const struct terrane_ground *ground, const struct terrane_window *window, float *heights);
int ground_drained_delta(const struct terrane_ground *ground, float *delta);
int ground_drained_water(const struct terrane_ground *ground, float *surface, float *depth);
int ground_make_rivers(const struct terrane_ground *ground, float *values);
int ground_make_damp(const struct terrane_ground *ground, float *values); /* terrane_rivers_damp's, or 0 */

/* What drainage knows of the samples of a window of the ground (it has some); each may be NULL:
 * ../cover/cover.h. */
int ground_cover_drained(const struct terrane_ground *ground, const struct terrane_window *window,
                         float *log2_cells, float *stream_m, float *shore_m);

/* Weights of materials. */
int ground_make_cover(struct terrane_ground *ground, float *values);

/* enum terrane_path_class and enum terrane_cave_kind of each sample. */
int ground_path_kinds(const struct terrane_ground *ground, uint8_t *kind);
int ground_cave_kinds(const struct terrane_ground *ground, uint8_t *kind);

/* A picture as numbers. */
int ground_make_picture(struct terrane_ground *ground, enum terrane_picture picture, float *values);

/* Two numbers a sample. */
int ground_make_paths(const struct terrane_ground *ground, float *values);
int ground_make_caves(const struct terrane_ground *ground, float *values);

/* Temperature, precipitation and wetness. */
int ground_make_climate(struct terrane_ground *ground, float *values);

#endif
