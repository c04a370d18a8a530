/*
 * States on disk, so that a server has them again after a restart. A window has one file, its newest state, which replaces the one before. If
 * there are too many files, the oldest are removed: a state can always be made again. Any thread.
 */
#ifndef TERRANE_SERVER_EDIT_SHELF_H
#define TERRANE_SERVER_EDIT_SHELF_H

#include <stdatomic.h>

#include "edit_states.h"

enum { EDIT_CHAIN_BYTES = 16 };

struct edit_shelf {
    const char *dir, *epoch; /* of the world */
    /* Fills the digest of the world's log up to an operation; false: it is not known. */
    bool (*chain)(void *context, uint64_t number, unsigned char chain[static EDIT_CHAIN_BYTES]);
    void *context;
    atomic_int files; /* number of files; only edit_shelf.c uses it */
};

/* Counts the files in dir, and removes unfinished ones. */
void edit_shelf_open(struct edit_shelf *shelf);

/*
 * Returns the packed state of a window that has seen at most the first `at` operations: owned (free), the bytes that edit_shelf_put was given.
 * Fills *state but for state->packed. NULL: there is no valid one. edit_shelf_put writes a state unless the file has a newer one.
 */
unsigned char *edit_shelf_get(struct edit_shelf *shelf, const struct terrane_window *window, unsigned kind,
                              uint64_t at, struct edit_state *state, size_t *packed_bytes);
void edit_shelf_put(struct edit_shelf *shelf, const struct terrane_window *window, unsigned kind,
                    const struct edit_state *state, const unsigned char *packed, size_t packed_bytes);

#endif
