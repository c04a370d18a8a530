/*
 * What the log in memory is made of, for its files: edit_log.c keeps it, edit_moved.c tells where an undo moves ground.
 */
#ifndef TERRANE_SERVER_EDIT_LOG_PARTS_H
#define TERRANE_SERVER_EDIT_LOG_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "edit_errors.h"
#include "edit_index.h"
#include "edit_log.h"
#include "edit_states.h"

enum { EDIT_HIGH_BITS = 22 /* of a place, which is within 2^52, over 32 */, EDIT_TOLD = 2048 };

/* An operation, packed. height: of level; a term, of noise; of a way which line it has; of what takes another one out its number. */
struct entry {
    uint32_t x, y, undone_at; /* the lower 32 bits; a number, 0: none */
    int32_t height;
    uint64_t inner : 21, outer : 21, x_high : EDIT_HIGH_BITS;
    uint64_t strength : 27, y_high : EDIT_HIGH_BITS, brush : 4;
};
_Static_assert(sizeof(struct entry) == 32 && TERRANE_BRUSHES < 16, "as packed as that");
enum { EDIT_UNDO = TERRANE_BRUSHES };

struct undo {
    uint32_t number, undoes;
};

/* The line of a way: owned, and it stays where it is as long as the log does. */
struct line {
    struct terrane_path_point *point;
    int32_t points, slope;
};

/* A window's digest, after so many operations, and how many samples around it what it rests on may lie. */
struct told {
    struct terrane_window window;
    uint64_t at;
    int64_t margin;
    struct terrane_digest digest;
};

struct edit_log {
    pthread_mutex_t telling; /* over told */
    struct told told[EDIT_TOLD];
    pthread_rwlock_t lock;
    struct edit_blocks entries;
    atomic_uint_fast64_t count;
    struct edit_index index, ways; /* of all that lies somewhere; of ways alone */
    struct undo *undo;
    size_t undos, undo_room;
    struct edit_blocks lines;
    size_t line_count, line_points;
    struct edit_errors errors;
    struct edit_states *states;
};

static inline struct entry *entry_at(const struct edit_log *log, uint64_t k)
{
    return edit_blocks_at(&log->entries, (size_t)k, sizeof(struct entry));
}

/* Whether it is, in the world after at operations. */
static inline bool entry_undone(const struct entry *entry, uint64_t at)
{
    return entry->undone_at != 0 && entry->undone_at <= at;
}

/* The operation. Under the lock, as all that is here. */
struct terrane_edit entry_edit(const struct edit_log *log, const struct entry *entry);

/* Whether it reads what is around it. */
static inline bool edit_reads(const struct terrane_edit *edit)
{
    return edit->brush == TERRANE_BRUSH_SMOOTH || edit->brush == TERRANE_BRUSH_SHARPEN;
}

#endif
