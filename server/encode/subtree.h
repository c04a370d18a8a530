/*
 * Subtrees of 3D Tiles 1.1: which tiles of a quadtree there are, and what box each lies in. Pure functions of their arguments.
 */
#ifndef TERRANE_SERVER_SUBTREE_H
#define TERRANE_SERVER_SUBTREE_H

#include <stdbool.h>
#include <stddef.h>

enum { SUBTREE_BOX_NUMBERS = 12 }; /* the middle, and half of each axis */

/* Tiles of so many levels of a quadtree from one root on. */
static inline int subtree_tiles(int levels)
{
    return ((1 << 2 * levels) - 1) / 3;
}

/*
 * The file of a subtree, which stands for TILESET_SUBTREE_LEVELS levels, of which the first levels are there with all of their
 * tiles and contents; below: and its children's subtrees.
 *
 * box: of each of subtree_tiles(levels), level by level, in Morton order within one, as the tileset's schema names them
 * (documents.c); or NULL: tiles have their shares of the tileset's own.
 *
 * malloc'ed bytes in *data, *bytes and 0; -1 when memory is short.
 */
int encode_subtree(int levels, bool below, const double (*box)[SUBTREE_BOX_NUMBERS], unsigned char **data,
                   size_t *bytes);

/* Whether bytes are of such a file, with boxes or without: false too where memory is short. What the boxes are is not looked at. */
bool subtree_begins(int levels, bool below, const unsigned char *data, size_t bytes);

#endif
