/*
 * Integer hashing: the source of every random number of a world.
 *
 * Values are functions of (seed, layer constants, coordinates), without state. All arithmetic wraps.
 */
#ifndef TERRANE_HASH_H
#define TERRANE_HASH_H

#include <stdint.h>

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits; every input bit moves every
 * output bit. */
static inline uint64_t hash_mix(uint64_t z)
{
    z ^= z >> 30;
    z *= UINT64_C(0xBF58476D1CE4E5B9);
    z ^= z >> 27;
    z *= UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Mixes one more word into a hash. The constant keeps runs of zeros from being a fixed point. */
static inline uint64_t hash_absorb(uint64_t h, uint64_t v)
{
    return hash_mix(h ^ hash_mix(v + UINT64_C(0x9E3779B97F4A7C15)));
}

/*
 * A lattice corner's 32 bits, from a word of its column and two of its row. Everything after the first 64-bit
 * hash (of the key and the coordinate's high half, the same for 2^32 columns) is 32-bit arithmetic that runs in
 * vector lanes; kernel/corner.inc and kernel/points.inc do the same there. The row brings its own multiplier, so
 * rows are not shifts of each other; nothing repeats after 2^32 cells.
 */
#define HASH_COLUMN UINT32_C(0x9E3779B1)
#define HASH_ROW    UINT32_C(0x85EBCA77)
#define HASH_ROW_1  UINT32_C(0x7FEB352D)
#define HASH_ROW_2  UINT32_C(0x846CA68B)
#define HASH_FINAL  UINT32_C(0x297A2D39)

struct hash_row {
    uint32_t add, multiply;
};

/* The hash of a coordinate's high half. axis: 3 for columns, 4 for rows. */
static inline uint32_t hash_high(uint64_t key, int axis, int64_t c)
{
    return (uint32_t)hash_absorb(hash_absorb(key, (uint64_t)axis), (uint64_t)(c >> 32));
}

static inline uint32_t hash_column(uint64_t key, int64_t cx)
{
    return (uint32_t)cx * HASH_COLUMN ^ hash_high(key, 3, cx);
}

/*
 * hash_column of columns first, first + 2^stride_log2 ..., modulo 2^64. Their high half changes seldom: runs
 * of columns share its hash.
 */
static inline void hash_columns(uint64_t key, int64_t first, int stride_log2, int count, uint32_t *hash)
{
    for (int i = 0; i < count;) {
        const int64_t c = (int64_t)((uint64_t)first + ((uint64_t)i << stride_log2));
        const int64_t left = INT64_C(0x100000000) - (c & 0xFFFFFFFF); /* columns up to the next high half */
        const int64_t run = ((left - 1) >> stride_log2) + 1;
        const int stop = run < count - i ? i + (int)run : count;
        const uint32_t high = hash_high(key, 3, c);
        const uint32_t low = (uint32_t)c - ((uint32_t)i << stride_log2);
        for (; i < stop; i++)
            hash[i] = (low + ((uint32_t)i << stride_log2)) * HASH_COLUMN ^ high;
    }
}

static inline struct hash_row hash_row(uint64_t key, int64_t cy)
{
    uint32_t y = (uint32_t)cy * HASH_ROW ^ hash_high(key, 4, cy);
    y = (y ^ y >> 16) * HASH_ROW_1;
    y = (y ^ y >> 15) * HASH_ROW_2;
    y ^= y >> 16;
    return (struct hash_row){.add = y, .multiply = (y * HASH_COLUMN ^ (uint32_t)(key >> 32)) | 1};
}

static inline uint32_t hash_corner(uint32_t column, struct hash_row row)
{
    uint32_t h = column ^ row.add;
    h = (h ^ h >> 15) * row.multiply;
    h = (h ^ h >> 13) * HASH_FINAL;
    return h ^ h >> 15;
}

/* [-1, 1]: the hash as a signed number, rounded to binary32. */
static inline float hash_unit(uint32_t h)
{
    return (float)(int32_t)h * 0x1p-31f;
}

#endif
