/*
 * Range requests (RFC 9110, section 14) for one range of bytes.
 */
#ifndef TERRANE_SERVER_RANGE_H
#define TERRANE_SERVER_RANGE_H

#include <stdbool.h>
#include <stdint.h>

enum range_kind {
    RANGE_WHOLE, /* no range, one that is ill-formed, of other units or of several parts: answer 200 with everything */
    RANGE_PART,         /* 206 */
    RANGE_UNSATISFIABLE /* 416 */
};

/*
 * What a Range header (or NULL) selects of a representation of so many bytes: *first .. *last, both included. if_range: that
 * header or NULL; what is not this very strong tag (a weak one, another, a date) asks for the whole.
 */
enum range_kind range_parse(const char *range, const char *if_range, const char *etag, uint64_t bytes,
                            uint64_t *first, uint64_t *last);

#endif
