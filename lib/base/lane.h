/*
 * Vector lanes: the arithmetic layer under all kernels.
 *
 * LANES (1, 4, 8 or 16) is defined by the file that includes this. One lane is one sample or one lattice
 * column; only copying operations cross lanes, so the width cannot change a value. Only operations that IEEE 754
 * defines to the last bit exist here: no fused multiply-add, no reciprocal estimates, no hardware min/max where
 * they differ (on NaN and -0). GCC's and Clang's vector extensions; the only intrinsics are the square root,
 * which these lack, and single-step floor, min and max.
 */
#ifndef TERRANE_LANE_H
#define TERRANE_LANE_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#if LANES != 1 && LANES != 4 && LANES != 8 && LANES != 16
#error "LANES must be 1, 4, 8 or 16"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "float must be computed in float");

#if LANES == 16
#define LANES_LOG2 4
#elif LANES == 8
#define LANES_LOG2 3
#elif LANES == 4
#define LANES_LOG2 2
#else
#define LANES_LOG2 0
#endif

#if defined(__x86_64__) && LANES > 1
#include <immintrin.h>
#elif defined(__aarch64__) && LANES > 1
#include <arm_neon.h>
#elif defined(__wasm_simd128__) && LANES > 1
#include <wasm_simd128.h>
#endif

typedef float lane_f __attribute__((vector_size(4 * LANES)));
typedef int32_t lane_i __attribute__((vector_size(4 * LANES)));
typedef uint32_t lane_u __attribute__((vector_size(4 * LANES)));

/*
 * Always inlined: vector arguments of a wide type never cross a call, where the ABI depends on flags. Not inlined
 * without optimisation, where nothing would fold and the copies would take gigabytes to compile, nor with address
 * checks, which each copy would have; calls stay within a file.
 */
#ifdef __has_feature
#define LANE_CHECKED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define LANE_CHECKED 1
#else
#define LANE_CHECKED 0
#endif
#if defined(__OPTIMIZE__) && !LANE_CHECKED
#define LANE_FN static inline __attribute__((always_inline))
#else
#define LANE_FN static inline
#endif

/* Put before a loop of at most n rounds, a constant after inlining: unrolls it, so arrays that it indexes stay in registers. */
#define LANE_PRAGMA(text) _Pragma(#text)
#ifdef __clang__ /* passes GCC's over in silence */
#define LANE_UNROLL(n) LANE_PRAGMA(clang loop unroll(full))
#else
#define LANE_UNROLL(n) LANE_PRAGMA(GCC unroll n)
#endif

LANE_FN lane_f lane_splat(float v)
{
    return v - (lane_f){0}; /* folds to a broadcast; 0 + v would lose the sign of -0 */
}

LANE_FN lane_f lane_load(const float *p)
{
#if LANES == 1
    return (lane_f){*p}; /* compilers copy one number by way of integer registers */
#else
    lane_f v;
    memcpy(&v, p, sizeof v);
    return v;
#endif
}

LANE_FN void lane_store(float *p, lane_f v)
{
#if LANES == 1
    *p = v[0]; /* likewise */
#else
    memcpy(p, &v, sizeof v);
#endif
}

/* 0, 1, 2 ... */
LANE_FN lane_u lane_iota(void)
{
#if LANES == 16
    return (lane_u){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif LANES == 8
    return (lane_u){0, 1, 2, 3, 4, 5, 6, 7};
#elif LANES == 4
    return (lane_u){0, 1, 2, 3};
#else
    return (lane_u){0};
#endif
}

/* m ? a : b, where m is the result of a comparison. */
LANE_FN lane_f lane_select(lane_i m, lane_f a, lane_f b)
{
    return (lane_f)(((lane_i)a & m) | ((lane_i)b & ~m));
}

/* m ? v : +0. */
LANE_FN lane_f lane_where(lane_i m, lane_f v)
{
    return (lane_f)((lane_i)v & m);
}

/* floor(v), |v| < 2^31. */
LANE_FN lane_i lane_floor(lane_f v)
{
#if LANES == 16
    return (lane_i)_mm512_cvt_roundps_epi32((__m512)v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#elif LANES == 4 && defined(__wasm_simd128__)
    return (lane_i)wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_floor((v128_t)v));
#else
    const lane_i whole = __builtin_convertvector(v, lane_i); /* towards 0 */
    return whole + (lane_i)(__builtin_convertvector(whole, lane_f) > v);
#endif
}

LANE_FN lane_f lane_abs(lane_f v)
{
    return (lane_f)((lane_i)v & 0x7FFFFFFF);
}

/*
 * v > most ? most : v, of NaN and of zeros of either sign, too. Of that spelling clang 14 makes f32x4.min for WebAssembly, several
 * instructions of a machine, to which -0 is less than +0: scalar kernels have it there, and signs of zeros show nowhere.
 */
LANE_FN lane_f lane_at_most(lane_f v, lane_f most)
{
#if LANES == 16
    return (lane_f)_mm512_min_ps((__m512)most, (__m512)v);
#elif LANES == 8
    return (lane_f)_mm256_min_ps((__m256)most, (__m256)v);
#elif LANES == 4 && defined(__x86_64__)
    return (lane_f)_mm_min_ps((__m128)most, (__m128)v);
#elif LANES == 4 && defined(__wasm_simd128__)
    return (lane_f)wasm_f32x4_pmin((v128_t)v, (v128_t)most);
#else
    return lane_select(v > most, most, v);
#endif
}

/* v < least ? least : v, likewise. */
LANE_FN lane_f lane_at_least(lane_f v, lane_f least)
{
#if LANES == 16
    return (lane_f)_mm512_max_ps((__m512)least, (__m512)v);
#elif LANES == 8
    return (lane_f)_mm256_max_ps((__m256)least, (__m256)v);
#elif LANES == 4 && defined(__x86_64__)
    return (lane_f)_mm_max_ps((__m128)least, (__m128)v);
#elif LANES == 4 && defined(__wasm_simd128__)
    return (lane_f)wasm_f32x4_pmax((v128_t)v, (v128_t)least);
#else
    return lane_select(v < least, least, v);
#endif
}

LANE_FN lane_f lane_clamp(lane_f v, float low, float high)
{
    return lane_at_most(lane_at_least(v, lane_splat(low)), lane_splat(high));
}

LANE_FN lane_f lane_clamp01(lane_f v)
{
    return lane_clamp(v, 0, 1);
}

/* Min and max of two numbers without sign and NaN: their bits are in the same order. */
LANE_FN lane_f lane_min(lane_f a, lane_f b)
{
#if LANES == 16
    return (lane_f)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif LANES == 8
    return (lane_f)_mm256_min_epi32((__m256i)a, (__m256i)b);
#elif LANES == 4 && defined(__x86_64__)
    return (lane_f)_mm_min_ps((__m128)a, (__m128)b);
#elif LANES == 4 && defined(__aarch64__)
    return (lane_f)vminq_s32((int32x4_t)a, (int32x4_t)b);
#elif LANES == 4 && defined(__wasm_simd128__)
    return (lane_f)wasm_i32x4_min((v128_t)a, (v128_t)b);
#else
    lane_i bits = (lane_i)a;
    for (int i = 0; i < LANES; i++)
        bits[i] = bits[i] < ((lane_i)b)[i] ? bits[i] : ((lane_i)b)[i];
    return (lane_f)bits;
#endif
}

LANE_FN lane_f lane_max(lane_f a, lane_f b)
{
#if LANES == 16
    return (lane_f)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif LANES == 8
    return (lane_f)_mm256_max_epi32((__m256i)a, (__m256i)b);
#elif LANES == 4 && defined(__x86_64__)
    return (lane_f)_mm_max_ps((__m128)a, (__m128)b);
#elif LANES == 4 && defined(__aarch64__)
    return (lane_f)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
#elif LANES == 4 && defined(__wasm_simd128__)
    return (lane_f)wasm_i32x4_max((v128_t)a, (v128_t)b);
#else
    lane_i bits = (lane_i)a;
    for (int i = 0; i < LANES; i++)
        bits[i] = bits[i] > ((lane_i)b)[i] ? bits[i] : ((lane_i)b)[i];
    return (lane_f)bits;
#endif
}

/* Square root, correctly rounded, as IEEE 754 requires. */
LANE_FN lane_f lane_sqrt(lane_f v)
{
#if LANES == 16
    return (lane_f)_mm512_sqrt_ps((__m512)v);
#elif LANES == 8
    return (lane_f)_mm256_sqrt_ps((__m256)v);
#elif LANES == 4 && defined(__x86_64__)
    return (lane_f)_mm_sqrt_ps((__m128)v);
#elif LANES == 4 && defined(__aarch64__)
    return (lane_f)vsqrtq_f32((float32x4_t)v);
#elif LANES == 4 && defined(__wasm_simd128__)
    return (lane_f)wasm_f32x4_sqrt((v128_t)v);
#else
    for (int i = 0; i < LANES; i++)
        v[i] = __builtin_sqrtf(v[i]);
    return v;
#endif
}

/* Repeats each lane 2^k times, which makes 2^k vectors; returns the part-th of them. k < LANES_LOG2. */
LANE_FN lane_f lane_spread(lane_f v, int k, int part)
{
#if LANES == 16
    return (lane_f)_mm512_permutexvar_ps((__m512i)((lane_iota() + (uint32_t)part * LANES) >> k), (__m512)v);
#elif LANES == 8
    return (lane_f)_mm256_permutevar8x32_ps((__m256)v,
                                            (__m256i)((lane_iota() + (uint32_t)part * LANES) >> k));
#elif LANES == 4
    const lane_f low = __builtin_shufflevector(v, v, 0, 0, 1, 1);
    return k == 0 ? v : part == 0 ? low : __builtin_shufflevector(v, v, 2, 2, 3, 3);
#else
    (void)k, (void)part;
    return v;
#endif
}

#endif
