/*
 * Gathers, and masks as bits, which few kernels need.
 *
 * Only copies and integer bits: nothing here can change a value.
 */
#ifndef TERRANE_LANE_GATHER_H
#define TERRANE_LANE_GATHER_H

#include "lane.h"

#include <stdbool.h>

/* p[at] in every lane. at counts elements. */
LANE_FN lane_i lane_gather(const int32_t *p, lane_i at)
{
#if LANES == 16
    return (lane_i)_mm512_i32gather_epi32((__m512i)at, p, 4);
#elif LANES == 8
    return (lane_i)_mm256_i32gather_epi32(p, (__m256i)at, 4);
#else
    lane_i v;
    for (int i = 0; i < LANES; i++)
        v[i] = p[at[i]];
    return v;
#endif
}

LANE_FN lane_f lane_gather_f(const float *p, lane_i at)
{
#if LANES == 16
    return (lane_f)_mm512_i32gather_ps((__m512i)at, p, 4);
#elif LANES == 8
    return (lane_f)_mm256_i32gather_ps(p, (__m256i)at, 4);
#else
    lane_f v;
    for (int i = 0; i < LANES; i++)
        v[i] = p[at[i]];
    return v;
#endif
}

/* p[at] and p[at + 1] in every lane: one load of both if the machine gathers 64 bits. */
LANE_FN void lane_gather_pair(const int32_t *p, lane_i at, lane_i *first, lane_i *second)
{
#if LANES == 16
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256((__m512i)at), p, 4);
    const __m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64((__m512i)at, 1), p, 4);
    *first = (lane_i)_mm512_permutex2var_epi32(low, even, high);
    *second = (lane_i)_mm512_permutex2var_epi32(low, odd, high);
#elif LANES == 8
    const long long *base = (const long long *)(const void *)p;
    const __m256 low = (__m256)_mm256_i32gather_epi64(base, _mm256_castsi256_si128((__m256i)at), 4);
    const __m256 high = (__m256)_mm256_i32gather_epi64(base, _mm256_extracti128_si256((__m256i)at, 1), 4);
    *first = (lane_i)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(low, high, 0x88), 0xD8);
    *second = (lane_i)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(low, high, 0xDD), 0xD8);
#elif LANES == 4 && defined(__x86_64__)
    const __m128i low = _mm_unpacklo_epi32(_mm_loadu_si64(p + at[0]), _mm_loadu_si64(p + at[1]));
    const __m128i high = _mm_unpacklo_epi32(_mm_loadu_si64(p + at[2]), _mm_loadu_si64(p + at[3]));
    *first = (lane_i)_mm_unpacklo_epi64(low, high);
    *second = (lane_i)_mm_unpackhi_epi64(low, high);
#elif LANES == 4 && defined(__wasm_simd128__)
    const v128_t low = wasm_v128_load64_lane(p + at[1], wasm_v128_load64_zero(p + at[0]), 1);
    const v128_t high = wasm_v128_load64_lane(p + at[3], wasm_v128_load64_zero(p + at[2]), 1);
    *first = (lane_i)wasm_i32x4_shuffle(low, high, 0, 2, 4, 6);
    *second = (lane_i)wasm_i32x4_shuffle(low, high, 1, 3, 5, 7);
#else
    *first = lane_gather(p, at);
    *second = lane_gather(p + 1, at);
#endif
}

/* Bit i is set if lane i of a comparison's result is true. */
LANE_FN uint32_t lane_bits(lane_i m)
{
#if LANES == 16
    return _mm512_movepi32_mask((__m512i)m);
#elif LANES == 8
    return (uint32_t)_mm256_movemask_ps((__m256)m);
#elif LANES == 4 && defined(__x86_64__)
    return (uint32_t)_mm_movemask_ps((__m128)m);
#elif LANES == 4 && defined(__wasm_simd128__)
    return wasm_i32x4_bitmask((v128_t)m);
#else
    uint32_t bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= ((uint32_t)m[i] & 1) << i;
    return bits;
#endif
}

/* Towards 0; in range. */
LANE_FN lane_i lane_whole(lane_f v)
{
    return __builtin_convertvector(v, lane_i);
}

LANE_FN lane_f lane_float(lane_i v)
{
    return __builtin_convertvector(v, lane_f);
}

LANE_FN lane_u lane_select_u(lane_i m, lane_u a, lane_u b)
{
    return (a & (lane_u)m) | (b & ~(lane_u)m);
}

LANE_FN lane_i lane_select_i(lane_i m, lane_i a, lane_i b)
{
    return (a & m) | (b & ~m);
}

/* True if all lanes are below a limit. */
LANE_FN bool lane_all_below(lane_u v, uint32_t limit)
{
#if LANES == 16
    return _mm512_cmplt_epu32_mask((__m512i)v, _mm512_set1_epi32((int)limit)) == 0xFFFF;
#else
    return lane_bits((lane_i)(v < limit)) == (UINT32_C(1) << LANES) - 1;
#endif
}

/* Tables that lanes pick from: the size of two of the widest vectors. */
enum { LANE_TABLE = 32 };

/* table[at] in every lane, at < LANE_TABLE; the table's rows of 8 are stride apart. */
LANE_FN lane_f lane_pick_rows(const float *table, int stride, lane_u at)
{
#if LANES == 16
    const __m512 low = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(table)),
                                          _mm256_loadu_ps(table + stride), 1);
    const __m512 high = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(table + 2 * stride)),
                                           _mm256_loadu_ps(table + 3 * stride), 1);
    return (lane_f)_mm512_permutex2var_ps(low, (__m512i)at, high);
#else
    return lane_gather_f(table, (lane_i)(at / 8 * (uint32_t)stride + at % 8));
#endif
}

LANE_FN lane_u lane_pick_u(const uint32_t table[LANE_TABLE], lane_u at)
{
#if LANES == 16
    lane_u low, high;
    memcpy(&low, table, sizeof low);
    memcpy(&high, table + 16, sizeof high);
    return (lane_u)_mm512_permutex2var_epi32((__m512i)low, (__m512i)at, (__m512i)high);
#else
    return (lane_u)lane_gather((const int32_t *)table, (lane_i)at);
#endif
}

#endif
