/*
 * What descriptions of tiles and of worlds share.
 */
#ifndef TERRANE_SERVER_DESCRIBE_PARTS_H
#define TERRANE_SERVER_DESCRIBE_PARTS_H

#include "describe.h"

/* The text of a value, which is taken. Returns 0, or -1 when memory is short. */
int describe_finish(json_t *value, unsigned char **data, size_t *bytes);

json_t *describe_name(const struct tile_key *key); /* of a world */
json_t *describe_zones(const struct terrane_world *world,
                       const double *share);                   /* share: NULL: none is told */
json_t *describe_classes(const struct terrane_recipe *recipe); /* of objects */

double describe_error_m(const struct terrane_recipe *recipe, int level, enum tile_variant variant);

#endif
