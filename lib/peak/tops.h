/*
 * The tops of a level's cells, and where a landmark climbs to on a level: functions of their places alone, which the memo remembers, since the
 * coarse levels of a tile are those of its neighbours.
 */
#ifndef TERRANE_PEAK_TOPS_H
#define TERRANE_PEAK_TOPS_H

#include "summit.h"

enum {
    TOPS_DRIFT = 2,   /* samples that one climbs on a level at most */
    TOPS_ACROSS = 11, /* cells along a side at most */
    TOPS_SIDE = TOPS_ACROSS * TOPS_CELL + 2 * TOPS_REACH
};

struct tops {
    struct numbers field;
    float *number;                                  /* room for TOPS_SIDE squared */
    int level;                                      /* that is looked at */
    int64_t west, north;                            /* its first cell */
    int across, down;                               /* cells */
    struct memo_top top[TOPS_ACROSS * TOPS_ACROSS]; /* of each, row by row */
};

/* Takes memory. false: it is short, and there is nothing to close. */
bool tops_open(struct tops *tops, const struct terrane_world *world, const struct terrane_memory *memory);
void tops_close(struct tops *tops);

/* Looks at cells of a level (west, north, across, down are set), for kinds (1 << kind of each). Returns 0 or an error of terrane_heights. */
int tops_look(struct tops *tops, int level, unsigned kinds);

/* The landmark of a cell, as if there were no coarser ones; false: it has none. */
bool tops_mark(const struct tops *tops, int cell, enum terrane_landmark_kind kind,
               struct terrane_landmark *mark);

/* Moves a landmark of the level above to the highest sample of a level's that are near. Likewise. */
int tops_climb(struct tops *tops, int level, struct terrane_landmark *mark);

#endif
