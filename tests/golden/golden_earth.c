/*
 * Golden digests of what is made at nodes: plates, climate, coarse terms. golden.c has the rest.
 */
#include "cases_earth.h"
#include "golden.h"

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
