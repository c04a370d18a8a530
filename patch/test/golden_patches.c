/*
 * Golden digests of paths through patches: lines, limits, relaxation, the fast way and distances. golden.c has the rest.
 *
 * The digests hold a second relaxation, in integers, that libterrane-patch had when they were taken. It is here, in a plain form,
 * since a digest that is kept does not change.
 */
#include <stdio.h>

#include "../../tests/golden/golden.h"
#include "../patch.h"
#include "patch_ground_kit.h"

static void put_units(const int32_t *v, size_t count)
{
    for (size_t k = 0; k < count; k++)
        put((uint64_t)v[k], 4);
}

static void put_report(const struct terrane_relax_report *report)
{
    put((uint64_t)report->how, 4);
    put((uint64_t)report->iterations, 8);
    for (int k = 0; k < TERRANE_HOLDS; k++) {
        put((uint64_t)report->held[k], 8);
        put((uint64_t)report->unsatisfied[k], 8);
        put_doubles(&report->distance[k], 1);
    }
}

static void put_lines(struct kit *kit)
{
    enum { ROOM = 4096 };
    int line[5], sample[ROOM];
    need(terrane_patch_lines(&kit->patch, &kit->graph, &kit->shape, kit->ground, kit->memory, &kit->limits,
                             line, sample, ROOM, NULL) == 0,
         "lines of a patch");
    for (int e = 0, at = 0; e < kit->graph.edges; at += line[e++])
        for (int k = 0; k < line[e]; k++)
            put((uint64_t)sample[at + k], 4);
    put_floats(kit->limits.gradient, kit->samples);
    put_floats(kit->limits.across, kit->samples);
    put_floats(kit->limits.across_x, kit->samples);
    put_floats(kit->limits.across_y, kit->samples);
    put_floats(kit->limits.roughness, kit->samples);
}

/* How far the heights are from what the patch was. */
static void put_distance(const struct kit *kit, const int32_t *from)
{
    void *memory = need_memory(terrane_patch_distance_bytes(&kit->patch));
    double distance;
    need(terrane_patch_distance(&kit->patch, from, kit->units, memory, &distance) == 0, "a distance");
    put_doubles(&distance, 1);
    free(memory);
}

/* ---- Relaxation in integers ---------------------------------------------------------------------------- */

/* A quadrant over its limit: its samples, its slopes, what their length is, and should be. */
struct over {
    size_t at, to_x, to_y;
    float dx, dy, length, limit;
};

/* Whether a quadrant is over a limit: of two, the gradient's. */
static bool is_over(const struct kit *kit, size_t at, int x, int y, struct over *out)
{
    const int side = kit->patch.side;
    const double per_slope = kit->patch.spacing / kit->patch.unit;
    const double threshold = kit->relax.slope_threshold * per_slope * 0.9375;
    const size_t to_x = at + (size_t)(ptrdiff_t)x, to_y = at + (size_t)(ptrdiff_t)(y * side);
    const int32_t *h = kit->units;
    *out = (struct over){at, to_x, to_y, (float)(h[to_x] - h[at]), (float)(h[to_y] - h[at]), 0, 0};
    for (int across = 0; across < 2; across++) {
        const float slope = across ? kit->limits.across[at] : kit->limits.gradient[at];
        if (!(slope >= 0))
            continue;
        out->limit = (float)(slope * per_slope);
        const float moves = (float)((slope * per_slope + threshold) * (1 - 0x1p-20));
        const float length2 = out->dx * out->dx + out->dy * out->dy;
        const float ex = (float)x * out->dx * kit->limits.across_x[at];
        const float ey = (float)y * out->dy * kit->limits.across_y[at];
        out->length = across ? __builtin_fabsf(ey + ex) : __builtin_sqrtf(length2);
        if (across ? out->length > moves : length2 > moves * moves)
            return true;
    }
    return false;
}

/* Whole units that a quadrant takes from a neighbour, if so many quadrants move one of its samples. */
static int32_t taken(const struct over *q, int count, float dx, float dy)
{
    const float part = (q->length - q->limit) / (q->length * (float)count);
    return (int32_t)(part * (1.875f / 3) * (dx + dx - dy));
}

/* All quadrants that are over: counted around samples (pass 0), then moved. Returns how many there are. */
static int64_t pass_quadrants(const struct kit *kit, int pass, int *around, int32_t *moved)
{
    const int side = kit->patch.side;
    int64_t found = 0;
    for (size_t at = 0; at < kit->samples; at++)
        for (int k = 0; k < 4; k++) {
            struct over q;
            if (!(patch_quadrants(&kit->patch, (int)at % side, (int)at / side) >> k & 1) ||
                !is_over(kit, at, patch_quadrant_x(k), patch_quadrant_y(k), &q))
                continue;
            found++;
            if (pass == 0) {
                around[q.at]++;
                around[q.to_x]++;
                around[q.to_y]++;
                continue;
            }
            int count = around[q.at] > 2 ? around[q.at] : 2;
            count = around[q.to_x] > count ? around[q.to_x] : count;
            count = around[q.to_y] > count ? around[q.to_y] : count;
            const int32_t from_x = taken(&q, count, q.dx, q.dy), from_y = taken(&q, count, q.dy, q.dx);
            moved[q.at] += from_x + from_y;
            moved[q.to_x] -= from_x;
            moved[q.to_y] -= from_y;
        }
    return found;
}

/* A sixteenth of what gives a sample its roughness. Returns whether it is off. */
static bool move_roughness(const struct kit *kit, size_t at, int32_t *moved)
{
    const int side = kit->patch.side, x = (int)at % side, y = (int)at / side;
    const double per_slope = kit->patch.spacing / kit->patch.unit;
    const int x0 = x > 0 ? -1 : 0, x1 = x < side - 1 ? 1 : 0;
    const int y0 = y > 0 ? -1 : 0, y1 = y < side - 1 ? 1 : 0;
    const int32_t *h = &kit->units[at];
    double sum = 0, squares = 0;
    for (int dy = y0; dy <= y1; dy++)
        for (int dx = x0; dx <= x1; dx++) {
            const double rise = h[dy * side + dx] - h[0];
            sum += rise;
            squares += dx != 0 && dy != 0 ? rise * rise * 0.5 : rise * rise;
        }
    const double roughness = __builtin_sqrt(squares), aim = kit->limits.roughness[at] * per_slope;
    const double threshold = kit->relax.roughness_threshold * per_slope * (1 - 0x1p-30);
    const double off = roughness - aim;
    if (!(off > threshold || off < -threshold) || squares == 0)
        return false;
    const double more = aim / roughness - 1, back = more * sum / ((x1 - x0 + 1) * (y1 - y0 + 1));
    for (int dy = y0; dy <= y1; dy++)
        for (int dx = x0; dx <= x1; dx++) {
            const double move = (more * (h[dy * side + dx] - h[0]) - back) * 0.0625;
            const int32_t units = dx != 0 || dy != 0 ? (int32_t)move : 0;
            moved[at + (size_t)(ptrdiff_t)(dy * side + dx)] += units;
            moved[at] -= units;
        }
    return true;
}

/* All limits look at heights as they are before an iteration. */
static void relax_integer(struct kit *kit, struct terrane_relax_report *report)
{
    int *around = need_memory(kit->samples * sizeof *around);
    int32_t *moved = need_memory(kit->samples * sizeof *moved);
    int64_t n = 0, over = 1;
    for (; n < kit->relax.iterations_max && over > 0; n += over > 0) {
        memset(around, 0, kit->samples * sizeof *around);
        memset(moved, 0, kit->samples * sizeof *moved);
        over = pass_quadrants(kit, 0, around, moved);
        pass_quadrants(kit, 1, around, moved);
        for (size_t at = 0; at < kit->samples; at++)
            if (patch_holds(kit->limits.roughness, at))
                over += move_roughness(kit, at, moved);
        for (size_t at = 0; at < kit->samples; at++)
            kit->units[at] += moved[at];
    }
    for (size_t at = 0; at < kit->samples; at++)
        kit->heights[at] = kit->units[at] * kit->patch.unit;
    patch_report(&kit->patch, &kit->limits, &kit->relax, kit->heights, n,
                 over > 0 ? TERRANE_RELAXED_MAX : TERRANE_RELAXED_ALL, report);
    free(around);
    free(moved);
}

/* ---- Patches ------------------------------------------------------------------------------------------- */

static void patch(int side, double slope, enum terrane_beside beside)
{
    struct kit kit;
    struct terrane_relax_report report;
    kit_make(&kit, side, (uint64_t)side);
    kit_graph(&kit, slope);
    kit.shape.beside = beside;
    kit.relax.iterations_max = 300;
    int32_t *from = need_memory(kit.samples * sizeof *from);
    put_lines(&kit);
    kit_start(&kit);
    memcpy(from, kit.units, kit.samples * sizeof *from);
    need(terrane_patch_relax(&kit.patch, &kit.limits, &kit.relax, kit.memory, kit.heights, &report) == 0,
         "relax");
    put_doubles(kit.heights, kit.samples);
    put_report(&report);
    relax_integer(&kit, &report);
    put_units(kit.units, kit.samples);
    put_report(&report);
    put_distance(&kit, from);
    kit_start(&kit);
    need(terrane_patch_carve(&kit.patch, &kit.limits, kit.memory, kit.units) == 0, "carve");
    put_units(kit.units, kit.samples);
    put_distance(&kit, from);
    free(from);
    kit_free(&kit);
}

void patches(void)
{
    static const double slope[] = {0.0005, 0.0035, 0.0095};
    for (int side = 9; side <= 65; side = 2 * side - 1)
        for (int k = 0; k < 3; k++) {
            char name[80];
            patch(side, slope[k], k == 1 ? TERRANE_BESIDE_ROUGHNESS : TERRANE_BESIDE_ACROSS);
            snprintf(name, sizeof name, "patch %d, slope %d", side, k);
            print(name);
        }
}
