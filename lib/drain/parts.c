/*
 * What of a window its field is sure of, and the parts that are left for wider halos. What a cell has is the same in every field that is sure
 * of it, so most of a window is taken from the first field, and the few cells that drain from afar have small ones of their own.
 */
#include "../base/min_max.h"
#include "../base/window.h"
#include "drain.h"

/* Of a window the least that holds all cells that are not sure; its width is 0 where all are. */
static struct terrane_window unsure_of(const struct drain_field *field, const struct terrane_window *window)
{
    const int x0 = (int)(window->gi - field->window.gi), y0 = (int)(window->gj - field->window.gj);
    int west = window->width, east = -1, north = window->height, south = -1;
    for (int y = 0; y < window->height; y++)
        for (int x = 0; x < window->width; x++)
            if (!drain_cell_is_sure(field, (y0 + y) * field->width + x0 + x)) {
                west = min_int(west, x);
                east = max_int(east, x);
                north = min_int(north, y);
                south = y;
            }
    struct terrane_window unsure = *window;
    unsure.width = unsure.height = 0;
    if (east >= 0) {
        unsure.gi += west;
        unsure.gj += north;
        unsure.width = east + 1 - west;
        unsure.height = south + 1 - north;
    }
    return unsure;
}

size_t drain_cells_with(const struct terrane_rivers *rivers, const struct terrane_window *part, int halo)
{
    const struct terrane_window field = drain_field_window(rivers, part, halo);
    return samples_of(&field);
}

/* A window in halves, along its longer side. */
static void halve(const struct terrane_window *window, struct terrane_window half[2])
{
    half[0] = half[1] = *window;
    if (window->width >= window->height) {
        half[0].width = window->width / 2;
        half[1].gi += half[0].width;
        half[1].width -= half[0].width;
    } else {
        half[0].height = window->height / 2;
        half[1].gj += half[0].height;
        half[1].height -= half[0].height;
    }
}

void drain_list_unsure(const struct drain_field *field, const struct terrane_window *window, int halo,
                       int max, struct drain_parts *parts)
{
    const struct terrane_rivers *rivers = &field->world->recipe->rivers;
    const struct terrane_window unsure = unsure_of(field, window);
    bool splits = max - parts->count > 1 && samples_of(&unsure) > 1;
    struct terrane_window half[2];
    if (unsure.width == 0)
        return;
    if (splits) {
        halve(&unsure, half);
        for (int k = 0; k < 2; k++)
            half[k] = unsure_of(field, &half[k]);
        splits = drain_cells_with(rivers, &half[0], halo) + drain_cells_with(rivers, &half[1], halo) <
                 drain_cells_with(rivers, &unsure, halo);
    }
    if (!splits) {
        parts->part[parts->count++] = unsure;
        return;
    }
    drain_list_unsure(field, &half[0], halo, max - 1, parts);
    drain_list_unsure(field, &half[1], halo, max, parts);
}

struct terrane_window drain_box_of(const struct drain_parts *parts)
{
    struct terrane_window box = parts->part[0];
    for (int k = 1; k < parts->count; k++) {
        const struct terrane_window *part = &parts->part[k];
        const int64_t east = max_int64(box.gi + box.width, part->gi + part->width),
                      south = max_int64(box.gj + box.height, part->gj + part->height);
        box.gi = min_int64(box.gi, part->gi);
        box.gj = min_int64(box.gj, part->gj);
        box.width = (int)(east - box.gi);
        box.height = (int)(south - box.gj);
    }
    return box;
}

size_t drain_join_parts(const struct terrane_rivers *rivers, int halo, struct drain_parts *parts)
{
    if (parts->count == 0)
        return 0;
    const struct terrane_window box = drain_box_of(parts);
    const size_t together = drain_cells_with(rivers, &box, halo);
    size_t apart = 0;
    for (int k = 0; k < parts->count; k++)
        apart += drain_cells_with(rivers, &parts->part[k], halo);
    if (apart < together)
        return apart;
    *parts = (struct drain_parts){.part = {box}, .count = 1};
    return together;
}
