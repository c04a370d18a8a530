/* Min and max of two numbers: neither may be NaN; of equals they return the second. A quotient rounded down. */
#ifndef TERRANE_MIN_MAX_H
#define TERRANE_MIN_MAX_H

#include <stddef.h>
#include <stdint.h>

static inline int min_int(int a, int b)
{
    return a < b ? a : b;
}

static inline int max_int(int a, int b)
{
    return a > b ? a : b;
}

static inline int64_t max_int64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t min_int64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static inline float min_float(float a, float b)
{
    return a < b ? a : b;
}

static inline float max_float(float a, float b)
{
    return a > b ? a : b;
}

static inline double min_double(double a, double b)
{
    return a < b ? a : b;
}

static inline double max_double(double a, double b)
{
    return a > b ? a : b;
}

/* b > 0. */
static inline int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

#endif
