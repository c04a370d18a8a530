/*
 * Paths of a world: applies them to the samples of a window.
 *
 * Every sample belongs to the edge or node with max weight there: 1 on the path and on a node's disc, from there down to 0
 * at the end of the border. Two edges meet only in the level disc of their node, where all have the same height, so the
 * owner does not matter; elsewhere no sample is in reach of two.
 *
 * A surface is computed on its own lattice, of level-0 samples 2^lattice_log2 apart, in sixteenths of units; between them
 * it is bilinear, in integers, which keeps its slope along both axes. The lattice is fixed in the world, so all levels and
 * windows see one surface.
 */
#include <string.h>

#include "../base/fade.h"
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "network.h"
#include "world.h"

struct apply {
    struct path_scale scale;
    const struct terrane_path_network *network;
    int width, height;
    int64_t x0, y0;                  /* of the first sample: fine units from the region's north-west */
    int64_t step;                    /* fine units */
    double half[TERRANE_PATH_ROADS]; /* of each road's width: fine units */
    float unit_m, bound_m;
    /* outputs */
    float *heights, *distance_m;
    uint8_t *kind;
    float fine_m;
    /* memory: of each sample; of each row; of each place of the lattice that the window has */
    double *d2;
    float *weight;
    int32_t *owner; /* an edge, or -1 - node; where weight > 0 */
    int *west, *east;
    int32_t *lattice;
    void *surface;
};

/* ---- Memory -------------------------------------------------------------------------------------------- */

static void block_deal(struct apply *apply, const struct terrane_recipe *recipe,
                       const struct terrane_window *window, struct room *room)
{
    const size_t samples = samples_of(window);
    const size_t rows = (size_t)window->height;
    apply->d2 = room_take(room, samples * sizeof *apply->d2);
    apply->weight = room_take(room, samples * sizeof *apply->weight);
    apply->owner = room_take(room, samples * sizeof *apply->owner);
    apply->west = room_take(room, rows * sizeof *apply->west);
    apply->east = room_take(room, rows * sizeof *apply->east);
    apply->lattice =
        room_take(room, (size_t)(window->width + 3) * (size_t)(window->height + 3) * sizeof *apply->lattice);
    apply->surface = room_take(room, path_surface_bytes(path_points_max(recipe->paths.cell_log2)));
}

/* ---- Claims -------------------------------------------------------------------------------------------- */

/* First and last sample of an axis within fine units low .. high of the region; empty: first > last. */
static void range_of(int64_t origin, int64_t step, int count, double low, double high, int *first, int *last)
{
    const double from = (low - (double)origin) / (double)step, to = (high - (double)origin) / (double)step;
    const double end = (double)(count - 1);
    *first = from <= 0 ? 0 : from > end ? count : (int)from;
    *last = to < 0 ? -1 : to >= end ? count - 1 : (int)to;
}

static void rows_clear(struct apply *apply, int first, int last)
{
    for (int j = first; j <= last; j++) {
        apply->west[j] = apply->width;
        apply->east[j] = -1;
    }
}

/* Extends a row to columns first .. last: new ones are far. */
static void row_open(struct apply *apply, int j, int first, int last)
{
    double *row = apply->d2 + (size_t)j * (size_t)apply->width;
    if (apply->east[j] < 0) {
        apply->west[j] = first;
        apply->east[j] = first - 1;
    }
    for (int i = first; i < apply->west[j]; i++)
        row[i] = 0x1p200;
    for (int i = apply->east[j] + 1; i <= last; i++)
        row[i] = 0x1p200;
    apply->west[j] = first < apply->west[j] ? first : apply->west[j];
    apply->east[j] = last > apply->east[j] ? last : apply->east[j];
}

/* Updates distances to a segment, for all samples in reach. (x, y): fine units from the region to the edge's first point. */
static void segment_claim(struct apply *apply, const struct path_segment *segment, double x, double y)
{
    const double ex = segment->x + segment->ux * segment->length,
                 ey = segment->y + segment->uy * segment->length;
    const double reach = apply->scale.reach + 1;
    int west, east, north, south;
    range_of(apply->x0, apply->step, apply->width, x + min_double(segment->x, ex) - reach,
             x + max_double(segment->x, ex) + reach, &west, &east);
    range_of(apply->y0, apply->step, apply->height, y + min_double(segment->y, ey) - reach,
             y + max_double(segment->y, ey) + reach, &north, &south);
    if (west > east)
        return;
    const double step = (double)apply->step;
    for (int j = north; j <= south; j++) {
        row_open(apply, j, west, east);
        path_segment_near(segment, (double)(apply->x0 + west * apply->step) - x,
                          (double)(apply->y0 + j * apply->step) - y, step, east - west + 1,
                          apply->d2 + (size_t)j * (size_t)apply->width + west);
    }
}

/* 1 at distance 0 .. core, 0 from core + fall on. */
static float weight_at(double distance, double core, double fall)
{
    if (distance <= core)
        return 1;
    const double u = fall > 0 ? (core + fall - distance) / fall : 0;
    const float t = u > 0 ? (float)u : 0, weight = FADE5(t);
    return weight < 1 ? weight : 1;
}

/*
 * Claims one sample at a distance, for an element with a core and a fall. The first one keeps it if weights are equal:
 * then both are 1 and their heights the same.
 */
static void sample_claim(struct apply *apply, size_t k, double distance, double core, double fall,
                         enum terrane_path_class class, int32_t owner)
{
    const float weight = weight_at(distance, core, fall);
    if (weight > apply->weight[k]) {
        apply->weight[k] = weight;
        apply->owner[k] = owner;
    }
    if (apply->kind) {
        const uint8_t kind = (uint8_t)(distance <= core ? class : TERRANE_PATH_BORDER);
        apply->kind[k] = kind > apply->kind[k] ? kind : apply->kind[k];
    }
    if (apply->distance_m) {
        const float d = (float)distance * apply->fine_m;
        apply->distance_m[k] = d < apply->distance_m[k] ? d : apply->distance_m[k];
    }
}

static void rows_claim(struct apply *apply, int first, int last, double core, double reach,
                       enum terrane_path_class class, int32_t owner)
{
    const double max = reach * reach;
    for (int j = first; j <= last; j++) {
        const size_t row = (size_t)j * (size_t)apply->width;
        for (int i = apply->west[j]; i <= apply->east[j]; i++)
            if (apply->d2[row + (size_t)i] <= max)
                sample_claim(apply, row + (size_t)i, __builtin_sqrt(apply->d2[row + (size_t)i]), core,
                             reach - core, class, owner);
    }
}

/* ---- Edges --------------------------------------------------------------------------------------------- */

/* Fine units from the region to a point. */
static int64_t from_region(const struct apply *apply, int64_t v, int64_t region)
{
    return (int64_t)((uint64_t)v - ((uint64_t)region << (TERRANE_PATHS_LOG2 + apply->scale.sample_log2)));
}

/* Rows of the window in reach of a line; false: none of it is. */
static bool edge_rows(const struct apply *apply, const struct terrane_path_edge *edge, int *north, int *south)
{
    const struct terrane_path_point *point = apply->network->point + edge->first;
    int64_t low_x = point->x, high_x = low_x, low_y = point->y, high_y = low_y;
    for (int k = 1; k < edge->points; k++) {
        low_x = point[k].x < low_x ? point[k].x : low_x;
        high_x = point[k].x > high_x ? point[k].x : high_x;
        low_y = point[k].y < low_y ? point[k].y : low_y;
        high_y = point[k].y > high_y ? point[k].y : high_y;
    }
    const double reach = apply->scale.reach + 2;
    const int64_t rx = apply->network->x, ry = apply->network->y;
    int west, east;
    range_of(apply->x0, apply->step, apply->width, (double)from_region(apply, low_x, rx) - reach,
             (double)from_region(apply, high_x, rx) + reach, &west, &east);
    range_of(apply->y0, apply->step, apply->height, (double)from_region(apply, low_y, ry) - reach,
             (double)from_region(apply, high_y, ry) + reach, north, south);
    return west <= east && *north <= *south;
}

static void edge_claim(struct apply *apply, int e)
{
    const struct terrane_path_edge *edge = &apply->network->edge[e];
    const struct terrane_path_point *point = apply->network->point + edge->first;
    struct path_surface surface;
    int north, south;
    if (edge->state != TERRANE_PATH_OPEN || edge->points < 2 || !edge_rows(apply, edge, &north, &south))
        return;
    path_surface_make(&surface, &apply->scale, point, edge->points, apply->surface);
    const double x = (double)from_region(apply, point->x, apply->network->x);
    const double y = (double)from_region(apply, point->y, apply->network->y);
    rows_clear(apply, north, south);
    for (int k = 0; k < surface.segments; k++)
        segment_claim(apply, &surface.segment[k], x, y);
    const double half = apply->half[edge->road], narrower = apply->scale.half - half;
    rows_claim(apply, north, south, half, apply->scale.reach - narrower, TERRANE_PATH_WAY, e);
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

static void node_claim(struct apply *apply, int n)
{
    const struct terrane_path_node *node = &apply->network->node[n];
    const double core = 2 * apply->scale.half, pad = apply->scale.pad;
    if (node->open == 0)
        return;
    const int bits = apply->scale.sample_log2;
    const double x = (double)from_region(apply, (int64_t)((uint64_t)node->gi << bits), apply->network->x);
    const double y = (double)from_region(apply, (int64_t)((uint64_t)node->gj << bits), apply->network->y);
    int west, east, north, south;
    range_of(apply->x0, apply->step, apply->width, x - pad - 1, x + pad + 1, &west, &east);
    range_of(apply->y0, apply->step, apply->height, y - pad - 1, y + pad + 1, &north, &south);
    for (int j = north; j <= south; j++)
        for (int i = west; i <= east; i++) {
            const double dx = (double)(apply->x0 + i * apply->step) - x;
            const double dy = (double)(apply->y0 + j * apply->step) - y;
            const double d2 = dx * dx + dy * dy;
            if (d2 <= pad * pad)
                sample_claim(apply, (size_t)j * (size_t)apply->width + (size_t)i, __builtin_sqrt(d2), core,
                             pad - core, TERRANE_PATH_NODE, -1 - n);
        }
}

/* ---- Heights ------------------------------------------------------------------------------------------- */

/* The carved height: the path's where its weight is 1; else no further from the ground than the bound. */
static float carved(const struct apply *apply, float ground, float weight, int32_t height)
{
    const float path = (float)height * apply->unit_m;
    if (weight >= 1)
        return path;
    const float move = weight * (path - ground);
    return ground + (move < -apply->bound_m  ? -apply->bound_m
                     : move < apply->bound_m ? move
                                             : apply->bound_m);
}

/* The place of a window on a surface's lattice. */
struct lattice {
    const struct path_surface *surface;
    int64_t x, y;       /* of its first place, in places from the region's north-west */
    double left, above; /* fine units from the region to the edge's first point */
    int width;          /* of kept heights; 0: none, since samples are at least as far apart as places */
};

enum { UNKNOWN = INT32_MIN };

static int32_t lattice_make(const struct apply *apply, const struct lattice *lattice, int64_t x, int64_t y)
{
    const double place = (double)(INT64_C(1) << (apply->scale.lattice_log2 + PATH_FINE_LOG2));
    return path_surface_lattice(lattice->surface, (double)x * place - lattice->left,
                                (double)y * place - lattice->above);
}

static int64_t lattice_at(const struct apply *apply, const struct lattice *lattice, int64_t x, int64_t y)
{
    if (lattice->width == 0)
        return lattice_make(apply, lattice, x, y);
    int32_t *kept = &apply->lattice[(y - lattice->y) * lattice->width + (x - lattice->x)];
    if (*kept == UNKNOWN)
        *kept = lattice_make(apply, lattice, x, y);
    return *kept;
}

/* x, y: of the sample, fine units from the region. */
static int32_t height_at(const struct apply *apply, const struct lattice *lattice, int64_t x, int64_t y)
{
    const int bits = apply->scale.lattice_log2;
    const int64_t i = x >> PATH_FINE_LOG2, j = y >> PATH_FINE_LOG2, n = INT64_C(1) << bits;
    const int64_t u = i & (n - 1), v = j & (n - 1), cx = i >> bits, cy = j >> bits;
    int64_t sum = lattice_at(apply, lattice, cx, cy) * (n - u) * (n - v);
    if (u > 0)
        sum += lattice_at(apply, lattice, cx + 1, cy) * u * (n - v);
    if (v > 0)
        sum += lattice_at(apply, lattice, cx, cy + 1) * (n - u) * v;
    if (u > 0 && v > 0)
        sum += lattice_at(apply, lattice, cx + 1, cy + 1) * u * v;
    const int shift = 2 * bits + PATH_LATTICE_LOG2;
    return (int32_t)((sum + (INT64_C(1) << (shift - 1))) >> shift);
}

/* The part of the lattice that the window's samples stand on. */
static void lattice_start(const struct apply *apply, struct lattice *lattice)
{
    const int bits = apply->scale.lattice_log2 + PATH_FINE_LOG2;
    lattice->x = apply->x0 >> bits;
    lattice->y = apply->y0 >> bits;
    lattice->width = 0;
    if (apply->step >> bits)
        return;
    lattice->width = (int)(((apply->x0 + (apply->width - 1) * apply->step) >> bits) - lattice->x) + 2;
    const int height = (int)(((apply->y0 + (apply->height - 1) * apply->step) >> bits) - lattice->y) + 2;
    for (int k = 0; k < lattice->width * height; k++)
        apply->lattice[k] = UNKNOWN;
}

static void edge_carve(struct apply *apply, int e)
{
    const struct terrane_path_edge *edge = &apply->network->edge[e];
    const struct terrane_path_point *point = apply->network->point + edge->first;
    struct path_surface surface;
    struct lattice lattice = {.surface = &surface};
    int north, south;
    if (edge->state != TERRANE_PATH_OPEN || edge->points < 2 || !edge_rows(apply, edge, &north, &south))
        return;
    path_surface_make(&surface, &apply->scale, point, edge->points, apply->surface);
    lattice.left = (double)from_region(apply, point->x, apply->network->x);
    lattice.above = (double)from_region(apply, point->y, apply->network->y);
    lattice_start(apply, &lattice);
    for (int j = north; j <= south; j++) {
        const size_t row = (size_t)j * (size_t)apply->width;
        for (int i = 0; i < apply->width; i++) {
            const size_t k = row + (size_t)i;
            if (!(apply->weight[k] > 0) || apply->owner[k] != e)
                continue;
            const int32_t height =
                height_at(apply, &lattice, apply->x0 + i * apply->step, apply->y0 + j * apply->step);
            apply->heights[k] = carved(apply, apply->heights[k], apply->weight[k], height);
        }
    }
}

static void nodes_carve(struct apply *apply)
{
    const size_t samples = (size_t)apply->width * (size_t)apply->height;
    for (size_t k = 0; k < samples; k++)
        if (apply->weight[k] > 0 && apply->owner[k] < 0)
            apply->heights[k] = carved(apply, apply->heights[k], apply->weight[k],
                                       apply->network->node[-1 - apply->owner[k]].height);
}

/* ---- The call ------------------------------------------------------------------------------------------ */

/* True if an axis of a window is in the region, or 2 samples beyond; *origin: fine units from the region. */
static bool axis_fits(const struct path_scale *scale, const struct terrane_window *window, int64_t first,
                      int count, int64_t region, int64_t *origin)
{
    const int finer = scale->level - window->level;
    const int64_t last = first + (int64_t)(count - 1) * window->step;
    const int64_t low = (region * (1 << TERRANE_PATHS_LOG2)), high = low + (1 << TERRANE_PATHS_LOG2);
    if ((first + 2) >> finer < low || (last - 2) >> finer > high ||
        ((last - 2) >> finer == high && ((last - 2) & ((INT64_C(1) << finer) - 1)) != 0))
        return false;
    *origin = (int64_t)(((uint64_t)first << (window->level + PATH_FINE_LOG2)) -
                        ((uint64_t)low << scale->sample_log2));
    return true;
}

int terrane_paths_apply(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        const struct terrane_path_network *network, const struct terrane_memory *memory,
                        float *heights, uint8_t *kind, float *distance_m)
{
    if (!terrane_paths_shown(recipe, window->level))
        return TERRANE_ELEVEL;
    struct apply apply = {.scale = path_scale_of(recipe), .network = network};
    if (!network_exists(network) || !window_valid(window) ||
        !axis_fits(&apply.scale, window, window->gi, window->width, network->x, &apply.x0) ||
        !axis_fits(&apply.scale, window, window->gj, window->height, network->y, &apply.y0))
        return TERRANE_EWINDOW;
    struct room room = {NULL, 0};
    block_deal(&apply, recipe, window, &room);
    void *block = memory_take(memory, room.taken);
    if (!block)
        return TERRANE_EMEMORY;
    block_deal(&apply, recipe, window, &(struct room){block, 0});
    apply.width = window->width;
    apply.height = window->height;
    apply.step = (int64_t)window->step << (window->level + PATH_FINE_LOG2);
    apply.heights = terrane_paths_carved(recipe, window->level) ? heights : NULL;
    apply.kind = kind;
    apply.distance_m = distance_m;
    apply.unit_m = (float)apply.scale.unit_m;
    const double fine_m = recipe->spacing_m * (1.0 / (1 << PATH_FINE_LOG2));
    apply.fine_m = (float)fine_m;
    for (int road = 0; road < TERRANE_PATH_ROADS; road++)
        apply.half[road] = (double)terrane_paths_width_m(recipe, (enum terrane_path_road)road) / 2 / fine_m;
    apply.bound_m = (float)terrane_paths_bound_m(recipe) * 0.999999f;

    const size_t samples = samples_of(window);
    memset(apply.weight, 0, samples * sizeof *apply.weight);
    if (kind)
        memset(kind, TERRANE_PATH_NONE, samples);
    for (size_t k = 0; distance_m && k < samples; k++)
        distance_m[k] = TERRANE_PATHS_FAR;
    for (int n = 0; n < network->nodes; n++)
        node_claim(&apply, n);
    for (int e = 0; e < network->edges; e++)
        edge_claim(&apply, e);
    if (apply.heights) {
        nodes_carve(&apply);
        for (int e = 0; e < network->edges; e++)
            edge_carve(&apply, e);
    }
    memory_give(memory, block);
    return 0;
}
