/*
 * The files of heights that a recipe names, each read once.
 */
#ifndef TERRANE_SERVER_RASTER_SET_H
#define TERRANE_SERVER_RASTER_SET_H

#include "../../lib/terrane.h"
#include "../base/refcount.h"
#include "raster_read.h"

enum { RASTER_NAME_BYTES = 65 };

/* Whoever holds a reference may borrow its rasters. */
struct raster_set {
    struct refcount references;
    int count;
    struct raster_file {
        char name[RASTER_NAME_BYTES];
        struct terrane_raster raster;
        float *sample; /* owned: the raster's */
        char *path;    /* owned */
        struct raster_stamp stamp;
    } file[TERRANE_RASTERS_MAX];
};

/* An empty one, with one reference; NULL: memory is short. */
struct raster_set *raster_set_create(void);

/* The raster of a file in a folder, read where it has not been, borrowed; NULL, with one line in why. */
const struct terrane_raster *raster_set_get(struct raster_set *set, const char *folder, const char *name,
                                            char *why, size_t why_bytes);

#endif
