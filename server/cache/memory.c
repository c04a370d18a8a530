/*
 * The memory tier.
 *
 * Keys are digests, so a few of their bits choose a shard and others a bucket; shards share nothing. A shard
 * is a chained hash table and one list in order of use, under one lock that is held only for pointer work:
 * blobs are sent and freed outside of it.
 *
 * Invariants, under a shard's lock:
 *   (1) an entry is in exactly one bucket and in the list; it holds one reference to its blob;
 *   (2) bytes is the sum of the entries' costs and never above the shard's budget when the lock is dropped.
 *
 * Lowering a budget and dropping a world work in steps of STEP entries or buckets, between which others have
 * the lock: meanwhile the budget is between the old and the new one.
 */
#include "memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <uv.h>

#include "../base/check.h"

enum { SHARDS_MAX = 16, SHARD_BYTES_MIN = 64 << 20, BUCKETS_MIN = 64, STEP = 256 };

struct entry {
    struct blob *blob;
    struct entry *next;          /* in the bucket */
    struct entry *newer, *older; /* in the order of use */
    size_t cost;                 /* its share of the budget */
};

struct shard {
    uv_mutex_t lock;
    struct entry **bucket;
    size_t buckets; /* a power of two */
    struct entry *newest, *oldest;
    uint64_t bytes, budget, entries, evictions;
};

struct memory {
    unsigned shards; /* a power of two, constant */
    /* Of them, likewise: fewer where the budget was lowered, so that one has room for what is large. */
    atomic_uint used;
    uv_mutex_t budgets; /* held while the budget is changed, so all shards get the last call's */
    struct shard shard[SHARDS_MAX];
};

static size_t cost(const struct blob *blob)
{
    return blob->bytes + sizeof *blob + sizeof(struct entry) + 64; /* 64: what malloc keeps of three blocks */
}

static struct shard *shard_of(struct memory *memory, const struct digest *key)
{
    return &memory->shard[key->high & (atomic_load_explicit(&memory->used, memory_order_relaxed) - 1)];
}

struct memory *memory_create(uint64_t budget_bytes)
{
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    CHECK(uv_mutex_init(&memory->budgets) == 0);
    unsigned shards = 1;
    while (shards < SHARDS_MAX && budget_bytes / (shards * 2) >= SHARD_BYTES_MIN)
        shards *= 2;
    for (; memory->shards < shards; memory->shards++) {
        struct shard *shard = &memory->shard[memory->shards];
        shard->budget = budget_bytes / shards;
        shard->buckets = BUCKETS_MIN;
        shard->bucket = calloc(shard->buckets, sizeof(struct entry *));
        if (!shard->bucket) {
            memory_free(memory);
            return NULL;
        }
        CHECK(uv_mutex_init(&shard->lock) == 0);
    }
    atomic_init(&memory->used, shards);
    return memory;
}

/* ---- A shard, under its lock --------------------------------------------------------------------------- */

static struct entry **bucket_of(struct shard *shard, const struct digest *key)
{
    return &shard->bucket[key->low & (shard->buckets - 1)];
}

static struct entry *find(struct shard *shard, const struct digest *key)
{
    struct entry *entry = *bucket_of(shard, key);
    while (entry && !digest_equal(&entry->blob->key, key))
        entry = entry->next;
    return entry;
}

static void list_remove(struct shard *shard, struct entry *entry)
{
    *(entry->newer ? &entry->newer->older : &shard->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &shard->oldest) = entry->newer;
}

static void list_add(struct shard *shard, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = shard->newest;
    *(shard->newest ? &shard->newest->newer : &shard->oldest) = entry;
    shard->newest = entry;
}

/* Doubles the table when chains get long; when memory is short they just stay long. */
static void grow(struct shard *shard)
{
    if (shard->entries <= shard->buckets)
        return;
    const size_t old = shard->buckets;
    struct entry **bucket = calloc(old * 2, sizeof(struct entry *)), **was = shard->bucket;
    if (!bucket)
        return;
    shard->bucket = bucket;
    shard->buckets = old * 2;
    for (size_t i = 0; i < old; i++)
        for (struct entry *entry = was[i], *next; entry; entry = next) {
            next = entry->next;
            struct entry **to = bucket_of(shard, &entry->blob->key);
            entry->next = *to;
            *to = entry;
        }
    free(was);
}

/* Removes the entry that at, in its bucket, points to; returns it. */
static struct entry *take_out(struct shard *shard, struct entry **at)
{
    struct entry *entry = *at;
    *at = entry->next;
    list_remove(shard, entry);
    shard->bytes -= entry->cost;
    shard->entries--;
    return entry;
}

static struct entry *evict(struct shard *shard)
{
    struct entry *entry = shard->oldest;
    CHECK(entry);
    struct entry **at = bucket_of(shard, &entry->blob->key);
    while (*at != entry)
        at = &(*at)->next;
    shard->evictions++;
    return take_out(shard, at);
}

/* Removes the oldest entries until so many additional bytes fit the budget; returns them, chained by next. */
static struct entry *make_room(struct shard *shard, size_t bytes)
{
    struct entry *out = NULL;
    while (shard->oldest && shard->bytes + bytes > shard->budget) {
        struct entry *entry = evict(shard);
        entry->next = out;
        out = entry;
    }
    return out;
}

/* Lowers the budget by a step, at most as far as wanted; returns the removed entries. */
static struct entry *lower(struct shard *shard, uint64_t budget)
{
    struct entry *out = NULL;
    for (int i = 0; i < STEP && shard->bytes > budget; i++) {
        struct entry *entry = evict(shard);
        entry->next = out;
        out = entry;
    }
    shard->budget = shard->bytes > budget ? shard->bytes : budget;
    return out;
}

/*
 * Removes a world's entries, or all, from the buckets first .. end - 1; adds them to out. A table that has grown
 * since bucket 0 has moved nothing from behind first to before it: bucket i was split into i and i + half.
 */
static struct entry *take_world(struct shard *shard, size_t first, size_t end, bool all, uint64_t world,
                                uint64_t *count)
{
    struct entry *out = NULL;
    for (size_t i = first; i < end && i < shard->buckets; i++)
        for (struct entry **at = &shard->bucket[i]; *at;) {
            if (!all && (*at)->blob->world != world) {
                at = &(*at)->next;
                continue;
            }
            struct entry *entry = take_out(shard, at);
            entry->next = out;
            out = entry;
            ++*count;
        }
    return out;
}

/* Frees a chain of removed entries. The lock is not held. */
static void drop(struct entry *out)
{
    for (struct entry *next; out; out = next) {
        next = out->next;
        blob_release(out->blob);
        free(out);
    }
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

struct blob *memory_get(struct memory *memory, const struct digest *key)
{
    struct shard *shard = shard_of(memory, key);
    struct blob *blob = NULL;
    uv_mutex_lock(&shard->lock);
    struct entry *entry = find(shard, key);
    if (entry) {
        if (entry != shard->newest) {
            list_remove(shard, entry);
            list_add(shard, entry);
        }
        blob = blob_hold(entry->blob);
    }
    uv_mutex_unlock(&shard->lock);
    return blob;
}

void memory_put(struct memory *memory, struct blob *blob)
{
    struct shard *shard = shard_of(memory, &blob->key);
    struct entry *entry = malloc(sizeof *entry), *out = NULL;
    if (!entry)
        return;
    uv_mutex_lock(&shard->lock);
    if (cost(blob) > shard->budget || find(shard, &blob->key)) {
        entry->blob = NULL;
        entry->next = out;
        out = entry;
    } else {
        out = make_room(shard, cost(blob));
        struct entry **at = bucket_of(shard, &blob->key);
        *entry = (struct entry){.blob = blob_hold(blob), .next = *at, .cost = cost(blob)};
        *at = entry;
        list_add(shard, entry);
        shard->bytes += entry->cost;
        shard->entries++;
        grow(shard);
    }
    uv_mutex_unlock(&shard->lock);
    drop(out);
}

void memory_charge(struct memory *memory, const struct blob *blob, size_t bytes)
{
    struct shard *shard = shard_of(memory, &blob->key);
    struct entry *out = NULL;
    uv_mutex_lock(&shard->lock);
    struct entry *entry = find(shard, &blob->key);
    if (entry && entry->blob == blob) {
        entry->cost += bytes;
        shard->bytes += bytes;
        out = make_room(shard, 0);
    }
    uv_mutex_unlock(&shard->lock);
    drop(out);
}

bool memory_has(struct memory *memory, const struct digest *key, uint64_t *bytes)
{
    struct shard *shard = shard_of(memory, key);
    uv_mutex_lock(&shard->lock);
    const struct entry *entry = find(shard, key);
    if (entry)
        *bytes = entry->blob->bytes;
    uv_mutex_unlock(&shard->lock);
    return entry != NULL;
}

void memory_set_budget(struct memory *memory, uint64_t budget_bytes)
{
    uv_mutex_lock(&memory->budgets);
    unsigned used = atomic_load(&memory->used);
    while (used > 1 && budget_bytes / used < SHARD_BYTES_MIN)
        used /= 2;
    /* What lies in the others is dropped; in these all stays where it is. */
    atomic_store(&memory->used, used);
    for (unsigned s = 0; s < memory->shards; s++) {
        struct shard *shard = &memory->shard[s];
        const uint64_t budget = s < used ? budget_bytes / used : 0;
        bool lowered = false;
        while (!lowered) {
            uv_mutex_lock(&shard->lock);
            struct entry *out = lower(shard, budget);
            lowered = shard->budget == budget;
            uv_mutex_unlock(&shard->lock);
            drop(out);
        }
    }
    uv_mutex_unlock(&memory->budgets);
}

uint64_t memory_purge(struct memory *memory, bool all, uint64_t world)
{
    uint64_t count = 0;
    for (unsigned s = 0; s < memory->shards; s++) {
        struct shard *shard = &memory->shard[s];
        bool more = true;
        for (size_t i = 0; more; i += STEP) {
            uv_mutex_lock(&shard->lock);
            struct entry *out = take_world(shard, i, i + STEP, all, world, &count);
            more = i + STEP < shard->buckets;
            uv_mutex_unlock(&shard->lock);
            drop(out);
        }
    }
    return count;
}

void memory_stats(struct memory *memory, struct memory_stats *out)
{
    *out = (struct memory_stats){0};
    for (unsigned s = 0; s < memory->shards; s++) {
        struct shard *shard = &memory->shard[s];
        uv_mutex_lock(&shard->lock);
        out->bytes += shard->bytes;
        out->entries += shard->entries;
        out->evictions += shard->evictions;
        uv_mutex_unlock(&shard->lock);
    }
}

void memory_free(struct memory *memory)
{
    if (!memory)
        return;
    for (unsigned s = 0; s < memory->shards; s++) {
        struct shard *shard = &memory->shard[s];
        for (struct entry *entry = shard->newest, *older; entry; entry = older) {
            older = entry->older;
            blob_release(entry->blob);
            free(entry);
        }
        free(shard->bucket);
        uv_mutex_destroy(&shard->lock);
    }
    uv_mutex_destroy(&memory->budgets);
    free(memory);
}
