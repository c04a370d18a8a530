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

/*
 * Regions that ground beside a tile is made of, where what people did reads that ground: a plan's tile is of the key. Adds them to a list of count,
 * which has room for max; returns how many there are then. Where there are more, and where memory is short, it adds none: then who makes
 * the tile makes them, too.
 */
int tile_edits_regions(const struct tile_key *key, const struct terrane_recipe *recipe,
                       const struct terrane_plan *plan, struct terrane_region *region, int count, int max);

/* Of a finished key; false: memory is short. It stays where it is. */
bool tile_edits_open(const struct tile_key *key, struct tile_edits *edits);

#endif
