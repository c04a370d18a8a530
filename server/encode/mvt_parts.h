/*
 * The numbers of vector_tile.proto, version 2.1, which writer and reader share.
 */
#ifndef TERRANE_SERVER_MVT_PARTS_H
#define TERRANE_SERVER_MVT_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "mvt.h"

enum mvt_wire { MVT_VARINT = 0, MVT_EIGHT = 1, MVT_LENGTH = 2, MVT_FOUR = 5 };

enum mvt_field {
    MVT_TILE_LAYERS = 3,
    MVT_LAYER_NAME = 1,
    MVT_LAYER_FEATURES = 2,
    MVT_LAYER_KEYS = 3,
    MVT_LAYER_VALUES = 4,
    MVT_LAYER_EXTENT = 5,
    MVT_LAYER_VERSION = 15,
    MVT_FEATURE_ID = 1,
    MVT_FEATURE_TAGS = 2,
    MVT_FEATURE_KIND = 3,
    MVT_FEATURE_GEOMETRY = 4,
    MVT_VALUE_TEXT = 1,
    MVT_VALUE_DOUBLE = 3,
    MVT_VALUE_ZIGZAG = 6
};

enum mvt_command { MVT_MOVE_TO = 1, MVT_LINE_TO = 2, MVT_CLOSE_PATH = 7 };

/* Bytes from at to end, read from the beginning. false: invalid. */
struct mvt_part {
    const unsigned char *at, *end;
};
bool mvt_read_varint(struct mvt_part *part, uint64_t *value);

/* Reads a field: its key, and its varint or bytes. */
bool mvt_read_field(struct mvt_part *part, uint64_t *key, uint64_t *number, struct mvt_part *inner);

static inline int64_t mvt_unzigzag(uint64_t number)
{
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

#endif
