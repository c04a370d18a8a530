/*
 * Names of stores: one that is not found for long holds nobody up, and one that has moved is found where it is now.
 *
 * The resolver is the test's own while one of them runs (UNIT_WRAP_remote in tests.mk).
 */
#include "remote_tier_kit.h"

#include <netdb.h>

static struct {
    bool own;
    atomic_bool hang;
    atomic_int hanging, asked;
    atomic_uint port; /* what the name stands for, on this machine; 0: not known */
} resolver;

WRAPS(getaddrinfo);
WRAPS(freeaddrinfo);

int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                       struct addrinfo **list)
{
    if (!resolver.own)
        return __real_getaddrinfo(name, service, hints, list);
    struct place {
        struct addrinfo info;
        struct sockaddr_in address;
    } *const place = calloc(1, sizeof *place);

    atomic_fetch_add(&resolver.asked, 1);
    atomic_fetch_add(&resolver.hanging, 1);
    while (atomic_load(&resolver.hang))
        uv_sleep(1);
    atomic_fetch_sub(&resolver.hanging, 1);
    if (atomic_load(&resolver.port) == 0 || !place) {
        free(place);
        return EAI_NONAME;
    }
    place->address = (struct sockaddr_in){.sin_family = AF_INET,
                                          .sin_port = htons((uint16_t)atomic_load(&resolver.port)),
                                          .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    place->info = (struct addrinfo){.ai_family = AF_INET,
                                    .ai_socktype = SOCK_STREAM,
                                    .ai_addrlen = sizeof place->address,
                                    .ai_addr = (struct sockaddr *)&place->address};
    *list = &place->info;
    return 0;
}

void __wrap_freeaddrinfo(struct addrinfo *list)
{
    if (!resolver.own)
        __real_freeaddrinfo(list);
    else
        free(list);
}

TEST(a_slow_resolver_holds_nobody_up)
{
    atomic_store(&resolver.hang, true);
    struct remote *const remote = tier_begin("redis://store", TIER(.timeout_ms = 50));
    AWAIT(atomic_load(&resolver.hanging) == 1);
    assert_null(tier_get(remote, 0, 1));
    assert_int_equal(tier_lease(remote, 0, 1), LEASE_NONE);
    tier_store(remote, 1, 100, true);
    /* Attempts fail, and share one lookup. */
    assert_true(tier_wait_errors(remote, 3).errors >= 3);
    assert_int_equal(atomic_load(&resolver.asked), 1);
    remote_close(remote);
    assert_int_equal(atomic_load(&resolver.hanging), 1);
    atomic_store(&resolver.hang, false);
    AWAIT(atomic_load(&resolver.hanging) == 0);
}

TEST(a_store_that_moved_is_found)
{
    struct store other;

    store_start(&other);
    atomic_store(&resolver.port, 0);
    atomic_store(&resolver.asked, 0);
    struct remote *const remote = tier_begin("redis://store", TIER());
    AWAIT(atomic_load(&resolver.asked) >= 2);
    assert_false(remote_is_well(remote));
    atomic_store(&resolver.port, store.port);
    tier_wait_well(remote, true);
    tier_store(remote, 1, 100, false);
    assert_int_equal(store_say(&store, "DBSIZE"), 1);
    atomic_store(&resolver.port, other.port);
    store_kill(&store);
    for (int i = 0; i < 100 && remote_is_well(remote); i++)
        assert_null(tier_get(remote, i % TIER_READERS, 1));
    tier_wait_well(remote, true);
    tier_store(remote, 2, 100, false);
    assert_int_equal(store_say(&other, "DBSIZE"), 1);
    assert_int_equal(tier_stats(remote).opened, 2);
    remote_close(remote);
    store_stop(&other);
}

UNIT(remote_lookup)
{
    resolver.own = true;
    return unit_run("remote_lookup", (CMFixtureFunction[2]){tier_setup, tier_teardown},
                    (CMFixtureFunction[2]){0});
}
