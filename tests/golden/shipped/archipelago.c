/*
 * The recipe config/worlds/archipelago.json as C.
 *
 * Written by `make recipe-default`; a test holds that both are the same.
 */
#include "shipped.h"

void recipe_archipelago(struct terrane_recipe *recipe)
{
    *recipe = (struct terrane_recipe){
        .spacing_m = 1,
        .low_m = -6144.0f,
        .high_m = 4096.0f,
        .terms = 34,
        .steep_low = 0.6f,
        .steep_high = 1.2f,
        .water = {.stops = 6,
                  .stop = {{0.0f, {166, 230, 214}},
                           {10.0f, {111, 208, 200}},
                           {40.0f, {69, 174, 191}},
                           {250.0f, {43, 132, 173}},
                           {1500.0f, {28, 90, 146}},
                           {4200.0f, {18, 58, 110}}}},
    };
    recipe->term[0] = (struct terrane_term){
        .name = "bend-x",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2632591586u,
                .octaves = 3,
                .cell = 131072,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[1] = (struct terrane_term){
        .name = "bend-y",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 4058789728u,
                .octaves = 3,
                .cell = 131072,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[2] = (struct terrane_term){
        .name = "arcs",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2075091836u,
                .octaves = 2,
                .cell = 524288,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.45f,
                .warp_term = {0, 1},
                .warp_m = 45000.0f,
            },
    };
    recipe->term[3] = (struct terrane_term){
        .name = "floor",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {2},
        .knots = 5,
        .knot_x = {-0.2f, 0.45f, 0.75f, 0.96f, 1.3f},
        .knot_y = {-4300.0f, -3500.0f, -1900.0f, -560.0f, -60.0f},
    };
    recipe->term[4] = (struct terrane_term){
        .name = "rough",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {2},
        .knots = 3,
        .knot_x = {0.2f, 0.9f, 1.3f},
        .knot_y = {0.25f, 0.95f, 1.1f},
    };
    recipe->term[5] = (struct terrane_term){
        .name = "shelf",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2240504400u,
                .octaves = 5,
                .cell = 32768,
                .lacunarity = 2,
                .amplitude_m = 1250.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[6] = (struct terrane_term){
        .name = "nudge-x",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 326345895u,
                .octaves = 5,
                .cell = 8192,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[7] = (struct terrane_term){
        .name = "nudge-y",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3037112783u,
                .octaves = 5,
                .cell = 8192,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[8] = (struct terrane_term){
        .name = "spine",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_DOUBLE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3058423317u,
                .octaves = 4,
                .cell = 16384,
                .lacunarity = 2,
                .amplitude_m = 320.0f,
                .gain = 0.5f,
                .warp_term = {6, 7},
                .warp_m = 2500.0f,
            },
    };
    recipe->term[9] = (struct terrane_term){
        .name = "fire",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {5},
        .knots = 3,
        .knot_x = {-700.0f, -100.0f, 500.0f},
        .knot_y = {0.0f, 0.7f, 1.5f},
    };
    recipe->term[10] = (struct terrane_term){
        .name = "vents",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_CELLULAR_F1},
                .salt = 524287888u,
                .octaves = 1,
                .cell = 24000,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .jitter = 0.7f,
                .warp_term = {6, 7},
                .warp_m = 1400.0f,
            },
    };
    recipe->term[11] = (struct terrane_term){
        .name = "cones",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {10},
        .knots = 6,
        .knot_x = {-0.985f, -0.945f, -0.9f, -0.8f, -0.6f, -0.35f},
        .knot_y = {830.0f, 1000.0f, 800.0f, 420.0f, 110.0f, 0.0f},
    };
    recipe->term[12] = (struct terrane_term){
        .name = "d/sum/1/product/1/sum/2",
        .op = TERRANE_OP_PRODUCT,
        .inputs = 2,
        .in = {9, 11},
        .factor = {1.0f, 0.0f},
    };
    recipe->term[13] = (struct terrane_term){
        .name = "land/sum/1/product/1",
        .op = TERRANE_OP_SUM,
        .inputs = 3,
        .in = {5, 8, 12},
        .factor = {1.0f, 1.0f, 1.0f},
    };
    recipe->term[14] = (struct terrane_term){
        .name = "land/sum/1",
        .op = TERRANE_OP_PRODUCT,
        .inputs = 2,
        .in = {4, 13},
        .factor = {1.0f, 0.0f},
    };
    recipe->term[15] = (struct terrane_term){
        .name = "land",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {3, 14},
        .factor = {1.0f, 1.0f},
    };
    recipe->term[16] = (struct terrane_term){
        .name = "rings",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_CELLULAR_F1},
                .salt = 3402929190u,
                .octaves = 1,
                .cell = 45000,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .jitter = 0.7f,
                .warp_term = {6, 7},
                .warp_m = 6000.0f,
            },
    };
    recipe->term[17] = (struct terrane_term){
        .name = "reef",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {16},
        .knots = 7,
        .knot_x = {-0.98f, -0.87f, -0.835f, -0.815f, -0.8f, -0.78f, -0.7f},
        .knot_y = {-34.0f, -22.0f, -5.0f, 3.0f, 2.0f, -60.0f, -900.0f},
    };
    recipe->term[18] = (struct terrane_term){
        .name = "atolls/product/0",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {16},
        .knots = 2,
        .knot_x = {-0.8f, -0.62f},
        .knot_y = {1.0f, 0.0f},
    };
    recipe->term[19] = (struct terrane_term){
        .name = "atolls/product/1",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {2},
        .knots = 4,
        .knot_x = {0.4f, 0.5f, 0.74f, 0.82f},
        .knot_y = {0.0f, 1.0f, 1.0f, 0.0f},
    };
    recipe->term[20] = (struct terrane_term){
        .name = "atolls",
        .op = TERRANE_OP_PRODUCT,
        .inputs = 2,
        .in = {18, 19},
        .factor = {1.0f, 0.0f},
    };
    recipe->term[21] = (struct terrane_term){
        .name = "sea",
        .op = TERRANE_OP_BLEND,
        .inputs = 3,
        .in = {15, 17, 20},
        .high = 1.0f,
    };
    recipe->term[22] = (struct terrane_term){
        .name = "calm",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {20},
        .knots = 2,
        .knot_x = {0.0f, 1.0f},
        .knot_y = {1.0f, 0.05f},
    };
    recipe->term[23] = (struct terrane_term){
        .name = "relief",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 182880006u,
                .octaves = 10,
                .cell = 4096,
                .lacunarity = 2,
                .amplitude_m = 150.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[24] = (struct terrane_term){
        .name = "ravines",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_DOUBLE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5},
                .salt = 1839059659u,
                .octaves = 6,
                .cell = 1024,
                .lacunarity = 2,
                .amplitude_m = 16.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[25] = (struct terrane_term){
        .name = "zones/0/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {23, 24},
        .factor = {0.75f, 0.6f},
    };
    recipe->term[26] = (struct terrane_term){
        .name = "zones/1/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {23, 24},
        .factor = {1.0f, 0.7f},
    };
    recipe->term[27] = (struct terrane_term){
        .name = "zones/2/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {23, 24},
        .factor = {1.0f, 1.0f},
    };
    recipe->term[28] = (struct terrane_term){
        .name = "zones/3/surface",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_DOUBLE_RIDGED,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 182880006u,
                .octaves = 10,
                .cell = 4096,
                .lacunarity = 2,
                .amplitude_m = 80.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[29] = (struct terrane_term){
        .name = "heat",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 1760814493u,
                .octaves = 3,
                .cell = 524288,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.4f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[30] = (struct terrane_term){
        .name = "rain",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3222417847u,
                .octaves = 5,
                .cell = 262144,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[31] = (struct terrane_term){
        .name = "zones",
        .op = TERRANE_OP_ZONES,
    };
    recipe->term[32] = (struct terrane_term){
        .name = "height/sum/1",
        .op = TERRANE_OP_PRODUCT,
        .inputs = 2,
        .in = {22, 31},
        .factor = {1.0f, 0.0f},
    };
    recipe->term[33] = (struct terrane_term){
        .name = "height",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {21, 32},
        .factor = {1.0f, 1.0f},
    };
    recipe->partition = (struct terrane_partition){
        .kind = TERRANE_PARTITION_CLIMATE,
        .zones = 4,
        .blend = 0.4f,
        .temperature = 29,
        .moisture = 30,
        .cold = -0.6f,
        .hot = 0.6f,
        .dry = -0.6f,
        .wet = 0.6f,
        .table_rows = 3,
        .table_columns = 3,
        .table = {0, 0, 2, 1, 2, 2, 1, 3, 3},
    };
    recipe->partition.zone[0] = (struct terrane_zone){
        .name = "heath",
        .term = 25,
        .amplitude = 1.0f,
        .colour = {160, 143, 160},
        .ground = {.stops = 5,
                   .stop = {{0.0f, {232, 220, 176}},
                            {6.0f, {169, 168, 115}},
                            {250.0f, {146, 144, 95}},
                            {700.0f, {138, 132, 96}},
                            {1300.0f, {133, 124, 112}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {119, 112, 95}}}},
    };
    recipe->partition.zone[1] = (struct terrane_zone){
        .name = "scrub",
        .term = 26,
        .amplitude = 1.0f,
        .colour = {201, 184, 104},
        .ground = {.stops = 5,
                   .stop = {{0.0f, {240, 227, 180}},
                            {6.0f, {196, 186, 116}},
                            {300.0f, {176, 165, 98}},
                            {700.0f, {163, 144, 95}},
                            {1400.0f, {154, 138, 120}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {138, 122, 92}}}},
    };
    recipe->partition.zone[2] = (struct terrane_zone){
        .name = "forest",
        .term = 27,
        .amplitude = 1.0f,
        .colour = {109, 159, 76},
        .ground = {.stops = 5,
                   .stop = {{0.0f, {236, 223, 178}},
                            {6.0f, {134, 173, 93}},
                            {250.0f, {101, 145, 76}},
                            {800.0f, {81, 122, 68}},
                            {1500.0f, {139, 138, 120}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {111, 106, 88}}}},
    };
    recipe->partition.zone[3] = (struct terrane_zone){
        .name = "jungle",
        .term = 28,
        .amplitude = 1.0f,
        .colour = {47, 125, 60},
        .ground = {.stops = 5,
                   .stop = {{0.0f, {240, 230, 188}},
                            {6.0f, {85, 160, 76}},
                            {250.0f, {58, 132, 64}},
                            {800.0f, {44, 107, 56}},
                            {1600.0f, {111, 127, 102}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {87, 96, 74}}}},
    };
    recipe->erosion = (struct terrane_erosion){
        .levels = 11,
        .phases = {4, 4, 5, 6, 7, 7, 6, 6, 5, 3, 2},
        .steps = {12, 12, 11, 10, 14, 14, 14, 14, 14, 14, 14},
        .slides = {2, 3, 4, 6, 6, 6, 6, 6, 6, 6, 6},
        .limit = 0.25f,
    };
    recipe->erosion.zone[0] = (struct terrane_droplets){
        .density = 0.045f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.01f,
        .deposition = 0.05f,
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
        .erosion = 0.012f,
        .deposition = 0.03f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[2] = (struct terrane_droplets){
        .density = 0.045f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.012f,
        .deposition = 0.03f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[3] = (struct terrane_droplets){
        .density = 0.05f,
        .lifetime = 64.0f,
        .inertia = 0.1f,
        .capacity = 20.0f,
        .erosion = 0.012f,
        .deposition = 0.03f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->lakes = (struct terrane_lakes){
        .share = 0.25f,
        .level = 5,
        .cell_log2 = 6,
        .radius = 48,
        .depth_m = 80.0f,
        .shallow_m = 4.0f,
    };
    const int error = terrane_recipe_init(recipe, NULL);
    (void)error; /* none: it was accepted before it was written */
}
