/* What makes a sample a landmark, but for coarser ones beside it. */
#ifndef TERRANE_PEAK_SUMMIT_H
#define TERRANE_PEAK_SUMMIT_H

#include "../term/memo.h"
#include "around.h"
#include "field.h"

enum {
    TOPS_CELL_LOG2 = 5,
    TOPS_CELL = 1 << TOPS_CELL_LOG2,
    TOPS_REACH = AROUND_REACH /* samples around a top without a higher one */
};

/* The highest sample of a cell that begins at one, the first of them, as a place in the window. */
int top_highest(const float *number, int width, int at);

/* Whether a sample of the window is one, by the numbers of its kind, and what of it is to be kept. */
bool top_is(const struct numbers *field, const float *number, enum terrane_landmark_kind kind, int at,
            struct memo_mark *mark);

#endif
