/*
 * Where an undo moves ground.
 */
#include "edit_log_parts.h"

enum {
    READ_REACH =
        4, /* radii around a box from which smooth and sharpen read, while a level shows them two samples wide */
    LOOKED_AT_MAX = 1 << 17
};

static void add_box(struct terrane_edit_box *sum, const struct terrane_edit_box *box)
{
    sum->west = box->west < sum->west ? box->west : sum->west;
    sum->north = box->north < sum->north ? box->north : sum->north;
    sum->east = box->east > sum->east ? box->east : sum->east;
    sum->south = box->south > sum->south ? box->south : sum->south;
}

/* Under the lock: the box of what an undo moves is that of what it undoes, and those of all behind that which may read it: no mean rests on
 * another mean. */
static bool add_readers(const struct edit_log *log, uint64_t number, uint64_t at,
                        const struct terrane_edit_box *own, struct terrane_edit_box *box)
{
    if (at - number > LOOKED_AT_MAX)
        return false;
    for (uint64_t id = number; id < at; id++) {
        const struct entry *entry = entry_at(log, id);
        if (entry->brush != TERRANE_BRUSH_SMOOTH && entry->brush != TERRANE_BRUSH_SHARPEN)
            continue;
        const struct terrane_edit edit = entry_edit(log, entry);
        const struct terrane_edit_box moved = terrane_edit_parts(&edit);
        const int64_t reach = (int64_t)READ_REACH * edit.outer;
        if (!entry_undone(entry, at) && moved.west - reach <= own->east && moved.east + reach >= own->west &&
            moved.north - reach <= own->south && moved.south + reach >= own->north)
            add_box(box, &moved);
    }
    return true;
}

struct terrane_edit_box edit_log_moved(struct edit_log *log, uint64_t number, uint64_t at)
{
    const int64_t max = TERRANE_EDIT_PLACE_MAX + TERRANE_EDIT_RADIUS_MAX;
    struct terrane_edit_box box = {0, 0, 0, 0};
    pthread_rwlock_rdlock(&log->lock);
    const uint64_t count = edit_log_count(log), end = at < count ? at : count;
    if (number >= 1 && number <= count && entry_at(log, number - 1)->brush != EDIT_UNDO) {
        const struct terrane_edit edit = entry_edit(log, entry_at(log, number - 1));
        const struct terrane_edit_box own = terrane_edit_parts(&edit);
        box = own;
        if (!edit_reads(&edit) && edit.brush != TERRANE_BRUSH_MARK && number < end &&
            !add_readers(log, number, end, &own, &box))
            box = (struct terrane_edit_box){-max, -max, max, max};
    }
    pthread_rwlock_unlock(&log->lock);
    return box;
}
