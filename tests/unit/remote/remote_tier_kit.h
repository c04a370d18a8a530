/*
 * Shared tiers for tests: opened on a store and well, and blobs that can be made again by their number.
 */
#ifndef TERRANE_TESTS_REMOTE_TIER_KIT_H
#define TERRANE_TESTS_REMOTE_TIER_KIT_H

#include "../remote_kit.h"

#include "../../../server/cache/remote.h"
#include "../../../server/observe/log.h"

enum { TIER_READERS = 4 };

#define TIER_KEY(number) ((struct digest){.low = (number), .high = 7})

/* Options that a test wants; 0: as usual. */
#define TIER(...)        ((struct remote_options){__VA_ARGS__})
#define TIER_PATIENT     TIER(.timeout_ms = KIT_LONG_MS)
#define TIER_LONG_LEASES TIER(.lease_ms = 60000, .timeout_ms = KIT_LONG_MS)

/* Opens a tier that need not become well. */
static inline struct remote *tier_begin(const char *url, struct remote_options options)
{
    char error[REMOTE_ERROR_BYTES];
    options.url = url;
    options.ca = options.ca ? options.ca : "";
    options.timeout_ms = options.timeout_ms ? options.timeout_ms : 10000;
    options.lease_ms = options.lease_ms ? options.lease_ms : 300;
    options.retry_ms = options.retry_ms ? options.retry_ms : 20;
    options.write_behind_bytes = options.write_behind_bytes ? options.write_behind_bytes : (size_t)32 << 20;
    options.readers = TIER_READERS;
    struct remote *const remote = remote_open(&options, error, sizeof error);
    if (!remote)
        fail_msg("%s", error);
    return remote;
}

static inline void tier_wait_well(struct remote *remote, bool well)
{
    AWAIT(remote_is_well(remote) == well);
}

static inline struct remote_stats tier_stats(const struct remote *remote)
{
    struct remote_stats stats;
    remote_stats(remote, &stats);
    return stats;
}

/* Waits until so many operations have failed, for as long as may be. */
static inline struct remote_stats tier_wait_errors(const struct remote *remote, uint64_t errors)
{
    const uint64_t end_ns = kit_in_ms(KIT_LONG_MS);
    while (tier_stats(remote).errors < errors && uv_hrtime() < end_ns)
        uv_sleep(5);
    return tier_stats(remote);
}

static inline struct remote *tier_open(const char *url, struct remote_options options)
{
    struct remote *const remote = tier_begin(url, options);
    tier_wait_well(remote, true);
    return remote;
}

static inline struct blob *tier_blob(uint64_t number, size_t bytes)
{
    const struct digest key = TIER_KEY(number);
    const struct blob_info info = {
        .format = FORMAT_F32, .width = 257, .height = 129, .min_m = -1.5f, .max_m = 8};
    unsigned char *const data = malloc(bytes);
    uint64_t x = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
    assert_non_null(data);
    for (size_t i = 0; i < bytes; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        data[i] = (unsigned char)(x >> 56);
    }
    struct blob *const blob = blob_create(&key, &info, data, bytes);
    assert_non_null(blob);
    blob->world = number + 100;
    return blob;
}

static inline void tier_put(struct remote *remote, uint64_t number, size_t bytes, bool leased)
{
    struct blob *const blob = tier_blob(number, bytes);
    remote_put(remote, blob, leased);
    blob_release(blob);
}

/* ... and it is there. */
static inline void tier_store(struct remote *remote, uint64_t number, size_t bytes, bool leased)
{
    tier_put(remote, number, bytes, leased);
    remote_flush(remote);
}

static inline struct blob *tier_get(struct remote *remote, int reader, uint64_t number)
{
    return remote_get(remote, reader, &TIER_KEY(number), 0);
}

static inline void tier_release(struct remote *remote, uint64_t number)
{
    remote_release(remote, &TIER_KEY(number));
    remote_flush(remote);
}

static inline void tier_found(struct remote *remote, int reader, uint64_t number)
{
    struct blob *const blob = tier_get(remote, reader, number);
    assert_non_null(blob);
    blob_release(blob);
}

/* What was put under a number is what comes back. */
static inline void tier_is(struct remote *remote, int reader, uint64_t number, size_t bytes)
{
    struct blob *const blob = tier_get(remote, reader, number), *const wanted = tier_blob(number, bytes);
    assert_non_null(blob);
    assert_int_equal(blob->bytes, wanted->bytes);
    assert_memory_equal(blob->data, wanted->data, blob->bytes);
    assert_memory_equal(&blob->key, &wanted->key, sizeof blob->key);
    assert_int_equal(blob->info.width, wanted->info.width);
    assert_int_equal(blob->info.format, wanted->info.format);
    assert_int_equal(blob->world, wanted->world);
    blob_release(blob);
    blob_release(wanted);
}

/* The answer; what was found is dropped. */
static inline enum remote_lease tier_lease(struct remote *remote, int reader, uint64_t number)
{
    struct blob *blob;
    const enum remote_lease answer =
        remote_lease(remote, reader, &TIER_KEY(number), &(struct remote_want){.urgent = true}, &blob);
    assert_int_equal(blob != NULL, answer == LEASE_FOUND);
    blob_release(blob);
    return answer;
}

/* A store for each test: the fixture's. */
static struct store store __attribute__((unused));

static inline int tier_setup(void **state)
{
    (void)state;
    log_set_level(getenv("TERRANE_TEST_LOG") ? LOG_DEBUG : LOG_ERROR);
    store_start(&store);
    return 0;
}

static inline int tier_teardown(void **state)
{
    (void)state;
    store_stop(&store);
    return 0;
}

#endif
