/*
 * Walking along a curve with a pair of dividers (Richardson 1961): the wider they are open, the shorter the
 * curve.
 */
#ifndef TERRANE_ANALYZE_DIVIDERS_H
#define TERRANE_ANALYZE_DIVIDERS_H

#include <stddef.h>

#include "fit.h"

struct point {
    double x, y, z;
};

enum { DIVIDERS_OPENINGS_MAX = 16 };

struct dividers {
    int openings;
    double opening[DIVIDERS_OPENINGS_MAX], length[DIVIDERS_OPENINGS_MAX]; /* in the unit of the points */
    struct fit fit;                                                       /* log2 length over log2 opening */
    double dimension;                                                     /* 1 - slope (Mandelbrot 1967) */
};

/*
 * The length of a polyline (points at least 2) in steps of an opening, a straight distance: each step ends
 * where the curve first leaves the sphere of that radius around the step's start. The last one, too short,
 * counts as what it is.
 */
double dividers_walk(const struct point *curve, size_t points, double opening, int backwards);

/* Openings from narrow to wide, evenly on the scale of logarithms; each length is the mean of the walks to
 * and fro. */
struct dividers dividers_measure(const struct point *curve, size_t points, double narrow, double wide,
                                 int openings);

#endif
