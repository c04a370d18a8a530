/*
 * Recipes of the golden digests that erode or have lakes: small ground with everything in reach of a window.
 * Included by golden_water.c only.
 */
#ifndef TERRANE_TESTS_GOLDEN_CASES_WATER_H
#define TERRANE_TESTS_GOLDEN_CASES_WATER_H

#include "cases.h"

enum { CASE_EROSION_LEVELS = 4 };

/* A way to erode. A coarser level has a step more, and a phase and a slide less, where there are any. */
struct case_erosion {
    const char *name;
    double spacing_m;
    float sea_m, limit;
    int zones, levels, phases, steps, slides;
    struct terrane_droplets droplets; /* of zone 0 */
};

/* In the order of struct terrane_droplets. */
#define CASE_DROPLETS                                               \
    {                                                               \
        0.2f, 30, 0.1f, 3, 0.02f, 0.4f, 0.3f, 0.02f, 0.6f, 1, 1, 35 \
    }

static const struct case_erosion case_erosions[] = {
    {"plain", 0.5, -4000, 0.25f, 1, 3, 2, 7, 1, CASE_DROPLETS},
    {"steered", 0.5, -4000, 0.25f, 3, 3, 2, 7, 1, CASE_DROPLETS},
    {"odd spacing", 1.0 / 3, -4000, 0.3f, 2, 4, 2, 5, 2, CASE_DROPLETS},
    {"one level", 2, -4000, 1, 1, 1, 4, 20, 0, CASE_DROPLETS},
    {"slides alone", 1, -4000, 0.125f, 2, 3, 0, 1, 5, CASE_DROPLETS},
    {"no droplets", 1, -4000, 0.5f, 1, 2, 3, 4, 1, {.inertia = 0.5f, .talus_deg = 40}},
    {"least limit", 30, -4000, 0x1p-10f, 1, 2, 3, 6, 2, CASE_DROPLETS},
    {"greatest numbers", 0.5, -4000, 1, 1, 2, 2, 9, 1, {1, 64, 0.99f, 64, 1, 1, 1, 1, 64, 16, 16, 89}},
    {"least numbers", 0.5, -4000, 1, 1, 2, 2, 9, 1, {1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
    {"sea", 0.5, 3.3f, 0.25f, 3, 3, 2, 10, 1, CASE_DROPLETS},
};

enum { CASE_EROSIONS = sizeof case_erosions / sizeof *case_erosions };

/* Ground of 20 m or so and forms of some 10 samples; zones by bands of noise. */
static inline void case_ground(struct terrane_recipe *recipe, double spacing_m, int zones)
{
    case_empty(recipe);
    recipe->spacing_m = spacing_m;
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 3, 32, (float)(24 * spacing_m), CASE_LATTICE);
    case_add(recipe, TERRANE_SIMPLEX, TERRANE_RIDGED, 2, 24, (float)(9 * spacing_m), CASE_POINTS);
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 1, 32, 1, CASE_LATTICE);
    recipe->term[recipe->terms++] =
        (struct terrane_term){.op = TERRANE_OP_SUM, .inputs = 2, .in = {0, 1}, .factor = {1, 1}, .offset = 2};
    recipe->partition.zones = zones;
    recipe->partition.by = 2;
    recipe->partition.blend = 0.2f;
    for (int z = 0; z < zones; z++) {
        recipe->partition.zone[z].term = -1;
        if (z > 0)
            recipe->partition.threshold[z - 1] = 0.3f * (float)z - 0.4f;
    }
}

/* Zones after the first have other numbers, all but gravity and water. */
static inline void case_zone_droplets(struct terrane_droplets *droplets, int zone)
{
    const float k = (float)zone;
    droplets->density *= 1 + k / 2;
    droplets->lifetime /= 1 + 4 * k;
    droplets->inertia += 0.3f * k;
    droplets->capacity += k;
    droplets->min_capacity *= 1 + k;
    droplets->erosion /= 1 + k;
    droplets->deposition += 0.2f * k;
    droplets->evaporation *= 1 + k;
    droplets->speed += k / 3;
    droplets->talus_deg -= 9 * k;
}

static inline void case_eroding(struct terrane_recipe *recipe, const struct case_erosion *one)
{
    struct terrane_erosion *erosion = &recipe->erosion;
    case_ground(recipe, one->spacing_m, one->zones);
    recipe->sea_m = one->sea_m;
    erosion->levels = one->levels;
    erosion->limit = one->limit;
    for (int l = 0; l < one->levels; l++) {
        erosion->phases[l] = (uint8_t)(one->phases - l > 0 ? one->phases - l : one->phases > 0);
        erosion->steps[l] = (uint8_t)(one->steps + l);
        erosion->slides[l] = (uint8_t)(one->slides - l > 0 ? one->slides - l : 0);
    }
    for (int z = 0; z < one->zones; z++) {
        erosion->zone[z] = one->droplets;
        case_zone_droplets(&erosion->zone[z], z);
    }
}

enum { CASE_LAKES = 3 };

/* Many small ones; fewer large ones, filled in part; at a coarser level, with a sea. */
static inline void case_lakes(struct terrane_recipe *recipe, int turn)
{
    static const struct terrane_lakes lakes[CASE_LAKES] = {
        {1, 0, 3, 6, 100, 0.01f}, {0.6f, 0, 4, 20, 1.5f, 0.5f}, {1, 2, 3, 9, 40, 0.1f}};
    case_ground(recipe, 0.5, 1);
    recipe->sea_m = turn == 2 ? -3.0f : -4000;
    recipe->lakes = lakes[turn];
}

#endif
