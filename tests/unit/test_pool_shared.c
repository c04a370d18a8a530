/*
 * The render pool and the shared tier (server/render/pool_shared.c), over a store that says what a test wants: found, ours,
 * theirs, nothing, damaged, unwell. Compiles the three files of the pool anew, with their calls of the tier and of making
 * turned to those below.
 *
 * The store counts what it is asked, and the leases that are out: after each test there is none.
 */
#include "../../server/render/product.h"

static atomic_bool fails; /* nothing can be made */

static struct blob *make_or_fail(struct producer *producer, const struct product_key *key,
                                 const struct terrane_world *world, struct blob *const *inputs,
                                 struct produce_times *times)
{
    return atomic_load(&fails) ? NULL : product_make(producer, key, world, inputs, times);
}

#define product_make   make_or_fail
#define pool_wake      unit_pool_wake
#define pool_drop      unit_pool_drop
#define pool_has_room  unit_pool_has_room
#define pool_make_job  unit_pool_make_job
#define pool_start_job unit_pool_start_job
#define pool_stir      unit_pool_stir
#define pool_submit    unit_pool_submit
#define pool_prefetch  unit_pool_prefetch
#define pool_nap       unit_pool_nap
#define pool_has       unit_pool_has
#define pool_limit     unit_pool_limit
#define pool_tick      unit_pool_tick
#define pool_refuse    unit_pool_refuse
#define pool_start     unit_pool_start
#define pool_join      unit_pool_join
#define pool_free      unit_pool_free
#define pool_answer    unit_pool_answer
#define pool_may_go_on unit_pool_may_go_on
#define pool_turn_away unit_pool_turn_away
#define pool_work      unit_pool_work
#define pool_is_shared unit_pool_is_shared
#define pool_may_ask   unit_pool_may_ask
#define pool_share     unit_pool_share
#define pool_free_jobs unit_pool_free_jobs
#define pool_ask_later unit_pool_ask_later
#define pool_ask_for   unit_pool_ask_for
#define pool_recall    unit_pool_recall
#define remote_is_well unit_remote_is_well
#define remote_get     unit_remote_get
#define remote_reject  unit_remote_reject
#define remote_lease   unit_remote_lease
#define remote_put     unit_remote_put
#define remote_release unit_remote_release
#define submit         pool_c_submit

#include "../../server/render/pool.c"
#include "../../server/render/pool_shared.c"
#include "../../server/render/pool_work.c"

#undef submit
#undef product_make

#include "pool_regions_kit.h"

/* ---- The store ----------------------------------------------------------------------------------------- */

enum { ENTRIES = 64 };

struct remote {
    uv_mutex_t lock;
    atomic_bool well;
    atomic_int holds; /* so many who ask for a lease */
    atomic_int lease; /* what remote_lease says; -1: anything, in turn */
    struct blob *entry[ENTRIES];
    unsigned entries;
    unsigned gets, leases, puts, puts_leased, releases, rejects;
    unsigned urgent; /* leases of what is */
    unsigned large;  /* gets and leases of what is known to be large */
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

bool unit_remote_is_well(const struct remote *remote)
{
    return atomic_load(&remote->well);
}

struct blob *unit_remote_get(struct remote *remote, int reader, const struct digest *key, size_t bytes)
{
    uv_mutex_lock(&remote->lock);
    remote->large += bytes > 0;
    CHECK(reader >= 0 && reader < POOL_ASKERS);
    remote->gets++;
    struct blob *blob = find_entry(key);
    uv_mutex_unlock(&remote->lock);
    return blob;
}

enum remote_lease unit_remote_lease(struct remote *remote, int reader, const struct digest *key,
                                    const struct remote_want *want, struct blob **blob)
{
    if (atomic_fetch_sub(&remote->holds, 1) > 0) {
        uv_sem_post(&holding);
        uv_sem_wait(&go);
    }
    uv_mutex_lock(&remote->lock);
    remote->large += want->bytes > 0;
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

void unit_remote_put(struct remote *remote, struct blob *blob, bool leased)
{
    (void)blob;
    uv_mutex_lock(&remote->lock);
    remote->puts++;
    remote->puts_leased += leased;
    remote->out -= leased;
    uv_mutex_unlock(&remote->lock);
}

void unit_remote_release(struct remote *remote, const struct digest *key)
{
    (void)key;
    uv_mutex_lock(&remote->lock);
    remote->releases++;
    remote->out--;
    uv_mutex_unlock(&remote->lock);
}

/* And the entry is gone. */
void unit_remote_reject(struct remote *remote, const struct digest *key)
{
    uv_mutex_lock(&remote->lock);
    remote->rejects++;
    for (unsigned i = 0; i < remote->entries; i++)
        if (digest_equal(&remote->entry[i]->key, key)) {
            blob_release(remote->entry[i]);
            remote->entry[i] = remote->entry[--remote->entries];
        }
    uv_mutex_unlock(&remote->lock);
}

/* ---- The stage ----------------------------------------------------------------------------------------- */

static unsigned counted(const unsigned *counter)
{
    uv_mutex_lock(&store.lock);
    const unsigned count = *counter;
    uv_mutex_unlock(&store.lock);
    return count;
}

static void wait_count(const unsigned *counter, unsigned least)
{
    for (int ms = 0; ms < 20000 && counted(counter) < least; ms++)
        uv_sleep(1);
    assert_true(counted(counter) >= least);
}

struct shape {
    unsigned queue, deadline_ms, wait_ms;
    unsigned turn_ms; /* 0: for ever */
    bool regions;
};

static const struct shape patient = {.queue = 100, .deadline_ms = FOREVER_MS, .wait_ms = FOREVER_MS};

static void shared_open(struct stage *stage, bool disk, const struct shape *shape)
{
    stage_open_tiers(stage, disk, 2, MEMORY_BYTES);
    memset(&store, 0, sizeof store);
    uv_mutex_init(&store.lock);
    atomic_store(&fails, false);
    atomic_store(&store.well, true);
    stage->pool =
        pool_start(&(struct pool_options){.threads = 1,
                                          .queue = shape->queue,
                                          .deadline_ms = shape->deadline_ms,
                                          .memory = stage->memory,
                                          .disk = stage->disk,
                                          .remote = &store,
                                          .remote_regions = shape->regions,
                                          .remote_wait_ms = shape->wait_ms,
                                          .remote_turn_ms = shape->turn_ms ? shape->turn_ms : FOREVER_MS,
                                          .metrics = &stage->metrics});
    assert_non_null(stage->pool);
}

static void shared_close(struct stage *stage)
{
    pool_join(stage->pool);
    assert_int_equal(atomic_load(&stage->metrics.abroad), 0);
    assert_int_equal(store.out, 0);
    stage_close(stage);
    for (unsigned i = 0; i < store.entries; i++)
        blob_release(store.entry[i]);
    uv_mutex_destroy(&store.lock);
}

/* What another node has stored. */
static void store_tile(struct stage *stage, int64_t x)
{
    const struct tile_key key = key_at(x);
    struct producer *producer = producer_create();
    struct produce_times times;
    assert_non_null(producer);
    uv_mutex_lock(&store.lock);
    store.entry[store.entries++] = produce(producer, &key, &stage->world, &times);
    uv_mutex_unlock(&store.lock);
    producer_free(producer);
}

static void assert_tile(struct client *client, int64_t x, enum metric_tier tier)
{
    const struct tile_key key = key_at(x);
    struct producer *producer = producer_create();
    const struct terrane_world world = default_world(key.seed);
    struct produce_times times;
    assert_done(client, &key, tier);
    struct blob *expected = produce(producer, &key, &world, &times);
    assert_int_equal(client->waiter.blob->bytes, expected->bytes);
    assert_memory_equal(client->waiter.blob->data, expected->data, expected->bytes);
    blob_release(expected);
    blob_release(client->waiter.blob);
    producer_free(producer);
}

/* Ticks until the clients have been woken. */
static void tick_for(struct stage *stage, int wakes)
{
    for (int ms = 0; wakes > 0 && ms < 60000; ms++) {
        pool_tick(stage->pool);
        while (wakes > 0 && uv_sem_trywait(&woken) == 0)
            wakes--;
        uv_sleep(1);
    }
    assert_int_equal(wakes, 0);
}

static bool in_memory(struct stage *stage, int64_t x)
{
    const struct tile_key key = key_at(x);
    const struct digest digest = tile_key_digest(&key, &stage->world);
    uint64_t bytes;
    return memory_has(stage->memory, &digest, &bytes);
}

/* ---- Found --------------------------------------------------------------------------------------------- */

static void what_another_node_made_is_answered_and_kept(void **state)
{
    const bool disk = *(const bool *)*state;
    struct stage stage;
    struct client client = {0};
    shared_open(&stage, disk, &patient);
    store_tile(&stage, 3);
    submit_at(&stage, &client, 3);
    wait_for(1);
    assert_tile(&client, 3, TIER_SHARED);
    assert_true(client.waiter.shared_ns > 0);
    assert_int_equal(renders(&stage), 0);
    assert_int_equal(stage.metrics.hits[TIER_SHARED], 1);
    assert_int_equal(counted(&store.gets), 1);
    assert_int_equal(counted(&store.leases) + counted(&store.puts), 0);
    assert_true(in_memory(&stage, 3));
    if (disk) {
        const struct tile_key key = key_at(3);
        const struct digest digest = tile_key_digest(&key, &stage.world);
        uint64_t bytes;
        disk_flush(stage.disk);
        assert_true(disk_has(stage.disk, 0, &digest, &bytes));
    }
    shared_close(&stage);
}

static void what_is_on_disk_is_not_asked_for(void **state)
{
    struct stage stage;
    struct client client[2] = {0};
    (void)state;
    shared_open(&stage, true, &patient);
    submit_at(&stage, &client[0], 3);
    wait_for(1);
    assert_tile(&client[0], 3, TIER_RENDER);
    disk_flush(stage.disk);
    memory_purge(stage.memory, true, 0);
    const unsigned gets = counted(&store.gets), puts = counted(&store.puts);
    submit_at(&stage, &client[1], 3);
    wait_for(1);
    assert_tile(&client[1], 3, TIER_DISK);
    assert_int_equal(counted(&store.gets), gets);
    assert_int_equal(counted(&store.puts), puts);
    shared_close(&stage);
}

static void an_entry_that_does_not_fit_is_rejected(void **state)
{
    struct stage stage;
    struct client client = {0};
    (void)state;
    shared_open(&stage, false, &patient);
    store_tile(&stage, 3);
    store.entry[0]->info.format = FORMAT_PNG;
    submit_at(&stage, &client, 3);
    wait_for(1);
    assert_tile(&client, 3, TIER_RENDER);
    assert_int_equal(counted(&store.rejects), 1);
    assert_int_equal(stage.metrics.hits[TIER_SHARED], 0);
    shared_close(&stage);
}

/* All who ask are busy for longer than it may wait: it is made without having been asked for. */
static void hold_up(bool disk, unsigned turn_ms)
{
    const uint64_t most_ns =
        turn_ms ? (uint64_t)turn_ms * 1000000 : (uint64_t)FOREVER_MS * 125000; /* an eighth of the deadline */
    struct shape shape = patient;
    struct stage stage;
    struct client client[POOL_ASKERS + 1] = {0};
    const struct tile_key key = key_at(POOL_ASKERS);
    shape.turn_ms = turn_ms;
    shared_open(&stage, disk, &shape);
    const struct digest digest = tile_key_digest(&key, &stage.world);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&store.holds, POOL_ASKERS);
    for (int i = 0; i < POOL_ASKERS; i++)
        submit_at(&stage, &client[i], i);
    for (int i = 0; i < POOL_ASKERS; i++)
        uv_sem_wait(&holding);
    submit_at(&stage, &client[POOL_ASKERS], POOL_ASKERS);
    wait_gauge(&stage.metrics.queue_depth, 1);
    for (bool asking = false; !asking; uv_sleep(1)) {
        uv_mutex_lock(&stage.pool->lock);
        struct job *job = jobs_find(&stage.pool->jobs, &digest);
        asking = job->state == JOB_QUEUED && job->queue == QUEUE_ASKING;
        job->asking_ns = uv_hrtime() - most_ns;
        uv_mutex_unlock(&stage.pool->lock);
    }
    for (int i = 0; i < POOL_ASKERS; i++)
        uv_sem_post(&go);
    wait_for(POOL_ASKERS + 1);
    for (int i = 0; i <= POOL_ASKERS; i++)
        assert_tile(&client[i], i, TIER_RENDER);
    assert_int_equal(counted(&store.gets), POOL_ASKERS);
    assert_int_equal(counted(&store.leases), POOL_ASKERS);
    shared_close(&stage);
}

static void a_slow_store_does_not_hold_up_what_comes_behind(void **state)
{
    hold_up(*(const bool *)*state, 0);
    hold_up(*(const bool *)*state, 30000);
}

/* ---- Made ---------------------------------------------------------------------------------------------- */

static void what_is_made_is_stored_with_its_lease(void **state)
{
    struct stage stage;
    struct client client[2] = {0};
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_OURS);
    submit_at(&stage, &client[0], 3);
    submit_at(&stage, &client[1], 4);
    wait_for(2);
    assert_tile(&client[0], 3, TIER_RENDER);
    assert_tile(&client[1], 4, TIER_RENDER);
    assert_int_equal(counted(&store.gets), 2);
    assert_int_equal(counted(&store.leases), 2);
    assert_int_equal(counted(&store.puts), 2);
    assert_int_equal(counted(&store.puts_leased), 2);
    pool_join(stage.pool);
    assert_int_equal(counted(&store.releases), 0);
    shared_close(&stage);
}

/* What nobody is in a hurry for may wait long here, and somebody may wait for it elsewhere. */
static void leases_of_what_is_in_no_hurry_are_told_apart(void **state)
{
    static const enum metric_class classes[] = {CLASS_BULK, CLASS_NEIGHBOUR, CLASS_WAITING};
    struct stage stage;
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_OURS);
    for (int i = 0; i < CLASSES; i++) {
        struct client client = {0};
        const struct tile_key key = key_at(20 + i);
        submit_as(&stage, &client, &key, classes[i], NULL);
        wait_for(1);
        assert_tile(&client, 20 + i, TIER_RENDER);
        assert_int_equal(counted(&store.leases), i + 1);
        assert_int_equal(counted(&store.urgent), classes[i] == CLASS_WAITING);
    }
    shared_close(&stage);
}

static void without_a_lease_it_is_made_all_the_same(void **state)
{
    struct stage stage;
    struct client client = {0};
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_NONE);
    submit_at(&stage, &client, 3);
    wait_for(1);
    assert_tile(&client, 3, TIER_RENDER);
    assert_int_equal(counted(&store.puts), 1);
    assert_int_equal(counted(&store.puts_leased), 0);
    shared_close(&stage);
}

static void an_unwell_tier_is_not_asked(void **state)
{
    struct stage stage;
    struct client client = {0};
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.well, false);
    submit_at(&stage, &client, 3);
    wait_for(1);
    assert_tile(&client, 3, TIER_RENDER);
    assert_int_equal(counted(&store.gets) + counted(&store.leases), 0);
    shared_close(&stage);
}

static void what_cannot_be_made_gives_its_lease_back(void **state)
{
    struct stage stage;
    struct client client = {0};
    (void)state;
    shared_open(&stage, false, &patient);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&fails, true);
    submit_at(&stage, &client, 3);
    wait_for(1);
    assert_outcome(&client, POOL_FAILED);
    wait_count(&store.releases, 1);
    assert_int_equal(counted(&store.puts), 0);
    shared_close(&stage);
}

/* Behind a worker that is held: leased, and in the queue. */
static void what_nobody_wants_gives_its_lease_back(void **state)
{
    struct stage stage;
    struct client client = {0};
    (void)state;
    shared_open(&stage, false, &patient);
    atomic_store(&store.lease, LEASE_OURS);
    stage_hold(&stage);
    submit_at(&stage, &client, 3);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 1);
    atomic_store(&client.gone, true);
    tick_for(&stage, 1);
    assert_outcome(&client, POOL_GONE);
    assert_int_equal(counted(&store.releases), 1);
    assert_int_equal(stage.metrics.dropped, 1);
    stage_release(&stage);
    shared_close(&stage);
}

static void large_tiles_stay_here(void **state)
{
    struct stage stage;
    struct job *ended = malloc(sizeof *ended);
    struct blob blob = {.bytes = (8 << 20) + 1};
    (void)state;
    shared_open(&stage, false, &patient);
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
    shared_close(&stage);
}

/* ---- Abroad -------------------------------------------------------------------------------------------- */

static void what_another_node_makes_is_waited_for(void **state)
{
    struct stage stage;
    struct client client[2] = {0};
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_THEIRS);
    submit_at(&stage, &client[0], 3);
    wait_gauge(&stage.metrics.abroad, 1);
    submit_at(&stage, &client[1], 3);
    assert_int_equal(stage.metrics.queue_class[CLASS_WAITING], 1); /* it has a place among those that wait */
    assert_int_equal(stage.metrics.queue_depth, 0);
    for (unsigned n = 2; n < 5; n++) { /* asks again, and again */
        for (int ms = 0; ms < 20000 && counted(&store.leases) < n; ms++) {
            pool_tick(stage.pool);
            uv_sleep(1);
        }
        assert_true(counted(&store.leases) >= n);
    }
    store_tile(&stage, 3);
    tick_for(&stage, 2);
    assert_tile(&client[0], 3, TIER_SHARED);
    assert_tile(&client[1], 3, TIER_COALESCED);
    assert_int_equal(renders(&stage), 0);
    assert_int_equal(counted(&store.gets), 1);
    shared_close(&stage);
}

static void a_node_that_died_is_not_waited_for_for_ever(void **state)
{
    struct stage stage;
    struct client client = {0};
    const struct shape brief = {.queue = 100, .deadline_ms = FOREVER_MS, .wait_ms = 60};
    shared_open(&stage, *(const bool *)*state, &brief);
    atomic_store(&store.lease, LEASE_THEIRS);
    const uint64_t start = uv_hrtime();
    submit_at(&stage, &client, 3);
    tick_for(&stage, 1);
    assert_true(uv_hrtime() - start >= 60000000);
    assert_tile(&client, 3, TIER_RENDER);
    assert_int_equal(counted(&store.puts), 1);
    assert_int_equal(counted(&store.puts_leased), 0);
    shared_close(&stage);
}

/* Half of the time of who asked first, so that the other half is left to make it. */
static void nobody_waits_abroad_until_his_deadline(void **state)
{
    struct pool pool = {.options = {.deadline_ms = 4000, .remote_wait_ms = 3000}};
    const uint64_t ms = 1000000;
    struct job fresh = {.since_ns = uv_hrtime() - 100 * ms}, old = {.since_ns = uv_hrtime() - 2000 * ms};
    (void)state;
    assert_true(set_out(&pool, &fresh));
    assert_int_equal(fresh.abroad_until_ns, fresh.since_ns + 2000 * ms);
    assert_int_equal(fresh.pause_ns, 5 * ms);
    for (uint64_t pause = 10; pause <= 80; pause *= 2) {
        set_out(&pool, &fresh);
        assert_int_equal(fresh.pause_ns, (pause < 50 ? pause : 50) * ms);
    }
    assert_int_equal(fresh.abroad_until_ns, fresh.since_ns + 2000 * ms);
    assert_false(set_out(&pool, &old));
    pool.options.deadline_ms = 60000;
    struct job other = {.since_ns = uv_hrtime()};
    const uint64_t before = uv_hrtime();
    assert_true(set_out(&pool, &other));
    assert_in_range(other.abroad_until_ns, before + 3000 * ms, uv_hrtime() + 3000 * ms);
}

static void an_open_breaker_calls_them_home(void **state)
{
    enum { CLIENTS = 20 };
    struct stage stage;
    struct client client[CLIENTS] = {0};
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_THEIRS);
    for (int i = 0; i < CLIENTS; i++)
        submit_at(&stage, &client[i], i);
    wait_gauge(&stage.metrics.abroad, CLIENTS);
    atomic_store(&store.well, false);
    const unsigned leases = counted(&store.leases);
    pool_tick(stage.pool); /* one is enough */
    wait_for(CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        assert_tile(&client[i], i, TIER_RENDER);
    assert_int_equal(counted(&store.leases), leases);
    shared_close(&stage);
}

static void who_leaves_while_it_is_abroad_ends_it(void **state)
{
    struct stage stage;
    struct client client = {0};
    (void)state;
    shared_open(&stage, false, &patient);
    atomic_store(&store.lease, LEASE_THEIRS);
    submit_at(&stage, &client, 3);
    wait_gauge(&stage.metrics.abroad, 1);
    atomic_store(&client.gone, true);
    tick_for(&stage, 1);
    assert_outcome(&client, POOL_GONE);
    assert_int_equal(stage.metrics.abroad, 0);
    assert_int_equal(stage.metrics.dropped, 1);
    assert_int_equal(renders(&stage), 0);
    shared_close(&stage);
}

/* Nobody is left when the store has answered: it is not made, and its lease goes back. */
static void who_leaves_while_it_is_asked_for_ends_it(void **state)
{
    struct stage stage;
    struct client client = {0};
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&store.holds, 1);
    submit_at(&stage, &client, 3);
    uv_sem_wait(&holding);
    atomic_store(&client.gone, true);
    tick_for(&stage, 1);
    assert_outcome(&client, POOL_GONE);
    uv_sem_post(&go);
    wait_count(&store.releases, 1);
    assert_int_equal(renders(&stage), 0);
    assert_int_equal(counted(&store.puts), 0);
    shared_close(&stage);
}

static void a_pool_that_stops_waits_for_nobody(void **state)
{
    struct stage stage;
    struct client client[2] = {0};
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_THEIRS);
    submit_at(&stage, &client[0], 3);
    wait_gauge(&stage.metrics.abroad, 1);
    atomic_store(&store.lease, LEASE_OURS);
    stage_hold(&stage);
    submit_at(&stage, &client[1], 4);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 2);
    pool_refuse(stage.pool);
    wait_for(2);
    assert_outcome(&client[0], POOL_STOPPED);
    assert_outcome(&client[1], POOL_STOPPED);
    stage_release(&stage);
    shared_close(&stage);
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
static void a_pool_stops_while_it_asks(void **state)
{
    struct stage stage;
    struct client client = {0};
    uv_thread_t thread;
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&store.holds, 1);
    submit_at(&stage, &client, 3);
    uv_sem_wait(&holding);
    assert_int_equal(uv_thread_create(&thread, let_go, stage.pool), 0);
    pool_join(stage.pool);
    uv_thread_join(&thread);
    wait_for(1);
    assert_outcome(&client, POOL_STOPPED);
    assert_int_equal(counted(&store.releases), 1);
    shared_close(&stage);
}

/* ---- Room ---------------------------------------------------------------------------------------------- */

static void a_full_queue_refuses_what_is_not_there_and_leases_nothing(void **state)
{
    struct stage stage;
    struct client waiting = {0}, there = {0}, missing = {0};
    const struct shape narrow = {.queue = 1, .deadline_ms = FOREVER_MS, .wait_ms = FOREVER_MS};
    shared_open(&stage, *(const bool *)*state, &narrow);
    atomic_store(&store.lease, LEASE_THEIRS);
    submit_at(&stage, &waiting, 1); /* abroad, and in the one place */
    wait_gauge(&stage.metrics.abroad, 1);
    const unsigned leases = counted(&store.leases);
    store_tile(&stage, 2);
    submit_at(&stage, &there, 2);
    submit_at(&stage, &missing, 3);
    wait_for(2);
    assert_tile(&there, 2, TIER_SHARED);
    assert_outcome(&missing, POOL_FULL);
    assert_int_equal(counted(&store.leases), leases);
    assert_int_equal(stage.metrics.refused[CLASS_WAITING], 1);
    assert_int_equal(stage.metrics.dropped, 0);
    store_tile(&stage, 1);
    tick_for(&stage, 1);
    assert_tile(&waiting, 1, TIER_SHARED);
    shared_close(&stage);
}

/* ---- Regions ------------------------------------------------------------------------------------------- */

static void regions_are_shared_where_that_is_wanted(void **state)
{
    const bool wanted = *(const bool *)*state;
    struct shape shape = patient;
    struct stage stage;
    struct client client = {0};
    shape.regions = wanted;
    shared_open(&stage, false, &shape);
    stage.world = eroding_world();
    atomic_store(&store.lease, LEASE_OURS);
    const struct tile_key key = eroded_at(4, 0, 0, LAYER_HEIGHT);
    submit(&stage, &client, &key);
    wait_for(1);
    struct blob *expected = expected_of(&key);
    assert_made(&client, expected);
    blob_release(expected);
    assert_true(regions(&stage) > 0);
    const unsigned products = 1 + (wanted ? (unsigned)regions(&stage) : 0);
    assert_int_equal(counted(&store.gets), products);
    assert_int_equal(counted(&store.leases), products);
    assert_int_equal(counted(&store.puts_leased), products);
    assert_int_equal(counted(&store.large), 2 * (products - 1)); /* regions have the time that they need */
    shared_close(&stage);
}

/* ---- Anything ------------------------------------------------------------------------------------------ */

/* Tiles in any number and order, of a store that says anything and is unwell at times; some clients leave. */
static void whatever_the_store_says_everybody_is_answered(void **state)
{
    enum { ROUNDS = 30, CLIENTS = 60 };
    static struct client client[CLIENTS];
    struct stage stage;
    const struct shape brief = {.queue = 1000, .deadline_ms = FOREVER_MS, .wait_ms = 40};
    uint32_t seed = 7;
    shared_open(&stage, *(const bool *)*state, &brief);
    atomic_store(&store.lease, -1);
    for (int x = 0; x < 10; x++)
        store_tile(&stage, 3 * x);
    for (int round = 0; round < ROUNDS; round++) {
        memset(client, 0, sizeof client);
        int waiting = 0;
        for (int i = 0; i < CLIENTS; i++) {
            seed = seed * 1664525u + 1013904223u;
            submit_at(&stage, &client[i], (seed >> 8) % 40 + 40 * (uint32_t)(round % 3));
            waiting += client[i].waits;
            atomic_store(&client[i].gone, (seed >> 24) % 8 == 0);
            if (i % 16 == 0) {
                atomic_store(&store.well, (seed >> 20) % 3 != 0);
                pool_tick(stage.pool);
            }
        }
        tick_for(&stage, waiting);
        for (int i = 0; i < CLIENTS; i++) {
            const bool gone = client[i].waiter.outcome == POOL_GONE;
            assert_outcome(&client[i], gone ? POOL_GONE : POOL_DONE);
            assert_true(!gone || atomic_load(&client[i].gone));
            blob_release(client[i].waiter.blob);
        }
        memory_purge(stage.memory, true, 0);
    }
    shared_close(&stage);
}

#define ONE(test, state)                       \
    {                                          \
#test, test, NULL, NULL, (void *)state \
    }

static int run(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(what_another_node_made_is_answered_and_kept),
        ONE(what_is_on_disk_is_not_asked_for, NULL),
        ONE(an_entry_that_does_not_fit_is_rejected, NULL),
        BOTH(a_slow_store_does_not_hold_up_what_comes_behind),
        BOTH(what_is_made_is_stored_with_its_lease),
        BOTH(leases_of_what_is_in_no_hurry_are_told_apart),
        BOTH(without_a_lease_it_is_made_all_the_same),
        BOTH(an_unwell_tier_is_not_asked),
        ONE(what_cannot_be_made_gives_its_lease_back, NULL),
        ONE(what_nobody_wants_gives_its_lease_back, NULL),
        ONE(large_tiles_stay_here, NULL),
        BOTH(what_another_node_makes_is_waited_for),
        BOTH(a_node_that_died_is_not_waited_for_for_ever),
        ONE(nobody_waits_abroad_until_his_deadline, NULL),
        BOTH(an_open_breaker_calls_them_home),
        ONE(who_leaves_while_it_is_abroad_ends_it, NULL),
        BOTH(who_leaves_while_it_is_asked_for_ends_it),
        BOTH(a_pool_that_stops_waits_for_nobody),
        BOTH(a_pool_stops_while_it_asks),
        BOTH(a_full_queue_refuses_what_is_not_there_and_leases_nothing),
        ONE(regions_are_shared_where_that_is_wanted, &without),
        ONE(regions_are_shared_where_that_is_wanted, &with_disk),
        BOTH(whatever_the_store_says_everybody_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    return pool_kit_run(run);
}
