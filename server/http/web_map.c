/*
 * Mercator's map of the sphere, from its metres to degrees.
 */
#include "web_map.h"

#include <math.h>

#include "../tile/tile.h"

static const double PI = 3.14159265358979323846;

double web_map_half_m(double spacing_m)
{
    return spacing_m * TERRANE_TILE_SAMPLES * (double)(1 << (TILE_Z0 - 1));
}

/* e^x, |x| < 8: of its 256th part Taylor's series, whose first missing term is below (1/32)^11 / 11!, then eight squares, each of
 * which doubles the error: below 1e-13 of the value. */
static double exponential(double x)
{
    const double part = x / 256;
    double sum = 1;
    for (int n = 10; n >= 1; n--)
        sum = 1 + part / n * sum;
    for (int k = 0; k < 8; k++)
        sum *= sum;
    return sum;
}

/* |t| <= 1. Three times tan(a / 2) = t / (1 + sqrt(1 + t^2)), then the series, of t below 0.1: its first missing term is below
 * 1e-18. */
static double arc_tangent(double t)
{
    for (int k = 0; k < 3; k++)
        t /= 1 + sqrt(1 + t * t);
    const double t2 = t * t;
    double sum = 0;
    for (int n = 15; n >= 1; n -= 2)
        sum = 1.0 / n - t2 * sum;
    return 8 * t * sum;
}

struct web_place web_map_place(double spacing_m, double x_m, double y_m)
{
    const double half_m = web_map_half_m(spacing_m);
    const double e = exponential(-y_m / half_m * PI); /* of pi at the northern side */
    return (struct web_place){
        .longitude = x_m / half_m * 180,
        .latitude = arc_tangent((e - 1) / (e + 1)) / PI * 360,
    };
}
