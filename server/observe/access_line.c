/*
 * One line of the access log.
 *
 *  (1) A line fits by construction: everything but strings takes at most FIXED_BYTES, and every string has a limit on its
 *      written length; the sum is asserted below. So no code here checks for the end of the line.
 *  (2) Strings are read once, from the front, to their zero or their limit, whichever is first.
 */
#include "access_log.h"

#include <string.h>

#include "../base/text.h"

enum {
    LONG_BYTES = 1024, /* of target and agent, as written, the mark of a cut included */
    SHORT_BYTES = 256, /* of the other four */
    FIXED_BYTES = 640  /* names 200, time 24, route 16, tier 12, eight numbers of at most 22, punctuation */
};

_Static_assert(2 * LONG_BYTES + 4 * SHORT_BYTES + FIXED_BYTES <= ACCESS_LOG_LINE, "a line fits");

static const char cut_mark[] = "\xe2\x80\xa6"; /* an ellipsis */
static const char hex_digit[] = "0123456789abcdef";

/* ---- Bytes and numbers --------------------------------------------------------------------------------- */

static char *put(char *at, const char *text, size_t bytes)
{
    memcpy(at, text, bytes);
    return at + bytes;
}

#define PUT(at, literal) put((at), (literal), sizeof(literal) - 1)

static char *put_name(char *at, const char *text)
{
    return put(at, text, strlen(text));
}

static char *put_u64(char *at, uint64_t value)
{
    char digits[20];
    size_t n = sizeof digits;

    do
        digits[--n] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    return put(at, digits + n, sizeof digits - n);
}

static char *put_padded(char *at, unsigned value, int digits)
{
    for (int i = digits - 1; i >= 0; i--, value /= 10)
        at[i] = (char)('0' + value % 10);
    return at + digits;
}

/* Milliseconds with three decimals, rounded down. */
static char *put_ms(char *at, uint64_t ns)
{
    at = put_u64(at, ns / 1000000);
    *at++ = '.';
    return put_padded(at, (unsigned)(ns / 1000 % 1000), 3);
}

/*
 * "2026-11-21T13:25:55.123Z", without the locks of the C library. The date by the arithmetic of eras of 400 years that begin
 * with March (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"); years 1970 to 9999, others are shown as 1970.
 */
static char *put_time(char *at, const struct timespec *time)
{
    const bool sane = time->tv_sec >= 0 && time->tv_sec < 253402300800;
    const unsigned long seconds = sane ? (unsigned long)time->tv_sec : 0;
    const unsigned in_day = (unsigned)(seconds % 86400);
    const unsigned day = (unsigned)(seconds / 86400) + 719468; /* since 0000-03-01 */
    const unsigned era = day / 146097, in_era = day % 146097;
    const unsigned year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const unsigned in_year = in_era - (365 * year + year / 4 - year / 100); /* since March 1 */
    const unsigned march_month = (5 * in_year + 2) / 153;
    const unsigned month = march_month < 10 ? march_month + 3 : march_month - 9;

    at = put_padded(at, year + era * 400 + (month <= 2), 4);
    *at++ = '-';
    at = put_padded(at, month, 2);
    *at++ = '-';
    at = put_padded(at, in_year - (153 * march_month + 2) / 5 + 1, 2);
    *at++ = 'T';
    at = put_padded(at, in_day / 3600, 2);
    *at++ = ':';
    at = put_padded(at, in_day / 60 % 60, 2);
    *at++ = ':';
    at = put_padded(at, in_day % 60, 2);
    *at++ = '.';
    at = put_padded(at, (unsigned)(time->tv_nsec / 1000000) % 1000, 3);
    *at++ = 'Z';
    return at;
}

/* ---- Strings ------------------------------------------------------------------------------------------- */

/* Lines of log readers may end at U+0085, U+2028 and U+2029, and terminals obey U+0080 to U+009F. */
static bool is_unseen(const unsigned char *s, size_t bytes)
{
    return (bytes == 2 && s[0] == 0xc2 && s[1] < 0xa0) ||
           (bytes == 3 && s[0] == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9));
}

static size_t escape(char out[static 6], unsigned code)
{
    put(out, "\\u", 2);
    for (int i = 0; i < 4; i++)
        out[2 + i] = hex_digit[code >> (12 - 4 * i) & 15];
    return 6;
}

/* Writes one character into out, at most six bytes. *used: its bytes in the string. */
static size_t character(const unsigned char *s, char out[static 6], size_t *used)
{
    *used = 1;
    if (s[0] == '"' || s[0] == '\\') {
        out[0] = '\\';
        out[1] = (char)s[0];
        return 2;
    }
    if (s[0] < 0x80) {
        if (s[0] < 0x20 || s[0] == 0x7f)
            return escape(out, s[0]);
        out[0] = (char)s[0];
        return 1;
    }
    const size_t bytes = text_utf8_bytes(s);
    if (bytes == 0)
        return escape(out, 0xfffd);
    *used = bytes;
    if (is_unseen(s, bytes))
        return escape(out, bytes == 2 ? s[1] : 0x2000u + (s[2] & 0x3fu));
    memcpy(out, s, bytes);
    return bytes;
}

/* A position in a line, and the end of the string there, including the mark of a cut. */
struct room {
    char *at, *end;
    bool cut;
};

/* True if a byte is written unchanged. */
static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/* Writes characters of a string from s to end, as long as there is room. */
static void put_characters(struct room *room, const unsigned char *s, const unsigned char *end)
{
    const char *const last = room->end - (sizeof cut_mark - 1);

    while (s < end && !room->cut) {
        char text[6];
        size_t used;

        for (; s < end && room->at < last && is_plain(*s); s++)
            *room->at++ = (char)*s;
        if (s == end)
            return;
        const size_t bytes = character(s, text, &used);
        if (room->at + bytes > last) {
            room->at = PUT(room->at, cut_mark);
            room->cut = true;
        } else {
            room->at = put(room->at, text, bytes);
            s += used;
        }
    }
}

/* Writes ,"name":"value" or nothing. name includes its punctuation. */
static char *put_string(char *at, const char *name, const char *value, size_t limit)
{
    if (!value)
        return at;
    at = put_name(at, name);
    struct room room = {.at = at, .end = at + limit};
    put_characters(&room, (const unsigned char *)value, (const unsigned char *)value + strnlen(value, limit));
    *room.at++ = '"';
    return room.at;
}

/* ---- Targets ------------------------------------------------------------------------------------------- */

/*
 * True if a parameter's name in a query decodes to "key". Upper case is not valid, but its value is as likely to be a secret.
 */
static bool is_secret(const char *name, const char *end)
{
    static const char secret[] = "key";
    size_t n = 0;

    while (name < end && n < sizeof secret - 1) {
        int c = (unsigned char)*name++;
        if (c == '%' && end - name >= 2 && text_hex_digit(name[0]) >= 0 && text_hex_digit(name[1]) >= 0) {
            c = text_hex_digit(name[0]) * 16 + text_hex_digit(name[1]);
            name += 2;
        }
        if ((c | 0x20) != secret[n++])
            return false;
    }
    return name == end && n == sizeof secret - 1;
}

/*
 * Writes the target with every secret replaced by "-". A name begins after '?', '&' or ';' (more than a query's '&', in case
 * of a client's mistake), and a value ends only at '&': keys may contain the other two.
 */
static char *put_target(char *at, const char *target)
{
    if (!target)
        return at;
    at = PUT(at, ",\"target\":\"");
    struct room room = {.at = at, .end = at + LONG_BYTES};
    const char *from = target, *mark = strchr(target, '?');
    while (mark && !room.cut) {
        const char *const name = mark + 1, *const stop = name + strcspn(name, "=&;?");

        if (*stop == '=' && is_secret(name, stop)) {
            put_characters(&room, (const unsigned char *)from, (const unsigned char *)stop + 1);
            put_characters(&room, (const unsigned char *)"-", (const unsigned char *)"-" + 1);
            from = stop + strcspn(stop, "&");
            mark = *from ? from : NULL;
        } else {
            mark = strpbrk(name, "?&;");
        }
    }
    put_characters(&room, (const unsigned char *)from,
                   (const unsigned char *)from + strnlen(from, LONG_BYTES));
    *room.at++ = '"';
    return room.at;
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

size_t access_line(char line[static ACCESS_LOG_LINE], const struct access_entry *entry,
                   const struct timespec *time)
{
    char *at = PUT(line, "{\"time\":\"");

    at = put_time(at, time);
    *at++ = '"';
    at = put_string(at, ",\"id\":\"", entry->id, SHORT_BYTES);
    at = put_string(at, ",\"client\":\"", entry->client, SHORT_BYTES);
    at = put_string(at, ",\"key\":\"", entry->key, SHORT_BYTES);
    at = put_string(at, ",\"method\":\"", entry->method, SHORT_BYTES);
    at = put_target(at, entry->target);
    at = PUT(at, ",\"route\":\"");
    at = put_name(at, route_name[entry->route]);
    at = PUT(at, "\",\"status\":");
    at = entry->status ? put_u64(at, entry->status) : PUT(at, "null");
    at = PUT(at, ",\"bytes\":");
    at = put_u64(at, entry->bytes);
    at = PUT(at, ",\"tier\":\"");
    at = put_name(at, metric_tier_name[entry->tier]);
    at = PUT(at, "\",\"queue_ms\":");
    at = put_ms(at, entry->queue_ns);
    at = PUT(at, ",\"region_ms\":");
    at = put_ms(at, entry->region_ns);
    at = PUT(at, ",\"render_ms\":");
    at = put_ms(at, entry->render_ns);
    at = PUT(at, ",\"total_ms\":");
    at = put_ms(at, entry->total_ns);
    at = put_string(at, ",\"agent\":\"", entry->agent, LONG_BYTES);
    at = PUT(at, "}\n");
    return (size_t)(at - line);
}
