/*
 * What the tests of a room of recipes share: members of a recipe middle() of the file's own, taken and refused at both ends.
 */
#ifndef TERRANE_TESTS_RECIPE_ENDS_KIT_H
#define TERRANE_TESTS_RECIPE_ENDS_KIT_H

#include "../recipe_kit.h"

/* Every number inside its range. */
static struct terrane_recipe middle(void);

static struct terrane_recipe made;

#define TAKEN(member, value) (made = middle(), made.member = (value), expect_taken(&made))
#define REFUSED_AT(member, value, error, where) \
    (made = middle(), made.member = (value), expect_refused(&made, error, where))
#define REFUSED(member, value, error) REFUSED_AT(member, value, error, -1)

/* Both ends of a range, what is next to them, and what is far. */
#define INTS_AT(member, low, high, error, where)      \
    do {                                              \
        TAKEN(member, low);                           \
        TAKEN(member, high);                          \
        REFUSED_AT(member, (low)-1, error, where);    \
        REFUSED_AT(member, (high) + 1, error, where); \
        REFUSED_AT(member, INT32_MIN, error, where);  \
        REFUSED_AT(member, INT32_MAX, error, where);  \
    } while (0)
#define FLOATS(member, low, high, error)                    \
    do {                                                    \
        TAKEN(member, low);                                 \
        TAKEN(member, high);                                \
        REFUSED(member, nextafterf(low, -INFINITY), error); \
        REFUSED(member, nextafterf(high, INFINITY), error); \
        REFUSED(member, NAN, error);                        \
        REFUSED(member, -INFINITY, error);                  \
        REFUSED(member, INFINITY, error);                   \
    } while (0)

#endif
