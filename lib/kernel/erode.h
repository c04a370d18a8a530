/*
 * The data of the erosion kernels, and the table of kernels.
 *
 * A field is a window of one level: heights at samples, and droplets' changes in the cells between them. Cell (x, y)
 * is the square of samples (x, y) .. (x + 1, y + 1). (Of a drainage lattice a cell is a sample.)
 */
#ifndef TERRANE_ERODE_H
#define TERRANE_ERODE_H

#include <stdbool.h>
#include <stdint.h>

#include "../terrane.h"

enum {
    ERODE_GRID = 16,    /* samples between the nodes of numbers that zones vary */
    ERODE_BATCH = 1024, /* droplets that run in one call */
    ERODE_WIDTH =
        TERRANE_WINDOW_MAX + 2 * (TERRANE_HALO_MAX + 7), /* samples of the widest row, with detail */
    ERODE_AMOUNT = 65536,                                /* sediment is counted in these parts of a sample */
    DRAIN_COST_MIN = 16,                                 /* of a step to a neighbour in a drainage lattice */
    DRAIN_COST_MIN_DIAGONAL = 23,                        /* ... to one at a corner */
    DRAIN_COST_MAX = 95,                                 /* with grain */
    DRAIN_GRAIN = 32,                                    /* hashed part of a cost: less than that */
    ERODE_NONE_LOWER = 15,                               /* of beside_row, */
    ERODE_DOUBTFUL = 16,                                 /* and beside a way */
};

/* Both arrays are width * height, row by row. */
struct erode_field {
    int width, height;
    int32_t *ground; /* heights in units: within 2^30 */
    /*
     * By cell: the upper half is the sediment left there in amounts, below 0 if taken; the lower half counts steps of
     * droplets. One 64-bit addition does both, in any order; a carry of the lower half would need 2^32 steps in one
     * cell.
     */
    uint64_t *moved;
};

/* Cells that droplets may stand in: x0 <= x < x1, y0 <= y < y1. All four samples of each are in the field. */
struct erode_bounds {
    int x0, y0, x1, y1;
};

/* The parameters of droplets at a level. */
struct erode_law {
    /* The members of struct terrane_droplets in their order, talus as a slope. The bits of steered mark numbers that
     * differ by zone; these are at grid + k * nodes for number k, row by row, at every ERODE_GRID-th sample; node (0,
     * 0) is grid_x samples west and grid_y north of the field. */
    float number[TERRANE_DROPLET_NUMBERS];
    uint32_t steered;
    const float *grid;
    int nodes, grid_width, grid_x, grid_y;
    int steps;       /* longest life */
    float to_sample; /* heights: units to samples */
    float limit;     /* of one step, in samples */
    int32_t sea;     /* units: within 2^30 */
};

/* Droplets at birth: cell and place in it, 0 .. 1. */
struct erode_births {
    int count;
    int32_t x[ERODE_BATCH], y[ERODE_BATCH];
    float u[ERODE_BATCH], v[ERODE_BATCH];
};

/* How a phase settles. */
struct erode_settling {
    float to_units; /* amounts to units */
    int32_t limit;  /* units */
};

/* Three rows of a drainage lattice, as old of settle_row: heights in units, and for steps from a cell the hashed part of their
 * cost, the cost of a level one in parts of the least, and the saving by a fall of 1/256. */
struct erode_falls {
    const int32_t *ground[3];
    const uint8_t *grain[3];
    const float *dear[3], *ease[3];
};

#define CARVE_BANK_M 0.05f /* over the water */
#define CARVE_LEVEE  0.3f  /* slope of the levee that holds water back where ground is lower */

/* A piece of a channel, over rows of a window. */
struct carve_piece {
    float ux, uy, inverse;    /* along it, fine units; of its length squared */
    float fine_m;             /* of a fine unit */
    float z, fall;            /* metres */
    float half, depth, reach; /* metres; half 0: too narrow to be shown */
    float curve;              /* of a valley's side: metres for each square metre */
    float rim, thin, discharge;
    float flank; /* reach - half */
    float
        eased; /* 1 / flank: a valley's side leads over into the ground behind it; 0: it is cut out of it, before generator 12 */
    bool broad; /* every level below the lattices shows it */
    bool wide;  /* its banks wind over longer ways */
};

/* An edit's stroke over a row of samples (lib/edit): integers, some of them divided as said. Distances are in fine parts, shares in
 * 2^-16ths, the rest in units. */
struct edit_stroke {
    double south2;         /* the row's distance from the centre, squared: within 2^54 */
    double inner, inner2;  /* radius and its square: below 2^25 */
    double outer, outer2;  /* likewise */
    double per_ring;       /* 2^41 / (outer - inner), or 0 where both are the same; over 2^45 */
    double whole;          /* the share within inner; over 2^16 */
    double strength;       /* of which each sample has its share: within 2^26; over 2^16 */
    double to, here, sign; /* it moves a sample by a part of to (sign * its own) - here * ground; over 2^16 */
    double max;            /* delta stays within */
};

struct erode_kernels {
    const char *name;

    /* Runs droplets over the field's constant ground, into moved. Returns the amounts that they still carry at their
     * end: all of moved's amounts and these sum to 0. */
    int64_t (*droplets_run)(const struct erode_field *field, const struct erode_bounds *bounds,
                            const struct erode_law *law, const struct erode_births *births);

    /*
     * A row of cells, count of them: clears moved. amount[i] for i = 2 .. count - 2: amounts around sample i, cells i -
     * 2 .. i + 1 weighted 1 3 3 1 over 8, each clamped to 2^27; steps[i] for i = 1 .. count - 1: of cells i - 1 and i.
     */
    void (*gather_row)(uint64_t *moved, int count, int32_t *amount, uint32_t *steps);

    /* Adds to a row of ground the sediment of four gathered rows of cells (two north of it, two south), clamped to min
     * and max of the 3 x 3 samples around before: old[0 .. 2], each with a sample more on either side (index -1 and
     * count). */
    void (*settle_row)(const struct erode_settling *settling, int count, const int32_t *const amount[4],
                       const int32_t *const old[3], int32_t *ground);

    /* flow += four times the steps of the rows of cells north and south, without passing 2^32 - 1. */
    void (*flow_row)(int count, const uint32_t *north, const uint32_t *south, uint32_t *flow);

    /* A round of thermal erosion in a row: each pair of neighbours whose heights differ by more than the mean of their
     * talus (units a sample; diagonals 45/32 times) moves an eighth of the excess (a sixteenth), at most limit. old as
     * above; talus likewise. */
    void (*slide_row)(int count, const int32_t *const old[3], const int32_t *const talus[3], int32_t limit,
                      int32_t *ground);

    /* Fills pits in a row of ground that slid: where old[1] is below all eight neighbours, ground becomes at least the
     * min of them, but at most limit above old[1]. old as above. */
    void (*fill_row)(int count, const int32_t *const old[3], int32_t limit, int32_t *ground);

    /* Heights in metres into units, towards 0. */
    void (*units_row)(int count, const float *heights, float to_units, int32_t *units);

    /* The row between four rows (9 (b + c) - (a + d)) / 16, and the row between two (b + c) / 2; halves go up. */
    void (*between_rows)(int count, const int32_t *a, const int32_t *b, const int32_t *c, const int32_t *d,
                         int32_t *out);
    void (*mean_rows)(int count, const uint32_t *b, const uint32_t *c, uint32_t *out);

    /* Drainage (drain.inc). The hashes of a row of cells, as by hash_corner. */
    void (*hash_cells)(uint64_t key, int64_t cx, int64_t cy, int count, uint32_t *hash);

    /*
     * A round of slope limiting in a row: no cell ends more than its rise (11/8 of it for diagonals) above a
     * neighbour. old as above.
     */
    void (*wear_row)(int count, const int32_t *const old[3], const int32_t *rise, int32_t *ground);

    /* The same, but no cell ends below its floor. */
    void (*relax_row)(int count, const int32_t *const old[3], const int32_t *rise, const int32_t *floor,
                      int32_t *ground);

    /* The low ground around each cell of a row: drain/route_heights.c. ground as old above. */
    void (*low_row)(int count, const int32_t *const ground[3], int32_t sea, int32_t *low);

    /* What lies beside each cell of a row: the direction of the lowest neighbour below its receiver, of equals the first, or
     * ERODE_NONE_LOWER; with ERODE_DOUBTFUL where any of the eight has a mark of doubts. to: ways; of a cell that has none nothing is
     * lower. z and mark as old above. */
    void (*beside_row)(int count, const int32_t *const z[3], const uint8_t *const mark[3], uint8_t doubts,
                       const uint8_t *to, uint8_t *restrict beside);

    /* A floor of INT32_MIN becomes the highest of the water around its cell, at most the ground. water as old above. */
    void (*banks_row)(int count, const int32_t *const water[3], const int32_t *ground, int32_t *floor);

    /* Each cell comes nearer to the mean of those around, but stays within least .. most. old as above. */
    void (*round_row)(int count, const int32_t *const old[3], const int32_t *min, const int32_t *max,
                      int32_t *ground);

    /* Fills the members of struct erode_falls for the cells of a row. ground: three rows as old above; inverse: of heights in
     * units, slope in 1/256 over a step along an axis. */
    void (*falls_row)(float inverse, int count, const int32_t *const ground[3], float *dear, float *ease);

    /* The cost of running into each cell of a row from its neighbours, a byte each from the lowest on: west, north-west, north, north-east;
     * south-west, south, south-east, east. */
    void (*costs_row)(float inverse, int count, const struct erode_falls *falls, uint32_t (*cost)[2]);

    /* Carving (carve.inc). For a row of samples step fine units apart, the first at x, y from the piece's start: position along
     * it, 0 .. 1, and distance in metres. All are within 2^31. */
    void (*measure_row)(const struct carve_piece *piece, int64_t x, int64_t y, int64_t step, int count,
                        float *restrict t, float *restrict d);

    /* ... and what it makes of the ground there: lowers upper to it, raises lower. narrow: how much of piece->half the water has,
     * 0.4 .. 1; side: the slope of the bank at the water's edge. */
    void (*shape_row)(const struct carve_piece *piece, int count, const float *t, const float *d,
                      const float *narrow, const float *side, const float *restrict ground,
                      float *restrict upper, float *restrict lower);

    /* Edits (edit.inc). Moves a row of samples. east2: how far each is east of the centre, squared, as south2. flat: all are within the
     * inner radius. to: by sample; NULL: stroke->to. */
    void (*edit_row)(const struct edit_stroke *stroke, const double *east2, int count, bool flat,
                     const double *to, const int32_t *base, int32_t *delta);
};

extern const struct erode_kernels erode_kernels_scalar, erode_kernels_sse2, erode_kernels_avx2,
    erode_kernels_avx512, erode_kernels_neon, erode_kernels_simd128;

/* The selected table: of the same instruction set as kernels_current. */
const struct erode_kernels *erode_kernels_current(void);

#endif
