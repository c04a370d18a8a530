/*
 * NumPy's npy: a dictionary of Python in a head, and numbers behind it.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/little_endian.h"
#include "raster_parts.h"

enum { HEAD_MAX = 4096, ROW_MAX = 8192 * 8 };

/* What follows a key's colon in the head; "": the key is not there. */
static const char *value_of(const char *head, const char *key)
{
    const char *at = strstr(head, key);
    at = at ? strchr(at, ':') : NULL;
    return at ? at + 1 + strspn(at + 1, " ") : "";
}

/* "(rows, columns)" */
static bool shape_of(const char *text, uint64_t side[2])
{
    char *end;
    if (*text++ != '(')
        return false;
    side[1] = strtoull(text, &end, 10);
    if (end == text || *end != ',')
        return false;
    text = end + 1;
    side[0] = strtoull(text, &end, 10);
    return end != text && *end == ')';
}

/* A number of a type such as "<f4". */
static double number_of(const char type[4], const unsigned char *at)
{
    const int bytes = type[2] - '0';
    uint64_t bits = get_le(at, bytes);
    if (type[0] == '>') {
        bits = 0;
        for (int i = 0; i < bytes; i++)
            bits = bits << 8 | at[i];
    }
    if (type[1] == 'u')
        return (double)bits;
    if (type[1] == 'i' && bytes < 8 && bits >> (8 * bytes - 1)) /* the highest bit counts below 0 */
        bits -= UINT64_C(1) << 8 * bytes;
    if (type[1] == 'i')
        return (double)(int64_t)bits;
    unsigned char plain[8];
    put_le(plain, bits, bytes);
    return bytes == 4 ? (double)get_f32(plain) : get_f64(plain);
}

static bool type_is_known(const char type[4])
{
    static const char *const known[] = {"<f4", ">f4", "<f8", ">f8", "|i1", "|u1", "<i2", ">i2", "<u2",
                                        ">u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(type, known[k]) == 0)
            return true;
    return false;
}

static int read_rows(struct raster_reader *reader, const char type[4], uint64_t from)
{
    const size_t width = (size_t)reader->out.width, bytes = (size_t)(type[2] - '0');
    unsigned char row[ROW_MAX];
    for (size_t j = 0; j < (size_t)reader->out.height; j++) {
        if (raster_bytes(reader, from + j * width * bytes, row, width * bytes) != (int64_t)(width * bytes))
            return raster_refuse(reader, "ends in row %zu", j);
        for (size_t i = 0; i < width; i++)
            if (raster_put(reader, j * width + i, number_of(type, row + i * bytes)) != 0)
                return -1;
    }
    return 0;
}

int raster_read_npy(struct raster_reader *reader)
{
    enum { SHORT = 10, LONG = 12 };
    unsigned char first[LONG];
    char head[HEAD_MAX + 1], type[4] = "";
    uint64_t side[2];
    if (raster_bytes(reader, 0, first, sizeof first) != (int64_t)sizeof first)
        return raster_refuse(reader, "ends in its head");
    const bool is_short = first[6] == 1;
    const uint64_t before = is_short ? SHORT : LONG, length = get_le(first + 8, is_short ? 2 : 4);
    if (length > HEAD_MAX || raster_bytes(reader, before, head, (size_t)length) != (int64_t)length)
        return raster_refuse(reader, "has no head of at most %d bytes", HEAD_MAX);
    head[length] = '\0';
    const char *said = value_of(head, "'descr'");
    if (said[0] == '\'' && strnlen(said, 5) == 5 && said[4] == '\'')
        memcpy(type, said + 1, 3);
    if (!type_is_known(type))
        return raster_refuse(reader, "its numbers are no integers, float32 or float64");
    if (strncmp(value_of(head, "'fortran_order'"), "False", 5) != 0)
        return raster_refuse(reader, "is in Fortran's order: save numpy.ascontiguousarray of it");
    if (!shape_of(value_of(head, "'shape'"), side))
        return raster_refuse(reader, "its shape is not (rows, columns)");
    if (raster_size(reader, side[0], side[1]) != 0)
        return -1;
    return read_rows(reader, type, before + length);
}
