/*
 * Reduces the angle to an eighth of a turn around the nearest quarter, without rounding, and sums Taylor's
 * series there. The first omitted term is below (pi / 4)^17 / 17! = 5e-17; the rest of the error is rounding.
 */
#include "exact_angle.h"

#include <math.h>

/* 1 - x^2 / (2 3) (1 - x^2 / (4 5) (1 - ... )), from the inside, with the first factor given. */
static double series(double x2, int first, int last)
{
    double sum = 1;
    for (int n = last; n >= first; n -= 2)
        sum = 1 - x2 / (double)(n * (n + 1)) * sum;
    return sum;
}

struct exact_angle exact_angle(double turns)
{
    const double quarters = floor(4 * turns + 0.5);
    const double x = (turns - quarters / 4) * 6.283185307179586476925286766559; /* -pi / 4 .. pi / 4 */
    const double s = x * series(x * x, 2, 14), c = series(x * x, 1, 15);
    const int quarter = (int)(quarters - 4 * floor(quarters / 4));
    switch (quarter) {
    case 0:
        return (struct exact_angle){c, s};
    case 1:
        return (struct exact_angle){-s, c};
    case 2:
        return (struct exact_angle){-c, -s};
    default:
        return (struct exact_angle){s, -c};
    }
}
