/*
 * The head of an uncompressed GeoTIFF: TIFF's header, its one directory, values too large for the directory's
 * entries, and then strip after strip without a gap.
 */
#include <stdlib.h>

#include "../base/check.h"
#include "mesh_bytes.h"
#include "tif_keys.h"

enum {
    HEADER_BYTES = 8,
    ENTRY_BYTES = 12,
    TAGS = 15, /* including ExtraSamples for several channels, and GDAL's nodata */
    PLANE_BYTES = (3 + 6) * 8 + TIF_GEO_SHORTS * 2 + (int)sizeof tif_geo_text
};
enum { TYPE_ASCII = 2, TYPE_SHORT = 3, TYPE_LONG = 4, TYPE_DOUBLE = 12 };

struct head {
    unsigned char *at;     /* the next entry of the directory */
    unsigned char *behind; /* place of values that do not fit into an entry */
    unsigned char *start;
};

static void put_entry(struct head *head, unsigned tag, unsigned type, uint32_t count, uint32_t value)
{
    head->at = put_u32(put_u32(put_u16(put_u16(head->at, tag), type), count), value);
}

/* Writes a number of 16 or 32 bits: little-endian, both have the same bytes in the field. */
static void put_number(struct head *head, unsigned tag, unsigned type, uint32_t value)
{
    put_entry(head, tag, type, 1, value);
}

static void put_doubles(struct head *head, unsigned tag, const double *values, int count)
{
    put_entry(head, tag, TYPE_DOUBLE, (uint32_t)count, (uint32_t)(head->behind - head->start));
    for (int i = 0; i < count; i++)
        head->behind = put_f64(head->behind, values[i]);
}

/* Writes one equal number for each channel: up to two fit into the entry itself. */
static void put_shorts(struct head *head, unsigned tag, int count, uint32_t value)
{
    if (count <= 2) {
        put_entry(head, tag, TYPE_SHORT, (uint32_t)count, count == 2 ? value << 16 | value : value);
        return;
    }
    put_entry(head, tag, TYPE_SHORT, (uint32_t)count, (uint32_t)(head->behind - head->start));
    for (int i = 0; i < count; i++)
        head->behind = put_u16(head->behind, value);
}

/* Bytes that put_shorts needs after the directory. */
static size_t shorts_bytes(int count)
{
    return count > 2 ? 2 * (size_t)count : 0;
}

/* Writes the offset or length of every strip; a single one into the entry itself. */
static void put_strips(struct head *head, unsigned tag, uint32_t strips, const uint32_t *values)
{
    if (strips == 1) {
        put_number(head, tag, TYPE_LONG, values[0]);
        return;
    }
    put_entry(head, tag, TYPE_LONG, strips, (uint32_t)(head->behind - head->start));
    for (uint32_t i = 0; i < strips; i++)
        head->behind = put_u32(head->behind, values[i]);
}

static void put_plane(struct head *head, const struct grid_place *place)
{
    double scale[3], tie[6];
    tif_scale(place, scale);
    tif_tiepoint(place, tie);
    put_doubles(head, TIF_TAG_PIXEL_SCALE, scale, 3);
    put_doubles(head, TIF_TAG_TIEPOINT, tie, 6);
    put_entry(head, TIF_TAG_GEO_KEYS, TYPE_SHORT, TIF_GEO_SHORTS, (uint32_t)(head->behind - head->start));
    for (int i = 0; i < TIF_GEO_SHORTS; i++)
        head->behind = put_u16(head->behind, tif_geo_keys[i / 4][i % 4]);
    const size_t text_bytes = sizeof tif_geo_text;
    put_entry(head, TIF_TAG_GEO_TEXT, TYPE_ASCII, (uint32_t)text_bytes,
              (uint32_t)(head->behind - head->start));
    memcpy(head->behind, tif_geo_text, text_bytes);
    head->behind += text_bytes;
    if (place->none == 0)
        return;
    head->behind += text_bytes % 2; /* values begin at even places */
    char nodata[TIF_NODATA_BYTES];
    const size_t nodata_bytes = tif_nodata(place, nodata);
    CHECK(nodata_bytes > 4); /* shorter ones stand in the entry */
    put_entry(head, TIF_TAG_NODATA, TYPE_ASCII, (uint32_t)nodata_bytes,
              (uint32_t)(head->behind - head->start));
    memcpy(head->behind, nodata, nodata_bytes);
    head->behind += nodata_bytes;
}

unsigned char *tif_head(int width, int height, int channels, const struct grid_place *place, size_t *bytes)
{
    enum { STRIPS_MAX = TIF_SIDE_MAX / TIF_STRIP_ROWS + 1 };
    uint32_t offset[STRIPS_MAX], length[STRIPS_MAX];
    CHECK(width > 0 && width <= TIF_SIDE_MAX && height > 0 && height <= TIF_SIDE_MAX);
    CHECK(channels > 0 && channels <= TIF_CHANNELS_MAX);
    char nodata[TIF_NODATA_BYTES];
    const int tags = TAGS + (channels > 1) + (place->none != 0);
    const size_t directory = 2 + (size_t)tags * ENTRY_BYTES + 4;
    const uint32_t row = 4 * (uint32_t)width * (uint32_t)channels, rows = (uint32_t)height;
    const uint32_t strips = (rows + TIF_STRIP_ROWS - 1) / TIF_STRIP_ROWS;
    const size_t exact = HEADER_BYTES + directory + PLANE_BYTES + (strips > 1 ? 8 * (size_t)strips : 0) +
                         2 * shorts_bytes(channels) + shorts_bytes(channels - 1) +
                         (place->none != 0 ? sizeof tif_geo_text % 2 + tif_nodata(place, nodata) : 0);
    const size_t whole = (exact + 15) / 16 * 16;
    for (uint32_t i = 0; i < strips; i++) {
        const uint32_t left = rows - i * TIF_STRIP_ROWS;
        offset[i] = (uint32_t)whole + i * TIF_STRIP_ROWS * row;
        length[i] = (left < TIF_STRIP_ROWS ? left : TIF_STRIP_ROWS) * row;
    }
    unsigned char *out = calloc(1, whole);
    if (!out)
        return NULL;
    memcpy(out, "II", 2);
    put_u32(put_u16(out + 2, 42), HEADER_BYTES);
    struct head head = {put_u16(out + HEADER_BYTES, (unsigned)tags), out + HEADER_BYTES + directory, out};
    put_number(&head, 256, TYPE_LONG, (uint32_t)width);
    put_number(&head, 257, TYPE_LONG, rows);
    put_shorts(&head, 258, channels, 32);  /* bits a sample */
    put_number(&head, 259, TYPE_SHORT, 1); /* not compressed */
    put_number(&head, 262, TYPE_SHORT, 1); /* more is brighter */
    put_strips(&head, 273, strips, offset);
    put_number(&head, 277, TYPE_SHORT, (uint32_t)channels); /* samples a pixel */
    put_number(&head, 278, TYPE_LONG, TIF_STRIP_ROWS);
    put_strips(&head, 279, strips, length);
    put_number(&head, 284, TYPE_SHORT, 1); /* one plane */
    if (channels > 1)
        put_shorts(&head, 338, channels - 1, 0); /* of no special meaning */
    put_shorts(&head, 339, channels, 3);         /* IEEE 754 */
    put_plane(&head, place);
    CHECK(head.at == out + HEADER_BYTES + 2 + tags * ENTRY_BYTES && (size_t)(head.behind - out) == exact);
    *bytes = whole;
    return out;
}
