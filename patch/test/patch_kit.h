/*
 * What tests of patches share. Include it first: it brings cmocka.
 */
#ifndef PATCH_KIT_H
#define PATCH_KIT_H

#include "../../tests/unit/lib_fixture.h"

#include "patch_ground_kit.h"

/* The lines' limits at a slope for all. */
static inline void kit_lead(struct kit *kit, double slope)
{
    kit_graph(kit, slope);
    assert_int_equal(terrane_patch_lines(&kit->patch, &kit->graph, &kit->shape, kit->ground, kit->memory,
                                         &kit->limits, NULL, NULL, 0, NULL),
                     0);
}

#endif
