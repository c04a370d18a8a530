/*
 * Request targets (server/tile/target.c): documents, windows of samples, places, and files of the viewer.
 */
#include "../../../server/tile/target_text.h"
#include "target_kit.h"

/* Behind their ends: tests/http/test_openapi.py. */
TEST(regions_are_windows)
{
    const struct target target =
        parse_good("/region/42.npy?x0=-281474976710656&y0=281474976710655&w=4097&h=1&lod=24&layer=surface");
    char text[120];
    assert_int_equal(target.window.x0, -LIMIT * 256);
    assert_int_equal(target.window.y0, LIMIT * 256 - 1);
    assert_int_equal(target.window.width, 4097);
    assert_int_equal(target.window.height, 1);
    assert_int_equal(target.key.level, 24);
    assert_int_equal(target.key.format, FORMAT_NPY);
    assert_int_equal(target.key.layer, LAYER_SURFACE);
    assert_each_refused("/region/42.f32?$", "|x0=1.5&y0=0&w=1&h=1", 400, "x0");
    assert_refused("/region/42.f32?x0=0&w=1&h=1", 400, "y0");
    assert_each_refused("/region/42.f32?x0=0&y0=0&$", "h=1|w=0&h=1", 400, "w");
    assert_each_refused("/region/42.f32?x0=0&y0=0&$", "w=1|w=1&h=-1", 400, "h");
    assert_each_refused("/region/42.f32?x0=0&y0=0&w=1&h=1&lod=$", "25|-1", 404, "lod");
    assert_each_refused("/region/42.f32?x0=0&y0=0&w=1&h=1&lod=$", "1.0|1&lod=1", 400, "lod");
    for (int format = 0; format < FORMATS; format++) {
        if (!tile_ending_name[format])
            continue;
        snprintf(text, sizeof text, "/region/42.%s?x0=0&y0=0&w=1&h=1", tile_format_name[format]);
        if (!format_row[format].window)
            assert_refused(text, 400, "ext");
        else
            assert_int_equal(parse_good(text).key.format, format);
    }
    assert_refused("/region/42?x0=0&y0=0&w=1&h=1", 400, "ext");
}

TEST(places_are_metres)
{
    static const char ill[] =
        "|a|+1|1.|.5|--1|1,5|nan|inf|-inf|0x1|-|01|1e|1e+|1e3.5|1 |%201|1e999|-1e309|1f|1.e3";
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},
                {"-0.5", -0.5},
                {"12.25", 12.25},
                {"-1200", -1200},
                {"0.000000001", 1e-9},
                {"4611686018427387903", 4611686018427387903.0},
                {"1200.3000000000002", 1200.3000000000002},
                {"1e3", 1000},
                {"1E+3", 1000},
                {"-1.5e-7", -1.5e-7},
                {"0.1234567890123456789", 0.1234567890123456789},
                {"99999999999999999999", 1e20},
                {"1e-999", 0},
                {"-0", 0}};
    char text[NUMBER_BYTES + 60];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "/point/42?x=%s&y=-1.5&lod=3", good[i].text);
        const struct target target = parse_good(text);
        assert_true(target.place.given);
        assert_true(target.place.x_m == good[i].value && target.place.y_m == -1.5);
        assert_int_equal(target.key.level, 3);
    }
    assert_each_refused("/point/42?x=$&y=0", ill, 400, "x");
    assert_each_refused("/point/42?x=0&y=$", ill, 400, "y");
    for (int bytes = NUMBER_BYTES; bytes <= NUMBER_BYTES + 1; bytes++) {
        snprintf(text, sizeof text, "/point/42?x=0.%0*d&y=1", bytes - 2, 7);
        if (bytes == NUMBER_BYTES)
            assert_true(parse_good(text).place.x_m == 0);
        else
            assert_refused(text, 400, "x");
    }
    assert_false(parse_good("/point/42").place.given);
    assert_false(parse_good("/point/42?x=1").place.given);
}

TEST(files_are_named)
{
    char text[100] = "/viewer/";
    assert_string_equal(parse_good("/").file, "");
    assert_string_equal(parse_good("/viewer/app-0a.js?x").file, "app-0a.js");
    memset(text + 8, 'a', TARGET_FILE_BYTES);
    assert_refused(text, 404, "path");
    text[8 + TARGET_FILE_BYTES - 1] = 0;
    assert_int_equal(strlen(parse_good(text).file), TARGET_FILE_BYTES - 1);
}

GROUP(target_documents);
