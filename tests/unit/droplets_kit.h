/*
 * The droplets of recipes that say nothing of theirs (config/worlds/README.md).
 */
#ifndef TERRANE_TESTS_DROPLETS_KIT_H
#define TERRANE_TESTS_DROPLETS_KIT_H

#include "../../lib/terrane.h"

static const struct terrane_droplets droplets_default = {
    .density = 0.05f,
    .lifetime = 30,
    .inertia = 0.05f,
    .capacity = 4,
    .min_capacity = 0.01f,
    .erosion = 0.3f,
    .deposition = 0.3f,
    .evaporation = 0.01f,
    .gravity = 0.02f,
    .speed = 1,
    .water = 1,
    .talus_deg = 38,
};

#endif
