/*
 * Little-endian numbers one behind the other. The caller has the room.
 */
#ifndef TERRANE_SERVER_MESH_BYTES_H
#define TERRANE_SERVER_MESH_BYTES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline unsigned char *put_u16(unsigned char *at, unsigned value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
    return at + 2;
}

static inline unsigned char *put_u32(unsigned char *at, uint32_t value)
{
    return put_u16(put_u16(at, value & 0xFFFF), value >> 16);
}

static inline unsigned char *put_f32(unsigned char *at, float value)
{
    uint32_t bits;
    _Static_assert(sizeof bits == sizeof value, "binary32");
    memcpy(&bits, &value, sizeof bits);
    return put_u32(at, bits);
}

static inline unsigned char *put_f64(unsigned char *at, double value)
{
    uint64_t bits;
    _Static_assert(sizeof bits == sizeof value, "binary64");
    memcpy(&bits, &value, sizeof bits);
    return put_u32(put_u32(at, (uint32_t)bits), (uint32_t)(bits >> 32));
}

static inline double clamp_to(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* round(share * most), half up, for shares from -1 or 0 to 1 and a little more. */
static inline int quantise_share(double share, int most)
{
    return (int)floor(clamp_to(share, -1, 1) * most + 0.5);
}

/* The least and the greatest of count values, count >= 1. */
static inline void range_of(const float *values, size_t count, float *low, float *high)
{
    *low = *high = values[0];
    for (size_t i = 1; i < count; i++) {
        *low = values[i] < *low ? values[i] : *low;
        *high = values[i] > *high ? values[i] : *high;
    }
}

#endif
