/*
 * What the unit tests of erosion share: recipes of dice that erode, and products with their arrays. Include it first: it
 * brings lib_fixture.h.
 */
#ifndef TERRANE_TESTS_EROSION_KIT_H
#define TERRANE_TESTS_EROSION_KIT_H

#include "../../../lib/erosion/erosion.h"
#include "../lib_fixture.h"

/* Slopes from 0 to about 1 and a coast at every level up to 9, of one fractal; three zones by height, one of them wet. */
static inline struct terrane_recipe recipe_hills(void)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN3, 9, 12, 500, 0.55f);
    recipe.partition = (struct terrane_partition){
        .kind = TERRANE_PARTITION_NOISE, .zones = 3, .blend = 20, .threshold = {-30, 60}};
    for (int k = 0; k < 3; k++)
        recipe.partition.zone[k] = (struct terrane_zone){.name = "zone", .term = -1};
    return recipe;
}

/* Droplets that carve: about what recipes that ship say. */
static inline struct terrane_droplets droplets_usual(void)
{
    return (struct terrane_droplets){0.05f, 64, 0.1f, 16, 0.01f, 0.2f, 0.1f, 0.01f, 0.1f, 1, 1, 35};
}

/* The same rounds at each of so many levels. */
static inline void erosion_rounds(struct terrane_erosion *erosion, int levels, int phases, int steps,
                                  int slides)
{
    erosion->levels = levels;
    memset(erosion->phases, phases, sizeof erosion->phases);
    memset(erosion->steps, steps, sizeof erosion->steps);
    memset(erosion->slides, slides, sizeof erosion->slides);
}

/* Hills with erosion of dice: few phases and a small halo, so that it is quick, but every number anywhere in its range. */
static inline struct terrane_recipe dice_hills(struct dice *dice, int levels)
{
    struct terrane_recipe recipe = recipe_hills();
    recipe.spacing_m = dice_chance(dice, 0.7) ? 1 : dice_real(dice, 0.3, 3);
    recipe.erosion.levels = levels;
    recipe.erosion.limit = (float)exp2(dice_real(dice, -6, 0));
    for (int l = 0; l < levels; l++) {
        recipe.erosion.phases[l] = (uint8_t)dice_int(dice, 0, 3);
        recipe.erosion.steps[l] = (uint8_t)dice_int(dice, 1, 9);
        recipe.erosion.slides[l] = (uint8_t)dice_int(dice, 0, 2);
    }
    for (int k = 0; k < recipe.partition.zones; k++) {
        const bool usual = dice_chance(dice, 0.5);
        recipe.erosion.zone[k] = usual ? droplets_usual() : dice_droplets(dice);
        recipe.erosion.zone[k].density = (float)dice_real(dice, 0.01, 0.15);
    }
    return recipe;
}

/* Guarded arrays of a window's samples. Their content is no product yet. */
static inline struct terrane_eroded product_new(const struct terrane_window *window)
{
    const size_t bytes = samples_of(window) * sizeof(int32_t);
    return (struct terrane_eroded){*window, guarded_alloc(guarded_lent, bytes),
                                   guarded_alloc(guarded_lent, bytes)};
}

static inline void product_free(struct terrane_eroded *product)
{
    guarded_take_back(guarded_lent, product->delta);
    guarded_take_back(guarded_lent, product->flow);
    *product = (struct terrane_eroded){0};
}

/* Made in memory that is full of anything. */
static inline struct terrane_eroded eroded_new(const struct terrane_world *world,
                                               const struct terrane_eroded *from,
                                               const struct terrane_window *window)
{
    struct terrane_eroded product = product_new(window);
    const int error = terrane_erode(world, from, &guarded_memory, &product);
    if (error)
        fail_msg("%s: %s", window_text(window), terrane_error_text(error));
    return product;
}

/* part, whose window lies in that of whole, has the same bits. */
static inline void expect_part(const struct terrane_eroded *part, const struct terrane_eroded *whole)
{
    const struct terrane_window *p = &part->window, *w = &whole->window;
    assert_int_equal(p->level, w->level);
    for (int j = 0; j < p->height; j++) {
        const size_t in_part = (size_t)j * (size_t)p->width;
        const size_t in_whole = (size_t)(p->gj - w->gj + j) * (size_t)w->width + (size_t)(p->gi - w->gi);
        for (size_t i = 0; i < (size_t)p->width; i++)
            if (part->delta[in_part + i] != whole->delta[in_whole + i] ||
                part->flow[in_part + i] != whole->flow[in_whole + i])
                fail_msg("%s: sample %zu, %d (%s): delta %d, flow %u; in a larger window %d, %u",
                         window_text(p), i, j, terrane_isa(), part->delta[in_part + i],
                         part->flow[in_part + i], whole->delta[in_whole + i], whole->flow[in_whole + i]);
    }
}

/* How many samples erosion has moved. */
static inline int samples_moved(const struct terrane_eroded *product)
{
    int count = 0;
    for (size_t i = 0; i < samples_of(&product->window); i++)
        count += product->delta[i] != 0;
    return count;
}

#endif
