/*
 * What paths make of one sample, from lib/README.md as it stands there: all segments, no blocks, no lattice that is kept.
 * Include paths_kit.h before it.
 */
#ifndef TERRANE_TESTS_SLOW_PATHS_H
#define TERRANE_TESTS_SLOW_PATHS_H

struct slow_segment {
    double x, y, ux, uy, length, z, rise;
};

static inline double slow_clamp(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* Of an edge's surface. */
static inline double slow_slope(const struct path_scale *scale, const struct terrane_path_point *point,
                                int points)
{
    for (int k = 1; k < points; k++) {
        const double x = (double)(point[k].x - point[k - 1].x), y = (double)(point[k].y - point[k - 1].y);
        if (abs(point[k].height - point[k - 1].height) > 2 + scale->line_slope * sqrt(x * x + y * y))
            return scale->steep;
    }
    return scale->slope;
}

static inline struct slow_segment slow_segment_of(double s, const struct terrane_path_point *first,
                                                  const struct terrane_path_point *a)
{
    const double x = (double)(a[1].x - a->x), y = (double)(a[1].y - a->y), length = sqrt(x * x + y * y);
    return (struct slow_segment){
        (double)(a->x - first->x),
        (double)(a->y - first->y),
        x / length,
        y / length,
        length,
        (double)a->height,
        slow_clamp((double)(a[1].height - a->height) / length, -0.999 * s, 0.999 * s)};
}

/* Height of an edge's surface, (x, y) from its first point. */
static inline double slow_surface(const struct path_scale *scale, const struct terrane_path_point *point,
                                  int points, double x, double y)
{
    const double s = slow_slope(scale, point, points);
    double least = INFINITY, greatest = -INFINITY;
    for (int k = 0; k + 1 < points; k++) {
        const struct slow_segment one = slow_segment_of(s, point, point + k);
        const double r = one.rise, fall = sqrt(s * s - r * r), dx = x - one.x, dy = y - one.y;
        const double a = dx * one.ux + dy * one.uy, d = fabs(dx * one.uy - dy * one.ux), q = d * (r / fall);
        const double f = slow_clamp(a - q, 0, one.length), t = slow_clamp(a + q, 0, one.length);
        const double low = f == a - q ? d * fall + r * a : r * f + s * sqrt((a - f) * (a - f) + d * d);
        const double high = t == a + q ? r * a - d * fall : r * t - s * sqrt((a - t) * (a - t) + d * d);
        least = fmin(least, one.z + low);
        greatest = fmax(greatest, one.z + high);
    }
    double low = -INFINITY, high = INFINITY;
    for (int e = 0; e < 2; e++) {
        const struct terrane_path_point *end = e ? point + points - 1 : point;
        const double dx = x - (double)(end->x - point->x), dy = y - (double)(end->y - point->y);
        const double reach = fmax(sqrt(dx * dx + dy * dy) - scale->disc, 0) * s;
        low = fmax(low, (double)end->height - reach);
        high = fmin(high, (double)end->height + reach);
    }
    return fmax(fmin((least + greatest) / 2, high), low);
}

/* In units, at a sample of level 0. */
static inline int32_t slow_height(const struct path_scale *scale, const struct terrane_path_point *point,
                                  int points, int64_t i, int64_t j)
{
    const int bits = scale->lattice_log2;
    const int64_t n = INT64_C(1) << bits, u = i & (n - 1), v = j & (n - 1);
    int64_t sum = 0;
    for (int c = 0; c < 4; c++) {
        const int64_t weight = ((c & 1) ? u : n - u) * ((c >> 1) ? v : n - v);
        if (weight == 0)
            continue;
        const double x = (double)(((i >> bits) + (c & 1)) * n * 16 - point->x);
        const double y = (double)(((j >> bits) + (c >> 1)) * n * 16 - point->y);
        sum += weight * (int64_t)floor(slow_surface(scale, point, points, x, y) * 16 + 0.5);
    }
    return (int32_t)((sum + (INT64_C(1) << (2 * bits + 3))) >> (2 * bits + 4));
}

/* Squared distance to a line. */
static inline double slow_distance2(const struct terrane_path_point *point, int points, double x, double y)
{
    double d2 = INFINITY;
    for (int k = 0; k + 1 < points; k++) {
        const struct slow_segment one = slow_segment_of(1, point, point + k);
        const double dx = x - one.x, dy = y - one.y;
        const double t = slow_clamp(dx * one.ux + dy * one.uy, 0, one.length);
        const double gx = dx - t * one.ux, gy = dy - t * one.uy;
        d2 = fmin(d2, gx * gx + gy * gy);
    }
    return d2;
}

struct slow_sample {
    float height, distance_m;
    uint8_t kind;
    float weight;
};

static inline float slow_weight(double d, double core, double reach)
{
    const float t = (float)((core + (reach - core) - d) / (reach - core));
    const float w = ((t * t) * t) * (t * (t * 6.0f - 15.0f) + 10.0f);
    return d <= core ? 1 : reach > core && t > 0 ? (w < 1 ? w : 1) : 0;
}

static inline void slow_claim(const struct paths *paths, const struct path_scale *scale,
                              struct slow_sample *out, double d2, double core, double reach, int class,
                              int32_t height, float ground)
{
    if (!(d2 <= reach * reach))
        return;
    const double d = sqrt(d2);
    const float weight = slow_weight(d, core, reach), path = (float)height * (float)scale->unit_m;
    const float bound = (float)terrane_paths_bound_m(&paths->recipe) * 0.999999f;
    const uint8_t kind = (uint8_t)(d <= core ? class : TERRANE_PATH_BORDER);
    const float metres = (float)d * (float)(paths->recipe.spacing_m * (1.0 / 16));
    out->kind = kind > out->kind ? kind : out->kind;
    out->distance_m = metres < out->distance_m ? metres : out->distance_m;
    if (!(weight > out->weight))
        return;
    const float move = weight * (path - ground);
    out->weight = weight;
    out->height = weight >= 1 ? path : ground + (move < -bound ? -bound : move < bound ? move : bound);
}

/* A sample of level L, whose ground is given. */
static inline struct slow_sample slow_sample_at(const struct paths *paths, int level, int64_t gi, int64_t gj,
                                                float ground)
{
    const struct path_scale scale = path_scale_of(&paths->recipe);
    const struct terrane_path_network *network = &paths->network;
    struct slow_sample out = {ground, TERRANE_PATHS_FAR, TERRANE_PATH_NONE, 0};
    const int64_t i = gi * (1 << level), j = gj * (1 << level), sample = INT64_C(1) << scale.level;
    for (int n = 0; n < network->nodes; n++) {
        const struct terrane_path_node *node = &network->node[n];
        const double x = (double)((i - node->gi * sample) * 16);
        const double y = (double)((j - node->gj * sample) * 16);
        if (node->open)
            slow_claim(paths, &scale, &out, x * x + y * y, 2 * scale.half, scale.pad, TERRANE_PATH_NODE,
                       node->height, ground);
    }
    for (int e = 0; e < network->edges; e++) {
        const struct terrane_path_edge *edge = &network->edge[e];
        const struct terrane_path_point *point = network->point + edge->first;
        if (edge->state != TERRANE_PATH_OPEN)
            continue;
        const double x = (double)(i * 16 - point->x), y = (double)(j * 16 - point->y);
        const double d2 = slow_distance2(point, edge->points, x, y);
        const double half = (double)terrane_paths_width_m(&paths->recipe, edge->road) / 2 /
                            (paths->recipe.spacing_m * (1.0 / 16)),
                     reach = scale.reach - (scale.half - half);
        if (d2 <= reach * reach)
            slow_claim(paths, &scale, &out, d2, half, reach, TERRANE_PATH_WAY,
                       slow_height(&scale, point, edge->points, i, j), ground);
    }
    return out;
}

#endif
