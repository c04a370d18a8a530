/*
 * Hillsides: on even slopes ways run side by side, each with bars of its own that are cut, so ground is full of grooves a cell wide. What is
 * no channel comes nearer to what is around it.
 *
 *  (1) Each cell has a range of its own: down to halfway to what it drains into, or all the way to a channel, which stays; and up to
 *      where the ranges of those end that drain into it, or they are. So all that moves still falls, however it moves in there.
 *  (2) No cell comes under the lines, channels and lakes beside it.
 *  (3) Rounds of the mean of a cell and those around it, as many as a recipe says.
 *
 * What a cell becomes rests on those within as many steps as there are rounds, and one more.
 */
#include "tree.h"

static inline bool is_hillside(const struct drain_field *field, int32_t c)
{
    return has_grown(field, c) && !(field->to[c] & TERRANE_DRAIN_LAKE) &&
           field->area[c] < field->law->sources;
}

/* What stays, but for the sea. */
static inline bool is_water(const struct drain_field *field, int32_t c)
{
    return is_fixed(field, c) ? !is_sea(field, c) : has_grown(field, c) && !is_hillside(field, c);
}

/* How low a hillside may come over what it drains into. */
static int32_t lowest_over(const struct drain_field *field, int32_t c)
{
    const int32_t r = receiver(field, c), below = is_sea(field, r) ? field->law->sea : field->z[r];
    const int64_t room = (int64_t)field->z[c] - below - field->law->fall[field->to[c] & 1];
    return room <= 0 ? field->z[c] : field->z[c] - (int32_t)(is_hillside(field, r) ? room / 2 : room);
}

/* ... and over the water beside it. */
static int32_t lowest_of(const struct drain_field *field, int32_t c)
{
    int32_t low = lowest_over(field, c);
    for (int k = 0; k < 8; k++) {
        const int32_t n = c + field->off[k];
        if (is_water(field, n) && field->z[n] + field->law->fall[1] > low)
            low = field->z[n] + field->law->fall[1];
    }
    return low < field->z[c] ? low : field->z[c];
}

/* Lower ends of ranges, and upper ones where nothing drains into a cell. */
static void fill_min(const struct drain_field *field, int32_t *min, int32_t *max)
{
    for (int32_t c = 0; c < field->cells; c++)
        min[c] = max[c] = is_sea(field, c) ? field->law->sea : field->z[c];
    for (int y = 1; y < field->height - 1; y++)
        for (int32_t c = y * field->width + 1; c < (y + 1) * field->width - 1; c++)
            if (is_hillside(field, c)) {
                min[c] = lowest_of(field, c);
                max[c] = INT32_MAX;
            }
}

static void fill_max(const struct drain_field *field, const int32_t *min, int32_t *max)
{
    for (int y = 1; y < field->height - 1; y++)
        for (int32_t c = y * field->width + 1; c < (y + 1) * field->width - 1; c++) {
            const int32_t r = has_grown(field, c) ? receiver(field, c) : c;
            if (r == c || !is_hillside(field, r))
                continue;
            const int32_t under = min[c] - field->law->fall[field->to[c] & 1],
                          high = under > field->z[r] ? under : field->z[r];
            max[r] = max[r] < high ? max[r] : high;
        }
}

/* Rounds follow each other a row behind, as those of wear do. */
void drain_round(struct drain_field *field)
{
    const int rounds = field->law->rounds;
    const size_t width = (size_t)field->width;
    int32_t *const min = (int32_t *)(void *)field->cost, *const max = min + field->cells,
                   *const array[2] = {field->ground, field->order};
    fill_min(field, min, max);
    fill_max(field, min, max);
    for (int32_t c = 0; c < field->cells; c++)
        array[0][c] = is_sea(field, c) ? field->law->sea : field->z[c];
    drain_copy_border(field, array[0], array[1]);
    for (int y = 1; y < field->height - 1 + rounds - 1; y++)
        for (int k = 0; k < rounds; k++) {
            if (y - k < 1 || y - k >= field->height - 1)
                continue;
            const size_t first = (size_t)(y - k) * width + 1;
            const int32_t *from = array[k & 1] + first, *const old[3] = {from - width, from, from + width};
            erode_kernels_current()->round_row(field->width - 2, old, min + first, max + first,
                                               array[~k & 1] + first);
        }
    for (int32_t c = 0; c < field->cells; c++)
        if (is_hillside(field, c))
            field->z[c] = array[rounds & 1][c];
}
