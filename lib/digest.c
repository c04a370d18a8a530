/*
 * SipHash-2-4, straight from its description: two rounds a word, four at the end of each output word.
 */
#include "digest.h"

static uint64_t rotate(uint64_t v, int n)
{
    return v << n | v >> (64 - n);
}

static void rounds(uint64_t v[4], int n)
{
    while (n-- > 0) {
        v[0] += v[1], v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static uint64_t load(const uint8_t *p, size_t bytes)
{
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

void digest_siphash(const uint8_t *message, size_t bytes, int words, uint64_t *out)
{
    const uint64_t k0 = UINT64_C(0x0706050403020100), k1 = UINT64_C(0x0F0E0D0C0B0A0908);
    uint64_t v[4] = {
        k0 ^ UINT64_C(0x736F6D6570736575),
        k1 ^ UINT64_C(0x646F72616E646F6D) ^ (words == 2 ? 0xEE : 0),
        k0 ^ UINT64_C(0x6C7967656E657261),
        k1 ^ UINT64_C(0x7465646279746573),
    };
    size_t at = 0;
    for (; at <= bytes; at += 8) { /* the last word, possibly of no bytes, carries the length */
        const size_t left = bytes - at;
        const uint64_t m =
            left >= 8 ? load(message + at, 8) : load(message + at, left) | (uint64_t)bytes << 56;
        v[3] ^= m;
        rounds(v, 2);
        v[0] ^= m;
    }
    v[2] ^= words == 2 ? 0xEE : 0xFF;
    rounds(v, 4);
    out[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
    if (words == 2) {
        v[1] ^= 0xDD;
        rounds(v, 4);
        out[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
    }
}
