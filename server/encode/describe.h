/*
 * Tiles and worlds as JSON.
 */
#ifndef TERRANE_SERVER_DESCRIBE_H
#define TERRANE_SERVER_DESCRIBE_H

#include <jansson.h>

#include "../../lib/terrane_features.h"
#include "../tile/named_recipe.h"
#include "../tile/tile.h"
#include "geojson.h"
#include "objects.h"

/* Statistics of a layer's samples, for their description. */
struct spread {
    size_t count;   /* of numbers; 0: the others are 0, too */
    float min, max; /* -0 counts as 0 */
    double
        mean; /* of numbers rounded to 2^-16, or 2^-56 of the max, summed exactly; never outside min .. max */
};

/* Statistics of values[k * stride], k < count, except those equal to none; NAN: all are numbers. */
struct spread spread_of(const float *values, size_t count, size_t stride, float none);

/* Facts of a tile besides its name. */
struct tile_facts {
    struct terrane_window window;
    struct terrane_measure measure;          /* of the ground; of layer surface, of that */
    struct spread spread[TERRANE_ZONES_MAX]; /* of each number of a sample of the layer */
    int spreads;                             /* 0: the layer has no numbers */
    struct terrane_digest samples;           /* of the layer's samples, if it has any */
    double zone_share[TERRANE_ZONES_MAX];    /* of the samples, by dominant zone */
    double sea_share, lake_share,
        river_share;     /* shares of samples: under the sea, under a lake; with a river's discharge */
    bool eroded, carved; /* the measured heights are */
    const struct path_line *line; /* of paths that cross it; borrowed */
    int lines;
    const struct terrane_cave *cave; /* that show in it; borrowed */
    int caves;
    const struct terrane_object *object; /* of layer objects, as the library has them; borrowed */
    size_t objects;
    json_t *names;      /* what has one in it: an array, which is taken; NULL: none is told */
    const char *recipe; /* for links: its name; NULL: the default one */
};

/* Facts of a world besides those of the library. */
struct world_facts {
    const struct recipe *recipe; /* borrowed */
    bool standard;               /* the recipe is the default one, which links need not name */
    const struct tile_key *key;  /* seed and alias; borrowed */
    const char *prefix;          /* of the links' paths */
    const char *text;            /* the recipe's text, for clients that make the world; NULL: not revealed */
    size_t text_bytes;
    json_t *edits;     /* what people may do to it; borrowed; NULL: nothing */
    double spawn_m[3]; /* a place worth seeing: metres to the east, to the south, height */
};

/* The materials of a recipe's cover: their names and colours. NULL if memory is short. */
json_t *describe_materials(const struct terrane_recipe *recipe);

/* Each returns malloc'ed UTF-8 text without a terminator in *data, *bytes and 0, or -1 when memory is short.
 */
int describe_tile(const struct tile_key *key, const struct terrane_world *world,
                  const struct tile_facts *facts, unsigned char **data, size_t *bytes);
int describe_world(const struct terrane_world *world, const struct world_facts *facts, unsigned char **data,
                   size_t *bytes);

#endif
