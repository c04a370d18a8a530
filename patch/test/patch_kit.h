/*
 * What tests of patches share. Include it first: it brings cmocka.
 */
#ifndef PATCH_KIT_H
#define PATCH_KIT_H

#include "../../tests/unit/lib_fixture.h"

#include "patch_ground_kit.h"

/* The lines' limits at a slope for all; bytes of heights as one number. */
static inline void kit_lead(struct kit *kit, double slope)
{
    kit_graph(kit, slope);
    assert_int_equal(terrane_patch_lines(&kit->patch, &kit->graph, &kit->shape, kit->ground, kit->memory,
                                         &kit->limits, NULL, NULL, 0, NULL),
                     0);
}

static inline uint64_t kit_digest(const struct kit *kit)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < kit->samples; i++)
        digest = hash_absorb(digest, (uint64_t)(int64_t)kit->units[i]);
    return digest;
}

static inline int64_t kit_mass(const struct kit *kit)
{
    int64_t sum = 0;
    for (size_t i = 0; i < kit->samples; i++)
        sum += kit->units[i];
    return sum;
}

#endif
