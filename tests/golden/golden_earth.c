/*
 * Golden digests of what is made at nodes: plates, climate, coarse terms. golden.c has the rest.
 */
#include "cases.h"
#include "golden.h"

enum { CASE_EARTHS = 4, CASE_GROUND = 2 };

/* Cells from 512 samples on, all rounds but one, wide blends and narrow ones; bands in two of them. Blocks are as high as they are land. */
static void case_earth(struct terrane_recipe *recipe, int turn)
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

static void case_quantity(struct terrane_recipe *recipe, enum terrane_op op, int of)
{
    recipe->term[recipe->terms++] =
        (struct terrane_term){.op = op, .of = of, .inputs = op != TERRANE_OP_PLATES, .in = {CASE_GROUND}};
}

/* Beside nodes and on them, where both are few and many to a sample's way, and far away. */
static const struct terrane_window windows[] = {
    {.gi = -700, .gj = 1000003, .step = 7, .width = 90, .height = 9},
    {.level = 3, .gi = (INT64_C(1) << 40) - 400, .gj = -300, .step = 5, .width = 75, .height = 30},
    {.level = 6, .gi = -45, .gj = -(INT64_C(1) << 50), .step = 1, .width = 90, .height = 30},
};

static void put_quantity(int turn, enum terrane_op op, int of, uint64_t seed)
{
    struct terrane_recipe recipe;
    case_earth(&recipe, turn);
    case_quantity(&recipe, op, of);
    put_recipe(&recipe, seed, windows, sizeof windows / sizeof *windows);
}

void earths(void)
{
    for (int of = 0; of < TERRANE_PLATES_OFS; of++) {
        for (int turn = 0; turn < CASE_EARTHS; turn++)
            put_quantity(turn, TERRANE_OP_PLATES, of, 21);
        print_as("plates %d", of);
    }
    for (int turn = 0; turn < CASE_EARTHS; turn++) {
        put_quantity(turn, TERRANE_OP_CLIMATE, TERRANE_CLIMATE_TEMPERATURE, 22);
        put_quantity(turn, TERRANE_OP_CLIMATE, TERRANE_CLIMATE_PRECIPITATION, 22);
        put_quantity(turn, TERRANE_OP_COARSE, 4 + turn, 23);
        print_as("temperature, precipitation, coarse %d", turn);
    }
}
