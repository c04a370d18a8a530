/*
 * Operations as lines of JSON, in integers: what `terrane world export` writes, and what one server sends another that follows it.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

char *shared_line(const struct shared_edit *edit)
{
    const struct terrane_edit *one = &edit->entry.edit;
    json_t *line = json_pack("{s:I, s:i, s:I, s:I, s:i, s:i, s:i, s:i, s:i, s:I, s:s, s:I, s:s, s:s}", "seq",
                             (json_int_t)edit->number, "brush", (int)one->brush, "x", (json_int_t)one->x, "y",
                             (json_int_t)one->y, "inner", (int)one->inner, "outer", (int)one->outer,
                             "strength", (int)one->strength, "height", (int)one->height, "term",
                             (int)one->term, "undoes", (json_int_t)edit->entry.undoes, "by", edit->by, "at",
                             (json_int_t)edit->at_ms, "token", edit->token, "note", edit->note);
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

bool shared_line_read(const char *text, size_t bytes, struct shared_edit *edit)
{
    json_t *line = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    json_int_t seq, brush, x, y, inner, outer, strength, height, term, undoes, at;
    const char *by, *token, *note;
    struct terrane_edit *one = &edit->entry.edit;
    *edit = (struct shared_edit){.number = 0};
    const bool good =
        line &&
        json_unpack(line, "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:I, s:s, s:s !}", "seq",
                    &seq, "brush", &brush, "x", &x, "y", &y, "inner", &inner, "outer", &outer, "strength",
                    &strength, "height", &height, "term", &term, "undoes", &undoes, "by", &by, "at", &at,
                    "token", &token, "note", &note) == 0 &&
        brush >= 0 && brush < TERRANE_BRUSHES && seq > 0 && undoes >= 0 && fits_int32(inner) &&
        fits_int32(outer) && fits_int32(strength) && fits_int32(height) && fits_int32(term) &&
        take_text(edit->by, sizeof edit->by, by) && take_text(edit->token, sizeof edit->token, token) &&
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
    }
    json_decref(line);
    return good;
}
