/*
 * Objects: places of trees, shrubs and rocks, of the classes that a recipe names.
 *
 * A class has one candidate in each cell of lattices of square cells, which are a radius wide at level 0 and twice as wide from
 * generation to generation. The cover of the level TERRANE_OBJECTS_COVER, and terms there, say whether one is taken; of those that
 * are, one stands unless another stands before it within the larger of both radii: one of a coarser generation, or of its own with
 * a higher number. A level L shows generations L and above. Then the level's own ground has to bear it.
 *
 * So where candidates are, and which of them stand before others, is the same at every level, and a coarser level has no object
 * that finer ones have not, but where their ground is too steep, under water or a path. lib/README.md has it to the bit.
 */
#ifndef TERRANE_OBJECTS_H
#define TERRANE_OBJECTS_H

#include "terrane_make.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TERRANE_OBJECTS_COVER \
    4 /* the level whose cover takes candidates: the finest that a lattice of drainage may have */
#define TERRANE_OBJECTS_SAMPLE 16 /* parts of a sample of level 0 that places are counted in */
#define TERRANE_OBJECTS_SCALE  64 /* parts that scales are counted in */

struct terrane_object {
    int64_t x, y;    /* east and south, in parts of a sample */
    float z;         /* metres: the ground's, between its four samples, rounded to 2^-8 */
    uint8_t of;      /* class */
    uint8_t variant; /* seed of its model */
    uint8_t turn;    /* 256ths of a whole one, clockwise as a map shows it */
    uint8_t scale;   /* in 64ths of the model's size */
};

/*
 * terrane_ground_objects - makes ground->object: those between the first sample and the last along both axes, the first's edges with
 * them, by class, from coarse generations to fine, row by row.
 *
 * The plan: TERRANE_OBJECTS_READS, of the recipe's own variant, whose window has every sample (step 1). None above
 * TERRANE_OBJECTS_LEVEL. Returns 0 or an error.
 */
#define TERRANE_OBJECTS_READS \
    (TERRANE_READS_GROUND | TERRANE_READS_WATER | TERRANE_READS_PATHS | TERRANE_READS_RIVERS)
int terrane_ground_objects(struct terrane_ground *ground) TERRANE_MUST_CHECK;

/* Metres to the east and south of the world's origin: exact while spacing_m is a power of two. */
double terrane_object_m(const struct terrane_world *world, int64_t part);

#ifdef __cplusplus
}
#endif
#endif
