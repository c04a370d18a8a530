/*
 * Request headers that choose: Accept and If-None-Match. Both lenient, as RFC 9110 asks: what cannot be read
 * is passed over.
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
    static const char *const exact[FORMATS] = {"image/png", "application/octet-stream", "",
                                               "application/x-npy", "application/json"};
    const char *kind = format == FORMAT_PNG ? "image/*" : "application/*";
    if (!*exact[format])
        return 0;
    return range_is(p, end, exact[format]) ? 3 : range_is(p, end, kind) ? 2 : range_is(p, end, "*/*") ? 1 : 0;
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
    int most = 0;
    for (int f = 0; accept && f < FORMATS; f++) {
        const int rank = worth(accept, (enum tile_format)f);
        if (rank > most) {
            most = rank;
            best = (enum tile_format)f;
        }
    }
    return best;
}

bool etag_matches(const char *if_none_match, const char *etag)
{
    const size_t n = strlen(etag);
    for (const char *p = if_none_match; *p;) {
        p += strspn(p, " \t,");
        if (*p == '*')
            return true;
        if (strncmp(p, "W/", 2) == 0)
            p += 2;
        if (strncmp(p, etag, n) == 0 && (p[n] == 0 || strchr(" \t,", p[n])))
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
