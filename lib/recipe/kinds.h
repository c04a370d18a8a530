/*
 * Base noises, kinds of fractals, operations and kinds of partitions as rows. To add one is to add its number to
 * terrane_recipe.h, its row to kinds.c and its kernel; formulas stand in lib/README.md.
 */
#ifndef TERRANE_KINDS_H
#define TERRANE_KINDS_H

#include "../terrane.h"

/*
 * The kinds of bases: what kernels compile apart. The first four stand on square cells, whose corners hold something of
 * which a row of a cell is made; SIMPLEX has PERLIN's corners. Bases of one kind differ in their fade (base_is_quintic),
 * in which of two distances they take (CELLULAR), or in points_of (kernel/points.inc).
 */
enum kind { KIND_PRODUCT, KIND_POLYNOMIAL, KIND_PERLIN, KIND_HERMITE, KIND_SIMPLEX, KIND_CELLULAR };

/* Where a base noise has its random numbers. */
enum base_grid {
    GRID_SQUARE,     /* corners of square cells */
    GRID_TRIANGULAR, /* corners of triangles: evaluated point by point, never on the lattice */
    GRID_CELLS       /* points in square cells and in those around them */
};

struct base_row {
    const char *name;
    enum kind kind;
    enum base_grid grid;
    uint16_t trait; /* the number of a fractal that it reads (FRACTAL_WEIGHT ...), or 0 */
    bool quintic;   /* whether its steps are S5 where terrane_noise_at makes them */
    /* Of amplitude 1: the greatest size, and what a weight of 1 adds to it. */
    double reach, reach_weight;
    /* ... and how steep it is at most, a cell. */
    double steepness, steepness_weight;
    double dearer; /* by how much a sample off the lattice takes longer than SIMPLEX's */
    double
        scale[3]; /* terrane_noise_at: from sums to values in 1, 3 and 4 dimensions; 0: it has no such form */
};

struct kind_row {
    const char *name;
    uint16_t traits;                     /* the numbers of a fractal that it reads */
    bool midpoint;                       /* midpoint displacement: it has no bases and cannot be displaced */
    bool rough;                          /* its slopes are not analytic */
    float offset, sharpness, warp, damp; /* usual ones */
    /*
     * How much steeper than n an octave's term is; 0: what it is multiplied by moves, too, or it displaces itself.
     */
    double steepness;
};

extern const struct base_row base_rows[TERRANE_BASES];
extern const struct kind_row kind_rows[TERRANE_FRACTAL_KINDS];
extern const char *const partition_names[TERRANE_PARTITION_KINDS];
extern const char *const plates_names[TERRANE_PLATES_OFS];
extern const char *const climate_names[TERRANE_CLIMATE_OFS];

#endif
