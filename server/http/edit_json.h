/*
 * Operations on shared worlds as JSON: in metres, as clients say them.
 *
 *     {"brush": "raise", "x": 120.5, "y": -30, "inner": 16, "outer": 64, "strength_m": 2, "token": "a7-19"}
 */
#ifndef TERRANE_SERVER_EDIT_JSON_H
#define TERRANE_SERVER_EDIT_JSON_H

#include "../shared/shared.h"
#include "../tile/target.h"
#include "request_text.h"

/*
 * Reads one operation or a list of them, SHARED_BATCH_MAX at most, of a world. Returns how many, with *edits owned (free), or 0, and
 * the complaint names the member and what is allowed: then there is nothing. by: the name of a key.
 */
size_t edit_json_read(const char *text, size_t bytes, const struct shared_world *world, const char *by,
                      struct shared_edit **edits, struct body_complaint *complaint);

/* The same of {"seq": 7}, which undoes. */
size_t edit_json_read_undo(const char *text, size_t bytes, const char *by, struct shared_edit **edits,
                           struct body_complaint *complaint);

/* An operation that is stored. Returns owned (json_decref), or NULL: memory is short. */
json_t *edit_json_of(const struct shared_world *world, const struct shared_edit *edit);

/* The same, and the world's epoch. */
json_t *edit_json_event(const struct shared_world *world, const struct shared_edit *edit);

/* A mark as a GeoJSON feature; likewise. */
json_t *edit_json_mark(const struct shared_world *world, const struct shared_edit *edit);

/* A rectangle of metres in the world's parts. */
struct shared_box edit_json_rectangle(const struct shared_world *world, double x0, double y0, double x1,
                                      double y1);

/* What may be done to a world, which has so many operations, as /world has it; likewise. */
json_t *edit_json_facts(const struct shared_world *world, uint64_t count);

/* The box that a target asks for; all there is where it asks for none. */
struct shared_box edit_json_box(const struct shared_world *world, const struct target *target);

#endif
