/*
 * Hillsides: on even slopes ways run side by side, each with bars of its own that are cut, so ground is full of grooves a cell wide. What is
 * no channel comes nearer to what is around it.
 *
 *  (1) Each cell has a range of its own: down to halfway to what it drains into, or all the way to a channel, which stays; and up to
 *      where the ranges of those end that drain into it, or they are. So all that moves still falls, however it moves in there.
 *  (2) No cell comes under the lines, channels and lakes beside it.
 *  (3) Rounds of the mean of a cell and those around it, as many as a recipe says.
 *
 * What a cell becomes rests on those within as many steps as there are rounds, and two more.
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

/* The cells at the border that are too far from all that is asked. */
static int ring_of(const struct drain_field *field)
{
    return field->halo - field->law->rounds - 3;
}

/* The cells of a row that have ranges: all but these, and one more. */
struct span {
    int32_t first, end;
};

static struct span cells_of(const struct drain_field *field, int y)
{
    const int beside = ring_of(field) + 1;
    return (struct span){y * field->width + beside, (y + 1) * field->width - beside};
}

/* Lower ends of ranges, and upper ones where nothing drains into a cell; and heights. */
static void fill_min(const struct drain_field *field, int32_t *min, int32_t *max, int32_t *height)
{
    const int first = ring_of(field), last = field->height - 1 - first;
    for (int y = first; y <= last; y++) {
        const bool inside = y > first && y < last;
        const struct span row = cells_of(field, y);
        for (int32_t c = row.first - 1; c <= row.end; c++)
            min[c] = max[c] = height[c] = is_sea(field, c) ? field->law->sea : field->z[c];
        for (int32_t c = row.first; inside && c < row.end; c++)
            if (is_hillside(field, c)) {
                min[c] = lowest_of(field, c);
                max[c] = INT32_MAX;
            }
    }
}

static void fill_max(const struct drain_field *field, const int32_t *min, int32_t *max)
{
    for (int y = ring_of(field) + 1; y < field->height - ring_of(field) - 1; y++) {
        const struct span row = cells_of(field, y);
        for (int32_t c = row.first; c < row.end; c++) {
            const int32_t r = has_grown(field, c) ? receiver(field, c) : c;
            if (r == c || !is_hillside(field, r))
                continue;
            const int32_t under = min[c] - field->law->fall[field->to[c] & 1],
                          high = under > field->z[r] ? under : field->z[r];
            max[r] = max[r] < high ? max[r] : high;
        }
    }
}

/* Rounds follow each other a row behind, as those of wear do. */
void drain_round(struct drain_field *field)
{
    const int rounds = field->law->rounds, top = ring_of(field) + 1, bottom = field->height - top;
    const size_t width = (size_t)field->width;
    int32_t *const min = (int32_t *)(void *)field->cost, *const max = min + field->cells,
                   *const array[2] = {field->ground, field->order};
    fill_min(field, min, max, array[0]);
    fill_max(field, min, max);
    memcpy(array[1], array[0], (size_t)field->cells * sizeof *array[1]); /* for the border */
    for (int y = top; y < bottom + rounds - 1; y++)
        for (int k = 0; k < rounds; k++) {
            if (y - k < top || y - k >= bottom)
                continue;
            const struct span row = cells_of(field, y - k);
            const int32_t *from = array[k & 1] + row.first, *const old[3] = {from - width, from,
                                                                             from + width};
            erode_kernels_current()->round_row(row.end - row.first, old, min + row.first, max + row.first,
                                               array[~k & 1] + row.first);
        }
    for (int y = top; y < bottom; y++) {
        const struct span row = cells_of(field, y);
        for (int32_t c = row.first; c < row.end; c++)
            if (is_hillside(field, c))
                field->z[c] = array[rounds & 1][c];
    }
}
