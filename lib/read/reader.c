/*
 * JSON values, checked. Every refusal quotes what was given, cut to a line, and says what is allowed.
 */
#include "reader.h"

#include <string.h>

#include "message.h"

/* ---- Places and messages ------------------------------------------------------------------------------- */

enum { PIECES_MAX = 64, PIECE_BYTES = 64, SHOWN_BYTES = 80, WORD_MAX = 32 };

/* One piece behind its slash, with the two escapes of JSON Pointer. */
static void piece_text(const struct place *place, char *out, size_t out_bytes)
{
    size_t used = 0;
    if (!place->key) {
        say(out, out_bytes, "/%zu", place->index);
        return;
    }
    out[used++] = '/';
    const char *at = place->key;
    for (; *at && used + 3 < out_bytes; at++) {
        if (*at == '~' || *at == '/')
            out[used++] = '~';
        out[used++] = (char)(*at == '~' ? '0' : *at == '/' ? '1' : *at);
    }
    out[used] = *at;
    out[say_cut(out, used)] = '\0';
}

void place_text(const struct place *place, char *out, size_t out_bytes)
{
    const struct place *pieces[PIECES_MAX]; /* those nearest to the root */
    int depth = 0, count = 0;
    size_t used = 0;
    for (const struct place *at = place; at->up; at = at->up)
        depth++;
    for (int i = depth; i > 0; i--, place = place->up)
        if (i <= PIECES_MAX)
            pieces[i - 1] = place;
    out[0] = '\0';
    for (; count < depth; count++) {
        char piece[PIECE_BYTES] = "";
        if (count < PIECES_MAX)
            piece_text(pieces[count], piece, sizeof piece);
        const size_t bytes = strlen(piece);
        if (count == PIECES_MAX || used + bytes + sizeof "/..." > out_bytes) {
            say(out + used, out_bytes - used, "/...");
            return;
        }
        memcpy(out + used, piece, bytes + 1);
        used += bytes;
    }
}

int reader_refuse(const struct reader *reader, const struct place *place, const char *format, ...)
{
    char what[512], where[PLACE_BYTES];
    va_list list;

    va_start(list, format);
    say_list(what, sizeof what, format, list);
    va_end(list);
    place_text(place, where, sizeof where);
    say(reader->error, reader->error_bytes, "%s%s%s", where, where[0] ? ": " : "", what);
    for (char *at = reader->error; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    return -1;
}

/* In double quotes: bytes that are not printable ASCII as \xNN, cut with "..." where out is too small. */
static void text_show(char *out, size_t out_bytes, const char *text)
{
    char *at = out;
    const char *const last = out + out_bytes - 5; /* room for ..." and the zero stays behind it */
    *at++ = '"';
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        char piece[5];
        const bool plain = byte >= 0x20 && byte <= 0x7e, quoted = byte == '"' || byte == '\\';
        const size_t bytes = plain ? say(piece, sizeof piece, "%s%.1s", quoted ? "\\" : "", text)
                                   : say(piece, sizeof piece, "\\x%02x", (unsigned)byte);
        if (bytes > (size_t)(last - at))
            break;
        memcpy(at, piece, bytes);
        at += bytes;
    }
    memcpy(at, *text != '\0' ? "...\"" : "\"", *text != '\0' ? 5 : 2);
}

static void value_show(const struct value *value, char *out, size_t out_bytes)
{
    static const char *const words[] = {[VALUE_NULL] = "null",
                                        [VALUE_FALSE] = "false",
                                        [VALUE_TRUE] = "true",
                                        [VALUE_ARRAY] = "an array",
                                        [VALUE_OBJECT] = "an object"};
    if (value->kind == VALUE_STRING)
        text_show(out, out_bytes, value->string);
    else if (value->kind == VALUE_INTEGER)
        say(out, out_bytes, "%lld", (long long)value->integer);
    else if (value->kind == VALUE_REAL)
        say(out, out_bytes, "%.15g", value->real);
    else
        say(out, out_bytes, "%s", words[value->kind]);
}

/* Levenshtein's. Words of more than WORD_MAX bytes are as far apart as can be. */
static int distance_of(const char *a, const char *b)
{
    int row[WORD_MAX + 1]; /* row[j]: distance of a's first i letters to b's first j */
    const size_t a_bytes = strlen(a), b_bytes = strlen(b);
    if (a_bytes > WORD_MAX || b_bytes > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= b_bytes; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_bytes; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_bytes; j++) {
            const int change = diagonal + (a[i - 1] != b[j - 1]);
            const int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < other ? change : other;
        }
    }
    return row[b_bytes];
}

/* The nearest of the words, at most two letters away; NULL: none is. */
static const char *nearest_of(const char *name, const char *const *words, size_t count)
{
    const char *nearest = NULL;
    int distance = 3;
    for (size_t i = 0; i < count; i++) {
        const int d = words[i] ? distance_of(name, words[i]) : distance;
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
    for (size_t i = 0; i < count; i++)
        if (words[i])
            used += say(out + used, out_bytes - used, "%s%s", used ? ", " : "", words[i]);
}

int reader_unknown(const struct reader *reader, const struct place *place, const char *what, const char *name,
                   const char *const *words, size_t count)
{
    char shown[SHOWN_BYTES], allowed[300];
    const char *nearest = nearest_of(name, words, count);
    text_show(shown, sizeof shown, name);
    if (nearest)
        return reader_refuse(reader, place, "there is no %s %s; did you mean \"%s\"?", what, shown, nearest);
    words_show(allowed, sizeof allowed, words, count);
    return reader_refuse(reader, place, "there is no %s %s%s%s", what, shown,
                         allowed[0] ? ": allowed " : ", nor any other", allowed);
}

int reader_unknown_key(const struct reader *reader, const struct place *place, const char *const *words,
                       size_t count)
{
    char allowed[300];
    const char *nearest = nearest_of(place->key, words, count);
    words_show(allowed, sizeof allowed, words, count);
    return reader_refuse(reader, place, "unknown key%s%s%s: allowed %s", nearest ? ", perhaps " : "",
                         nearest ? nearest : "", nearest ? " was meant" : "", allowed);
}

int reader_not(const struct reader *reader, const struct place *place, const struct value *value,
               const char *what)
{
    char shown[SHOWN_BYTES];
    value_show(value, shown, sizeof shown);
    return reader_refuse(reader, place, "%s is not %s", shown, what);
}

/* ---- Values -------------------------------------------------------------------------------------------- */

int reader_number(const struct reader *reader, const struct place *place, const struct value *value,
                  double low, double high, double *out)
{
    char what[80];
    const double v = value_is(value, VALUE_REAL)      ? value->real
                     : value_is(value, VALUE_INTEGER) ? (double)value->integer
                                                      : low;
    if (!value_is_number(value) || !(v >= low && v <= high)) {
        say(what, sizeof what, "a number from %.10g to %.10g", low, high);
        return reader_not(reader, place, value, what);
    }
    *out = v;
    return 0;
}

int reader_float(const struct reader *reader, const struct place *place, const struct value *value,
                 double low, double high, float *out)
{
    double v = 0;
    if (reader_number(reader, place, value, low, high, &v) != 0)
        return -1;
    *out = (float)v;
    return 0;
}

/* A real is whole as long as a double holds it exactly. */
static bool integer_of(const struct value *value, int64_t *out)
{
    const double exact = 0x1p53;
    if (value->kind == VALUE_INTEGER)
        *out = value->integer;
    else if (value->kind != VALUE_REAL || !(value->real >= -exact && value->real <= exact) ||
             (double)(int64_t)value->real != value->real)
        return false;
    else
        *out = (int64_t)value->real;
    return true;
}

int reader_whole(const struct reader *reader, const struct place *place, const struct value *value,
                 int64_t low, int64_t high, int64_t *out)
{
    char what[80];
    int64_t v;
    if (!integer_of(value, &v) || v < low || v > high) {
        say(what, sizeof what, "a whole number from %lld to %lld", (long long)low, (long long)high);
        return reader_not(reader, place, value, what);
    }
    *out = v;
    return 0;
}

int reader_word(const struct reader *reader, const struct place *place, const struct value *value,
                const char *const *words, size_t count, int *out)
{
    char allowed[300], shown[SHOWN_BYTES];
    const bool text = value_is(value, VALUE_STRING);
    for (size_t i = 0; text && i < count; i++)
        if (strcmp(value->string, words[i]) == 0) {
            *out = (int)i;
            return 0;
        }
    const char *nearest = text ? nearest_of(value->string, words, count) : NULL;
    value_show(value, shown, sizeof shown);
    words_show(allowed, sizeof allowed, words, count);
    return reader_refuse(reader, place, "%s is none of %s%s%s%s", shown, allowed,
                         nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

int reader_colour(const struct reader *reader, const struct place *place, const struct value *value,
                  uint8_t out[3])
{
    const char *text = value_is(value, VALUE_STRING) ? value->string : "";
    uint8_t colour[3] = {0};
    bool good = text[0] == '#' && strlen(text) == 7;
    for (int i = 0; good && i < 6; i++) {
        const int digit = hex_of(text[1 + i]);
        good = digit >= 0;
        colour[i / 2] = (uint8_t)(colour[i / 2] * 16 + (good ? digit : 0));
    }
    if (!good)
        return reader_not(reader, place, value, "a colour \"#rrggbb\"");
    memcpy(out, colour, sizeof colour);
    return 0;
}

int reader_text(const struct reader *reader, const struct place *place, const struct value *value, char *out,
                size_t out_bytes)
{
    char what[80];
    const char *text = value_is(value, VALUE_STRING) ? value->string : NULL;
    bool good = text && strlen(text) < out_bytes;
    for (size_t i = 0; good && text[i]; i++)
        good = (unsigned char)text[i] >= 0x20 && text[i] != 0x7f;
    if (!good) {
        say(what, sizeof what, "a text of at most %zu bytes without control characters", out_bytes - 1);
        return reader_not(reader, place, value, what);
    }
    memcpy(out, text, strlen(text) + 1);
    return 0;
}

int reader_array(const struct reader *reader, const struct place *place, const struct value *value,
                 size_t low, size_t high, const char *what)
{
    char text[120];
    const size_t count = value_is(value, VALUE_ARRAY) ? value->count : 0;
    if (value_is(value, VALUE_ARRAY) && count >= low && count <= high)
        return 0;
    if (low == high)
        say(text, sizeof text, "an array of %zu %s", low, what);
    else
        say(text, sizeof text, "an array of %zu to %zu %s", low, high, what);
    if (value_is(value, VALUE_ARRAY))
        return reader_refuse(reader, place, "%zu items are not %s", count, text);
    return reader_not(reader, place, value, text);
}

static bool is_among(char byte, const char *bytes)
{
    while (*bytes != '\0' && *bytes != byte)
        bytes++;
    return *bytes != '\0';
}

bool reader_is_name(const char *text, const char *first, const char *more)
{
    if (text[0] == '\0' || !is_among(text[0], first))
        return false;
    while (*++text != '\0')
        if (!is_among(*text, more))
            return false;
    return true;
}
