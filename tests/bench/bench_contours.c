/* Contours of a grid of 257 x 257 heights, f32 on stdin, so many metres apart: the median of 51 times in ms of CPU, and how many lines. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../server/encode/contours.h"

enum { SIDE = 257, RUNS = 51 };

static float height[SIDE * SIDE];
static long lines;

static void take(void *to, int32_t k, const struct mvt_point *point, size_t points, bool closed)
{
    (void)to, (void)k, (void)point, (void)points, (void)closed;
    lines++;
}

static int compare(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

int main(int argc, char **argv)
{
    const struct contour_interval interval = {argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0, 1};
    double ms[RUNS];
    if (interval.metres <= 0 || fread(height, sizeof *height, SIDE * SIDE, stdin) != SIDE * SIDE)
        return 2;
    for (int run = 0; run < RUNS; run++) {
        const clock_t from = clock();
        lines = 0;
        if (contours(height, SIDE, interval, MVT_EXTENT / (SIDE - 1), take, NULL) != 0)
            return 1;
        ms[run] = (double)(clock() - from) * 1e3 / CLOCKS_PER_SEC;
    }
    qsort(ms, RUNS, sizeof *ms, compare);
    printf("%.3f %ld\n", ms[RUNS / 2], lines);
    return 0;
}
