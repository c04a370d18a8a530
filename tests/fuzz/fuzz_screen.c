/*
 * Fuzzing the screen: the input is what a client sends.
 *
 * However it is cut into pieces, the screen says the same as a slow reading of the whole: where it stops, why, and at which
 * request. What comes before that place is fine by itself. Seeds: tests/fuzz/corpus/screen.
 */
#include <strings.h>

#include "../../server/http/screen.h"
#include "fuzz_kit.h"

/* ---- A slow reading ------------------------------------------------------------------------------------ */

struct reading {
    const uint8_t *data;
    size_t bytes, at;
    uint64_t requests;
    enum screen_fault fault;
    bool over; /* a fault, or the input's end */
};

static void stop(struct reading *r, enum screen_fault fault, size_t at)
{
    r->at = at < r->bytes ? at : r->bytes;
    r->fault = at < r->bytes ? fault : SCREEN_FINE;
    r->over = true;
}

/* A byte that has to be this one. */
static void take(struct reading *r, uint8_t byte, enum screen_fault fault)
{
    if (r->over || r->at == r->bytes || r->data[r->at] != byte)
        stop(r, fault, r->over ? r->bytes : r->at);
    else
        r->at++;
}

/* Text up to the CR of its CR LF, which is taken, too; its length. */
static size_t text(struct reading *r, enum screen_fault fault)
{
    const size_t from = r->at;
    while (r->at < r->bytes && !strchr("\r\n", r->data[r->at]))
        r->at++; /* strchr finds the zero at the end, too */
    const size_t length = r->at - from;
    take(r, '\r', fault);
    if (!r->over)
        take(r, '\n', fault == SCREEN_CHUNK ? SCREEN_CHUNK : SCREEN_BYTE);
    return length;
}

static bool is_name(uint8_t c)
{
    return c != 0 &&
           strchr("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", c);
}

struct head {
    unsigned hosts, lengths, codings;
    bool newest;
    uint64_t length;
};

static void read_length(struct reading *r, struct head *head)
{
    size_t digits = 0;
    while (r->at < r->bytes && r->data[r->at] >= '0' && r->data[r->at] <= '9') {
        if (head->length > (INT64_MAX - 9) / 10) {
            stop(r, SCREEN_LENGTH, r->at);
            return;
        }
        head->length = head->length * 10 + (r->data[r->at++] - (unsigned)'0');
        digits++;
    }
    if (digits == 0)
        stop(r, SCREEN_LENGTH, r->at);
    else
        take(r, '\r', SCREEN_LENGTH);
}

static void read_coding(struct reading *r)
{
    for (const char *word = "chunked"; *word && !r->over; word++)
        if (r->at == r->bytes || (r->data[r->at] != *word && r->data[r->at] + 32 != *word))
            stop(r, SCREEN_CODING, r->at);
        else
            r->at++;
    if (!r->over)
        take(r, '\r', SCREEN_CODING);
}

/* The name ends before its colon, at `at`. */
static void read_value(struct reading *r, struct head *head, const char *name, size_t bytes)
{
    const size_t colon = r->at;
    const bool host = bytes == 4 && strncasecmp(name, "host", 4) == 0;
    const bool length = bytes == 14 && strncasecmp(name, "content-length", 14) == 0;
    const bool coding = bytes == 17 && strncasecmp(name, "transfer-encoding", 17) == 0;
    head->hosts += host;
    head->lengths += length;
    head->codings += coding;
    if (host && head->hosts > 1)
        stop(r, SCREEN_HOST, colon);
    else if ((length || coding) && (head->lengths > 1 || (head->lengths && head->codings)))
        stop(r, SCREEN_LENGTH, colon);
    else if (coding && (head->codings > 1 || !head->newest))
        stop(r, SCREEN_CODING, colon);
    if (r->over)
        return;
    r->at++;
    if (!length && !coding) {
        text(r, SCREEN_BYTE);
        return;
    }
    while (r->at < r->bytes && (r->data[r->at] == ' ' || r->data[r->at] == '\t'))
        r->at++;
    if (length)
        read_length(r, head);
    else
        read_coding(r);
    if (!r->over)
        take(r, '\n', SCREEN_BYTE);
}

/* What trailers have read of what they may have: limit is where that ends. */
static void keep_to(struct reading *r, size_t limit)
{
    if (r->at > limit || (r->over && r->at == limit))
        stop(r, SCREEN_MUCH, limit);
}

/* Headers or trailers, to the empty line behind them. limit: SIZE_MAX for headers. */
static void read_fields(struct reading *r, struct head *head, size_t limit)
{
    while (!r->over) {
        const size_t from = r->at;
        if (from == limit) {
            stop(r, SCREEN_MUCH, from);
            return;
        }
        if (from == r->bytes) {
            stop(r, SCREEN_FINE, from);
        } else if (r->data[from] == '\r') {
            r->at++;
            take(r, '\n', SCREEN_BYTE);
            keep_to(r, limit);
            return;
        } else if (r->data[from] == ' ' || r->data[from] == '\t') {
            stop(r, SCREEN_FOLD, from);
        } else if (r->data[from] == '\n' || r->data[from] == 0) {
            stop(r, SCREEN_BYTE, from);
        } else if (limit != SIZE_MAX && is_name(r->data[from]) && limit - from <= SCREEN_TRAILER) {
            stop(r, SCREEN_MUCH, from);
        } else {
            limit -= limit != SIZE_MAX && is_name(r->data[from]) ? SCREEN_TRAILER : 0;
            while (r->at < r->bytes && is_name(r->data[r->at]))
                r->at++;
            if (r->at == r->bytes || r->at == from || r->data[r->at] != ':')
                stop(r, SCREEN_NAME, r->at);
            else
                read_value(r, head, (const char *)r->data + from, r->at - from);
            keep_to(r, limit);
        }
    }
}

static void skip(struct reading *r, uint64_t bytes)
{
    const uint64_t left = r->bytes - r->at;
    r->at += bytes < left ? bytes : left;
    if (bytes > left)
        stop(r, SCREEN_FINE, r->bytes);
}

/* To the end of a chunk's line: ; and at most 255 bytes, or nothing. */
static void read_extension(struct reading *r)
{
    size_t length = 0;
    while (r->at + length < r->bytes && !strchr("\r\n", r->data[r->at + length]))
        length++;
    if (length > 256)
        stop(r, SCREEN_CHUNK, r->at + 256);
    else
        text(r, SCREEN_CHUNK);
}

static void read_chunks(struct reading *r, struct head *head)
{
    for (uint64_t size = 1; size > 0 && !r->over;) {
        char digits[17] = "";
        size_t n = 0;
        for (;
             n < 15 && r->at < r->bytes && r->data[r->at] && strchr("0123456789abcdefABCDEF", r->data[r->at]);
             n++)
            digits[n] = (char)r->data[r->at++];
        size = strtoull(digits, NULL, 16);
        if (r->at == r->bytes || n == 0 || (r->data[r->at] != ';' && r->data[r->at] != '\r')) {
            stop(r, SCREEN_CHUNK, r->at);
            return;
        }
        read_extension(r);
        if (size > 0 && !r->over) {
            skip(r, size);
            if (!r->over)
                take(r, '\r', SCREEN_CHUNK);
            if (!r->over)
                take(r, '\n', SCREEN_CHUNK);
        }
    }
    if (!r->over)
        read_fields(r, head, r->at + SCREEN_TRAILERS);
}

static void read_request(struct reading *r)
{
    struct head head = {0};
    for (int lines = 0; !r->over && r->at < r->bytes && r->data[r->at] == '\r'; lines++) {
        if (lines == SCREEN_EMPTY_LINES) {
            stop(r, SCREEN_MUCH, r->at);
            return;
        }
        r->at++;
        take(r, '\n', SCREEN_BYTE);
    }
    const size_t from = r->at;
    const size_t length = r->over ? 0 : text(r, SCREEN_BYTE);
    head.newest = length >= 9 && memcmp(r->data + from + length - 9, " HTTP/1.1", 9) == 0;
    if (!r->over)
        read_fields(r, &head, SIZE_MAX);
    if (!r->over && head.codings)
        read_chunks(r, &head);
    else if (!r->over)
        skip(r, head.length);
    r->requests += !r->over;
}

/* ---- Pieces -------------------------------------------------------------------------------------------- */

/* A piece, in a block of exactly its length; how much of it was fine. */
static size_t feed(struct screen *screen, const uint8_t *data, size_t bytes)
{
    uint8_t *const piece = copy(data, bytes, false);
    const size_t fine = screen_feed(screen, piece, bytes);
    free(piece);
    require(fine == bytes || (fine < bytes && screen->fault), "stopped without a fault");
    return fine;
}

/* Pieces of at most so many bytes, of lengths that a seed chooses; 0: of one each. */
static void require_same(const struct reading *r, size_t max, uint32_t seed)
{
    struct screen screen = {0};
    size_t at = 0, fine = 0;
    while (at < r->bytes && !screen.fault) {
        seed = seed * 1664525 + 1013904223;
        const size_t drawn = 1 + (max ? (seed >> 8) % max : 0), left = r->bytes - at;
        const size_t bytes = drawn < left ? drawn : left;
        fine += feed(&screen, r->data + at, bytes);
        at += bytes;
    }
    require(screen.fault == r->fault, "another fault");
    require(fine == r->at, "another place");
    require(screen.requests == r->requests, "another request");
    if (screen.fault)
        require(screen_feed(&screen, "GET / HTTP/1.1\r\n\r\n", 18) == 0, "it goes on behind a fault");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct reading r = {.data = data, .bytes = bytes};
    struct screen screen = {0};
    while (!r.over && r.at < bytes)
        read_request(&r);
    feed(&screen, data, bytes);
    require(screen.fault == r.fault && screen.requests == r.requests, "at once, and another fault");
    require_same(&r, 0, 0);
    for (uint32_t seed = 1; seed <= 4; seed++)
        require_same(&r, 4u << (3 * seed), seed);
    if (r.fault) {
        screen = (struct screen){0};
        require(feed(&screen, data, r.at) == r.at && !screen.fault, "what comes before is wrong by itself");
        require(*screen_parameter(r.fault), "no parameter");
        require_sentence(screen_sentence(r.fault), 200);
    }
    return 0;
}
