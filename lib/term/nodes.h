/*
 * Nodes: the coarse lattices on which plates and climate are made, and the noise that bends plates' lines and winds: slow and small,
 * since nodes are few.
 */
#ifndef TERRANE_NODES_H
#define TERRANE_NODES_H

#include "../base/hash.h"
#include "../recipe/limits.h"

static inline float node_fade(float t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

/* -1 .. 1, C2, along a row of nodes, which begins at (column, row): corners are hashed every 2^log2 nodes, 0 .. 40. */
static inline void node_noise_row(uint64_t key, int64_t column, int64_t row, int count, int log2,
                                  float *noise)
{
    const int64_t mask = (INT64_C(1) << log2) - 1, r = row >> log2;
    const float inverse = 1.0f / (float)(INT64_C(1) << log2), v = node_fade((float)(row & mask) * inverse);
    const struct hash_row north = hash_row(key, r), south = hash_row(key, r + 1);
    float a = 0, b = 0, d = 0, e = 0;
    for (int i = 0; i < count; i++) {
        const int64_t at = column + i;
        if (i == 0 || (at & mask) == 0) {
            const uint32_t west = hash_column(key, at >> log2), east = hash_column(key, (at >> log2) + 1);
            a = hash_unit(hash_corner(west, north));
            b = hash_unit(hash_corner(east, north));
            d = hash_unit(hash_corner(west, south));
            e = hash_unit(hash_corner(east, south));
        }
        const float u = node_fade((float)(at & mask) * inverse);
        const float top = a + u * (b - a), bottom = d + u * (e - d);
        noise[i] = top + v * (bottom - top);
    }
}

#endif
