/*
 * Request targets (server/tile/target.c): documents, windows of samples, places, and files of the viewer.
 */
#include "../../../server/tile/target_text.h"
#include "target_kit.h"

TEST(documents_keep_what_they_hand_on)
{
    struct target target =
        parse_good("/xyz/peaks/tile.json?layer=surface&enc=mapbox&variant=base&origin=-1,2");
    assert_true(target.configured);
    assert_string_equal(target.name, "peaks");
    assert_ptr_equal(target.recipe, &other);
    assert_int_equal(target.key.seed, 3);
    assert_int_equal(target.key.layer, LAYER_SURFACE);
    assert_int_equal(target.key.enc, ENC_MAPBOX);
    assert_int_equal(target.key.variant, VARIANT_BASE);
    assert_int_equal(target.page_x, -1);
    assert_int_equal(target.page_y, 2);
    target = parse_good("/gdal/42.xml?recipe=alpine");
    assert_false(target.configured);
    assert_string_equal(target.name, "");
    assert_true(target.names_recipe);
    assert_int_equal(target.key.layer, LAYER_HEIGHT);
    assert_int_equal(target.key.variant, VARIANT_UNSAID);
    assert_int_equal(parse_good("/style/42.json").key.layer, LAYER_RELIEF);
    assert_int_equal(parse_good("/style/42.json?layer=height").key.layer, LAYER_HEIGHT);
    assert_int_equal(parse_good("/terrain/42/layer.json").key.layer, LAYER_SURFACE);
    assert_int_equal(parse_good("/terrain/42/layer.json?layer=height").key.layer, LAYER_HEIGHT);
    assert_refused("/xyz/42/tile.json?layer=lava", 400, "layer");
    assert_refused("/style/4%202.json", 400, "seed");
    assert_refused("/gdal/42.xml?recipe=nobody", 404, "recipe");
    assert_refused("/terrain/42/layer.json?v=1", 410, "v");
}

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
    assert_refused("/region/42.f32?x0=0&y0=0&w=4098&h=1", 413, "w");
    assert_refused("/region/42.f32?x0=0&y0=0&w=1&h=18446744073709551616", 413, "h");
    assert_refused("/region/42.f32?x0=281474976710656&y0=0&w=1&h=1", 404, "x0");
    assert_refused("/region/42.f32?x0=0&y0=-281474976710657&w=1&h=1", 404, "y0");
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

/* /path: a window, without a format; layer, variant, enc and size are names that it does not know. */
TEST(lines_are_of_windows)
{
    struct target target = parse_good("/path/42?x0=-5&y0=7&w=4097&h=1&lod=24");
    assert_true(target.route == ROUTE_PATH && target.key.seed == 42 && !target.geographic);
    assert_true(target.window.x0 == -5 && target.window.y0 == 7);
    assert_true(target.window.width == 4097 && target.window.height == 1 && target.key.level == 24);
    target = parse_good("/path/home?x0=0&y0=0&w=1&h=1&crs=geographic&layer=lava&variant=x&enc=y&size=0&x=z");
    assert_true(target.geographic && target.configured && target.key.level == 0);
    assert_false(parse_good("/path/42?x0=0&y0=0&w=1&h=1&crs=world").geographic);
    parse_good("/region/42.f32?x0=0&y0=0&w=1&h=1&crs=mars"); /* which knows no such name */
    assert_refused("/path/42?", 400, "x0");
    assert_each_refused("/path/42?x0=0&y0=0&w=1&h=1&crs=$", "EPSG:4326||world&crs=world", 400, "crs");
    assert_refused("/path/42?x0=0&y0=0&w=1&h=1&v=1", 410, "v");
    assert_refused("/path/-1?x0=0&y0=0&w=1&h=1", 400, "seed");
    assert_refused("/path/42.json?x0=0&y0=0&w=1&h=1", 400, "seed");
    assert_refused("/path/42/0?x0=0&y0=0&w=1&h=1", 404, "path");
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
