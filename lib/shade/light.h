/*
 * Lanes of normals, and the light on them: what angles, hillshade and relief share.
 *
 * Light falls on ground that is as many times as steep as the level says: what coarse levels show of ground is flat, however high its
 * mountains are.
 */
#ifndef TERRANE_SHADE_LIGHT_H
#define TERRANE_SHADE_LIGHT_H

/* The width that every machine has, in vectors or in pairs: this is not worth a kernel an instruction set. */
#define LANES 4
#include "../base/lane.h"
#include "shade.h"

/* The sun stands 45 degrees high in the north-west: at (-1/2, -1/2, SUN_UP) east, south and up. */
#define SUN_UP 0.70710678f

/* lane_splat's like; of LANES = 4 alone, it needs no arithmetic. */
LANE_FN lane_f all(float v)
{
    return (lane_f){v, v, v, v};
}

/* v, or 0 where it is below; a NaN becomes 0, as a comparison with it is false. */
LANE_FN lane_f positive(lane_f v)
{
    return (lane_f)((lane_i)v & (v > all(0.0f)));
}

/* v within 0 .. most. */
LANE_FN lane_f clamp_to(lane_f v, float max)
{
    v = positive(v);
    return lane_select(v < all(max), v, all(max));
}

/* Half up, within 0 .. 255. */
LANE_FN lane_i round_to_byte(lane_f v)
{
    return __builtin_convertvector(clamp_to(v + all(0.5f), 255.0f), lane_i);
}

struct normal_lanes {
    lane_f east, south, up;
};

/* LANES normals of three floats each, taken apart. */
LANE_FN struct normal_lanes normals_load(const float *normals)
{
    const lane_f a = lane_load(normals), b = lane_load(normals + 4), c = lane_load(normals + 8);
    const lane_f ab_east = __builtin_shufflevector(a, b, 0, 3, 6, 6);
    const lane_f ab_south = __builtin_shufflevector(a, b, 1, 4, 7, 7);
    const lane_f ab_up = __builtin_shufflevector(a, b, 2, 5, 5, 5);
    return (struct normal_lanes){
        .east = __builtin_shufflevector(ab_east, c, 0, 1, 2, 5),
        .south = __builtin_shufflevector(ab_south, c, 0, 1, 2, 6),
        .up = __builtin_shufflevector(ab_up, c, 0, 1, 4, 7),
    };
}

/* The same of count normals, under LANES; the others stand upright. */
static inline struct normal_lanes normals_load_rest(const float *normals, size_t count)
{
    float whole[3 * LANES] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    for (size_t i = 0; i < 3 * count; i++)
        whole[i] = normals[i];
    return normals_load(whole);
}

/*
 * How many times as steep as it is ground is lit, by level: such that light differs over land as much as it does on the levels
 * beside, in the mean over the recipes that ship; `make gallery` prints how much. From level 16 on little is left of ground.
 */
static const float steepness_lit[TERRANE_LEVEL_MAX + 1] = {
    0.8f, 0.8f, 0.84f, 0.9f, 0.98f, 1.08f, 1.25f, 2,   1.7f, 4,   4.6f, 13.5f, 15,
    85,   62,   92,    145,  225,   256,   256,   256, 256,  256, 256,  256,
};

/* The normals of ground that is so many times as steep: of length 1 as those are. */
LANE_FN struct normal_lanes steepen(struct normal_lanes n, float times)
{
    const lane_f east = n.east * all(times), south = n.south * all(times);
    const lane_f one = all(1.0f) / lane_sqrt((east * east + south * south) + n.up * n.up);
    return (struct normal_lanes){.east = east * one, .south = south * one, .up = n.up * one};
}

#endif
