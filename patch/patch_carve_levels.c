/*
 * A path's slopes on coarse grids: what the finest grid would need tens of thousands of sweeps for.
 *
 * Each grid has every second sample of the one below it. A coarse sample stands for the path's samples in the 3
 * x 3 around it, by the weights with which its height is handed down (1, 1/2 and 1/4); where there are none it
 * is not there, so that nothing flows out of the path, and none of it to places that are near on a coarse grid
 * only. Handed down is by how far a coarse grid has moved, not where it stands: what is finer than it stays.
 *
 * Sums run over at most 9 samples, in a fixed order; all of this is a sequence of IEEE operations on one patch.
 */
#include "patch_carve.h"

#include <string.h>

enum {
    LEVELS = 6,   /* grids above the finest: a path of 64 samples is 1 wide on the last */
    SIDE_MIN = 4, /* of a coarse grid */
    COARSE_SWEEPS = 100
};

struct grid {
    int side;
    double *height, *before; /* now, and as it came from the grid below */
    double *weight, *limit;  /* weight 0: not there; limit: most slope times this grid's spacing */
};

/* All coarse grids have less than half of the finest one's samples: the first at most 16 of 49, and so on. */
_Static_assert(4 * sizeof(double) / 2 + sizeof(double) <= CARVE_SCRATCH, "what a sample takes of scratch");

/* A sample of a finer grid is given to 1, 2 or 4 of the coarser one, by quarters. */
static void spread(struct grid *coarse, int side, uint32_t at, double weight, double height, double limit)
{
    const int x = (int)at % side, y = (int)at / side;
    for (int i = 0; i < 4; i++) {
        const int to = (y + (i >> 1)) / 2 * coarse->side + (x + (i & 1)) / 2;
        coarse->weight[to] += weight / 4;
        coarse->height[to] += height * (weight / 4);
        coarse->limit[to] += limit * (weight / 4);
    }
}

static double gathered(const struct grid *coarse, int side, uint32_t at)
{
    const int x = (int)at % side, y = (int)at / side;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const int from = (y + (i >> 1)) / 2 * coarse->side + (x + (i & 1)) / 2;
        sum += coarse->height[from] - coarse->before[from];
    }
    return sum / 4;
}

static void finish(struct grid *grid)
{
    const size_t samples = (size_t)grid->side * (size_t)grid->side;
    for (size_t at = 0; at < samples; at++) {
        if (!(grid->weight[at] > 0))
            continue;
        grid->height[at] /= grid->weight[at];
        grid->limit[at] *= 2 / grid->weight[at];
    }
    memcpy(grid->before, grid->height, samples * sizeof *grid->height);
}

static bool there(const struct grid *grid, int x, int y)
{
    return x >= 0 && y >= 0 && x < grid->side && y < grid->side && grid->weight[y * grid->side + x] > 0;
}

/* One quadrant: both neighbours, or one, if the other is not there. Weighted ground is kept. */
static bool hold(const struct grid *grid, int at, int x, int y)
{
    double *height = grid->height;
    const double *weight = grid->weight, limit = grid->limit[at];
    const double dx = x ? height[at + x] - height[at] : 0, dy = y ? height[at + y] - height[at] : 0;
    const double length2 = dx * dx + dy * dy;
    if (!(length2 > limit * limit))
        return false;
    const double f = limit / __builtin_sqrt(length2);
    const double wx = x ? weight[at + x] : 0, wy = y ? weight[at + y] : 0;
    height[at] += (1 - f) * (wx * dx + wy * dy) / (weight[at] + wx + wy);
    if (x)
        height[at + x] = height[at] + f * dx;
    if (y)
        height[at + y] = height[at] + f * dy;
    return true;
}

static bool sweep(const struct grid *grid, bool back)
{
    const int side = grid->side;
    bool moved = false;
    for (int i = 0; i < side * side; i++) {
        const int at = back ? side * side - 1 - i : i, x = at % side, y = at / side;
        if (!(grid->weight[at] > 0))
            continue;
        for (int j = 0; j < 4; j++) {
            const int q = back ? 3 - j : j, qx = patch_quadrant_x(q), qy = patch_quadrant_y(q);
            moved |= hold(grid, at, there(grid, x + qx, y) ? qx : 0, there(grid, x, y + qy) ? qy * side : 0);
        }
    }
    return moved;
}

static void sweep_until_still(const struct grid *grid)
{
    for (int i = 0; i < COARSE_SWEEPS; i++)
        if (!sweep(grid, i & 1))
            return;
}

/* A grid of zeros behind what is taken of the scratch. */
static struct grid new_grid(double **free, int side)
{
    const size_t samples = (size_t)side * (size_t)side;
    struct grid grid = {.side = side, .height = *free};
    grid.before = grid.height + samples;
    grid.weight = grid.before + samples;
    grid.limit = grid.weight + samples;
    *free = grid.limit + samples;
    memset(grid.height, 0, 4 * samples * sizeof(double));
    return grid;
}

/* Limits of the path's own samples: of those that only quadrants of others reach, the lowest of these. */
static void find_limits(const struct carve *carve, double *limit)
{
    const int side = carve->side;
    for (int i = 0; i < side * side; i++)
        limit[i] = 0x1p62;
    for (int i = 0; i < carve->gradients; i++) {
        const struct carve_held *held = &carve->list[i];
        const ptrdiff_t to[] = {0, held->quadrants & 5 ? 1 : 0, held->quadrants & 10 ? -1 : 0,
                                held->quadrants & 3 ? side : 0, held->quadrants & 12 ? -side : 0};
        for (int k = 0; k < 5; k++) {
            double *own = &limit[(ptrdiff_t)held->at + to[k]];
            if (held->aim < *own)
                *own = held->aim;
        }
    }
}

static void fill_first(const struct carve *carve, struct grid *coarse, const double *limit)
{
    const uint32_t samples = (uint32_t)carve->side * (uint32_t)carve->side;
    for (uint32_t at = 0; at < samples; at++)
        if (carve->path[at])
            spread(coarse, carve->side, at, 1, carve->heights[at], limit[at]);
    finish(coarse);
}

static void fill(const struct grid *fine, struct grid *coarse)
{
    const uint32_t samples = (uint32_t)fine->side * (uint32_t)fine->side;
    for (uint32_t at = 0; at < samples; at++)
        if (fine->weight[at] > 0)
            spread(coarse, fine->side, at, fine->weight[at], fine->height[at], fine->limit[at]);
    finish(coarse);
}

static void hand_down(const struct grid *coarse, const struct grid *fine)
{
    const uint32_t samples = (uint32_t)fine->side * (uint32_t)fine->side;
    for (uint32_t at = 0; at < samples; at++)
        if (fine->weight[at] > 0)
            fine->height[at] += gathered(coarse, fine->side, at);
}

static int32_t whole(double height)
{
    const double max = TERRANE_PATCH_HEIGHT_MAX;
    return (int32_t)(height > max ? max : height < -max ? -max : height);
}

void carve_levels(struct carve *carve)
{
    const int side = carve->side;
    const uint32_t samples = (uint32_t)side * (uint32_t)side;
    struct grid grid[LEVELS];
    double *free = carve->scratch;
    int levels = 0;
    for (int s = (side + 1) / 2; levels < LEVELS && s >= SIDE_MIN; s = (s + 1) / 2)
        grid[levels++] = new_grid(&free, s);
    if (levels == 0 || carve->gradients == 0)
        return;

    double *limit = free;
    find_limits(carve, limit);
    fill_first(carve, &grid[0], limit);
    for (int level = 1; level < levels; level++)
        fill(&grid[level - 1], &grid[level]);
    for (int level = levels - 1; level >= 0; level--) {
        sweep_until_still(&grid[level]);
        if (level > 0)
            hand_down(&grid[level], &grid[level - 1]);
    }
    for (uint32_t at = 0; at < samples; at++)
        if (carve->path[at])
            carve->heights[at] = whole(carve->heights[at] + gathered(&grid[0], side, at));
}
