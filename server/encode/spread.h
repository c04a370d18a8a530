/*
 * What numbers span: of a layer's samples, for their description.
 */
#ifndef TERRANE_SERVER_SPREAD_H
#define TERRANE_SERVER_SPREAD_H

#include <stddef.h>

struct spread {
    size_t count;   /* of numbers; 0: the others are 0, too */
    float min, max; /* -0 counts as 0 */
    double mean;    /* of numbers rounded to 2^-16, summed exactly; never outside min .. max */
};

/* Of values[k * stride], k < count, without those that are none: NAN where all are numbers. |values| < 2^40. */
struct spread spread_of(const float *values, size_t count, size_t stride, float none);

#endif
