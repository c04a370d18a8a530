/*
 * Gathers under test, over a pool that does what a test says: answers late, in any order, not at all, or refuses. Memory tier,
 * tokens and requests are the real ones; a connection is a pair of sockets that remembers whether it is suspended. Calls of the
 * pool and of libmicrohttpd come here (UNIT_WRAP_gather in tests.mk). One gather's request at a time.
 */
#ifndef TERRANE_TESTS_GATHER_KIT_H
#define TERRANE_TESTS_GATHER_KIT_H

#include "../clock_kit.h"

#include "../../../server/encode/encode.h"
#include "../../../server/http/gather.h"
#include "../../../server/http/guard.h"

WRAPS(pool_submit);
WRAPS(pool_backpressure);
WRAPS(pool_has);
WRAPS(loop_resume);
WRAPS(MHD_suspend_connection);

enum { TILES_MAX = 2000, LEVEL = 20, PATIENCE_MS = 60000, SOON_MS = 30 };

/* What has been asked of the pool, and what it is to say. Under the lock, since threads answer in one test. */
static struct {
    uv_mutex_t lock;
    struct waiter *waiter[TILES_MAX]; /* of tile x, while it is asked for */
    unsigned asked[TILES_MAX];        /* how often */
    enum metric_class class[TILES_MAX];
    bool turn[TILES_MAX];
    uint64_t until_ns; /* of what was asked for last */
    unsigned waiting;  /* waiters now */
    struct waiter *nap;
    enum metric_class nap_class;
    unsigned nap_ms, naps;
    bool full, has;
} pool;

bool __wrap_pool_submit(struct pool *unused, const struct pool_ask *ask, struct waiter *waiter)
{
    const size_t x = (size_t)ask->key->x;
    (void)unused;
    assert_true(ask->again);
    uv_mutex_lock(&pool.lock);
    const bool taken = !pool.full;
    pool.asked[x]++;
    pool.class[x] = ask->class;
    pool.turn[x] = ask->turn;
    pool.until_ns = ask->until_ns;
    waiter->blob = NULL;
    waiter->tier = TIER_NONE;
    waiter->outcome = POOL_FULL;
    if (taken) {
        assert_null(pool.waiter[x]);
        pool.waiter[x] = waiter;
        pool.waiting++;
    }
    uv_mutex_unlock(&pool.lock);
    return taken;
}

bool __wrap_pool_backpressure(struct pool *unused, struct waiter *waiter, enum metric_class class,
                              unsigned ms)
{
    (void)unused;
    if (waiter->wake == request_wake)
        return false; /* a refusal's, which goes on at once */
    assert_null(pool.nap);
    pool.nap = waiter;
    pool.nap_class = class;
    pool.nap_ms = ms;
    pool.naps++;
    return true;
}

bool __wrap_pool_has(struct pool *unused, const struct digest *digest)
{
    (void)unused, (void)digest;
    return pool.has;
}

static inline struct blob *blob_of(size_t x)
{
    const struct digest digest = {.low = x, .high = 7};
    const struct blob_info info = {.format = FORMAT_F32};
    uint64_t *const data = malloc(sizeof *data);
    assert_non_null(data);
    *data = x;
    return blob_create(&digest, &info, (unsigned char *)data, sizeof *data);
}

/* The pool answers for a tile. */
static inline void answer(size_t x, enum pool_outcome outcome, enum metric_tier tier)
{
    uv_mutex_lock(&pool.lock);
    struct waiter *const waiter = pool.waiter[x];
    pool.waiter[x] = NULL;
    pool.waiting--;
    uv_mutex_unlock(&pool.lock);
    assert_non_null(waiter);
    waiter->outcome = outcome;
    waiter->tier = tier;
    waiter->blob = outcome == POOL_DONE ? blob_of(x) : NULL;
    waiter->wake(waiter);
}

static inline void make(size_t x)
{
    answer(x, POOL_DONE, TIER_RENDER);
}

static inline void end_nap(enum pool_outcome outcome)
{
    struct waiter *const waiter = pool.nap;
    assert_non_null(waiter);
    pool.nap = NULL;
    waiter->outcome = outcome;
    waiter->wake(waiter);
}

static atomic_int suspended, resumed;
static uv_sem_t roused;

void __wrap_MHD_suspend_connection(struct MHD_Connection *connection)
{
    (void)connection;
    assert_int_equal(atomic_fetch_add(&suspended, 1), 0);
}

void __wrap_loop_resume(struct loop *loop, struct MHD_Connection *connection)
{
    (void)loop, (void)connection;
    assert_int_equal(atomic_fetch_sub(&suspended, 1), 1);
    atomic_fetch_add(&resumed, 1);
    uv_sem_post(&roused);
}

static struct {
    struct service service;
    struct settings settings;
    struct loop loop;
    struct connection link;
    struct request *request;
    struct terrane_recipe recipe;
    int client; /* the other end */
} stage;

static inline int set_up(void **state)
{
    int pair[2];
    (void)state;
    memset(&stage, 0, sizeof stage);
    memset(&pool, 0, sizeof pool);
    uv_mutex_init(&pool.lock);
    uv_sem_init(&roused, 0);
    clock_stop();
    atomic_store(&suspended, 0);
    atomic_store(&resumed, 0);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return -1;
    stage.client = pair[1];
    stage.service.memory = memory_create(1 << 20);
    stage.service.clients = clients_create();
    stage.settings.config.render.deadline_ms = PATIENCE_MS;
    stage.settings.config.http.send_timeout_s = 30;
    stage.loop.service = &stage.service;
    stage.loop.settings = &stage.settings;
    stage.link.loop = &stage.loop;
    stage.link.socket = pair[0];
    stage.link.send_rate = SEND_RATE;
    stage.request = calloc(1, sizeof *stage.request + 1);
    if (!stage.request || !stage.service.memory || !stage.service.clients)
        return -1;
    stage.request->magic = REQUEST_MAGIC;
    stage.request->service = &stage.service;
    stage.request->settings = &stage.settings;
    stage.request->link = &stage.link;
    terrane_recipe_default(&stage.recipe);
    terrane_world_init(&stage.request->world, &stage.recipe, 42);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    assert_int_equal(atomic_load(&suspended), 0);
    gather_drop(stage.request->gather);
    assert_int_equal(pool.waiting, 0);
    assert_null(pool.nap);
    free(stage.request);
    clients_free(stage.service.clients);
    memory_free(stage.service.memory);
    close(stage.link.socket);
    close(stage.client);
    uv_mutex_destroy(&pool.lock);
    uv_sem_destroy(&roused);
    return 0;
}

static inline void key_of(const void *context, size_t index, struct tile_key *key,
                          struct terrane_world *world)
{
    (void)context, (void)world;
    *key = (struct tile_key){
        .seed = 42, .x = (int64_t)index, .y = 3, .level = LEVEL, .format = FORMAT_F32, .size = 3};
    assert_int_equal(tile_key_finish(key), TILE_FINE);
}

static inline struct gather *begin_plan(struct gather_plan plan)
{
    enum MHD_Result result;
    plan.key_of = key_of;
    return gather_begin(stage.request, &plan, &result);
}

static inline struct gather *begin(size_t count, unsigned ahead, bool ordered)
{
    return begin_plan((struct gather_plan){.count = count, .ahead = ahead, .ordered = ordered});
}

/* The next item is tile x, with that outcome. */
static inline void take(struct gather *gather, size_t x, enum pool_outcome outcome)
{
    struct gather_item item;
    assert_int_equal(gather_take(gather, &item), GATHER_ITEM);
    assert_int_equal(item.index, x);
    assert_int_equal(item.outcome, outcome);
    if (outcome != POOL_DONE) {
        assert_null(item.blob);
        return;
    }
    uint64_t held;
    memcpy(&held, item.blob->data, sizeof held);
    assert_int_equal(held, x);
    blob_release(item.blob);
}

static inline void take_none(struct gather *gather, enum gather_state state)
{
    struct gather_item item;
    assert_int_equal(gather_take(gather, &item), state);
}

/* Into the memory tier. */
static inline void remember(size_t x)
{
    struct tile_key key;
    struct blob *const blob = blob_of(x);
    key_of(NULL, x, &key, NULL);
    blob->key = tile_key_digest(&key, &stage.request->world);
    memory_put(stage.service.memory, blob);
    blob_release(blob);
}

#endif
