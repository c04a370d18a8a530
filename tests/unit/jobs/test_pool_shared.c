/*
 * The render pool and the shared tier (server/jobs/pool_find.c): what is found there, what is made and goes there; jobs abroad, which
 * another node makes: who leaves, what stops, and where there is no room. The tier says what a test wants: found, ours, theirs,
 * nothing, damaged, unwell; the pool's calls of it and of making come here (UNIT_WRAP_jobs in tests.mk).
 *
 * The store counts what it is asked, and the leases that are out: after each test there is none.
 */
#include "pool_regions_kit.h"

#include "../../../server/base/check.h"
#include "../../../server/cache/remote.h"
#include "../../../server/jobs/jobs.h"

WRAPS(remote_is_well);
WRAPS(remote_get);
WRAPS(remote_reject);
WRAPS(remote_lease);
WRAPS(remote_put);
WRAPS(remote_release);

enum { ENTRIES = 64 };

struct remote {
    uv_mutex_t lock;
    atomic_bool well;
    atomic_int holds; /* so many who ask for a lease */
    atomic_int lease; /* what remote_lease says; -1: anything, in turn */
    struct blob *entry[ENTRIES];
    unsigned entries;
    unsigned gets, leases, puts, puts_leased, releases;
    unsigned urgent; /* leases of what is */
    int out;         /* leases that somebody has to give back */
};

static struct remote store;

static struct blob *find_entry(const struct digest *key)
{
    for (unsigned i = 0; i < store.entries; i++)
        if (digest_equal(&store.entry[i]->key, key))
            return blob_hold(store.entry[i]);
    return NULL;
}

bool __wrap_remote_is_well(const struct remote *remote)
{
    return atomic_load(&remote->well);
}

struct blob *__wrap_remote_get(struct remote *remote, int reader, const struct digest *key, size_t bytes)
{
    uv_mutex_lock(&remote->lock);
    (void)bytes;
    CHECK(reader >= 0 && reader < POOL_ASKERS);
    remote->gets++;
    struct blob *blob = find_entry(key);
    uv_mutex_unlock(&remote->lock);
    return blob;
}

enum remote_lease __wrap_remote_lease(struct remote *remote, int reader, const struct digest *key,
                                      const struct remote_want *want, struct blob **blob)
{
    if (atomic_fetch_sub(&remote->holds, 1) > 0) {
        uv_sem_post(&holding);
        uv_sem_wait(&go);
    }
    uv_mutex_lock(&remote->lock);
    remote->urgent += want->urgent;
    CHECK(reader >= 0 && reader < POOL_ASKERS);
    enum remote_lease lease = (enum remote_lease)atomic_load(&remote->lease);
    if ((int)lease < 0)
        lease = (enum remote_lease[]){LEASE_OURS, LEASE_THEIRS, LEASE_NONE, LEASE_THEIRS}[remote->leases % 4];
    remote->leases++;
    *blob = find_entry(key);
    if (*blob)
        lease = LEASE_FOUND;
    remote->out += lease == LEASE_OURS;
    uv_mutex_unlock(&remote->lock);
    return lease;
}

void __wrap_remote_put(struct remote *remote, struct blob *blob, bool leased)
{
    (void)blob;
    uv_mutex_lock(&remote->lock);
    remote->puts++;
    remote->puts_leased += leased;
    remote->out -= leased;
    uv_mutex_unlock(&remote->lock);
}

void __wrap_remote_release(struct remote *remote, const struct digest *key)
{
    (void)key;
    uv_mutex_lock(&remote->lock);
    remote->releases++;
    remote->out--;
    uv_mutex_unlock(&remote->lock);
}

/* And the entry is gone. */
void __wrap_remote_reject(struct remote *remote, const struct digest *key)
{
    uv_mutex_lock(&remote->lock);
    for (unsigned i = 0; i < remote->entries; i++)
        if (digest_equal(&remote->entry[i]->key, key)) {
            blob_release(remote->entry[i]);
            remote->entry[i] = remote->entry[--remote->entries];
        }
    uv_mutex_unlock(&remote->lock);
}

static unsigned counted(const unsigned *counter)
{
    uv_mutex_lock(&store.lock);
    const unsigned count = *counter;
    uv_mutex_unlock(&store.lock);
    return count;
}

/* A pool of one worker and a store: of how many tiles, how long each waits for another node. */
static void shared_open(bool disk, unsigned queue, unsigned wait_ms)
{
    stage_open_tiers(disk, 2, MEMORY_BYTES);
    memset(&store, 0, sizeof store);
    uv_mutex_init(&store.lock);
    atomic_store(&make_fails, false);
    atomic_store(&store.well, true);
    stage.pool = pool_start(&(struct pool_options){.threads = 1,
                                                   .queue = queue,
                                                   .deadline_ms = FOREVER_MS,
                                                   .memory = stage.memory,
                                                   .disk = stage.disk,
                                                   .remote = &store,
                                                   .remote_wait_ms = wait_ms,
                                                   .remote_turn_ms = FOREVER_MS,
                                                   .metrics = &stage.metrics});
    assert_non_null(stage.pool);
}

/* With room, and no end to waiting. */
static void patient_open(bool disk)
{
    shared_open(disk, 100, FOREVER_MS);
}

static void shared_close(void)
{
    pool_join(stage.pool);
    assert_int_equal(atomic_load(&stage.metrics.remote_pending), 0);
    assert_int_equal(store.out, 0);
    stage_close();
    for (unsigned i = 0; i < store.entries; i++)
        blob_release(store.entry[i]);
    uv_mutex_destroy(&store.lock);
}

/* What another node has stored. */
static void store_tile(int64_t x)
{
    uv_mutex_lock(&store.lock);
    store.entry[store.entries++] = made_alone(AT(x), &stage.world);
    uv_mutex_unlock(&store.lock);
}

static void assert_tile(struct client *client, int64_t x, enum metric_tier tier)
{
    const struct tile_key key = key_at(x);
    const struct terrane_world world = default_world(key.seed);
    struct blob *expected = made_alone(&key, &world);
    assert_done(client, &key, tier);
    assert_made(client, expected);
    blob_release(expected);
}

/* Ticks until the clients have been woken. */
static void tick_for(int wakes)
{
    for (int ms = 0; wakes > 0 && ms < 60000; ms++) {
        pool_tick(stage.pool);
        while (wakes > 0 && uv_sem_trywait(&woken) == 0)
            wakes--;
        uv_sleep(1);
    }
    assert_int_equal(wakes, 0);
}

TEST(what_is_on_disk_is_not_asked_for)
{
    struct client client[2] = {0};
    patient_open(true);
    submit_at(&client[0], 3);
    wait_for(1);
    assert_tile(&client[0], 3, TIER_RENDER);
    disk_flush(stage.disk);
    memory_purge(stage.memory, true, 0);
    const unsigned gets = counted(&store.gets), puts = counted(&store.puts);
    submit_at(&client[1], 3);
    wait_for(1);
    assert_tile(&client[1], 3, TIER_DISK);
    assert_int_equal(counted(&store.gets), gets);
    assert_int_equal(counted(&store.puts), puts);
    shared_close();
}

/* And where there is none, it is made all the same. */
BOTH(what_is_made_is_stored_with_its_lease)
{
    static const enum remote_lease leases[] = {LEASE_OURS, LEASE_NONE};
    for (int k = 0; k < 2; k++) {
        struct client client[2] = {0};
        patient_open(*(const bool *)*state);
        atomic_store(&store.lease, leases[k]);
        submit_at(&client[0], 3);
        submit_at(&client[1], 4);
        wait_for(2);
        assert_tile(&client[0], 3, TIER_RENDER);
        assert_tile(&client[1], 4, TIER_RENDER);
        assert_int_equal(counted(&store.gets), 2);
        assert_int_equal(counted(&store.leases), 2);
        assert_int_equal(counted(&store.puts), 2);
        assert_int_equal(counted(&store.puts_leased), leases[k] == LEASE_OURS ? 2 : 0);
        pool_join(stage.pool);
        assert_int_equal(counted(&store.releases), 0);
        shared_close();
    }
}

/* What nobody is in a hurry for may wait long here, and somebody may wait for it elsewhere. */
BOTH(leases_of_what_is_in_no_hurry_are_told_apart)
{
    static const enum metric_class classes[] = {CLASS_IDLE, CLASS_BULK, CLASS_NEIGHBOUR, CLASS_WAITING};
    patient_open(*(const bool *)*state);
    atomic_store(&store.lease, LEASE_OURS);
    for (int i = 0; i < CLASSES; i++) {
        struct client client = {0};
        submit_as(&client, AT(20 + i), classes[i]);
        wait_for(1);
        assert_tile(&client, 20 + i, TIER_RENDER);
        assert_int_equal(counted(&store.leases), i + 1);
        assert_int_equal(counted(&store.urgent), classes[i] == CLASS_WAITING);
    }
    shared_close();
}

TEST(what_cannot_be_made_gives_its_lease_back)
{
    struct client client = {0};
    patient_open(false);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&make_fails, true);
    submit_at(&client, 3);
    wait_end(&client, 1, POOL_FAILED);
    AWAIT(counted(&store.releases) >= 1);
    assert_int_equal(counted(&store.puts), 0);
    shared_close();
}

TEST(large_tiles_stay_here)
{
    struct job *ended = malloc(sizeof *ended);
    struct blob blob = {.bytes = (8 << 20) + 1};
    patient_open(false);
    assert_non_null(ended);
    *ended = (struct job){.key.product = PRODUCT_TILE, .leased = true};
    store.out = 1;
    pool_share(stage.pool, ended, &blob);
    assert_int_equal(counted(&store.puts), 0);
    assert_int_equal(store.out, 1);
    blob.bytes--;
    struct job other = {.key.product = PRODUCT_TILE};
    pool_share(stage.pool, &other, &blob);
    assert_int_equal(counted(&store.puts), 1);
    pool_free_jobs(stage.pool, ended);
    assert_int_equal(counted(&store.releases), 1);
    shared_close();
}

/* Tiles in any number and order, of a store that says anything and is unwell at times; some clients leave. */
BOTH(whatever_the_store_says_everybody_is_answered)
{
    enum { ROUNDS = 12, CLIENTS = 60 };
    static struct client client[CLIENTS];
    uint32_t seed = 7;
    shared_open(*(const bool *)*state, 1000, 40);
    atomic_store(&store.lease, -1);
    for (int x = 0; x < 10; x++)
        store_tile(3 * x);
    for (int round = 0; round < ROUNDS; round++) {
        memset(client, 0, sizeof client);
        int waiting = 0;
        for (int i = 0; i < CLIENTS; i++) {
            seed = seed * 1664525u + 1013904223u;
            submit_at(&client[i], (seed >> 8) % 40 + 40 * (uint32_t)(round % 3));
            waiting += client[i].waits;
            atomic_store(&client[i].gone, (seed >> 24) % 8 == 0);
            if (i % 16 == 0) {
                atomic_store(&store.well, (seed >> 20) % 3 != 0);
                pool_tick(stage.pool);
            }
        }
        tick_for(waiting);
        for (int i = 0; i < CLIENTS; i++) {
            const bool gone = client[i].waiter.outcome == POOL_GONE;
            assert_outcome(&client[i], gone ? POOL_GONE : POOL_DONE);
            assert_true(!gone || atomic_load(&client[i].gone));
            blob_release(client[i].waiter.blob);
        }
        memory_purge(stage.memory, true, 0);
    }
    shared_close();
}

/* Nobody is left when the store has answered: it is not made, and its lease goes back. */
BOTH(who_leaves_while_it_is_asked_for_ends_it)
{
    struct client client = {0};
    patient_open(*(const bool *)*state);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&store.holds, 1);
    submit_at(&client, 3);
    uv_sem_wait(&holding);
    atomic_store(&client.gone, true);
    tick_for(1);
    assert_outcome(&client, POOL_GONE);
    uv_sem_post(&go);
    AWAIT(counted(&store.releases) >= 1);
    assert_int_equal(renders(), 0);
    assert_int_equal(counted(&store.puts), 0);
    shared_close();
}

BOTH(a_pool_that_stops_waits_for_nobody)
{
    struct client client[2] = {0};
    patient_open(*(const bool *)*state);
    atomic_store(&store.lease, LEASE_THEIRS);
    submit_at(&client[0], 3);
    wait_gauge(&stage.metrics.remote_pending, 1);
    atomic_store(&store.lease, LEASE_OURS);
    stage_hold();
    submit_at(&client[1], 4);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 2);
    pool_refuse(stage.pool);
    wait_end(client, 2, POOL_STOPPED);
    stage_release();
    shared_close();
}

/* Lets the one who asks go on once the pool is being stopped, and workers have had the time to end. */
static void let_go(void *argument)
{
    struct pool *pool = argument;
    for (bool stopping = false; !stopping; uv_sleep(20)) {
        uv_mutex_lock(&pool->lock);
        stopping = pool->stopping;
        uv_mutex_unlock(&pool->lock);
    }
    uv_sem_post(&go);
}

/* What comes back from the store then is no work for anybody: pool_join checks that no job is left. */
BOTH(a_pool_stops_while_it_asks)
{
    struct client client = {0};
    uv_thread_t thread;
    patient_open(*(const bool *)*state);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&store.holds, 1);
    submit_at(&client, 3);
    uv_sem_wait(&holding);
    assert_int_equal(uv_thread_create(&thread, let_go, stage.pool), 0);
    pool_join(stage.pool);
    uv_thread_join(&thread);
    wait_end(&client, 1, POOL_STOPPED);
    assert_int_equal(counted(&store.releases), 1);
    shared_close();
}

BOTH(a_full_queue_refuses_what_is_not_there_and_leases_nothing)
{
    struct client waiting = {0}, there = {0}, missing = {0};
    shared_open(*(const bool *)*state, 1, FOREVER_MS);
    atomic_store(&store.lease, LEASE_THEIRS);
    submit_at(&waiting, 1); /* abroad, and in the one place */
    wait_gauge(&stage.metrics.remote_pending, 1);
    const unsigned leases = counted(&store.leases);
    store_tile(2);
    submit_at(&there, 2);
    submit_at(&missing, 3);
    wait_for(2);
    assert_tile(&there, 2, TIER_SHARED);
    assert_outcome(&missing, POOL_FULL);
    assert_int_equal(counted(&store.leases), leases);
    assert_int_equal(stage.metrics.refused[CLASS_WAITING], 1);
    assert_int_equal(stage.metrics.dropped, 0);
    store_tile(1);
    tick_for(1);
    assert_tile(&waiting, 1, TIER_SHARED);
    shared_close();
}

POOL_GROUP(pool_shared);
