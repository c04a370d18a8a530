/*
 * Integer hashing: where every random-looking number of a world comes from.
 *
 * Values are functions of (seed, layer constants, coordinates); nothing here has state. All arithmetic wraps.
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

/* Takes one more word into a hash. The constant keeps runs of zeros from being a fixed point. */
static inline uint64_t hash_absorb(uint64_t h, uint64_t v)
{
    return hash_mix(h ^ hash_mix(v + UINT64_C(0x9E3779B97F4A7C15)));
}

/*
 * Corners of one lattice row are hashed in 32-bit lanes (kernel/corner.inc): cx * HASH_COLUMN ^ low word of
 * the row key, then mixed with the key's high word as multiplier. The row key takes cy and the high half of
 * cx in 64 bits, so rows are not shifts of each other and nothing repeats after 2^32 cells.
 */
#define HASH_COLUMN UINT32_C(0x9E3779B1)
#define HASH_FINAL  UINT32_C(0x297A2D39)

static inline uint64_t hash_row_key(uint64_t octave_key, int64_t cx, int64_t cy)
{
    return hash_absorb(hash_absorb(octave_key, (uint64_t)cy), (uint64_t)(cx >> 32));
}

#endif
