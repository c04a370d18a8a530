/*
 * The framing of RESP, as a state machine over bytes:
 *
 *     line      "+" "-" ":" text CR LF                  a whole value
 *     string    "$" length CR LF, length bytes, CR LF   -1: a whole value without bytes
 *     array     "*" count CR LF, count values           -1, 0: a whole value
 *
 *  (1) Announced lengths are checked against all limits when their line ends, before a byte of the payload is taken.
 *  (2) Each byte is looked at once, those of strings never: pieces cost no more than the whole.
 *  (3) left of each open array is at least 1: the last value of an array closes it, and is a value of the one around
 *      it.
 */
#include "remote_line_parts.h"

#include <string.h>

void guard_begin(struct guard *guard, size_t limit_bytes)
{
    *guard = (struct guard){.limit_bytes = limit_bytes};
}

/*
 * A number as the protocol writes it: an optional minus, digits, no zero in front. At most 19 digits: fits 64 bits
 * unless it is beyond them, which is no number.
 */
static bool guard_number(const char *text, size_t bytes, int64_t *out)
{
    const size_t minus = bytes > 0 && text[0] == '-' ? 1 : 0; /* bytes of the sign */
    uint64_t value = 0;

    if (bytes <= minus || bytes - minus > 19 || (text[minus] == '0' && bytes > 1))
        return false;
    for (size_t i = minus; i < bytes; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0'); /* below 10^19 < 2^64 */
    }
    if (value > INT64_MAX)
        return false;
    *out = minus ? -(int64_t)value : (int64_t)value;
    return true;
}

/* A value is complete; with it, perhaps, arrays around it. */
static enum guard_answer guard_value(struct guard *guard)
{
    while (guard->depth > 0 && --guard->left[guard->depth - 1] == 0)
        guard->depth--;
    return guard->depth == 0 ? GUARD_WHOLE : GUARD_MORE;
}

static enum guard_answer guard_array(struct guard *guard, int64_t count)
{
    if (count < -1)
        return GUARD_NONSENSE;
    if (count <= 0)
        return guard_value(guard);
    if (count > GUARD_ELEMENTS - (int64_t)guard->announced || guard->depth == GUARD_DEPTH)
        return GUARD_TOO_LONG;
    guard->announced += (size_t)count;
    guard->left[guard->depth++] = (uint32_t)count;
    return GUARD_MORE;
}

static enum guard_answer guard_string(struct guard *guard, int64_t bytes)
{
    const size_t room = guard->limit_bytes - guard->bytes;

    if (bytes < -1)
        return GUARD_NONSENSE;
    if (bytes == -1)
        return guard_value(guard);
    if ((uint64_t)bytes + 2 >= room)
        return GUARD_TOO_LONG;
    guard->payload = (size_t)bytes + 2;
    return guard->depth == 0 ? GUARD_STRING : GUARD_MORE;
}

/* The line that has ended: its type, and text bytes after that, without CR LF. */
static enum guard_answer guard_line(struct guard *guard, size_t text)
{
    int64_t number;

    if (guard->type == '+' || guard->type == '-')
        return guard_value(guard);
    if (text > GUARD_NUMBER_BYTES || !guard_number(guard->number, text, &number))
        return GUARD_NONSENSE;
    if (guard->type == ':')
        return guard_value(guard);
    return guard->type == '$' ? guard_string(guard, number) : guard_array(guard, number);
}

/*
 * A byte of a line. It ends with CR LF, and has neither inside: where it ends is where the parser will find its end.
 */
static enum guard_answer guard_byte(struct guard *guard, char c)
{
    const size_t at = guard->line++; /* the type is at 0 */

    if (at == 0) {
        guard->type = c;
        return memchr("+-:$*", c, 5) ? GUARD_MORE : GUARD_NONSENSE;
    }
    if (guard->line > GUARD_LINE_BYTES)
        return GUARD_TOO_LONG;
    if (guard->ending != (c == '\n'))
        return GUARD_NONSENSE;
    if (c == '\n') {
        guard->line = 0;
        guard->ending = false;
        return guard_line(guard, at - 2); /* at >= 2: there was a CR, and not at 0 */
    }
    guard->ending = c == '\r';
    if (at <= GUARD_NUMBER_BYTES)
        guard->number[at - 1] = c;
    return GUARD_MORE;
}

/* Bytes of a string, and the CR LF behind it. */
static enum guard_answer guard_payload(struct guard *guard, const char *bytes, size_t count, size_t *taken)
{
    if (guard->payload > 2) {
        *taken = count < guard->payload - 2 ? count : guard->payload - 2;
        guard->payload -= *taken;
        return GUARD_MORE;
    }
    *taken = 1;
    if (*bytes != (guard->payload == 2 ? '\r' : '\n'))
        return GUARD_NONSENSE;
    return --guard->payload == 0 ? guard_value(guard) : GUARD_MORE;
}

enum guard_answer guard_look(struct guard *guard, const char *bytes, size_t count, size_t *taken)
{
    enum guard_answer answer = GUARD_MORE;
    size_t at = 0;

    while (at < count && answer == GUARD_MORE) {
        size_t step = 1;

        if (guard->payload > 0)
            answer = guard_payload(guard, bytes + at, count - at, &step);
        else
            answer = guard->bytes < guard->limit_bytes ? guard_byte(guard, bytes[at]) : GUARD_TOO_LONG;
        at += step;
        guard->bytes += step; /* strings fit by guard_string: never beyond the limit by more than one */
    }
    *taken = at;
    return answer;
}
