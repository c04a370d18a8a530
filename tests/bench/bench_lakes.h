/*
 * Lakes of 512 x 512 samples of the lakes' level at six places, where every cell of 128 samples starts one. Two grounds:
 *
 *   HILLS   the shipped recipe's, not eroded: many pits, small
 *   BASINS  a pit every 64 samples, as wide as a lake's window lets it be, and hills of a twentieth
 */
#ifndef TERRANE_BENCH_LAKES_H
#define TERRANE_BENCH_LAKES_H

#include "../../lib/terrane.h"

enum {
    BENCH_LAKES_SIDE = 512, /* of a window, in samples of the lakes' level */
    BENCH_LAKES_PLACES = 6, /* whose heights are at hand */
};

enum bench_ground { BENCH_HILLS, BENCH_BASINS };

struct bench_lakes {
    struct terrane_recipe recipe;
    struct terrane_world world;
    float *ground[BENCH_LAKES_PLACES], *level_m;
    void *memory;
    int found, wet; /* lakes, and samples under water, at all places */
};

/* Never freed. A failure, or hardly a lake, ends the program. */
void bench_lakes_make(struct bench_lakes *l, enum bench_ground kind);

/* terrane_lakes at all places. */
void bench_lakes_run(struct bench_lakes *l);

#endif
