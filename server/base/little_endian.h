/*
 * Reads and writes little-endian numbers. The caller provides the room; put_ returns the position after the
 * number.
 */
#ifndef TERRANE_SERVER_LITTLE_ENDIAN_H
#define TERRANE_SERVER_LITTLE_ENDIAN_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline unsigned char *put_le(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> (8 * i));
    return at;
}

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
    return put_le(at, bits, sizeof bits);
}

static inline uint64_t get_le(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

static inline uint32_t get_u32(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return le32toh(value);
}

static inline float get_f32(const unsigned char *at)
{
    const uint32_t bits = get_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double get_f64(const unsigned char *at)
{
    const uint64_t bits = get_le(at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
