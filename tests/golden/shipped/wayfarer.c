/*
 * The recipe config/worlds/wayfarer.json as C.
 *
 * Written by `make recipe-default`; a test holds that both are the same.
 */
#include "shipped.h"

void recipe_wayfarer(struct terrane_recipe *recipe)
{
    *recipe = (struct terrane_recipe){
        .spacing_m = 1,
        .low_m = -2048.0f,
        .high_m = 4096.0f,
        .terms = 24,
        .steep_low = 0.6f,
        .steep_high = 1.3f,
        .water = {.stops = 3,
                  .stop = {{0.0f, {143, 196, 207}}, {30.0f, {77, 147, 180}}, {400.0f, {36, 90, 138}}}},
    };
    recipe->term[0] = (struct terrane_term){
        .name = "land",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5},
                .salt = 1578564864u,
                .octaves = 6,
                .cell = 1048576,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.55f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[1] = (struct terrane_term){
        .name = "profile",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {0},
        .knots = 7,
        .knot_x = {-1.2f, -0.7f, -0.52f, -0.5f, -0.46f, -0.2f, 0.6f},
        .knot_y = {-1600.0f, -500.0f, -60.0f, 0.0f, 40.0f, 130.0f, 320.0f},
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
                .cell = 65536,
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
                .cell = 65536,
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
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 4251689135u,
                .octaves = 2,
                .cell = 131072,
                .lacunarity = 2,
                .amplitude_m = 0.7f,
                .gain = 0.5f,
                .warp_term = {2, 3},
                .warp_m = 20000.0f,
            },
    };
    recipe->term[5] = (struct terrane_term){
        .name = "lift",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {4},
        .knots = 4,
        .knot_x = {-0.3f, 0.2f, 0.6f, 1.05f},
        .knot_y = {0.34f, 0.5f, 0.95f, 1.3f},
    };
    recipe->term[6] = (struct terrane_term){
        .name = "troughs",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_BILLOW,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2781146791u,
                .octaves = 3,
                .cell = 16384,
                .lacunarity = 2,
                .amplitude_m = 1.0f,
                .gain = 0.4f,
                .warp_term = {2, 3},
                .warp_m = 9000.0f,
            },
    };
    recipe->term[7] = (struct terrane_term){
        .name = "sides",
        .op = TERRANE_OP_CURVE,
        .inputs = 1,
        .in = {6},
        .knots = 5,
        .knot_x = {-1.45f, -1.15f, -0.75f, -0.1f, 0.6f},
        .knot_y = {0.0f, 0.05f, 0.4f, 0.85f, 1.05f},
    };
    recipe->term[8] = (struct terrane_term){
        .name = "crests",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_SWISS,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3522474530u,
                .octaves = 5,
                .cell = 8192,
                .lacunarity = 2,
                .amplitude_m = 480.0f,
                .gain = 0.46f,
                .warp = 0.1f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[9] = (struct terrane_term){
        .name = "massif/product/2",
        .op = TERRANE_OP_SUM,
        .inputs = 1,
        .in = {8},
        .factor = {1.0f},
        .offset = 260.0f,
    };
    recipe->term[10] = (struct terrane_term){
        .name = "massif",
        .op = TERRANE_OP_PRODUCT,
        .inputs = 3,
        .in = {5, 7, 9},
        .factor = {1.0f, 0.0f, 0.0f},
    };
    recipe->term[11] = (struct terrane_term){
        .name = "hills",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 3845783490u,
                .octaves = 5,
                .cell = 4096,
                .lacunarity = 2,
                .amplitude_m = 130.0f,
                .gain = 0.45f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[12] = (struct terrane_term){
        .name = "rolling/product/1",
        .op = TERRANE_OP_SUM,
        .inputs = 1,
        .in = {7},
        .factor = {0.7f},
        .offset = 0.35f,
    };
    recipe->term[13] = (struct terrane_term){
        .name = "rolling",
        .op = TERRANE_OP_PRODUCT,
        .inputs = 2,
        .in = {11, 12},
        .factor = {1.0f, 0.0f},
    };
    recipe->term[14] = (struct terrane_term){
        .name = "rise",
        .op = TERRANE_OP_SUM,
        .inputs = 3,
        .in = {1, 10, 13},
        .factor = {1.0f, 1.0f, 1.0f},
    };
    recipe->term[15] = (struct terrane_term){
        .name = "soil",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 817444681u,
                .octaves = 8,
                .cell = 512,
                .lacunarity = 2,
                .amplitude_m = 7.0f,
                .gain = 0.48f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[16] = (struct terrane_term){
        .name = "rock",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_IQ,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5, TERRANE_PERLIN5},
                .salt = 2470392145u,
                .octaves = 7,
                .cell = 256,
                .lacunarity = 2,
                .amplitude_m = 11.0f,
                .gain = 0.5f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[17] = (struct terrane_term){
        .name = "zones/1/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {15, 16},
        .factor = {1.0f, 0.3f},
    };
    recipe->term[18] = (struct terrane_term){
        .name = "zones/2/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {15, 16},
        .factor = {1.0f, 0.8f},
    };
    recipe->term[19] = (struct terrane_term){
        .name = "zones/3/surface",
        .op = TERRANE_OP_SUM,
        .inputs = 1,
        .in = {16},
        .factor = {1.4f},
    };
    recipe->term[20] = (struct terrane_term){
        .name = "woods",
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = TERRANE_FBM,
                .base = {TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5, TERRANE_PERLIN5,
                         TERRANE_PERLIN5},
                .salt = 1430927054u,
                .octaves = 6,
                .cell = 4096,
                .lacunarity = 2,
                .amplitude_m = 150.0f,
                .gain = 0.58f,
                .warp_term = {-1, -1},
            },
    };
    recipe->term[21] = (struct terrane_term){
        .name = "partition/noise",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {14, 20},
        .factor = {1.0f, 1.0f},
    };
    recipe->term[22] = (struct terrane_term){
        .name = "zones",
        .op = TERRANE_OP_ZONES,
    };
    recipe->term[23] = (struct terrane_term){
        .name = "height",
        .op = TERRANE_OP_SUM,
        .inputs = 2,
        .in = {14, 22},
        .factor = {1.0f, 1.0f},
    };
    recipe->partition = (struct terrane_partition){
        .kind = TERRANE_PARTITION_NOISE,
        .zones = 4,
        .blend = 90.0f,
        .by = 21,
        .threshold = {400.0f, 720.0f, 950.0f},
    };
    recipe->partition.zone[0] = (struct terrane_zone){
        .name = "meadow",
        .term = 15,
        .amplitude = 1.0f,
        .colour = {169, 198, 108},
        .ground = {.stops = 5,
                   .stop = {{0.0f, {214, 203, 156}},
                            {8.0f, {179, 198, 124}},
                            {250.0f, {159, 189, 108}},
                            {600.0f, {138, 171, 94}},
                            {1100.0f, {160, 157, 114}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {139, 127, 106}}}},
    };
    recipe->partition.zone[1] = (struct terrane_zone){
        .name = "wood",
        .term = 17,
        .amplitude = 1.0f,
        .colour = {93, 140, 74},
        .ground = {.stops = 5,
                   .stop = {{0.0f, {207, 199, 156}},
                            {10.0f, {116, 160, 85}},
                            {450.0f, {93, 138, 72}},
                            {800.0f, {85, 123, 69}},
                            {1200.0f, {139, 144, 96}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {111, 112, 88}}}},
    };
    recipe->partition.zone[2] = (struct terrane_zone){
        .name = "heath",
        .term = 18,
        .amplitude = 1.0f,
        .colour = {167, 159, 104},
        .ground = {.stops = 4,
                   .stop = {{300.0f, {138, 162, 90}},
                            {700.0f, {152, 160, 96}},
                            {950.0f, {168, 159, 110}},
                            {1250.0f, {179, 171, 146}}}},
        .steep = {.stops = 1, .stop = {{0.0f, {123, 116, 106}}}},
    };
    recipe->partition.zone[3] = (struct terrane_zone){
        .name = "fell",
        .term = 19,
        .amplitude = 1.0f,
        .colour = {201, 198, 189},
        .ground = {.stops = 4,
                   .stop = {{700.0f, {163, 156, 124}},
                            {1000.0f, {177, 170, 152}},
                            {1300.0f, {201, 199, 194}},
                            {1500.0f, {242, 243, 245}}}},
        .steep = {.stops = 2, .stop = {{700.0f, {120, 115, 110}}, {1500.0f, {139, 138, 140}}}},
    };
    recipe->erosion = (struct terrane_erosion){
        .levels = 10,
        .phases = {3, 3, 4, 5, 5, 5, 5, 5, 4, 3},
        .steps = {12, 12, 12, 11, 8, 8, 8, 8, 8, 8},
        .slides = {2, 3, 4, 5, 4, 4, 4, 4, 4, 4},
        .limit = 0.25f,
    };
    recipe->erosion.zone[0] = (struct terrane_droplets){
        .density = 0.04f,
        .lifetime = 64.0f,
        .inertia = 0.2f,
        .capacity = 20.0f,
        .erosion = 0.022f,
        .deposition = 0.08f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[1] = (struct terrane_droplets){
        .density = 0.04f,
        .lifetime = 64.0f,
        .inertia = 0.15f,
        .capacity = 20.0f,
        .erosion = 0.022f,
        .deposition = 0.03f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[2] = (struct terrane_droplets){
        .density = 0.04f,
        .lifetime = 64.0f,
        .inertia = 0.15f,
        .capacity = 20.0f,
        .erosion = 0.022f,
        .deposition = 0.03f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->erosion.zone[3] = (struct terrane_droplets){
        .density = 0.05f,
        .lifetime = 64.0f,
        .inertia = 0.15f,
        .capacity = 20.0f,
        .erosion = 0.022f,
        .deposition = 0.03f,
        .gravity = 1.0f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 32.0f,
    };
    recipe->lakes = (struct terrane_lakes){
        .share = 1.0f,
        .level = 5,
        .cell_log2 = 5,
        .radius = 24,
        .depth_m = 80.0f,
        .shallow_m = 2.0f,
    };
    recipe->paths = (struct terrane_paths){
        .width_m = 6.0f,
        .level = 4,
        .cell_log2 = 5,
        .slope = 0.25f,
        .border_m = 12.0f,
        .depth_m = 12.0f,
        .colour = {201, 177, 132},
    };
    recipe->caves = (struct terrane_caves){
        .share = 1.0f,
        .level = 2,
        .cell_log2 = 7,
        .radius = 40,
        .high_m = 350.0f,
        .roof_m = 12.0f,
        .height_m = 14.0f,
        .room = 80.0f,
        .slope = 0.6f,
    };
    const int error = terrane_recipe_init(recipe, NULL);
    (void)error; /* none: it was accepted before it was written */
}
