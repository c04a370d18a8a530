/*
 * What operations made of windows that have many, so that who makes one again applies those alone that came since: one state a window,
 * the newest, in memory (zstd): at most 16 MB a world, and 128 MB of all worlds, but that each may have 1 MB. It can be made again, and
 * the oldest go where there is no more room. A server's are on a disk, too.
 */
#ifndef TERRANE_SERVER_EDIT_STATES_H
#define TERRANE_SERVER_EDIT_STATES_H

#include "../../lib/terrane_edit.h"

struct edit_states;

struct edit_shelf;

/* They are kept on a disk as well, from here on: what is borrowed stays as long as they do (edit_shelf.h). Before anybody asks. */
void edit_states_shelve(struct edit_states *states, struct edit_shelf *shelf);

struct edit_states *edit_states_create(void); /* returns owned; NULL: memory is short */
void edit_states_free(struct edit_states *states);

/* The operations that it has are the first from, as they were in the world after seen. */
struct edit_state {
    uint64_t from, seen;
    int64_t margin; /* edit_log_margin */
    size_t bytes;
    unsigned char *packed; /* terrane_edit_pack */
};

/* The state of a window over ground of a kind, of a world before at or of then. Its bytes are the caller's (free); false: there is none. */
bool edit_states_get(struct edit_states *states, const struct terrane_window *window, unsigned kind,
                     uint64_t at, struct edit_state *state);

/* Keeps a copy in the place of an older one. Where memory is short it is not kept. */
void edit_states_put(struct edit_states *states, const struct terrane_window *window, unsigned kind,
                     const struct edit_state *state);

static inline bool edit_same_window(const struct terrane_window *a, const struct terrane_window *b)
{
    return a->level == b->level && a->gi == b->gi && a->gj == b->gj && a->step == b->step &&
           a->width == b->width && a->height == b->height;
}

#endif
