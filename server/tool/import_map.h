/*
 * What all imports share. Functions that refuse write a line on standard error, and return the program's status.
 */
#ifndef TERRANE_SERVER_IMPORT_MAP_H
#define TERRANE_SERVER_IMPORT_MAP_H

#include <stdbool.h>

#include "../raster/raster_read.h"
#include "import_files.h"
#include "import_recipe.h"

/* What the command line says; NULL: nothing. */
struct import_options {
    const char *word[2], *across, *heights, *sea, *name, *output;
    bool smooth;
};

/* Says of an option or its value what is allowed. */
int import_refuse(const char *what, const char *text, const char *allowed);
/* --heights and --sea: from the file's numbers to metres over the sea. */
int import_heights(const struct import_options *options, const struct raster_samples *samples,
                   struct import_map *map);
/* --across, in metres. */
int import_across(const struct import_options *options, double *across_m);
/* From sample to sample of a raster that wide. */
int import_spacing(const struct import_options *options, int width, struct import_map *map);
/*
 * Writes the recipe and what goes with it: files, the raster's first, the recipe's last, which is made here. It is read as the server will, so that
 * what is wrong is said now.
 */
int import_write(const struct import_options *options, struct import_map *map, struct import_file *files,
                 size_t count);
/* Where the world is now, and how to see it. */
void import_tell(const struct import_options *options, const struct import_map *map, int width, int height);

#endif
