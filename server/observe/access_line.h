/*
 * The text of one line of the access log. A pure function of bytes; what it is given may be hostile.
 */
#ifndef TERRANE_SERVER_ACCESS_LINE_H
#define TERRANE_SERVER_ACCESS_LINE_H

#include <time.h>

#include "access_log.h"

/*
 * Fills line with an entry at a time as a JSON object and a line feed, and returns the length, at most ACCESS_LOG_LINE. No zero
 * stands behind it. Always valid JSON and valid UTF-8 on one line: what is no UTF-8 becomes \ufffd, control characters are
 * escaped. Strings are cut at 1 KiB as written (those that the server makes or bounds, all but target and agent, at 256 bytes)
 * and end with "…" then. About 0.3 us.
 */
size_t access_line(char line[static ACCESS_LOG_LINE], const struct access_entry *entry,
                   const struct timespec *time);

#endif
