/*
 * The pool (server/render) over a shared tier that says what a test wants: found, ours, theirs, nothing, damaged, unwell.
 * The pool's calls of the tier and of making come here (UNIT_WRAP_jobs in tests.mk).
 *
 * The store counts what it is asked, and the leases that are out: after each test there is none.
 */
#ifndef TERRANE_TESTS_POOL_SHARED_KIT_H
#define TERRANE_TESTS_POOL_SHARED_KIT_H

#include "pool_regions_kit.h"

#include "../../../server/base/check.h"
#include "../../../server/cache/remote.h"
#include "../../../server/jobs/jobs.h"

SHARED atomic_bool fails; /* nothing can be made */

WRAPS(product_make);
SHARED struct blob *__wrap_product_make(struct producer *producer, const struct product_key *key,
                                        const struct terrane_world *world, const struct product_plan *plan,
                                        struct blob *const *inputs, struct produce_times *times)
{
    return atomic_load(&fails) ? NULL : __real_product_make(producer, key, world, plan, inputs, times);
}

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

SHARED struct remote store;

static inline struct blob *find_entry(const struct digest *key)
{
    for (unsigned i = 0; i < store.entries; i++)
        if (digest_equal(&store.entry[i]->key, key))
            return blob_hold(store.entry[i]);
    return NULL;
}

SHARED bool __wrap_remote_is_well(const struct remote *remote)
{
    return atomic_load(&remote->well);
}

SHARED struct blob *__wrap_remote_get(struct remote *remote, int reader, const struct digest *key,
                                      size_t bytes)
{
    uv_mutex_lock(&remote->lock);
    (void)bytes;
    CHECK(reader >= 0 && reader < POOL_ASKERS);
    remote->gets++;
    struct blob *blob = find_entry(key);
    uv_mutex_unlock(&remote->lock);
    return blob;
}

SHARED enum remote_lease __wrap_remote_lease(struct remote *remote, int reader, const struct digest *key,
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

SHARED void __wrap_remote_put(struct remote *remote, struct blob *blob, bool leased)
{
    (void)blob;
    uv_mutex_lock(&remote->lock);
    remote->puts++;
    remote->puts_leased += leased;
    remote->out -= leased;
    uv_mutex_unlock(&remote->lock);
}

SHARED void __wrap_remote_release(struct remote *remote, const struct digest *key)
{
    (void)key;
    uv_mutex_lock(&remote->lock);
    remote->releases++;
    remote->out--;
    uv_mutex_unlock(&remote->lock);
}

/* And the entry is gone. */
SHARED void __wrap_remote_reject(struct remote *remote, const struct digest *key)
{
    uv_mutex_lock(&remote->lock);
    for (unsigned i = 0; i < remote->entries; i++)
        if (digest_equal(&remote->entry[i]->key, key)) {
            blob_release(remote->entry[i]);
            remote->entry[i] = remote->entry[--remote->entries];
        }
    uv_mutex_unlock(&remote->lock);
}

static inline unsigned counted(const unsigned *counter)
{
    uv_mutex_lock(&store.lock);
    const unsigned count = *counter;
    uv_mutex_unlock(&store.lock);
    return count;
}

static inline void wait_count(const unsigned *counter, unsigned min)
{
    for (int ms = 0; ms < 20000 && counted(counter) < min; ms++)
        uv_sleep(1);
    assert_true(counted(counter) >= min);
}

/* A pool of one worker and a store: of how many tiles, how long each waits for another node. */
static inline void shared_open(bool disk, unsigned queue, unsigned wait_ms)
{
    stage_open_tiers(disk, 2, MEMORY_BYTES);
    memset(&store, 0, sizeof store);
    uv_mutex_init(&store.lock);
    atomic_store(&fails, false);
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
static inline void patient_open(bool disk)
{
    shared_open(disk, 100, FOREVER_MS);
}

static inline void shared_close(void)
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
static inline void store_tile(int64_t x)
{
    const struct tile_key key = key_at(x);
    uv_mutex_lock(&store.lock);
    store.entry[store.entries++] = made_alone(&key, &stage.world);
    uv_mutex_unlock(&store.lock);
}

static inline void assert_tile(struct client *client, int64_t x, enum metric_tier tier)
{
    const struct tile_key key = key_at(x);
    const struct terrane_world world = default_world(key.seed);
    struct blob *expected = made_alone(&key, &world);
    assert_done(client, &key, tier);
    assert_made(client, expected);
    blob_release(expected);
}

/* Ticks until the clients have been woken. */
static inline void tick_for(int wakes)
{
    for (int ms = 0; wakes > 0 && ms < 60000; ms++) {
        pool_tick(stage.pool);
        while (wakes > 0 && uv_sem_trywait(&woken) == 0)
            wakes--;
        uv_sleep(1);
    }
    assert_int_equal(wakes, 0);
}

#endif
