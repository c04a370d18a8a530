/*
 * What a client sends, followed byte by byte before libmicrohttpd sees it: what two parties on the way could read in two ways
 * (RFC 9112) is found where it stands.
 *
 * libmicrohttpd 0.9.75 appends a folded line to the header's name, ends a line at a lone CR or LF, in chunks as well, stops
 * names and values at a zero byte, and takes chunks in HTTP/1.0. A blank behind "chunked" makes it wait for a body without end,
 * so none may stand there, nor behind a length, which it refuses itself. Names and values, which are all it hands on, do not
 * show the rest. What passes here it frames as every other party does.
 *
 * This file and gate.c can go once libmicrohttpd refuses all of that by itself: tests/http/test_framing.py has every case. 1.0 refuses
 * folded lines and lone CRs and LFs if MHD_OPTION_CLIENT_DISCIPLINE_LVL is 1; the other cases have not been tried with it. gate.c
 * says so to those who build with 1.0.
 *
 * A machine over the bytes of one connection, a few dozen bytes itself, that allocates nothing; how the bytes are cut into
 * pieces makes no difference. Requests that follow each other are followed to the last.
 */
#ifndef TERRANE_SERVER_SCREEN_H
#define TERRANE_SERVER_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum screen_fault {
    SCREEN_FINE,
    SCREEN_BYTE,   /* a zero byte, or a CR or LF that ends no line */
    SCREEN_FOLD,   /* a line of headers or trailers that begins with a blank */
    SCREEN_NAME,   /* no name, no colon, or what no name has */
    SCREEN_LENGTH, /* Content-Length: ill-formed, a second one, or beside chunks */
    SCREEN_CODING, /* Transfer-Encoding: not chunked, a second one, or not in HTTP/1.1 */
    SCREEN_HOST,   /* a second one */
    SCREEN_CHUNK,  /* no size, or data that do not end where it says */
    SCREEN_MUCH    /* more trailers, or empty lines before a request, than libmicrohttpd has memory for */
};

enum {
    SCREEN_EMPTY_LINES = 8,
    SCREEN_TRAILERS = 512, /* bytes, counting for each ... */
    SCREEN_TRAILER = 64    /* ... so many more */
};

struct screen {
    uint64_t left; /* bytes of the body, or of the chunk, that are to come, or that trailers may have yet */
    uint64_t requests; /* whole ones before the one that is being read */
    uint8_t state;     /* all zeros: before the first byte */
    uint8_t fault;     /* an enum screen_fault: of request number `requests` */
    uint8_t at;        /* how much of a name, a number or a word has been read */
    uint8_t known;     /* which name */
    uint8_t empty;     /* lines before the request */
    bool newest, trailers, hosts, lengths, codings;
};

/*
 * The next bytes of a connection. Returns how many of them are fine: all of them, or those before the one that set the
 * fault, after which there are none.
 */
size_t screen_feed(struct screen *screen, const void *bytes, size_t count);

/* Whether the last byte was the CR of a last chunk's line "0": libmicrohttpd takes the LF for an empty line of the trailers,
 * and so for their end, where it comes in another piece. */
bool screen_between(const struct screen *screen);

/* What is said of a fault, and of which parameter. */
const char *screen_parameter(enum screen_fault fault);
const char *screen_sentence(enum screen_fault fault);

#endif
