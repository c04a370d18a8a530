/*
 * Where water has made the ground on coarser lattices, erosion adds detail: over some samples ground rises by as much as it sinks.
 *
 * Without that droplets carry whole hillsides down by several metres, and the rivers, whose levels the lattices say, would stand over the
 * ground beside them. What a level has moved is averaged, by four means of 2^s samples in a row: two along rows, two along columns, each
 * pair around its middle. The average is taken away again.
 */
#include "../base/min_max.h"
#include "erosion.h"

_Static_assert(ERODE_WIDTH >=
                   TERRANE_WINDOW_MAX + 2 * (TERRANE_HALO_MAX + (1 << EROSION_DETAIL_LOG2_MAX) - 1),
               "a row of the widest field");

/* to[i] is the mean of 2^log2 numbers, stride apart, from from[i] on. */
static void means(const int32_t *from, ptrdiff_t stride, int log2, int count, int32_t *restrict to)
{
    for (int i = 0; i < count; i++)
        to[i] = 1 << log2 >> 1;
    for (int k = 0; k < 1 << log2; k++, from += stride)
        for (int i = 0; i < count; i++)
            to[i] += from[i];
    for (int i = 0; i < count; i++)
        to[i] >>= log2;
}

/* What the level may have moved, and may move in the end. */
static int32_t most(const struct erosion_level *level)
{
    const int times = erosion_moves(&level->world->recipe->erosion, level->window.level);
    const int64_t all = (int64_t)level->scale.limit * times;
    return (int32_t)(all < 1 << 26 ? all : 1 << 26);
}

/* Ground before is kept in 16 bits, without so many of its lowest ones that what was moved is within 2^14. */
static int shift_of(int32_t bound)
{
    int shift = 0;
    while (bound >> shift > 1 << 14)
        shift++;
    return shift;
}

static int32_t moved_at(uint16_t before, int32_t ground, int shift)
{
    return (int16_t)(uint16_t)((uint32_t)(ground >> shift) - before) * (1 << shift);
}

void erosion_detail_begin(struct erosion_level *level)
{
    const struct erode_field *field = &level->field;
    const int shift = shift_of(most(level));
    if (erosion_detail_log2(level->world->recipe, level->window.level) == 0)
        return;
    for (int i = 0; i < field->width * field->height; i++)
        level->before[i] = (uint16_t)(field->ground[i] >> shift);
}

/* Both means along rows of what was moved. */
static void mean_across(struct erosion_level *level, int log2, int32_t *across)
{
    const struct erode_field *field = &level->field;
    const int from = level->inset, inside = from + erosion_detail_reach(log2), shift = shift_of(most(level));
    const int width = field->width - 2 * from, count = field->width - 2 * inside;
    int32_t *const moved = level->rows.old[0], *const once = level->rows.old[1];
    for (int y = from; y < field->height - from; y++) {
        const size_t row = (size_t)y * (size_t)field->width + (size_t)from;
        for (int i = 0; i < width; i++)
            moved[i] = moved_at(level->before[row + (size_t)i], field->ground[row + (size_t)i], shift);
        means(moved, 1, log2, width - (1 << log2) + 1, once);
        means(once, 1, log2, count, across + row + (inside - from));
    }
}

void erosion_detail(struct erosion_level *level)
{
    const struct erode_field *field = &level->field;
    const int log2 = erosion_detail_log2(level->world->recipe, level->window.level);
    const int reach = erosion_detail_reach(log2), from = level->inset, inside = from + reach;
    const int count = field->width - 2 * inside, stride = field->width;
    const int32_t bound = most(level), shift = shift_of(bound), unsure = (1 << shift) - 1;
    int32_t *const across = (int32_t *)(void *)field->moved, *const down = across + stride * field->height;
    int32_t *const mean = level->rows.old[0];
    if (log2 == 0)
        return;
    mean_across(level, log2, across);
    for (int y = from; y < field->height - from - (1 << log2) + 1; y++)
        means(across + y * stride + inside, stride, log2, count, down + y * stride + inside);
    for (int y = inside; y < field->height - inside; y++) {
        const uint16_t *const before = level->before + y * stride + inside;
        int32_t *const ground = field->ground + y * stride + inside;
        means(down + (y - reach) * stride + inside, stride, log2, count, mean);
        for (int i = 0; i < count; i++) {
            const int32_t moved = moved_at(before[i], ground[i], shift);
            ground[i] -= min_int(max_int(mean[i], moved + unsure - bound), moved - unsure + bound);
        }
    }
    level->inset = inside;
}
