/*
 * Files of strangers: NumPy arrays, ZIP archives and floats, whole and damaged (analyze/npy.c,
 * raster_read.c), and the coasts of GSHHG where they are installed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <libdeflate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../analyze/npy.h"
#include "../../analyze/raster_read.h"
#include "../../analyze/shoreline.h"

enum { ROOM = 1 << 16, SIDE = 16 };

static uint8_t bytes[ROOM];

/* An .npy of version 1 in bytes: header, then count bytes of data. Returns its length. */
static size_t npy_make(const char *header, const void *data, size_t count)
{
    const size_t n = strlen(header);
    memcpy(bytes, "\x93NUMPY\1\0", 8);
    bytes[8] = (uint8_t)n;
    bytes[9] = (uint8_t)(n >> 8);
    memcpy(bytes + 10, header, n);
    memcpy(bytes + 10 + n, data, count);
    return 10 + n + count;
}

static const char *parse(size_t length, struct npy *out)
{
    return npy_parse((struct span){bytes, length}, out);
}

static void types_are_read(void **state)
{
    static const struct {
        const char *type;
        uint8_t item[8];
        double value;
    } row[] = {
        {"<f4", {0, 0, 0x20, 0xC1}, -10},
        {">f4", {0xC1, 0x20, 0, 0}, -10},
        {"<f8", {0, 0, 0, 0, 0, 0, 0xF8, 0x3F}, 1.5},
        {">f8", {0x3F, 0xF8}, 1.5},
        {"|i1", {0xFF}, -1},
        {"|u1", {0xFF}, 255},
        {"<i2", {0xFE, 0xFF}, -2},
        {">i2", {0xFF, 0xFE}, -2},
        {"<u2", {0xFE, 0xFF}, 65534},
        {">u2", {1, 2}, 258},
        {"<i4", {0, 0, 0, 0x80}, -2147483648.0},
        {"<u4", {0, 0, 0, 0x80}, 2147483648.0},
    };
    struct npy npy;
    char header[128];
    (void)state;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1, 1), }  \n",
                 row[k].type);
        const size_t item = (size_t)(row[k].type[2] - '0');
        assert_null(parse(npy_make(header, row[k].item, item), &npy));
        assert_true(npy_item(&npy, 0) == row[k].value);
    }
}

static void shapes_are_read(void **state)
{
    static const char *const good[] = {"(2, 3)", "(2,3)", "(6,)", "( 3 , 2 )", "(6)"};
    static const char *const bad[] = {
        "(2, 3, 1)", "(0, 3)", "(-2, 3)", "(2, 99999999999999999999)", "(4, 2)", "2, 3",
        "(2 3 a)",   "(2, 3",  "",        "(2147483647, 2147483647)",  "(x)",    "()"};
    static const uint8_t data[6] = {1, 2, 3, 4, 5, 6};
    struct npy npy;
    char header[128];
    (void)state;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        snprintf(header, sizeof header, "{'descr': '|u1', 'fortran_order': False, 'shape': %s}", good[k]);
        assert_null(parse(npy_make(header, data, 6), &npy));
        assert_int_equal(npy.shape[0] * npy.shape[1], 6);
        assert_true(npy_item(&npy, 5) == 6);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        snprintf(header, sizeof header, "{'descr': '|u1', 'fortran_order': False, 'shape': %s}", bad[k]);
        assert_non_null(parse(npy_make(header, data, 6), &npy));
    }
}

static void other_headers_are_refused(void **state)
{
    static const char *const bad[] = {
        "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f",
        "{'descr': '",
        "{'descr'",
        "",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}",
        "{'descr': '<f4', 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': False}",
    };
    struct npy npy;
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_non_null(parse(npy_make(bad[k], "\0\0\0", 4), &npy));
    const size_t length = npy_make("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}", "\0\0\0", 4);
    for (size_t n = 0; n < length; n++) { /* in memory of exactly that size, for the sanitizer */
        uint8_t *const cut = malloc(n ? n : 1);
        assert_non_null(cut);
        memcpy(cut, bytes, n);
        assert_non_null(npy_parse((struct span){cut, n}, &npy));
        free(cut);
    }
    assert_null(parse(length, &npy));
}

/* ---- Archives ----------------------------------------------------------------------------------------- */

static size_t put(uint8_t *out, size_t at, uint64_t value, int count)
{
    for (int k = 0; k < count; k++)
        out[at + (size_t)k] = (uint8_t)(value >> 8 * k);
    return at + (size_t)count;
}

/* A ZIP with one file, its directory and its end. */
static size_t zip_make(uint8_t *zip, const char *name, const uint8_t *data, size_t count, int deflated)
{
    static uint8_t packed[ROOM];
    const size_t n = strlen(name);
    struct libdeflate_compressor *const deflate = libdeflate_alloc_compressor(6);
    const size_t length =
        deflated ? libdeflate_deflate_compress(deflate, data, count, packed, sizeof packed) : count;
    libdeflate_free_compressor(deflate);
    if (!deflated)
        memcpy(packed, data, count);
    size_t at = put(zip, 0, 0x04034B50, 4);
    at = put(zip, at, 20, 4); /* version, flags */
    at = put(zip, at, deflated ? 8 : 0, 2);
    at = put(zip, at, 0, 8); /* time, checksum */
    at = put(zip, put(zip, at, length, 4), count, 4);
    at = put(zip, put(zip, at, n, 2), 0, 2);
    memcpy(zip + at, name, n);
    at += n;
    memcpy(zip + at, packed, length);
    at += length;
    const size_t directory = at;
    at = put(zip, at, 0x02014B50, 4);
    at = put(zip, put(zip, at, 20, 2), 20, 4);
    at = put(zip, at, deflated ? 8 : 0, 2);
    at = put(zip, at, 0, 8);
    at = put(zip, put(zip, at, length, 4), count, 4);
    at = put(zip, put(zip, at, n, 2), 0, 2);
    at = put(zip, put(zip, at, 0, 8), 0, 6); /* comment, disk, attributes; place */
    memcpy(zip + at, name, n);
    at += n;
    const size_t end = at;
    at = put(zip, at, 0x06054B50, 4);
    at = put(zip, at, 0, 4);
    at = put(zip, put(zip, at, 1, 2), 1, 2);
    at = put(zip, put(zip, at, end - directory, 4), directory, 4);
    return put(zip, at, 0, 2);
}

static void members_are_unpacked(void **state)
{
    static uint8_t zip[ROOM];
    static const uint8_t text[] = "plain words, plain words, plain words";
    struct span owned;
    char name[8];
    (void)state;
    for (int deflated = 0; deflated < 2; deflated++) {
        const size_t length = zip_make(zip, "heights.npy", text, sizeof text, deflated);
        assert_null(npz_member((struct span){zip, length}, 0, 1000, name, sizeof name, &owned));
        assert_string_equal(name, "heights");
        assert_int_equal(owned.bytes, sizeof text);
        assert_memory_equal(owned.data, text, sizeof text);
        free((void *)(uintptr_t)owned.data);
        assert_string_equal(npz_member((struct span){zip, length}, 1, 1000, name, sizeof name, &owned), "");
        assert_non_null(
            npz_member((struct span){zip, length}, 0, 10, name, sizeof name, &owned)); /* too large */
    }
}

/* Every byte of an archive set to what hurts, and every length: refused or unpacked, never a wrong access. */
static void damaged_archives_are_survived(void **state)
{
    static const uint8_t values[] = {0, 1, 0x7F, 0x80, 0xFF};
    static uint8_t zip[ROOM];
    static const uint8_t text[] = "plain words, plain words, plain words";
    const size_t length = zip_make(zip, "a.npy", text, sizeof text, 1);
    uint8_t *const copy = malloc(length);
    struct span owned;
    char name[8];
    (void)state;
    assert_non_null(copy);
    for (size_t at = 0; at < length; at++)
        for (size_t v = 0; v < sizeof values; v++) {
            memcpy(copy, zip, length);
            copy[at] = values[v];
            for (int index = 0; index < 2; index++)
                if (!npz_member((struct span){copy, length}, index, 1 << 20, name, sizeof name, &owned))
                    free((void *)(uintptr_t)owned.data);
        }
    free(copy);
    for (size_t n = 0; n < length; n++) {
        uint8_t *const cut = malloc(n ? n : 1);
        assert_non_null(cut);
        memcpy(cut, zip, n);
        const char *const problem = npz_member((struct span){cut, n}, 0, 1 << 20, name, sizeof name, &owned);
        assert_true(problem && *problem);
        free(cut);
    }
}

/* ---- Rasters ------------------------------------------------------------------------------------------ */

static char path[] = "/tmp/test_analyze_XXXXXX/raster.npy";
enum { FOLDER = sizeof "/tmp/test_analyze_XXXXXX" - 1 };

static void save(const void *data, size_t count)
{
    FILE *const out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, count, out), count);
    assert_int_equal(fclose(out), 0);
}

static int make_folder(void **state)
{
    (void)state;
    path[FOLDER] = 0;
    const int made = mkdtemp(path) ? 0 : -1;
    path[FOLDER] = '/';
    return made;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    path[FOLDER] = 0;
    return rmdir(path);
}

static void floats_are_rows_of_a_width(void **state)
{
    float sample[SIDE * SIDE];
    struct raster raster;
    (void)state;
    for (int k = 0; k < SIDE * SIDE; k++)
        sample[k] = (float)k;
    memcpy(path + FOLDER, "/raster.f32", sizeof "/raster.f32");
    save(sample, sizeof sample);
    assert_int_equal(raster_read(&raster, path, SIDE, NULL), 0);
    assert_int_equal(raster.width, SIDE);
    assert_int_equal(raster.height, SIDE);
    assert_true(raster_at(&raster, 3, 2) == 2 * SIDE + 3);
    raster_free(&raster);
    assert_int_equal(raster_read(&raster, path, 0, NULL), 2);
    assert_int_equal(raster_read(&raster, path, SIDE, "x"), 2);
    assert_int_equal(raster_read(&raster, path, 17, NULL), 1);
    assert_int_equal(raster_read(&raster, path, 32, NULL), 1); /* 8 rows */
    sample[100] = (float)NAN;
    save(sample, sizeof sample);
    assert_int_equal(raster_read(&raster, path, SIDE, NULL), 1);
    sample[100] = 1e8f;
    save(sample, sizeof sample);
    assert_int_equal(raster_read(&raster, path, SIDE, NULL), 1);
    save(sample, 0);
    assert_int_equal(raster_read(&raster, path, SIDE, NULL), 1);
    unlink(path);
    assert_int_equal(raster_read(&raster, path, SIDE, NULL), 1);
}

static void arrays_are_rasters(void **state)
{
    static uint8_t zip[ROOM];
    uint8_t sample[2 * SIDE * SIDE] = {0};
    struct raster raster;
    double number;
    (void)state;
    sample[2 * 5] = 7;
    const size_t length =
        npy_make("{'descr': '<i2', 'fortran_order': False, 'shape': (16, 16), }", sample, sizeof sample);
    memcpy(path + FOLDER, "/raster.npy", sizeof "/raster.npy");
    save(bytes, length);
    assert_int_equal(raster_read(&raster, path, 0, NULL), 0);
    assert_true(raster_at(&raster, 5, 0) == 7);
    raster_free(&raster);
    assert_int_equal(raster_read(&raster, path, 16, NULL), 2);
    save(bytes, length - 1);
    assert_int_equal(raster_read(&raster, path, 0, NULL), 1);
    unlink(path);
    memcpy(path + FOLDER, "/raster.npz", sizeof "/raster.npz");
    save(zip, zip_make(zip, "heights.npy", bytes, length, 1));
    assert_int_equal(raster_read(&raster, path, 0, NULL), 0);
    raster_free(&raster);
    assert_int_equal(raster_read(&raster, path, 0, "heights"), 0);
    raster_free(&raster);
    assert_int_equal(raster_read(&raster, path, 0, "height"), 1);
    assert_int_equal(raster_read_number(path, "heights", &number), 1); /* no number */
}

/* ---- Coasts ------------------------------------------------------------------------------------------- */

static void a_coast_is_found(void **state)
{
    const struct site lands_end = {50.07, -5.72}, cape_wrath = {58.63, -5.00}, duncansby = {58.64, -3.03};
    const struct site dover = {51.13, 1.33};
    struct shoreline west, east;
    (void)state;
    if (access(SHORELINE_FILE, R_OK) != 0)
        skip();
    assert_int_equal(shoreline_read(SHORELINE_FILE, lands_end, cape_wrath, duncansby, &west), 0);
    assert_int_equal(shoreline_read(SHORELINE_FILE, lands_end, dover, duncansby, &east), 0);
    assert_in_range(west.points, 3000, 6000);
    assert_in_range(east.points, 2000, 5000);
    for (int end = 0; end < 2; end++) { /* both ways round start and end alike */
        const struct site a = west.point[end ? west.points - 1 : 0],
                          b = east.point[end ? east.points - 1 : 0];
        assert_true(a.latitude == b.latitude && a.longitude == b.longitude);
    }
    for (size_t k = 1; k < west.points; k++) { /* no jumps: 10 km at most */
        assert_true(fabs(west.point[k].latitude - west.point[k - 1].latitude) < 0.1);
        assert_true(fabs(remainder(west.point[k].longitude - west.point[k - 1].longitude, 360)) < 0.2);
    }
    shoreline_free(&west);
    shoreline_free(&east);
    assert_int_equal(shoreline_read("/dev/null", lands_end, dover, duncansby, &east), -1);
    assert_int_equal(shoreline_read(SHORELINE_FILE, (struct site){-50, -120}, dover, duncansby, &east),
                     -1); /* at sea */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_read),
        cmocka_unit_test(shapes_are_read),
        cmocka_unit_test(other_headers_are_refused),
        cmocka_unit_test(members_are_unpacked),
        cmocka_unit_test(damaged_archives_are_survived),
        cmocka_unit_test_setup_teardown(floats_are_rows_of_a_width, make_folder, NULL),
        cmocka_unit_test_teardown(arrays_are_rasters, remove_folder),
        cmocka_unit_test(a_coast_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
