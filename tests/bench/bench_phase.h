/*
 * Phases of droplets by themselves, as terrane_erode runs them (lib/erosion.h): births, run, gather and settle, without
 * heights, levels or windows around them. What is eroded is a square of steep ground above any sea, by droplets of 30
 * steps that all zones share.
 *
 * A phase here begins with the whole field right, whatever the one before read beyond its edge: as on a map that ends
 * there. Its middle, the halo away from the edge, is what the unbounded world has.
 *
 * One at a time: the count is taken by a hook in the table of kernels, which the linker puts there (bench.mk).
 */
#ifndef TERRANE_BENCH_PHASE_H
#define TERRANE_BENCH_PHASE_H

#include "../../lib/erosion.h"

enum {
    PHASE_STEPS = 30,
    PHASE_HALO = PHASE_STEPS + 2,
    PHASE_GROUNDS = 4, /* places whose heights are at hand */
};

struct bench_phase {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct erosion_level level;
    int side, phases;
    size_t samples;                 /* side * side */
    int32_t *ground[PHASE_GROUNDS]; /* units */
    int64_t droplets, steps;        /* of a run: the mean over the grounds */
};

/* What a droplet obeys: the parameters of this benchmark. */
struct terrane_droplets bench_phase_droplets(float density);

/* Steep ground over a sea far below, eroded at level 0 alone. */
void bench_phase_recipe(struct terrane_recipe *recipe, int phases, float density);

/* Makes a field of side * side samples and counts its droplets. Never freed. A failure ends the program. */
void bench_phase_make(struct bench_phase *p, int side, int phases, float density);

/* Restores the ground k mod PHASE_GROUNDS, then runs the phases; births differ by k. */
void bench_phase_run(struct bench_phase *p, int k);

/* Ground k in samples, as floats: side * side of them. */
void bench_phase_heights(const struct bench_phase *p, int k, float *heights);

#endif
