/*
 * The Voronoi partition: one site a square cell, the zone of the nearest site, smoothly changing weights.
 * lib/README.md "Voronoi partition" defines the function.
 *
 * voronoi_sites.c makes the sites of a block and finds the nearest; it is integers only. voronoi.c scatters
 * points, gives each the zone at its place, and blends the points in reach of a sample.
 *
 * Units: a site cell is 2^16 units wide. Sites count from their own cell's centre, places from their cell's
 * north-west corner, so no number grows with the distance from the origin.
 */
#ifndef TERRANE_VORONOI_H
#define TERRANE_VORONOI_H

#include <stdbool.h>
#include <stdint.h>

#include "../kernel/kernel.h"
#include "../terrane.h"

enum {
    VORONOI_ROUNDS_MAX = 4,
    VORONOI_CELL_SAMPLES_LOG2 = 3,  /* below 2^3 samples a cell the partition is its mean */
    VORONOI_POINT_SAMPLES_LOG2 = 1, /* below 2^1 samples a scatter cell weights are hard */
    VORONOI_REACH = 2, /* radius in cells: around a place for its nearest site; around a site for the sites
                          that shape its Voronoi cell; around a sample for scatter points that reach it */

    /* n samples touch at most (n - 2) / m + 2 cells of m. Scatter points go less than a cell further. */
    VORONOI_CELLS = (KERNEL_WIDTH - 2) / (1 << VORONOI_CELL_SAMPLES_LOG2) + 2 + 2,
    VORONOI_SIDE = VORONOI_CELLS + 2 * VORONOI_REACH * (1 + VORONOI_ROUNDS_MAX),
    VORONOI_POINTS = (KERNEL_WIDTH - 2) / (1 << VORONOI_POINT_SAMPLES_LOG2) + 2 + 2 * VORONOI_REACH,
};

/* From its own cell's centre: -32768 .. 32767. Cells are half open and sites stay in theirs: no two meet. */
struct voronoi_site {
    int16_t x, y;
};

/*
 * The sites of a rectangle of cells. A round of relaxation needs all neighbours within VORONOI_REACH from the
 * round before, so each round shrinks the valid part by VORONOI_REACH cells on every side.
 */
struct voronoi_sites {
    int64_t column, row; /* the first cell */
    int side_x, side_y;  /* cells */
    int edge;            /* cells on each side that are no longer valid */
    struct voronoi_site site[VORONOI_SIDE][VORONOI_SIDE];
    struct voronoi_site before[VORONOI_SIDE][VORONOI_SIDE];
    uint8_t zone[VORONOI_SIDE][VORONOI_SIDE];
};

/* A cell, counted from the rectangle's first, and 0 .. 65535 units from its west and north edge. */
struct voronoi_place {
    int cell_x, cell_y;
    int32_t x, y;
};

enum voronoi_way {
    VORONOI_ONE,    /* one zone rules */
    VORONOI_MEAN,   /* cells are too small for the level */
    VORONOI_HARD,   /* transitions are */
    VORONOI_SMOOTH, /* scattered points blend */
};

/* A row of scatter points, made on demand. */
struct voronoi_points {
    bool ready;
    float x[VORONOI_POINTS], y[VORONOI_POINTS]; /* in their scatter cells: 1/4 .. 3/4 */
    uint8_t zone[VORONOI_POINTS];
};

/* The partition over one block of a level. 193 KB of plain data. */
struct voronoi {
    enum voronoi_way way;
    int width;
    int cell_k, point_k;           /* log2 of samples a site cell, a scatter cell */
    int64_t gi;                    /* of the block's first column */
    float mean[TERRANE_ZONES_MAX]; /* ONE, MEAN: the weights */
    struct voronoi_sites sites;    /* HARD, SMOOTH, as the rest */
    /* SMOOTH: scatter cells and points */
    int point_log2; /* log2 of scatter cells along a site cell */
    uint64_t point_key;
    int64_t point_column, point_row; /* of the first scatter cell */
    int columns, rows;               /* scatter cells, with their reach around the block */
    float radius2;                   /* square of a point's radius, in scatter cells */
    float t[KERNEL_ROW]; /* samples from the west edges of their scatter cells; from KERNEL_PAD on */
    uint32_t column_hash[VORONOI_POINTS];
    int around_row;                  /* the row of scatter cells that around[] is of, or -1 */
    uint16_t around[VORONOI_POINTS]; /* a bit each zone of the 5 x 5 points around a scatter cell */
    struct voronoi_points points[VORONOI_POINTS];
};

/*
 * voronoi_plan - a block of a level: width x height samples from (gi, gj), 1 .. KERNEL_WIDTH each.
 *
 * The partition of the world's recipe is a VORONOI one, or has one zone. Keeps no pointers. Cost: 25 sites or
 * more, and their relaxation; see lib/README.md.
 */
void voronoi_plan(struct voronoi *voronoi, const struct terrane_world *world, int level, int64_t gi,
                  int64_t gj, int width, int height);

/*
 * voronoi_row - the weights of row gj, which lies in the block. Rows may come in any order, with gaps.
 *
 * Fills weight[z][KERNEL_PAD + i], 0 <= i < width, for each zone z whose bit is set in the result: those with
 * a weight above 0 somewhere in the row. Other zones' rows are undefined.
 */
uint32_t voronoi_row(struct voronoi *voronoi, int64_t gj, float (*weight)[KERNEL_ROW]);

/* ---- voronoi_sites.c ----------------------------------------------------------------------------------- */

/*
 * Sites and zones of cells_x x cells_y cells, 1 .. VORONOI_CELLS each, from (column, row), and of
 * VORONOI_REACH more all around.
 */
void voronoi_sites_make(struct voronoi_sites *sites, const struct terrane_partition *partition, uint64_t key,
                        int64_t column, int64_t row, int cells_x, int cells_y);

/*
 * The cell of the site nearest to a place in one of the requested cells: cell_y * VORONOI_SIDE + cell_x. Of
 * sites equally near, the first by row, then by column.
 */
int voronoi_nearest(const struct voronoi_sites *sites, struct voronoi_place place);

#endif
