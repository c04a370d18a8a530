/*
 * What people did to a shared world, in memory: operations in their order, and where they lie.
 *
 * It only grows. A question is of the world after so many operations (at), and its answer never changes. Any thread may ask while
 * another appends.
 */
#ifndef TERRANE_SERVER_EDIT_LOG_H
#define TERRANE_SERVER_EDIT_LOG_H

#include "../../lib/terrane_edit.h"

struct edit_log;

struct edit_log *edit_log_create(void); /* returns owned; NULL: memory is short */
void edit_log_free(struct edit_log *log);

/* An operation, or what takes another one out: undoes is its number, the first being 1; then all of edit is 0. */
struct edit_entry {
    struct terrane_edit edit;
    uint64_t undoes; /* 0: nothing */
};

/* Appends all of them at once, or none: -1, memory is short. One thread at a time. What is undone is edit_log_undoable. */
int edit_log_append(struct edit_log *log, const struct edit_entry *entry, size_t count);

/* How many there are. */
uint64_t edit_log_count(const struct edit_log *log);

/* Whether there is an operation of that number that does something and is not undone. */
bool edit_log_undoable(struct edit_log *log, uint64_t number);

/* An operation of that number, as it was appended; false: there is none. */
bool edit_log_entry(struct edit_log *log, uint64_t number, struct edit_entry *entry);

/* Whether it is undone in the world after at operations. */
bool edit_log_undone(struct edit_log *log, uint64_t number, uint64_t at);

/*
 * The operations, in their order, that a window rests on in the world after at operations. Returns how many, in an array that is the
 * caller's (free), NULL where there are none; EDIT_LOG_FAILED: memory is short.
 */
#define EDIT_LOG_FAILED SIZE_MAX
size_t edit_log_touching(struct edit_log *log, uint64_t at, const struct terrane_window *window,
                         struct terrane_edit **edits);

/*
 * Their digest (terrane_edits_digest): zeros where there are none. What was asked lately is remembered, so that asking again costs
 * nothing until an operation comes. false: memory is short.
 */
bool edit_log_digest(struct edit_log *log, uint64_t at, const struct terrane_window *window,
                     struct terrane_digest *digest);

#endif
