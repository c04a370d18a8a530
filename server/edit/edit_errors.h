/*
 * How far edited ground of a level may lie from that of finer ones, where ground that nobody changed lies no further apart than
 * geometric_error_m: a bound, from sizes and strengths of all operations there ever were, wherever they lie.
 *
 * An operation whose outer radius is two samples of a level or more is the same there as below. Of raise and lower that is all. level,
 * restore and ways bring heights that differ no further apart; likewise smooth, where both levels read the same means. What is smaller
 * differs by what it may do at most.
 */
#ifndef TERRANE_SERVER_EDIT_ERRORS_H
#define TERRANE_SERVER_EDIT_ERRORS_H

#include "../../lib/terrane_edit.h"

/* More than zeros where there is any operation that moves ground. */
struct edit_errors {
    int64_t units[TERRANE_LEVEL_MAX + 1]; /* of operations that first differ at a level */
};

void edit_errors_add(struct edit_errors *errors, const struct terrane_edit *edit);

/* Of a level of a world whose heights, without edits, are within high of 0. */
double edit_errors_m(const struct edit_errors *errors, int level, double high_m);

#endif
