/*
 * How far seeding, or exporting, has come: a bar on a terminal's standard error, else a line of JSON a second on standard output.
 */
#ifndef TERRANE_SERVER_SEED_PROGRESS_H
#define TERRANE_SERVER_SEED_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* All zero but for the first four. */
struct seed_progress {
    const char *command; /* whose it is, for messages */
    int64_t total;       /* tiles */
    bool quiet;          /* tell nothing */
    bool terminal;       /* a bar */
    int64_t made;        /* and stored, by this run */
    int64_t found;       /* there before */
    uint64_t bytes;      /* of those made */
    const char *waits;   /* why nothing is made at the moment, or NULL */
    /* the progress's own */
    uint64_t start_ns, told_ns;
    int64_t told_made;
    double rate;  /* tiles a second */
    bool unheard; /* standard output takes no more lines, which was said */
};

/* Tells, where a second has passed since it last did (a bar: a fifth). */
void seed_progress_tell(struct seed_progress *progress);

/* The last words: result is "done", "stopped" or "failed". */
void seed_progress_end(struct seed_progress *progress, const char *result);

/* Writes out what standard output was given. 0; or -1, where it could not take all of that, with a line on standard
 * error. */
int seed_progress_flush(const char *command);

#endif
