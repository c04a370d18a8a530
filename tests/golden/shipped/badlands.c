/*
 * The recipe config/worlds/badlands.json as C.
 *
 * Written by `make recipe-default`; a test holds that both are the same.
 */
#include "shipped.h"

void recipe_badlands(struct terrane_recipe *recipe)
{
    *recipe = (struct terrane_recipe){
        .spacing_m = 1,
        .low_m = -512.0f,
        .high_m = 1536.0f,
        .sea_m = -300.0f,
        .terms = 21,
        .steep_low = 0.4f,
        .steep_high = 0.9f,
        .water = {.stops = 2, .stop = {{0.0f, {162, 166, 132}}, {100.0f, {102, 118, 106}}}},
    };
    recipe->term[0] = (struct terrane_term){
        .name = "plateau",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2921364104u,
                .octaves = 3,
                .cell = 524288,
                .lacunarity = 2,
                .amplitude_m = 110.0f,
                .gain = 0.45f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[1] = (struct terrane_term){
        .name = "swells",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 1882504650u,
                .octaves = 4,
                .cell = 32768,
                .lacunarity = 2,
                .amplitude_m = 55.0f,
                .gain = 0.45f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[2] = (struct terrane_term){
        .name = "grass",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 1543223336u,
                .octaves = 9,
                .cell = 2048,
                .lacunarity = 2,
                .amplitude_m = 14.0f,
                .gain = 0.44f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[3] = (struct terrane_term){
        .name = "nudge-x",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 326345895u,
                .octaves = 4,
                .cell = 2048,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[4] = (struct terrane_term){
        .name = "nudge-y",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3037112783u,
                .octaves = 4,
                .cell = 2048,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[5] = (struct terrane_term){
        .name = "drainage",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_BILLOW,
                .base = {TERRANE_PERLIN5},
                .salt = 3503999938u,
                .octaves = 1,
                .cell = 16384,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {3, 4},
                .warp_m = 500.0f,
            },
    };
    recipe->term[6] = (struct terrane_term){
        .name = "washes",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {5},
        .knots = 4,
        .knot_x = {-1.0f, -0.95f, -0.85f, -0.6f},
        .knot_y = {-140.0f, -120.0f, -45.0f, 0.0f},
    };
    recipe->term[7] = (struct terrane_term){
        .name = "shape",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_DOUBLE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 1263353903u,
                .octaves = 4,
                .cell = 16384,
                .lacunarity = 2,
                .amplitude_m = 60.0f,
                .gain = 0.6f,
                .warp_term = {3, 4},
                .warp_m = 700.0f,
            },
    };
    recipe->term[8] = (struct terrane_term){
        .name = "gullies",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_DOUBLE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3274899748u,
                .octaves = 4,
                .cell = 1024,
                .lacunarity = 2,
                .amplitude_m = 20.0f,
                .gain = 0.5f,
                .warp_term = {3, 4},
                .warp_m = 250.0f,
            },
    };
    recipe->term[9] = (struct terrane_term){
        .name = "zones/0/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 4,
        .in = {2, 6, 7, 8},
        .factor = {1.0f, 0.5f, 0.3f, 0.25f},
    };
    recipe->term[10] = (struct terrane_term){
        .name = "folds",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_BILLOW,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 205829944u,
                .octaves = 3,
                .cell = 512,
                .lacunarity = 2,
                .amplitude_m = 22.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[11] = (struct terrane_term){
        .name = "cracks",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_BILLOW,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 4137416059u,
                .octaves = 5,
                .cell = 64,
                .lacunarity = 2,
                .amplitude_m = 1.6f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[12] = (struct terrane_term){
        .name = "hills",
        .op = TERRANE_OP_SUM,
        .inputs = 4,
        .in = {7, 8, 10, 11},
        .factor = {0.7f, 0.9f, 1.0f, 0.6f},
    };
    recipe->term[13] = (struct terrane_term){
        .name = "wear",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 1632041874u,
                .octaves = 8,
                .cell = 262144,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.55f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[14] = (struct terrane_term){
        .name = "cut",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {13},
        .knots = 3,
        .knot_x = {-0.22f, 0.05f, 0.55f},
        .knot_y = {75.0f, 25.0f, -35.0f},
    };
    recipe->term[15] = (struct terrane_term){
        .name = "zones/1/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 3,
        .in = {12, 6, 14},
        .factor = {1.0f, 0.6f, 1.0f},
    };
    recipe->term[16] = (struct terrane_term){
        .name = "steps/curve",
        .op = TERRANE_OP_SUM,
        .inputs = 4,
        .in = {7, 8, 6, 14},
        .factor = {1.0f, 1.0f, 1.0f, 1.0f},
    };
    recipe->term[17] = (struct terrane_term){
        .name = "steps",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {16},
        .knots = 12,
        .knot_x = {-95.0f, -64.0f, -48.0f, -26.0f, -12.0f, 12.0f, 26.0f, 48.0f, 62.0f, 86.0f, 100.0f, 150.0f},
        .knot_y = {-80.0f, -75.0f, -50.0f, -43.0f, -18.0f, -10.0f, 15.0f, 23.0f, 49.0f, 58.0f, 84.0f, 100.0f},
    };
    recipe->term[18] = (struct terrane_term){
        .name = "zones/2/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {17, 11},
        .factor = {1.0f, 1.0f},
    };
    recipe->term[19] = (struct terrane_term){
        .name = "zones",
        .op = TERRANE_OP_ZONES,
    };
    recipe->term[20] = (struct terrane_term){
        .name = "height",
        .op = TERRANE_OP_SUM,
        .inputs = 3,
        .in = {0, 1, 19},
        .factor = {1.0f, 1.0f, 1.0f},
        .offset = 380.0f,
    };
    recipe->partition = (struct terrane_partition){
        .kind = TERRANE_PARTITION_NOISE,
        .zones = 3,
        .blend = 0.1f,
        .by = 13,
        .threshold = {-0.25f, 0.05f},
    };
    recipe->partition.zone[0] = (struct terrane_zone){
        .name = "prairie",
        .term = 9,
        .amplitude = 1.0f,
        .offset_m = 85.0f,
        .colour = {169, 176, 94},
        .ground = {.stops = 7,
                   .stop = {{250.0f, {198, 180, 135}},
                            {350.0f, {159, 160, 90}},
                            {420.0f, {176, 171, 100}},
                            {460.0f, {158, 164, 90}},
                            {500.0f, {185, 179, 111}},
                            {560.0f, {169, 170, 98}},
                            {700.0f, {207, 200, 148}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {166, 138, 102}}}},
    };
    recipe->partition.zone[1] = (struct terrane_zone){
        .name = "clay",
        .term = 15,
        .amplitude = 1.0f,
        .offset_m = 8.0f,
        .colour = {216, 184, 150},
        .ground = {.stops = 8,
                   .stop = {{200.0f, {220, 200, 168}},
                            {280.0f, {201, 159, 128}},
                            {320.0f, {168, 106, 88}},
                            {350.0f, {220, 195, 164}},
                            {390.0f, {185, 138, 120}},
                            {430.0f, {224, 204, 176}},
                            {480.0f, {176, 116, 98}},
                            {560.0f, {216, 191, 156}}}},
        .steep = {.stops = 6,
                  .stop = {{240.0f, {185, 154, 128}},
                           {320.0f, {150, 96, 78}},
                           {360.0f, {205, 178, 150}},
                           {400.0f, {165, 112, 92}},
                           {440.0f, {207, 183, 153}},
                           {500.0f, {160, 100, 79}}}},
    };
    recipe->partition.zone[2] = (struct terrane_zone){
        .name = "buttes",
        .term = 18,
        .amplitude = 1.0f,
        .colour = {163, 89, 60},
        .ground = {.stops = 8,
                   .stop = {{200.0f, {210, 180, 140}},
                            {290.0f, {199, 154, 112}},
                            {330.0f, {176, 104, 74}},
                            {370.0f, {210, 162, 124}},
                            {410.0f, {181, 112, 78}},
                            {450.0f, {216, 176, 136}},
                            {500.0f, {176, 104, 74}},
                            {600.0f, {201, 168, 120}}}},
        .steep = {.stops = 8,
                  .stop = {{200.0f, {154, 98, 72}},
                           {300.0f, {138, 74, 52}},
                           {335.0f, {192, 138, 104}},
                           {360.0f, {127, 66, 48}},
                           {400.0f, {185, 133, 102}},
                           {430.0f, {138, 70, 52}},
                           {470.0f, {196, 148, 116}},
                           {540.0f, {138, 76, 56}}}},
    };
    recipe->erosion = (struct terrane_erosion){
        .levels = 10,
        .phases = {4, 5, 6, 7, 6, 4, 3, 2, 1, 1},
        .steps = {12, 11, 10, 10, 14, 14, 14, 14, 14, 14},
        .slides = {2, 3, 4, 4, 4, 4, 4, 4, 4, 4},
        .limit = 0.25f,
    };
    recipe->erosion.zone[0] = (struct terrane_droplets){
        .density = 0.03f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.01f,
        .deposition = 0.04f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 40.0f,
    };
    recipe->erosion.zone[1] = (struct terrane_droplets){
        .density = 0.06f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.011f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 40.0f,
    };
    recipe->erosion.zone[2] = (struct terrane_droplets){
        .density = 0.06f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.016f,
        .deposition = 0.02f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 40.0f,
    };
    const int error = terrane_recipe_init(recipe, NULL);
    (void)error; /* none: it was accepted before it was written */
}
