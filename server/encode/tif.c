/*
 * GeoTIFF by libtiff, into memory.
 *
 * The file depends only on samples, place and the libraries' versions: it has no date and names no software.
 * libtiff prints nothing here: writing to memory can fail only for want of memory, which -1 reports.
 *
 * GeoTIFF is four tags, which are registered with libtiff. Their values (tif_keys.h) are constant except for
 * the place. libgeotiff, which could write them, does not check its allocations, so only the tests use it, to
 * read them.
 *
 * Strips are predicted and deflated here: libtiff's predictor leaves a row as it is, without a word, when it
 * has no memory for it, and its Deflate may be zlib's or libdeflate's. zlib's lowest level: heights of 257 x
 * 257 take 60 % of their bytes, with level 6 they take 58 % and twice the time.
 *
 * Short memory. libtiff (4.5.0) counts a GeoTIFF tag before it has room for it, and would free memory it
 * never had: a handle that could not take all its tags is leaked, some kilobytes.
 *
 * Any thread.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <zlib.h>

#include "../base/check.h"
#include "memory_file.h"
#include "tif_keys.h"

enum { VERSION_BYTES = 96, HEAD_BYTES = 1 << 16, DEFLATE_LEVEL = 1 };

static char version_text[VERSION_BYTES];

static void start(void)
{
    const char *name = strpbrk(TIFFGetVersion(), "0123456789");
    const int length = name ? (int)strcspn(name, " \n") : 0;
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    snprintf(version_text, sizeof version_text, "libtiff %.*s, zlib %s", length, name ? name : "",
             zlibVersion());
}

static void start_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    CHECK(pthread_once(&once, start) == 0);
}

const char *encode_tif_version(void)
{
    start_once();
    return version_text;
}

/* ---- A file in memory ---------------------------------------------------------------------------------- */

/* With the place where the next byte is read or written. */
struct tif_file {
    struct memory_file file;
    size_t at;
};

static tmsize_t file_read(thandle_t handle, void *to, tmsize_t bytes)
{
    struct tif_file *tif = handle;
    const size_t left = tif->at < tif->file.bytes ? tif->file.bytes - tif->at : 0;
    const size_t count = (size_t)bytes < left ? (size_t)bytes : left;
    if (count > 0)
        memcpy(to, tif->file.data + tif->at, count);
    tif->at += count;
    return (tmsize_t)count;
}

static tmsize_t file_write(thandle_t handle, void *from, tmsize_t bytes)
{
    struct tif_file *tif = handle;
    if (bytes <= 0 || !memory_file_put(&tif->file, tif->at, from, (size_t)bytes))
        return 0;
    tif->at += (size_t)bytes;
    return bytes;
}

static toff_t file_seek(thandle_t handle, toff_t offset, int whence)
{
    struct tif_file *tif = handle;
    const size_t from = whence == SEEK_CUR ? tif->at : whence == SEEK_END ? tif->file.bytes : 0;
    tif->at = from + (size_t)offset;
    return tif->at;
}

static toff_t file_size(thandle_t handle)
{
    return ((struct tif_file *)handle)->file.bytes;
}

static int file_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

/* ---- What it says -------------------------------------------------------------------------------------- */

static bool put_plane(TIFF *tif, const struct grid_place *place)
{
    static const TIFFFieldInfo tags[] = {
        {TIF_TAG_PIXEL_SCALE, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, "ModelPixelScale"},
        {TIF_TAG_TIEPOINT, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, "ModelTiepoint"},
        {TIF_TAG_GEO_KEYS, -1, -1, TIFF_SHORT, FIELD_CUSTOM, 1, 1, "GeoKeyDirectory"},
        {TIF_TAG_GEO_TEXT, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, "GeoAsciiParams"},
        {TIF_TAG_NODATA, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, "GDALNoDataValue"},
    };
    double scale[3], tie[6];
    char nodata[TIF_NODATA_BYTES];
    const char *text = NULL;
    tif_scale(place, scale);
    tif_tiepoint(place, tie);
    return TIFFMergeFieldInfo(tif, tags, sizeof tags / sizeof *tags) == 0 &&
           TIFFSetField(tif, TIF_TAG_PIXEL_SCALE, 3, scale) == 1 &&
           TIFFSetField(tif, TIF_TAG_TIEPOINT, 6, tie) == 1 &&
           TIFFSetField(tif, TIF_TAG_GEO_KEYS, TIF_GEO_SHORTS, tif_geo_keys) == 1 &&
           TIFFSetField(tif, TIF_TAG_GEO_TEXT, tif_geo_text) == 1 &&
           TIFFGetField(tif, TIF_TAG_GEO_TEXT, &text) == 1 &&
           text && /* setting it succeeds without memory, too */
           (place->none == 0 ||
            (tif_nodata(place, nodata) > 0 && TIFFSetField(tif, TIF_TAG_NODATA, nodata) == 1 &&
             TIFFGetField(tif, TIF_TAG_NODATA, &text) == 1 && text));
}

static bool put_shape(TIFF *tif, int width, int height, int channels)
{
    uint16_t extra[TIF_CHANNELS_MAX] = {0}; /* of no special meaning */
    return TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)width) == 1 &&
           TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)height) == 1 &&
           TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 32) == 1 &&
           TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP) == 1 &&
           TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, channels) == 1 &&
           (channels == 1 || TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, channels - 1, extra) == 1) &&
           TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) == 1 &&
           TIFFSetField(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == 1 &&
           TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, (uint32_t)TIF_STRIP_ROWS) == 1 &&
           TIFFSetField(tif, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) == 1 &&
           TIFFSetField(tif, TIFFTAG_PREDICTOR, PREDICTOR_FLOATINGPOINT) == 1;
}

/*
 * The predictor of floating-point numbers, a row: first the highest bytes of all its values, then the next
 * ones, and so on, each byte as the difference to that of the pixel before it.
 */
static void predict_row(unsigned char *out, const float *values, size_t count, size_t channels)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (size_t plane = 0; plane < 4; plane++)
            out[plane * count + i] = (unsigned char)(bits >> (24 - 8 * plane));
    }
    for (size_t k = 4 * count; k-- > channels;)
        out[k] = (unsigned char)(out[k] - out[k - channels]);
}

static bool put_strips(TIFF *tif, const float *values, size_t row_values, size_t channels, int height)
{
    const size_t row_bytes = 4 * row_values;
    const uLong room = compressBound((uLong)(row_bytes * TIF_STRIP_ROWS));
    unsigned char *plain = malloc(row_bytes * TIF_STRIP_ROWS), *packed = malloc(room);
    bool fits = plain && packed;
    for (int row = 0; fits && row < height; row += TIF_STRIP_ROWS) {
        const size_t rows = (size_t)(height - row < TIF_STRIP_ROWS ? height - row : TIF_STRIP_ROWS);
        uLong bytes = room;
        for (size_t j = 0; j < rows; j++)
            predict_row(plain + j * row_bytes, values + ((size_t)row + j) * row_values, row_values, channels);
        fits = compress2(packed, &bytes, plain, (uLong)(rows * row_bytes), DEFLATE_LEVEL) == Z_OK &&
               TIFFWriteRawStrip(tif, (uint32_t)(row / TIF_STRIP_ROWS), packed, (tmsize_t)bytes) >= 0;
    }
    free(plain);
    free(packed);
    return fits;
}

int encode_tif(const float *values, int width, int height, int channels, const struct grid_place *place,
               unsigned char **data, size_t *bytes)
{
    CHECK(width > 0 && width <= TIF_SIDE_MAX && height > 0 && height <= TIF_SIDE_MAX);
    CHECK(channels > 0 && channels <= TIF_CHANNELS_MAX);
    start_once();
    const size_t row_values = (size_t)width * (size_t)channels,
                 raw = row_values * (size_t)height * sizeof(float);
    struct tif_file file = {.file.max = raw + raw / 64 + HEAD_BYTES}; /* what does not shrink grows by less */
    TIFF *tif = TIFFClientOpen("tile", "wl", &file, file_read, file_write, file_seek, file_close, file_size,
                               NULL, NULL);
    const bool placed = tif && put_shape(tif, width, height, channels) && put_plane(tif, place);
    const bool fits = placed && put_strips(tif, values, row_values, (size_t)channels, height) &&
                      TIFFWriteDirectory(tif) == 1;
    if (placed) {
        TIFFSetMode(tif,
                    O_RDONLY); /* all is written; what is not, for want of memory, must not be tried again */
        TIFFCleanup(tif);
    }
    if (!fits) {
        free(file.file.data);
        return -1;
    }
    *data = memory_file_take(&file.file, bytes);
    return 0;
}
