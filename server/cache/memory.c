/*
 * The memory tier.
 *
 * Keys are digests, so a few of their bits choose a shard and others a bucket; shards share nothing. A shard
 * is a chained hash table and one list in order of use, under one lock that is held for pointer work only: a
 * blob is sent and freed outside of it.
 *
 * Invariants, under a shard's lock:
 *   (1) an entry is in exactly one bucket and in the list; it holds one reference to its blob;
 *   (2) bytes is the sum of the entries' costs and never above the shard's budget when the lock is dropped.
 */
#include "memory.h"

#include <stdlib.h>
#include <uv.h>

#include "../check.h"

enum { SHARDS_MOST = 16, SHARD_BYTES_LEAST = 64 << 20, BUCKETS_LEAST = 64 };

struct entry {
    struct blob *blob;
    struct entry *next;          /* in the bucket */
    struct entry *newer, *older; /* in the order of use */
    size_t cost;                 /* what it counts for */
};

struct shard {
    uv_mutex_t lock;
    struct entry **bucket;
    size_t buckets; /* a power of two */
    struct entry *newest, *oldest;
    uint64_t bytes, budget, entries, evictions;
};

struct memory {
    unsigned shards; /* a power of two */
    struct shard shard[SHARDS_MOST];
};

static size_t cost(const struct blob *blob)
{
    return blob->bytes + sizeof *blob + sizeof(struct entry) + 64; /* 64: what malloc keeps of three blocks */
}

static struct shard *shard_of(struct memory *memory, const struct digest *key)
{
    return &memory->shard[key->high & (memory->shards - 1)];
}

struct memory *memory_create(uint64_t budget_bytes)
{
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    unsigned shards = 1;
    while (shards < SHARDS_MOST && budget_bytes / (shards * 2) >= SHARD_BYTES_LEAST)
        shards *= 2;
    for (; memory->shards < shards; memory->shards++) {
        struct shard *shard = &memory->shard[memory->shards];
        shard->budget = budget_bytes / shards;
        shard->buckets = BUCKETS_LEAST;
        shard->bucket = calloc(shard->buckets, sizeof(struct entry *));
        if (!shard->bucket) {
            memory_free(memory);
            return NULL;
        }
        CHECK(uv_mutex_init(&shard->lock) == 0);
    }
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

/* Takes the oldest entry out; returns it. */
static struct entry *evict(struct shard *shard)
{
    struct entry *entry = shard->oldest;
    CHECK(entry);
    struct entry **at = bucket_of(shard, &entry->blob->key);
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    list_remove(shard, entry);
    shard->bytes -= entry->cost;
    shard->entries--;
    shard->evictions++;
    return entry;
}

/* Takes the oldest entries out until so many bytes more fit the budget; returns them, chained by next. */
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

/* Frees a chain of entries that are out. The lock is not held. */
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
    free(memory);
}
