/*
 * Document 000 (Thorimbert and Chopard 2018), measured again: its figures 1, 6, 14 and 15 from libterrane,
 * the coasts of Richardson that it compares with, and one raster of real ground.
 */
#ifndef TERRANE_ANALYZE_PAPER_H
#define TERRANE_ANALYZE_PAPER_H

#include <jansson.h>
#include <stdbool.h>

#include "source.h"

struct paper {
    const struct source *source;
    const char *directory;
    bool quick; /* fewer seeds: for a look, not for numbers */
};

/*
 * Each part prints its table, writes its pictures and gives its numbers: owned, or NULL after a line on
 * standard error. Coasts and ground are json_null() where their data are not installed.
 */
json_t *paper_octaves(const struct paper *paper);     /* figure 1 */
json_t *paper_frequencies(const struct paper *paper); /* figure 6 */
json_t *paper_dimensions(const struct paper *paper);  /* figures 14 and 15 */
json_t *paper_coasts(const struct paper *paper);      /* Richardson's South Africa and Britain, from GSHHG */
json_t *paper_ground(const struct paper *paper);      /* the Jacksboro fault, from SRTM */

/* All of them; writes DIR/paper.json. Returns the exit status. */
int paper_run(const struct paper *paper);

#endif
