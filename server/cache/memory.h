/*
 * The memory tier: blobs by key, least recently used first out, within a budget of bytes.
 */
#ifndef TERRANE_SERVER_MEMORY_H
#define TERRANE_SERVER_MEMORY_H

#include "../observe/tier_stats.h"
#include "blob.h"

struct memory;

/* Returns owned; NULL when memory is short. budget_bytes counts payloads and their bookkeeping. */
struct memory *memory_create(uint64_t budget_bytes);

/* The blob of a key with a reference for the caller, now the most recently used; or NULL. Any thread. */
struct blob *memory_get(struct memory *memory, const struct digest *key);

/*
 * Keeps a blob (adds a reference of its own) and drops others until the budget holds. A blob larger than a
 * shard's share of the budget is not kept. An existing key stays as it is. Any thread.
 */
void memory_put(struct memory *memory, struct blob *blob);

/*
 * Reports that a blob has grown by so many bytes of views: they count like its payload, and others are evicted until the budget
 * holds. Does nothing if the blob is no longer kept here. Any thread.
 */
void memory_charge(struct memory *memory, const struct blob *blob, size_t bytes);

/* True if there is a blob of the key; does not count as a use. Any thread. */
bool memory_has(struct memory *memory, const struct digest *key, uint64_t *bytes);

/* Changes the budget; evicts until it holds. Any thread. */
void memory_set_budget(struct memory *memory, uint64_t budget_bytes);

/* Drops every blob of a world (struct blob: world), or with all every blob. Returns how many. Any thread. */
uint64_t memory_purge(struct memory *memory, bool all, uint64_t world);

void memory_stats(struct memory *memory, struct memory_stats *out);

/* Releases all blobs. No other call may be in progress. NULL is fine. */
void memory_free(struct memory *memory);

#endif
