/*
 * The memory tier (server/cache/memory.c) and the blobs in it: while it is made smaller and larger, purged, and while memory is
 * short.
 *
 * Blobs here say that they are of some size and own one byte, or the bytes that follow from their key: the
 * tier looks at neither. What an entry costs beside its payload is learned from the tier, and taken for a
 * constant.
 */
#include <uv.h>

#include "../../../server/cache/memory.h"
#include "../shortage_kit.h"

enum { WORLDS = 5 };

static const struct blob_info info = {.format = FORMAT_F32, .width = 4, .height = 4, .max_m = 1};

/* Keys of one n are all different; as digests are, they are spread over all bits. */
static struct digest key_of(uint64_t n)
{
    uint64_t mixed = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);

    mixed ^= mixed >> 32;
    return (struct digest){.low = mixed * UINT64_C(0xd6e8feb86659fd93), .high = mixed};
}

/* A blob that owns one byte and says that it has bytes. NULL: no memory for it. */
static struct blob *hollow(struct digest key, size_t bytes)
{
    unsigned char *const data = malloc(1);
    struct blob *const blob = data ? blob_create(&key, &info, data, bytes) : NULL;

    if (!blob)
        return NULL;
    data[0] = (unsigned char)key.low;
    blob->world = key.low % WORLDS + 100;
    return blob;
}

static bool put_hollow(struct memory *memory, struct digest key, size_t bytes)
{
    struct blob *const blob = hollow(key, bytes);

    if (blob)
        memory_put(memory, blob);
    blob_release(blob);
    return blob != NULL;
}

static bool has(struct memory *memory, struct digest key)
{
    struct blob *const blob = memory_get(memory, &key);

    if (blob)
        assert_true(digest_equal(&blob->key, &key));
    blob_release(blob);
    return blob != NULL;
}

static struct memory_stats stats_of(struct memory *memory)
{
    struct memory_stats stats;

    memory_stats(memory, &stats);
    return stats;
}

/* Bytes that an entry costs beside its payload. */
static uint64_t overhead(void)
{
    struct memory *const memory = memory_create(1 << 20);

    assert_non_null(memory);
    put_hollow(memory, key_of(0), 1000);
    const uint64_t bytes = stats_of(memory).bytes;
    memory_free(memory);
    assert_in_range(bytes, 1001, 1500);
    return bytes - 1000;
}

/* A list in the order of use, newest first: what one shard should hold. */
struct model {
    struct {
        uint64_t key;
        size_t bytes;
    } item[256];
    int count;
    uint64_t bytes, evictions;
};

static int model_find(const struct model *model, uint64_t key)
{
    for (int i = 0; i < model->count; i++)
        if (model->item[i].key == key)
            return i;
    return -1;
}

static void model_to_front(struct model *model, int at)
{
    const uint64_t key = model->item[at].key;
    const size_t bytes = model->item[at].bytes;

    memmove(model->item + 1, model->item, (size_t)at * sizeof *model->item);
    model->item[0].key = key;
    model->item[0].bytes = bytes;
}

static void model_put(struct model *model, uint64_t key, size_t bytes, uint64_t extra, uint64_t budget)
{
    if (bytes + extra > budget || model_find(model, key) >= 0)
        return;
    while (model->bytes + bytes + extra > budget) {
        model->bytes -= model->item[--model->count].bytes + extra;
        model->evictions++;
    }
    assert_in_range(model->count, 0, 255);
    model->item[model->count].key = key;
    model->item[model->count].bytes = bytes;
    model_to_front(model, model->count++);
    model->bytes += bytes + extra;
}

TEST(any_steps_are_those_of_a_list)
{
    enum { BUDGET = 20000, STEPS = 30000, KEYS = 60 };
    const uint64_t extra = overhead();
    struct memory *const memory = memory_create(BUDGET);
    static struct model model;
    uint32_t random = 2463534242u;

    for (int step = 0; step < STEPS; step++) {
        random = random * 1664525u + 1013904223u;
        const uint64_t n = (random >> 8) % KEYS;
        const int at = model_find(&model, n);
        if (random >> 30 == 3) { /* to look whether it is there is no use of it */
            const struct digest key = key_of(n);
            uint64_t bytes = UINT64_MAX;
            assert_int_equal(memory_has(memory, &key, &bytes), at >= 0);
            assert_true(bytes == (at >= 0 ? model.item[at].bytes : UINT64_MAX));
        } else if (random >> 30 == 2) {
            assert_int_equal(has(memory, key_of(n)), at >= 0);
            if (at >= 0)
                model_to_front(&model, at);
        } else { /* now and then the largest that is kept, and one that is too large */
            const size_t bytes = step % 50 == 0 ? BUDGET - extra + (step % 100 == 0) : (random >> 16) % 4000;
            put_hollow(memory, key_of(n), bytes);
            model_put(&model, n, bytes, extra, BUDGET);
        }
        const struct memory_stats stats = stats_of(memory);
        assert_int_equal(stats.bytes, model.bytes);
        assert_int_equal(stats.entries, model.count);
        assert_int_equal(stats.evictions, model.evictions);
        assert_in_range(stats.bytes, 0, BUDGET);
    }
    assert_true(model.evictions > 1000);
    memory_free(memory);
}

/* From one shard to sixteen, and budgets that no machine has: never more than was said, and most of it. */
TEST(budgets_change)
{
    static const uint64_t budgets[] = {8 << 20, 128 << 20, 1 << 30};
    enum { BYTES = 20000 };

    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        const uint64_t budget = budgets[b], puts = budget / BYTES * 2;
        struct memory *const memory = memory_create(budget);

        for (uint64_t n = 0; n < puts; n++) {
            put_hollow(memory, key_of(n), BYTES);
            assert_in_range(stats_of(memory).bytes, 0, budget);
            assert_true(has(memory, key_of(n)));
        }
        assert_true(stats_of(memory).bytes > budget / 10 * 9);
        memory_set_budget(memory, budget / 4);
        assert_in_range(stats_of(memory).bytes, budget / 4 / 10 * 8, budget / 4);
        assert_int_equal(stats_of(memory).entries + stats_of(memory).evictions, puts);
        assert_true(b > 0 || has(memory, key_of(puts - 1)));
        const size_t large =
            budget / 4 < 64 << 20 ? budget / 5 : 48 << 20; /* a shard has room for a region of erosion */
        put_hollow(memory, key_of(puts), large);
        assert_true(has(memory, key_of(puts)));
        for (uint64_t n = puts + 1; n < puts + 2000; n++) {
            put_hollow(memory, key_of(n), BYTES);
            assert_in_range(stats_of(memory).bytes, 0, budget / 4);
        }
        memory_set_budget(memory, budget / 2);
        assert_in_range(stats_of(memory).bytes, 1, budget / 4); /* nothing goes */
        for (uint64_t n = 0; n < puts; n++)
            put_hollow(memory, key_of(n), BYTES);
        assert_in_range(stats_of(memory).bytes, budget / 2 / 10 * 8, budget / 2);
        memory_set_budget(memory, 0);
        assert_int_equal(stats_of(memory).bytes + stats_of(memory).entries, 0);
        put_hollow(memory, key_of(1), 1);
        assert_false(has(memory, key_of(1)));
        memory_set_budget(memory, UINT64_MAX);
        put_hollow(memory, key_of(1), SIZE_MAX / 64);
        assert_true(has(memory, key_of(1)));
        memory_free(memory);
    }
}

/* What is hung on a blob counts: it pushes others out, at last itself, and leaves the sums right. */
TEST(charges_count_in_the_budget)
{
    struct memory *const memory = memory_create(1 << 20);
    struct blob *blobs[8];

    for (uint64_t n = 0; n < 8; n++) {
        blobs[n] = hollow(key_of(n), 1000);
        memory_put(memory, blobs[n]);
    }
    const uint64_t before = stats_of(memory).bytes;
    memory_charge(memory, blobs[7], 5000);
    assert_int_equal(stats_of(memory).bytes, before + 5000);
    memory_charge(memory, blobs[7], (1 << 20) - before - 5000);
    assert_int_equal(stats_of(memory).bytes, 1 << 20);
    memory_charge(memory, blobs[7], 1);
    assert_false(has(memory, key_of(0)));
    assert_true(has(memory, key_of(7)));
    memory_charge(memory, blobs[0], 1 << 30); /* no longer kept: nothing happens, */
    put_hollow(memory, key_of(0), 1000);      /* nor where another one has its place */
    memory_charge(memory, blobs[0], 1 << 30);
    assert_true(has(memory, key_of(7)));
    memory_charge(memory, blobs[7], 1 << 20);
    assert_int_equal(stats_of(memory).entries, 0);
    assert_int_equal(stats_of(memory).bytes, 0);
    for (int n = 0; n < 8; n++)
        blob_release(blobs[n]);
    memory_free(memory);
}

/* Keys that share a bucket, and halves of keys that are alike. */
TEST(keys_are_told_apart_by_all_their_bits)
{
    struct memory *const memory = memory_create(1 << 20);

    for (uint64_t n = 0; n < 500; n++)
        put_hollow(memory, (struct digest){.low = 5, .high = n << 32}, 16);
    for (uint64_t n = 0; n < 500; n++)
        put_hollow(memory, (struct digest){.low = n << 40 | 6, .high = 0}, 16);
    for (uint64_t n = 0; n < 500; n++) {
        assert_true(has(memory, (struct digest){.low = 5, .high = n << 32}));
        assert_true(has(memory, (struct digest){.low = n << 40 | 6, .high = 0}));
        assert_false(has(memory, (struct digest){.low = 5, .high = n << 32 | 1}));
    }
    memory_free(memory);
}

/* A view keeps its blob's payload, as a response that is still being sent does. */
struct view {
    struct blob *blob;
    struct view *sent; /* a list of views that were freed */
};

static struct view *sent;
static atomic_int views_freed;
static bool keep_sending; /* freed views go on reading: their keep is dropped later */

static void view_free(void *pointer)
{
    struct view *const view = pointer;

    atomic_fetch_add(&views_freed, 1);
    if (keep_sending) {
        view->sent = sent;
        sent = view;
        return;
    }
    blob_unkeep(view->blob);
    free(view);
}

/* Hangs a view on a blob, or drops it where somebody was first. */
static bool view_hang(struct blob *blob, int slot)
{
    struct view *const view = malloc(sizeof *view);
    void *none = NULL;

    if (!view)
        return false;
    *view = (struct view){.blob = blob};
    blob_keep(blob);
    if (atomic_compare_exchange_strong(&blob->view[slot], &none, view))
        return true;
    blob_unkeep(blob);
    free(view);
    return false;
}

TEST(views_go_with_the_last_reference_and_payloads_with_the_last_keep)
{
    struct memory *const memory = memory_create(1000 + overhead());

    atomic_store(&views_freed, 0);
    keep_sending = true;
    put_hollow(memory, key_of(1), 1000);
    struct blob *const blob = memory_get(memory, &(struct digest){key_of(1).low, key_of(1).high});
    for (int slot = 0; slot < BLOB_VIEWS; slot++) {
        assert_true(view_hang(blob, slot));
        assert_false(view_hang(blob, slot));
    }
    blob_release(blob);
    assert_int_equal(atomic_load(&views_freed), 0);
    put_hollow(memory, key_of(2), 1000); /* evicts: the tier's was the last reference */
    assert_int_equal(atomic_load(&views_freed), BLOB_VIEWS);
    for (int freed = 0; freed < BLOB_VIEWS; freed++) {
        struct view *const view = sent;
        assert_non_null(view);
        assert_ptr_equal(view->blob, blob); /* whose payload is there for those who send */
        assert_int_equal(view->blob->data[0], (unsigned char)key_of(1).low);
        assert_int_equal(atomic_load(&blob->keeps), BLOB_VIEWS - freed);
        sent = view->sent;
        blob_unkeep(view->blob);
        free(view);
    }
    assert_null(sent);
    keep_sending = false;
    memory_free(memory);
    memory_free(NULL);
    assert_int_equal(atomic_load(&views_freed), BLOB_VIEWS);
}

enum { THREADS = 4, ROUNDS = 20000, SHARED_KEYS = 400, PAYLOAD = 600 };

static atomic_int views_made;

struct thread {
    uv_thread_t id;
    struct memory *memory;
    uint32_t random;
    uint64_t gets, hits, wrong; /* asserts belong to the main thread */
};

static void payload_fill(unsigned char *data, const struct digest *key)
{
    for (size_t i = 0; i < PAYLOAD; i++)
        data[i] = (unsigned char)(key->high + i * key->low);
}

static bool payload_is_right(const struct blob *blob)
{
    unsigned char expected[PAYLOAD];

    payload_fill(expected, &blob->key);
    return blob->bytes == PAYLOAD && memcmp(blob->data, expected, PAYLOAD) == 0;
}

static void get_and_put(void *argument)
{
    struct thread *const thread = argument;

    for (int round = 0; round < ROUNDS; round++) {
        thread->random = thread->random * 1664525u + 1013904223u;
        const struct digest key = key_of((thread->random >> 8) % SHARED_KEYS);
        struct blob *blob = memory_get(thread->memory, &key);
        thread->gets++;
        thread->hits += blob != NULL;
        if (!blob) {
            unsigned char *const data = malloc(PAYLOAD);
            payload_fill(data, &key);
            blob = blob_create(&key, &info, data, PAYLOAD);
            blob->world = key.low % WORLDS + 100;
            memory_put(thread->memory, blob);
        }
        thread->wrong += !digest_equal(&blob->key, &key) || !payload_is_right(blob);
        if (view_hang(blob, (int)(thread->random >> 30)))
            atomic_fetch_add(&views_made, 1);
        blob_release(blob);
    }
}

/* While the budget changes, and worlds are purged. */
TEST(threads_get_and_put)
{
    enum { BUDGET = 200 * PAYLOAD };
    struct thread thread[THREADS];
    struct memory *const memory = memory_create(BUDGET);
    uint64_t hits = 0;

    atomic_store(&views_freed, 0);
    for (int t = 0; t < THREADS; t++) {
        thread[t] = (struct thread){.memory = memory, .random = (uint32_t)t + 1};
        assert_int_equal(uv_thread_create(&thread[t].id, get_and_put, &thread[t]), 0);
    }
    for (uint64_t turn = 0; turn < 200; turn++) {
        const uint64_t budget = BUDGET / (turn % 8 + 1);

        memory_set_budget(memory, budget);
        assert_in_range(stats_of(memory).bytes, 0, budget);
        memory_purge(memory, turn % 16 == 15, turn % WORLDS + 100);
        usleep(100);
    }
    memory_set_budget(memory, BUDGET);
    for (int t = 0; t < THREADS; t++) {
        uv_thread_join(&thread[t].id);
        assert_int_equal(thread[t].gets, ROUNDS);
        assert_int_equal(thread[t].wrong, 0);
        hits += thread[t].hits;
    }
    const struct memory_stats stats = stats_of(memory);
    assert_in_range(stats.bytes, 0, BUDGET);
    assert_true(hits > 0 && stats.evictions > 0);
    assert_int_equal(memory_purge(memory, true, 0), stats.entries);
    assert_int_equal(stats_of(memory).bytes, 0);
    memory_free(memory);
    assert_int_equal(atomic_load(&views_freed), atomic_load(&views_made));
}

#ifdef SHORTAGE_HOOKED
/* Returns how many allocations there were. What is kept is right, and within the budget. */
static long shortage_life(long from, long to)
{
    enum { COUNT = 200 };

    heap_fail(from, to);
    heap_spared--;
    struct memory *const memory = memory_create(128 << 20);
    uint64_t made = 0;
    for (uint64_t n = 0; memory && n < COUNT; n++)
        made += put_hollow(memory, key_of(n), 1000);
    heap_spared++;
    long count = atomic_load(&heap.count);
    if (!memory)
        return count;
    uint64_t found = 0;
    for (uint64_t n = 0; n < COUNT; n++) {
        const struct digest key = key_of(n);
        struct blob *const blob = memory_get(memory, &key);

        if (blob)
            assert_int_equal(blob->data[0], (unsigned char)key.low);
        found += blob != NULL;
        blob_release(blob);
    }
    assert_true(found <= made);
    assert_true(to - from > 1 || found + 1 >= COUNT);
    assert_int_equal(stats_of(memory).entries, found);
    heap_spared--;
    memory_set_budget(memory, 100000);
    assert_in_range(stats_of(memory).bytes, 0, 100000);
    const uint64_t left = stats_of(memory).entries;
    assert_int_equal(memory_purge(memory, true, 0), left);
    memory_free(memory);
    heap_spared++;
    return count;
}

TEST(any_allocation_fails)
{
    shortage_each(shortage_life, 600, "memory tier");
}
#endif

UNIT(memory)
{
    blob_set_view_free(view_free);
    return unit_run("memory", (CMFixtureFunction[2]){0}, (CMFixtureFunction[2]){0});
}
