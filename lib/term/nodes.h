/*
 * Nodes: the coarse lattices of plates and climate, and the noise that bends plates' lines and winds: slow and small code, since
 * nodes are few.
 */
#ifndef TERRANE_NODES_H
#define TERRANE_NODES_H

#include "../base/hash.h"
#include "../recipe/limits.h"

static inline float node_fade(float t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

/* How many of count nodes from a given one on lie between the same corners, which are hashed every 2^log2 nodes. */
static inline int node_run(int64_t column, int count, int log2)
{
    const int64_t cell = INT64_C(1) << log2, left = cell - (column & (cell - 1));
    return left < count ? (int)left : count;
}

/* -1 .. 1, C2, along a row of nodes, which begins at (column, row): corners are hashed every 2^log2 nodes, 0 .. 22. */
static inline void node_noise_row(uint64_t key, int64_t column, int64_t row, int count, int log2,
                                  float *noise)
{
    const int64_t mask = (INT64_C(1) << log2) - 1, r = row >> log2;
    const float inverse = 1.0f / (float)(INT64_C(1) << log2), v = node_fade((float)(row & mask) * inverse);
    const struct hash_row north = hash_row(key, r), south = hash_row(key, r + 1);
    uint32_t word = hash_column(key, column >> log2);
    float b = hash_unit(hash_corner(word, north)), e = hash_unit(hash_corner(word, south));
    for (int run; count > 0; column += run, noise += run, count -= run) {
        const float a = b, d = e;
        word = hash_column(key, (column >> log2) + 1);
        b = hash_unit(hash_corner(word, north));
        e = hash_unit(hash_corner(word, south));
        const int32_t at = (int32_t)(column & mask);
        run = node_run(column, count, log2);
        for (int i = 0; i < run; i++) {
            const float u = node_fade((float)(at + i) * inverse);
            const float top = a + u * (b - a), bottom = d + u * (e - d);
            noise[i] = top + v * (bottom - top);
        }
    }
}

#endif
