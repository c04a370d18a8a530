/*
 * Operations as lines of JSON, in integers: what `terrane world export` writes, and what one server sends another that follows it.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json_text.h"
#include "shared.h"

/* Of a way its slope and points; NULL: of no way. */
static json_t *line_of(const struct terrane_edit *edit)
{
    json_t *points = edit->points > 0 ? json_array() : NULL;
    for (int k = 0; points && k < edit->points; k++)
        json_append(&points, json_pack("[I, I, i]", (json_int_t)edit->line[k].x, (json_int_t)edit->line[k].y,
                                       (int)edit->line[k].height));
    return points ? json_pack("{s:i, s:o}", "slope", (int)edit->slope, "points", points) : NULL;
}

char *shared_line(const struct shared_edit *edit)
{
    const struct terrane_edit *one = &edit->entry.edit;
    json_t *way = line_of(one);
    json_t *line =
        one->points > 0 && !way
            ? NULL
            : json_pack("{s:I, s:i, s:I, s:I, s:i, s:i, s:i, s:i, s:i, s:I, s:s, s:I, s:s, s:s, s:o*}", "seq",
                        (json_int_t)edit->number, "brush", (int)one->brush, "x", (json_int_t)one->x, "y",
                        (json_int_t)one->y, "inner", (int)one->inner, "outer", (int)one->outer, "strength",
                        (int)one->strength, "height", (int)one->height, "term", (int)one->term, "undoes",
                        (json_int_t)edit->entry.undoes, "by", edit->by, "at", (json_int_t)edit->at_ms,
                        "token", edit->token, "note", edit->note, "line", way);
    char *text = line ? json_dumps(line, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(line);
    return text;
}

static bool take_text(char *out, size_t room, const char *text)
{
    const size_t bytes = strlen(text);
    if (bytes >= room)
        return false;
    memcpy(out, text, bytes + 1);
    return true;
}

static bool fits_int32(json_int_t v)
{
    return v >= INT32_MIN && v <= INT32_MAX;
}

/* Whether a place is so near to another one as points of a line are. */
static bool is_near(json_int_t v, int64_t other)
{
    const int64_t max = 2 * TERRANE_EDIT_PLACE_MAX;
    return v >= -max && v <= max && other >= -max && other <= max && fits_int32(v - other);
}

/* A way's line, its points into room, and whether there is none in another operation. */
static bool read_way(json_t *line, struct terrane_path_point room[static TERRANE_EDIT_WAY_POINTS],
                     struct terrane_edit *edit)
{
    json_t *points;
    json_int_t slope, x, y, height;
    if (!line || edit->brush != TERRANE_BRUSH_WAY)
        return !line && edit->brush != TERRANE_BRUSH_WAY;
    bool good = json_unpack(line, "{s:I, s:o !}", "slope", &slope, "points", &points) == 0 &&
                fits_int32(slope) && json_array_size(points) <= TERRANE_EDIT_WAY_POINTS;
    for (size_t k = 0; good && k < json_array_size(points); k++) {
        good = json_unpack(json_array_get(points, k), "[I, I, I !]", &x, &y, &height) == 0 &&
               fits_int32(height) && is_near(x, edit->x) && is_near(y, edit->y);
        if (good)
            room[k] = (struct terrane_path_point){.x = x, .y = y, .height = (int32_t)height};
    }
    if (good) {
        edit->slope = (int32_t)slope;
        edit->points = (int32_t)json_array_size(points);
        edit->line = room;
    }
    return good && edit->points >= 2;
}

bool shared_line_read(const char *text, size_t bytes,
                      struct terrane_path_point room[static TERRANE_EDIT_WAY_POINTS],
                      struct shared_edit *edit)
{
    json_t *line = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL),
           *way = json_incref(json_object_get(line, "line"));
    json_int_t seq, brush, x, y, inner, outer, strength, height, term, undoes, at;
    const char *by, *token, *note;
    struct terrane_edit *one = &edit->entry.edit;
    *edit = (struct shared_edit){.number = 0};
    if (way)
        json_object_del(line, "line");
    bool good = line &&
                json_unpack(line, "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:I, s:s, s:s !}",
                            "seq", &seq, "brush", &brush, "x", &x, "y", &y, "inner", &inner, "outer", &outer,
                            "strength", &strength, "height", &height, "term", &term, "undoes", &undoes, "by",
                            &by, "at", &at, "token", &token, "note", &note) == 0 &&
                brush >= 0 && brush < TERRANE_BRUSHES && seq > 0 && undoes >= 0 && fits_int32(inner) &&
                fits_int32(outer) && fits_int32(strength) && fits_int32(height) && fits_int32(term) &&
                take_text(edit->by, sizeof edit->by, by) &&
                take_text(edit->token, sizeof edit->token, token) &&
                take_text(edit->note, sizeof edit->note, note);
    if (good) {
        *one = (struct terrane_edit){.brush = (enum terrane_brush)brush,
                                     .x = x,
                                     .y = y,
                                     .inner = (int32_t)inner,
                                     .outer = (int32_t)outer,
                                     .strength = (int32_t)strength,
                                     .height = (int32_t)height,
                                     .term = (int32_t)term};
        edit->entry.undoes = (uint64_t)undoes;
        edit->number = (uint64_t)seq;
        edit->at_ms = at;
        good = read_way(way, room, one);
    }
    json_decref(way);
    json_decref(line);
    return good;
}
