/*
 * The shared tier as a place for seeded tiles: every node that knows the store finds them there.
 *
 * The tier writes behind and promises nothing, and a store comes and goes. Here every tile is held until the store has taken
 * it, and what it did not take is put again, for as long as there is patience.
 *
 * One thread.
 */
#ifndef TERRANE_SERVER_SEED_SHARED_H
#define TERRANE_SERVER_SEED_SHARED_H

#include "../cache/remote.h"

enum { SEED_SHARED_ERROR_BYTES = REMOTE_ERROR_BYTES };

struct seed_shared;

struct seed_shared_options {
    const char *url; /* remote_url.h; borrowed for the call, as ca is */
    const char *ca;  /* as struct remote_options has it, like the next */
    uint64_t expire_s;
    double patience_s;     /* with a store that is away */
    bool (*stopped)(void); /* whether to wait no longer */
};

/* Waits for the store, with patience; a store that lets nobody in under that name is none to wait for. Owned; NULL with one
 * line in error. */
struct seed_shared *seed_shared_open(const struct seed_shared_options *options,
                                     char error[SEED_SHARED_ERROR_BYTES]);

/* Whether the store has a tile, intact. */
bool seed_shared_has(struct seed_shared *shared, const struct digest *digest);

/* Takes a tile; holds its own reference. 0, or -1: error says why. */
int seed_shared_put(struct seed_shared *shared, struct blob *blob, char error[SEED_SHARED_ERROR_BYTES]);

/* Until the store has all that was put. 0, or -1: error says why. */
int seed_shared_commit(struct seed_shared *shared, char error[SEED_SHARED_ERROR_BYTES]);

/* Whether the last error is that the run was stopped while the store was away. */
bool seed_shared_was_stopped(const struct seed_shared *shared);

/* Entries that the store has evicted for want of room since it was opened, whosever; 0 where it does not say. */
uint64_t seed_shared_evicted(const struct seed_shared *shared);

/* Tiles that the store has taken, and their bytes. */
void seed_shared_stored(const struct seed_shared *shared, int64_t *tiles, uint64_t *bytes);

/* Where it is, without secrets. */
const char *seed_shared_place(const struct seed_shared *shared);

/* NULL is fine. */
void seed_shared_close(struct seed_shared *shared);

#endif
