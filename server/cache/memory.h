/*
 * The memory tier: blobs by key, least recently used first out, within a budget of bytes.
 */
#ifndef TERRANE_SERVER_MEMORY_H
#define TERRANE_SERVER_MEMORY_H

#include "blob.h"

struct memory;

/* Returns owned; NULL when memory is short. budget_bytes counts payloads and their bookkeeping. */
struct memory *memory_create(uint64_t budget_bytes);

/* The blob of a key with a reference for the caller, now the most recently used; or NULL. Any thread. */
struct blob *memory_get(struct memory *memory, const struct digest *key);

/*
 * Keeps a blob (adds a reference of its own) and drops others until the budget holds. A blob larger than a
 * shard's share of the budget is not kept. A key that is there already stays as it is. Any thread.
 */
void memory_put(struct memory *memory, struct blob *blob);

/*
 * Tells that a blob has grown by so many bytes of views: they count like its payload, and others go until the budget holds. Nothing
 * when the blob is not kept here any more. Any thread.
 */
void memory_charge(struct memory *memory, const struct blob *blob, size_t bytes);

/* Whether there is a blob of the key, without using it. Any thread. */
bool memory_has(struct memory *memory, const struct digest *key, uint64_t *bytes);

/* Changes the budget; others go until it holds. Any thread. */
void memory_set_budget(struct memory *memory, uint64_t budget_bytes);

/* Drops every blob of a world (struct blob: world), or with all every blob. Returns how many. Any thread. */
uint64_t memory_purge(struct memory *memory, bool all, uint64_t world);

struct memory_stats {
    uint64_t bytes, entries, evictions;
};

void memory_stats(struct memory *memory, struct memory_stats *out);

/* Releases all blobs. No other call may be in progress. NULL is fine. */
void memory_free(struct memory *memory);

#endif
