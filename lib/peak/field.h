/* The numbers whose tops landmarks are: a kind each. */
#ifndef TERRANE_PEAK_FIELD_H
#define TERRANE_PEAK_FIELD_H

#include "../terrane_features.h"

/* What a sample has that is no landmark, whatever is around it. */
#define FIELD_NONE (-1.0F)

struct numbers {
    const struct terrane_world *world;
    const struct terrane_memory *memory;
    struct terrane_window window; /* that is looked at */
    int reach;                    /* samples around it that are known, too */
    float *height;                /* of all of them */
    uint8_t *zone;                /* likewise, where they are looked at, too */
    int64_t *table;               /* sums of what a kind counts, from the first sample on */
};

/* Takes memory for windows of so many samples along a side. false: it is short, and there is nothing to close. */
bool field_open(struct numbers *field, const struct terrane_world *world, const struct terrane_memory *memory,
                int max);
void field_close(struct numbers *field);

/* How many samples around a window its numbers of a kind need. */
int field_reach(enum terrane_landmark_kind kind);

/* Looks at a window of step 1, for kinds that need so many samples around it, and at its zones if a tract is one of them. Returns 0 or an error of
 * terrane_heights. */
int field_look(struct numbers *field, const struct terrane_window *window, int reach, bool zones);

/* The zone of a sample of the window, where zones are looked at. */
int field_zone(const struct numbers *field, int at);

/* A kind's numbers of the window that is looked at. */
void field_numbers(const struct numbers *field, enum terrane_landmark_kind kind, float *number);

#endif
