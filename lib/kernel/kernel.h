/*
 * What the kernels work on, and the table that offers them.
 *
 * Work goes in chunks of at most KERNEL_WIDTH adjacent columns and strips of at most KERNEL_ROWS rows. A row
 * buffer has KERNEL_PAD floats before its first sample and room behind its last: blocks start at a 16th
 * sample of the octave's own lattice, which need not be one of the chunk's, and are always computed in full
 * width. Lead and padding are garbage that nobody reads.
 */
#ifndef TERRANE_KERNEL_H
#define TERRANE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "../terrane.h"

enum {
    KERNEL_WIDTH = 257, /* samples of a chunk's row */
    KERNEL_ROWS = 8,    /* of a strip: its sums stay in the first-level cache */
    KERNEL_PAD = 16,    /* widest block, and so the longest lead + 1 */
    KERNEL_SPAN = 272,  /* lead (<= 15) + width, in whole blocks */
    KERNEL_ROW = KERNEL_PAD + KERNEL_SPAN + KERNEL_PAD, /* floats of a row buffer */
    KERNEL_COLUMNS = KERNEL_SPAN + 2 * KERNEL_PAD,      /* lattice columns of cells of 1 sample, padded */
};

/* One octave over one chunk. plan.c fills it; the kernels read it and keep its corners. */
struct octave {
    /* the lattice */
    enum terrane_base base;
    int level;
    int cell_log2; /* in level-0 samples */
    int k;         /* log2 of samples a cell at this level: cell_log2 - level >= 0 */
    uint64_t key;
    float amplitude;
    float unit_slope; /* 1 / (cell in metres) */
    int64_t shift_y;  /* in samples of this level */
    int64_t rest_y;   /* in level-0 samples: what shift_y leaves of the shift, < 2^level */
    /* along x */
    int64_t column; /* lattice column of the first block's first sample */
    int64_t phase;  /* where in its cell that sample is: a multiple of 16, 0 when cells are shorter */
    int lead;       /* samples from there to the chunk's first: 0 .. 15 */
    int span;       /* samples in whole blocks: a multiple of 16, lead + width <= span <= KERNEL_SPAN */
    int columns;    /* lattice columns under the span */
    /* the row of cells that the last row asked for lies in */
    bool primed;
    int64_t row;                /* lattice row of its north corners */
    float *north[2], *south[2]; /* corner values, or gradients x and y; KERNEL_COLUMNS each */
    /* tables along the span */
    float *t, *fade, *fade_slope;
};

/* A fractal over one chunk: its octaves that take part, coarsest first. */
struct fractal_plan {
    float start;
    int octaves;
    struct octave octave[TERRANE_OCTAVES_MAX];
};

/*
 * Zones as the surface needs them: differences between neighbours, so that weights never have to be formed.
 */
struct steer {
    int thresholds;
    float inv_blend;
    float threshold[TERRANE_ZONES_MAX - 1];
    float amplitude[TERRANE_ZONES_MAX]; /* [0], then the differences */
    float offset[TERRANE_ZONES_MAX];
};

/* Rows of a strip: a height and its slopes. x and y are unused where slopes are not asked for. */
struct strip {
    _Alignas(TERRANE_SCRATCH_ALIGN) float value[KERNEL_ROWS][KERNEL_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) float x[KERNEL_ROWS][KERNEL_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) float y[KERNEL_ROWS][KERNEL_ROW];
};

/* The fractals that a surface is made of. */
struct parts {
    struct strip base, detail, noise;
};

/* All rows start at KERNEL_PAD. rows is 1 .. KERNEL_ROWS, width 1 .. KERNEL_WIDTH. */
struct kernels {
    const char *name;

    /* Fills the octave's fade tables from t. */
    void (*octave_tables)(struct octave *octave);

    /* sum = start + the octaves of lattice rows gj, gj + step ..., and with slopes their derivatives. */
    void (*fractal_rows)(struct fractal_plan *plan, int64_t gj, int step, int rows, bool slopes,
                         struct strip *sum);

    /* Row r of the parts into heights. */
    void (*height_row)(const struct steer *steer, int width, const struct parts *parts, int r,
                       float *heights);

    /* ... into the three components of normals. */
    void (*normal_row)(const struct steer *steer, int width, const struct parts *parts, int r, float *east,
                       float *south, float *up);

    /*
     * ... into the zone of each sample and share[k][i] = S5 of the k-th threshold (s_(k+1) of lib/README.md).
     */
    void (*zone_row)(const struct steer *steer, int width, const struct parts *parts, int r,
                     float (*share)[KERNEL_ROW], int32_t *zone);
};

extern const struct kernels kernels_scalar, kernels_sse2, kernels_avx2, kernels_avx512, kernels_neon;

/* The table in force. */
const struct kernels *kernels_current(void);

#endif
