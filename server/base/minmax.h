/* Min and max of two numbers. Neither may be NaN; of equals they return the second. */
#ifndef TERRANE_SERVER_MINMAX_H
#define TERRANE_SERVER_MINMAX_H

#include <stdint.h>

static inline uint64_t min_uint64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_uint64(uint64_t a, uint64_t b)
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

#endif
