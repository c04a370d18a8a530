/*
 * The baseline of the drainage benchmark: growth of a lattice in plain C, as the first sketch of terrane's drainage did it.
 * Streams of the lattice above are traced, trees of least cost grow from them and the sea over the rest, in buckets of costs;
 * runoff is summed down the trees, and heights follow from the receivers up. Heights are doubles, and so are powers.
 */
#ifndef TERRANE_BENCH_PLAIN_DRAINAGE_H
#define TERRANE_BENCH_PLAIN_DRAINAGE_H

#include <stdint.h>

enum { PLAIN_SEA = 8, PLAIN_NONE = 9 };

struct plain_drainage {
    uint64_t seed;
    int level, width, height;
    int64_t gi, gj; /* of its first cell */
    int finest;     /* nothing is traced from it: it stands on its own ground */
    float *ground;  /* given, metres; borrowed as the rest */
    double *z;      /* metres */
    float *area;    /* m2 */
    int *cost;
    unsigned char *to; /* 0 .. 7 to a neighbour, east first, then south-east; or as above */
};

/* Fills all of fine but its ground. above: of the level two above it, with one cell around fine's; z, area and to are read. */
void plain_drainage_run(const struct plain_drainage *above, struct plain_drainage *fine);

#endif
