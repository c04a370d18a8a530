/* Contours of a grid of 257 x 257 heights, f32 on stdin, a multiple of metres apart: the median of 51 times in ms of CPU, and how many lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../server/encode/isolines.h"

enum { SIDE = 257, UNIT = MVT_EXTENT / (SIDE - 1), RUNS = 51 };

static float height[SIDE * SIDE];
static int32_t step[SIDE * SIDE];
static double apart_m;
static long lines;

static int32_t cut(const void *context, size_t a, size_t b, int32_t k)
{
    (void)context;
    const double share = (k * apart_m - (double)height[a]) / ((double)height[b] - (double)height[a]);
    return (int32_t)(fmin(fmax(share, 0), 1) * UNIT + 0.5);
}

static void take(void *to, int32_t k, const struct mvt_point *point, size_t points, bool closed)
{
    (void)to;
    (void)k;
    (void)point;
    (void)points;
    (void)closed;
    lines++;
}

static int compare(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

int main(int argc, char **argv)
{
    const struct isolines_grid grid = {.width = SIDE, .height = SIDE, .step = step, .unit = UNIT, .cut = cut};
    double ms[RUNS];
    apart_m = argc > 1 ? strtod(argv[1], NULL) : 0;
    if (!(apart_m > 0) || fread(height, sizeof *height, SIDE * SIDE, stdin) != SIDE * SIDE)
        return 2;
    for (int run = 0; run < RUNS; run++) {
        const clock_t from = clock();
        lines = 0;
        for (int i = 0; i < SIDE * SIDE; i++)
            step[i] = (int32_t)floor((double)height[i] / apart_m);
        if (isolines(&grid, take, NULL) != 0)
            return 1;
        ms[run] = (double)(clock() - from) * 1e3 / CLOCKS_PER_SEC;
    }
    qsort(ms, RUNS, sizeof *ms, compare);
    printf("%.3f %ld\n", ms[RUNS / 2], lines);
    return 0;
}
