/* What the cells of a field that has grown are to one another: trees, whose roots are fixed. */
#ifndef TERRANE_DRAIN_TREE_H
#define TERRANE_DRAIN_TREE_H

#include "drain.h"

static inline bool is_fixed(const struct drain_field *field, int32_t c)
{
    return field->mark[c] & DRAIN_FIXED;
}

static inline bool is_sea(const struct drain_field *field, int32_t c)
{
    return (field->to[c] & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA;
}

/* Whether it drains into a neighbour. */
static inline bool has_way(const struct drain_field *field, int32_t c)
{
    return (field->to[c] & TERRANE_DRAIN_WAY) < 8;
}

/* Whether a tree has come to it: it has a receiver. */
static inline bool has_grown(const struct drain_field *field, int32_t c)
{
    return !is_fixed(field, c) && has_way(field, c);
}

static inline int32_t receiver(const struct drain_field *field, int32_t c)
{
    return c + field->off[field->to[c] & TERRANE_DRAIN_WAY];
}

/* Whether a tree begins there: water gathers at it, and goes where none does. */
static inline bool is_root(const struct drain_field *field, int32_t c)
{
    return drain_gathers(field, c) && !(has_grown(field, c) && drain_gathers(field, receiver(field, c)));
}

/* The cells of a tree, receivers first, into order: how many. */
static inline int climb(struct drain_field *field, int32_t root)
{
    int end = 0;
    field->order[end++] = root;
    for (int k = 0; k < end; k++)
        for (int way = 0; way < 8; way++) {
            const int32_t n = field->order[k] + field->off[way];
            if ((field->to[n] & TERRANE_DRAIN_WAY) == ((way + 4) & 7) && !is_fixed(field, n))
                field->order[end++] = n;
        }
    return end;
}

/* The tree that a cell is of is to be made again. bit: DRAIN_AGAIN or DRAIN_ANEW, of ways as they were or as they are. */
static inline void touch(struct drain_field *field, int32_t c, uint8_t bit)
{
    while (drain_gathers(field, c) && !(field->mark[c] & bit)) {
        field->mark[c] |= bit;
        if (!has_grown(field, c))
            return;
        c = receiver(field, c);
    }
}

#endif
