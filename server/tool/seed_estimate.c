/*
 * What a run would take, by samples: at each of the finest levels, which have nearly all tiles, two neighbours
 * in the middle of two blocks. The first of two pays for the region below them, the second does not: so a
 * region's time and a tile's are told apart.
 */
#include <stdlib.h>
#include <uv.h>

#include "../render/product.h"
#include "seed_run.h"

enum { LEVELS_SAMPLED = 3, PLACES = 2 };

struct sampler {
    const struct seed_run *run;
    struct producer *producer;
    struct memory *memory;
    struct seed_estimate *estimate;
};

/* What a level's tiles take, in the mean of its samples. */
struct sampled {
    double region_s, tile_s, tile_bytes;
};

/* Makes a tile: its seconds, or below 0 where memory is short. */
static double make(struct sampler *sampler, const struct tile_key *key, double *bytes)
{
    const struct product_key product = product_of_tile(key);
    struct produce_times times = {0};
    const uint64_t start = uv_hrtime();
    struct blob *blob =
        product_make_alone(sampler->producer, &product, sampler->run->world, sampler->memory, &times);
    if (!blob)
        return -1;
    *bytes += (double)blob->bytes;
    blob_release(blob);
    sampler->estimate->samples++;
    return (double)(uv_hrtime() - start) / 1e9;
}

/* place 0 .. PLACES - 1: where in the level, on its diagonal. */
static int sample_place(struct sampler *sampler, int level, int place, struct sampled *sum)
{
    const struct seed_plan *plan = sampler->run->plan;
    const struct seed_rect rect = seed_plan_rect(plan, level);
    const int block = seed_plan_block(plan, level);
    const int64_t x = rect.x0 + (rect.x1 - rect.x0) * (2 * place + 1) / (2 * PLACES);
    int64_t y = rect.y0 + (rect.y1 - rect.y0) * (2 * place + 1) / (2 * PLACES);
    struct tile_key key = seed_plan_key(plan, level, x, y);
    const double first = make(sampler, &key, &sum->tile_bytes);
    if (block > 1)
        y += y % block == 0 ? 1 : -1; /* in the same block */
    key = seed_plan_key(plan, level, x, y);
    const double second = first < 0 ? -1 : make(sampler, &key, &sum->tile_bytes);
    if (second < 0)
        return -1;
    sum->tile_s += block > 1 && second < first ? second : first;
    sum->region_s += block > 1 && second < first ? first - second : 0;
    return 0;
}

static int sample_level(struct sampler *sampler, int level, struct sampled *mean)
{
    *mean = (struct sampled){0};
    for (int place = 0; place < PLACES; place++)
        if (sample_place(sampler, level, place, mean) != 0)
            return -1;
    mean->tile_bytes /= 2 * PLACES;
    mean->tile_s /= PLACES;
    mean->region_s /= PLACES;
    return 0;
}

static double blocks_of(const struct seed_plan *plan, int level)
{
    const struct seed_rect rect = seed_plan_rect(plan, level);
    const double block = seed_plan_block(plan, level);
    const double across = (double)(rect.x1 - rect.x0 + 1) / block,
                 down = (double)(rect.y1 - rect.y0 + 1) / block;
    return (across > 1 ? across : 1) * (down > 1 ? down : 1);
}

static int sample_all(struct sampler *sampler)
{
    const struct seed_plan *plan = sampler->run->plan;
    struct seed_estimate *estimate = sampler->estimate;
    struct sampled mean = {0};
    for (int level = plan->finest; level <= plan->coarsest; level++) {
        const struct seed_rect rect = seed_plan_rect(plan, level);
        const double tiles = (double)(rect.x1 - rect.x0 + 1) * (double)(rect.y1 - rect.y0 + 1);
        if (level < plan->finest + LEVELS_SAMPLED && sample_level(sampler, level, &mean) != 0)
            return -1; /* coarser ones are taken to be like the last */
        estimate->bytes += tiles * mean.tile_bytes;
        estimate->seconds +=
            (tiles * mean.tile_s + blocks_of(plan, level) * mean.region_s) / sampler->run->threads;
    }
    if (sampler->run->rate > 0 && estimate->seconds < (double)estimate->tiles / sampler->run->rate)
        estimate->seconds = (double)estimate->tiles / sampler->run->rate;
    return 0;
}

int seed_estimate(const struct seed_run *run, struct seed_estimate *estimate)
{
    struct sampler sampler = {.run = run,
                              .producer = producer_create(),
                              .memory = memory_create(run->memory_bytes),
                              .estimate = estimate};
    *estimate = (struct seed_estimate){.tiles = seed_plan_tiles(run->plan)};
    const int result = sampler.producer && sampler.memory ? sample_all(&sampler) : -1;
    memory_free(sampler.memory);
    producer_free(sampler.producer);
    return result;
}
