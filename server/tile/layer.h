/*
 * What a layer is: a row each, in layers.inc. How one is made and encoded stands where that is done (server/render).
 */
#ifndef TERRANE_SERVER_LAYER_H
#define TERRANE_SERVER_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "../../lib/terrane_make.h"

enum tile_layer {
#define LAYER(id, ...) LAYER_##id,
#include "layers.inc"
#undef LAYER
    LAYERS
};

/* What it tells of: so its tiles have variants, and some recipes none of it. */
enum layer_of {
    OF_GROUND,  /* in whichever variant is asked for */
    OF_ZONES,   /* which erosion and paths leave alone */
    OF_EROSION, /* eroded; there always was such a layer, and of other recipes it is empty */
    OF_PATHS,   /* of the recipe's own variant, as caves are */
    OF_CAVES,
    OF_RIVERS, /* eroded */
    OF_CLIMATE,
    OF_OBJECTS, /* of the recipe's own variant: places, no samples */
};

/* What its PNG shows: rows of picture_row (server/render/tile_picture.c). */
enum layer_picture {
    PICTURE_HEIGHTS, /* numbers in one of its encodings */
    PICTURE_UNITS,   /* RGB: components of a unit vector */
    PICTURE_DEGREES, /* grey: 255 is full */
    PICTURE_DEPTH,   /* grey of 16 bits */
    PICTURE_FLOW,    /* grey: a logarithm */
    PICTURE_GREY,    /* pixels, no numbers */
    PICTURE_COLOURS, /* RGB pixels */
    PICTURE_ZONES,   /* indices of a palette, as the two below */
    PICTURE_CLASSES, /* of paths */
    PICTURE_CAVES,
    PICTURE_WEIGHTS, /* RGBA: four of them */
    PICTURE_CLIMATE, /* RGB pixels */
    PICTURE_OBJECTS, /* indices of a palette: classes */
    PICTURES
};

enum { VALUES_OF_ZONES = -1, VALUES_OF_MATERIALS = -2 };

struct layer_row {
    enum terrane_layer samples; /* the library's name for it */
    int values; /* numbers a sample; 0: it is a picture alone; below: as many as the world has zones, or materials */
    struct layer_value {
        const char *name, *unit;
    } value[3]; /* in their order; zones and materials have names of their own */
    float none; /* a value that stands for nothing there; 0: all are values */
    enum layer_of of;
    bool heights; /* of something that a mesh, 16 bits, and pixels' centres can be of */
    bool drawn;   /* as lines or areas in GeoJSON: those of a vector tile */
    bool dense;   /* its floats do not compress (encode/coding.c) */
    uint8_t encs; /* bits of enum tile_enc: those that its PNG has to choose from */
    uint16_t
        revised; /* bits of enum tile_format: of which what is sent has changed since ENCODE_VERSION last rose */
    enum layer_picture picture;
    float full; /* of PICTURE_DEGREES: what 255 stands for */
};

extern const struct layer_row layer_row[LAYERS];
extern const char *const tile_layer_name[LAYERS]; /* as in URLs and on the command line */

#endif
