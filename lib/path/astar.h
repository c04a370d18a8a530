/*
 * A* over the eight neighbours of a grid, in integers: routes the lines of patches and of worlds over ground.
 *
 * A step of length d (1 or sqrt 2 samples) that rises by dl costs d + d alpha |dl / d|^beta, as an integer in 2^-8 of a
 * sample: the same on every machine. (f, g, y, x) orders ways of equal cost, so there is one answer.
 */
#ifndef TERRANE_ASTAR_H
#define TERRANE_ASTAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASTAR_ONE = 256 /* cost of one sample on flat ground */ };

/* The cost of a step by its slope. */
struct astar_cost {
    double alpha, beta; /* 0 .. 2^20, 0.25 .. 4 */
    double per_unit;    /* slope of one unit of height over one sample: unit / spacing */
    double steepest;    /* steps that are steeper are not taken; 0: all are */
};

/* Integer cost of a step that rises by units; at most 2^36, so no way over 2^26 samples overflows. */
uint64_t astar_step(const struct astar_cost *cost, int64_t rise, bool diagonal);

struct astar_grid {
    int width, height;      /* 1 .. 4097 each */
    const int32_t *ground;  /* units, row by row */
    const uint8_t *blocked; /* samples that no way enters are not 0; NULL: none */
    const uint8_t *toll;    /* additional cost of entering a sample, in flat samples; NULL: none */
};

size_t astar_bytes(int width, int height);

/*
 * The cheapest way from one sample (y * width + x) to another: fills way[0 .. n - 1], both ends included, and returns n;
 * 0: there is none, or it has more than most samples. memory: astar_bytes. Cost: O(n log n) of the samples visited.
 */
int astar_find(const struct astar_grid *grid, const struct astar_cost *cost, uint32_t from, uint32_t to,
               void *memory, uint32_t *way, int max);

#endif
