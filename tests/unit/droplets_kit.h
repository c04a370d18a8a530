/*
 * The droplets of recipes that say nothing of theirs (config/worlds/README.md).
 */
#ifndef TERRANE_TESTS_DROPLETS_KIT_H
#define TERRANE_TESTS_DROPLETS_KIT_H

#include "../../lib/terrane.h"

static const struct terrane_droplets droplets_default = {0.05f, 30,    0.05f, 4, 0.01f, 0.3f,
                                                         0.3f,  0.01f, 0.02f, 1, 1,     38};

#endif
