/*
 * A tile under way, which the files that make it share.
 */
#ifndef TERRANE_SERVER_TILE_PIECE_H
#define TERRANE_SERVER_TILE_PIECE_H

#include "tile_make.h"

/* What a tile is made of, by its key and recipe alone. */
struct tile_plan {
    struct terrane_window window;
    bool eroded;  /* its level and variant are: region erosion */
    bool watered; /* it shows lakes: columns x rows regions from lakes on, to the east and south */
    struct region erosion, lakes;
    int columns, rows;
};

/* Samples belong to it; those that its layer and format do not need are NULL. */
struct piece {
    struct producer *producer;
    const struct tile_key *key;
    const struct terrane_world *world;
    struct tile_plan plan;
    struct region_view erosion, lakes[TILE_REGIONS_MAX - 1]; /* where the plan has them */
    size_t count;                                            /* samples */
    float *around; /* every sample of the ground, and one more on each side */
    float *heights, *normals, *weights, *slopes, *values; /* values: delta or flow */
    float *surface, *depth;                               /* of water */
    uint8_t *index;                                       /* zones */
    uint8_t *pixels;                                      /* grey or RGB */
    struct blob_info info;
    unsigned char *data;
    size_t bytes;
};

/* They fill what the name says, and return 0, or -1 when memory is short. */
int piece_make_heights(struct piece *piece);
int piece_make_normals(struct piece *piece);
int piece_make_values(struct piece *piece); /* of LAYER_DELTA and LAYER_FLOW */
int piece_make_water(struct piece *piece);  /* of heights, which are there */
int piece_encode(struct piece *piece);      /* data and bytes */

/* Numbers that lie as the key's tile does, into its format; where it is shifted, too. 0, or -1 when memory is short. */
int tile_encode_mesh(const struct tile_key *key, const struct terrane_world *world, const float *heights,
                     const float *normals, const float *depth, unsigned char **data, size_t *bytes);
int tile_encode_tif(const struct tile_key *key, const struct terrane_world *world, const float *values,
                    int channels, unsigned char **data, size_t *bytes);

#endif
