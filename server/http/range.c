/*
 * Range requests, lenient as RFC 9110 asks: a field that cannot be read, or that asks for more than one range, is
 * passed over. Numbers of any length are read; those that 64 bits do not hold count as the largest that they do.
 */
#include "range.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *skip_blank(const char *p)
{
    return p + strspn(p, " \t");
}

/* Reads digits; false when there is none. */
static bool number(const char **at, uint64_t *value)
{
    const char *p = *at;
    *value = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        const uint64_t digit = (uint64_t)(*p - '0');
        *value = *value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *value * 10 + digit;
    }
    const bool any = p > *at;
    *at = p;
    return any;
}

/* Strong comparison: both tags are strong, and the same. */
static bool same_tag(const char *if_range, const char *etag)
{
    const size_t n = strlen(etag);
    if_range = skip_blank(if_range);
    return *etag == '"' && strncmp(if_range, etag, n) == 0 && *skip_blank(if_range + n) == '\0';
}

enum range_kind range_parse(const char *range, const char *if_range, const char *etag, uint64_t bytes,
                            uint64_t *first, uint64_t *last)
{
    uint64_t low, high;
    if (!range || (if_range && !same_tag(if_range, etag)))
        return RANGE_WHOLE;
    range = skip_blank(range);
    if (strncasecmp(range, "bytes=", 6) != 0)
        return RANGE_WHOLE;
    range = skip_blank(range + 6);
    const bool has_low = number(&range, &low);
    if (*range++ != '-')
        return RANGE_WHOLE;
    const bool has_high = number(&range, &high);
    if (*skip_blank(range) != '\0' || (!has_low && !has_high) || (has_low && has_high && high < low))
        return RANGE_WHOLE;
    if (!has_low) { /* the last high bytes */
        if (high > 0 && bytes == 0)
            return RANGE_WHOLE; /* all of nothing, of which there is no first byte */
        low = high < bytes ? bytes - high : 0;
        high = UINT64_MAX;
    }
    if (low >= bytes)
        return RANGE_UNSATISFIABLE;
    *first = low;
    *last = has_high && high < bytes ? high : bytes - 1;
    return RANGE_PART;
}
