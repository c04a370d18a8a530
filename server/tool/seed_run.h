/*
 * Seeding itself: a plan's tiles, made by many threads, into a sink.
 */
#ifndef TERRANE_SERVER_SEED_RUN_H
#define TERRANE_SERVER_SEED_RUN_H

#include "seed_plan.h"
#include "seed_progress.h"
#include "seed_sink.h"

struct seed_run {
    const struct seed_plan *plan;
    const struct terrane_world *world;
    unsigned threads; /* that make: 1 and more */
    double rate;      /* at most so many tiles a second; 0: as fast as it goes */
    double load; /* nothing is begun while the load average of the last minute is above; 0: whatever it is */
    uint64_t memory_bytes; /* for what several tiles are made from */
    /* of an estimate alone: what is made of each place besides the plan's tile; NULL, 0: nothing */
    const struct tile_key *also;
    int alsos;
};

enum seed_result { SEED_DONE, SEED_FAILED, SEED_STOPPED };
extern const char *const seed_result_name[];

/*
 * Makes what the sink has not got yet, and finishes the sink. Returns how it ended; with SEED_FAILED one line
 * is in error. progress is told of it, to the end.
 */
enum seed_result seed_run(const struct seed_run *run, struct seed_sink *sink, struct seed_progress *progress,
                          char error[SEED_SINK_ERROR_BYTES]);

/* Whether a signal has stopped it. */
bool seed_run_is_stopped(void);

/* SIGINT and SIGTERM stop seed_run from now on; the second of them ends the process at once, with status 3. */
void seed_run_catch_signals(void);

/* ---- Beforehand ---------------------------------------------------------------------------------------- */

struct seed_estimate {
    int64_t tiles, found;  /* of the plan, and those that there are already */
    bool found_about;      /* not all were looked for */
    double bytes, seconds; /* of the rest */
    double work_s;         /* CPU time of it, by all threads together */
    double load;           /* the load average of the last minute */
    int samples;           /* tiles that were made for it */
    bool copies;           /* the archive is written from its tiles at the end */
};

/*
 * How much a run would make, and how long, by a few tiles that are made by as many threads and forgotten. sink: what
 * there is already, or NULL. 0; 1: sink has failed and says why; -1: memory is short.
 */
int seed_estimate(const struct seed_run *run, struct seed_sink *sink, bool copies,
                  struct seed_estimate *estimate);

#endif
