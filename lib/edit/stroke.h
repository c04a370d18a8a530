/*
 * An operation as a level sees it: how much of it each sample gets.
 */
#ifndef TERRANE_EDIT_STROKE_H
#define TERRANE_EDIT_STROKE_H

#include "../terrane_edit.h"

enum {
    EDIT_PARTS_LOG2 = 4,
    EDIT_SHARE_LOG2 = 16,
    EDIT_WHOLE = 1 << EDIT_SHARE_LOG2,
    EDIT_OWN_LOG2 = 8, /* smooth and sharpen read the level at which their radius is 2^8 .. 2^9 parts */
};
_Static_assert(1 << EDIT_PARTS_LOG2 == TERRANE_EDIT_PARTS && EDIT_WHOLE == TERRANE_EDIT_SHARES,
               "one fact, twice");

struct stroke {
    int64_t x, y;           /* the centre, in parts; of a way its first point */
    int64_t x0, y0, x1, y1; /* what the radii are around: the centre, or all points of a way */
    int64_t reach;          /* the outer radius, in parts */
    int64_t inner, outer;   /* both in 2^-fine parts */
    int64_t per_ring;       /* 2^41 over the width of the ring between them, if there is one */
    int64_t share;          /* all of it, in shares */
    int level, fine;
};

/* false: nothing of it is seen at that level. */
bool stroke_at(const struct terrane_edit *edit, int level, struct stroke *stroke);

/* A distance in parts, in fine ones. Those of samples that stand a whole step of the level apart are as far apart as the step's. */
int64_t stroke_finely(const struct stroke *stroke, int64_t parts);

struct terrane_edit_box stroke_box(const struct stroke *stroke);

/* 2^-16ths of all of it that a sample has at so many fine parts, which is what kernels have (lib/kernel/edit.inc). */
int64_t stroke_share(const struct stroke *stroke, double distance);

/* Whether a brush reads surroundings, and the level whose samples these are, in a window of a level. */
bool edit_reads(const struct terrane_edit *edit);
int edit_reads_level(const struct terrane_edit *edit, int level);

/* The columns and rows of a window that lie in a box: from the first to the last. false: none. */
struct edit_part {
    int west, north, east, south;
};
bool edit_part_of(const struct terrane_window *window, const struct terrane_edit_box *box,
                  struct edit_part *part);

/* What smooth or sharpen of a part of a window read on a lattice of a level: the mean's samples. */
struct terrane_edit_box edit_mean_box(const struct terrane_window *window, const struct edit_part *part,
                                      int level);

/* Whether a way moves a sample of a part of a window, by the boxes of its segments; then the part becomes theirs. */
bool way_part_of(const struct terrane_window *window, const struct terrane_edit *way,
                 const struct stroke *stroke, struct edit_part *part);

#endif
