/*
 * Walls: trees meet where ways are equally long, not where they are equally high. What stands over its neighbours by more than the
 * talus is worn down, and drains to the lowest of them.
 *
 *  (1) Lines come down to the dry ground beside them, as drain_lower_lines lets them.
 *  (2) DRAIN_RELAX rounds lower hillsides, not under the lines and lakes beside them; no lake and no line moves.
 *  (3) What was lowered has a neighbour that is lower, since every rise is a unit at least: it drains to the lowest one, so nothing
 *      circles. Runoff is what these ways bring.
 *
 * What a cell becomes rests on those within DRAIN_RELAX + 1 steps, and what drains into it on those a step farther.
 */
#include <string.h>

#include "tree.h"

enum {
    BOTTOM = 9,   /* eighths of the rise of wear that is left at the bottom */
    SHOWN = 7,    /* ... on lattices that are only shown, from generator 9 on */
    ABOVE = 5,    /* ... and on coarser lattices, where what stands beside a line is steep for those below */
    MAX = 1 << 29 /* units: what stands on the highest ground is still an int32_t */
};

/* ---- Lines --------------------------------------------------------------------------------------------- */

static inline bool is_doubtful(const struct drain_field *field, int32_t c)
{
    return field->mark[c] & DRAIN_UNSURE || (field->mark[c] & DRAIN_DIRTY && drain_gathers(field, c));
}

/* Of a line's cell: its ground becomes the lowest of the dry land beside it. */
static void sink(struct drain_field *field, int32_t c)
{
    int32_t low = field->z[c];
    for (int k = 0; k < 8; k++) {
        const int32_t n = c + field->off[k];
        if (!is_fixed(field, n) && is_doubtful(field, n))
            field->mark[c] |= DRAIN_UNSURE;
        if (has_grown(field, n) && !(field->to[n] & TERRANE_DRAIN_LAKE) && field->z[n] < low)
            low = field->z[n];
    }
    field->ground[c] = low;
}

static void sink_lines(struct drain_field *field)
{
    for (int y = 1; y < field->height - 1; y++)
        for (int32_t c = y * field->width + 1; c < (y + 1) * field->width - 1; c++)
            if (is_fixed(field, c) && has_way(field, c))
                sink(field, c);
    drain_lower_lines(field);
}

/* ---- Hillsides ----------------------------------------------------------------------------------------- */

/* How low cells may become: what does not move stays, and hillsides end over the water beside them. */
static void fill_floor(const struct drain_field *field, int32_t *floor)
{
    for (int32_t c = 0; c < field->cells; c++)
        floor[c] = has_grown(field, c) && !(field->to[c] & TERRANE_DRAIN_LAKE) ? INT32_MIN : INT32_MAX;
    for (int y = 1; y < field->height - 1; y++)
        for (int32_t c = y * field->width + 1; c < (y + 1) * field->width - 1; c++) {
            const bool water = is_fixed(field, c) || field->to[c] & TERRANE_DRAIN_LAKE;
            const int32_t min = field->z[c] + field->law->fall[1];
            for (int k = 0; k < 8 && water && !is_sea(field, c); k++) {
                int32_t *beside = &floor[c + field->off[k]];
                *beside = *beside > min ? *beside : min;
            }
        }
    for (int32_t c = 0; c < field->cells; c++)
        floor[c] = floor[c] < field->z[c] ? floor[c] : field->z[c];
}

static void fill_rise(const struct drain_field *field, int32_t *rise)
{
    const int part = field->law->level == field->law->bottom ? BOTTOM : field->law->smooth ? SHOWN : ABOVE;
    for (int y = 0; y < field->height; y++)
        drain_rise_row(field, y, rise + (size_t)y * (size_t)field->width);
    for (int32_t c = 0; c < field->cells; c++) {
        const int64_t more = (int64_t)rise[c] * part >> 3;
        rise[c] = more < 1 ? 1 : more < MAX ? (int32_t)more : MAX;
    }
}

/* Rounds follow each other a row behind, as those of wear do. */
static void lower_sides(struct drain_field *field)
{
    int32_t *const rise = (int32_t *)(void *)field->cost, *const floor = rise + field->cells,
                   *const array[2] = {field->z, field->order};
    const size_t width = (size_t)field->width;
    fill_rise(field, rise);
    fill_floor(field, floor);
    for (int32_t c = 0; c < field->cells; c++)
        if (is_sea(field, c))
            field->z[c] = field->law->sea;
    memcpy(array[1], array[0], (size_t)field->cells * sizeof *array[1]);
    for (int y = 1; y < field->height - 1 + DRAIN_RELAX - 1; y++)
        for (int k = 0; k < DRAIN_RELAX; k++) {
            if (y - k < 1 || y - k >= field->height - 1)
                continue;
            const size_t first = (size_t)(y - k) * width + 1;
            const int32_t *from = array[k & 1] + first, *const old[3] = {from - width, from, from + width};
            erode_kernels_current()->relax_row(field->width - 2, old, rise + first, floor + first,
                                               array[~k & 1] + first);
        }
}

/* ---- Ways ---------------------------------------------------------------------------------------------- */

/* What was lowered drains to the lowest of its neighbours, of equals the first. */
static void turn(struct drain_field *field, int32_t c)
{
    int32_t low = field->z[c];
    for (int k = 0; k < 8; k++) {
        const int32_t z = field->z[c + field->off[k]];
        if (z < low) {
            low = z;
            field->to[c] = (uint8_t)((field->to[c] & ~TERRANE_DRAIN_WAY) | k);
        }
    }
}

/* Marks what lies within reach of a cell in doubt: far holds by how many cells, along one axis and then along both. */
static void doubt_around(struct drain_field *field)
{
    const int reach = DRAIN_RELAX + 2 + (field->law->rounds > 0 ? field->law->rounds + 1 : 0);
    const int width = field->width, height = field->height;
    uint8_t *const far = field->count; /* counted anew behind this */
    for (int y = 0; y < height; y++) {
        uint8_t *const row = far + (size_t)y * (size_t)width;
        int west = reach + 1;
        for (int x = 0; x < width; x++) {
            west = is_doubtful(field, y * width + x) ? 0 : west + (west <= reach);
            row[x] = (uint8_t)west;
        }
        for (int x = width - 2; x >= 0; x--)
            row[x] = row[x] > row[x + 1] + 1 ? (uint8_t)(row[x + 1] + 1) : row[x];
    }
    uint8_t *since = field->grain; /* rows since one that has doubt in reach */
    for (int down = 1; down >= 0; down--) {
        memset(since, reach + 1, (size_t)width);
        for (int k = 0; k < height; k++) {
            const size_t first = (size_t)(down ? k : height - 1 - k) * (size_t)width;
            for (int x = 0; x < width; x++) {
                since[x] = far[first + (size_t)x] <= reach ? 0 : (uint8_t)(since[x] + (since[x] <= reach));
                field->mark[first + (size_t)x] |= since[x] <= reach ? DRAIN_DIRTY : 0;
            }
        }
    }
}

/* Trees whose runoff is another one by that, or may be, are touched: as they were, and as they are. */
static void turn_ways(struct drain_field *field, const int32_t *was)
{
    doubt_around(field);
    for (int32_t c = 0; c < field->cells; c++)
        if (has_grown(field, c) && (field->z[c] < was[c] || field->mark[c] & DRAIN_DIRTY))
            touch(field, c, DRAIN_AGAIN);
    for (int32_t c = 0; c < field->cells; c++)
        if (has_grown(field, c) && field->z[c] < was[c])
            turn(field, c);
    for (int32_t c = 0; c < field->cells; c++)
        if (has_grown(field, c) && (field->z[c] < was[c] || field->mark[c] & DRAIN_DIRTY))
            touch(field, c, DRAIN_ANEW);
}

void drain_relax(struct drain_field *field)
{
    int32_t *const was = field->ground; /* which nobody looks at any more */
    sink_lines(field);
    memcpy(was, field->z, (size_t)field->cells * sizeof *was);
    lower_sides(field);
    turn_ways(field, was);
    for (int32_t c = 0; c < field->cells; c++)
        if (is_sea(field, c))
            field->z[c] = was[c];
}
