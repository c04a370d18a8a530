/*
 * A way over samples: the nearer to its line the more of the surface that lib/path lays over a line, which is nowhere steeper than the
 * way's slope, and as high as the line where that keeps the slope, too.
 *
 * Distances and surface are of the sample's place alone, in binary64 from the way's first point, where all places are exact: so windows
 * and levels agree.
 */
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../path/world.h"
#include "editing.h"

/* Units of height a part. */
static double slope_of(const struct terrane_world *world, const struct terrane_edit *way)
{
    const double units = (double)TERRANE_EDIT_UNITS / TERRANE_EDIT_SHARES / TERRANE_EDIT_PARTS;
    return (double)way->slope * (double)world->recipe->spacing_m * units;
}

/* Of the columns that are first, first + step .. parts east of the way's first point, and in a row: squares of distances, where these are
 * within reach. */
static void row_near(const struct path_surface *surface, double first, double y, double step, int count,
                     double reach, double *d2)
{
    for (int i = 0; i < count; i++)
        d2[i] = 0x1p200;
    for (const struct path_segment *one = surface->segment; one < surface->segment + surface->segments;
         one++) {
        const double ex = one->x + one->ux * one->length, ey = one->y + one->uy * one->length;
        if (y < min_double(one->y, ey) - reach || y > max_double(one->y, ey) + reach)
            continue;
        const double low = (min_double(one->x, ex) - reach - first) / step,
                     high = (max_double(one->x, ex) + reach - first) / step;
        const int from = low < 0       ? 0
                         : low < count ? (int)low
                                       : count,
                  to = high < 0           ? 0
                       : high < count - 1 ? (int)high + 1
                                          : count;
        if (from < to)
            path_segment_near(one, first + from * step, y, step, to - from, d2 + from);
    }
}

static int32_t held(int64_t v)
{
    return (int32_t)(v > EDIT_MOVE_MAX ? EDIT_MOVE_MAX : v < -EDIT_MOVE_MAX ? -EDIT_MOVE_MAX : v);
}

static int64_t of(int64_t v, int64_t share)
{
    return (v * share + EDIT_WHOLE / 2) >> EDIT_SHARE_LOG2;
}

int way_apply(const struct terrane_editing *editing, const struct edit_lattice *lattice,
              const struct terrane_edit *way, const struct stroke *stroke, const struct edit_part *part)
{
    const struct terrane_window *window = &lattice->ground.window;
    const double slope = slope_of(editing->world, way);
    const struct path_scale scale = {.steep = slope, .slope = slope, .line_slope = slope};
    const int64_t pace = INT64_C(1) << (window->level + EDIT_PARTS_LOG2);
    const double first = (double)((window->gi + (int64_t)part->west * window->step) * pace - way->x);
    const double step = (double)(window->step * pace), reach = (double)stroke->reach;
    const double fine =
        stroke->fine >= 0 ? (double)(INT64_C(1) << stroke->fine) : 1 / (double)(INT64_C(1) << -stroke->fine);
    const int columns = part->east - part->west + 1;
    struct path_surface surface;
    void *memory = memory_take(&editing->memory, path_surface_bytes(way->points));
    if (!memory)
        return TERRANE_EMEMORY;
    path_surface_make(&surface, &scale, way->line, way->points, memory);
    for (int j = part->north; j <= part->south; j++) {
        const double y = (double)((window->gj + (int64_t)j * window->step) * pace - way->y);
        const size_t row = (size_t)j * (size_t)window->width + (size_t)part->west;
        row_near(&surface, first, y, step, columns, reach, editing->to);
        for (int i = 0; i < columns; i++) {
            const double d2 = editing->to[i];
            const int64_t share = d2 < reach * reach ? stroke_share(stroke, __builtin_sqrt(d2) * fine) : 0;
            if (share == 0)
                continue;
            int32_t *delta = &lattice->ground.delta[row + (size_t)i];
            const int64_t here = (int64_t)lattice->ground.base[row + (size_t)i] + *delta;
            const int64_t to = path_floor(path_surface_at(&surface, first + i * step, y) + 0.5);
            *delta = held(*delta + of(to - here, of(way->strength, share)));
        }
    }
    memory_give(&editing->memory, memory);
    return 0;
}
