/*
 * Plates, climate and coarse terms of the golden digests. Included by golden_earth.c only.
 */
#ifndef TERRANE_TESTS_GOLDEN_CASES_EARTH_H
#define TERRANE_TESTS_GOLDEN_CASES_EARTH_H

#include "cases.h"

enum { CASE_EARTHS = 4, CASE_GROUND = 2 };

/* Cells from 512 samples on, all rounds but one, wide blends and narrow ones; bands in two of them. Blocks are as high as they are land. */
static inline void case_earth(struct terrane_recipe *recipe, int turn)
{
    case_empty(recipe);
    recipe->spacing_m = 300 << turn;
    recipe->plates = (struct terrane_plates){9 + turn,
                                             5,
                                             1 - 0.2f * (float)turn,
                                             turn + turn / 2,
                                             0.35f + 0.1f * (float)turn,
                                             0.13f * (float)turn,
                                             0.5f - 0.13f * (float)turn,
                                             0.875f - 0.2f * (float)turn};
    recipe->climate = (struct terrane_climate){
        4 + turn, 6, CASE_GROUND, turn % 2 ? 0 : 11 + turn, 30, -20, 0.006f, 900, 0.4f * (float)turn, 0.01f};
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 5, 512, 700, CASE_LATTICE);
    recipe->term[recipe->terms++] = (struct terrane_term){.op = TERRANE_OP_PLATES};
    recipe->term[recipe->terms++] =
        (struct terrane_term){.op = TERRANE_OP_SUM, .inputs = 2, .in = {0, 1}, .factor = {1, 2500}};
}

static inline void case_quantity(struct terrane_recipe *recipe, enum terrane_op op, int of)
{
    recipe->term[recipe->terms++] =
        (struct terrane_term){.op = op, .of = of, .inputs = op != TERRANE_OP_PLATES, .in = {CASE_GROUND}};
}

#endif
