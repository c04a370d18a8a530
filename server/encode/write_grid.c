/* The table of writers of sample formats; and Esri's ASCII grid. */
#include <stdio.h>
#include <stdlib.h>

#include "../base/check.h"
#include "exr.h"
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

/* Writes numbers with nine digits, enough for a binary32, a row on each line; the header's coordinates are those of the
 * south-western sample. Every number is a value: there is no NODATA_value. */
static int write_asc(const struct grid *grid, unsigned char **data, size_t *bytes)
{
    enum { HEAD_BYTES = 256, NUMBER_BYTES = 17 }; /* a zero with it */
    const struct grid_place *place = &grid->place;
    const size_t room = HEAD_BYTES + count_of(grid) * (NUMBER_BYTES - 1) + 1;
    char *text = malloc(room), *at = text;
    CHECK(grid->channels == 1);
    if (!text)
        return -1;
    at += snprintf(at, HEAD_BYTES, "ncols %d\nnrows %d\nxllcenter %.17g\nyllcenter %.17g\ncellsize %.17g\n",
                   grid->width, grid->height, place->west_m,
                   place->north_m - (grid->height - 1) * place->spacing_m, place->spacing_m);
    for (int j = 0; j < grid->height; j++)
        for (int i = 0; i < grid->width; i++)
            at += snprintf(at, NUMBER_BYTES, "%.9g%c",
                           (double)grid->values[(size_t)j * (size_t)grid->width + (size_t)i],
                           i + 1 < grid->width ? ' ' : '\n');
    *data = (unsigned char *)text;
    *bytes = (size_t)(at - text);
    return 0;
}

int encode_grid(enum tile_format format, const struct grid *grid, unsigned char **data, size_t *bytes)
{
    static int (*const writer[FORMATS])(const struct grid *, unsigned char **, size_t *) = {
        [FORMAT_F32] = write_f32, [FORMAT_R16] = write_r16, [FORMAT_NPY] = write_npy,
        [FORMAT_TIF] = write_tif, [FORMAT_ASC] = write_asc, [FORMAT_EXR] = encode_exr,
    };
    CHECK(writer[format]);
    return writer[format](grid, data, bytes);
}
