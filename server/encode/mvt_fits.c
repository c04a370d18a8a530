/* Checks vector tiles against the form that mvt.c writes. Their content may be hostile. */
#include <string.h>

#include "../base/text.h"
#include "mvt.h"
#include "mvt_parts.h"

bool mvt_read_varint(struct mvt_part *part, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; part->at < part->end && shift < 64; shift += 7) {
        const unsigned char byte = *part->at++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return shift < 63 || byte < 2;
    }
    return false;
}

bool mvt_read_field(struct mvt_part *part, uint64_t *key, uint64_t *number, struct mvt_part *inner)
{
    if (!mvt_read_varint(part, key))
        return false;
    *inner = (struct mvt_part){part->at, part->at};
    switch (*key & 7) {
    case MVT_VARINT:
        return mvt_read_varint(part, number);
    case MVT_LENGTH:
        if (!mvt_read_varint(part, number) || *number > (size_t)(part->end - part->at))
            return false;
        break;
    case MVT_EIGHT:
        *number = 8;
        if (part->end - part->at < 8)
            return false;
        break;
    default:
        return false;
    }
    *inner = (struct mvt_part){part->at, part->at + *number};
    part->at += *number;
    return true;
}

static bool is_text(struct mvt_part text)
{
    if (memchr(text.at, 0, (size_t)(text.end - text.at)))
        return false;
    while (text.at < text.end) {
        unsigned char some[5] = {0}; /* no character ends behind the text */
        memcpy(some, text.at, (size_t)(text.end - text.at) < 4 ? (size_t)(text.end - text.at) : 4);
        const size_t bytes = text_utf8_bytes(some);
        if (bytes == 0)
            return false;
        text.at += bytes;
    }
    return true;
}

static bool value_fits(struct mvt_part value)
{
    uint64_t key, number;
    struct mvt_part inner;
    if (!mvt_read_field(&value, &key, &number, &inner) || value.at != value.end)
        return false;
    return key == (MVT_VALUE_TEXT << 3 | MVT_LENGTH)    ? is_text(inner)
           : key == (MVT_VALUE_DOUBLE << 3 | MVT_EIGHT) ? true
                                                        : key == MVT_VALUE_ZIGZAG << 3;
}

/* Commands in an order that the kind allows, each with its numbers. */
static bool geometry_fits(struct mvt_part geometry, uint64_t kind)
{
    bool drawn = false; /* since the last move */
    uint64_t word, number;
    if (geometry.at == geometry.end)
        return false;
    while (geometry.at < geometry.end) {
        if (!mvt_read_varint(&geometry, &word) || word == 0)
            return false;
        const uint64_t count = word >> 3;
        const enum mvt_command command = word & 7;
        const bool closes = command == MVT_CLOSE_PATH;
        if (closes
                ? kind != MVT_POLYGON || !drawn || count != 1
                : (command != MVT_MOVE_TO && (command != MVT_LINE_TO || kind == MVT_POINT)) || count == 0 ||
                      count > (size_t)(geometry.end - geometry.at) || (command == MVT_MOVE_TO && count != 1))
            return false;
        for (uint64_t k = 0; !closes && k < 2 * count; k++)
            if (!mvt_read_varint(&geometry, &number) || number > UINT32_MAX)
                return false;
        drawn = command == MVT_LINE_TO;
    }
    return true;
}

struct counts {
    uint64_t keys, values;
};

static bool feature_fits(struct mvt_part feature, const struct counts *counts)
{
    uint64_t key, number, kind = 0;
    struct mvt_part inner, geometry = {NULL, NULL};
    while (feature.at < feature.end) {
        if (!mvt_read_field(&feature, &key, &number, &inner))
            return false;
        switch (key) {
        case MVT_FEATURE_ID << 3:
            break;
        case MVT_FEATURE_KIND << 3:
            kind = number;
            break;
        case MVT_FEATURE_GEOMETRY << 3 | MVT_LENGTH:
            geometry = inner;
            break;
        case MVT_FEATURE_TAGS << 3 | MVT_LENGTH:
            for (bool of_key = true; inner.at < inner.end || !of_key; of_key = !of_key)
                if (!mvt_read_varint(&inner, &number) || number >= (of_key ? counts->keys : counts->values))
                    return false;
            break;
        default:
            return false;
        }
    }
    return kind >= MVT_POINT && kind <= MVT_POLYGON && geometry.at && geometry_fits(geometry, kind);
}

/* Reads once to count keys and values, and once for features, which refer to them. */
static bool layer_fits(const struct mvt_part *layer)
{
    struct counts counts = {0, 0};
    uint64_t key, number, version = 0, extent = 0;
    bool named = false;
    struct mvt_part rest = *layer, inner;
    while (rest.at < rest.end) {
        if (!mvt_read_field(&rest, &key, &number, &inner))
            return false;
        bool fits = true;
        switch (key) {
        case MVT_LAYER_VERSION << 3:
            version = number;
            break;
        case MVT_LAYER_EXTENT << 3:
            extent = number;
            break;
        case MVT_LAYER_NAME << 3 | MVT_LENGTH:
            named = is_text(inner) && inner.at < inner.end;
            break;
        case MVT_LAYER_KEYS << 3 | MVT_LENGTH:
            fits = is_text(inner);
            counts.keys++;
            break;
        case MVT_LAYER_VALUES << 3 | MVT_LENGTH:
            fits = value_fits(inner);
            counts.values++;
            break;
        case MVT_LAYER_FEATURES << 3 | MVT_LENGTH:
            break;
        default:
            return false;
        }
        if (!fits)
            return false;
    }
    rest = *layer;
    bool fits = named && version == 2 && extent == MVT_EXTENT;
    while (fits && rest.at < rest.end)
        fits = mvt_read_field(&rest, &key, &number, &inner) &&
               (key != (MVT_LAYER_FEATURES << 3 | MVT_LENGTH) || feature_fits(inner, &counts));
    return fits;
}

bool mvt_fits(const unsigned char *data, size_t bytes)
{
    struct mvt_part tile = {data, data + bytes}, layer;
    uint64_t key, number;
    while (tile.at < tile.end)
        if (!mvt_read_field(&tile, &key, &number, &layer) || key != (MVT_TILE_LAYERS << 3 | MVT_LENGTH) ||
            !layer_fits(&layer))
            return false;
    return true;
}
