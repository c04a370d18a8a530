/* GeoTIFF: what is written is read back by libtiff, of every shape; and the head of one whose rows follow
 * (server/encode/tif.c, tif_head.c). */
#include "../unit.h"

#include <geotiff/geotiffio.h>
#include <geotiff/xtiffio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "../../../server/encode/tif.h"
#include "../shortage_kit.h"

enum { TAG_SCALE = 33550, TAG_TIEPOINT = 33922, TAG_KEYS = 34735, TAG_TEXT = 34737 };

static const struct grid_place place = {.west_m = -1024.5, .north_m = 0x1p40 + 0.25, .spacing_m = 0.5};

/* ---- Files for libtiff to read ------------------------------------------------------------------------- */

struct bytes {
    const unsigned char *data;
    size_t bytes, at;
};

static tmsize_t bytes_read(thandle_t handle, void *to, tmsize_t count)
{
    struct bytes *bytes = handle;
    const size_t left = bytes->bytes - bytes->at, taken = (size_t)count < left ? (size_t)count : left;
    memcpy(to, bytes->data + bytes->at, taken);
    bytes->at += taken;
    return (tmsize_t)taken;
}

static tmsize_t bytes_write(thandle_t handle, void *from, tmsize_t count)
{
    (void)handle, (void)from, (void)count;
    return 0;
}

static toff_t bytes_seek(thandle_t handle, toff_t offset, int whence)
{
    struct bytes *bytes = handle;
    assert_int_equal(whence, SEEK_SET);
    assert_true(offset <= bytes->bytes);
    return bytes->at = (size_t)offset;
}

static int bytes_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t bytes_size(thandle_t handle)
{
    return ((struct bytes *)handle)->bytes;
}

static TIFF *open_bytes(struct bytes *bytes)
{
    TIFF *tif = TIFFClientOpen("test", "rc", bytes, bytes_read, bytes_write, bytes_seek, bytes_close,
                               bytes_size, NULL, NULL);
    assert_non_null(tif);
    return tif;
}

static unsigned number(TIFF *tif, uint32_t tag)
{
    uint16_t value = 0;
    assert_int_equal(TIFFGetField(tif, tag, &value), 1);
    return value;
}

static unsigned wide_number(TIFF *tif, uint32_t tag)
{
    uint32_t value = 0;
    assert_int_equal(TIFFGetField(tif, tag, &value), 1);
    return value;
}

/* ---- What both must say -------------------------------------------------------------------------------- */

static void check_plane(TIFF *tif)
{
    static const uint16_t keys[20] = {1, 1, 0,    4,        1024, 0, 1,    32767, 1025, 0,
                                      1, 2, 1026, TAG_TEXT, 14,   0, 3076, 0,     1,    9001};
    uint16_t count;
    const double *doubles;
    const uint16_t *shorts;
    const char *text;
    assert_int_equal(TIFFGetField(tif, TAG_SCALE, &count, &doubles), 1);
    assert_int_equal(count, 3);
    assert_true(doubles[0] == place.spacing_m && doubles[1] == place.spacing_m && doubles[2] == 0);
    assert_int_equal(TIFFGetField(tif, TAG_TIEPOINT, &count, &doubles), 1);
    assert_int_equal(count, 6);
    for (int i = 0; i < 6; i++)
        assert_true(doubles[i] == (i == 3 ? place.west_m : i == 4 ? place.north_m : 0));
    assert_int_equal(TIFFGetField(tif, TAG_KEYS, &count, &shorts), 1);
    assert_int_equal(count, 20);
    assert_memory_equal(shorts, keys, sizeof keys);
    assert_int_equal(TIFFGetField(tif, TAG_TEXT, &text), 1);
    assert_string_equal(text, "terrane plane|");
}

/* The same as libgeotiff reads it. */
TEST(keys_are_geotiffs)
{
    const float values[4] = {1, 2, 3, 4};
    unsigned char *data;
    size_t bytes;
    assert_int_equal(encode_tif(values, 2, 2, 1, &place, &data, &bytes), 0);
    TIFF *tif = XTIFFClientOpen("test", "rc", &(struct bytes){.data = data, .bytes = bytes}, bytes_read,
                                bytes_write, bytes_seek, bytes_close, bytes_size, NULL, NULL);
    assert_non_null(tif);
    GTIF *keys = GTIFNew(tif);
    unsigned short model = 0, raster = 0, units = 0;
    char name[32] = "";
    assert_int_equal(GTIFKeyGet(keys, GTModelTypeGeoKey, &model, 0, 1), 1);
    assert_int_equal(GTIFKeyGet(keys, GTRasterTypeGeoKey, &raster, 0, 1), 1);
    assert_int_equal(GTIFKeyGet(keys, ProjLinearUnitsGeoKey, &units, 0, 1), 1);
    assert_true(GTIFKeyGet(keys, GTCitationGeoKey, name, 0, sizeof name) > 0);
    assert_int_equal(model, KvUserDefined);
    assert_int_equal(raster, RasterPixelIsPoint);
    assert_int_equal(units, Linear_Meter);
    assert_string_equal(name, "terrane plane");
    double x = 1, y = 1;
    assert_int_equal(GTIFImageToPCS(keys, &x, &y), 1);
    assert_true(x == place.west_m + place.spacing_m && y == place.north_m - place.spacing_m);
    GTIFFree(keys);
    XTIFFClose(tif);
    free(data);
}

static void check_shape(TIFF *tif, int width, int height, int channels)
{
    char *text;
    assert_int_equal(wide_number(tif, TIFFTAG_IMAGEWIDTH), width);
    assert_int_equal(wide_number(tif, TIFFTAG_IMAGELENGTH), height);
    assert_int_equal(wide_number(tif, TIFFTAG_ROWSPERSTRIP), 64);
    assert_int_equal(number(tif, TIFFTAG_SAMPLESPERPIXEL), channels);
    assert_int_equal(number(tif, TIFFTAG_BITSPERSAMPLE), 32);
    assert_int_equal(number(tif, TIFFTAG_SAMPLEFORMAT), SAMPLEFORMAT_IEEEFP);
    assert_int_equal(number(tif, TIFFTAG_PLANARCONFIG), PLANARCONFIG_CONTIG);
    assert_int_equal(number(tif, TIFFTAG_PHOTOMETRIC), PHOTOMETRIC_MINISBLACK);
    assert_int_equal(TIFFGetField(tif, TIFFTAG_SOFTWARE, &text), 0);
    assert_int_equal(TIFFGetField(tif, TIFFTAG_DATETIME, &text), 0);
    assert_int_equal(TIFFLastDirectory(tif), 1);
}

static void check_values(TIFF *tif, const float *values, size_t row_values, int height)
{
    float *row = malloc(row_values * sizeof *row);
    assert_non_null(row);
    for (int j = 0; j < height; j++) {
        assert_int_equal(TIFFReadScanline(tif, row, (uint32_t)j, 0), 1);
        assert_memory_equal(row, values + (size_t)j * row_values, row_values * sizeof *row);
    }
    free(row);
}

/* Values in which all bits move, with both zeros and the extremes among them. */
static float *make_values(size_t count)
{
    static const float odd[] = {0.0f, -0.0f, 3.4e38f, -3.4e38f, 1e-45f};
    float *values = malloc(count * sizeof *values);
    uint32_t dice = 1;
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        dice = dice * 1664525 + 1013904223;
        values[i] = i % 97 < 5 ? odd[i % 97] : (float)(int32_t)dice * 1e-6f;
    }
    return values;
}

/* ---- The whole file ------------------------------------------------------------------------------------ */

static void check_file(int width, int height, int channels)
{
    const size_t row_values = (size_t)width * (size_t)channels;
    float *values = make_values(row_values * (size_t)height),
          *before = make_values(row_values * (size_t)height);
    unsigned char *data, *again;
    size_t bytes, bytes_again;
    assert_int_equal(encode_tif(values, width, height, channels, &place, &data, &bytes), 0);
    assert_memory_equal(values, before, row_values * (size_t)height * sizeof *values);
    assert_memory_equal(data, "II*\0", 4);
    TIFF *tif = open_bytes(&(struct bytes){.data = data, .bytes = bytes});
    check_shape(tif, width, height, channels);
    check_plane(tif);
    assert_int_equal(number(tif, TIFFTAG_COMPRESSION), COMPRESSION_ADOBE_DEFLATE);
    assert_int_equal(number(tif, TIFFTAG_PREDICTOR), PREDICTOR_FLOATINGPOINT);
    check_values(tif, values, row_values, height);
    TIFFClose(tif);
    assert_int_equal(encode_tif(values, width, height, channels, &place, &again, &bytes_again), 0);
    assert_int_equal(bytes, bytes_again);
    assert_memory_equal(data, again, bytes);
    free(again);
    free(data);
    free(values);
    free(before);
}

TEST(files_are_read_back)
{
    static const int side[] = {1, 2, 3, 63, 64, 65, 128, 257, 512};
    for (size_t i = 0; i < sizeof side / sizeof *side; i++) {
        check_file(side[i], side[i], 1);
        check_file(side[i], 65, 3);
        check_file(2, side[i], 9);
    }
    check_file(257, 129, 32);
    check_file(4097, 70, 1);
    check_file(70, 4097, 1);
}

TEST(heights_shrink)
{
    enum { SIDE = 257 };
    static float values[SIDE * SIDE];
    unsigned char *data;
    size_t bytes;
    for (int k = 0; k < SIDE * SIDE; k++)
        values[k] = 100 + 0.125f * (float)(k % SIDE) + 0.25f * (float)(k / SIDE);
    assert_int_equal(encode_tif(values, SIDE, SIDE, 1, &place, &data, &bytes), 0);
    assert_true(bytes < sizeof values / 4);
    free(data);
}

TEST(versions_are_named)
{
    const char *text = encode_tif_version();
    assert_ptr_equal(strstr(text, "libtiff "), text);
    assert_in_range(text[8], '1', '9');
    assert_non_null(strstr(text, ", zlib 1."));
    for (const char *at = text; *at; at++)
        assert_in_range(*at, ' ', '~');
    assert_ptr_equal(encode_tif_version(), text);
}

/* ---- The head ------------------------------------------------------------------------------------------ */

static void check_head(int width, int height, int channels)
{
    const size_t row = (size_t)width * (size_t)channels, count = row * (size_t)height;
    float *values = make_values(count);
    size_t head_bytes = 0;
    unsigned char *head = tif_head(width, height, channels, &place, &head_bytes);
    assert_non_null(head);
    unsigned char *whole = malloc(head_bytes + count * sizeof *values);
    assert_non_null(whole);
    memcpy(whole, head, head_bytes);
    memcpy(whole + head_bytes, values, count * sizeof *values); /* little-endian, as machines that test are */
    TIFF *tif = open_bytes(&(struct bytes){.data = whole, .bytes = head_bytes + count * sizeof *values});
    check_shape(tif, width, height, channels);
    check_plane(tif);
    assert_int_equal(number(tif, TIFFTAG_COMPRESSION), COMPRESSION_NONE);
    uint64_t at = head_bytes;
    for (uint32_t strip = 0; strip < TIFFNumberOfStrips(tif); strip++) { /* one behind the other */
        assert_int_equal(TIFFGetStrileOffset(tif, strip), at);
        at += TIFFGetStrileByteCount(tif, strip);
    }
    assert_int_equal(at, head_bytes + count * sizeof *values);
    check_values(tif, values, row, height);
    TIFFClose(tif);
    free(whole);
    free(head);
    free(values);
}

TEST(rows_follow_a_head)
{
    static const int side[] = {1, 2, 63, 64, 65, 128, 129, 1000};
    for (size_t i = 0; i < sizeof side / sizeof *side; i++)
        for (size_t j = 0; j < sizeof side / sizeof *side; j++)
            for (int channels = 1; channels <= 5; channels++)
                check_head(side[i], side[j], channels);
    check_head(4097, 4097, 1);
    check_head(300, 200, 32);
}

/* Any allocation may fail: it is said, or made up for. (libtiff may lose what it holds then.) */
TEST(short_memory_is_said)
{
#ifdef SHORTAGE_HOOKED
    float *values = make_values(70 * 70);
    unsigned char *expected;
    size_t expected_bytes;
    int failed = 0;
    heap_fail(0, 0);
    assert_int_equal(encode_tif(values, 70, 70, 1, &place, &expected, &expected_bytes), 0);
    const long allocations = atomic_load(&heap.count);
    assert_true(allocations > 20);
    for (long k = 0; k < allocations; k++) {
        unsigned char *data = NULL;
        size_t bytes = 7;
        heap_fail(k, k + 1);
        const int result = encode_tif(values, 70, 70, 1, &place, &data, &bytes);
        heap_fail(0, 0);
        failed += result != 0;
        assert_int_equal(bytes, result == 0 ? expected_bytes : 7);
        if (result == 0)
            assert_memory_equal(data, expected, bytes);
        else
            assert_null(data);
        free(data);
    }
    assert_true(failed > 10);
    free(expected);
    free(values);

    size_t bytes = 7;
    heap_fail(0, 1);
    const unsigned char *head = tif_head(9, 9, 1, &place, &bytes);
    heap_fail(0, 0);
    assert_null(head);
    assert_int_equal(bytes, 7);
#else
    skip();
#endif
}

UNIT(tif)
{
    XTIFFInitialize(); /* libtiff, as these tests read by it, knows GeoTIFF's tags */
    return unit_run("tif", (CMFixtureFunction[2]){0}, (CMFixtureFunction[2]){0});
}
