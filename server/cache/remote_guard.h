/*
 * The guard in front of the parser of replies: bytes of a store go past it, and it says where a reply ends, or that
 * it is none that is wanted. Knows no socket, and keeps no bytes.
 *
 * hiredis allocates what a reply announces, and scans a line from its beginning each time that some of it comes.
 * Behind this guard it gets whole replies of bounded size alone: lines of at most GUARD_LINE_BYTES, at most
 * GUARD_ELEMENTS announced in arrays, all together, GUARD_DEPTH arrays in each other, and as many bytes as the caller
 * allows. RESP version 2; of version 3 nothing comes where nobody says HELLO.
 */
#ifndef TERRANE_SERVER_REMOTE_GUARD_H
#define TERRANE_SERVER_REMOTE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GUARD_LINE_BYTES = 4096, GUARD_ELEMENTS = 65536, GUARD_DEPTH = 7, GUARD_NUMBER_BYTES = 20 };

struct guard {
    size_t limit_bytes;
    size_t bytes;   /* of this reply, so far */
    size_t payload; /* bytes of a bulk string that are still to come, its line's end included; 0: in a line */
    size_t line;    /* bytes of this line, so far */
    size_t announced;                /* elements in all arrays of this reply */
    unsigned depth;                  /* arrays that are open */
    uint32_t left[GUARD_DEPTH];      /* elements that an open array has still to get */
    bool ending;                     /* the line's CR was there */
    char type;                       /* first byte of the line */
    char number[GUARD_NUMBER_BYTES]; /* the beginning of what follows it */
};

enum guard_answer {
    GUARD_MORE,  /* all bytes were taken, the reply goes on */
    GUARD_WHOLE, /* the reply ends */
    GUARD_STRING, /* the reply is one string, of which payload bytes follow: whoever takes them looks at its end himself */
    GUARD_NONSENSE, /* no reply */
    GUARD_TOO_LONG  /* a reply larger than any that is wanted */
};

/* Begins a reply of at most so many bytes. */
void guard_begin(struct guard *guard, size_t limit_bytes);

/* Looks at the next bytes; *taken of them belong to the reply. After another answer than GUARD_MORE: guard_begin. */
enum guard_answer guard_look(struct guard *guard, const char *bytes, size_t count, size_t *taken);

#endif
