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

/* What numbers span: of a layer's samples, for their description. */
struct spread {
    size_t count;   /* of numbers; 0: the others are 0, too */
    float min, max; /* -0 counts as 0 */
    double
        mean; /* of numbers rounded to 2^-16, or 2^-56 of the greatest, summed exactly; never outside min .. max */
};

/* Of values[k * stride], k < count, without those that are none: NAN where all are numbers. */
struct spread spread_of(const float *values, size_t count, size_t stride, float none);

/* What is known of a tile beside its name. */
struct tile_facts {
    struct terrane_window window;
    struct terrane_measure measure;          /* of the ground; of layer surface, of that */
    struct spread spread[TERRANE_ZONES_MAX]; /* of each number of a sample of the layer */
    int spreads;                             /* 0: the layer has no numbers */
    struct terrane_digest samples;           /* of the layer's, where it has some */
    double zone_share[TERRANE_ZONES_MAX];    /* of the samples, by dominant zone */
    double sea_share, lake_share,
        river_share;              /* of the samples: under the sea, under a lake; with a river's discharge */
    bool eroded, carved;          /* the heights that were measured are */
    const struct path_line *line; /* of paths that cross it; borrowed */
    int lines;
    const struct terrane_cave *cave; /* that show in it; borrowed */
    int caves;
    const struct terrane_object *object; /* of layer objects, as the library has them; borrowed */
    size_t objects;
    const char *recipe; /* for links: its name; NULL: the one that needs no naming */
};

/* What is known of a world beside what the library tells. */
struct world_facts {
    const struct recipe *recipe; /* borrowed */
    bool standard;               /* the recipe is the one that links need not name */
    const struct tile_key *key;  /* seed and alias; borrowed */
    const char *prefix;          /* of the links' paths */
    const char *text; /* what the recipe says, for clients to make the world; NULL: that is not told */
    size_t text_bytes;
    double spawn_m[3]; /* where it is worth seeing: to the east, to the south, height */
};

/* 32 hexadecimal digits and a zero, as documents and headers have a digest. */
enum { DESCRIBE_DIGEST_BYTES = 33 };
void describe_digest(const struct terrane_digest *digest, char text[static DESCRIBE_DIGEST_BYTES]);

/* The materials of a recipe's cover: their names and colours. NULL where memory is short. */
json_t *describe_materials(const struct terrane_recipe *recipe);

/* Each returns malloc'ed UTF-8 text without a terminator in *data, *bytes and 0, or -1 when memory is short.
 */
int describe_tile(const struct tile_key *key, const struct terrane_world *world,
                  const struct tile_facts *facts, unsigned char **data, size_t *bytes);
int describe_world(const struct terrane_world *world, const struct world_facts *facts, unsigned char **data,
                   size_t *bytes);

#endif
