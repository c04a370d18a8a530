/*
 * Progress. The rate is that of the run's first ten seconds, then an average that forgets in about as long:
 * tiles of different levels take different times.
 */
#include "seed_progress.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#define SECOND_NS UINT64_C(1000000000)

enum { BAR_CELLS = 24, MEMORY_S = 10 };

static int64_t done_of(const struct seed_progress *progress)
{
    return progress->made + progress->found;
}

/* Seconds left; below 0: unknown. */
static double left_s(const struct seed_progress *progress)
{
    const int64_t left = progress->total - done_of(progress);
    return left == 0 ? 0 : progress->rate > 0 ? (double)left / progress->rate : -1;
}

static void measure(struct seed_progress *progress, uint64_t now)
{
    const double all_s = (double)(now - progress->start_ns) / 1e9;
    const double here_s = (double)(now - progress->told_ns) / 1e9;
    if (all_s < MEMORY_S || progress->told_ns == progress->start_ns) {
        progress->rate = all_s > 0 ? (double)progress->made / all_s : 0;
    } else {
        const double share = 1 - exp(-here_s / MEMORY_S);
        progress->rate += share * ((double)(progress->made - progress->told_made) / here_s - progress->rate);
    }
    progress->told_ns = now;
    progress->told_made = progress->made;
}

int seed_progress_flush(const char *command)
{
    const bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !failed)
        return 0;
    fprintf(stderr, "terrane %s: standard output: %s\n", command,
            errno ? strerror(errno) : "cannot be written");
    return -1;
}

/* Tiles are what was asked for: where nobody can be told of them, they are made none the less. */
static void tell_json(struct seed_progress *progress, const char *result)
{
    if (progress->unheard)
        return;
    char eta[32] = "null";
    const double left = left_s(progress);
    if (left >= 0)
        snprintf(eta, sizeof eta, "%.0f", ceil(left));
    printf("{\"done\":%" PRId64 ",\"total\":%" PRId64 ",\"made\":%" PRId64 ",\"found\":%" PRId64
           ",\"bytes\":%" PRIu64 ",\"rate\":%.2f,\"eta_s\":%s",
           done_of(progress), progress->total, progress->made, progress->found, progress->bytes,
           progress->rate, eta);
    if (progress->waits && !result)
        printf(",\"waits\":\"%s\"", progress->waits);
    if (result)
        printf(",\"result\":\"%s\"", result);
    printf("}\n");
    progress->unheard = seed_progress_flush(progress->command) != 0;
}

static void tell_bar(const struct seed_progress *progress, bool last)
{
    char bar[BAR_CELLS + 1], left[48] = "";
    const double share = progress->total > 0 ? (double)done_of(progress) / (double)progress->total : 1;
    const double seconds = left_s(progress);
    for (int i = 0; i < BAR_CELLS; i++)
        bar[i] = (i + 0.5) / BAR_CELLS < share ? '#' : '.';
    bar[BAR_CELLS] = 0;
    if (last)
        snprintf(left, sizeof left, " ");
    else if (seconds >= 5940)
        snprintf(left, sizeof left, ", %.0f h left", ceil(seconds / 3600));
    else if (seconds >= 100)
        snprintf(left, sizeof left, ", %.0f min left", ceil(seconds / 60));
    else if (seconds >= 0)
        snprintf(left, sizeof left, ", %.0f s left", ceil(seconds));
    fprintf(stderr, "\r[%s] %3d %% %" PRId64 " of %" PRId64 " tiles, %.1f MB, %.1f/s%s%s%s\033[K%s", bar,
            (int)(100 * share), done_of(progress), progress->total, (double)progress->bytes / 1e6,
            progress->rate, left, progress->waits && !last ? "; " : "",
            progress->waits && !last ? progress->waits : "", last ? "\n" : "");
    fflush(stderr);
}

void seed_progress_tell(struct seed_progress *progress)
{
    const uint64_t now = uv_hrtime();
    if (progress->start_ns == 0)
        progress->start_ns = progress->told_ns = now;
    if (progress->quiet || now - progress->told_ns < (progress->terminal ? SECOND_NS / 5 : SECOND_NS))
        return;
    measure(progress, now);
    if (progress->terminal)
        tell_bar(progress, false);
    else
        tell_json(progress, NULL);
}

void seed_progress_end(struct seed_progress *progress, const char *result)
{
    if (progress->quiet)
        return;
    measure(progress, uv_hrtime());
    const double all_s = (double)(progress->told_ns - progress->start_ns) / 1e9;
    progress->rate = all_s > 0 ? (double)progress->made / all_s : 0; /* of the whole run */
    if (progress->terminal)
        tell_bar(progress, true);
    else
        tell_json(progress, result);
}
