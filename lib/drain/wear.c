/*
 * Slopes: no neighbour is higher than the talus lets it be, as far as a bounded number of rounds brings that. Streams are cut
 * into ground before trees grow: so their banks lean back, and water beside a gorge runs into it.
 */
#include <string.h>

#include "drain.h"

/* How much higher a cell may stand than the one beside it. Rock is not everywhere the same: without that hillsides would be cones. */
static void rise_row(const struct drain_field *field, int y, int32_t *rise)
{
    const int32_t eighth = field->law->talus[0] >> 3;
    uint32_t *hash = (uint32_t *)(void *)rise;
    erode_kernels_current()->hash_cells(field->law->key ^ 3, field->window.gi, field->window.gj + y,
                                        field->width, hash);
    for (int x = 0; x < field->width; x++)
        rise[x] = eighth * (4 + (int32_t)(hash[x] & 7));
}

/* A row of round k: rounds go from one array into the other. */
static void round_row(const struct drain_field *field, int32_t *const array[2], const int32_t *rise, int k,
                      int y)
{
    const size_t width = (size_t)field->width, first = (size_t)y * width + 1;
    const int32_t *from = array[k & 1] + first, *const old[3] = {from - width, from, from + width};
    erode_kernels_current()->wear_row(field->width - 2, old, rise + first, array[~k & 1] + first);
}

/* Marks what rounds may have brought from beyond. */
static void mark_edge(struct drain_field *field, int edge)
{
    for (int y = 0; y < field->height; y++)
        for (int x = 0; x < field->width; x++)
            if (x < edge || y < edge || x >= field->width - edge || y >= field->height - edge)
                field->mark[y * field->width + x] |= DRAIN_UNSURE;
}

void drain_wear(struct drain_field *field, int edge)
{
    int32_t *worn = field->order, *rise = (int32_t *)(void *)field->cost;
    int32_t *const array[2] = {field->ground, worn};
    memcpy(worn, field->ground, (size_t)field->cells * sizeof *worn);
    for (int y = 0; y < field->height; y++)
        rise_row(field, y, rise + (size_t)y * (size_t)field->width);
    /* each round a row behind the one before it, which has just made what is read and reads no more of what is written */
    for (int y = 1; y < field->height - 1 + DRAIN_WEAR - 1; y++)
        for (int k = 0; k < DRAIN_WEAR; k++)
            if (y - k >= 1 && y - k < field->height - 1)
                round_row(field, array, rise, k, y - k);
    mark_edge(field, edge + DRAIN_WEAR + 1);
}
