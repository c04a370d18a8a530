/*
 * What people did to a tile's ground, for who makes it.
 */
#ifndef TERRANE_SERVER_TILE_EDITS_H
#define TERRANE_SERVER_TILE_EDITS_H

#include "../../lib/terrane_make.h"
#include "../edit/edit_states.h"
#include "../tile/tile.h"

struct tile_edits {
    struct terrane_edit_source source; /* borrows all of this */
    bool touched;                      /* false: nothing lies over the tile */
    struct edit_log *log;
    uint64_t at;
    /* of what was found last */
    struct terrane_window window;
    unsigned kind;
    struct edit_state state;    /* that it goes on from; packed is owned, NULL: none */
    struct edit_state next;     /* that it is to keep */
    struct terrane_edit *edits; /* owned */
};

/* Of a finished key; false: memory is short. It stays where it is. */
bool tile_edits_open(const struct tile_key *key, struct tile_edits *edits);

#endif
