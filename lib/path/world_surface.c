/*
 * Paths of a world: the surface of one edge.
 *
 * With z(x) the height along the line and s the slope, Emin(p) is the min of z(x) + s |p - x| and Emax(p) the max of z(x) -
 * s |p - x|, over all x of the line. Both have slope at most s in every direction, and so does their mean. If the line
 * itself keeps s, over the distance of its points, both equal z on it. Beside a straight line the mean is level across it.
 *
 * On one segment with rise r, at distance d from its line and a along it, the min has the cone's foot at a - d q, q = r /
 * sqrt(s^2 - r^2), or at the end next to that: there z + r a + d sqrt(s^2 - r^2). For the max it is a + d q.
 *
 * Segments are visited in blocks, nearest first; a block whose cones cannot improve the result is skipped. So the result is
 * that of all segments.
 *
 * Around both ends the mean is clamped to a cone that begins at the disc's edge: in the disc the surface is level.
 */
#include "world.h"

#include "../base/min_max.h"

/* ---- Making -------------------------------------------------------------------------------------------- */

static int blocks_of(int segments)
{
    return (segments + PATH_BLOCK - 1) / PATH_BLOCK;
}

size_t path_surface_bytes(int points)
{
    return (size_t)points * sizeof(struct path_segment) +
           (size_t)blocks_of(points) * sizeof(struct path_block);
}

static void segment_make(struct path_segment *segment, const struct terrane_path_point *first,
                         const struct terrane_path_point *point, double slope)
{
    const double x = (double)(point[1].x - point[0].x), y = (double)(point[1].y - point[0].y);
    const double length = path_length(x, y);
    double rise = (double)(point[1].height - point[0].height) / length;
    /* Only rounding of heights takes a line that far. */
    rise = min_double(max_double(rise, -0.999 * slope), 0.999 * slope);
    const double fall = __builtin_sqrt(slope * slope - rise * rise);
    *segment = (struct path_segment){
        .x = (double)(point[0].x - first->x),
        .y = (double)(point[0].y - first->y),
        .ux = x / length,
        .uy = y / length,
        .length = length,
        .z = (double)point[0].height,
        .rise = rise,
        .lean = rise / fall,
        .fall = fall,
    };
}

static void block_make(struct path_block *block, const struct path_segment *segment, int count)
{
    double west = segment->x, east = west, north = segment->y, south = north;
    block->low = block->high = segment->z;
    for (int k = 0; k < count; k++) {
        const struct path_segment *one = &segment[k];
        const double x = one->x + one->ux * one->length, y = one->y + one->uy * one->length,
                     z = one->z + one->rise * one->length;
        west = min_double(west, min_double(one->x, x));
        east = max_double(east, max_double(one->x, x));
        north = min_double(north, min_double(one->y, y));
        south = max_double(south, max_double(one->y, y));
        block->low = min_double(block->low, min_double(one->z, z));
        block->high = max_double(block->high, max_double(one->z, z));
    }
    block->x = (west + east) / 2;
    block->y = (north + south) / 2;
    const double x = east - block->x, y = south - block->y;
    block->radius = __builtin_sqrt(x * x + y * y) + 0x1p-10;
}

/* True if a line is steeper than gentle ones, whose heights are rounded. */
static bool is_steep(const struct path_scale *scale, const struct terrane_path_point *point, int points)
{
    for (int k = 1; k < points; k++) {
        const double rise = (double)(point[k].height - point[k - 1].height);
        const double max = 2 + scale->line_slope * path_length((double)(point[k].x - point[k - 1].x),
                                                               (double)(point[k].y - point[k - 1].y));
        if (rise > max || -rise > max)
            return true;
    }
    return false;
}

void path_surface_make(struct path_surface *surface, const struct path_scale *scale,
                       const struct terrane_path_point *point, int points, void *memory)
{
    surface->segments = points - 1;
    surface->blocks = blocks_of(surface->segments);
    surface->slope = is_steep(scale, point, points) ? scale->steep : scale->slope;
    surface->disc = scale->disc;
    surface->segment = memory;
    surface->block = (void *)(surface->segment + points);
    for (int k = 0; k < surface->segments; k++)
        segment_make(&surface->segment[k], point, point + k, surface->slope);
    for (int b = 0; b < surface->blocks; b++) {
        const int left = surface->segments - b * PATH_BLOCK;
        block_make(&surface->block[b], &surface->segment[b * PATH_BLOCK],
                   left < PATH_BLOCK ? left : PATH_BLOCK);
    }
    for (int e = 0; e < 2; e++) {
        const struct terrane_path_point *end = e ? &point[points - 1] : point;
        surface->end_x[e] = (double)(end->x - point->x);
        surface->end_y[e] = (double)(end->y - point->y);
        surface->end_z[e] = (double)end->height;
    }
}

/* ---- Height -------------------------------------------------------------------------------------------- */

struct envelope {
    double under,
        over; /* the highest surface below the line that rises nowhere by more than the slope, and the lowest above it */
};

static double clamp(double v, double max)
{
    return v < 0 ? 0 : v < max ? v : max;
}

static void segments_at(const struct path_segment *segment, int count, double slope, double x, double y,
                        struct envelope *out)
{
    for (int k = 0; k < count; k++) {
        const struct path_segment *one = &segment[k];
        const double dx = x - one->x, dy = y - one->y;
        const double along = dx * one->ux + dy * one->uy, cross = dx * one->uy - dy * one->ux;
        const double d = cross < 0 ? 0 - cross : cross, lean = d * one->lean;
        const double low = along - lean, high = along + lean;
        const double foot = clamp(low, one->length), top = clamp(high, one->length);
        const double up = foot == low ? d * one->fall + one->rise * along
                                      : one->rise * foot + slope * path_length(along - foot, d);
        const double down = top == high ? one->rise * along - d * one->fall
                                        : one->rise * top - slope * path_length(along - top, d);
        out->under = min_double(out->under, one->z + up);
        out->over = max_double(out->over, one->z + down);
    }
}

static void block_at(const struct path_surface *surface, int b, double x, double y, struct envelope *out)
{
    const int left = surface->segments - b * PATH_BLOCK;
    segments_at(&surface->segment[b * PATH_BLOCK], left < PATH_BLOCK ? left : PATH_BLOCK, surface->slope, x,
                y, out);
}

/* Whether a block may count at a place so far off, given what was found here: 2^-8 units and more are room for rounding. */
static bool block_counts(const struct path_block *block, double slope, double x, double y, double off,
                         const struct envelope *out)
{
    const double low = out->under - block->low, high = block->high - out->over;
    const double room = (low > high ? low : high) + 0x1p-8 + slope * (block->radius + 2 * off);
    const double dx = x - block->x, dy = y - block->y;
    return room > 0 && slope * slope * (dx * dx + dy * dy) < room * room;
}

/* Clamps to the cones around both ends. */
static double held(const struct path_surface *surface, double x, double y, double v)
{
    double low = -0x1p60, high = 0x1p60;
    for (int e = 0; e < 2; e++) {
        const double d = path_length(x - surface->end_x[e], y - surface->end_y[e]) - surface->disc;
        const double reach = d > 0 ? surface->slope * d : 0;
        low = max_double(low, surface->end_z[e] - reach);
        high = min_double(high, surface->end_z[e] + reach);
    }
    return max_double(min_double(v, high), low);
}

static struct envelope envelope_at(const struct path_surface *surface, double x, double y)
{
    struct envelope out = {0x1p60, -0x1p60};
    int nearest = 0;
    double nearest_d2 = 0x1p200;
    for (int b = 0; b < surface->blocks; b++) {
        const double dx = x - surface->block[b].x, dy = y - surface->block[b].y, d2 = dx * dx + dy * dy;
        nearest = d2 < nearest_d2 ? b : nearest;
        nearest_d2 = min_double(d2, nearest_d2);
    }
    block_at(surface, nearest, x, y, &out);
    for (int b = 0; b < surface->blocks; b++)
        if (b != nearest && block_counts(&surface->block[b], surface->slope, x, y, 0, &out))
            block_at(surface, b, x, y, &out);
    return out;
}

double path_surface_at(const struct path_surface *surface, double x, double y)
{
    const struct envelope out = envelope_at(surface, x, y);
    return held(surface, x, y, (out.under + out.over) / 2);
}

int32_t path_surface_lattice(const struct path_surface *surface, double x, double y)
{
    return (int32_t)path_floor(path_surface_at(surface, x, y) * (1 << PATH_LATTICE_LOG2) + 0.5);
}

/* ---- Distance ------------------------------------------------------------------------------------------ */

void path_segment_near(const struct path_segment *segment, double x, double y, double step, int count,
                       double *d2)
{
    const double ux = segment->ux, uy = segment->uy, length = segment->length;
    const double dx = x - segment->x, dy = y - segment->y;
    for (int i = 0; i < count; i++) {
        const double ex = dx + (double)i * step;
        const double along = ex * ux + dy * uy;
        const double low = along < 0 ? 0 : along, t = low < length ? low : length;
        const double gx = ex - t * ux, gy = dy - t * uy;
        const double v = gx * gx + gy * gy;
        d2[i] = v < d2[i] ? v : d2[i];
    }
}

/* ---- Around a place -------------------------------------------------------------------------------------- */

/*
 * Neither a distance nor the envelopes change by more than the way there, of these times the slope. So what is farther than the nearest by two
 * radii is nowhere in the circle the nearest, and a segment counts somewhere as a block would, of one segment, that is as much wider.
 */
enum { HIGH_MAX = 128 /* with more, what counts at the place itself is found faster */ };

size_t path_around_bytes(int points)
{
    return 2 * (size_t)points * sizeof(uint16_t);
}

void path_around_begin(struct path_around *around, int points, void *memory)
{
    *around = (struct path_around){.near_segment = memory, .high_segment = (uint16_t *)memory + points};
}

static void find_near(struct path_around *around, const struct path_surface *surface, double x, double y,
                      double radius, double reach)
{
    double nearest = 0x1p200, d2;
    for (int k = 0; k < surface->segments; k++)
        path_segment_near(&surface->segment[k], x, y, 0, 1, &nearest);
    const double far = min_double(__builtin_sqrt(nearest) + radius, reach) + radius + 1;
    around->near = 0;
    for (int k = 0; k < surface->segments; k++) {
        d2 = 0x1p200;
        path_segment_near(&surface->segment[k], x, y, 0, 1, &d2);
        if (d2 < far * far)
            around->near_segment[around->near++] = (uint16_t)k;
    }
}

void path_around_find(struct path_around *around, const struct path_surface *surface, double x, double y,
                      double radius, double reach)
{
    struct path_block one;
    around->high = 0;
    find_near(around, surface, x, y, radius, reach);
    if (around->near == 0)
        return;
    const struct envelope out = envelope_at(surface, x, y);
    for (int b = 0; b < surface->blocks; b++)
        if (block_counts(&surface->block[b], surface->slope, x, y, radius, &out))
            for (int k = b * PATH_BLOCK; k < (b + 1) * PATH_BLOCK && k < surface->segments; k++) {
                block_make(&one, &surface->segment[k], 1);
                if (block_counts(&one, surface->slope, x, y, radius, &out))
                    around->high_segment[around->high++] = (uint16_t)k;
            }
}

double path_around_at(const struct path_around *around, const struct path_surface *surface, double x,
                      double y)
{
    struct envelope out = {0x1p60, -0x1p60};
    if (around->high > HIGH_MAX)
        return path_surface_at(surface, x, y);
    for (int k = 0; k < around->high; k++)
        segments_at(&surface->segment[around->high_segment[k]], 1, surface->slope, x, y, &out);
    return held(surface, x, y, (out.under + out.over) / 2);
}
