/*
 * The tiles of a set while they are filled: what is there, what comes, and the files that become of it.
 *
 * A sheet is a tile of the set in one layer. Each tile of the world goes into every sheet that it touches, so that an edge that two
 * share is the same samples; the last one that a sheet waits for has its files written. Where the range of 16 bits is the set's own,
 * heights wait as floats beside the set until all of them are there.
 */
#ifndef TERRANE_SERVER_EXPORT_SHEETS_H
#define TERRANE_SERVER_EXPORT_SHEETS_H

#include <stdatomic.h>
#include <uv.h>

#include "../cache/blob.h"
#include "export_folder.h"
#include "export_set.h"

/* Whether a tile of the set is there in a layer: its files; or, as samples that wait for the range, at least these. */
enum export_state { EXPORT_THERE, EXPORT_WAITS, EXPORT_MISSING };

/*
 * All of a set: state[layer * tiles + row * across + column]. Owned (malloc); NULL when memory is short. folder NULL: nothing is
 * there.
 */
enum export_state *export_states(const struct export_set *set, const struct export_folder *folder);

/* What is to be made: tiles of the world in any layer, out of *total of them; below 0: memory is short. *files: there are already. */
int64_t export_left(const struct export_set *set, const enum export_state *state, int64_t *total,
                    int64_t *files);

/* ---- Sheets -------------------------------------------------------------------------------------------- */

struct export_sheet;

struct export_sheets {
    const struct export_set *set;
    struct export_folder *folder;
    struct export_sheet *sheet; /* layer by layer */
    int tiles;                  /* of the set */
    bool ranged;                /* the range is known */
    float low_m, high_m;
    atomic_bool failed;
    atomic_llong made, bytes; /* tiles of the world that have come, and bytes of files */
    uv_mutex_t lock;
    char error[EXPORT_ERROR_BYTES]; /* under the lock: why it failed */
};

/* Borrows set and folder. 0, or -1 where memory is short; to be closed all the same. */
int export_sheets_open(struct export_sheets *sheets, const struct export_set *set,
                       struct export_folder *folder, const enum export_state *state);
void export_sheets_close(struct export_sheets *sheets);

/* Does a sheet want tiles of the world? Says the same until it is closed. */
bool export_sheets_want(const struct export_sheets *sheets, enum export_layer layer, int tile);

/* Puts a tile of the world into all sheets of a layer that it touches; each once. Any thread. */
void export_sheets_fill(struct export_sheets *sheets, enum export_layer layer, const struct tile_key *key,
                        const struct blob *blob);

/* Why it is no use to go on. Any thread. */
void export_sheets_fail(struct export_sheets *sheets, const char *why);

/* ---- Once all have come -------------------------------------------------------------------------------- */

/* The range of the heights that wait, which is noted in the folder. */
void export_sheets_find_range(struct export_sheets *sheets);

/* Do a sheet's heights wait? */
bool export_sheets_wait(const struct export_sheets *sheets, enum export_layer layer, int tile);

/* Writes heights that wait. Any thread, of different sheets. */
void export_sheets_write(struct export_sheets *sheets, enum export_layer layer, int tile);

#endif
