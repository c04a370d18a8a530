/*
 * The shared tier on a real store: entries, leases, damage, a full store. Many threads, while it comes and goes: tests/survive,
 * row 20; entries with any of their bits changed: tests/fuzz/fuzz_entry.c.
 */
#include "remote_tier_kit.h"

#define ENTRY_OF(n) "terrane:2:0000000000000007000000000000000" #n
#define ENTRY       ENTRY_OF(1)

TEST(entries_come_back_as_they_went)
{
    static const size_t sizes[] = {1, 92000, 8u << 20};

    struct remote *const remote = tier_open(store.url, TIER_PATIENT);
    for (size_t i = 0; i < 3; i++)
        assert_null(tier_get(remote, 0, i));
    for (size_t i = 0; i < 3; i++)
        tier_put(remote, i, sizes[i], false);
    remote_flush(remote);
    for (size_t i = 0; i < 3; i++)
        tier_is(remote, 1, i, sizes[i]);
    const struct remote_stats stats = tier_stats(remote);
    assert_int_equal(stats.hits, 3);
    assert_int_equal(stats.misses, 3);
    assert_int_equal(stats.stores, 3);
    assert_int_equal(stats.dropped + stats.damaged + stats.errors + stats.refused + stats.opened, 0);
    assert_int_equal(stats.open, 0);
    assert_int_equal(stats.bytes_in, 1 + 92000 + (8u << 20));
    assert_int_equal(stats.bytes_out, stats.bytes_in);
    assert_int_equal(store_say(&store, "TTL " ENTRY), -1);
    remote_close(remote);
}

/* In one of many databases, for as long as they are to be kept. */
TEST(entries_expire_where_they_are_to)
{
    char url[160];

    snprintf(url, sizeof url, "%s?db=3", store.local_url);
    struct remote *remote = tier_open(url, TIER(.expire_s = 3600));
    tier_store(remote, 1, 1000, false);
    remote_close(remote);
    assert_int_equal(store_say(&store, "EXISTS " ENTRY), 0);
    snprintf(url, sizeof url, "%s/3", store.url);
    remote = tier_open(url, TIER_PATIENT);
    assert_int_equal(tier_lease(remote, 0, 1), LEASE_FOUND);
    remote_close(remote);
    store_say(&store, "SWAPDB 0 3");
    const long long ttl_s = store_say(&store, "TTL " ENTRY);
    assert_true(ttl_s > 3000 && ttl_s <= 3600);
}

TEST(leases_go_from_hand_to_hand)
{
    struct remote *const a = tier_open(store.url, TIER_LONG_LEASES);
    struct remote *const b = tier_open(store.local_url, TIER_LONG_LEASES);

    assert_int_equal(tier_lease(a, 0, 1), LEASE_OURS);
    assert_int_equal(tier_lease(b, 0, 1), LEASE_THEIRS);
    assert_int_equal(tier_lease(b, 0, 2), LEASE_OURS);
    /* One of what is not urgent ends sooner. */
    struct blob *blob;
    assert_int_equal(remote_lease(b, 0, &TIER_KEY(3), &(struct remote_want){0}, &blob), LEASE_OURS);
    assert_true(store_say(&store, "PTTL " ENTRY_OF(2) ":lease") > 7500);
    assert_in_range(store_say(&store, "PTTL " ENTRY_OF(3) ":lease"), 1, 7500);
    /* Who has it stores it: then it is found, and nobody's to make. */
    tier_store(a, 1, 92000, true);
    assert_int_equal(store_say(&store, "EXISTS " ENTRY ":lease"), 0);
    assert_int_equal(tier_lease(b, 0, 1), LEASE_FOUND);
    remote_flush(b);
    assert_int_equal(store_say(&store, "EXISTS " ENTRY ":lease"), 0);
    /* Who gives it back lets another. What is not his he cannot give back. */
    tier_release(a, 2);
    assert_int_equal(tier_lease(a, 0, 2), LEASE_THEIRS);
    tier_release(b, 2);
    assert_int_equal(tier_lease(a, 0, 2), LEASE_OURS);
    struct remote_stats stats = tier_stats(a);
    assert_int_equal(stats.leases[LEASE_OURS], 2);
    assert_int_equal(stats.leases[LEASE_THEIRS], 1);
    stats = tier_stats(b);
    assert_int_equal(stats.leases[LEASE_FOUND], 1);
    assert_int_equal(stats.errors + stats.refused, 0);
    remote_close(a);
    remote_close(b);
}

/* As the store sees it: who finds the lease gone finds the entry. */
TEST(leases_end_after_their_entries_are_there)
{
    bool stored = false;

    struct remote *const remote = tier_open(store.url, TIER_LONG_LEASES);
    struct line *const line = kit_line(store.url, NULL, KIT_LONG_MS);
    assert_non_null(line);
    assert_int_equal(tier_lease(remote, 0, 1), LEASE_OURS);
    redisReply *reply = kit_say(line, "MONITOR", KIT_LONG_MS);
    tier_put(remote, 1, 100, true);
    while (reply && reply->type == REDIS_REPLY_STATUS && !strstr(reply->str, "\"DEL\"")) {
        stored = stored || strstr(reply->str, "\"SET\" \"" ENTRY "\"");
        freeReplyObject(reply);
        reply = line_receive(line, kit_in_ms(KIT_LONG_MS));
    }
    assert_true(reply && reply->type == REDIS_REPLY_STATUS && strstr(reply->str, ENTRY ":lease"));
    assert_true(stored);
    freeReplyObject(reply);
    line_close(line);
    remote_close(remote);
}

static void expect_damaged(struct remote *remote, const char *what)
{
    const struct remote_stats before = tier_stats(remote);
    struct blob *const blob = tier_get(remote, 0, 1);
    if (blob)
        fail_msg("%s: found", what);
    remote_flush(remote);
    const struct remote_stats after = tier_stats(remote);
    if (after.damaged != before.damaged + 1 || after.hits != before.hits || after.errors != before.errors)
        fail_msg("%s: damaged %d, errors %d", what, (int)(after.damaged - before.damaged),
                 (int)(after.errors - before.errors));
    if (store_say(&store, "EXISTS " ENTRY) != 0)
        fail_msg("%s: not deleted", what);
}

TEST(damage_is_a_miss_and_deleted)
{
    static const char *const what[] = {
        "SETRANGE " ENTRY " 4 \003", "SET " ENTRY " short", "SETRANGE " ENTRY " 6000 x",
        "SETRANGE " ENTRY " 5056 x", "SET " ENTRY " ",      "SETRANGE " ENTRY " 67112960 x",
    };
    struct remote *const remote = tier_open(store.url, TIER_PATIENT);

    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        tier_store(remote, 1, 5000, false);
        store_say(&store, what[i]);
        expect_damaged(remote, what[i]);
    }
    /* Another's entry, and no entry at all. */
    tier_store(remote, 2, 5000, false);
    store_say(&store, "RENAME " ENTRY_OF(2) " " ENTRY);
    expect_damaged(remote, "another's entry");
    store_say(&store, "LPUSH " ENTRY " a b c");
    expect_damaged(remote, "a list");
    /* What is good for nothing to who asked goes the same way. */
    tier_store(remote, 1, 5000, false);
    remote_reject(remote, &TIER_KEY(1));
    remote_flush(remote);
    assert_int_equal(store_say(&store, "EXISTS " ENTRY), 0);
    assert_true(remote_is_well(remote));
    remote_close(remote);
}

TEST(damage_does_not_hide_a_lease)
{
    struct remote *const remote = tier_open(store.url, TIER_LONG_LEASES);

    store_say(&store, "SET " ENTRY " nonsense");
    assert_int_equal(tier_lease(remote, 0, 1), LEASE_OURS);
    remote_flush(remote);
    assert_int_equal(store_say(&store, "EXISTS " ENTRY), 0);
    /* A lease of a wrong type is somebody's; an entry too large to be asked for is none. */
    store_say(&store, "LPUSH " ENTRY_OF(2) ":lease x");
    assert_int_equal(tier_lease(remote, 0, 2), LEASE_THEIRS);
    tier_release(remote, 2);
    assert_true(remote_is_well(remote));
    remote_close(remote);
}

TEST(a_full_store_refuses_and_is_well)
{
    store_say(&store, "CONFIG SET maxmemory 4mb maxmemory-policy noeviction");
    struct remote *const remote = tier_open(store.url, TIER_PATIENT);
    for (uint64_t i = 0; i < 64; i++)
        tier_store(remote, i, 200000, false);
    const struct remote_stats stats = tier_stats(remote);
    assert_true(stats.stores > 0 && stats.refused > 0);
    assert_int_equal(stats.stores + stats.refused, 64);
    assert_int_equal(stats.dropped, stats.refused);
    assert_int_equal(stats.errors + stats.opened, 0);
    tier_found(remote, 0, 0);
    assert_int_equal(tier_lease(remote, 0, 1000), LEASE_NONE);
    assert_int_equal(tier_lease(remote, 0, 0), LEASE_FOUND);
    assert_true(remote_is_well(remote));
    remote_close(remote);
}

GROUP_EACH(remote, tier_setup, tier_teardown);
