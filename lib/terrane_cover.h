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

/* Weights as bytes, bytes[i * materials + m], each within 1 of 255 times its weight; those of a sample sum to 255. */
void terrane_cover_bytes(const struct terrane_recipe *recipe, const float *weights, size_t count,
                         uint8_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
