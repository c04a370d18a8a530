/*
 * A tile of a set as the bytes of its files. Pure functions of their arguments; all bytes are malloc'ed, in *data and *bytes, and
 * the caller's. Each returns 0, or -1 when memory is short.
 */
#ifndef TERRANE_SERVER_EXPORT_WRITE_H
#define TERRANE_SERVER_EXPORT_WRITE_H

#include "export_set.h"

/* Heights, size x size of them from the north-west, in the set's format: of 16 bits over low_m .. high_m. They are turned upside down
 * in place where the engine wants that. column and row: of the tile. */
int export_write_heights(const struct export_set *set, float *heights, int column, int row, float low_m,
                         float high_m, unsigned char **data, size_t *bytes);

/* Weights of a sample's materials as bytes that sum to 255: count samples, each of which has as many as the recipe. */
void export_weigh(const float *weights, size_t count, int materials, uint8_t *bytes);

/* One of the files of weights; of control maps the last. */
int export_write_cover(const struct export_set *set, int file, const uint8_t *weights, unsigned char **data,
                       size_t *bytes);

/* A thing that stands on the ground, from the set's north-western corner. */
struct export_object {
    double x_m, y_m; /* east, south */
    float z_m;
    uint8_t turn, scale, of, variant; /* as in records (encode/objects.h) */
};

/* A table of them in the engine's axes and units, ordered by place. Orders them. */
int export_write_objects(const struct export_set *set, struct export_object *object, size_t count,
                         unsigned char **data, size_t *bytes);

#endif
