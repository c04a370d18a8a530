/*
 * Quantisation: samples to integers, the same on every machine.
 *
 * All arithmetic is binary64: a few correctly rounded operations in a fixed order, compiled without contraction,
 * so results do not depend on compiler or instruction set. Rounding is half up: floor(v + 0.5). The sum is clamped
 * to 0 .. limit first, so the floor is a truncation, which SSE2 has. A NaN fails the first comparison and becomes
 * 0.
 */
#ifndef TERRANE_SERVER_QUANTISE_H
#define TERRANE_SERVER_QUANTISE_H

#include <stdint.h>

/* floor(v + 0.5), clamped to 0 .. limit; limit < 2^31. */
static inline int32_t quantise_round(double v, double limit)
{
    const double up = v + 0.5, low = up > 0 ? up : 0;

    return (int32_t)(low < limit ? low : limit);
}

/*
 * Terrarium: round((h + 32768) * 256), exactly, for every float. From 2^-9 m on, a float of this range has no
 * bit under 2^-33, and the 48 bits from there to 2^15 hold the sum. Nearer to 0 the sum may round, but
 * rounding is monotone, and no value there lies beyond the two ties at -2^-9 and 2^-9.
 */
static inline int32_t quantise_terrarium(float height_m)
{
    return quantise_round(((double)height_m + 32768) * 256, 0xFFFFFF);
}

/* Mapbox: round((h + 10000) * 10). */
static inline int32_t quantise_mapbox(float height_m)
{
    return quantise_round(((double)height_m + 10000) * 10, 0xFFFFFF);
}

/* 16 bits over a range: round((h - low) / (high - low) * 65535). */
static inline int32_t quantise_range(float height_m, float low_m, float high_m)
{
    const double low = low_m, span = (double)high_m - low;

    return quantise_round(((double)height_m - low) / span * 65535, 65535);
}

/* A component of a unit vector: round(n * 127.5 + 127.5). */
static inline int32_t quantise_unit(float n)
{
    return quantise_round((double)n * 127.5 + 127.5, 255);
}

/* An angle of at most full degrees: round(degrees * 255 / full). */
static inline int32_t quantise_degrees(float degrees, float full)
{
    return quantise_round((double)degrees * 255 / (double)full, 255);
}

/* A depth of water: round(8 depth), eighths of a metre in 16 bits. */
static inline int32_t quantise_depth(float depth_m)
{
    return quantise_round((double)depth_m * 8, 65535);
}

/*
 * Number of droplets: n = round(16 flow) itself below one droplet, from there on 24 steps an octave, linear within it:
 * 16 + 24 e + floor(24 (n - 2^(e + 4)) / 2^(e + 4)) with n between 2^(e + 4) and its double. One droplet is 16, two are
 * 40; n ends at 2^14, of 1,024 droplets, where step 256 becomes 255. The logarithm uses integers: no library's rounding
 * can change it.
 */
static inline int32_t quantise_flow(float flow)
{
    const int32_t n = quantise_round((double)flow * 16, 1 << 14);
    int32_t octave = 0;

    for (int32_t half = 8; half > 0; half /= 2)
        octave += n >> (octave + half + 4) > 0 ? half : 0;

    const int32_t step = n < 16 ? n : 16 + 24 * octave + (24 * (n - (16 << octave)) >> (octave + 4));

    return step < 255 ? step : 255;
}

#endif
