/*
 * What a run would take: what there is already is counted, and of what is left a few tiles are timed.
 *
 *     seconds = chain + (sum over products of left x mean time - chain) / threads
 *
 * where chain is one tile and all that it rests on, which wait for one another. Regions that a level needs are those
 * that its window touches; of a level that was not timed, times are those of the nearest one that was.
 */
#include <math.h>
#include <stdlib.h>
#include <uv.h>

#include "../encode/encode.h"
#include "seed_measure.h"
#include "seed_run.h"

enum { LOOKS_MAX = 1 << 14 }; /* of a level: of more tiles, so many are looked for, in equal steps */

#define COPY_BYTES_S 200e6 /* of an archive that is written from its tiles; a usual disk */

struct need {
    double tiles[TERRANE_LEVEL_MAX + 1]; /* left */
    double region[PRODUCTS][TERRANE_LEVEL_MAX + 1];
    bool chain[PRODUCTS][TERRANE_LEVEL_MAX + 1]; /* what a tile of the finest level rests on */
};

/* ---- What is left -------------------------------------------------------------------------------------- */

/* Tiles of a level that the sink has; below 0: it cannot be told. */
static double found_of(const struct seed_run *run, struct seed_sink *sink, int level, bool *about)
{
    const struct seed_rect rect = seed_plan_rect(run->plan, level);
    const int64_t across = rect.x1 - rect.x0 + 1, tiles = across * (rect.y1 - rect.y0 + 1);
    const int64_t looks = tiles < LOOKS_MAX ? tiles : LOOKS_MAX;
    int64_t found = 0;
    for (int64_t k = 0; k < looks; k++) {
        const int64_t i = k * tiles / looks; /* at most 2^14 x 2^28 */
        const struct tile_key key =
            seed_plan_key(run->plan, level, rect.x0 + i % across, rect.y0 + i / across);
        const struct digest digest = tile_key_digest(&key, run->world);
        const int has = seed_sink_has(sink, &key, &digest);
        if (has < 0)
            return -1;
        found += has;
    }
    *about |= looks < tiles && found > 0 && found < looks;
    return (double)found * (double)tiles / (double)looks;
}

static int count(const struct seed_run *run, struct seed_sink *sink, const int64_t *there, struct need *need,
                 struct seed_estimate *estimate)
{
    const bool complete = sink && seed_sink_is_complete(sink);
    for (int level = run->plan->finest; level <= run->plan->coarsest; level++) {
        const struct seed_rect rect = seed_plan_rect(run->plan, level);
        const double tiles = (double)(rect.x1 - rect.x0 + 1) * (double)(rect.y1 - rect.y0 + 1);
        const double found = complete ? tiles
                             : there  ? (double)there[level]
                             : sink   ? found_of(run, sink, level, &estimate->found_about)
                                      : 0;
        if (found < 0)
            return -1;
        need->tiles[level] = tiles - found;
        estimate->found += llround(found);
    }
    return 0;
}

/* ---- What it rests on ---------------------------------------------------------------------------------- */

/* Regions of a kind and level that a level's window touches. */
static double regions_of(const struct seed_plan *plan, int level, const struct terrane_region *region)
{
    const struct seed_rect rect = seed_plan_rect(plan, level);
    const double tile = ldexp(TERRANE_TILE_SAMPLES, level),
                 side = ldexp(1, terrane_region_log2(region->kind, region->level) + region->level);
    const double across =
                     floor((double)(rect.x1 + 1) * tile / side - 1e-9) - floor((double)rect.x0 * tile / side),
                 down =
                     floor((double)(rect.y1 + 1) * tile / side - 1e-9) - floor((double)rect.y0 * tile / side);
    return (across + 1) * (down + 1);
}

/* Adds what a product of a level rests on. Levels share anchors and lakes: the window that touches most counts. */
static void add_inputs(const struct seed_run *run, int level, const struct product_key *key,
                       struct need *need)
{
    struct product_key inputs[PRODUCT_INPUTS_MAX];
    const int inputs_count = product_inputs(key, run->world, inputs);
    const struct seed_rect rect = seed_plan_rect(run->plan, level);
    const double share =
        need->tiles[level] / ((double)(rect.x1 - rect.x0 + 1) * (double)(rect.y1 - rect.y0 + 1));
    for (int i = 0; i < inputs_count; i++) {
        if (inputs[i].product != PRODUCT_TILE) { /* tiles below the pyramid's root are few */
            double *regions = &need->region[inputs[i].product][inputs[i].region.level];
            const double here = fmax(1, regions_of(run->plan, level, &inputs[i].region) * share);
            *regions = fmax(*regions, here);
            need->chain[inputs[i].product][inputs[i].region.level] |= level == run->plan->finest;
        }
        add_inputs(run, level, &inputs[i], need);
    }
}

/* ---- What it takes ------------------------------------------------------------------------------------- */

/* The mean of a product's cost at the nearest level where one was made; all zero where none was. */
static struct seed_cost mean_cost(const struct seed_measures *measures, int product, int level)
{
    for (int off = 0; off <= TERRANE_LEVEL_MAX; off++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const int at = level + sign * off;
            if (at < 0 || at > TERRANE_LEVEL_MAX || measures->cost[product][at].made == 0)
                continue;
            const struct seed_cost *cost = &measures->cost[product][at];
            return (struct seed_cost){1, cost->seconds / cost->made, cost->bytes / cost->made};
        }
    return (struct seed_cost){0};
}

/* Threads' worth of making that there is: those measured, more where cores are idle, fewer where the load ends it. */
static double threads_of(const struct seed_run *run, const struct seed_measures *measures, double load)
{
    const double cores = uv_available_parallelism(), most = run->threads;
    double threads = fmax(measures->threads, fmin(most, cores));
    if (run->load > 0) /* others' load counts, unless it has to fall first */
        threads = fmin(threads, fmax(load < run->load ? run->load - load : run->load, 0.1));
    return threads;
}

static void sum_up(const struct seed_run *run, const struct need *need, const struct seed_measures *measures,
                   struct seed_estimate *estimate)
{
    double work = 0, chain = 0;
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
        const struct seed_cost tile = mean_cost(measures, PRODUCT_TILE, level);
        estimate->bytes += need->tiles[level] * tile.bytes;
        work += need->tiles[level] * tile.seconds;
        chain += level == run->plan->finest ? tile.seconds : 0;
        for (int product = PRODUCT_TILE + 1; product < PRODUCTS; product++) {
            const double seconds = mean_cost(measures, product, level).seconds;
            work += need->region[product][level] * seconds;
            chain += need->chain[product][level] ? seconds : 0;
        }
    }
    const double rest = fmax(work - chain, 0);
    estimate->seconds = chain + rest / threads_of(run, measures, estimate->load);
    if (estimate->copies)
        estimate->seconds += estimate->bytes / COPY_BYTES_S;
    if (run->rate > 0)
        estimate->seconds = fmax(estimate->seconds, (double)(estimate->tiles - estimate->found) / run->rate);
}

int seed_estimate(const struct seed_run *run, struct seed_sink *sink, const int64_t *found, bool copies,
                  struct seed_estimate *estimate)
{
    struct need need = {0};
    struct seed_measures measures;
    *estimate = (struct seed_estimate){.tiles = seed_plan_tiles(run->plan), .copies = copies};
    if (getloadavg(&estimate->load, 1) != 1)
        estimate->load = 0;
    if (count(run, sink, found, &need, estimate) != 0)
        return 1;
    if (estimate->found == estimate->tiles)
        return 0;
    for (int level = run->plan->finest; level <= run->plan->coarsest; level++) {
        const struct seed_rect rect = seed_plan_rect(run->plan, level);
        const struct tile_key key = seed_plan_key(run->plan, level, rect.x0, rect.y0);
        const struct product_key product = product_of_tile(&key);
        if (need.tiles[level] > 0)
            add_inputs(run, level, &product, &need);
    }
    if (seed_measure(run->plan, run->world, need.tiles, run->threads, run->memory_bytes, &measures) != 0)
        return -1;
    estimate->samples = measures.tiles;
    sum_up(run, &need, &measures, estimate);
    return 0;
}
