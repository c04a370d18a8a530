/* Contours of a grid of 257 x 257 heights, f32 on stdin, so many metres apart: the median of 51 times in ms of CPU, and how many lines. */
#include "bench_rounds.h"

#include "../../server/encode/contours.h"

#include <stdlib.h>

enum { SIDE = 257, RUNS = 51 };

static float height[SIDE * SIDE];
static long lines;

static void take(void *to, int32_t k, const struct mvt_point *point, size_t points, bool closed)
{
    (void)to, (void)k, (void)point, (void)points, (void)closed;
    lines++;
}

int main(int argc, char **argv)
{
    const struct contour_interval interval = {argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0, 1};
    double us[RUNS];
    if (interval.metres <= 0 || fread(height, sizeof *height, SIDE * SIDE, stdin) != SIDE * SIDE)
        return 2;
    for (int run = 0; run < RUNS; run++) {
        const double from = bench_cpu_us();
        lines = 0;
        if (contours(height, SIDE, interval, MVT_EXTENT / (SIDE - 1), take, NULL) != 0)
            return 1;
        us[run] = bench_cpu_us() - from;
    }
    printf("%.3f %ld\n", bench_median(us, RUNS) / 1e3, lines);
    return 0;
}
