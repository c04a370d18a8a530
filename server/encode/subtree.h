/*
 * Subtrees of 3D Tiles 1.1: the existing tiles of a quadtree, and their boxes. Pure functions of their arguments.
 */
#ifndef TERRANE_SERVER_SUBTREE_H
#define TERRANE_SERVER_SUBTREE_H

#include <stdbool.h>
#include <stddef.h>

enum { SUBTREE_BOX_NUMBERS = 12 }; /* the middle, and half of each axis */

/* Number of tiles in so many levels of a quadtree below one root. */
static inline int subtree_tiles(int levels)
{
    return ((1 << 2 * levels) - 1) / 3;
}

/*
 * The file of a subtree of TILESET_SUBTREE_LEVELS levels; the first `levels` exist with all of their tiles and contents.
 * below: so do its children's subtrees.
 *
 * box: one for each of subtree_tiles(levels), level by level, in Morton order within one, as the tileset's schema names
 * them (documents.c); or NULL: tiles have implicit shares of the tileset's box.
 *
 * malloc'ed bytes in *data, *bytes and 0; -1 when memory is short.
 */
int encode_subtree(int levels, bool below, const double (*box)[SUBTREE_BOX_NUMBERS], unsigned char **data,
                   size_t *bytes);

/* True if bytes are such a file, with boxes or without; false also if memory is short. The boxes' values are not checked. */
bool subtree_begins(int levels, bool below, const unsigned char *data, size_t bytes);

#endif
