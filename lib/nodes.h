/*
 * Nodes: the coarse lattices on which plates and climate are made. What bounds their quantities, and the noise that bends plates'
 * lines and winds: slow and small, since nodes are few.
 */
#ifndef TERRANE_NODES_H
#define TERRANE_NODES_H

#include "hash.h"

enum {
    PLATES_NODES_LOG2 = 6, /* nodes along a cell */
    FIELDS_COARSE = 8,     /* terms of TERRANE_OP_COARSE in a recipe */
};

#define PLATES_AGE_MOST   200.0f /* millions of years */
#define PLATES_CLOSING    1.42f /* two drifts, each within -1 .. 1 along both axes, close at sqrt(2) at most */
#define CLIMATE_RAIN_MOST 8.0f  /* times of rain_mm */
#define CLIMATE_SWAY_C    4.0f  /* how far noise moves warmth */

static inline float node_fade(float t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

/* -1 .. 1, C2, at node (column, row): corners are hashed every 2^log2 nodes, 0 .. 40. */
static inline float node_noise(uint64_t key, int64_t column, int64_t row, int log2)
{
    const int64_t mask = (INT64_C(1) << log2) - 1, c = column >> log2, r = row >> log2;
    const float inverse = 1.0f / (float)(INT64_C(1) << log2);
    const float u = node_fade((float)(column & mask) * inverse), v = node_fade((float)(row & mask) * inverse);
    const struct hash_row north = hash_row(key, r), south = hash_row(key, r + 1);
    const uint32_t west = hash_column(key, c), east = hash_column(key, c + 1);
    const float a = hash_unit(hash_corner(west, north)), b = hash_unit(hash_corner(east, north));
    const float d = hash_unit(hash_corner(west, south)), e = hash_unit(hash_corner(east, south));
    const float top = a + u * (b - a), bottom = d + u * (e - d);
    return top + v * (bottom - top);
}

#endif
