/*
 * What people did to a shared world, in memory: operations in their order, and where they lie.
 *
 * It only grows. A question is of the world after so many operations (at), and its answer never changes. Any thread may ask while
 * another appends.
 */
#ifndef TERRANE_SERVER_EDIT_LOG_H
#define TERRANE_SERVER_EDIT_LOG_H

#include "edit_errors.h"

struct edit_log;

struct edit_log *edit_log_create(void); /* returns owned; NULL: memory is short */
void edit_log_free(struct edit_log *log);

/* An operation, or what takes another one out: undoes is its number, the first being 1; then all of edit is 0. */
struct edit_entry {
    struct terrane_edit edit;
    uint64_t undoes; /* 0: nothing */
};

/* Lines of ways are copied, and those that are given by the functions below are the log's, for as long as it lives. */

/* Appends all of them, 256 at most, at once, or none: -1, memory is short, or there are 2^31. One thread at a time. What is undone is
 * edit_log_undoable, and passes terrane_edit_check. */
int edit_log_append(struct edit_log *log, const struct edit_entry *entry, size_t count);

/* How many there are. */
uint64_t edit_log_count(const struct edit_log *log);

/* Whether there is an operation of that number that does something and is not undone. */
bool edit_log_undoable(struct edit_log *log, uint64_t number);

/* An operation of that number, as it was appended; false: there is none. */
bool edit_log_entry(struct edit_log *log, uint64_t number, struct edit_entry *entry);

/*
 * Where ground moves when an operation is undone in the world after at operations, in parts: its own box, and those of smooth and
 * sharpen behind it that may have read its ground; all there is where too many came between.
 */
struct terrane_edit_box edit_log_moved(struct edit_log *log, uint64_t number, uint64_t at);

/* How many points the lines of all ways have. */
size_t edit_log_line_points(struct edit_log *log);

/* ... and those that move ground of a window now. 0 as well where memory is short. */
size_t edit_log_way_points(struct edit_log *log, const struct terrane_window *window);

/* Of all operations, undone ones, too. */
struct edit_errors edit_log_errors(struct edit_log *log);

/* Whether it is undone in the world after at operations. */
bool edit_log_undone(struct edit_log *log, uint64_t number, uint64_t at);

/* Numbers of the marks in a box (parts) in the world after at operations, rising, most at most. Returns how many. It looks at all operations. */
size_t edit_log_marks(struct edit_log *log, uint64_t at, const struct terrane_edit_box *box, uint32_t *number,
                      size_t most);

/*
 * The operations, in their order, that a window rests on in the world after at operations. Returns how many, in an array that is the
 * caller's (free), NULL where there are none; EDIT_LOG_FAILED: memory is short.
 */
#define EDIT_LOG_FAILED SIZE_MAX
size_t edit_log_touching(struct edit_log *log, uint64_t at, const struct terrane_window *window,
                         struct terrane_edit **edits);

/*
 * Likewise, operations behind the first from ones: all whose chunks one of some windows touches, and their numbers, rising, which are
 * the caller's as well.
 */
size_t edit_log_between(struct edit_log *log, uint64_t from, uint64_t at, const struct terrane_window *window,
                        int windows, struct terrane_edit **edits, uint32_t **number);

/*
 * Likewise, operations of any size that may move ground in a box (parts). EDIT_LOG_MANY: there are thousands.
 */
#define EDIT_LOG_MANY (SIZE_MAX - 1)
size_t edit_log_within(struct edit_log *log, uint64_t at, const struct terrane_edit_box *box,
                       struct terrane_edit **edits);

/* How many samples around a window what smooth and sharpen read for it may lie, with these needs. */
int64_t edit_log_margin(const struct terrane_window *window, const struct terrane_edit_needs *needs);

/* Whether what lies within a margin of a window of the first from operations, in the world after seen, is the same in that after at: nothing
 * of it has been undone between. */
bool edit_log_stays(struct edit_log *log, uint64_t from, uint64_t seen, uint64_t at,
                    const struct terrane_window *window, int64_t margin);

/* What they made of windows (edit_states.h): the log's. */
struct edit_states *edit_log_states(struct edit_log *log);

/*
 * Their digest (terrane_edits_digest): zeros where there are none. What was asked lately is remembered, so that asking again costs
 * nothing until an operation comes. false: memory is short.
 */
bool edit_log_digest(struct edit_log *log, uint64_t at, const struct terrane_window *window,
                     struct terrane_digest *digest);

#endif
