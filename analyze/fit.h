/*
 * A straight line through points, by least squares.
 */
#ifndef TERRANE_ANALYZE_FIT_H
#define TERRANE_ANALYZE_FIT_H

struct fit {
    int points; /* 0: no line, since under two points or all at one x; the rest is 0 then */
    double slope, intercept;
    double r2; /* share of the variance of y that the line explains; 1 where y does not vary */
};

struct fit fit_line(const double *x, const double *y, int points);

#endif
