/* What the cells of a field that has grown are to one another: trees, whose roots are fixed. */
#ifndef TERRANE_DRAIN_TREE_H
#define TERRANE_DRAIN_TREE_H

#include <string.h>

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

/* The first of the bytes from one up to another that has any of some bits, or the end: most have none. */
static inline int32_t next_with(const uint8_t *bytes, int32_t at, int32_t end, uint8_t bits)
{
    const uint64_t all = UINT64_C(0x0101010101010101) * bits;
    while (at < end && !(bytes[at] & bits)) {
        uint64_t word = all;
        if (at + 8 <= end)
            memcpy(&word, bytes + at, 8);
        at += word & all ? 1 : 8;
    }
    return at;
}

/* What the eight neighbours have, a byte each: north-west, north, north-east, west, east, and so on. It reads a byte behind them. */
static inline uint64_t around(const uint8_t *at, int width)
{
    const uint8_t *const north = at - width - 1, *const south = at + width - 1;
    const uint32_t above = north[0] | (uint32_t)north[1] << 8 | (uint32_t)north[2] << 16 |
                           (uint32_t)north[3] << 24; /* one load, where that is so */
    const uint32_t below =
        south[0] | (uint32_t)south[1] << 8 | (uint32_t)south[2] << 16 | (uint32_t)south[3] << 24;
    return (above & 0xFFFFFF) | (uint64_t)at[-1] << 24 | (uint64_t)at[1] << 32 | (uint64_t)below << 40;
}

/* The neighbours that drain into a cell: the uppermost bit of the byte of each, without branches. */
static inline uint64_t donors(const struct drain_field *field, int32_t c)
{
    static const uint64_t ones = UINT64_C(0x0101010101010101), back = UINT64_C(0x0506070400030201);
    const uint64_t other = ((around(field->to + c, field->width) ^ back) & ones * TERRANE_DRAIN_WAY) |
                           (around(field->mark + c, field->width) & ones * DRAIN_FIXED) << 4;
    return ~(other + ones * 127) & ones * 128; /* no byte of other is above 31 */
}
_Static_assert(TERRANE_DRAIN_WAY == 15 && DRAIN_FIXED == 1, "bytes");

/* The direction of the first of these. */
static inline int donor_way(uint64_t donors)
{
    static const uint8_t way[8] = {5, 6, 7, 4, 0, 3, 2, 1};
    return way[__builtin_ctzll(donors) >> 3];
}

/* The cells of a tree, receivers first, into order: how many. */
static inline int climb(struct drain_field *field, int32_t root)
{
    int32_t *const order = field->order;
    int end = 0;
    order[end++] = root;
    for (int k = 0; k < end; k++)
        for (uint64_t rest = donors(field, order[k]); rest; rest &= rest - 1)
            order[end++] = order[k] + field->off[donor_way(rest)];
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
