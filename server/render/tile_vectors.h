/*
 * A tile as vectors, which some files make.
 */
#ifndef TERRANE_SERVER_TILE_VECTORS_H
#define TERRANE_SERVER_TILE_VECTORS_H

#include "../encode/mvt.h"
#include "tile_piece.h"

/* Metres between contours, as metres / by. */
struct contour_interval {
    int metres, by;
};

/* Of a tile whose samples are so far apart: of 1, 2 and 5 by a power of ten, from 0.1 to 1,000, the greatest that is not over two samples; beyond 64 m,
 * where slopes are gentler than ground's, not over what grows as their square root. */
struct contour_interval contour_interval(double spacing_m);

/*
 * Layers river and path; layer label; and into the layer that is under way: landmarks of kinds (1 << enum terrane_landmark_kind), of
 * a piece with heights where peaks are among them; lakes, of one with water. 0; -1: memory is short.
 */
int tile_add_ways(const struct piece *piece, struct mvt *mvt);
int tile_add_labels(const struct piece *piece, struct mvt *mvt);
int tile_add_landmarks(const struct piece *piece, unsigned kinds, struct mvt *mvt);
int tile_add_lakes(const struct piece *piece, struct mvt *mvt);

/* A place in 2^-4 samples of level 0 as a tile has it; false: it is a neighbour's, as what lies on the east or south edge is. */
bool tile_point(const struct piece *piece, int64_t x, int64_t y, struct mvt_point *point);

/* A point of layer label, to which members and its geometry may be added. */
void tile_begin_label(struct mvt *mvt, uint64_t id, const char *name, const char *kind, int rank);

/* What has a name in the tile, for its JSON: an array. NULL: memory is short. */
json_t *tile_names(const struct piece *piece);

/* To hundredths. */
double tile_rounded(double value);

#endif
