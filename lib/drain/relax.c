/*
 * Walls: trees meet where ways are equally long, not where they are equally high. What stands over its neighbours by more than the
 * talus is worn down, and drains to the steepest of them.
 *
 *  (1) Lines come down to the dry ground beside them, as drain_lower_lines lets them.
 *  (2) DRAIN_RELAX rounds lower hillsides, not under the lines and lakes beside them; no lake and no line moves.
 *  (3) What was lowered has a neighbour that is lower, since every rise is a unit at least: it drains to one, so nothing
 *      circles. Runoff is what these ways bring.
 *
 * What a cell becomes rests on heights within DRAIN_RELAX + 1 steps, and what drains into it on those a step farther: by the ways that turn.
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

/* Of a line's cell: its ground becomes the lowest of the dry land beside it. */
static void sink(struct drain_field *field, int32_t c)
{
    int32_t low = field->z[c];
    for (int k = 0; k < 8; k++) {
        const int32_t n = c + field->off[k];
        if (!is_fixed(field, n) && field->mark[n] & (DRAIN_UNSURE | DRAIN_LOOSE))
            field->mark[c] |= DRAIN_UNSURE;
        if (has_grown(field, n) && !(field->to[n] & TERRANE_DRAIN_LAKE) && field->z[n] < low)
            low = field->z[n];
    }
    field->ground[c] = low;
}

static void sink_lines(struct drain_field *field)
{
    int32_t *const line = (int32_t *)(void *)field->cost;
    const int count = drain_lines(field, line);
    for (int k = 0; k < count; k++)
        sink(field, line[k]);
    drain_lower_lines(field);
}

/* ---- Hillsides ----------------------------------------------------------------------------------------- */

/*
 * How low the cells of a row may become: what does not move stays. Of dry hillsides 0 more is known yet than INT32_MIN, and water holds how low
 * those beside it may come. The sea stands as high as it is.
 */
static void fill_row(const struct drain_field *field, int y, int32_t *floor, int32_t *water)
{
    const size_t width = (size_t)field->width, first = (size_t)y * width;
    const uint8_t *const to = field->to + first, *const mark = field->mark + first;
    const int32_t fall = field->law->fall[1], level = field->law->sea;
    const bool inside = y > 0 && y < field->height - 1;
    int32_t *const z = field->z + first;
    for (size_t x = 0; x < width; x++) {
        const int way = to[x] & TERRANE_DRAIN_WAY;
        const bool fixed = mark[x] & DRAIN_FIXED, lake = to[x] & TERRANE_DRAIN_LAKE,
                   sea = way == TERRANE_DRAIN_SEA;
        floor[x] = (fixed | lake | (way >= 8)) ? z[x] : INT32_MIN;
        water[x] = (inside & (fixed | lake) & !sea) ? z[x] + fall : INT32_MIN;
        z[x] = sea ? level : z[x];
    }
    water[0] = water[width - 1] = INT32_MIN;
}

/* How much cells may rise, and how low they may become: hillsides end over the water beside them. */
static void fill_rows(struct drain_field *field, int32_t *rise, int32_t *floor)
{
    const int part = field->law->level == field->law->bottom ? BOTTOM : field->law->smooth ? SHOWN : ABOVE;
    const size_t width = (size_t)field->width;
    for (int y = 0; y < field->height; y++) {
        uint32_t *const row = (uint32_t *)rise + (size_t)y * width;
        drain_rise_row(field, y, (int32_t *)row);
        for (size_t x = 0; x < width; x++) { /* row * part >> 3 */
            const uint32_t more = (row[x] >> 3) * (uint32_t)part + ((row[x] & 7) * (uint32_t)part >> 3);
            row[x] = more < 1 ? 1 : more < MAX ? more : MAX;
        }
    }
    int32_t *const water = field->order;
    for (int y = 0; y < field->height; y++) {
        const size_t first = (size_t)y * width;
        fill_row(field, y, floor + first, water + first);
        if (y < 2)
            continue;
        const size_t at = first - width + 1;
        const int32_t *const rows[3] = {water + at - width, water + at, water + at + width};
        erode_kernels_current()->banks_row(field->width - 2, rows, field->z + at, floor + at);
    }
}

/* Rounds follow each other a row behind, as those of wear do. */
static void lower_sides(struct drain_field *field)
{
    int32_t *const rise = (int32_t *)(void *)field->cost, *const floor = rise + field->cells,
                   *const array[2] = {field->z, field->order};
    const size_t width = (size_t)field->width;
    fill_rows(field, rise, floor);
    drain_copy_border(field, array[0], array[1]);
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

/* What was lowered drains to where it falls steepest, of equals to the first; before generator 10 to the lowest of its neighbours, most
 * of which are at corners. */
static void turn(struct drain_field *field, int32_t c)
{
    const int64_t diagonal = field->law->isotropic ? 181 : 256;
    int64_t steepest = 0;
    for (int k = 0; k < 8; k++) {
        const int64_t fall = (int64_t)field->z[c] - field->z[c + field->off[k]];
        const int64_t slope = fall * (k & 1 ? diagonal : 256);
        if (slope > steepest) {
            steepest = slope;
            field->to[c] = (uint8_t)((field->to[c] & ~TERRANE_DRAIN_WAY) | k);
        }
    }
}

/* Whether any of the bytes from one on to so many before it and behind it is set: out may not be in. */
static void spread_row(uint8_t *in, int count, int reach, uint8_t *out)
{
    int length = 1, left = count;
    for (; 2 * length <= 2 * reach + 1; left -= length, length *= 2) /* in[x]: of in[x .. x + length - 1] */
        for (int x = 0; x < left - length; x++)
            in[x] |= in[x + length];
    const int more = 2 * reach + 1 - length;
    for (int x = 0; x < count - 2 * reach; x++)
        out[x] = in[x] | in[x + more];
}

void drain_doubt_around(struct drain_field *field, uint8_t bits, int reach)
{
    const int width = field->width, height = field->height;
    uint8_t *const far = field->count; /* gather_again counts anew; nobody asks behind that */
    uint8_t *const row = (uint8_t *)field->order;
    for (int y = 0; y < height; y++) {
        const int32_t first = y * width;
        memset(row, 0, (size_t)reach);
        memset(row + reach + width, 0, (size_t)reach);
        for (int x = 0; x < width; x++)
            row[reach + x] =
                (field->mark[first + x] & (is_fixed(field, first + x) ? bits & DRAIN_UNSURE : bits)) != 0;
        spread_row(row, width + 2 * reach, reach, far + first);
    }
    uint8_t *since = field->grain; /* rows since one that has doubt in reach */
    for (int down = 1; down >= 0; down--) {
        memset(since, reach + 1, (size_t)width);
        for (int k = 0; k < height; k++) {
            const size_t first = (size_t)(down ? k : height - 1 - k) * (size_t)width;
            const uint8_t *const near = far + first;
            uint8_t *const mark = field->mark + first;
            for (int x = 0; x < width; x++) {
                const uint8_t rows = (uint8_t)(since[x] + (since[x] <= reach));
                since[x] = near[x] ? 0 : rows;
                mark[x] |= since[x] <= reach ? DRAIN_DIRTY : 0;
            }
        }
    }
}

/* Trees whose runoff is another one by that, or may be, are touched: as they were, and as they are. */
static void turn_ways(struct drain_field *field, const int32_t *was)
{
    int32_t *const list = field->order; /* of cells that were lowered, and ~ of those in doubt alone */
    int count = 0;
    drain_doubt_around(field, DRAIN_UNSURE | DRAIN_LOOSE,
                       DRAIN_RELAX + 2 + (field->law->rounds > 0 ? field->law->rounds + 1 : 0));
    for (int32_t c = 0; c < field->cells; c++) {
        const bool lower = field->z[c] < was[c];
        if ((lower || field->mark[c] & DRAIN_DIRTY) && has_grown(field, c)) {
            touch(field, c, DRAIN_AGAIN);
            list[count++] = lower ? c : ~c;
        }
    }
    for (int k = 0; k < count; k++)
        if (list[k] >= 0)
            turn(field, list[k]);
    for (int k = 0; k < count; k++)
        touch(field, list[k] < 0 ? ~list[k] : list[k], DRAIN_ANEW);
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
