/*
 * What a format is: a row each, in formats.inc. What writes one stands where that is done (server/encode, server/render).
 */
#ifndef TERRANE_SERVER_FORMAT_H
#define TERRANE_SERVER_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum tile_format {
#define FORMAT(id, ...) FORMAT_##id,
#include "formats.inc"
#undef FORMAT
    FORMATS
};

/* Which layers have it. */
enum format_needs {
    NEEDS_NOTHING, /* everything is described and has an image */
    NEEDS_NUMBERS, /* hillshade and relief are pictures and have none */
    NEEDS_NUMBER,  /* one a sample */
    NEEDS_HEIGHTS,
    NEEDS_SHAPE,   /* heights, caves or objects */
    NEEDS_LINES,   /* paths, rivers or objects, or what is drawn */
    NEEDS_PLACES,  /* objects */
    NEEDS_WEIGHTS, /* of materials */
};

enum format_carries {
    CARRIES_GRID,  /* samples, or pixels between them */
    CARRIES_MESH,  /* triangles between 2^k + 1 samples a side */
    CARRIES_BOXES, /* around meshes: of their sizes, too */
    CARRIES_WORDS, /* about the whole tile, which then lies where its coordinates say */
};

/* Whether a content coding is worthwhile: as the layer's numbers are, or whatever they are. */
enum format_coded { CODED_AS_LAYER, CODED_ALWAYS, CODED_NEVER };

struct format_row {
    const char *type;  /* media type */
    const char *range; /* what Accept has to say for it; NULL: it cannot be asked for so */
    unsigned number;   /* what stands for it in digests */
    enum format_needs needs;
    enum format_carries carries;
    int size;        /* where none is asked for */
    int value_bytes; /* of a number, at most, or of a pixel; 0: it holds none as they are */
    bool pixels;     /* it holds the layer's picture, not its numbers */
    bool odd;        /* of sizes 2^k + 1 alone, with the far edge */
    bool digest;     /* its numbers are the samples, to the bit: a reply's headers tell their digest */
    bool raw;        /* numbers without a word about what they are: a reply's headers say it */
    bool window;     /* a window of samples, which may begin within a tile, has it */
    enum tile_format
        samples; /* of the tiles that it can be put together from; of those that carry words or boxes none */
    enum format_coded coded;
    unsigned revision; /* how often what is sent has changed since ENCODE_VERSION last rose */
};

extern const struct format_row format_row[FORMATS];
extern const char *const tile_format_name[FORMATS];
extern const char *const tile_ending_name[FORMATS]; /* the same, of paths; NULL: it is of paths of its own */

#endif
