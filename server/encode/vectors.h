/*
 * The layers of a vector tile, one row each: names, and properties of their features. For TileJSON and archives.
 */
#ifndef TERRANE_SERVER_VECTORS_H
#define TERRANE_SERVER_VECTORS_H

#include <jansson.h>

enum vector_layer {
    VECTOR_ZONE,
    VECTOR_WATER,
    VECTOR_CONTOUR,
    VECTOR_RIVER,
    VECTOR_PATH,
    VECTOR_LABEL,
    VECTORS
};

enum { VECTOR_FIELDS = 7 };

struct vector_row {
    const char *name, *description;
    struct {
        const char *name, *type; /* as TileJSON has it: Number, String; NULL: there are no more */
    } field[VECTOR_FIELDS];
};

extern const struct vector_row vector_row[VECTORS];

/* The vector_layers of TileJSON. NULL: memory is short. */
json_t *vector_layers(void);

#endif
