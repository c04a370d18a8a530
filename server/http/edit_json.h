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

/* What a body asks for. */
struct edit_body {
    struct shared_edit *edit; /* owned (free), with room for their lines behind them */
    size_t count, bytes;
    struct terrane_way way; /* places above 0: the one operation is this way, which is to be routed */
};

/* The room for lines behind operations. */
struct terrane_path_point *edit_json_room(struct shared_edit *edits, size_t count);

/*
 * Reads one operation or a list of them, SHARED_BATCH_MAX at most, of a world. false: the complaint names the member and what is
 * allowed, and there is nothing. by: the name of a key.
 */
bool edit_json_read(const char *text, size_t bytes, const struct shared_world *world, const char *by,
                    struct edit_body *body, struct body_complaint *complaint);

/* The same of {"seq": 7}, which undoes. */
bool edit_json_read_undo(const char *text, size_t bytes, const char *by, struct edit_body *body,
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

/* What may be done to a world, which has so many operations, as /world has it; likewise. follows: of one that is followed, or NULL; it is taken. */
json_t *edit_json_facts(const struct shared_world *world, uint64_t count, json_t *follows);

/* The box that a target asks for; all there is where it asks for none. */
struct shared_box edit_json_box(const struct shared_world *world, const struct target *target);

#endif
