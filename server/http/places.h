/*
 * Places on the ground: which tile and which four samples a place in metres lies between, and what they say of it. Pure.
 *
 * Between samples everything is bilinear; at a sample's own place it is that sample, to the last bit. The zone is that of
 * the nearest sample.
 */
#ifndef TERRANE_SERVER_PLACES_H
#define TERRANE_SERVER_PLACES_H

#include "request_text.h"

enum {
    PLACES_MAX = 1024,
    PLACES_TILES_MAX = 64,
    PLACES_TILES_CHOSEN = 32, /* where the server chooses the level */
    PLACES_LEVEL_CHOSEN = -1  /* as a level: the server chooses */
};

/* What a tile of size 257 is asked for. */
enum point_layer {
    POINT_HEIGHT,
    POINT_WATER,
    POINT_NORMAL,
    POINT_RIVER /* where there are rivers */,
    POINT_LAYERS
};

struct point {
    double x_m, y_m;
    const char *outside; /* "x" or "y": there are no tiles there; NULL: there are, and what follows counts */
    int64_t tile_x, tile_y;
    int column, row;                     /* of the sample to the north-west: 0 .. 255 */
    double east, south;                  /* from there, in samples: 0 .. 1 */
    double height_m, water_m, normal[3]; /* normal: east, south, up; a unit */
    double discharge_m3s;                /* of the nearest sample */
    int zone;
};

/* Points and the tiles they lie in: tile t has those numbered order[first[t]] .. order[first[t + 1] - 1]. */
struct places {
    int level;
    size_t count, tiles;
    size_t first[PLACES_TILES_MAX + 1];
    uint16_t order[PLACES_MAX];
    struct point point[];
};

/* {"places": [[x, y], ...]}. Returns owned (free), nothing located; or NULL: the complaint says why. */
struct places *places_read(const char *text, size_t bytes, struct body_complaint *complaint);

/* One. Returns owned (free), or NULL: memory is short. */
struct places *places_one(double x_m, double y_m);

/*
 * Locates all of them at a level, or at the finest one where they lie in PLACES_TILES_CHOSEN tiles. false: they lie in too
 * many, and the complaint says at which level they would not. Cost: a sort for each level tried, up to 25.
 */
bool places_locate(struct places *places, const struct terrane_world *world, int level,
                   struct body_complaint *complaint);

/* Puts in what a layer of tile t < tiles says: samples of the f32 of size 257, of POINT_NORMAL three a sample. */
void places_fill(struct places *places, size_t t, enum point_layer layer, const unsigned char *f32);

/* Finds the zones of the points in tile t. scratch: as terrane_zones wants it. Cost: one sample each. */
void places_zones(struct places *places, size_t t, const struct terrane_world *world,
                  const struct terrane_memory *memory);

double point_slope_degrees(const struct point *point);

#endif
