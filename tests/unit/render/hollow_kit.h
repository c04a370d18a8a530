/*
 * A small world with paths and caves, for tests of the server's products: hills that are walked on, with lakes, which erode.
 */
#ifndef TERRANE_TESTS_HOLLOW_KIT_H
#define TERRANE_TESTS_HOLLOW_KIT_H

#include "../region_kit.h"

/* Six levels of region_kit.h's, of gentler hills. Paths of level 4, in cells of 512 samples of level 0; caves of level 2. */
static inline void hollow_recipe(struct terrane_recipe *recipe)
{
    kit_recipe(recipe, 6, 2, 5);
    recipe->term[0].fractal.amplitude_m = 240;
    recipe->sea_m = -120;
    recipe->lakes.depth_m = 40;
    recipe->paths = (struct terrane_paths){.width_m = 6,
                                           .level = 4,
                                           .cell_log2 = 5,
                                           .slope = 0.3f,
                                           .border_m = 9,
                                           .depth_m = 12,
                                           .colour = {200, 160, 100}};
    recipe->caves = (struct terrane_caves){.share = 1,
                                           .level = 2,
                                           .cell_log2 = 6,
                                           .radius = 32,
                                           .high_m = 0,
                                           .roof_m = 12,
                                           .height_m = 10,
                                           .room = 30,
                                           .slope = 1};
}

#endif
