/*
 * States on a disk, so that a server that starts has them: a file for each window, the newest, which takes the place of the one before. They
 * can be made again; the oldest go where there are too many. Any thread.
 */
#ifndef TERRANE_SERVER_EDIT_SHELF_H
#define TERRANE_SERVER_EDIT_SHELF_H

#include <stdatomic.h>

#include "edit_states.h"

enum { EDIT_CHAIN_BYTES = 16 };

struct edit_shelf {
    const char *dir, *epoch; /* of the world */
    /* The digest of the world's log up to an operation; false: it cannot be told. */
    bool (*chain)(void *context, uint64_t number, unsigned char chain[static EDIT_CHAIN_BYTES]);
    void *context;
    atomic_int files; /* the shelf's own */
};

/* Counts what is there. */
void edit_shelf_open(struct edit_shelf *shelf);

/*
 * The state of a window, of a world before at or of then: owned (free), as edit_shelf_put got it, state->packed aside. NULL: there is none
 * that is good.
 */
unsigned char *edit_shelf_get(struct edit_shelf *shelf, const struct terrane_window *window, unsigned kind,
                              uint64_t at, struct edit_state *state, size_t *packed_bytes);
void edit_shelf_put(struct edit_shelf *shelf, const struct terrane_window *window, unsigned kind,
                    const struct edit_state *state, const unsigned char *packed, size_t packed_bytes);

#endif
