/*
 * The Voronoi partition's weights: scattered blending, an idea of KdotJPG's.
 *
 * The zone of the nearest site is a step function. Instead of evaluating it at the sample, points are
 * scattered, one in each square scatter cell, each with the zone at its own place. A sample's weights are
 * those of the points in its reach, (r^2 - d^2)^2 at the distance d, summed by zone and divided by their sum.
 * Points are functions of the world's coordinates, and so are weights: C1, without seams, the same in all
 * blocks and at all levels that still see the points.
 *
 * Lengths are scatter cells here. One is 2^-n site cells wide, n the smallest for which it is narrower than blend;
 * the radius is 9/8 of blend, and so more than 9/8 and at most 9/4.
 *
 *  1. Points keep to the middle half of their cells, so the one of a sample's own cell is within 3/4 sqrt(2),
 *     1.0607: in reach. Sums are at least (81/64 - 9/8)^2 = 0.0197; nothing is divided by 0.
 *  2. Points three cells away are 2 + 1/4 away or more: the 5 x 5 cells around hold all points in reach.
 *  3. Across a straight edge a weight goes from 1/10 to 9/10 within 0.73 to 1.02 of blend (measured); 1.0 if
 *     blend is a power of two, since many points then share the work and their scatter shows least.
 *
 * A zone sums its points by rows, then columns, and the total sums zones in their order. Points and zones out
 * of reach add +0, which changes no bit, so blocks may skip them.
 */
#include "voronoi.h"

#include <string.h>

#define LANES 4 /* available on every instruction set with vectors */
#include "../base/hash.h"
#include "../base/lane.h"

enum {
    BLEND = 2,    /* vectors of samples blended together */
    NEAR = 5 * 5, /* points that may reach a sample */
};

/* ---- The plan ------------------------------------------------------------------------------------------ */

static void one_zone(struct voronoi *voronoi, int zone)
{
    voronoi->way = VORONOI_ONE;
    memset(voronoi->mean, 0, sizeof voronoi->mean);
    voronoi->mean[zone] = 1;
}

static void mean_of_zones(struct voronoi *voronoi, const struct terrane_partition *partition)
{
    double sum = 0;
    for (int z = 0; z < partition->zones; z++)
        sum += (double)partition->zone[z].share;
    voronoi->way = VORONOI_MEAN;
    memset(voronoi->mean, 0, sizeof voronoi->mean);
    for (int z = 0; z < partition->zones; z++)
        voronoi->mean[z] =
            (float)(sum > 0 ? (double)partition->zone[z].share / sum : 1.0 / (double)partition->zones);
}

/* A place `part` 2^-16ths into scatter cell (column, row), rounded down to units. */
static struct voronoi_place point_place(const struct voronoi *voronoi, int64_t column, int64_t row,
                                        int32_t part_x, int32_t part_y)
{
    const int n = voronoi->point_log2;
    const int64_t mask = (1 << n) - 1;
    return (struct voronoi_place){
        .cell_x = (int)((column >> n) - voronoi->sites.column),
        .cell_y = (int)((row >> n) - voronoi->sites.row),
        .x = ((int32_t)(column & mask) * 65536 + part_x) >> n,
        .y = ((int32_t)(row & mask) * 65536 + part_y) >> n,
    };
}

/* The place of a sample if weights are hard: then cells have fewer than 2^8 samples, and it is exact. */
static struct voronoi_place sample_place(const struct voronoi *voronoi, int64_t gi, int64_t gj)
{
    const int k = voronoi->cell_k;
    const int64_t mask = (1 << k) - 1;
    return (struct voronoi_place){
        .cell_x = (int)((gi >> k) - voronoi->sites.column),
        .cell_y = (int)((gj >> k) - voronoi->sites.row),
        .x = (int32_t)(gi & mask) << (16 - k),
        .y = (int32_t)(gj & mask) << (16 - k),
    };
}

static int zone_of(const struct voronoi_sites *sites, int cell)
{
    return sites->zone[cell / VORONOI_SIDE][cell % VORONOI_SIDE];
}

/* Voronoi cells are convex: if one zone has all corners of a rectangle, it has the rectangle. */
static void look_for_one(struct voronoi *voronoi, struct voronoi_place low, struct voronoi_place high)
{
    const struct voronoi_place corner[4] = {
        low,
        {high.cell_x, low.cell_y, high.x, low.y},
        {low.cell_x, high.cell_y, low.x, high.y},
        high,
    };
    const int cell = voronoi_nearest(&voronoi->sites, corner[0]);
    for (int c = 1; c < 4; c++)
        if (voronoi_nearest(&voronoi->sites, corner[c]) != cell)
            return;
    one_zone(voronoi, zone_of(&voronoi->sites, cell));
}

static void plan_hard(struct voronoi *voronoi, const struct terrane_partition *partition, uint64_t key,
                      int64_t gj, int height)
{
    const int k = voronoi->cell_k;
    const int64_t gi = voronoi->gi, last_i = gi + voronoi->width - 1, last_j = gj + height - 1;

    voronoi->way = VORONOI_HARD;
    voronoi_sites_make(&voronoi->sites, partition, key, gi >> k, gj >> k,
                       (int)((last_i >> k) - (gi >> k)) + 1, (int)((last_j >> k) - (gj >> k)) + 1);
    look_for_one(voronoi, sample_place(voronoi, gi, gj), sample_place(voronoi, last_i, last_j));
}

static void plan_smooth(struct voronoi *voronoi, const struct terrane_partition *partition, uint64_t key,
                        int64_t gj, int height)
{
    const int k = voronoi->point_k, n = voronoi->point_log2;
    const int64_t gi = voronoi->gi, mask = (INT64_C(1) << k) - 1;
    const int64_t first_x = (gi >> k) - VORONOI_REACH, first_y = (gj >> k) - VORONOI_REACH;
    const int64_t last_x = ((gi + voronoi->width - 1) >> k) + VORONOI_REACH,
                  last_y = ((gj + height - 1) >> k) + VORONOI_REACH;
    const float scale = 1.0f / (float)(mask + 1), radius = 1.125f * (partition->blend * (float)(1 << n));

    voronoi->way = VORONOI_SMOOTH;
    voronoi_sites_make(&voronoi->sites, partition, key, first_x >> n, first_y >> n,
                       (int)((last_x >> n) - (first_x >> n)) + 1, (int)((last_y >> n) - (first_y >> n)) + 1);
    voronoi->point_column = first_x;
    voronoi->point_row = first_y;
    voronoi->columns = (int)(last_x - first_x) + 1;
    voronoi->rows = (int)(last_y - first_y) + 1;
    look_for_one(voronoi, point_place(voronoi, first_x, first_y, 0, 0),
                 point_place(voronoi, last_x, last_y, 65535, 65535));
    if (voronoi->way == VORONOI_ONE)
        return;

    voronoi->point_key = hash_absorb(key, 2);
    voronoi->radius2 = radius * radius;
    voronoi->around_row = -1;
    for (int i = 0; i < voronoi->width; i++)
        voronoi->t[KERNEL_PAD + i] = (float)((gi + i) & mask) * scale;
    for (int i = 0; i < BLEND * LANES; i++) /* lanes behind the last sample */
        voronoi->t[KERNEL_PAD + voronoi->width + i] = 0;
    hash_columns(voronoi->point_key, first_x, 0, voronoi->columns, voronoi->column_hash);
    for (int r = 0; r < voronoi->rows; r++)
        voronoi->points[r].ready = false;
}

/* Halvings of a site cell until blend spans more than one part: 2 .. 7. */
static int halvings(float blend)
{
    int n = 2;
    while (blend * (float)(1 << n) <= 1)
        n++;
    return n;
}

void voronoi_plan(struct voronoi *voronoi, const struct terrane_world *world, int level, int64_t gi,
                  int64_t gj, int width, int height)
{
    const struct terrane_partition *partition = &world->recipe->partition;
    const uint64_t key =
        hash_absorb(hash_absorb(world->seed, UINT64_C(0x566F726F6E6F6921)), partition->salt); /* "Voronoi!" */

    voronoi->width = width;
    voronoi->gi = gi;
    if (partition->zones == 1) {
        one_zone(voronoi, 0);
        return;
    }
    voronoi->cell_k = partition->cell_log2 - level;
    voronoi->point_log2 = halvings(partition->blend);
    voronoi->point_k = voronoi->cell_k - voronoi->point_log2;
    if (voronoi->cell_k < VORONOI_CELL_SAMPLES_LOG2)
        mean_of_zones(voronoi, partition);
    else if (voronoi->point_k < VORONOI_POINT_SAMPLES_LOG2)
        plan_hard(voronoi, partition, key, gj, height);
    else
        plan_smooth(voronoi, partition, key, gj, height);
}

/* ---- Rows that need no blending ------------------------------------------------------------------------ */

static uint32_t mean_row(const struct voronoi *voronoi, float (*weight)[KERNEL_ROW])
{
    uint32_t zones = 0;
    for (int z = 0; z < TERRANE_ZONES_MAX; z++)
        if (voronoi->mean[z] > 0) {
            zones |= UINT32_C(1) << z;
            for (int i = 0; i < voronoi->width; i++)
                weight[z][KERNEL_PAD + i] = voronoi->mean[z];
        }
    return zones;
}

static void clear_rows(float (*weight)[KERNEL_ROW], uint32_t zones, int width)
{
    for (int z = 0; z < TERRANE_ZONES_MAX; z++)
        if (zones >> z & 1)
            memset(weight[z] + KERNEL_PAD, 0, (size_t)width * sizeof weight[z][0]);
}

static void fill_ones(float *weight, int from, int to)
{
    for (int i = from; i < to; i++)
        weight[KERNEL_PAD + i] = 1;
}

static int nearest_at(const struct voronoi *voronoi, int i, int64_t gj)
{
    return voronoi_nearest(&voronoi->sites, sample_place(voronoi, voronoi->gi + i, gj));
}

/* The end of the run of samples of i's site: found by doubling and halving, since Voronoi cells are convex. */
static int run_end(const struct voronoi *voronoi, int i, int cell, int64_t gj)
{
    int step = 1, in = i, out;
    while (in + step < voronoi->width && nearest_at(voronoi, in + step, gj) == cell) {
        in += step;
        step *= 2;
    }
    out = in + step < voronoi->width ? in + step : voronoi->width;
    while (out - in > 1) {
        const int middle = (in + out) / 2;
        if (nearest_at(voronoi, middle, gj) == cell)
            in = middle;
        else
            out = middle;
    }
    return out;
}

static uint32_t hard_row(const struct voronoi *voronoi, int64_t gj, float (*weight)[KERNEL_ROW])
{
    uint32_t zones = 0;
    for (int i = 0; i < voronoi->width;) {
        const int cell = nearest_at(voronoi, i, gj), end = run_end(voronoi, i, cell, gj);
        const int zone = zone_of(&voronoi->sites, cell);
        const uint32_t bit = UINT32_C(1) << zone;
        if (!(zones & bit))
            clear_rows(weight, bit, voronoi->width);
        zones |= bit;
        fill_ones(weight[zone], i, end);
        i = end;
    }
    return zones;
}

/* ---- Scatter points ------------------------------------------------------------------------------------ */

static void make_points(struct voronoi *voronoi, int r)
{
    struct voronoi_points *points = &voronoi->points[r];
    const int64_t row = voronoi->point_row + r;
    const struct hash_row row_hash = hash_row(voronoi->point_key, row);

    for (int c = 0; c < voronoi->columns; c++) {
        const uint32_t h = hash_corner(voronoi->column_hash[c], row_hash);
        const int32_t x = 16384 + (int32_t)(h >> 17), y = 16384 + (int32_t)(h >> 1 & 0x7FFF);
        const struct voronoi_place place = point_place(voronoi, voronoi->point_column + c, row, x, y);
        points->x[c] = (float)x * 0x1p-16f;
        points->y[c] = (float)y * 0x1p-16f;
        points->zone[c] = (uint8_t)zone_of(&voronoi->sites, voronoi_nearest(&voronoi->sites, place));
    }
    points->ready = true;
}

/* Makes the five rows of points around row r of scatter cells, and the zones around each cell. */
static void look_around(struct voronoi *voronoi, int r)
{
    uint16_t above[VORONOI_POINTS] = {0};

    if (voronoi->around_row == r)
        return;
    for (int y = r - VORONOI_REACH; y <= r + VORONOI_REACH; y++) {
        if (!voronoi->points[y].ready)
            make_points(voronoi, y);
        for (int c = 0; c < voronoi->columns; c++)
            above[c] = (uint16_t)(above[c] | 1u << voronoi->points[y].zone[c]);
    }
    for (int c = VORONOI_REACH; c < voronoi->columns - VORONOI_REACH; c++)
        voronoi->around[c] = (uint16_t)(above[c - 2] | above[c - 1] | above[c] | above[c + 1] | above[c + 2]);
    voronoi->around_row = r;
}

/* ---- Blending ------------------------------------------------------------------------------------------ */

/* The points that may reach a row of samples in a scatter cell, by rows, then columns. */
struct near_points {
    int count;
    float x[NEAR];  /* from the cell's west edge */
    float y2[NEAR]; /* square of the distance along y */
    uint8_t zone[NEAR];
};

static void find_near(const struct voronoi *voronoi, int r, int c, float t, struct near_points *near)
{
    near->count = 0;
    for (int dy = -VORONOI_REACH; dy <= VORONOI_REACH; dy++) {
        const struct voronoi_points *points = &voronoi->points[r + dy];
        for (int dx = -VORONOI_REACH; dx <= VORONOI_REACH; dx++) {
            const float y = t - ((float)dy + points->y[c + dx]), y2 = y * y;
            const int n = near->count;
            near->x[n] = (float)dx + points->x[c + dx];
            near->y2[n] = y2;
            near->zone[n] = points->zone[c + dx];
            near->count += y2 < voronoi->radius2;
        }
    }
}

/* Weights of BLEND * LANES samples, summed by zone; and the zones' sum. */
struct sums {
    lane_f zone[TERRANE_ZONES_MAX][BLEND], all[BLEND];
};

static void sum_points(const struct near_points *near, float radius2, const float *t, uint32_t zones,
                       struct sums *sums)
{
    const lane_f zero = lane_splat(0);
    for (uint32_t left = zones; left; left &= left - 1)
        for (int b = 0; b < BLEND; b++)
            sums->zone[__builtin_ctz(left)][b] = zero;
    for (int n = 0; n < near->count; n++) {
        lane_f *sum = sums->zone[near->zone[n]];
        for (int b = 0; b < BLEND; b++) {
            const lane_f x = lane_load(t + b * LANES) - near->x[n];
            const lane_f rest = radius2 - (x * x + near->y2[n]);
            const lane_f inside = lane_select(rest > zero, rest, zero);
            sum[b] += inside * inside;
        }
    }
    for (int b = 0; b < BLEND; b++) {
        sums->all[b] = zero;
        for (uint32_t left = zones; left; left &= left - 1)
            sums->all[b] += sums->zone[__builtin_ctz(left)][b];
    }
}

/* Samples from .. to - 1, all in scatter cell (c, r). Returns the zones with a weight there. */
static uint32_t blend_cell(const struct voronoi *voronoi, int r, int c, float t, int from, int to,
                           float (*weight)[KERNEL_ROW])
{
    const uint32_t zones = voronoi->around[c];
    struct near_points near;
    struct sums sums;
    uint32_t present = 0;

    find_near(voronoi, r, c, t, &near);
    for (int i = from; i < to; i += BLEND * LANES) {
        const int samples = to - i < BLEND * LANES ? to - i : BLEND * LANES;
        sum_points(&near, voronoi->radius2, voronoi->t + KERNEL_PAD + i, zones, &sums);
        for (uint32_t left = zones; left; left &= left - 1) {
            const int z = __builtin_ctz(left);
            float w[BLEND * LANES];
            for (int b = 0; b < BLEND; b++)
                lane_store(w + b * LANES, sums.zone[z][b] / sums.all[b]);
            for (int l = 0; l < samples; l++) {
                weight[z][KERNEL_PAD + i + l] = w[l];
                present |= (uint32_t)(w[l] > 0) << z;
            }
        }
    }
    return present;
}

static uint32_t smooth_row(struct voronoi *voronoi, int64_t gj, float (*weight)[KERNEL_ROW])
{
    const int k = voronoi->point_k, r = (int)((gj >> k) - voronoi->point_row);
    const int64_t mask = (INT64_C(1) << k) - 1;
    const float t = (float)(gj & mask) * (1.0f / (float)(mask + 1));
    uint32_t around = 0, present = 0;

    look_around(voronoi, r);
    for (int c = VORONOI_REACH; c < voronoi->columns - VORONOI_REACH; c++)
        around |= voronoi->around[c];
    clear_rows(weight, around, voronoi->width);

    int64_t end = (mask + 1) - (voronoi->gi & mask); /* of the scatter cell's samples */
    for (int c = VORONOI_REACH, i = 0; i < voronoi->width; c++, end += mask + 1) {
        const int to = end < voronoi->width ? (int)end : voronoi->width;
        const uint32_t zones = voronoi->around[c];
        if (zones & (zones - 1)) {
            present |= blend_cell(voronoi, r, c, t, i, to, weight);
        } else {
            present |= zones;
            fill_ones(weight[__builtin_ctz(zones)], i, to);
        }
        i = to;
    }
    return present;
}

uint32_t voronoi_row(struct voronoi *voronoi, int64_t gj, float (*weight)[KERNEL_ROW])
{
    switch (voronoi->way) {
    case VORONOI_HARD:
        return hard_row(voronoi, gj, weight);
    case VORONOI_SMOOTH:
        return smooth_row(voronoi, gj, weight);
    case VORONOI_ONE:
    case VORONOI_MEAN:
        break;
    }
    return mean_row(voronoi, weight);
}
