/*
 * A way over samples: the nearer to its line the more of the surface that lib/path lays over a line, which is nowhere steeper than the
 * way's slope, and as high as the line where that keeps the slope, too.
 *
 * Distances and surface are of the sample's place alone, in binary64 from the way's first point, where all places are exact: so windows
 * and levels agree.
 */
#include "../base/lend.h"
#include "../path/world.h"
#include "editing.h"

enum { PATCH = 8 /* samples along a side, for which segments are looked at together */ };

/* Units of height a part. */
static double slope_of(const struct terrane_world *world, const struct terrane_edit *way)
{
    const double units = (double)TERRANE_EDIT_UNITS / TERRANE_EDIT_SHARES / TERRANE_EDIT_PARTS;
    return (double)way->slope * (double)world->recipe->spacing_m * units;
}

static int32_t held(int64_t v)
{
    return (int32_t)(v > EDIT_MOVE_MAX ? EDIT_MOVE_MAX : v < -EDIT_MOVE_MAX ? -EDIT_MOVE_MAX : v);
}

static int64_t of(int64_t v, int64_t share)
{
    return (v * share + EDIT_WHOLE / 2) >> EDIT_SHARE_LOG2;
}

/* A way over a lattice. */
struct laying {
    const struct terrane_edit *way;
    const struct stroke *stroke;
    const struct edit_ground *ground;
    struct path_surface surface;
    struct path_around around;
    double west, north, step; /* of the lattice's first sample, from the way's first point; between samples */
    double fine;              /* parts of a stroke's distances to one */
};

static void lay_sample(const struct laying *laying, size_t at, double x, double y, double d2)
{
    const double reach = (double)laying->stroke->reach;
    const int64_t share =
        d2 < reach * reach ? stroke_share(laying->stroke, __builtin_sqrt(d2) * laying->fine) : 0;
    if (share == 0)
        return;
    int32_t *delta = &laying->ground->delta[at];
    const int64_t here = (int64_t)laying->ground->base[at] + *delta;
    const int64_t to = path_floor(path_around_at(&laying->around, &laying->surface, x, y) + 0.5);
    *delta = held(*delta + of(to - here, of(laying->way->strength, share)));
}

/* A patch of samples, for which few segments count. */
static void lay_patch(struct laying *laying, const struct edit_part *patch)
{
    const int columns = patch->east - patch->west + 1, rows = patch->south - patch->north + 1;
    const double step = laying->step, x = laying->west + patch->west * step,
                 y = laying->north + patch->north * step;
    const double wide = (columns - 1) * step / 2, high = (rows - 1) * step / 2;
    path_around_find(&laying->around, &laying->surface, x + wide, y + high,
                     __builtin_sqrt(wide * wide + high * high) + 1, (double)laying->stroke->reach);
    for (int j = 0; j < rows && laying->around.near > 0; j++) {
        const size_t row = (size_t)(patch->north + j) * (size_t)laying->ground->window.width;
        double d2[PATCH];
        for (int i = 0; i < columns; i++)
            d2[i] = 0x1p200;
        for (int k = 0; k < laying->around.near; k++)
            path_segment_near(&laying->surface.segment[laying->around.near_segment[k]], x, y + j * step, step,
                              columns, d2);
        for (int i = 0; i < columns; i++)
            lay_sample(laying, row + (size_t)(patch->west + i), x + i * step, y + j * step, d2[i]);
    }
}

int way_apply(const struct terrane_editing *editing, const struct edit_lattice *lattice,
              const struct terrane_edit *way, const struct stroke *stroke, const struct edit_part *part)
{
    const struct terrane_window *window = &lattice->ground.window;
    const double slope = slope_of(editing->world, way);
    const struct path_scale scale = {.steep = slope, .slope = slope, .line_slope = slope};
    const int64_t pace = INT64_C(1) << (window->level + EDIT_PARTS_LOG2);
    struct laying laying = {
        .way = way,
        .stroke = stroke,
        .ground = &lattice->ground,
        .west = (double)(window->gi * pace - way->x),
        .north = (double)(window->gj * pace - way->y),
        .step = (double)(window->step * pace),
        .fine = stroke->fine >= 0 ? (double)(INT64_C(1) << stroke->fine)
                                  : 1 / (double)(INT64_C(1) << -stroke->fine),
    };
    void *memory = memory_take(&editing->memory, path_surface_bytes(way->points)),
         *list = memory_take(&editing->memory, path_around_bytes(way->points));
    if (memory && list) {
        path_surface_make(&laying.surface, &scale, way->line, way->points, memory);
        path_around_begin(&laying.around, way->points, list);
        for (int j = part->north; j <= part->south; j += PATCH)
            for (int i = part->west; i <= part->east; i += PATCH)
                lay_patch(&laying, &(struct edit_part){
                                       .west = i,
                                       .north = j,
                                       .east = i + PATCH - 1 < part->east ? i + PATCH - 1 : part->east,
                                       .south = j + PATCH - 1 < part->south ? j + PATCH - 1 : part->south});
    }
    memory_give(&editing->memory, memory);
    memory_give(&editing->memory, list);
    return memory && list ? 0 : TERRANE_EMEMORY;
}
