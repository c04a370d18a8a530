/*
 * The recipe config/worlds/desert.json as C.
 *
 * Written by `make recipe-default`; a test holds that both are the same.
 */
#include "shipped.h"

void recipe_desert(struct terrane_recipe *recipe)
{
    *recipe = (struct terrane_recipe){
        .spacing_m = 1,
        .low_m = -1024.0f,
        .high_m = 3072.0f,
        .sea_m = -400.0f,
        .terms = 22,
        .steep_low = 0.4f,
        .steep_high = 0.9f,
        .water = {.stops = 2, .stop = {{0.0f, {143, 185, 168}}, {200.0f, {79, 138, 144}}}},
    };
    recipe->term[0] = (struct terrane_term){
        .name = "basins",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 585635508u,
                .octaves = 3,
                .cell = 524288,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.45f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[1] = (struct terrane_term){
        .name = "basin-hills",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3767193877u,
                .octaves = 4,
                .cell = 65536,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.45f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[2] = (struct terrane_term){
        .name = "ground",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {0, 1},
        .factor = {420.0f, 150.0f},
    };
    recipe->term[3] = (struct terrane_term){
        .name = "pans",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5},
                .salt = 3260231987u,
                .octaves = 6,
                .cell = 256,
                .lacunarity = 2,
                .amplitude_m = 1.2f,
                .gain = 0.4f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[4] = (struct terrane_term){
        .name = "wind",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3129632578u,
                .octaves = 2,
                .cell = 131072,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.4f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[5] = (struct terrane_term){
        .name = "dunes",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 1139354395u,
                .octaves = 2,
                .cell = 3072,
                .lacunarity = 2,
                .amplitude_m = 32.0f,
                .gain = 0.3f,
                .warp_term = {4, 4},
                .warp_m = 300000.0f,
            },
    };
    recipe->term[6] = (struct terrane_term){
        .name = "draa",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_DOUBLE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3736594807u,
                .octaves = 2,
                .cell = 8192,
                .lacunarity = 2,
                .amplitude_m = 40.0f,
                .gain = 0.4f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[7] = (struct terrane_term){
        .name = "barchans",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 4229900530u,
                .octaves = 3,
                .cell = 512,
                .lacunarity = 2,
                .amplitude_m = 6.0f,
                .gain = 0.4f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[8] = (struct terrane_term){
        .name = "ripples",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 1139354395u,
                .octaves = 3,
                .cell = 192,
                .lacunarity = 2,
                .amplitude_m = 0.8f,
                .gain = 0.35f,
                .warp_term = {4, 4},
                .warp_m = 300000.0f,
            },
    };
    recipe->term[9] = (struct terrane_term){
        .name = "zones/1/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 4,
        .in = {5, 6, 7, 8},
        .factor = {1.0f, 1.0f, 1.0f, 1.0f},
    };
    recipe->term[10] = (struct terrane_term){
        .name = "gravel",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 559184443u,
                .octaves = 9,
                .cell = 2048,
                .lacunarity = 2,
                .amplitude_m = 16.0f,
                .gain = 0.45f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[11] = (struct terrane_term){
        .name = "gusts",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 4161977156u,
                .octaves = 4,
                .cell = 8192,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[12] = (struct terrane_term){
        .name = "drainage",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_BILLOW,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3503999938u,
                .octaves = 3,
                .cell = 16384,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.4f,
                .warp_term = {11, 11},
                .warp_m = 2500.0f,
            },
    };
    recipe->term[13] = (struct terrane_term){
        .name = "wadis",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {12},
        .knots = 5,
        .knot_x = {-1.4f, -1.2f, -1.05f, -0.7f, 1.0f},
        .knot_y = {-60.0f, -52.0f, -12.0f, 0.0f, 25.0f},
    };
    recipe->term[14] = (struct terrane_term){
        .name = "zones/2/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {10, 13},
        .factor = {1.0f, 1.0f},
    };
    recipe->term[15] = (struct terrane_term){
        .name = "tables",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2033815873u,
                .octaves = 10,
                .cell = 16384,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[16] = (struct terrane_term){
        .name = "mesas",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {15},
        .knots = 8,
        .knot_x = {-0.35f, -0.1f, -0.05f, 0.16f, 0.2f, 0.42f, 0.46f, 1.0f},
        .knot_y = {0.0f, 25.0f, 170.0f, 190.0f, 330.0f, 345.0f, 440.0f, 470.0f},
    };
    recipe->term[17] = (struct terrane_term){
        .name = "rubble",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 559184443u,
                .octaves = 9,
                .cell = 2048,
                .lacunarity = 2,
                .amplitude_m = 12.0f,
                .gain = 0.56f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[18] = (struct terrane_term){
        .name = "zones/3/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 3,
        .in = {16, 17, 13},
        .factor = {1.0f, 1.0f, 0.5f},
    };
    recipe->term[19] = (struct terrane_term){
        .name = "country",
        .op = TERRANE_OP_SUM,
        .inputs = 3,
        .in = {0, 1, 11},
        .factor = {1.0f, 0.35f, 0.12f},
    };
    recipe->term[20] = (struct terrane_term){
        .name = "zones",
        .op = TERRANE_OP_ZONES,
    };
    recipe->term[21] = (struct terrane_term){
        .name = "height",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {2, 20},
        .factor = {1.0f, 1.0f},
        .offset = 380.0f,
    };
    recipe->partition = (struct terrane_partition){
        .kind = TERRANE_PARTITION_NOISE,
        .zones = 4,
        .blend = 0.08f,
        .by = 19,
        .threshold = {-0.42f, -0.05f, 0.19f},
    };
    recipe->partition.zone[0] = (struct terrane_zone){
        .name = "salt pan",
        .term = 3,
        .amplitude = 1.0f,
        .offset_m = -30.0f,
        .colour = {239, 233, 220},
        .ground = {.stops = 3,
                   .stop = {{0.0f, {216, 205, 182}}, {150.0f, {236, 230, 216}}, {300.0f, {245, 241, 232}}}},
    };
    recipe->partition.zone[1] = (struct terrane_zone){
        .name = "erg",
        .term = 9,
        .amplitude = 1.0f,
        .offset_m = 50.0f,
        .colour = {227, 183, 104},
        .ground = {.stops = 4,
                   .stop = {{0.0f, {211, 164, 86}},
                            {300.0f, {223, 181, 106}},
                            {500.0f, {232, 198, 132}},
                            {800.0f, {240, 217, 162}}}},
        .steep = {.stops = 2, .stop = {{0.0f, {195, 143, 72}}, {800.0f, {216, 174, 108}}}},
    };
    recipe->partition.zone[2] = (struct terrane_zone){
        .name = "reg",
        .term = 14,
        .amplitude = 1.0f,
        .offset_m = 20.0f,
        .colour = {169, 142, 108},
        .ground = {.stops = 4,
                   .stop = {{0.0f, {176, 146, 106}},
                            {350.0f, {184, 154, 114}},
                            {500.0f, {168, 138, 102}},
                            {1000.0f, {196, 171, 136}}}},
        .steep = {.stops = 2, .stop = {{0.0f, {139, 111, 82}}, {900.0f, {160, 132, 104}}}},
    };
    recipe->partition.zone[3] = (struct terrane_zone){
        .name = "mesas",
        .term = 18,
        .amplitude = 1.0f,
        .offset_m = 20.0f,
        .colour = {169, 81, 47},
        .ground = {.stops = 5,
                   .stop = {{200.0f, {194, 148, 104}},
                            {500.0f, {200, 143, 96}},
                            {650.0f, {185, 116, 74}},
                            {900.0f, {208, 160, 116}},
                            {1200.0f, {192, 138, 98}}}},
        .steep = {.stops = 4,
                  .stop = {{0.0f, {143, 74, 44}},
                           {600.0f, {168, 90, 54}},
                           {900.0f, {140, 69, 43}},
                           {1200.0f, {176, 98, 60}}}},
    };
    recipe->erosion = (struct terrane_erosion){
        .levels = 10,
        .phases = {4, 5, 6, 7, 6, 5, 4, 3, 2, 1},
        .steps = {12, 11, 10, 10, 16, 16, 16, 16, 16, 16},
        .slides = {3, 4, 4, 4, 4, 4, 4, 4, 4, 4},
        .limit = 0.25f,
    };
    recipe->erosion.zone[0] = (struct terrane_droplets){
        .density = 0.004f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.002f,
        .deposition = 0.1f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 33.0f,
    };
    recipe->erosion.zone[1] = (struct terrane_droplets){
        .density = 0.004f,
        .lifetime = 6.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.002f,
        .deposition = 0.1f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 33.0f,
    };
    recipe->erosion.zone[2] = (struct terrane_droplets){
        .density = 0.035f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.012f,
        .deposition = 0.05f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 33.0f,
    };
    recipe->erosion.zone[3] = (struct terrane_droplets){
        .density = 0.05f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.014f,
        .deposition = 0.04f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 33.0f,
    };
    const int error = terrane_recipe_init(recipe, NULL);
    (void)error; /* none: it was accepted before it was written */
}
