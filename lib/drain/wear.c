/*
 * Slopes: no neighbour is higher than the talus lets it be, as far as a bounded number of rounds brings that. Streams are cut
 * into ground before trees grow: so their banks lean back, and water beside a gorge runs into it.
 *
 * Where ice was, the first rounds let ground rise less than the later ones: what is n cells from lower ground may stand over it by
 * the sum of n rounds, a parabola. So valleys have wide floors and steep sides, and end in bowls; ridges become sharp.
 */
#include <string.h>

#include "tree.h"

enum { ROCK = 8 }; /* cells between the nodes of what rock is like: a power of two */

static void rise_row_hashed(const struct drain_field *field, int y, int32_t *rise)
{
    const int32_t eighth = field->law->talus[0] >> 3;
    uint32_t *hash = (uint32_t *)(void *)rise;
    erode_kernels_current()->hash_cells(field->law->key ^ 3, field->window.gi, field->window.gj + y,
                                        field->width, hash);
    for (int x = 0; x < field->width; x++)
        rise[x] = eighth * (4 + (int32_t)(hash[x] & 7));
}

/* Between nodes, whose hashes come into field->order, which is nobody's yet. */
static void rise_row_smooth(const struct drain_field *field, int y, int32_t *rise)
{
    const struct terrane_window *window = &field->window;
    const int64_t gy = window->gj + y, y0 = gy & -(int64_t)ROCK, x0 = window->gi & -(int64_t)ROCK;
    const uint32_t fy = (uint32_t)(gy - y0), first = (uint32_t)(window->gi - x0);
    const int nodes = (int)((first + (uint32_t)field->width - 1) / ROCK) + 2;
    uint32_t *north = (uint32_t *)(void *)field->order, *south = north + field->width;
    erode_kernels_current()->hash_cells(field->law->key ^ 3, x0 / ROCK, y0 / ROCK, nodes, north);
    erode_kernels_current()->hash_cells(field->law->key ^ 3, x0 / ROCK, y0 / ROCK + 1, nodes, south);
    for (int k = 0; k < nodes; k++)
        north[k] = (north[k] & 255) * (ROCK - fy) + (south[k] & 255) * fy;
    const int64_t min = field->law->talus[0] >> 1, more = (int64_t)field->law->talus[0] * 7 >> 3;
    for (uint32_t x = 0; x < (uint32_t)field->width; x++) {
        const uint32_t at = first + x, fx = at % ROCK, *node = north + at / ROCK;
        const uint32_t share = node[0] * (ROCK - fx) + node[1] * fx; /* of 256 ROCK^2 */
        rise[x] = (int32_t)(min + (more * share >> 14));
    }
}
_Static_assert(256 * ROCK * ROCK == 1 << 14, "a share");

void drain_rise_row(const struct drain_field *field, int y, int32_t *rise)
{
    if (field->law->smooth)
        rise_row_smooth(field, y, rise);
    else
        rise_row_hashed(field, y, rise);
}

/* How much of that full ice takes: all of it where ground is high. */
static void cold_row(const struct drain_field *field, int y, const int32_t *rise, int32_t *cold)
{
    const int32_t *ground = field->ground + (size_t)y * (size_t)field->width;
    for (int x = 0; x < field->width; x++)
        cold[x] = (int32_t)((int64_t)rise[x] * drain_ice(field->law, ground[x]) >> 8);
}

/* Some cells of a row of round k: rounds go from one array into the other. */
static void round_part(const struct drain_field *field, int32_t *const array[2], const int32_t *rise, int k,
                       size_t first, int count)
{
    const size_t width = (size_t)field->width;
    const int32_t *from = array[k & 1] + first, *const old[3] = {from - width, from, from + width};
    erode_kernels_current()->wear_row(count, old, rise, array[~k & 1] + first);
}

static void round_row(const struct drain_field *field, int32_t *const array[2], const int32_t *rise, int k,
                      int y)
{
    const size_t first = (size_t)y * (size_t)field->width + 1;
    round_part(field, array, rise + first, k, first, field->width - 2);
}

/* The same where ice was; cold behind rise. */
static void ice_row(const struct drain_field *field, int32_t *const array[2], const int32_t *rise, int k,
                    int y)
{
    enum { PART = 256 };
    const int32_t less = field->law->ice[k], *cold = rise + field->cells;
    const size_t end = ((size_t)y + 1) * (size_t)field->width - 1;
    for (size_t at = end - (size_t)field->width + 2; at < end; at += PART) {
        const int count = end - at < PART ? (int)(end - at) : PART;
        int32_t part[PART];
        for (int i = 0; i < count; i++) /* cold * less >> 8, in two parts: the product is too long */
            part[i] = rise[at + (size_t)i] -
                      ((cold[at + (size_t)i] >> 8) * less + ((cold[at + (size_t)i] & 255) * less >> 8));
        round_part(field, array, part, k, at, count);
    }
}

/* Marks what rounds may have brought from beyond. */
static void mark_edge(struct drain_field *field, int edge)
{
    const int width = field->width, height = field->height;
    for (int y = 0; y < height; y++) {
        const bool all = y < edge || y >= height - edge || edge > width;
        uint8_t *const mark = field->mark + (size_t)y * (size_t)width;
        for (int x = 0; x < (all ? width : edge); x++) {
            mark[x] |= DRAIN_UNSURE;
            mark[width - 1 - x] |= DRAIN_UNSURE;
        }
    }
}

/*
 * Lines are as high as the lattice above has them, where the ground beside may have been worn down to a lower line: they would stand
 * over it on dams. A dam comes down to its worn ground, and with it law->cut_cells of its line from there on: a bar behind it is cut.
 * None comes below the last of these, nor below the first that is as low: so lines fall or stay as before.
 */
static bool is_line(const struct drain_field *field, int32_t c)
{
    return is_fixed(field, c) && has_way(field, c);
}

static bool is_dam(const struct drain_field *field, int32_t c)
{
    return is_line(field, c) && !(field->to[c] & TERRANE_DRAIN_LAKE) && field->ground[c] < field->z[c];
}

/* The highest lake beside a cell, or low: no line comes below its shore. */
static int32_t over_lakes(const struct drain_field *field, int32_t c, int32_t low)
{
    for (int k = 0; k < 8; k++) {
        const int32_t n = c + field->off[k];
        if (field->to[n] & TERRANE_DRAIN_LAKE && field->z[n] > low)
            low = field->z[n];
    }
    return low;
}

/* How low a dam and what follows come; unsure: another field may say otherwise. end: where that ends. */
static int32_t dam_level(const struct drain_field *field, int32_t c, int32_t *end, bool *unsure)
{
    int32_t at = c, low = over_lakes(field, c, field->ground[c]);
    *unsure = field->mark[c] & DRAIN_UNSURE;
    for (int n = 1;; n++) {
        at = receiver(field, at);
        const bool sea = field->to[at] == TERRANE_DRAIN_SEA;
        const int32_t z = sea ? field->law->sea : field->z[at];
        *unsure |= (field->mark[at] & DRAIN_UNSURE) != 0;
        *end = at;
        if (z <= low)
            return low;
        if (n == field->law->cut_cells || !is_line(field, at) || field->to[at] & TERRANE_DRAIN_LAKE)
            return z;
        low = over_lakes(field, at, low);
    }
}

static void lower_from(struct drain_field *field, int32_t c, int32_t *lowered)
{
    int32_t end;
    bool unsure;
    const int32_t level = dam_level(field, c, &end, &unsure);
    for (int32_t at = c; at != end; at = receiver(field, at)) {
        lowered[at] = lowered[at] < level ? lowered[at] : level;
        field->mark[at] |= unsure ? DRAIN_ANEW : 0;
    }
}

/* What stands beyond doubt on a line may still come down with a dam before it that does not. */
static void doubt_behind(struct drain_field *field, int32_t c)
{
    for (int n = 0; n < field->law->cut_cells && is_line(field, c); n++, c = receiver(field, c))
        field->mark[c] |= DRAIN_ANEW;
}

int drain_lines(const struct drain_field *field, int32_t *line)
{
    int count = 0;
    if (field->law->coarsest)
        return 0;
    for (int32_t c = -1; (c = next_with(field->mark, c + 1, field->cells, DRAIN_FIXED)) < field->cells;)
        if (is_line(field, c))
            line[count++] = c;
    return count;
}

void drain_lower_lines(struct drain_field *field)
{
    int32_t *const lowered = field->order, *const line = (int32_t *)(void *)field->cost;
    const int count = drain_lines(field, line);
    for (int k = 0; k < count; k++)
        lowered[line[k]] = field->z[line[k]];
    for (int k = 0; k < count; k++) {
        if (is_dam(field, line[k]))
            lower_from(field, line[k], lowered);
        if (field->mark[line[k]] & DRAIN_UNSURE)
            doubt_behind(field, line[k]);
    }
    for (int k = 0; k < count; k++) {
        const int32_t c = line[k];
        field->z[c] = lowered[c];
        if (lowered[c] < field->ground[c])
            field->ground[c] = lowered[c];
        if (field->mark[c] & DRAIN_ANEW)
            field->mark[c] = (uint8_t)((field->mark[c] & ~DRAIN_ANEW) | DRAIN_UNSURE);
    }
}

void drain_copy_border(const struct drain_field *field, const int32_t *from, int32_t *to)
{
    const size_t width = (size_t)field->width, last = (size_t)field->cells - width;
    memcpy(to, from, width * sizeof *to);
    memcpy(to + last, from + last, width * sizeof *to);
    for (size_t at = width; at < last; at += width) {
        to[at] = from[at];
        to[at + width - 1] = from[at + width - 1];
    }
}

void drain_wear(struct drain_field *field, int edge)
{
    int32_t *worn = field->order, *rise = (int32_t *)(void *)field->cost;
    int32_t *const array[2] = {field->ground, worn};
    const bool ice = field->law->ice_span > 0 && field->law->ice[0] > 0;
    for (int y = 0; y < field->height; y++) {
        int32_t *row = rise + (size_t)y * (size_t)field->width;
        drain_rise_row(field, y, row);
        if (ice)
            cold_row(field, y, row, row + field->cells);
    }
    drain_copy_border(field, field->ground, worn);
    /* each round a row behind the one before it, which has just made what is read and reads no more of what is written */
    for (int y = 1; y < field->height - 1 + DRAIN_WEAR - 1; y++)
        for (int k = 0; k < DRAIN_WEAR; k++)
            if (y - k >= 1 && y - k < field->height - 1)
                (ice ? ice_row : round_row)(field, array, rise, k, y - k);
    mark_edge(field, edge + DRAIN_WEAR + 2);
    drain_lower_lines(field);
}
