/*
 * The screen's machine.
 *
 *   START ──► LINE ──CRLF──► FIELD ──► NAME ──:──► GAP ──► VALUE | LENGTH | CODING ──CRLF──► FIELD ... ──CRLF──►
 *     ▲                       ▲ trailers                                                                       │
 *     │                       └── last chunk ── SIZE ◄──CRLF── DATA ◄──CRLF── SIZE, EXTENSION ◄── chunked ─────┤
 *     └──────────────────────────────────────────────────────────────────── BODY ◄── Content-Length ───────────┘
 *
 * A state's step looks at one byte at least and returns where it stopped. Long stretches (targets, values, bodies) are
 * skipped, not stepped through: a browser's request of 300 bytes takes 0.2 us.
 */
#include "screen.h"

#include <string.h>

enum state {
    START, /* before a request line, or at empty lines before it */
    START_LF,
    LINE,
    LINE_LF,
    FIELD, /* the beginning of a header's line, or of the one that ends them */
    NAME,
    GAP, /* blanks before a value that counts */
    VALUE,
    LENGTH,
    CODING,
    FIELD_LF,
    HEAD_LF,
    BODY,
    SIZE,
    EXTENSION,
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF
};

enum known { HOST, CONTENT_LENGTH, TRANSFER_ENCODING, NAMES, UNKNOWN = NAMES };
static const char *const names[NAMES] = {"host", "content-length", "transfer-encoding"};
static const char version[] = " HTTP/1.1", chunked[] = "chunked";

enum {
    VERSION_BYTES = sizeof version - 1,
    SIZE_DIGITS = 15 /* of a chunk, as libmicrohttpd takes them */,
    EXTENSION_MAX = 255
};

#define LENGTH_MAX INT64_MAX /* a body of more has no end; libmicrohttpd means something else by 2^64 - 1 */

typedef const unsigned char *cursor;

static bool is_token(unsigned char c)
{
    /* !#$%&'*+-.^_`|~ digits letters (RFC 9110, section 5.6.2) */
    static const uint64_t set[4] = {0x03ff6cfa00000000, 0x57ffffffc7fffffe, 0, 0};
    return set[c >> 6] >> (c & 63) & 1;
}

static int hex(unsigned char c)
{
    const int digit = c - '0', letter = (c | 0x20) - 'a';
    return digit >= 0 && digit < 10 ? digit : letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/* The first CR, LF or zero byte, or the end. */
static cursor skip_text(cursor at, cursor end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (;;) {
        uint64_t word;
        while (end - at >= 8) { /* eight bytes of which none is below 0x20 */
            memcpy(&word, at, 8);
            if ((word - 0x20 * ones) & ~word & 0x80 * ones)
                break;
            at += 8;
        }
        const cursor stop = end - at < 8 ? end : at + 8;
        for (; at < stop; at++)
            if (*at < 0x20 && (*at == '\r' || *at == '\n' || *at == 0))
                return at;
        if (at == end)
            return end;
    }
}

static cursor fail(struct screen *s, enum screen_fault fault, cursor at)
{
    s->fault = (uint8_t)fault;
    return at;
}

static cursor enter(struct screen *s, enum state state, cursor at)
{
    s->state = (uint8_t)state;
    s->at = 0;
    return at;
}

/* A byte that has to be this one. */
static cursor expect(struct screen *s, unsigned char byte, enum state next, enum screen_fault fault,
                     cursor at)
{
    return *at == byte ? enter(s, next, at + 1) : fail(s, fault, at);
}

/* ---- Heads --------------------------------------------------------------------------------------------- */

static void begin(struct screen *s)
{
    s->newest = s->trailers = s->hosts = s->lengths = s->codings = false;
    s->left = 0;
}

/* A request line, of which the end counts: `at` is how much of the version the last bytes are. */
static cursor line(struct screen *s, cursor at, cursor end)
{
    const cursor stop = skip_text(at, end);
    if (stop - at >= VERSION_BYTES) {
        s->at = 0;
        at = stop - VERSION_BYTES;
    }
    for (; at < stop; at++)
        s->at = s->at < VERSION_BYTES && *at == (unsigned char)version[s->at] ? s->at + 1 : *at == ' ';
    if (at == end)
        return at;
    s->newest = s->at == VERSION_BYTES;
    return expect(s, '\r', LINE_LF, SCREEN_BYTE, at);
}

static cursor field(struct screen *s, cursor at)
{
    if (*at == '\r')
        return enter(s, HEAD_LF, at + 1);
    if (*at == ' ' || *at == '\t')
        return fail(s, SCREEN_FOLD, at);
    if (*at == '\n' || *at == 0)
        return fail(s, SCREEN_BYTE, at);
    if (!is_token(*at))
        return fail(s, SCREEN_NAME, at);
    if (s->trailers && s->left <= SCREEN_TRAILER)
        return fail(s, SCREEN_MUCH, at);
    if (s->trailers)
        s->left -= SCREEN_TRAILER;
    for (s->known = 0; s->known < NAMES && names[s->known][0] != (*at | 0x20); s->known++)
        continue;
    enter(s, NAME, at);
    s->at = 1;
    return at + 1;
}

static enum screen_fault again(bool *had, enum screen_fault fault)
{
    const bool before = *had;
    *had = true;
    return before ? fault : SCREEN_FINE;
}

/* Behind the colon. */
static cursor named(struct screen *s, cursor at)
{
    enum screen_fault fault = SCREEN_FINE;
    if (s->known < NAMES && names[s->known][s->at] != 0)
        s->known = UNKNOWN; /* a part of it */
    switch (s->known) {
    case HOST:
        fault = again(&s->hosts, SCREEN_HOST);
        break;
    case CONTENT_LENGTH:
        fault = s->codings ? SCREEN_LENGTH : again(&s->lengths, SCREEN_LENGTH);
        break;
    case TRANSFER_ENCODING:
        fault = s->lengths ? SCREEN_LENGTH : s->newest ? again(&s->codings, SCREEN_CODING) : SCREEN_CODING;
        break;
    }
    if (fault)
        return fail(s, fault, at);
    return enter(s, s->known == CONTENT_LENGTH || s->known == TRANSFER_ENCODING ? GAP : VALUE, at + 1);
}

static cursor name(struct screen *s, cursor at, cursor end)
{
    for (; s->known < NAMES && at < end && is_token(*at); at++)
        if (names[s->known][s->at++] != (*at | 0x20))
            s->known = UNKNOWN;
    while (at < end && is_token(*at))
        at++;
    return at == end ? at : *at == ':' ? named(s, at) : fail(s, SCREEN_NAME, at);
}

static cursor gap(struct screen *s, cursor at)
{
    if (*at == ' ' || *at == '\t')
        return at + 1;
    return enter(s, s->known == CONTENT_LENGTH ? LENGTH : CODING, at);
}

static cursor value(struct screen *s, cursor at, cursor end)
{
    at = skip_text(at, end);
    return at == end ? at : expect(s, '\r', FIELD_LF, SCREEN_BYTE, at);
}

static cursor length(struct screen *s, cursor at)
{
    if (*at == '\r' && s->at > 0)
        return enter(s, FIELD_LF, at + 1);
    if (*at < '0' || *at > '9' || s->left > (LENGTH_MAX - 9) / 10)
        return fail(s, SCREEN_LENGTH, at);
    s->left = s->left * 10 + (*at - '0');
    s->at = 1;
    return at + 1;
}

static cursor coding(struct screen *s, cursor at)
{
    if (s->at == sizeof chunked - 1)
        return expect(s, '\r', FIELD_LF, SCREEN_CODING, at);
    return (*at | 0x20) == chunked[s->at++] ? at + 1 : fail(s, SCREEN_CODING, at);
}

static cursor request_end(struct screen *s, cursor at)
{
    s->requests++;
    s->empty = 0;
    return enter(s, START, at);
}

static cursor head_end(struct screen *s, cursor at)
{
    if (*at != '\n')
        return fail(s, SCREEN_BYTE, at);
    if (s->trailers || (!s->codings && s->left == 0))
        return request_end(s, at + 1);
    return enter(s, s->codings ? SIZE : BODY, at + 1);
}

/* ---- Bodies -------------------------------------------------------------------------------------------- */

static cursor skip_left(struct screen *s, cursor at, cursor end)
{
    const uint64_t there = (uint64_t)(end - at), bytes = there < s->left ? there : s->left;
    s->left -= bytes;
    return at + bytes;
}

static cursor body(struct screen *s, cursor at, cursor end)
{
    at = skip_left(s, at, end);
    return s->left ? at : request_end(s, at);
}

static cursor size(struct screen *s, cursor at)
{
    const int digit = hex(*at);
    if (digit >= 0 && s->at < SIZE_DIGITS) {
        s->left = (s->at ? s->left << 4 : 0) | (unsigned)digit;
        s->at++;
        return at + 1;
    }
    if (s->at > 0 && *at == ';')
        return enter(s, EXTENSION, at + 1);
    if (s->at == 0 || *at != '\r')
        return fail(s, SCREEN_CHUNK, at);
    const uint8_t digits = s->at;
    enter(s, SIZE_LF, at);
    s->at = digits;
    return at + 1;
}

/* libmicrohttpd keeps one until its end, and spins where it has no memory for more. */
static cursor extension(struct screen *s, cursor at, cursor end)
{
    const cursor stop = skip_text(at, end);
    if (stop - at > EXTENSION_MAX - s->at)
        return fail(s, SCREEN_CHUNK, at + (EXTENSION_MAX - s->at));
    s->at += (uint8_t)(stop - at);
    at = stop;
    return at == end ? at : expect(s, '\r', SIZE_LF, SCREEN_CHUNK, at);
}

static cursor size_end(struct screen *s, cursor at)
{
    s->trailers = s->left == 0;
    if (s->trailers)
        s->left = SCREEN_TRAILERS;
    return expect(s, '\n', s->trailers ? FIELD : DATA, SCREEN_CHUNK, at);
}

static cursor data(struct screen *s, cursor at, cursor end)
{
    at = skip_left(s, at, end);
    return s->left ? at : enter(s, DATA_CR, at);
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static cursor start(struct screen *s, cursor at)
{
    begin(s);
    if (*at != '\r')
        return enter(s, LINE, at);
    return s->empty++ < SCREEN_EMPTY_LINES ? enter(s, START_LF, at + 1) : fail(s, SCREEN_MUCH, at);
}

static cursor step(struct screen *s, cursor at, cursor end)
{
    switch ((enum state)s->state) {
    case START:
        return start(s, at);
    case START_LF:
        return expect(s, '\n', START, SCREEN_BYTE, at);
    case LINE:
        return line(s, at, end);
    case LINE_LF:
        return expect(s, '\n', FIELD, SCREEN_BYTE, at);
    case FIELD:
        return field(s, at);
    case NAME:
        return name(s, at, end);
    case GAP:
        return gap(s, at);
    case VALUE:
        return value(s, at, end);
    case LENGTH:
        return length(s, at);
    case CODING:
        return coding(s, at);
    case FIELD_LF:
        return expect(s, '\n', FIELD, SCREEN_BYTE, at);
    case HEAD_LF:
        return head_end(s, at);
    case BODY:
        return body(s, at, end);
    case SIZE:
        return size(s, at);
    case EXTENSION:
        return extension(s, at, end);
    case SIZE_LF:
        return size_end(s, at);
    case DATA:
        return data(s, at, end);
    case DATA_CR:
        return expect(s, '\r', DATA_LF, SCREEN_CHUNK, at);
    case DATA_LF:
        return expect(s, '\n', SIZE, SCREEN_CHUNK, at);
    }
    return end;
}

/* Of trailers as many bytes as they may have. */
static cursor trailers_step(struct screen *s, cursor at, cursor end)
{
    if (s->left == 0)
        return fail(s, SCREEN_MUCH, at);
    const cursor next = step(s, at, (uint64_t)(end - at) < s->left ? end : at + s->left);
    s->left -= (uint64_t)(next - at);
    return next;
}

size_t screen_feed(struct screen *screen, const void *bytes, size_t count)
{
    const cursor first = bytes, end = first + count;
    cursor at = first;
    while (at < end && !screen->fault)
        at = screen->trailers && screen->state != START ? trailers_step(screen, at, end)
                                                        : step(screen, at, end);
    return (size_t)(at - first);
}

bool screen_between(const struct screen *screen)
{
    return screen->state == SIZE_LF && screen->left == 0 && screen->at == 1;
}

const char *screen_parameter(enum screen_fault fault)
{
    return fault == SCREEN_HOST ? "Host" : fault == SCREEN_CHUNK ? "body" : "headers";
}

const char *screen_sentence(enum screen_fault fault)
{
    static const char *const sentence[] = {
        [SCREEN_FINE] = "",
        [SCREEN_BYTE] = "Lines end with CR and LF, which stand nowhere else, nor does a zero byte.",
        [SCREEN_FOLD] = "A header is one line: none begins with a blank.",
        [SCREEN_NAME] = "A header begins with its name, of letters, digits and !#$%&'*+-.^_`|~, and a colon.",
        [SCREEN_LENGTH] = "Content-Length is a plain number, stands once, and not beside Transfer-Encoding.",
        [SCREEN_CODING] = "Transfer-Encoding is chunked, stands once, and only in HTTP/1.1.",
        [SCREEN_HOST] = "Host stands once.",
        [SCREEN_CHUNK] = "A chunk is its size of 1 to 15 hexadecimal digits, no long extension, CR LF, its "
                         "bytes, and CR LF.",
        [SCREEN_MUCH] = "Trailers have at most 512 bytes, each counted as 64 more, and at most 8 empty lines "
                        "stand before a request."};
    return sentence[fault];
}
