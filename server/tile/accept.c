/*
 * Request headers that choose: Accept, Accept-Encoding and If-None-Match. All lenient, as RFC 9110 asks: what cannot be
 * read is passed over.
 */
#include <string.h>
#include <strings.h>

#include "target.h"

static const char *skip_blank(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* Is the media range [p, end) this text, letters alike? */
static bool range_is(const char *p, const char *end, const char *text)
{
    return (size_t)(end - p) == strlen(text) && strncasecmp(p, text, (size_t)(end - p)) == 0;
}

/* Thousandths of the q parameter in [p, end); 1000 when there is none, 0 when it cannot be read. */
static int quality(const char *p, const char *end)
{
    for (; p < end; p++) {
        if (*p != ';')
            continue;
        const char *q = skip_blank(p + 1);
        if (q + 2 > end || (*q != 'q' && *q != 'Q') || q[1] != '=')
            continue;
        int value = 0, scale = 1000;
        for (q += 2; q < end && ((*q >= '0' && *q <= '9') || *q == '.'); q++)
            if (*q != '.' && scale > 0) {
                value += (*q - '0') * scale;
                scale /= 10;
            }
        return value > 1000 ? 1000 : value;
    }
    return 1000;
}

/* How well a media range fits a format: 3 exact, 2 its kind of media, 1 anything, 0 not. */
static int fit(const char *p, const char *end, enum tile_format format)
{
    const char *exact = format_row[format].range;
    const char *kind = format == FORMAT_PNG || format == FORMAT_TIF ? "image/*"
                       : format == FORMAT_GLB                       ? "model/*"
                                                                    : "application/*";
    if (!exact) /* cannot be asked for */
        return 0;
    return range_is(p, end, exact) ? 3 : range_is(p, end, kind) ? 2 : range_is(p, end, "*/*") ? 1 : 0;
}

/* What a format is worth to a client: the quality that the range fitting it best gives it, then how well that
 * fits; 0: nothing. */
static int worth(const char *accept, enum tile_format format)
{
    int best = 0, q = 0;
    for (const char *p = accept; *p;) {
        p = skip_blank(p);
        const char *end = p + strcspn(p, ","), *type = p + strcspn(p, ",; \t");
        const int how = fit(p, type, format);
        if (how > best) {
            best = how;
            q = quality(type, end);
        }
        p = *end ? end + 1 : end;
    }
    return q > 0 ? q * 4 + best : 0;
}

enum tile_format accept_choose(const char *accept)
{
    enum tile_format best = FORMAT_PNG;
    int max = 0;
    for (int f = 0; accept && f < FORMATS; f++) {
        const int rank = worth(accept, (enum tile_format)f);
        if (rank > max) {
            max = rank;
            best = (enum tile_format)f;
        }
    }
    return best;
}

enum tile_format accept_choose_of(const char *accept, enum tile_layer layer)
{
    enum tile_format best = FORMATS;
    int max = 0;
    for (int f = 0; accept && f < FORMATS; f++) {
        const int rank = tile_layer_has(layer, (enum tile_format)f) ? worth(accept, (enum tile_format)f) : 0;
        if (rank > max) {
            max = rank;
            best = (enum tile_format)f;
        }
    }
    return best < FORMATS ? best : accept_choose(accept);
}

/* ---- Extensions ---------------------------------------------------------------------------------------- */

bool extensions_have(const char *list, size_t bytes, const char *name)
{
    const char *const end = list + bytes;
    for (const char *p = list; p < end;) {
        const char *dash = memchr(p, '-', (size_t)(end - p));
        const char *stop = dash ? dash : end;
        if (range_is(p, stop, name))
            return true;
        p = stop + 1;
    }
    return false;
}

/* Whether the parameters in [p, end), each behind its semicolon, ask for an extension; in quotes, too. */
static bool parameters_ask(const char *p, const char *end, const char *name)
{
    static const char parameter[] = "extensions=";
    const size_t n = sizeof parameter - 1;
    for (; p < end; p++) {
        if (*p != ';')
            continue;
        const char *at = skip_blank(p + 1);
        if (at + n > end || strncasecmp(at, parameter, n) != 0)
            continue;
        at += n;
        at += at < end && *at == '"';
        const size_t bytes = strcspn(at, "\";, \t");
        if (extensions_have(at, bytes < (size_t)(end - at) ? bytes : (size_t)(end - at), name))
            return true;
    }
    return false;
}

bool accept_extension(const char *accept, const char *name)
{
    for (const char *p = accept; p && *p;) {
        const char *end = p + strcspn(p, ",");
        if (parameters_ask(p, end, name) && quality(p, end) > 0)
            return true;
        p = *end ? end + 1 : end;
    }
    return false;
}

/* ---- Codings ------------------------------------------------------------------------------------------- */

/* Thousandths of a coding's weight in [p, end), which is nothing (1000) or ";q=" and 0 .. 1 with up to three digits behind
 * the point; -1 when it is anything else. */
static int weight(const char *p, const char *end)
{
    while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (p == end)
        return 1000;
    p = skip_blank(p);
    if (*p != ';')
        return -1;
    p = skip_blank(p + 1);
    if ((*p != 'q' && *p != 'Q') || p[1] != '=' || (p[2] != '0' && p[2] != '1'))
        return -1;
    int value = (p[2] - '0') * 1000, scale = 100;
    p += 3;
    if (p < end && *p == '.')
        for (p++; p < end && *p >= '0' && *p <= '9' && scale > 0; p++, scale /= 10)
            value += (*p - '0') * scale;
    return p == end && value <= 1000 ? value : -1;
}

/* What a header says of each coding, in thousandths; -1: nothing. */
struct weights {
    int coding[CODINGS], any;
};

static void weights_read(struct weights *weights, const char *header)
{
    *weights = (struct weights){.coding = {-1, -1, -1}, .any = -1};
    for (const char *p = header; *p;) {
        p = skip_blank(p);
        const char *end = p + strcspn(p, ","), *name = p + strcspn(p, ",; \t");
        const int q = weight(name, end);
        int *of = range_is(p, name, "*")          ? &weights->any
                  : range_is(p, name, "zstd")     ? &weights->coding[CODING_ZSTD]
                  : range_is(p, name, "gzip")     ? &weights->coding[CODING_GZIP]
                  : range_is(p, name, "x-gzip")   ? &weights->coding[CODING_GZIP]
                  : range_is(p, name, "identity") ? &weights->coding[CODING_IDENTITY]
                                                  : NULL;
        if (of && q > *of)
            *of = q;
        p = *end ? end + 1 : end;
    }
}

enum tile_coding accept_coding(const char *accept_encoding)
{
    struct weights weights;
    enum tile_coding best = CODING_IDENTITY;
    if (!accept_encoding)
        return best;
    weights_read(&weights, accept_encoding);
    int max = weights.coding[CODING_IDENTITY]; /* where it is not named, anything that is comes before it */
    for (int c = CODING_GZIP; c < CODINGS; c++) {
        const int q = weights.coding[c] >= 0 ? weights.coding[c] : weights.any;
        if (q > 0 && q >= max) {
            max = q;
            best = (enum tile_coding)c;
        }
    }
    const bool gzip_refused = weights.coding[CODING_GZIP] == 0 || weights.any == 0;
    return max == 0 && !gzip_refused ? CODING_GZIP : best;
}

/* ---- Entity tags --------------------------------------------------------------------------------------- */

bool etag_matches(const char *list, const char *etag, bool strongly)
{
    const size_t n = strlen(etag);
    for (const char *p = list; *p;) {
        p += strspn(p, " \t,");
        if (*p == '*')
            return true;
        const bool weak = strncmp(p, "W/", 2) == 0;
        p += weak ? 2 : 0;
        if (!(weak && strongly) && strncmp(p, etag, n) == 0 && (p[n] == 0 || strchr(" \t,", p[n])))
            return true;
        if (*p == '"') { /* to the end of this tag: commas may stand in it */
            const char *close = strchr(p + 1, '"');
            p = close ? close + 1 : p + strlen(p);
        } else {
            p += strcspn(p, ",");
        }
    }
    return false;
}
