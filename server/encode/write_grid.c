/*
 * Samples into the formats that hold them: which function writes which.
 */
#include "../base/check.h"
#include "tif.h"

static size_t count_of(const struct grid *grid)
{
    return (size_t)grid->width * (size_t)grid->height * (size_t)grid->channels;
}

static int write_f32(const struct grid *grid, unsigned char **data, size_t *bytes)
{
    return encode_f32(grid->values, count_of(grid), data, bytes);
}

static int write_r16(const struct grid *grid, unsigned char **data, size_t *bytes)
{
    return encode_r16(grid->values, count_of(grid), grid->low_m, grid->high_m, data, bytes);
}

static int write_npy(const struct grid *grid, unsigned char **data, size_t *bytes)
{
    return encode_npy(grid->values, grid->width, grid->height, grid->channels, data, bytes);
}

static int write_tif(const struct grid *grid, unsigned char **data, size_t *bytes)
{
    return encode_tif(grid->values, grid->width, grid->height, grid->channels, &grid->place, data, bytes);
}

int encode_grid(enum tile_format format, const struct grid *grid, unsigned char **data, size_t *bytes)
{
    static int (*const writer[FORMATS])(const struct grid *, unsigned char **, size_t *) = {
        [FORMAT_F32] = write_f32,
        [FORMAT_R16] = write_r16,
        [FORMAT_NPY] = write_npy,
        [FORMAT_TIF] = write_tif,
    };
    CHECK(writer[format]);
    return writer[format](grid, data, bytes);
}
