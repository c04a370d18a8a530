/*
 * Paths of a world: a line's heights, and whether they are possible.
 *
 * Its profile is the smoothed ground along it. The line's height is the mean of two that rise by no more than its slope, the
 * highest below the profile and the lowest above it, lifted to water beside it, and fixed at the nodes' heights. Each of
 * these steps keeps the slope. The slope of a gentle line is over the distance of its points, whatever the way between them;
 * a steep one has a slope for each segment, along the line.
 */
#include <string.h>

#include "world_line.h"

#include "../base/min_max.h"

/* ---- Ground -------------------------------------------------------------------------------------------- */

static double ground_at(const struct lines *lines, int64_t x, int64_t y)
{
    return (double)lines->ground[index_of(lines, x, y)] / lines->scale.unit_m;
}

static bool under_water(const struct lines *lines, size_t k)
{
    return lines->depth_m[k] > 0 || path_units(&lines->scale, (double)lines->ground[k]) < lines->scale.sea;
}

/* Bit 0: under water. Bit 1: that, or beside it: half a path and a sample to each side. */
void path_wet_mark(struct lines *lines)
{
    const int width = lines->needs->width, height = lines->needs->height;
    const int around = 1 + (int)(lines->scale.half / (double)(INT64_C(1) << lines->scale.sample_log2) + 1);
    memset(lines->wet, 0, (size_t)width * (size_t)height);
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            if (!under_water(lines, index_of(lines, i, j)))
                continue;
            const int west = i > around ? i - around : 0, east = i + around < width ? i + around : width - 1;
            const int north = j > around ? j - around : 0,
                      south = j + around < height ? j + around : height - 1;
            for (int y = north; y <= south; y++)
                for (int x = west; x <= east; x++)
                    lines->wet[index_of(lines, x, y)] |= 2;
            lines->wet[index_of(lines, i, j)] = 3;
        }
}

/* The ground, bilinear between samples; x, y fine units from the window's north-west. */
static double ground_between(const struct lines *lines, int64_t x, int64_t y)
{
    const int bits = lines->scale.sample_log2;
    const int64_t mask = (INT64_C(1) << bits) - 1, i = x >> bits, j = y >> bits;
    const double u = (double)(x & mask) / (double)(mask + 1), v = (double)(y & mask) / (double)(mask + 1);
    const double a = ground_at(lines, i, j), b = ground_at(lines, i + 1, j);
    const double c = ground_at(lines, i, j + 1), d = ground_at(lines, i + 1, j + 1);
    const double n = a + u * (b - a), s = c + u * (d - c);
    return n + v * (s - n);
}

/* Max water around, plus a margin: no path runs lower beside a lake, whose shore it might open. */
static double water_near(const struct lines *lines, int64_t x, int64_t y)
{
    const int bits = lines->scale.sample_log2;
    const int64_t i = x >> bits, j = y >> bits;
    double max = -0x1p60;
    for (int64_t b = j - lines->shore; b <= j + lines->shore + 1; b++)
        for (int64_t a = i - lines->shore; a <= i + lines->shore + 1; a++) {
            const size_t k = index_of(lines, a, b);
            const double surface =
                ((double)lines->ground[k] + (double)lines->depth_m[k]) / lines->scale.unit_m;
            if (lines->depth_m[k] > 0 && surface > max)
                max = surface;
        }
    return max + 8;
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

/* The mean of the ground on a square around a node's disc. */
void path_node_height(const struct lines *lines, struct terrane_path_node *node)
{
    const int r = (int)(lines->scale.disc * 0.75 / (double)(INT64_C(1) << lines->scale.sample_log2));
    const int64_t x = node->gi - lines->needs->gi, y = node->gj - lines->needs->gj;
    int64_t sum = 0;
    for (int64_t j = y - r; j <= y + r; j++)
        for (int64_t i = x - r; i <= x + r; i++)
            sum += path_units(&lines->scale, (double)lines->ground[index_of(lines, i, j)]);
    node->height = (int32_t)(sum / ((2 * r + 1) * (2 * r + 1)));
    node->open = 0;
}

/* ---- Heights ------------------------------------------------------------------------------------------- */

/* Computes the ground under the points, smoothed along the line, and their min height beside water. */
void path_profile_ground(struct lines *lines, const struct terrane_path_node *p, const struct place *place,
                         int n)
{
    const struct place origin = place_of(lines, p);
    double *g = lines->height, *water = lines->height + 2 * POINTS_MAX;
    for (int k = 0; k < n; k++) {
        g[k] = path_goes_down(lines, k) ? lines->deck[k]
                                        : ground_between(lines, origin.x + place[k].x, origin.y + place[k].y);
        water[k] = lines->shore > 0 ? water_near(lines, origin.x + place[k].x, origin.y + place[k].y)
                                    : PATH_NO_WATER;
        if (lines->drained)
            water[k] = max_double(water[k], lines->deck[k]);
    }
    for (int turn = 0; turn < 2; turn++) {
        double before = g[0];
        for (int k = 1; k + 1 < n; k++) {
            const double own = g[k];
            if (!path_goes_down(lines, k))
                g[k] = (before + 2 * own + g[k + 1]) * 0.25;
            before = own;
        }
    }
}

/* Discs around nodes are level. */
static void heights_hold(struct lines *lines, const struct place *place, int n, int32_t first, int32_t last,
                         const double *climb)
{
    const double s = lines->scale.line_slope, disc = lines->scale.disc;
    const double *g = lines->height, *water = lines->height + 2 * POINTS_MAX;
    double *z = lines->height + POINTS_MAX;
    for (int k = 0; k < n; k++) {
        double under = g[k], over = g[k], wet = water[k], ford = PATH_NO_FORD;
        for (int i = 0; i < n; i++) {
            const double rise = climb ? (i < k ? climb[k] - climb[i] : climb[i] - climb[k])
                                      : s * __builtin_sqrt(length2(place[k], place[i]));
            under = min_double(under, g[i] + rise);
            over = max_double(over, g[i] - rise);
            wet = max_double(wet, water[i] - rise);
            ford = lines->low ? min_double(ford, lines->ford[i] + rise) : ford;
        }
        const double p = climb ? climb[k] : s * beyond(place[0], place[k], disc);
        const double q = climb ? climb[n - 1] - climb[k] : s * beyond(place[n - 1], place[k], disc);
        const double wanted = max_double(min_double((under + over) / 2, ford), wet);
        z[k] =
            max_double(min_double(wanted, min_double(first + p, last + q)), max_double(first - p, last - q));
    }
}

void path_profile(struct lines *lines, const struct terrane_path_node *p, const struct terrane_path_node *q,
                  const struct place *place, int n, const double *climb)
{
    const int64_t sample = INT64_C(1) << lines->scale.sample_log2;
    heights_hold(lines, place, n, p->height, q->height, climb);
    for (int k = 0; k < n; k++)
        lines->point[k] = (struct terrane_path_point){
            .x = (int64_t)((uint64_t)p->gi * (uint64_t)sample +
                           (uint64_t)place[k].x), /* modulo 2^64 far out */
            .y = (int64_t)((uint64_t)p->gj * (uint64_t)sample + (uint64_t)place[k].y),
            .height = (int32_t)path_floor(lines->height[POINTS_MAX + k] + 0.5),
        };
}

/* ---- Whether it can be --------------------------------------------------------------------------------- */

bool path_line_is_dry(const struct lines *lines, struct place origin, const struct place *place, int n)
{
    const int bits = lines->scale.sample_log2;
    for (int k = 0; k < n; k++) {
        const int64_t x = (origin.x + place[k].x) >> bits, y = (origin.y + place[k].y) >> bits;
        if (lines->point[k].height < lines->height[2 * POINTS_MAX + k] - 1)
            return false;
        for (int c = 0; c < 4; c++)
            if (lines->wet[index_of(lines, x + (c & 1), y + (c >> 1))] & 1)
                return false;
    }
    return true;
}

/* True if the surface and the ground are within depth_m at the samples around one segment. */
static bool segment_fits(const struct lines *lines, const struct path_surface *surface,
                         const struct path_segment *segment, struct place origin)
{
    const double sample = (double)(INT64_C(1) << lines->scale.sample_log2), wide = lines->scale.half + sample;
    const double ex = segment->x + segment->ux * segment->length,
                 ey = segment->y + segment->uy * segment->length;
    const double west = segment->x < ex ? segment->x : ex, east = segment->x < ex ? ex : segment->x;
    const double north = segment->y < ey ? segment->y : ey, south = segment->y < ey ? ey : segment->y;
    const double ox = (double)origin.x, oy = (double)origin.y;
    const int64_t i0 = path_floor((ox + west - wide) / sample), i1 = path_floor((ox + east + wide) / sample);
    const int64_t j0 = path_floor((oy + north - wide) / sample),
                  j1 = path_floor((oy + south + wide) / sample);
    for (int64_t j = j0; j <= j1; j++)
        for (int64_t i = i0; i <= i1; i++) {
            const double x = (double)i * sample - ox, y = (double)j * sample - oy;
            double d2 = 0x1p200;
            path_segment_near(segment, x, y, 0, 1, &d2);
            if (d2 > wide * wide || !inside(lines, i, j))
                continue;
            const double off = path_surface_at(surface, x, y) - ground_at(lines, i, j);
            if (!(off <= lines->scale.depth && -off <= lines->scale.depth))
                return false;
        }
    return true;
}

bool path_line_fits(const struct lines *lines, struct place origin, int n)
{
    struct path_surface surface;
    path_surface_make(&surface, &lines->scale, lines->point, n, lines->surface);
    for (int k = 0; k < surface.segments; k++)
        if (!segment_fits(lines, &surface, &surface.segment[k], origin))
            return false;
    return true;
}

/* A node's disc, too. */
bool path_node_fits(const struct lines *lines, const struct terrane_path_node *node)
{
    const double sample = (double)(INT64_C(1) << lines->scale.sample_log2);
    const double wide = (2 * lines->scale.half + sample) / sample;
    const int64_t r = (int64_t)wide, x = node->gi - lines->needs->gi, y = node->gj - lines->needs->gj;
    for (int64_t j = -r; j <= r; j++)
        for (int64_t i = -r; i <= r; i++) {
            if ((double)(i * i + j * j) > wide * wide || !inside(lines, x + i, y + j))
                continue;
            const double off = node->height - ground_at(lines, x + i, y + j);
            if (!(off <= lines->scale.depth && -off <= lines->scale.depth))
                return false;
        }
    return true;
}
