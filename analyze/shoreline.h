/*
 * Coasts of the Earth, from GSHHG (Wessel and Smith 1996) as Debian's gmt-gshhg-high and -full install it.
 */
#ifndef TERRANE_ANALYZE_SHORELINE_H
#define TERRANE_ANALYZE_SHORELINE_H

#include <stddef.h>

#define SHORELINE_FILE    "/usr/share/gmt-gshhg/binned_GSHHS_h.nc"
#define SHORELINE_PACKAGE "gmt-gshhg-high"

/* Degrees, north and east. */
struct site {
    double latitude, longitude;
};

struct shoreline {
    size_t points;      /* at least 2 */
    struct site *point; /* owned */
};

/*
 * The coast between two sites: the shore of the sea that comes nearest to the first, from its point nearest
 * to there, the way round that passes near via, to its point nearest to the last. Returns 0, or -1 after a
 * line on standard error.
 */
int shoreline_read(const char *file, struct site from, struct site via, struct site to,
                   struct shoreline *out);

void shoreline_free(struct shoreline *shoreline);

#endif
