/*
 * What can be looked for in a world: a row each, in finds.inc. How it is looked for stands in server/render/seek_ground.c.
 */
#ifndef TERRANE_SERVER_FIND_H
#define TERRANE_SERVER_FIND_H

#include <stddef.h>

#include "layer.h"

enum find_what {
#define FIND(id, ...) FIND_##id,
#include "finds.inc"
#undef FIND
    FINDS
};

struct find_row {
    uint32_t
        layers; /* bits of enum tile_layer: whose tiles say where it is. A recipe without one of them has none to be found */
    uint32_t optional; /* ... where the recipe has them */
    bool listed;       /* in the GeoJSON of the layer, with its id; else in its samples */
    bool named;        /* of which kind is asked behind a colon: a zone, a material */
    bool area;         /* it has one */
    bool placed;       /* how high its ground is, is looked up once it is found */
};

extern const struct find_row find_row[FINDS];

enum {
    FIND_WHAT_BYTES = 32, /* "cover:" and a material's name, with a zero behind */
    FIND_LEVEL_USUAL = 9, /* the finest that is looked at, unless another one is asked for */
    FIND_LEVEL_MAX = 15,
    FIND_LIMIT_USUAL = 1,
    FIND_LIMIT_MAX = 10
};

/* As it is asked: in words (what=), and how many at most. */
struct find_question {
    enum find_what what;
    int which; /* zone or material; else 0 */
    int limit;
};

/* Reads what=, such as "lake" or "zone:meadow". Returns 0; or a status, 400 where it is no kind and 404 where the recipe has none of it,
 * and why. */
enum { FIND_WHY_BYTES = 160 };
unsigned find_read(const char *text, const struct terrane_recipe *recipe, struct find_question *question,
                   char why[FIND_WHY_BYTES]);

/* As it is asked for, into what[FIND_WHAT_BYTES], which it returns. */
const char *find_write(const struct find_question *question, const struct terrane_recipe *recipe,
                       char what[FIND_WHAT_BYTES]);

#endif
