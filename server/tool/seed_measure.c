/*
 * Measuring. Several threads make tiles at the same time, as the run will: what they take from one another, and what
 * other programs take from them, is in their times. What a tile rests on is timed by itself, since many share it.
 */
#include "seed_measure.h"

#include <math.h>
#include <uv.h>

#include "../base/check.h"

#define BUDGET_NS UINT64_C(2000000000)

struct sampler {
    const struct terrane_world *world;
    struct memory *memory;
    uint64_t end_ns;
    struct tile_key tile[SEED_SAMPLES_MAX];
    int tiles;
    uv_mutex_t lock; /* of all below */
    int next;
    bool failed;
    struct seed_measures *measures;
};

struct hand {
    struct sampler *sampler;
    struct producer *producer;
    bool warm; /* its memory has been used once, and a tile's time counts */
    uv_thread_t thread;
};

/* ---- Where --------------------------------------------------------------------------------------------- */

/* The k-th place along an axis of a level, spread evenly for any number of them: multiples of step, modulo 1. */
static int64_t spread(int64_t first, int64_t last, int k, double step)
{
    const double share = 0.5 + k * step;
    const int64_t at = first + (int64_t)((share - floor(share)) * (double)(last - first + 1));
    return at < last ? at : last;
}

/* Each tile goes to the level that has most tiles left for each of its samples. */
static void choose(struct sampler *sampler, const struct seed_plan *plan, const double *left)
{
    int taken[TERRANE_LEVEL_MAX + 1] = {0};
    for (int i = 0; i < SEED_SAMPLES_MAX; i++) {
        int best = -1;
        for (int level = plan->finest; level <= plan->coarsest; level++)
            if (left[level] > taken[level] &&
                (best < 0 || left[level] / (taken[level] + 1) > left[best] / (taken[best] + 1)))
                best = level;
        if (best < 0)
            return;
        const struct seed_rect rect = seed_plan_rect(plan, best);
        const int k = taken[best]++;
        /* steps of the additive sequence in two dimensions that leaves the smallest gaps */
        sampler->tile[sampler->tiles++] =
            seed_plan_key(plan, best, spread(rect.x0, rect.x1, k, 0.7548776662466927),
                          spread(rect.y0, rect.y1, k, 0.5698402909980532));
    }
}

/* ---- How long ------------------------------------------------------------------------------------------ */

static void note(struct sampler *sampler, const struct product_key *key, double seconds, size_t bytes)
{
    const int level = key->product == PRODUCT_TILE ? key->tile.level : key->region.level;
    uv_mutex_lock(&sampler->lock);
    struct seed_cost *cost = &sampler->measures->cost[key->product][level];
    cost->made++;
    cost->seconds += seconds;
    cost->bytes += (double)bytes;
    uv_mutex_unlock(&sampler->lock);
}

/* As product_make_alone, each product timed without its inputs. Owned; NULL when memory is short. */
static struct blob *make(struct hand *hand, const struct product_key *key, int depth)
{
    struct sampler *sampler = hand->sampler;
    const struct digest digest = product_digest(key, sampler->world);
    struct product_plan plan;
    struct product_key keys[PRODUCT_INPUTS_MAX];
    struct blob *inputs[PRODUCT_INPUTS_MAX] = {NULL}, *blob = NULL;
    if (key->product != PRODUCT_TILE && (blob = memory_get(sampler->memory, &digest)) != NULL)
        return blob;
    CHECK(depth < PRODUCT_DEPTH_MAX);
    const int count = product_plan(key, &digest, sampler->world, &plan, keys);
    int found = 0;
    while (found < count && (inputs[found] = make(hand, &keys[found], depth + 1)) != NULL)
        found++;
    if (found == count) {
        struct produce_times times = {0};
        const uint64_t start = uv_hrtime();
        blob = product_make(hand->producer, key, sampler->world, &plan, inputs, &times);
        if (blob && (hand->warm || key->product != PRODUCT_TILE))
            note(sampler, key, (double)(uv_hrtime() - start) / 1e9, blob->bytes);
    }
    for (int i = 0; i < found; i++)
        blob_release(inputs[i]);
    if (blob && key->product != PRODUCT_TILE)
        memory_put(sampler->memory, blob);
    return blob;
}

/* The next tile for a hand; false: there is none, or no time. */
static bool take(struct sampler *sampler, struct tile_key *tile)
{
    uv_mutex_lock(&sampler->lock);
    const bool more = !sampler->failed && sampler->next < sampler->tiles &&
                      (sampler->next == 0 || uv_hrtime() < sampler->end_ns);
    if (more)
        *tile = sampler->tile[sampler->next++];
    uv_mutex_unlock(&sampler->lock);
    return more;
}

static void work(void *of)
{
    struct hand *hand = of;
    struct tile_key tile;
    while (take(hand->sampler, &tile)) {
        const struct product_key key = product_of_tile(&tile);
        struct blob *blob = hand->warm ? NULL : make(hand, &key, 0);
        blob_release(blob);
        hand->warm = true;
        blob = make(hand, &key, 0);
        if (!blob) {
            uv_mutex_lock(&hand->sampler->lock);
            hand->sampler->failed = true;
            uv_mutex_unlock(&hand->sampler->lock);
        }
        blob_release(blob);
    }
}

/* Runs so many hands to their end. Returns how many there were. */
static unsigned run_hands(struct sampler *sampler, struct hand *hand, unsigned wanted)
{
    unsigned hands = 0;
    for (; hands < wanted; hands++) {
        hand[hands] = (struct hand){.sampler = sampler, .producer = producer_create()};
        if (!hand[hands].producer)
            break;
        if (uv_thread_create(&hand[hands].thread, work, &hand[hands]) != 0) {
            producer_free(hand[hands].producer);
            break;
        }
    }
    for (unsigned i = 0; i < hands; i++) {
        uv_thread_join(&hand[i].thread);
        producer_free(hand[i].producer);
    }
    return hands;
}

int seed_measure(const struct seed_plan *plan, const struct terrane_world *world,
                 const double left[TERRANE_LEVEL_MAX + 1], unsigned threads, uint64_t memory_bytes,
                 struct seed_measures *measures)
{
    struct sampler sampler = {.world = world, .end_ns = uv_hrtime() + BUDGET_NS, .measures = measures};
    struct hand hand[SEED_SAMPLES_MAX];
    *measures = (struct seed_measures){0};
    choose(&sampler, plan, left);
    CHECK(sampler.tiles > 0);
    sampler.memory = memory_create(memory_bytes);
    if (!sampler.memory)
        return -1;
    uv_mutex_init(&sampler.lock);
    const unsigned most = (unsigned)sampler.tiles;
    measures->threads = run_hands(&sampler, hand, threads < most ? threads : most);
    measures->tiles = sampler.next;
    uv_mutex_destroy(&sampler.lock);
    memory_free(sampler.memory);
    return measures->threads > 0 && !sampler.failed ? 0 : -1;
}
