/*
 * Grids of regions under windows: along each axis samples are shared out by division, since regions are squares that begin at
 * multiples of their size.
 */
#include "region.h"

#include <string.h>

/* The sample of a region's level that one of another level lies on, or after. */
static int64_t sample_there(const struct terrane_region_grid *grid, int level, int64_t g)
{
    const int shift = level - grid->first.level;
    return shift >= 0 ? g * (INT64_C(1) << shift) : g >> -shift;
}

static int64_t region_at(const struct terrane_region_grid *grid, int64_t there)
{
    return terrane_region_of(grid->first.kind, grid->first.level, there);
}

static int lay_along(const struct terrane_region_grid *grid, int level, int64_t first, int64_t last,
                     int64_t *region)
{
    const int64_t from = sample_there(grid, level, first), to = sample_there(grid, level, last);
    *region = region_at(grid, from);
    return (int)(region_at(grid, to > from ? to - 1 : to) - *region) + 1;
}

int grid_lay(struct terrane_region_grid *grid, const struct terrane_window *window)
{
    const int64_t across = (int64_t)(window->width - 1) * window->step,
                  down = (int64_t)(window->height - 1) * window->step;
    grid->columns = lay_along(grid, window->level, window->gi, window->gi + across, &grid->first.x);
    grid->rows = lay_along(grid, window->level, window->gj, window->gj + down, &grid->first.y);
    grid->count = grid->columns * grid->rows;
    return grid->columns <= 2 && grid->rows <= 2 ? 0 : TERRANE_EWINDOW;
}

struct terrane_region grid_at(const struct terrane_region_grid *grid, int k)
{
    struct terrane_region region = grid->first;
    region.x += k % grid->columns;
    region.y += k / grid->columns;
    return region;
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

/* Samples first .. end - 1 of a window along one axis, which lie in the k-th region along it. */
struct run {
    int first, end, k;
};

static struct run run_from(const struct terrane_region_grid *grid, const struct terrane_window *window,
                           int first, bool south)
{
    const int64_t g = south ? window->gj : window->gi, origin = south ? grid->first.y : grid->first.x;
    const int count = south ? window->height : window->width, regions = south ? grid->rows : grid->columns;
    struct run run = {first, first, -1};
    for (; run.end < count; run.end++) {
        const int64_t there = sample_there(grid, window->level, g + (int64_t)run.end * window->step);
        int64_t k = region_at(grid, there) - origin;
        k = k < 0 ? 0 : k >= regions ? regions - 1 : k;
        if (run.k >= 0 && k != run.k)
            break;
        run.k = (int)k;
    }
    return run;
}

int grid_visit(const struct terrane_region_grid *grid, const struct terrane_window *window,
               int (*visit)(void *context, const struct block *block), void *context)
{
    int result = 0;
    for (struct run down = {0}; result == 0 && down.end < window->height;) {
        down = run_from(grid, window, down.end, true);
        for (struct run across = {0}; result == 0 && across.end < window->width;) {
            across = run_from(grid, window, across.end, false);
            struct block block = {
                .window = *window,
                .at = (size_t)down.first * (size_t)window->width + (size_t)across.first,
                .k = down.k * grid->columns + across.k,
            };
            block.window.gi += (int64_t)across.first * window->step;
            block.window.gj += (int64_t)down.first * window->step;
            block.window.width = across.end - across.first;
            block.window.height = down.end - down.first;
            result = visit(context, &block);
        }
    }
    return result;
}

void block_copy(const struct block *block, int width, void *whole, void *part, size_t size, bool back)
{
    if (!whole)
        return;
    const size_t bytes = (size_t)block->window.width * size;
    char *row = (char *)whole + block->at * size, *at = part;
    for (int j = 0; j < block->window.height; j++, row += (size_t)width * size, at += bytes)
        memcpy(back ? row : at, back ? at : row, bytes);
}
