/*
 * A tile under way, which the files that make it share.
 */
#ifndef TERRANE_SERVER_TILE_PIECE_H
#define TERRANE_SERVER_TILE_PIECE_H

#include "../encode/geojson.h"
#include "tile_grid.h"
#include "tile_make.h"

/* What a tile is made of, by its key and recipe alone. */
struct tile_plan {
    struct terrane_window window;
    bool eroded; /* its level and variant are: region erosion */
    bool carved; /* ... are, by paths */
    bool holed;  /* its mesh leaves out where caves open */
    struct region erosion;
    struct tile_grid lakes, paths, caves; /* those that it shows, and reads */
    struct terrane_window seen;           /* of the caves' level, all of the tile with its far edges */
};

/* Samples belong to it; those that its layer and format do not need are NULL. */
struct piece {
    struct producer *producer;
    const struct tile_key *key;
    const struct terrane_world *world;
    struct tile_plan plan;
    struct region_view erosion; /* they are where the plan has them */
    struct region_view lakes[TILE_GRID_MAX], paths[TILE_GRID_MAX], caves[TILE_GRID_MAX];
    size_t count;                                /* samples */
    float *around;                               /* every sample of the ground, and one more on each side */
    float *heights, *normals, *weights, *values; /* values: of layers that are none of the others */
    float *surface, *depth;                      /* of water */
    uint8_t *index;                              /* zones, classes of paths, or what a sample is of a cave */
    uint8_t *pixels;                             /* grey or RGB */
    uint8_t *holes;                              /* quads of the mesh that are left out */
    struct path_line *line;                      /* that cross the tile, by id */
    int lines;
    struct terrane_cave *cave; /* of meshes whose top is in the tile, of json that show in it; by cell */
    int caves_count;
    struct blob_info info;
    unsigned char *data;
    size_t bytes;
};

/* They fill what the name says, and return 0, or -1 when memory is short. */
int piece_make_around(struct piece *piece);
int piece_make_heights(struct piece *piece);
int piece_make_normals(struct piece *piece);
int piece_make_values(struct piece *piece); /* of LAYER_DELTA and LAYER_FLOW */
int piece_make_water(struct piece *piece);  /* of heights, which are there */
int piece_encode(struct piece *piece);      /* data and bytes */

const float *piece_values(
    const struct piece *piece); /* of its layer; NULL where it has none, or they are not made */

/* Paths over a window of the tile's level; heights, kind and distance_m may be NULL. */
int piece_apply_paths(struct piece *piece, const struct terrane_window *window, float *heights, uint8_t *kind,
                      float *distance_m);
int piece_make_paths(struct piece *piece); /* of LAYER_PATH: values, or index for png */
int piece_make_lines(struct piece *piece);
int piece_paint_paths(struct piece *piece); /* over pixels of relief, with normals */

int piece_make_caves(struct piece *piece); /* of LAYER_CAVE: values, or index for png */
int piece_list_caves(struct piece *piece); /* cave and caves_count */
int piece_make_holes(struct piece *piece); /* of a mesh; around them ground is without paths, as caves' is */
int piece_encode_caves(struct piece *piece); /* meshes: data and bytes */

int piece_encode_boxes(struct piece *piece); /* of FORMAT_SUBTREE: data and bytes */

/* How long the skirt of a key's mesh is, in metres, with vertices that far apart. */
double tile_skirt_m(const struct tile_key *key, const struct terrane_world *world, double spacing_m);

/* Numbers that lie as the key's tile does, into its format, a mesh or a grid; where it is shifted, too. holes: see mesh.h; or
 * NULL. 0, or -1 when memory is short. */
int tile_encode_mesh(const struct tile_key *key, const struct terrane_world *world, const float *heights,
                     const float *normals, const float *depth, const uint8_t *holes, unsigned char **data,
                     size_t *bytes);
int tile_encode_grid(const struct tile_key *key, const struct terrane_world *world, const float *values,
                     unsigned char **data, size_t *bytes);

#endif
