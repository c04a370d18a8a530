/*
 * What a step of a tree costs: the dearer the less it falls than the steepest step from there does, and by chance. Trees of least
 * cost then follow the ground however steep it is, and bend where that says nothing.
 */
#include <string.h>

#include "drain.h"

enum { PATCH = 4 }; /* cells between the nodes of patches that are hard to cross: a power of two */

/* Rows of three that are looked at together: row y is at y % 3. */
struct rows {
    float *dear[3], *ease[3];
    uint8_t *grain[3];
    uint32_t *hash, *north, *south;
};

/* field->order is nobody's while costs are made. */
static struct rows rows_of(const struct drain_field *field)
{
    const size_t width = (size_t)field->width;
    float *at = (float *)(void *)field->order;
    struct rows rows;
    for (int k = 0; k < 3; k++, at += 2 * width) {
        rows.dear[k] = at;
        rows.ease[k] = at + width;
        rows.grain[k] = field->grain + (size_t)k * width;
    }
    rows.hash = (uint32_t *)(void *)at;
    rows.north = rows.hash + width;
    rows.south = rows.north + width;
    return rows;
}

/* The hashed part of costs: of each cell 0 .. 19, few of them high, and of patches 0 .. 11, around which ways bend. */
static void grain_row(const struct drain_field *field, int y, const struct rows *rows, uint8_t *grain)
{
    const struct erode_kernels *kernels = erode_kernels_current();
    const struct terrane_window *window = &field->window;
    const uint64_t patches = field->law->key ^ 4;
    const int64_t gy = window->gj + y, y0 = gy & -(int64_t)PATCH, x0 = window->gi & -(int64_t)PATCH;
    const uint32_t fy = (uint32_t)(gy - y0), first = (uint32_t)(window->gi - x0);
    const int nodes = (int)((first + (uint32_t)field->width - 1) / PATCH) + 2;
    kernels->hash_cells(field->law->key, window->gi, gy, field->width, rows->hash);
    kernels->hash_cells(patches, x0 / PATCH, y0 / PATCH, nodes, rows->north);
    kernels->hash_cells(patches, x0 / PATCH, y0 / PATCH + 1, nodes, rows->south);
    for (int k = 0; k < nodes; k++)
        rows->north[k] = (rows->north[k] >> 8 & 255) * (PATCH - fy) + (rows->south[k] >> 8 & 255) * fy;
    for (uint32_t x = 0; x < (uint32_t)field->width; x++) {
        const uint32_t at = first + x, fx = at % PATCH, *node = rows->north + at / PATCH;
        const uint32_t patch = node[0] * (PATCH - fx) + node[1] * fx, h = rows->hash[x] & 255;
        grain[x] = (uint8_t)((h * h * 20 >> 16) + (patch * 12 >> 12));
    }
}

/* At the field's border, where not all neighbours are, a step falls as the steepest does. */
static void falls_row(const struct drain_field *field, int y, float *dear, float *ease)
{
    const size_t width = (size_t)field->width, first = (size_t)y * width + 1;
    for (size_t x = 0; x < width; x++) {
        dear[x] = 1;
        ease[x] = 0;
    }
    if (y < 1 || y >= field->height - 1)
        return;
    const int32_t *const ground[3] = {field->ground + first - width, field->ground + first,
                                      field->ground + first + width};
    erode_kernels_current()->falls_row(field->law->inverse, field->width - 2, ground, dear + 1, ease + 1);
}

void drain_costs(struct drain_field *field)
{
    const size_t width = (size_t)field->width;
    const struct rows rows = rows_of(field);
    for (int y = 0; y < field->height; y++) {
        grain_row(field, y, &rows, rows.grain[y % 3]);
        falls_row(field, y, rows.dear[y % 3], rows.ease[y % 3]);
        if (y < 2)
            continue;
        const size_t first = (size_t)(y - 1) * width + 1;
        struct erode_falls falls;
        for (int k = 0; k < 3; k++) {
            falls.ground[k] = field->ground + first + (size_t)k * width - width;
            falls.grain[k] = rows.grain[(y - 2 + k) % 3] + 1;
            falls.dear[k] = rows.dear[(y - 2 + k) % 3] + 1;
            falls.ease[k] = rows.ease[(y - 2 + k) % 3] + 1;
        }
        erode_kernels_current()->costs_row(field->law->inverse, field->width - 2, &falls,
                                           &field->cost[first].into);
    }
}
