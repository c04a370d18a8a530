/*
 * Cover: weights of the materials that a recipe names, at every sample. terrane_make and terrane_ground_layer make them
 * (TERRANE_LAYER_COVER); here is what is made of weights.
 *
 * A weight is a multiple of 2^-16 in 0 .. 1, and those of a sample sum to exactly 1, in whatever order.
 */
#ifndef TERRANE_COVER_H
#define TERRANE_COVER_H

#include "terrane.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Weights of a sample: 1 where a recipe says nothing of cover. */
static inline int terrane_cover_materials(const struct terrane_recipe *recipe)
{
    return recipe->cover.materials > 0 ? recipe->cover.materials : 1;
}

/* The words for quantities in JSON. Static storage. */
const char *terrane_cover_quantity_name(enum terrane_cover_quantity quantity);

/*
 * terrane_cover_colours - the materials' colours, each times its weight: colour[3 * i + c], 0 .. 255, not rounded.
 *
 *   weights  weights[i * materials + m]; of a recipe that has materials
 */
void terrane_cover_colours(const struct terrane_recipe *recipe, const float *weights, size_t count,
                           float *colour);

/* The word for a kind of texture in JSON. Static storage. */
const char *terrane_texture_name(enum terrane_texture_kind kind);

/*
 * terrane_cover_texture - makes colours of a window's samples lighter and darker, by the textures of their materials at its level:
 * each by the same whatever window it is in. What has no texture at the level stays, bit for bit.
 *
 *   heights, normals, weights  of the window; colour as terrane_cover_colours made it of these, and so within 0 .. 255 after it
 *
 * Returns 0, or TERRANE_EWINDOW or TERRANE_EMEMORY, and then colour is as it was.
 */
int terrane_cover_texture(const struct terrane_world *world, const struct terrane_window *window,
                          const struct terrane_memory *memory, const float *heights, const float *normals,
                          const float *weights, float *colour) TERRANE_MUST_CHECK;

/* Weights as bytes, bytes[i * materials + m], each within 1 of 255 times its weight; those of a sample sum to 255. */
void terrane_cover_bytes(const struct terrane_recipe *recipe, const float *weights, size_t count,
                         uint8_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
