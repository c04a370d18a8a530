/*
 * The nearest marked sample to each, exactly, in time that grows with the samples (Meijster, Roerdink and Hesselink 2000).
 *
 * First the nearest in each sample's own column. Then, along a row, column u offers (x - u)^2 + g(u)^2 at column x: parabolas
 * of one shape, of which two cross once, so the best ones stand in the order of their columns.
 */
#include "patch.h"

/* rows[y * side + x]: the row of the nearest mark in column x; -1: it has none. */
static void nearest_in_columns(const struct terrane_patch *patch, const uint8_t *mark, int32_t *rows)
{
    const int side = patch->side;
    for (int x = 0; x < side; x++) {
        int32_t last = -1;
        for (int y = 0; y < side; y++) {
            last = mark[y * side + x] ? y : last;
            rows[y * side + x] = last;
        }
        last = -1;
        for (int y = side - 1; y >= 0; y--) {
            last = mark[y * side + x] ? y : last;
            const int32_t above = rows[y * side + x];
            if (above < 0 || (last >= 0 && last - y < y - above))
                rows[y * side + x] = last;
        }
    }
}

static int64_t square(int64_t v)
{
    return v * v;
}

/* The last column at which column i, with squared distance a in it, is no worse than column u > i, with b. */
static int64_t crossing(int64_t i, int64_t a, int64_t u, int64_t b)
{
    const int64_t over = u * u - i * i + b - a, under = 2 * (u - i);
    return over >= 0 ? over / under : -((-over + under - 1) / under);
}

void patch_nearest(const struct terrane_patch *patch, const uint8_t *mark, int32_t *rows, uint32_t *nearest)
{
    const int side = patch->side;
    nearest_in_columns(patch, mark, rows);
    int column[TERRANE_PATCH_SIDE_MAX], from[TERRANE_PATCH_SIDE_MAX]; /* of a part: whose it is, its first */
    for (int y = 0; y < side; y++) {
        const int32_t *row = &rows[y * side];
        int parts = 0;
        for (int u = 0; u < side; u++) {
            if (row[u] < 0)
                continue;
            const int64_t mine = square(y - row[u]);
            int64_t start = 0;
            for (; parts > 0; parts--) {
                const int i = column[parts - 1];
                start = crossing(i, square(y - row[i]), u, mine) + 1;
                if (start > from[parts - 1])
                    break;
                start = 0;
            }
            if (start >= side)
                continue;
            column[parts] = u;
            from[parts++] = (int)start;
        }
        for (int x = side - 1; x >= 0; x--) {
            while (parts > 0 && from[parts - 1] > x)
                parts--;
            nearest[y * side + x] =
                parts == 0 ? UINT32_MAX : (uint32_t)(row[column[parts - 1]] * side + column[parts - 1]);
        }
    }
}
