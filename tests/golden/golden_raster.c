/*
 * Golden digests of rasters: their measures, their digests, and heights in them, at their edges and beyond. golden.c has the rest.
 */
#include "cases.h"
#include "golden.h"

enum { WIDTH = 70, HEIGHT = 45, TURNS = 4 };

/* Steps of whole samples and of odd parts, finer than levels and coarser. */
static void case_raster(struct terrane_recipe *recipe, const struct terrane_raster *raster, int turn)
{
    static const double step[TURNS] = {0.2, 1, 3.7, 96};
    case_empty(recipe);
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 4, 64, 150, CASE_LATTICE);
    recipe->term[recipe->terms++] = (struct terrane_term){.op = TERRANE_OP_RASTER,
                                                          .inputs = 1,
                                                          .factor = {0.5f * (float)(turn + 1)},
                                                          .offset = (float)(turn - 2),
                                                          .raster = raster,
                                                          .at_m = {-20.3 * step[turn], -11 * step[turn]},
                                                          .step_m = step[turn],
                                                          .fade_m = turn * 9 * step[turn]};
}

/* Half a sample of level 0 is a metre: on the raster, over its edges, and far from it. */
static const struct terrane_window windows[] = {
    {.gi = -60, .gj = -40, .step = 1, .width = 259, .height = 40},
    {.level = 2, .gi = -300, .gj = -200, .step = 7, .width = 90, .height = 30},
    {.level = 6, .gi = -45, .gj = -20, .step = 1, .width = 260, .height = 30},
    {.level = 24,
     .gi = (INT64_C(1) << 50) - 90,
     .gj = -(INT64_C(1) << 50),
     .step = 1,
     .width = 90,
     .height = 9},
};

void rasters(void)
{
    static float sample[WIDTH * HEIGHT];
    struct terrane_raster raster = {.width = WIDTH, .height = HEIGHT, .sample = sample};
    for (int i = 0; i < WIDTH * HEIGHT; i++) /* rough, and exact everywhere */
        sample[i] = (float)((uint32_t)i * UINT32_C(2654435761) >> 20) * 0.25f - 400;
    need(terrane_raster_init(&raster) == 0, "raster");
    for (int turn = 0; turn < TURNS; turn++) {
        struct terrane_recipe recipe;
        case_raster(&recipe, &raster, turn);
        put_recipe(&recipe, 31, windows, sizeof windows / sizeof *windows);
        print_as("raster %d", turn);
    }
}
