/*
 * The recipe that ships, config/worlds/continents.json, for those who have no JSON.
 *
 * Written by `make recipe-default`; a test holds that both are the same.
 */
#include "terrane.h"

void terrane_recipe_default(struct terrane_recipe *recipe)
{
    *recipe = (struct terrane_recipe){
        .spacing_m = 1,
        .low_m = -6000.0f,
        .high_m = 6000.0f,
        .terms = 19,
        .steep_low = 0.5f,
        .steep_high = 1.0f,
        .water = {.stops = 5,
                  .stop = {{0.0f, {164, 212, 218}},
                           {20.0f, {116, 182, 206}},
                           {200.0f, {64, 137, 182}},
                           {2200.0f, {36, 95, 152}},
                           {5200.0f, {22, 62, 112}}}},
    };
    recipe->term[0] = (struct terrane_term){
        .name = "crust",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3514283339u,
                .octaves = 7,
                .cell = 524288,
                .lacunarity = 2,
                .amplitude_m = 0.75f,
                .gain = 0.6f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[1] = (struct terrane_term){
        .name = "profile",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {0},
        .knots = 9,
        .knot_x = {-1.0f, -0.42f, -0.24f, -0.1f, 0.0f, 0.08f, 0.3f, 0.7f, 1.3f},
        .knot_y = {-5200.0f, -3900.0f, -2300.0f, -190.0f, 0.0f, 110.0f, 330.0f, 620.0f, 1000.0f},
    };
    recipe->term[2] = (struct terrane_term){
        .name = "hills",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5},
                .salt = 3845783490u,
                .octaves = 6,
                .cell = 8192,
                .lacunarity = 2,
                .amplitude_m = 245.0f,
                .gain = 0.56f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[3] = (struct terrane_term){
        .name = "moisture",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5},
                .salt = 424040523u,
                .octaves = 1,
                .cell = 262144,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[4] = (struct terrane_term){
        .name = "swell",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {3},
        .knots = 2,
        .knot_x = {-0.35f, 0.25f},
        .knot_y = {0.35f, 1.05f},
    };
    recipe->term[5] = (struct terrane_term){
        .name = "lowland/sum/0",
        .op = TERRANE_OP_PRODUCT,
        .inputs = 2,
        .in = {2, 4},
        .factor = {1.0f, 0.0f},
    };
    recipe->term[6] = (struct terrane_term){
        .name = "soil",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 817444681u,
                .octaves = 3,
                .cell = 64,
                .lacunarity = 2,
                .amplitude_m = 1.9f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[7] = (struct terrane_term){
        .name = "lowland",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {5, 6},
        .factor = {1.0f, 1.0f},
    };
    recipe->term[8] = (struct terrane_term){
        .name = "mass",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3596792170u,
                .octaves = 3,
                .cell = 32768,
                .lacunarity = 2,
                .amplitude_m = 950.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[9] = (struct terrane_term){
        .name = "crests",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5},
                .salt = 3522474530u,
                .octaves = 6,
                .cell = 16384,
                .lacunarity = 2,
                .amplitude_m = 700.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[10] = (struct terrane_term){
        .name = "rock",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_MULTIFRACTAL,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2470392145u,
                .octaves = 8,
                .cell = 256,
                .lacunarity = 2,
                .amplitude_m = 14.0f,
                .gain = 0.5f,
                .offset = 0.7f,
                .sharpness = 0.6f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[11] = (struct terrane_term){
        .name = "range",
        .op = TERRANE_OP_SUM,
        .inputs = 3,
        .in = {8, 9, 10},
        .factor = {1.0f, 1.0f, 1.0f},
        .offset = 450.0f,
    };
    recipe->term[12] = (struct terrane_term){
        .name = "belts",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 4251689135u,
                .octaves = 2,
                .cell = 262144,
                .lacunarity = 2,
                .amplitude_m = 0.65f,
                .gain = 0.45f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[13] = (struct terrane_term){
        .name = "upland",
        .op = TERRANE_OP_BLEND,
        .inputs = 3,
        .in = {7, 11, 12},
        .low = 0.35f,
        .high = 0.85f,
    };
    recipe->term[14] = (struct terrane_term){
        .name = "zones/6/surface",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_POLYNOMIAL_C1, TERRANE_POLYNOMIAL_C1, TERRANE_POLYNOMIAL_C1,
                         TERRANE_POLYNOMIAL_C1, TERRANE_POLYNOMIAL_C1, TERRANE_POLYNOMIAL_C1},
                .salt = 3845783490u,
                .octaves = 6,
                .cell = 8192,
                .lacunarity = 2,
                .amplitude_m = 300.0f,
                .gain = 0.48f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[15] = (struct terrane_term){
        .name = "warmth",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5},
                .salt = 2575161668u,
                .octaves = 1,
                .cell = 1048576,
                .lacunarity = 2,
                .amplitude_m = 38.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[16] = (struct terrane_term){
        .name = "temperature",
        .op = TERRANE_OP_SUM,
        .inputs = 3,
        .in = {15, 1, 12},
        .factor = {1.0f, -0.0065f, -6.0f},
        .offset = 15.0f,
    };
    recipe->term[17] = (struct terrane_term){
        .name = "zones",
        .op = TERRANE_OP_ZONES,
    };
    recipe->term[18] = (struct terrane_term){
        .name = "height",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {1, 17},
        .factor = {1.0f, 1.0f},
    };
    recipe->partition = (struct terrane_partition){
        .kind = TERRANE_PARTITION_CLIMATE,
        .zones = 9,
        .blend = 0.2f,
        .temperature = 16,
        .moisture = 3,
        .cold = -20.0f,
        .hot = 36.0f,
        .dry = -0.7f,
        .wet = 0.7f,
        .table_rows = 7,
        .table_columns = 4,
        .table = {0, 0, 0, 0, 1, 1, 1, 1, 3, 2, 2, 2, 3, 4, 5, 5, 6, 4, 5, 5, 6, 7, 7, 8, 6, 7, 8, 8},
    };
    recipe->partition.zone[0] = (struct terrane_zone){
        .name = "ice",
        .term = 13,
        .amplitude = 0.9f,
        .colour = {232, 238, 242},
        .ground = {.stops = 2, .stop = {{0.0f, {228, 235, 238}}, {300.0f, {243, 245, 247}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {144, 148, 154}}}},
    };
    recipe->partition.zone[1] = (struct terrane_zone){
        .name = "tundra",
        .term = 13,
        .amplitude = 0.8f,
        .colour = {165, 165, 138},
        .ground = {.stops = 4,
                   .stop = {{0.0f, {155, 154, 124}},
                            {600.0f, {141, 141, 118}},
                            {1200.0f, {163, 160, 152}},
                            {1600.0f, {243, 245, 247}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {119, 116, 110}}}},
    };
    recipe->partition.zone[2] = (struct terrane_zone){
        .name = "taiga",
        .term = 13,
        .amplitude = 1.0f,
        .colour = {79, 111, 79},
        .ground = {.stops = 5,
                   .stop = {{0.0f, {140, 143, 104}},
                            {12.0f, {91, 122, 82}},
                            {800.0f, {76, 106, 74}},
                            {1500.0f, {138, 136, 118}},
                            {2100.0f, {243, 245, 247}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {111, 108, 102}}}},
    };
    recipe->partition.zone[3] = (struct terrane_zone){
        .name = "steppe",
        .term = 13,
        .amplitude = 0.8f,
        .colour = {179, 168, 117},
        .ground = {.stops = 4,
                   .stop = {{0.0f, {185, 173, 124}},
                            {700.0f, {167, 155, 108}},
                            {1700.0f, {148, 136, 122}},
                            {2500.0f, {243, 245, 247}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {131, 119, 102}}}},
    };
    recipe->partition.zone[4] = (struct terrane_zone){
        .name = "grassland",
        .term = 13,
        .amplitude = 1.0f,
        .colour = {143, 174, 92},
        .ground = {.stops = 6,
                   .stop = {{0.0f, {217, 203, 152}},
                            {10.0f, {150, 174, 100}},
                            {600.0f, {134, 160, 90}},
                            {1500.0f, {148, 140, 108}},
                            {2200.0f, {160, 154, 148}},
                            {2700.0f, {243, 245, 247}}}},
        .steep = {.stops = 2, .stop = {{0.0f, {128, 117, 95}}, {2000.0f, {133, 129, 124}}}},
    };
    recipe->partition.zone[5] = (struct terrane_zone){
        .name = "forest",
        .term = 13,
        .amplitude = 1.0f,
        .colour = {92, 138, 72},
        .ground = {.stops = 6,
                   .stop = {{0.0f, {217, 203, 152}},
                            {10.0f, {113, 153, 79}},
                            {700.0f, {87, 127, 64}},
                            {1400.0f, {111, 127, 80}},
                            {2000.0f, {154, 148, 138}},
                            {2500.0f, {243, 245, 247}}}},
        .steep = {.stops = 2, .stop = {{0.0f, {119, 109, 92}}, {2000.0f, {133, 129, 124}}}},
    };
    recipe->partition.zone[6] = (struct terrane_zone){
        .name = "desert",
        .term = 14,
        .amplitude = 1.0f,
        .colour = {216, 184, 120},
        .ground = {.stops = 4,
                   .stop = {{0.0f, {224, 200, 144}},
                            {500.0f, {210, 175, 118}},
                            {1500.0f, {181, 138, 94}},
                            {2800.0f, {156, 130, 112}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {164, 122, 82}}}},
    };
    recipe->partition.zone[7] = (struct terrane_zone){
        .name = "savanna",
        .term = 13,
        .amplitude = 0.7f,
        .colour = {183, 173, 92},
        .ground = {.stops = 5,
                   .stop = {{0.0f, {217, 203, 152}},
                            {10.0f, {181, 173, 98}},
                            {700.0f, {165, 154, 88}},
                            {1700.0f, {143, 129, 99}},
                            {3000.0f, {160, 154, 148}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {138, 116, 79}}}},
    };
    recipe->partition.zone[8] = (struct terrane_zone){
        .name = "rainforest",
        .term = 13,
        .amplitude = 1.0f,
        .colour = {47, 122, 63},
        .ground = {.stops = 5,
                   .stop = {{0.0f, {217, 203, 152}},
                            {8.0f, {66, 130, 68}},
                            {800.0f, {47, 109, 56}},
                            {1800.0f, {76, 114, 72}},
                            {2800.0f, {141, 138, 128}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {95, 90, 72}}}},
    };
    recipe->erosion = (struct terrane_erosion){
        .levels = 11,
        .phases = {3, 4, 4, 5, 7, 8, 7, 6, 4, 3, 2},
        .steps = {12, 12, 12, 11, 14, 14, 14, 14, 14, 14, 14},
        .slides = {2, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4},
        .limit = 0.25f,
    };
    recipe->erosion.zone[0] = (struct terrane_droplets){
        .density = 0.04f,
        .lifetime = 64.0f,
        .inertia = 0.3f,
        .capacity = 20.0f,
        .erosion = 0.018f,
        .deposition = 0.06f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[1] = (struct terrane_droplets){
        .density = 0.035f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.018f,
        .deposition = 0.04f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[2] = (struct terrane_droplets){
        .density = 0.04f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.018f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[3] = (struct terrane_droplets){
        .density = 0.03f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.018f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[4] = (struct terrane_droplets){
        .density = 0.04f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.018f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[5] = (struct terrane_droplets){
        .density = 0.04f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.018f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[6] = (struct terrane_droplets){
        .density = 0.025f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.018f,
        .deposition = 0.06f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[7] = (struct terrane_droplets){
        .density = 0.035f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.018f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[8] = (struct terrane_droplets){
        .density = 0.05f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.018f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->lakes = (struct terrane_lakes){
        .share = 0.5f,
        .level = 5,
        .cell_log2 = 6,
        .radius = 48,
        .depth_m = 120.0f,
        .shallow_m = 3.0f,
    };
    const int error = terrane_recipe_init(recipe, NULL);
    (void)error; /* none: it was accepted before it was written */
}
