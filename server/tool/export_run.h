/*
 * Exporting itself: the tiles of the world that a set needs, each made once by many threads, into the set's files.
 */
#ifndef TERRANE_SERVER_EXPORT_RUN_H
#define TERRANE_SERVER_EXPORT_RUN_H

#include "export_sheets.h"
#include "seed_progress.h"
#include "seed_run.h"

struct export_run {
    const struct export_set *set;
    const struct tile_key *key; /* of the world */
    const struct terrane_world *world;
    unsigned threads;
    uint64_t memory_bytes; /* for what several tiles are made from */
};

/*
 * Makes what is not there. *low_m and *high_m become the range of the heights that the set has, or, where it waits for it, is written over.
 * Returns how it ended; with SEED_FAILED a line is in error. progress is told of it, but for its end.
 */
enum seed_result export_run(const struct export_run *run, struct export_folder *folder,
                            const enum export_state *state, struct seed_progress *progress, float *low_m,
                            float *high_m, char error[static EXPORT_ERROR_BYTES]);

#endif
