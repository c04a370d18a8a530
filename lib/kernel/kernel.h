/*
 * The data of the kernels, and the table of kernels.
 *
 * Work goes in chunks of at most KERNEL_WIDTH adjacent columns and strips of at most KERNEL_ROWS rows. A row
 * buffer has KERNEL_PAD floats before its first sample and room after its last: blocks start at a 16th sample
 * of the octave's own lattice, which need not be one of the chunk's, and are always computed in full width.
 * Lead and padding are garbage that nobody reads.
 */
#ifndef TERRANE_KERNEL_H
#define TERRANE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "../terrane.h"

enum {
    KERNEL_WIDTH = 259, /* samples of a chunk's row: a tile's, and a halo of 1 */
    KERNEL_ROWS = 8,    /* of a strip: its sums stay in the first-level cache */
    KERNEL_PAD = 16,    /* widest block, and so the longest lead + 1 */
    KERNEL_SPAN = 288,  /* lead (<= 15) + width, in whole blocks */
    KERNEL_ROW = KERNEL_PAD + KERNEL_SPAN + KERNEL_PAD, /* floats of a row buffer */
    KERNEL_COLUMNS = KERNEL_SPAN + 3 * KERNEL_PAD,      /* lattice columns of cells of 1 sample, padded */
    KERNEL_FEATURES = 5,                                /* most rows of feature points that a row needs */
    KERNEL_CORNERS = 3,                                 /* most numbers that a corner has */
    FIELD_COLUMNS = 512, /* most columns and rows of cells in a field, and most corners: others are hashed */
    FIELD_ROWS = 256,
    FIELD_CORNERS = 8192,
};

/* Rows of a strip: a value and its slopes. x and y are unused without slopes. */
struct strip {
    _Alignas(TERRANE_SCRATCH_ALIGN) float value[KERNEL_ROWS][KERNEL_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) float x[KERNEL_ROWS][KERNEL_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) float y[KERNEL_ROWS][KERNEL_ROW];
};

/* ---- Octaves ------------------------------------------------------------------------------------------- */

/* The lattice way: cells of 2^k whole samples. */
struct lattice {
    int level;
    int cell_log2;   /* in level-0 samples */
    int k;           /* log2 of samples a cell at this level: cell_log2 - level >= 0 */
    int64_t shift_y; /* in samples of this level */
    int64_t rest_x;  /* in level-0 samples: remainder of the shift in samples, < 2^level */
    int64_t rest_y;
    /* along x */
    int64_t column; /* lattice column of the first block's first sample */
    int64_t phase;  /* place of that sample in its cell: a multiple of 16, 0 when cells are shorter */
    int lead;       /* samples from there to the chunk's first: 0 .. 15 */
    int span;       /* samples in whole blocks: a multiple of 16, lead + width <= span <= KERNEL_SPAN */
    int columns;    /* lattice columns under the span */
    /* the row of cells that the last row asked for lies in */
    bool primed;
    int64_t row;                                              /* lattice row of its north corners */
    float (*north)[KERNEL_COLUMNS], (*south)[KERNEL_COLUMNS]; /* KERNEL_CORNERS numbers of each corner */
    /* cellular noise: rows of feature points instead, at their row modulo the number needed */
    uint32_t feature_primed;
    int64_t feature_row[KERNEL_FEATURES];
    float (*feature)[2][KERNEL_COLUMNS];
    uint32_t *hash; /* the columns' words */
    /* tables along the span */
    float *t, *fade, *fade_slope;
};

/*
 * A place along one axis, in cells: whole ones counted from the octave's origin, and 2^-32 parts of one.
 */
struct place {
    int32_t cell;
    uint32_t part;
};

/*
 * The point way: cells of any size. A column's place and a row's place come from exact 128-bit products. On a
 * triangular lattice each axis of the skewed lattice is a sum of two places, one by column and one by row; on a
 * square one cross places are zero.
 */
struct points {
    int64_t origin[2];   /* lattice column and row from which places count */
    uint32_t high[2][3]; /* hash_high of origin's high half - 1, + 0, + 1: 0 columns, 1 rows */
    bool carry[2];       /* the chunk may reach cells of another high half */
    float samples;       /* a cell: at least 1 */
    /* by column: KERNEL_ROW each; of axis 0, and the addition to axis 1 */
    int32_t *cell[2];
    uint32_t *part[2];
};

/* One octave over one chunk. plan.c fills it; the kernels read it and keep its corners. */
struct octave {
    enum terrane_base base;
    bool on_lattice;
    bool pseudo; /* slopes are IQ's: only by the fades' slopes, without the gradients' own */
    uint64_t key;
    float amplitude, weight, jitter;
    float slope_scale; /* of slopes: per metre, or per cell */
    float per_metre;   /* cells a metre */
    struct lattice lattice;
    struct points points;
};

/* The place of a row of samples, for the point way. */
struct point_row {
    struct place place[2]; /* addition of the row to axis 0, and axis 1 */
};

/* ---- Fractals ------------------------------------------------------------------------------------------ */

/* A fractal over one chunk: its octaves in use, coarsest first. */
struct fractal_plan {
    bool planned;
    const struct terrane_fractal *fractal;
    int octaves;
    struct octave *octave;
    float amplitude[TERRANE_OCTAVES_MAX]; /* of each octave, in metres */
    float cell_m;                         /* of octave 0 */
};

/* Range of displacements along each axis, in metres. */
struct reach {
    float low[2], high[2];
};

/* The hashes of the cells around a band of one octave, for the point way. */
struct field {
    int32_t cell[2];        /* the first column and row */
    uint32_t columns, rows; /* where parts of a table may begin; 0: there is no table */
    int32_t stride;         /* corners of a row; 0: there are none */
    _Alignas(TERRANE_SCRATCH_ALIGN) uint32_t column[FIELD_COLUMNS];
    _Alignas(TERRANE_SCRATCH_ALIGN) uint32_t add[FIELD_ROWS], multiply[FIELD_ROWS];
    _Alignas(TERRANE_SCRATCH_ALIGN) float corner[KERNEL_CORNERS][FIELD_CORNERS];
};

/* Cellular noise on the lattice: distances from feature points around to a row's samples (cellular.inc). */
struct around {
    _Alignas(TERRANE_SCRATCH_ALIGN) float x[KERNEL_FEATURES * KERNEL_FEATURES][KERNEL_ROW];
    /* of cells, or of samples: at most 48 cells of 8 */
    _Alignas(TERRANE_SCRATCH_ALIGN) float y[KERNEL_FEATURES][KERNEL_SPAN + 6 * KERNEL_PAD];
};

/* The work memory of a fractal besides its sum; one for all, since they are made one after another. */
struct fractal_work {
    struct strip noise; /* one octave */
    struct strip
        state; /* MULTIFRACTAL, HYBRID: weight; IQ: x, y sums of slopes; SWISS, JORDAN: amplitude, x, y */
    struct strip damping;  /* JORDAN: x, y */
    struct strip shift[2]; /* displacement in metres, east and south, by terms */
    struct reach reach[2]; /* of shift; and of warp */
    _Alignas(
        TERRANE_SCRATCH_ALIGN) float warp[2][KERNEL_ROWS][KERNEL_ROW]; /* ... and by octaves before, too */
    union {
        struct field field;
        struct around around;
    };
};

/* Rows first .. end - 1 of a strip whose row 0 is lattice row gj of a level, row 1 gj + step and so on. */
struct rows {
    int64_t gj;
    int step;
    int first, end; /* 0 <= first < end <= KERNEL_ROWS */
    int width;      /* samples: 1 .. KERNEL_WIDTH */
    bool slopes;
};

/* TERRANE_OP_CURVE: cubics in u = clamp((x - start) * inverse) between the knots. */
struct curve {
    int segments;
    float start[TERRANE_KNOTS_MAX], inverse[TERRANE_KNOTS_MAX];
    float c[4][TERRANE_KNOTS_MAX]; /* of 1, u, u^2, u^3 */
};

/* ---- Zones --------------------------------------------------------------------------------------------- */

/* Weights of a strip's samples and, for a NOISE partition with slopes, their derivatives by the noise. */
struct zone_weights {
    uint32_t mask; /* zones with a weight above 0 somewhere in the strip; rows of others are garbage */
    _Alignas(TERRANE_SCRATCH_ALIGN) float weight[KERNEL_ROWS][TERRANE_ZONES_MAX][KERNEL_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) float by_noise[KERNEL_ROWS][TERRANE_ZONES_MAX][KERNEL_ROW];
};

/* ---- Climate ------------------------------------------------------------------------------------------- */

/* The path of air over the ground of a climate's nodes. */
struct march {
    const float *ground; /* at the first of a row of nodes, and steps + 1 and more around all of them */
    int width;           /* of its rows */
    int steps;
    float sea_m, shadow;
    float gain,
        level; /* of a step: share of the deficit that air takes up, and share that rains over level land */
};

/* ---- Plates -------------------------------------------------------------------------------------------- */

enum { PLATES_BLOCKS = 28 }; /* of 5 x 5 cells, padded to fours */

/* Blocks and lines near places, in cells. */
struct plates_near {
    const float *site_x, *site_y, *crust; /* of PLATES_BLOCKS */
    int lines;
    const uint8_t *of; /* of each line: enum terrane_plates_of */
    const float *x, *y, *along_x, *along_y, *inverse, *weak, *closing;
    float reach, blend, cell_m;
};

/* ---- The table ----------------------------------------------------------------------------------------- */

/* All rows start at KERNEL_PAD. */
struct kernels {
    const char *name;

    /* Fills a lattice octave's columns' words and its fade tables from t. */
    void (*octave_tables)(struct octave *octave);

    /* The fractal's rows. shift: work->shift displaces it. points: the place of octave i's row r, at points[i
     * * KERNEL_ROWS + r]. */
    void (*fractal_rows)(struct fractal_plan *plan, const struct rows *rows, bool shift,
                         const struct point_row *points, struct fractal_work *work, struct strip *out);

    /* A sum, product, min or max; in[k] may be one strip several times, never out. */
    void (*combine_rows)(const struct terrane_term *term, const struct rows *rows,
                         const struct strip *const *in, struct strip *out);
    void (*curve_rows)(const struct curve *curve, const struct rows *rows, const struct strip *in,
                       struct strip *out);

    /* The share of a blend: out->value in 0 .. 1 and slopes. Returns whether some are below 1 (bit 0), above 0
     * (bit 1). */
    int (*blend_share_rows)(const struct terrane_term *term, const struct rows *rows, const struct strip *by,
                            struct strip *out);
    /* out = (1 - share) a + share b; a or b NULL if its part is 0 everywhere. share may be out. */
    void (*blend_rows)(const struct rows *rows, const struct strip *share, const struct strip *a,
                       const struct strip *b, struct strip *out);

    /* Weights of a NOISE partition and of a CLIMATE one. */
    void (*noise_weights)(const struct terrane_partition *partition, const struct rows *rows,
                          const struct strip *noise, struct zone_weights *out);
    void (*climate_weights)(const struct terrane_partition *partition, const struct rows *rows,
                            const struct strip *temperature, const struct strip *moisture,
                            struct zone_weights *out);

    /* TERRANE_OP_ZONES. in[z]: the zone's term, or NULL. noise: of a NOISE partition with slopes, else NULL. */
    void (*zones_rows)(const struct terrane_partition *partition, const struct rows *rows,
                       const struct zone_weights *weights, const struct strip *noise,
                       const struct strip *const *in, struct strip *out);

    /* Row r of the weights: the zone with max weight, the lowest number among equals. */
    void (*zone_row)(int zones, int width, const struct zone_weights *weights, int r, int32_t *zone);

    /* Writes width finished heights: -0 becomes +0. */
    void (*height_row)(int width, const struct strip *surface, int r, float *heights);

    /* Normals from slopes; and from the rows of heights around: north and south of it, inv2 = 1 / (2 spacing). */
    void (*normal_row)(int width, const float *x, const float *y, float *const normal[3]);
    void (*difference_row)(int width, const float *north, const float *row, const float *south, float inv2,
                           float *x, float *y);

    /* Rain at nodes of a row, in multiples of rain over warm sea, from winds (nodes a step) and warmth (degrees). Works on whole
     * blocks of 16 nodes: values after the last one may be anything within their ranges. */
    void (*march_row)(const struct march *march, int count, const float *east, const float *south,
                      const float *warmth, float *rain);

    /* Quantities of plates at places: value[of][i]. Reads and writes whole blocks of 16. */
    void (*plates_row)(const struct plates_near *near, int count, const float *x, const float *y,
                       float *const value[TERRANE_PLATES_OFS]);
};

extern const struct kernels kernels_scalar, kernels_sse2, kernels_avx2, kernels_avx512, kernels_neon,
    kernels_simd128;

/* The table in force. */
const struct kernels *kernels_current(void);

#endif
