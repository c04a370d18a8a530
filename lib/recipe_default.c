/*
 * The recipe that ships: continents and seas from four octaves of 131 to 16 km, over them detail whose
 * octaves all add about the same slope (gain 0.5), which the zones turn from plains into ranges.
 */
#include "terrane.h"

static const struct terrane_recipe continents = {
    .spacing_m = 1,
    .offset_m = 60,
    .low_m = -4096,
    .high_m = 4096,
    .base = {.base = TERRANE_PERLIN5,
             .salt = 1,
             .octaves = 4,
             .cell_log2 = 17,
             .amplitude_m = 1900,
             .gain = 0.45f},
    .detail = {.base = TERRANE_PERLIN5,
               .salt = 2,
               .octaves = 14,
               .cell_log2 = 14,
               .amplitude_m = 1000,
               .gain = 0.5f},
    .partition =
        {
            .base = TERRANE_PERLIN5,
            .salt = 3,
            .cell_log2 = 16,
            .zones = 4,
            .blend = 0.22f,
            .threshold = {-0.12f, 0.10f, 0.34f},
            .zone =
                {
                    {.name = "plains", .amplitude = 0.10f, .offset_m = 0, .colour = {170, 190, 110}},
                    {.name = "downs", .amplitude = 0.24f, .offset_m = 30, .colour = {120, 160, 80}},
                    {.name = "hills", .amplitude = 0.60f, .offset_m = 160, .colour = {140, 120, 80}},
                    {.name = "mountains", .amplitude = 1.30f, .offset_m = 620, .colour = {200, 200, 205}},
                },
        },
};

const struct terrane_recipe *terrane_recipe_default(void)
{
    return &continents;
}
