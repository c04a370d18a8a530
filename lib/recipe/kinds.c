#include "kinds.h"

#include "member.h"

const struct base_row base_rows[TERRANE_BASES] = {
    [TERRANE_VALUE] = {.name = "value", .kind = KIND_PRODUCT},
    [TERRANE_POLYNOMIAL] = {.name = "polynomial", .kind = KIND_POLYNOMIAL, .over = 5.0 / 512},
    [TERRANE_POLYNOMIAL_C1] = {.name = "polynomial-c1", .kind = KIND_PRODUCT},
    [TERRANE_PERLIN3] = {.name = "perlin3", .kind = KIND_PERLIN, .scale = {2, 0.957024, 0.647165}},
    [TERRANE_PERLIN5] = {.name = "perlin5",
                         .kind = KIND_PERLIN,
                         .scale = {2, 0.964921, 0.650794},
                         .quintic = true},
    [TERRANE_HERMITE] = {.name = "hermite",
                         .kind = KIND_HERMITE,
                         .trait = FRACTAL_WEIGHT,
                         .over = 5.0 / 512,
                         .reach_weight = 0.376,
                         .steepness_weight = 4},
    [TERRANE_SIMPLEX] = {.name = "simplex",
                         .kind = KIND_SIMPLEX,
                         .grid = GRID_TRIANGULAR,
                         .scale = {256.0 / 81, 76.8807, 62.7777}},
    [TERRANE_CELLULAR_F1] = {.name = "cellular-f1",
                             .kind = KIND_CELLULAR,
                             .grid = GRID_CELLS,
                             .trait = FRACTAL_JITTER},
    [TERRANE_CELLULAR_F2] = {.name = "cellular-f2",
                             .kind = KIND_CELLULAR,
                             .grid = GRID_CELLS,
                             .trait = FRACTAL_JITTER},
    [TERRANE_CELLULAR_EDGE] = {.name = "cellular-edge",
                               .kind = KIND_CELLULAR,
                               .grid = GRID_CELLS,
                               .trait = FRACTAL_JITTER},
    [TERRANE_SIMPLEX_SMOOTH] = {.name = "simplex-smooth",
                                .kind = KIND_SIMPLEX,
                                .grid = GRID_TRIANGULAR,
                                .dearer = 1.75},
};

const struct kind_row kind_rows[TERRANE_FRACTAL_KINDS] = {
    [TERRANE_FBM] = {.name = "fbm", .steepness = 1},
    [TERRANE_BILLOW] = {.name = "billow", .steepness = 2},
    [TERRANE_RIDGED] = {.name = "ridged", .steepness = 2},
    [TERRANE_DOUBLE_RIDGED] = {.name = "double-ridged", .steepness = 4},
    [TERRANE_IQ] = {.name = "iq", .rough = true},
    [TERRANE_MULTIFRACTAL] = {.name = "multifractal",
                              .traits = FRACTAL_OFFSET | FRACTAL_SHARPNESS,
                              .offset = 0.5f,
                              .sharpness = 1},
    [TERRANE_HYBRID] = {.name = "hybrid", .traits = FRACTAL_OFFSET, .offset = 0.7f},
    [TERRANE_SWISS] = {.name = "swiss", .traits = FRACTAL_WARP, .rough = true, .warp = 0.15f},
    [TERRANE_JORDAN] =
        {.name = "jordan", .traits = FRACTAL_WARP | FRACTAL_DAMP, .rough = true, .warp = 0.35f, .damp = 0.8f},
    [TERRANE_MIDPOINT] = {.name = "midpoint", .midpoint = true, .rough = true},
    [TERRANE_MIDPOINT_SMOOTHED] =
        {.name = "midpoint-smoothed", .traits = FRACTAL_OFFSET, .midpoint = true, .rough = true, .offset = 1},
};

const char *const partition_names[TERRANE_PARTITION_KINDS] = {
    [TERRANE_PARTITION_NOISE] = "noise",
    [TERRANE_PARTITION_VORONOI] = "voronoi",
    [TERRANE_PARTITION_CLIMATE] = "climate",
};

const char *const plates_names[TERRANE_PLATES_OFS] = {
    [TERRANE_PLATES_CRUST] = "crust",
    [TERRANE_PLATES_CLOSING] = "closing",
    [TERRANE_PLATES_AGE] = "age",
    [TERRANE_PLATES_COLLISION] = "collision",
    [TERRANE_PLATES_TRENCH] = "trench",
    [TERRANE_PLATES_ARC] = "arc",
    [TERRANE_PLATES_RIDGE] = "ridge",
    [TERRANE_PLATES_RIFT] = "rift",
    [TERRANE_PLATES_TRANSFORM] = "transform",
    [TERRANE_PLATES_SUTURE] = "suture",
};

const char *const climate_names[TERRANE_CLIMATE_OFS] = {
    [TERRANE_CLIMATE_TEMPERATURE] = "temperature",
    [TERRANE_CLIMATE_PRECIPITATION] = "precipitation",
    [TERRANE_CLIMATE_WARMTH] = "warmth",
};
