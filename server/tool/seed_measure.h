/*
 * What tiles of a plan take on this machine as it is now: a few are made, and forgotten.
 */
#ifndef TERRANE_SERVER_SEED_MEASURE_H
#define TERRANE_SERVER_SEED_MEASURE_H

#include "../render/product.h"
#include "seed_plan.h"

enum { SEED_SAMPLES_MAX = 16 };

/* Of products of one kind and level: those made, their seconds and bytes together. */
struct seed_cost {
    int made;
    double seconds, bytes;
};

struct seed_measures {
    struct seed_cost cost[PRODUCTS][TERRANE_LEVEL_MAX + 1];
    int tiles;        /* asked for: 1 .. SEED_SAMPLES_MAX */
    unsigned threads; /* that made them side by side, so that each had its share of the machine */
};

/*
 * Makes up to SEED_SAMPLES_MAX tiles spread over the plan, most where left[level] is most (0: none), by at most
 * `threads` threads, none after two seconds but the first. Regions are kept meanwhile in memory_bytes. 0, or -1
 * when memory is short. One tile at least is left.
 */
int seed_measure(const struct seed_plan *plan, const struct terrane_world *world,
                 const double left[TERRANE_LEVEL_MAX + 1], unsigned threads, uint64_t memory_bytes,
                 struct seed_measures *measures);

#endif
