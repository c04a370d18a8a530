/*
 * Least squares around the means, which keeps the sums small.
 */
#include "fit.h"

struct fit fit_line(const double *x, const double *y, int points)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;

    for (int i = 0; i < points; i++) {
        mean_x += x[i] / points;
        mean_y += y[i] / points;
    }
    for (int i = 0; i < points; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
    if (points < 2 || !(xx > 0))
        return (struct fit){0};
    return (struct fit){.points = points,
                        .slope = xy / xx,
                        .intercept = mean_y - xy / xx * mean_x,
                        .r2 = yy > 0 ? xy * xy / (xx * yy) : 1};
}
