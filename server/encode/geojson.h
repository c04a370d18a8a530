/*
 * Lines of paths and rivers as GeoJSON (RFC 7946), in metres of the world's plane.
 */
#ifndef TERRANE_SERVER_GEOJSON_H
#define TERRANE_SERVER_GEOJSON_H

#include <jansson.h>
#include <stdint.h>

#include "../../lib/terrane_features.h"

/* An edge of a network that has a line; borrows it. */
struct path_line {
    const struct terrane_path_node *from, *to;
    const struct terrane_path_edge *edge;
    const struct terrane_path_point *point; /* edge->points of them, two at least */
};

/* The properties of a line: from and to (cells), length_m, rise_m (from its first point to its last), max_slope, width_m
 * and state; in recipes with towns rank, from_place and to_place. NULL when memory is short. */
json_t *path_line_facts(const struct terrane_world *world, const struct path_line *line);

/* A line's id as text: 16 hexadecimal digits. */
enum { GEOJSON_ID_BYTES = 17 };
void path_line_id(const struct path_line *line, char text[GEOJSON_ID_BYTES]);

/* A place's. It depends only on its cell. */
uint64_t path_place_id(const struct terrane_path_node *node);

#define GEOJSON_AXES "east,south,up metres" /* of a collection's positions, as its "axes" say */

#define GEOJSON_STEP 0x1p-4 /* of a point's x and y: samples of level 0 */

/* The number of steps that one modulo 2^64 is, of a place less than 2^63 of them from a sample of a level. */
double geojson_whole(int64_t number, int64_t sample, int level);

/*
 * A FeatureCollection of lines, in their order, each before its fords and bridges: a LineString each, [metres east, metres SOUTH,
 * height]; in recipes with towns also a Point for each place at the end of a line. malloc'ed bytes in *data, *bytes and 0; -1
 * when memory is short.
 */
int encode_geojson(const struct terrane_world *world, const struct path_line *line, int lines,
                   unsigned char **data, size_t *bytes);

/* Likewise for rivers of a tile's window, with to, order, discharge_m3s, width_m, length_m and fall_m. */
int encode_geojson_rivers(const struct terrane_world *world, const struct terrane_window *window,
                          const struct terrane_river *river, int rivers, unsigned char **data, size_t *bytes);

/* The place of a vector tile: metres of its north-west corner, to the east and the SOUTH, and of a unit. */
struct geojson_place {
    double west_m, north_m, unit_m;
};

/* Likewise for a vector tile made here, with at most one layer of lines or areas: positions of two numbers. */
int encode_geojson_vectors(const unsigned char *tile, size_t tile_bytes, const struct geojson_place *place,
                           unsigned char **data, size_t *bytes);

/* "sea" and "lake". */
extern const char *const river_end_name[];

/* The collection of an array of features, which it takes; result as encode_geojson. NULL: memory was short. */
int geojson_collection(json_t *features, unsigned char **data, size_t *bytes);

/* The positions of a line in a collection, borrowed, two or more of numbers, and its id; NULL: no line with an id. */
json_t *geojson_line(const json_t *feature, uint64_t *id);

/* Likewise for the position of a Point. */
json_t *geojson_place(const json_t *feature, uint64_t *id);

#endif
