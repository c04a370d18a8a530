/*
 * JSON values, checked. Every refusal quotes what was given, cut to a line, and says what is allowed.
 */
#include "reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../base/text.h"

/* ---- Places and messages ------------------------------------------------------------------------------- */

enum { PIECES_MOST = 64, PIECE_BYTES = 64 };

/* One piece behind its slash, with the two escapes of JSON Pointer. */
static void piece_text(const struct place *place, char *out, size_t out_bytes)
{
    size_t used = 0;
    if (!place->key) {
        snprintf(out, out_bytes, "/%zu", place->index);
        return;
    }
    out[used++] = '/';
    for (const char *at = place->key; *at && used + 3 < out_bytes; at++) {
        if (*at == '~' || *at == '/')
            out[used++] = '~';
        out[used++] = (char)(*at == '~' ? '0' : *at == '/' ? '1' : *at);
    }
    out[used] = '\0';
}

void place_text(const struct place *place, char *out, size_t out_bytes)
{
    const struct place *pieces[PIECES_MOST]; /* those nearest to the root */
    int depth = 0, count = 0;
    size_t used = 0;
    for (const struct place *at = place; at->up; at = at->up)
        depth++;
    for (int i = depth; i > 0; i--, place = place->up)
        if (i <= PIECES_MOST)
            pieces[i - 1] = place;
    out[0] = '\0';
    for (; count < depth; count++) {
        char piece[PIECE_BYTES] = "";
        if (count < PIECES_MOST)
            piece_text(pieces[count], piece, sizeof piece);
        const size_t bytes = strlen(piece);
        if (count == PIECES_MOST || used + bytes + sizeof "/..." > out_bytes) {
            snprintf(out + used, out_bytes - used, "/...");
            return;
        }
        memcpy(out + used, piece, bytes + 1);
        used += bytes;
    }
}

int reader_refuse(const struct reader *reader, const struct place *place, const char *format, ...)
{
    char what[512], where[PLACE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    place_text(place, where, sizeof where);
    snprintf(reader->error, reader->error_bytes, "%s: %s%s%s", reader->file, where, where[0] ? ": " : "",
             what);
    for (char *at = reader->error; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    return -1;
}

/* The nearest of the words, at most two letters away; NULL: none is. */
static const char *nearest_of(const char *name, const char *const *words, size_t count)
{
    const char *nearest = NULL;
    int distance = 3;
    for (size_t i = 0; i < count; i++) {
        const int d = words[i] ? text_distance(name, strlen(name), words[i], strlen(words[i])) : distance;
        if (d < distance && (size_t)d < strlen(name)) {
            nearest = words[i];
            distance = d;
        }
    }
    return nearest;
}

static void words_show(char *out, size_t out_bytes, const char *const *words, size_t count)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count && used < out_bytes; i++)
        if (words[i])
            used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", used ? ", " : "", words[i]);
}

int reader_unknown(const struct reader *reader, const struct place *place, const char *what, const char *name,
                   const char *const *words, size_t count)
{
    char shown[TEXT_SHOWN_BYTES], allowed[300];
    const char *nearest = nearest_of(name, words, count);
    text_show(shown, sizeof shown, name);
    if (nearest)
        return reader_refuse(reader, place, "there is no %s %s; did you mean \"%s\"?", what, shown, nearest);
    words_show(allowed, sizeof allowed, words, count);
    return reader_refuse(reader, place, "there is no %s %s%s%s", what, shown,
                         allowed[0] ? ": allowed " : ", nor any other", allowed);
}

static bool is_one(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

int reader_keys(const struct reader *reader, const struct place *place, json_t *object,
                const char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        const char *key = json_object_iter_key(at);
        if (is_one(words, count, key))
            continue;
        char allowed[300];
        const struct place here = {place, key, 0};
        const char *nearest = nearest_of(key, words, count);
        words_show(allowed, sizeof allowed, words, count);
        return reader_refuse(reader, &here, "unknown key%s%s%s: allowed %s", nearest ? ", perhaps " : "",
                             nearest ? nearest : "", nearest ? " was meant" : "", allowed);
    }
    return 0;
}

/* ---- Values -------------------------------------------------------------------------------------------- */

/* "VALUE is not WHAT" */
static int not_a(const struct reader *reader, const struct place *place, const json_t *value,
                 const char *what)
{
    char shown[TEXT_SHOWN_BYTES];
    text_value_show(value, shown, sizeof shown);
    return reader_refuse(reader, place, "%s is not %s", shown, what);
}

int reader_number(const struct reader *reader, const struct place *place, const json_t *value, double low,
                  double high, double *out)
{
    char what[80];
    const double v = json_is_number(value) ? json_number_value(value) : low;
    if (!json_is_number(value) || !(v >= low && v <= high)) {
        snprintf(what, sizeof what, "a number from %.10g to %.10g", low, high);
        return not_a(reader, place, value, what);
    }
    *out = v;
    return 0;
}

int reader_float(const struct reader *reader, const struct place *place, const json_t *value, double low,
                 double high, float *out)
{
    double v = 0;
    if (reader_number(reader, place, value, low, high, &v) != 0)
        return -1;
    *out = (float)v;
    return 0;
}

int reader_whole(const struct reader *reader, const struct place *place, const json_t *value, int64_t low,
                 int64_t high, int64_t *out)
{
    char what[80];
    int64_t v;
    if (!text_value_integer(value, &v) || v < low || v > high) {
        snprintf(what, sizeof what, "a whole number from %" PRId64 " to %" PRId64, low, high);
        return not_a(reader, place, value, what);
    }
    *out = v;
    return 0;
}

int reader_word(const struct reader *reader, const struct place *place, const json_t *value,
                const char *const *words, size_t count, int *out)
{
    char allowed[300], shown[TEXT_SHOWN_BYTES];
    for (size_t i = 0; json_is_string(value) && i < count; i++)
        if (strcmp(json_string_value(value), words[i]) == 0) {
            *out = (int)i;
            return 0;
        }
    const char *nearest = json_is_string(value) ? nearest_of(json_string_value(value), words, count) : NULL;
    text_value_show(value, shown, sizeof shown);
    words_show(allowed, sizeof allowed, words, count);
    return reader_refuse(reader, place, "%s is none of %s%s%s%s", shown, allowed,
                         nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

int reader_colour(const struct reader *reader, const struct place *place, const json_t *value, uint8_t out[3])
{
    static const char digits[] = "0123456789abcdef";
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    uint8_t colour[3] = {0};
    bool good = text[0] == '#' && strlen(text) == 7;
    for (int i = 0; good && i < 6; i++) {
        const char c = text[1 + i];
        const char *digit = strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
        good = digit != NULL;
        if (good)
            colour[i / 2] = (uint8_t)(colour[i / 2] * 16 + (digit - digits));
    }
    if (!good)
        return not_a(reader, place, value, "a colour \"#rrggbb\"");
    memcpy(out, colour, sizeof colour);
    return 0;
}

int reader_text(const struct reader *reader, const struct place *place, const json_t *value, char *out,
                size_t out_bytes)
{
    char what[80];
    const char *text = json_is_string(value) ? json_string_value(value) : NULL;
    bool good = text && strlen(text) < out_bytes;
    for (size_t i = 0; good && text[i]; i++)
        good = (unsigned char)text[i] >= 0x20 && text[i] != 0x7f;
    if (!good) {
        snprintf(what, sizeof what, "a text of at most %zu bytes without control characters", out_bytes - 1);
        return not_a(reader, place, value, what);
    }
    memcpy(out, text, strlen(text) + 1);
    return 0;
}

int reader_array(const struct reader *reader, const struct place *place, const json_t *value, size_t low,
                 size_t high, const char *what)
{
    char text[120];
    const size_t count = json_is_array(value) ? json_array_size(value) : 0;
    if (json_is_array(value) && count >= low && count <= high)
        return 0;
    if (low == high)
        snprintf(text, sizeof text, "an array of %zu %s", low, what);
    else
        snprintf(text, sizeof text, "an array of %zu to %zu %s", low, high, what);
    if (json_is_array(value))
        return reader_refuse(reader, place, "%zu items are not %s", count, text);
    return not_a(reader, place, value, text);
}

int reader_object(const struct reader *reader, const struct place *place, json_t *value,
                  const char *const *words)
{
    if (!json_is_object(value))
        return not_a(reader, place, value, "an object");
    return reader_keys(reader, place, value, words);
}

int reader_member_number(const struct reader *reader, const struct place *place, const json_t *object,
                         const char *key, double low, double high, double *out)
{
    const struct place here = {place, key, 0};
    const json_t *value = json_object_get(object, key);
    return value ? reader_number(reader, &here, value, low, high, out) : 0;
}

int reader_member_float(const struct reader *reader, const struct place *place, const json_t *object,
                        const char *key, double low, double high, float *out)
{
    const struct place here = {place, key, 0};
    const json_t *value = json_object_get(object, key);
    return value ? reader_float(reader, &here, value, low, high, out) : 0;
}
