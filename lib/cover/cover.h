/*
 * Cover under way: quantities of samples, what conditions make of them, and weights.
 */
#ifndef TERRANE_COVER_COVER_H
#define TERRANE_COVER_COVER_H

#include "../terrane_make.h"

enum {
    COVER_REACH = 8, /* cells that a lattice's quantities look at around a cell */
    COVER_HALO = COVER_REACH +
                 1, /* ... and around those on both sides of a sample: its spline has four along an axis */
};
/* Weights of a sample: 1 where a recipe says nothing of cover. */
static inline int terrane_cover_materials(const struct terrane_recipe *recipe)
{
    return recipe->cover.materials > 0 ? recipe->cover.materials : 1;
}

#define COVER_SLOPE_MIN 0x1p-6f /* of wetness */

/* What a recipe's conditions ask for: bits of enum terrane_cover_quantity, and of terms. */
struct cover_asked {
    unsigned quantities;
    uint64_t terms;
};
struct cover_asked cover_asked(const struct terrane_cover *cover);

/*
 * Suitabilities of count samples: suits[m * stride + i], of all materials but the last. They begin as the materials' shares, and are
 * multiplied by what each condition on the quantity `of` says of values[i].
 */
void cover_begin(const struct terrane_cover *cover, size_t stride, size_t count, float *suits);
void cover_suit(const struct terrane_cover *cover, int of, const float *values, size_t stride, size_t count,
                float *suits);

/* Multiplies suitabilities by what one condition says of values. */
void cover_condition(const struct terrane_condition *condition, const float *values, size_t count,
                     float *suits);

/* Weights[i * materials + m]. */
void cover_weights(const struct terrane_cover *cover, const float *suits, size_t stride, size_t count,
                   float *weights);

/* ---- Quantities ---------------------------------------------------------------------------------------- */

/* Of normals: rise over run. */
void cover_slopes(const float *normals, size_t count, float *slopes);

/* Of width heights of a row, a sample step apart, whose rows lie stride apart: one more on every side, across and down, is read. */
void cover_curvatures(const float *heights, size_t stride, int step, int width, double spacing_m,
                      float *curvatures);

/* log2 of what drains through less that of the slope. */
void cover_wetness(const float *log2_cells, const float *slopes, size_t count, float *wetness);

/*
 * What drainage knows of the samples of a window (any step, of the product's level or a finer one), between cells by a cubic
 * B-spline; each may be NULL.
 *
 *   drained     covers the cells on all sides of the window's samples, and COVER_HALO around them
 *   log2_cells  of what runs off through it, in cells of the lattice with the mean runoff
 *   stream_m    height of the stream that it drains into
 *   shore_m     metres to sea or lake; cover_far_m at most
 *
 * Returns 0, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
int cover_of_drainage(const struct terrane_recipe *recipe, const struct terrane_window *window,
                      const struct terrane_drained *drained, const struct terrane_memory *memory,
                      float *log2_cells, float *stream_m, float *shore_m) TERRANE_MUST_CHECK;

/* As far as shores are looked for, at a level. */
float cover_far_m(const struct terrane_recipe *recipe, int level);

/* Of each value nearly its log2; they are 2^-126 at least: exact of powers of two, straight and a parabola between them. */
void cover_log2s(float *values, size_t count);

/* ---- Colours ------------------------------------------------------------------------------------------- */

/* A weight is a multiple of 2^-16 in 0 .. 1, and those of a sample sum to exactly 1, in whatever order. */

/*
 * terrane_cover_colours - the materials' colours, each times its weight: colour[3 * i + c], 0 .. 255, not rounded.
 *
 *   weights  weights[i * materials + m]; of a recipe that has materials
 */
void terrane_cover_colours(const struct terrane_recipe *recipe, const float *weights, size_t count,
                           float *colour);

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

#endif
