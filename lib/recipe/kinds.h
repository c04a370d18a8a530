/*
 * Base noises, kinds of fractals, operations and kinds of partitions as rows. To add one, add its number to
 * terrane_recipe.h, its row to kinds.c (ops.c for an operation) and its kernel. lib/README.md has the formulas.
 */
#ifndef TERRANE_KINDS_H
#define TERRANE_KINDS_H

#include "../terrane.h"

/*
 * The kinds of bases: kernels are compiled for each. The first four use square cells, and compute a row of a cell from
 * values at its corners; SIMPLEX has PERLIN's corners. Bases of one kind differ in their fade (base_is_quintic), in the
 * choice of two distances (CELLULAR), or in points_of (kernel/points.inc).
 */
enum kind { KIND_PRODUCT, KIND_POLYNOMIAL, KIND_PERLIN, KIND_HERMITE, KIND_SIMPLEX, KIND_CELLULAR };

/* The grid of a base noise's random numbers. */
enum base_grid {
    GRID_SQUARE,     /* corners of square cells */
    GRID_TRIANGULAR, /* corners of triangles: evaluated point by point, never on the lattice */
    GRID_CELLS       /* points in square cells and in those around them */
};

/*
 * Max slope of a base of amplitude 1, a cell. For values 1 .. -1 at the corners: 3 with S3, 3.75 with S5, 3 for the
 * polynomial; gradient noise: 2.53 and 2.93; its gradients of length weight in HERMITE under 4 weight; simplex noise:
 * 7.35, smooth: 4.60; distances between cells: 2.5.
 */
enum { BASE_STEEPNESS = 8 };

struct base_row {
    const char *name;
    enum kind kind;
    enum base_grid grid;
    uint16_t trait; /* the number of a fractal that it reads (FRACTAL_WEIGHT ...), or 0 */
    bool quintic;   /* terrane_noise_at uses the fade S5 */
    double over;    /* max absolute value at amplitude 1 is 1 and this */
    double reach_weight, steepness_weight; /* additions by a weight of 1: to that, and to BASE_STEEPNESS */
    double dearer;                         /* cost of a sample off the lattice over SIMPLEX's */
    double
        scale[3]; /* terrane_noise_at: factor from sums to values in 1, 3 and 4 dimensions; 0: no such form */
};

struct kind_row {
    const char *name;
    uint16_t traits;                     /* the numbers of a fractal that it reads */
    bool midpoint;                       /* midpoint displacement: it has no bases and cannot be displaced */
    bool rough;                          /* its slopes are not analytic */
    float offset, sharpness, warp, damp; /* usual ones */
    /* Slope of an octave's term over that of n; 0: its factor varies, too, or it displaces itself. */
    double steepness;
};

/* What an operation reads of struct terrane_term beside inputs and the numbers of its members. */
enum op_part {
    OP_FRACTAL = 1, /* fractal */
    OP_OF = 2,      /* of */
    OP_FACTORS = 4, /* factor[k] of each input */
    OP_BAND = 8,    /* low below high */
    OP_KNOTS = 16,  /* knots, knot_x, knot_y */
    OP_PLACED = 32  /* raster, at_m, step_m, fade_m */
};

/* How an operation is read, checked, digested and paid. What it evaluates to is in term/graph.c, its range in bounds.c. */
struct op_row {
    uint8_t fewest, most; /* inputs; most: 0 where in[] does not count, TERRANE_INPUTS_MAX where they fold */
    uint8_t parts;        /* enum op_part */
    const struct members *members;
    double octaves,
        ns; /* cost of a sample (cost/cost.c, cost/cost_seconds.c), beside that of a fractal's octaves */
};

extern const struct op_row op_rows[TERRANE_OPS];
extern const struct base_row base_rows[TERRANE_BASES];
extern const struct kind_row kind_rows[TERRANE_FRACTAL_KINDS];
extern const char *const partition_names[TERRANE_PARTITION_KINDS];
extern const char *const plates_names[TERRANE_PLATES_OFS];
extern const char *const climate_names[TERRANE_CLIMATE_OFS];

#endif
