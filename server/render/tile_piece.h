/*
 * A tile under way, which the files that make it share.
 */
#ifndef TERRANE_SERVER_TILE_PIECE_H
#define TERRANE_SERVER_TILE_PIECE_H

#include "../encode/geojson.h"
#include "../encode/mvt.h"
#include "product.h"
#include "tile_edits.h"

enum { TILE_LAKES_MAX = 240 /* that have names: numbers of a byte, beside those of other water */ };

/* A lake that has a name; level: of the lattice that it is known from. */
struct tile_lake {
    uint64_t id;
    char name[TERRANE_NAME_BYTES];
    int level, cells;
    bool labelled; /* here, at a place of the tile */
    struct mvt_point at;
};

/* A tile under way. */
struct piece {
    struct producer *producer;
    const struct tile_key *key;
    const struct terrane_world *world;
    const struct tile_plan *plan;
    struct blob *const *inputs;
    struct terrane_ground ground; /* with the layers that key's layer and format need */
    struct tile_edits edits;      /* over it */
    struct terrane_store beside;  /* of regions of ground that these read */
    bool spoiled;                 /* one of them is no longer what its name says */
    uint8_t *index;               /* zones, of json */
    uint8_t *pixels;              /* of pictures that the library makes */
    uint8_t *holes;               /* quads of the mesh that are left out */
    struct path_line *line;       /* that cross the tile, by id */
    int lines;
    struct terrane_river *river; /* likewise; their points are owned */
    int rivers;
    struct terrane_region_view over[TILE_OVER]; /* of the plan's coarser drainage */
    struct tile_lake *lake;                     /* of what has names */
    int lakes;
    uint8_t *lake_of; /* of each sample under water: the number of its lake, from 1 on; 0: it has no name */
    struct terrane_cave *cave; /* of meshes whose top is in the tile, of json that show in it; by cell */
    int caves_count;
    struct blob_info info;
    unsigned char *data;
    size_t bytes;
};

/* Samples of a tile's level from a peak of the base surface to where the tile's own ground shows it, at most. */
enum { PIECE_PEAK_NEAR = 6 };

/* What pixels a PNG has. */
enum picture_pixels { PIXELS_GREY, PIXELS_GREY16, PIXELS_RGB, PIXELS_RGBA, PIXELS_INDEXED };

static inline int picture_channels(enum picture_pixels pixels)
{
    return pixels == PIXELS_RGB ? 3 : pixels == PIXELS_RGBA ? 4 : 1;
}

/* How a picture is made, a row each. */
extern const struct picture_row {
    int (*encode)(struct piece *piece);
    enum terrane_picture made; /* TERRANE_PICTURE_NONE: of the layer's numbers */
    enum picture_pixels pixels;
} picture_row[PICTURES];

/* They fill what the name says, and return 0, or -1 when memory is short. */
int piece_encode(struct piece *piece);                /* data and bytes */
const float *piece_values(const struct piece *piece); /* of its layer; NULL where they are not made */

int piece_make_lines(struct piece *piece);
int piece_make_rivers(struct piece *piece);
int piece_make_zones(struct piece *piece);
int piece_make_lakes(struct piece *piece);     /* lake and lake_of; its water is made */
int piece_make_vectors(struct piece *piece);   /* all that a tile as vectors is made of */
int piece_encode_vectors(struct piece *piece); /* data and bytes */
int piece_make_drawn(struct piece *piece);     /* what the layer's lines or areas are of */
int piece_encode_drawn(struct piece *piece);
void piece_free_rivers(struct piece *piece);
int piece_list_caves(struct piece *piece); /* cave and caves_count */
int piece_make_holes(struct piece *piece); /* of a mesh; around them ground is without paths, as caves' is */
int piece_encode_caves(struct piece *piece);   /* meshes: data and bytes */
int piece_encode_objects(struct piece *piece); /* as records, lines of text or instances: data and bytes */

/* The tile's ground, edges with it, in 2^-4 samples of level 0 from a corner on: under 2^40. */
struct tile_ground {
    int64_t west, north, east, south;
};

/* corner_x and corner_y: of a region, in samples of its level; differences are small, whatever is left out at the top. */
struct tile_ground tile_ground_of(const struct piece *piece, int level, int64_t corner_x, int64_t corner_y);

/* Whether a straight piece touches it. */
bool tile_ground_crosses(const struct tile_ground *ground, int64_t ax, int64_t ay, int64_t bx, int64_t by);

int piece_encode_boxes(struct piece *piece); /* of FORMAT_SUBTREE: data and bytes */

/* How long the skirt of a key's mesh is, in metres, with vertices that far apart. */
double tile_skirt_m(const struct tile_key *key, const struct terrane_world *world, double spacing_m);

/* The numbers of a window of a key's, and where they lie; values are borrowed. */
struct grid tile_grid(const struct tile_key *key, const struct terrane_world *world,
                      const struct terrane_window *window, const float *values);

/* Numbers of a window, the key's tile_window, into its format, a mesh or a grid; where it is shifted, too. holes: see mesh.h; or
 * NULL. 0, or -1 when memory is short. */
int tile_encode_mesh(const struct tile_key *key, const struct terrane_world *world,
                     const struct terrane_window *window, const float *heights, const float *normals,
                     const float *depth, const uint8_t *holes, unsigned char **data, size_t *bytes);
int tile_encode_grid(const struct tile_key *key, const struct terrane_world *world,
                     const struct terrane_window *window, const float *values, unsigned char **data,
                     size_t *bytes);

#endif
