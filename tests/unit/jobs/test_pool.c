/*
 * The render pool and its production of tiles (server/render/), with a disk tier behind it and without.
 *
 * A worker that is inside a client's wake is held there for as long as a test wants, since a wake may take
 * its time: what is asked meanwhile waits, and tests say exactly what the queue is. No test waits for the
 * clock but those of deadlines.
 */
#include "pool_kit.h"

/* Deadlines are of waiters: who has joined a job later has it made. */
BOTH(deadlines_end_waiting)
{
    enum { CLIENTS = 5 };
    struct client client[CLIENTS] = {0}, late = {0};

    clock_stop();
    stage_open(state, 1, 10, 20);
    stage_hold();
    for (int i = 0; i < CLIENTS; i++)
        submit_at(&client[i], i / 2); /* two of a key */
    clock_pass(POOL_IN_HAND * 20);    /* what is held is their client's, too */
    submit_at(&late, 0);
    assert_int_equal(atomic_load(&stage.metrics.inflight),
                     CLIENTS + 1); /* until somebody looks at the clock */
    pool_tick(stage.pool);
    wait_end(client, CLIENTS, POOL_EXPIRED);
    assert_int_equal(atomic_load(&stage.metrics.inflight), 1);
    pool_tick(stage.pool); /* once only */
    assert_int_equal(metrics_read(&stage.metrics.expired), CLIENTS);
    wait_gauge(&stage.metrics.queue_depth, 1); /* when the disk has been looked at */
    wait_counter(&stage.metrics.dropped, 2);   /* though no worker got to them */
    stage_release();
    wait_for(1);
    assert_int_equal(late.waiter.tier, TIER_RENDER); /* for nobody else */
    assert_all(&late, 1, POOL_DONE);
    assert_int_equal(renders(), 2);
    stage_close();
}

/* Who came first pays for what is made; where he leaves, the one who came next. */
BOTH(somebody_pays_for_what_is_made)
{
    struct client client[4] = {0};

    stage_open_held(state, 10);
    for (int i = 0; i < 4; i++)
        submit_at(&client[i], 1);
    atomic_store(&client[0].gone, true);
    atomic_store(&client[2].gone, true);
    pool_tick(stage.pool);
    wait_for(2);
    assert_outcome(&client[0], POOL_GONE);
    assert_outcome(&client[2], POOL_GONE);
    stage_release();
    wait_for(2);
    assert_int_equal(client[1].waiter.tier, TIER_RENDER);
    assert_int_equal(client[3].waiter.tier, TIER_COALESCED);
    assert_all(&client[1], 1, POOL_DONE);
    assert_all(&client[3], 1, POOL_DONE);
    stage_close();
}

/* Whatever waits to be made, and be the queue full of it: a tile that is on disk comes first. */
TEST(looking_comes_before_making, .initial_state = &with_disk)
{
    enum { QUEUE = 3 };
    struct client stored = {0}, client[QUEUE + 1] = {0}, wanted = {0};

    stage_open(state, 1, QUEUE, FOREVER_MS);
    submit_at(&stored, 77);
    wait_end(&stored, 1, POOL_DONE);
    stage_reopen(1, QUEUE);

    stage_hold();
    for (int i = 0; i <= QUEUE; i++)
        submit_at(&client[i], i);
    submit_at(&wanted, 77);
    wait_for(2); /* while the worker is held: one is refused, one answered */
    assert_int_equal(wanted.waiter.tier, TIER_DISK);
    assert_all(&wanted, 1, POOL_DONE);
    stage_release();
    wait_end(client, QUEUE, POOL_DONE);
    assert_outcome(&client[QUEUE], POOL_FULL);
    stage_close();
}

/* All that wait for it go on: what is made, and what there is no room for is told so. */
TEST(a_disk_that_hangs_keeps_nobody_waiting, .initial_state = &with_disk)
{
    enum { QUEUE = 2, DEADLINE_MS = 8000, EIGHTH_MS = DEADLINE_MS / 8 };
    struct client client[QUEUE + 1] = {0}, later[2] = {0};

    clock_stop();
    stage_open(state, 1, QUEUE, DEADLINE_MS);
    stage_hold();
    atomic_store(&disk_hangs, true);
    for (int i = 0; i <= QUEUE; i++)
        submit_at(&client[i], i);
    uv_sem_wait(&holding); /* the first of them */
    clock_pass(EIGHTH_MS - 1);
    pool_tick(stage.pool);
    assert_int_equal(atomic_load(&stage.metrics.queue_class[CLASS_WAITING]), 0);
    clock_pass(1);
    pool_tick(stage.pool);
    wait_end(&client[QUEUE], 1, POOL_FULL);
    assert_int_equal(atomic_load(&stage.metrics.queue_class[CLASS_WAITING]), QUEUE);
    stage_release();
    wait_end(client, QUEUE, POOL_DONE);
    submit_at(&later[0], 9); /* it still hangs */
    pool_tick(stage.pool);
    wait_end(&later[0], 1, POOL_DONE);
    assert_int_equal(renders(), 1 + QUEUE + 1);
    uv_sem_post(&disk_go); /* what it says then is nobody's any more */
    submit_at(&later[1], 10);
    wait_end(&later[1], 1, POOL_DONE);
    stage_close();
}

/* One that is only slow is asked for as many as it answers in half of the deadline. */
TEST(a_slow_disk_is_waited_for_half_of_the_deadline, .initial_state = &with_disk)
{
    enum { DEADLINE_MS = 8000, STEP_MS = DEADLINE_MS / 8 - 1 };
    struct client client[8] = {0};

    clock_stop();
    stage_open(state, 1, 100, DEADLINE_MS);
    stage_hold();
    atomic_store(&disk_hangs, true);
    for (int i = 0; i < 8; i++)
        submit_at(&client[i], i);
    for (int i = 0; i < 5; i++) {
        uv_sem_wait(&holding);
        atomic_store(&disk_hangs, true);
        assert_int_equal(atomic_load(&stage.metrics.queue_class[CLASS_WAITING]), i);
        clock_pass(STEP_MS);
        pool_tick(stage.pool);
        if (i < 4)
            uv_sem_post(&disk_go);
    }
    assert_int_equal(atomic_load(&stage.metrics.queue_class[CLASS_WAITING]), 4 + 3);
    atomic_store(&disk_hangs, false);
    uv_sem_post(&disk_go);
    stage_release();
    wait_end(client, 8, POOL_DONE);
    stage_close();
}

/* ---- Coded tiles rest on plain ones, which others may ask for at the same time -------------------------------- */

enum { TOKENS = 5 };

/* Has a token for each tile that it asks for, as requests do; none comes by itself. */
static struct payer payer_new(void)
{
    clock_stop();
    return (struct payer){clients_create(), {5, 5}, {1, TOKENS}};
}

static void submit_paid(struct client *client, const struct tile_key *key, const struct payer *payer,
                        enum metric_class class)
{
    assert_int_equal(
        clients_take(payer->clients, &payer->client, BUCKET_RENDERS, &payer->rate, 1, 1, uv_hrtime()), 0);
    submit_ask(client, key, (struct pool_ask){.class = class, .payer = *payer});
}

/* When all is made: what it has paid besides so many tokens. */
static int64_t paid_ns(const struct payer *payer, int tokens)
{
    pool_join(stage.pool);
    const int64_t left_ns = clients_left_ns(payer, uv_hrtime());
    stage_close();
    clients_free(payer->clients);
    return (TOKENS - tokens) * (int64_t)CLIENTS_TOKEN_NS - left_ns;
}

/* Who leaves has its token back, and so pays for all that it took to make its tile. */
BOTH(who_leaves_what_is_being_made_pays_for_it)
{
    const struct payer payer = payer_new();
    struct client client = {0};

    stage_open(state, 1, 10, FOREVER_MS);
    atomic_store(&make_holds, true);
    submit_paid(&client, AT(1), &payer, CLASS_WAITING);
    uv_sem_wait(&holding);
    atomic_store(&client.gone, true);
    pool_tick(stage.pool);
    wait_end(&client, 1, POOL_GONE);
    clients_give_back(payer.clients, &payer.client, BUCKET_RENDERS, &payer.rate, 1); /* as route.c does */
    uv_sem_post(&go);
    assert_true(paid_ns(&payer, 0) > CLIENTS_TOKEN_NS / 2);
}

enum { TILES = 60 }; /* more than may be begun at a time with one worker */

static struct tile_key coded_key(int64_t x, enum tile_coding coding)
{
    struct tile_key key = {
        .seed = 42, .x = x, .y = 5, .level = 2, .format = FORMAT_F32, .size = 33, .coding = coding};

    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    assert_int_equal(key.coding, coding);
    return key;
}

/* What somebody has a token for costs no more than that, though a coded tile rests on it. */
BOTH(who_waits_for_what_another_needs_pays_once)
{
    const struct tile_key key[2] = {coded_key(1, CODING_IDENTITY), coded_key(1, CODING_ZSTD)};
    const struct payer payer = payer_new();
    struct client client[2] = {0};

    stage_open_held(state, 10);
    submit_paid(&client[0], &key[0], &payer, CLASS_BULK);
    submit_paid(&client[1], &key[1], &payer, CLASS_WAITING);
    wait_gauge(&stage.metrics.queue_class[CLASS_BULK], 1);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 1);
    atomic_store(&make_holds, true);
    stage_release();
    uv_sem_wait(&holding);
    wait_gauge(&stage.metrics.parked, 1); /* the coded one, which was begun first, and its turn is paid */
    uv_sem_post(&go);
    wait_end(client, 2, POOL_DONE);
    assert_true(paid_ns(&payer, 2) < CLIENTS_TOKEN_NS / 4);
}

/* A token is of the tile, in whatever coding it is asked for. */
BOTH(a_coding_is_paid_with_its_tile)
{
    const struct tile_key key = coded_key(1, CODING_ZSTD);
    const struct payer payer = payer_new();
    struct client client = {0};

    stage_open_held(state, 10);
    submit_paid(&client, &key, &payer, CLASS_BULK);
    wait_gauge(&stage.metrics.queue_class[CLASS_BULK], 1);
    atomic_store(&make_holds, true);
    stage_release();
    uv_sem_wait(&holding);
    uv_sem_post(&go);
    wait_end(&client, 1, POOL_DONE);
    assert_true(paid_ns(&payer, 1) < CLIENTS_TOKEN_NS / 4);
}

/* Were plain tiles to wait for places that coded ones hold, which wait for them, nobody would be woken. */
BOTH(coded_tiles_and_plain_ones_do_not_wait_for_each_other)
{
    static struct client coded[TILES], plain[TILES];
    memset(coded, 0, sizeof coded);
    memset(plain, 0, sizeof plain);
    stage_open(state, 1, 4 * TILES, FOREVER_MS);
    stage_hold();
    for (int i = 0; i < TILES; i++) {
        const struct tile_key key[2] = {coded_key(i, CODING_ZSTD), coded_key(i, CODING_IDENTITY)};
        submit(&coded[i], &key[0]);
        submit(&plain[i], &key[1]);
    }
    stage_release();
    wait_for(2 * TILES);
    for (int i = 0; i < TILES; i++) {
        const struct tile_key key[2] = {coded_key(i, CODING_ZSTD), coded_key(i, CODING_IDENTITY)};
        assert_done(&coded[i], &key[0], TIER_RENDER);
        assert_done(&plain[i], &key[1], TIER_RENDER);
        blob_release(coded[i].waiter.blob);
        blob_release(plain[i].waiter.blob);
    }
    assert_int_equal(renders(), TILES + 1); /* coding is no rendering */
    assert_int_equal(metrics_read(&stage.metrics.coded_bytes[0]), TILES * 33 * 33 * 4);
    assert_true(metrics_read(&stage.metrics.coded_bytes[1]) > 0);
    assert_int_equal(atomic_load(&stage.metrics.queue_class[CLASS_WAITING]), 0);
    stage_close();
}

POOL_GROUP(pool);
