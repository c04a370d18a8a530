/*
 * The recipe config/worlds/alpine.json as C.
 *
 * Written by `make recipe-default`; a test holds that both are the same.
 */
#include "shipped.h"

void recipe_alpine(struct terrane_recipe *recipe)
{
    *recipe = (struct terrane_recipe){
        .spacing_m = 1,
        .low_m = -2048.0f,
        .high_m = 8192.0f,
        .terms = 22,
        .steep_low = 0.75f,
        .steep_high = 1.5f,
        .water = {.stops = 3,
                  .stop = {{0.0f, {127, 183, 198}}, {60.0f, {63, 131, 168}}, {600.0f, {31, 79, 124}}}},
    };
    recipe->term[0] = (struct terrane_term){
        .name = "foreland",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 4251538453u,
                .octaves = 5,
                .cell = 131072,
                .lacunarity = 2,
                .amplitude_m = 260.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[1] = (struct terrane_term){
        .name = "hills",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3845783490u,
                .octaves = 4,
                .cell = 16384,
                .lacunarity = 2,
                .amplitude_m = 170.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[2] = (struct terrane_term){
        .name = "bend-x",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2632591586u,
                .octaves = 3,
                .cell = 262144,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[3] = (struct terrane_term){
        .name = "bend-y",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 4058789728u,
                .octaves = 3,
                .cell = 262144,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[4] = (struct terrane_term){
        .name = "belts",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 4251689135u,
                .octaves = 3,
                .cell = 1048576,
                .lacunarity = 2,
                .amplitude_m = 0.85f,
                .gain = 0.7f,
                .warp_term = {2, 3},
                .warp_m = 110000.0f,
            },
    };
    recipe->term[5] = (struct terrane_term){
        .name = "lift",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {4},
        .knots = 4,
        .knot_x = {0.0f, 0.6f, 1.05f, 1.5f},
        .knot_y = {0.16f, 0.36f, 0.95f, 1.45f},
    };
    recipe->term[6] = (struct terrane_term){
        .name = "troughs",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_BILLOW,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2781146791u,
                .octaves = 2,
                .cell = 32768,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {2, 3},
                .warp_m = 20000.0f,
            },
    };
    recipe->term[7] = (struct terrane_term){
        .name = "sides",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {6},
        .knots = 5,
        .knot_x = {-1.35f, -1.18f, -0.9f, -0.4f, 0.4f},
        .knot_y = {0.0f, 0.03f, 0.5f, 0.95f, 1.1f},
    };
    recipe->term[8] = (struct terrane_term){
        .name = "crests",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_SWISS,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5},
                .salt = 3522474530u,
                .octaves = 6,
                .cell = 16384,
                .lacunarity = 2,
                .amplitude_m = 1100.0f,
                .gain = 0.54f,
                .warp = 0.12f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[9] = (struct terrane_term){
        .name = "mean",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_HYBRID,
                .base = {TERRANE_PERLIN5},
                .salt = 2550881679u,
                .octaves = 1,
                .cell = 16384,
                .lacunarity = 2,
                .amplitude_m = 330.0f,
                .gain = 0.5f,
                .offset = 4.0f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[10] = (struct terrane_term){
        .name = "massif/product/2",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {8, 9},
        .factor = {1.0f, -1.0f},
        .offset = 1420.0f,
    };
    recipe->term[11] = (struct terrane_term){
        .name = "massif",
        .op = TERRANE_OP_PRODUCT,
        .inputs = 3,
        .in = {5, 7, 10},
        .factor = {1.0f, 0.0f, 0.0f},
    };
    recipe->term[12] = (struct terrane_term){
        .name = "rise",
        .op = TERRANE_OP_SUM,
        .inputs = 3,
        .in = {0, 1, 11},
        .factor = {1.0f, 1.0f, 1.0f},
        .offset = 110.0f,
    };
    recipe->term[13] = (struct terrane_term){
        .name = "soil",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 817444681u,
                .octaves = 9,
                .cell = 1024,
                .lacunarity = 2,
                .amplitude_m = 22.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[14] = (struct terrane_term){
        .name = "rock",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_IQ,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2470392145u,
                .octaves = 8,
                .cell = 512,
                .lacunarity = 2,
                .amplitude_m = 36.0f,
                .gain = 0.52f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[15] = (struct terrane_term){
        .name = "zones/1/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {13, 14},
        .factor = {1.0f, 0.4f},
    };
    recipe->term[16] = (struct terrane_term){
        .name = "zones/2/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {13, 14},
        .factor = {1.0f, 1.0f},
    };
    recipe->term[17] = (struct terrane_term){
        .name = "zones/3/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 1,
        .in = {14},
        .factor = {1.5f},
    };
    recipe->term[18] = (struct terrane_term){
        .name = "woods",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5},
                .salt = 1430927054u,
                .octaves = 6,
                .cell = 8192,
                .lacunarity = 2,
                .amplitude_m = 330.0f,
                .gain = 0.6f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[19] = (struct terrane_term){
        .name = "partition/noise",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {12, 18},
        .factor = {1.0f, 1.0f},
    };
    recipe->term[20] = (struct terrane_term){
        .name = "zones",
        .op = TERRANE_OP_ZONES,
    };
    recipe->term[21] = (struct terrane_term){
        .name = "height",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {12, 20},
        .factor = {1.0f, 1.0f},
    };
    recipe->partition = (struct terrane_partition){
        .kind = TERRANE_PARTITION_NOISE,
        .zones = 4,
        .blend = 240.0f,
        .by = 19,
        .threshold = {420.0f, 1550.0f, 2200.0f},
    };
    recipe->partition.zone[0] = (struct terrane_zone){
        .name = "valley",
        .term = 13,
        .amplitude = 1.0f,
        .colour = {169, 198, 108},
        .ground = {.stops = 6,
                   .stop = {{0.0f, {207, 199, 156}},
                            {15.0f, {169, 189, 114}},
                            {250.0f, {155, 184, 104}},
                            {650.0f, {125, 159, 85}},
                            {1600.0f, {157, 149, 119}},
                            {2400.0f, {240, 240, 242}}}},
        .steep = {.stops = 2, .stop = {{0.0f, {132, 121, 106}}, {2200.0f, {134, 134, 138}}}},
    };
    recipe->partition.zone[1] = (struct terrane_zone){
        .name = "forest",
        .term = 15,
        .amplitude = 1.0f,
        .colour = {79, 122, 66},
        .ground = {.stops = 6,
                   .stop = {{0.0f, {207, 199, 156}},
                            {20.0f, {111, 150, 80}},
                            {600.0f, {88, 127, 69}},
                            {1300.0f, {72, 105, 58}},
                            {1700.0f, {133, 138, 88}},
                            {2500.0f, {240, 240, 242}}}},
        .steep = {.stops = 3,
                  .stop = {{0.0f, {106, 109, 82}}, {1500.0f, {119, 117, 106}}, {2200.0f, {134, 134, 138}}}},
    };
    recipe->partition.zone[2] = (struct terrane_zone){
        .name = "alp",
        .term = 16,
        .amplitude = 1.0f,
        .colour = {168, 160, 106},
        .ground = {.stops = 5,
                   .stop = {{900.0f, {95, 125, 69}},
                            {1700.0f, {139, 145, 88}},
                            {2100.0f, {161, 157, 128}},
                            {2450.0f, {174, 170, 162}},
                            {2750.0f, {244, 245, 247}}}},
        .steep = {.stops = 2, .stop = {{0.0f, {118, 112, 106}}, {2200.0f, {131, 132, 136}}}},
    };
    recipe->partition.zone[3] = (struct terrane_zone){
        .name = "summits",
        .term = 17,
        .amplitude = 1.0f,
        .colour = {230, 232, 236},
        .ground = {.stops = 4,
                   .stop = {{1600.0f, {143, 141, 120}},
                            {2150.0f, {154, 150, 142}},
                            {2500.0f, {198, 200, 202}},
                            {2750.0f, {246, 247, 249}}}},
        .steep = {.stops = 3,
                  .stop = {{1000.0f, {112, 108, 105}},
                           {2500.0f, {125, 124, 126}},
                           {3200.0f, {169, 171, 176}}}},
    };
    recipe->erosion = (struct terrane_erosion){
        .levels = 11,
        .phases = {4, 4, 5, 6, 7, 7, 8, 8, 7, 5, 3},
        .steps = {12, 12, 11, 10, 15, 15, 14, 13, 13, 13, 13},
        .slides = {2, 4, 5, 8, 8, 8, 8, 8, 8, 8, 8},
        .limit = 0.25f,
    };
    recipe->erosion.zone[0] = (struct terrane_droplets){
        .density = 0.04f,
        .lifetime = 64.0f,
        .inertia = 0.2f,
        .capacity = 20.0f,
        .erosion = 0.01f,
        .deposition = 0.08f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 31.0f,
    };
    recipe->erosion.zone[1] = (struct terrane_droplets){
        .density = 0.04f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.014f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 31.0f,
    };
    recipe->erosion.zone[2] = (struct terrane_droplets){
        .density = 0.04f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.014f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 31.0f,
    };
    recipe->erosion.zone[3] = (struct terrane_droplets){
        .density = 0.05f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.016f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 31.0f,
    };
    recipe->lakes = (struct terrane_lakes){
        .share = 0.7f,
        .level = 5,
        .cell_log2 = 6,
        .radius = 48,
        .depth_m = 150.0f,
        .shallow_m = 3.0f,
    };
    const int error = terrane_recipe_init(recipe, NULL);
    (void)error; /* none: it was accepted before it was written */
}
