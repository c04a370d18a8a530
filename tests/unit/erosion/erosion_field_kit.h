/*
 * A field for the kernels of erosion, with ground of dice, and numbers for them. Include it first: it brings
 * erosion_kit.h.
 */
#ifndef TERRANE_TESTS_EROSION_FIELD_KIT_H
#define TERRANE_TESTS_EROSION_FIELD_KIT_H

#include "erosion_kit.h"

#include "../../../lib/kernel/erode.h"

enum { WIDE = 70, HIGH = 52, CELLS = WIDE * HIGH };

static int32_t ground[CELLS];

/* Hills, steps, planes and rubble. Returns their greatest height: up to 2^29. */
static inline int32_t dice_ground(struct dice *dice)
{
    const int kind = dice_int(dice, 0, 4), most = 1 << dice_int(dice, 2, 29);
    const double wave = dice_real(dice, 0.02, 0.4), turn = dice_real(dice, 0, 6);
    for (int i = 0; i < CELLS; i++) {
        const double x = i % WIDE, y = i / WIDE;
        const double hill = sin(wave * x + turn) * cos(wave * 0.7 * y) + 0.2 * sin(wave * 3.1 * (x + y));
        const double plane = (x * cos(turn) + y * sin(turn)) / 90;
        ground[i] = kind == 0   ? dice_int(dice, -most, most)
                    : kind == 1 ? (int32_t)(most * plane)
                    : kind == 2 ? (int32_t)(floor(hill * 4) / 5 * most)
                                : (int32_t)(0.8 * hill * most);
    }
    return most;
}

static inline int32_t dice_value(struct dice *dice, int most_log2)
{
    const int most = most_log2 < 31 ? 1 << most_log2 : INT32_MAX;
    return dice_chance(dice, 0.2) ? (dice_chance(dice, 0.5) ? most : -most)
                                  : (int32_t)dice_whole(dice, -most, most);
}

#endif
