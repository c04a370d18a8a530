/*
 * The memory tier while it is looked into, made smaller and larger, and purged; and while memory is short.
 */
#include "../unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "../../../server/cache/memory.h"
#include "../shortage_kit.h"

enum { WORLDS = 5 };

static struct digest key_of(uint64_t n)
{
    uint64_t mixed = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);

    mixed ^= mixed >> 32;
    return (struct digest){.low = mixed * UINT64_C(0xd6e8feb86659fd93), .high = mixed};
}

/* Puts a blob that owns one byte and says that it has bytes, of world n % WORLDS. False: no memory for it. */
static bool put(struct memory *memory, uint64_t n, size_t bytes)
{
    static const struct blob_info info = {.format = FORMAT_F32, .width = 4, .height = 4};
    const struct digest key = key_of(n);
    unsigned char *const data = malloc(1);
    struct blob *const blob = data ? blob_create(&key, &info, data, bytes) : NULL;

    if (!blob)
        return false;
    data[0] = (unsigned char)n;
    blob->world = n % WORLDS + 100;
    memory_put(memory, blob);
    blob_release(blob);
    return true;
}

static bool has(struct memory *memory, uint64_t n)
{
    const struct digest key = key_of(n);
    uint64_t bytes;

    return memory_has(memory, &key, &bytes);
}

static struct memory_stats stats_of(struct memory *memory)
{
    struct memory_stats stats;

    memory_stats(memory, &stats);
    return stats;
}

/* What three equal blobs leave room for when a fourth one comes. */
TEST(to_look_is_no_use)
{
    struct memory *const memory = memory_create(4000);
    const struct digest key = key_of(0);
    uint64_t bytes = 7;

    assert_false(memory_has(memory, &key, &bytes));
    assert_int_equal(bytes, 7);
    for (uint64_t n = 0; n < 3; n++)
        assert_true(put(memory, n, 1000));
    assert_true(memory_has(memory, &key, &bytes));
    assert_int_equal(bytes, 1000);
    put(memory, 3, 1000);
    assert_false(has(memory, 0)); /* it was the oldest */
    assert_true(has(memory, 1));
    memory_free(memory);
}

/* From one shard to sixteen: what is left is within the budget and most of it; then there is room again. */
TEST(budgets_change)
{
    static const uint64_t budgets[] = {8 << 20, 128 << 20, 1 << 30};
    enum { BYTES = 20000 };

    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        const uint64_t budget = budgets[b], puts = budget / BYTES * 2;
        struct memory *const memory = memory_create(budget);

        for (uint64_t n = 0; n < puts; n++)
            put(memory, n, BYTES);
        memory_set_budget(memory, budget / 4);
        assert_in_range(stats_of(memory).bytes, budget / 4 / 10 * 8, budget / 4);
        assert_int_equal(stats_of(memory).entries + stats_of(memory).evictions, puts);
        assert_true(has(memory, puts - 1));
        for (uint64_t n = puts; n < puts + 2000; n++) {
            put(memory, n, BYTES);
            assert_in_range(stats_of(memory).bytes, 0, budget / 4);
        }
        memory_set_budget(memory, budget / 2);
        assert_in_range(stats_of(memory).bytes, 1, budget / 4); /* nothing goes */
        for (uint64_t n = 0; n < puts; n++)
            put(memory, n, BYTES);
        assert_in_range(stats_of(memory).bytes, budget / 2 / 10 * 8, budget / 2);
        memory_set_budget(memory, 0);
        assert_int_equal(stats_of(memory).bytes + stats_of(memory).entries, 0);
        put(memory, 1, 1);
        assert_false(has(memory, 1));
        memory_set_budget(memory, UINT64_MAX);
        put(memory, 1, 1);
        assert_true(has(memory, 1));
        memory_free(memory);
    }
}

TEST(who_holds_a_purged_blob_keeps_it)
{
    struct memory *const memory = memory_create(1 << 20);
    const struct digest key = key_of(9);

    put(memory, 9, 1000);
    struct blob *const held = memory_get(memory, &key);
    assert_int_equal(memory_purge(memory, true, 0), 1);
    assert_int_equal(atomic_load(&held->references), 1);
    assert_int_equal(held->data[0], 9);
    memory_charge(memory, held, 100); /* is not counted any more */
    assert_int_equal(stats_of(memory).bytes, 0);
    blob_release(held);
    memory_free(memory);
}

enum { PUTTERS = 3 };

static atomic_bool stop;

struct putter {
    uv_thread_t id;
    struct memory *memory;
    uint64_t first;
};

static void put_run(void *argument)
{
    const struct putter *const putter = argument;

    for (uint64_t i = 0; !atomic_load(&stop); i++) {
        put(putter->memory, putter->first + i * 7919 % 5000, 200 + i % 300);
        has(putter->memory, i % 5000);
    }
}

TEST(budgets_and_purges_among_puts)
{
    struct memory *const memory = memory_create(1 << 20);
    struct putter putter[PUTTERS];

    for (int t = 0; t < PUTTERS; t++) {
        putter[t] = (struct putter){.memory = memory, .first = (uint64_t)t * 2500};
        assert_int_equal(uv_thread_create(&putter[t].id, put_run, &putter[t]), 0);
    }
    for (uint64_t turn = 0; turn < 200; turn++) {
        const uint64_t budget = (turn % 8 + 1) << 17;

        memory_set_budget(memory, budget);
        assert_in_range(stats_of(memory).bytes, 0, budget);
        memory_purge(memory, turn % 16 == 15, turn % WORLDS + 100);
        usleep(100);
    }
    memory_set_budget(memory, 1 << 18);
    atomic_store(&stop, true);
    for (int t = 0; t < PUTTERS; t++)
        uv_thread_join(&putter[t].id);
    assert_in_range(stats_of(memory).bytes, 0, 1 << 18);
    assert_true(stats_of(memory).evictions > 0);
    const uint64_t entries = stats_of(memory).entries;
    assert_int_equal(memory_purge(memory, true, 0), entries);
    assert_int_equal(stats_of(memory).bytes, 0);
    memory_free(memory);
}

#ifdef SHORTAGE_HOOKED
/* Returns how many allocations there were. What is kept is right, and within the budget. */
static long shortage_life(long from, long to)
{
    enum { COUNT = 200 };
    long count;

    heap_fail(from, to);
    heap_spared--;
    struct memory *const memory = memory_create(128 << 20);
    uint64_t made = 0;
    for (uint64_t n = 0; memory && n < COUNT; n++)
        made += put(memory, n, 1000);
    heap_spared++;
    count = atomic_load(&heap.count);
    if (!memory)
        return count;
    uint64_t found = 0;
    for (uint64_t n = 0; n < COUNT; n++) {
        const struct digest key = key_of(n);
        struct blob *const blob = memory_get(memory, &key);

        if (blob)
            assert_int_equal(blob->data[0], (unsigned char)n);
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
#endif

TEST(any_allocation_fails)
{
#ifdef SHORTAGE_HOOKED
    heap_spared++;
    const long allocations = shortage_life(0, 0), living = atomic_load(&heap.living);
    assert_true(allocations > 600);
    for (long k = 0; k < allocations; k++) {
        shortage_life(k, k + 1);
        assert_int_equal(atomic_load(&heap.living), living);
        shortage_life(k, k + 1000000);
        assert_int_equal(atomic_load(&heap.living), living);
    }
    heap_fail(0, 0);
    heap_spared--;
    print_message(
        "row 6: the k-th of %ld allocations of the memory tier fails, every k: no wrong blob, no leak\n",
        allocations);
#else
    skip();
#endif
}

GROUP(memory_purge);
