/*
 * What a run would take: what there is already is counted, and of what is left a few tiles are timed.
 *
 *     seconds = chain + (sum over products of left x mean time - chain) / threads
 *
 * where chain is one tile and all that it rests on, which wait for one another. Regions that a level needs are those
 * that its window touches; of a level that was not timed, times are those of the nearest one that was.
 *
 * Several threads make those tiles at the same time, as the run will: what they take from one another, and what other
 * programs take from them, is in their times. What a tile rests on is timed by itself, since many share it.
 */
#include <math.h>
#include <uv.h>

#include "../base/check.h"
#include "../encode/encode.h"
#include "../render/product.h"
#include "seed_run.h"

enum {
    LOOKS_MAX = 1 << 8
}; /* of a level: of more blocks, the tiles of so many are looked for, in equal steps */

#define COPY_BYTES_S 200e6 /* of an archive that is written from its tiles; a usual disk */

struct need {
    double tiles[TERRANE_LEVEL_MAX + 1]; /* left */
    double region[PRODUCTS][TERRANE_LEVEL_MAX + 1];
    bool chain[PRODUCTS][TERRANE_LEVEL_MAX + 1]; /* what a tile of the finest level rests on */
};

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

#define BUDGET_NS UINT64_C(2000000000)

struct sampler {
    const struct seed_run *run;
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

/* ---- Measuring: where --------------------------------------------------------------------------------------------- */

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

/* ---- ... and how long ------------------------------------------------------------------------------------------ */

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

/* One of the things that are made of a tile's place: the tile itself, and then what is made besides. */
static struct tile_key made_of(const struct seed_run *run, const struct tile_key *tile, int k)
{
    struct tile_key key = k > 0 ? run->also[k - 1] : *tile;
    key.level = tile->level;
    key.x = tile->x;
    key.y = tile->y;
    return key;
}

static void work(void *of)
{
    struct hand *hand = of;
    const struct seed_run *run = hand->sampler->run;
    struct tile_key tile;
    while (take(hand->sampler, &tile)) {
        for (int k = hand->warm ? 0 : -1; k <= run->alsos; k++) {
            const struct tile_key made = made_of(run, &tile, k);
            const struct product_key key = product_of_tile(&made);
            hand->warm = k >= 0;
            struct blob *blob = make(hand, &key, 0);
            if (!blob) {
                uv_mutex_lock(&hand->sampler->lock);
                hand->sampler->failed = true;
                uv_mutex_unlock(&hand->sampler->lock);
            }
            blob_release(blob);
        }
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

/*
 * Makes up to SEED_SAMPLES_MAX tiles spread over the plan, most where left[level] is most (0: none), by at most
 * `threads` threads, none after two seconds but the first. Regions are kept meanwhile in memory_bytes. 0, or -1
 * when memory is short. One tile at least is left.
 */
static int measure(const struct seed_run *run, const double left[TERRANE_LEVEL_MAX + 1],
                   struct seed_measures *measures)
{
    struct sampler sampler = {
        .run = run, .world = run->world, .end_ns = uv_hrtime() + BUDGET_NS, .measures = measures};
    struct hand hand[SEED_SAMPLES_MAX];
    *measures = (struct seed_measures){0};
    choose(&sampler, run->plan, left);
    CHECK(sampler.tiles > 0);
    sampler.memory = memory_create(run->memory_bytes);
    if (!sampler.memory)
        return -1;
    uv_mutex_init(&sampler.lock);
    const unsigned max = (unsigned)sampler.tiles;
    measures->threads = run_hands(&sampler, hand, run->threads < max ? run->threads : max);
    measures->tiles = sampler.next;
    uv_mutex_destroy(&sampler.lock);
    memory_free(sampler.memory);
    return measures->threads > 0 && !sampler.failed ? 0 : -1;
}

/* ---- What is left -------------------------------------------------------------------------------------- */

/* Tiles of a level that the sink has; below 0: it cannot be told. */
static double found_of(const struct seed_run *run, struct seed_sink *sink, int level, bool *about)
{
    const int64_t blocks = seed_plan_blocks(run->plan, level),
                  tiles = seed_plan_level_tiles(run->plan, level);
    const int64_t looks = blocks < LOOKS_MAX ? blocks : LOOKS_MAX;
    int64_t found = 0, looked = 0;
    for (int64_t k = 0; k < looks; k++) {
        struct seed_cursor cursor = {.level = level, .block = k * blocks / looks};
        struct tile_key key;
        for (; seed_plan_next_of_block(run->plan, &cursor, &key); looked++) {
            const struct digest digest = tile_key_digest(&key, run->world);
            const int has = seed_sink_has(sink, &key, &digest);
            if (has < 0)
                return -1;
            found += has;
        }
    }
    *about |= looked < tiles && found > 0 && found < looked;
    return looked > 0 ? (double)found * (double)tiles / (double)looked : 0;
}

static int count(const struct seed_run *run, struct seed_sink *sink, struct need *need,
                 struct seed_estimate *estimate)
{
    const bool complete = sink && seed_sink_is_complete(sink);
    for (int level = run->plan->finest; level <= run->plan->coarsest; level++) {
        const double tiles = (double)seed_plan_level_tiles(run->plan, level);
        const double found = complete ? tiles : sink ? found_of(run, sink, level, &estimate->found_about) : 0;
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
    const double cores = uv_available_parallelism(), max = run->threads;
    double threads = fmax(measures->threads, fmin(max, cores));
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
        work += need->tiles[level] * tile.seconds * (1 + run->alsos);
        chain += level == run->plan->finest ? tile.seconds : 0;
        for (int product = PRODUCT_TILE + 1; product < PRODUCTS; product++) {
            const double seconds = mean_cost(measures, product, level).seconds;
            work += need->region[product][level] * seconds;
            chain += need->chain[product][level] ? seconds : 0;
        }
    }
    const double rest = fmax(work - chain, 0);
    estimate->work_s = work;
    estimate->seconds = chain + rest / threads_of(run, measures, estimate->load);
    if (estimate->copies)
        estimate->seconds += estimate->bytes / COPY_BYTES_S;
    if (run->rate > 0)
        estimate->seconds = fmax(estimate->seconds, (double)(estimate->tiles - estimate->found) / run->rate);
}

int seed_estimate(const struct seed_run *run, struct seed_sink *sink, bool copies,
                  struct seed_estimate *estimate)
{
    struct need need = {0};
    struct seed_measures measures;
    *estimate = (struct seed_estimate){.tiles = seed_plan_tiles(run->plan), .copies = copies};
    if (getloadavg(&estimate->load, 1) != 1)
        estimate->load = 0;
    if (count(run, sink, &need, estimate) != 0)
        return 1;
    if (estimate->found == estimate->tiles)
        return 0;
    for (int level = run->plan->finest; level <= run->plan->coarsest; level++) {
        const struct seed_rect rect = seed_plan_rect(run->plan, level);
        const struct tile_key key = seed_plan_key(run->plan, level, rect.x0, rect.y0);
        for (int k = 0; need.tiles[level] > 0 && k <= run->alsos; k++) {
            const struct tile_key made = made_of(run, &key, k);
            const struct product_key product = product_of_tile(&made);
            add_inputs(run, level, &product, &need);
        }
    }
    if (measure(run, need.tiles, &measures) != 0)
        return -1;
    estimate->samples = measures.tiles;
    sum_up(run, &need, &measures, estimate);
    return 0;
}
