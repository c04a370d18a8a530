/*
 * Request targets (server/tile/target.c): their paths: routes, coordinates, levels, seeds and formats.
 */
#include "../unit.h"

#include "target_kit.h"

TEST(routes_are_found)
{
    static const struct {
        const char *text;
        enum route route;
    } good[] = {
        {"/healthz", ROUTE_HEALTH},
        {"/healthz?verbose=1", ROUTE_HEALTH},
        {"/readyz", ROUTE_READY},
        {"/metrics", ROUTE_METRICS},
        {"/world/42", ROUTE_WORLD},
        {"/world/home?v=6", ROUTE_WORLD},
        {"/tile/42/0/0/0", ROUTE_TILE},
        {"/tile/42/0/0/0.png", ROUTE_TILE},
        {"/%74ile/42/0/0/0.%70ng", ROUTE_TILE},
        {"/tile/42/0/0/0.png/status", ROUTE_STATUS},
        {"/tile/42/0/0/0/status", ROUTE_STATUS},
        {"/xyz/42/0/0/0.png", ROUTE_XYZ},
        {"/xyz/42/18/262143/262143.f32", ROUTE_XYZ},
        {"/xyz/home/tile.json", ROUTE_TILEJSON},
        {"/xyz/42/tile.json?layer=relief", ROUTE_TILEJSON},
        {"/terrain/42/0/1/0.terrain", ROUTE_TERRAIN},
        {"/terrain/42/layer.json", ROUTE_LAYER},
        {"/3dtiles/42/0/0/0.glb", ROUTE_3DTILES},
        {"/3dtiles/42/0/0/0.subtree", ROUTE_TILESET},
        {"/3dtiles/42/tileset.json", ROUTE_TILESET},
        {"/style/42.json", ROUTE_STYLE},
        {"/style/home.json?layer=hillshade", ROUTE_STYLE},
        {"/gdal/42.xml", ROUTE_GDAL},
        {"/point/42?x=0&y=0", ROUTE_POINT},
        {"/region/42.f32?x0=0&y0=0&w=1&h=1", ROUTE_REGION},
        {"/path/42?x0=0&y0=0&w=1&h=1", ROUTE_PATH},
        {"/tiles", ROUTE_BATCH},
        {"/", ROUTE_VIEWER},
        {"/?seed=42", ROUTE_VIEWER},
        {"/viewer/app.js", ROUTE_VIEWER},
        {"/prefetch", ROUTE_PREFETCH},
        {"/openapi.json", ROUTE_OPENAPI},
    };
    static const char *const bad[] = {
        "",
        "*",
        "?",
        "tile/42/0/0/0.png",
        "healthz",
        "/healthz/",
        "//healthz",
        "/Healthz",
        "/tile",
        "/tile/",
        "/tile/42",
        "/tile/42/0/0",
        "/tile/42/0/0/0.png/",
        "/tile/42/0/0/0/0",
        "//tile/42/0/0/0.png",
        "/Tile/42/0/0/0.png",
        "/tiles/42/0/0/0.png",
        "/world",
        "/world/42/",
        "/worlds/42",
        "/world/42/x",
        "/a/b/c/d/e/f/g/h",
        "////",
        "/tile/42/0/0/0.png%3fsize=64/..",
        "/../tile/42/0/0/0.png",
        "/xyz",
        "/xyz/42",
        "/xyz/42/0/0",
        "/xyz/42/tile.jsonx",
        "/xyz/42/layer.json",
        "/xyz/42/0/0/0/0.png",
        "/xyz/42/0/0/0.png/status",
        "/terrain/42/tile.json",
        "/terrain/42/0/0",
        "/style/42",
        "/style/42.xml",
        "/style/42.json/",
        "/style/42.json.json",
        "/gdal/42",
        "/gdal/42.json",
        "/point",
        "/point/42/1",
        "/region/42/1.f32",
        "/tiles/",
        "/viewer",
        "/viewer/",
        "/viewer/a/b",
    };

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(parse_good(good[i].text).route, good[i].route);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i], 404, "path");
}

TEST(absolute_targets_are_their_path)
{
    static const struct tile_key key = {.seed = 42, .x = 1, .y = -2, .size = 64};
    static const char *const nothing[] = {
        "http://",       "http://host",        "http://host?/healthz", "http://host?",
        "http:/healthz", "ftp://host/healthz", "http//host/healthz",   "http://host?at=http://host/healthz"};

    assert_key("http://host/tile/42/0/1/-2.png?size=64", key);
    assert_key("https://user@host:8443/tile/42/0/1/-2.png?size=64", key);
    assert_key("HTTP://HOST/tile/42/0/1/-2.png?size=64", key);
    assert_key("http:///tile/42/0/1/-2.png?size=64", key);
    assert_int_equal(parse_good("http://[::1]:8080/healthz").route, ROUTE_HEALTH);
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        assert_refused(nothing[i], 404, "path");
}

TEST(coordinates_are_plain_decimals)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"0", 0},
        {"1", 1},
        {"-1", -1},
        {"10", 10},
        {"-908", -908},
        {"1099511627775", LIMIT - 1},
        {"-1099511627776", -LIMIT},
        {"%31%32", 12},
        {"%2d3", -3},
        {"%2D3", -3},
    };
    static const char *const ill[] = {
        "",   "-",    "-0",    "+1",  "01",  "00",       "-01", "--1", "1-", "1e3",  "0x10",  "1 ",
        " 1", "%201", "1_000", "1,5", "\t1", "\xd9\xa1", "NaN", "inf", "a",  "%2B1", "1%2E5",
    };
    static const char *const far[] = {
        "1099511627776",
        "-1099511627777",
        "4611686018427387904",
        "4611686018427387905",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551616",
        "100000000000000000000000000000000000000000",
        "-99999999999999999999999999",
    };
    char text[200];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "/tile/1/3/%s/5.f32", good[i].text);
        assert_key(text,
                   (struct tile_key){
                       .seed = 1, .x = good[i].value, .y = 5, .level = 3, .format = FORMAT_F32, .size = 257});
        snprintf(text, sizeof text, "/tile/1/3/-5/%s.f32", good[i].text);
        assert_key(
            text, (struct tile_key){
                      .seed = 1, .x = -5, .y = good[i].value, .level = 3, .format = FORMAT_F32, .size = 257});
    }
    for (size_t i = 0; i < sizeof ill / sizeof *ill; i++) {
        snprintf(text, sizeof text, "/tile/1/3/%s/5.f32", ill[i]);
        assert_refused(text, 400, "x");
        if (strchr(ill[i], 'E')) /* an escaped point is a point: it would end y */
            continue;
        snprintf(text, sizeof text, "/tile/1/3/5/%s.f32", ill[i]);
        assert_refused(text, 400, "y");
        snprintf(text, sizeof text, "/tile/1/%s/5/5.f32", ill[i]);
        assert_refused(text, 400, "lod");
    }
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        snprintf(text, sizeof text, "/tile/1/3/%s/5.f32", far[i]);
        assert_refused(text, 404, "x");
        snprintf(text, sizeof text, "/tile/1/3/5/%s.f32", far[i]);
        assert_refused(text, 404, "y");
        snprintf(text, sizeof text, "/tile/1/%s/5/5.f32", far[i]);
        assert_refused(text, 404, "lod");
    }
}

TEST(levels_are_0_to_24)
{
    char text[64];

    for (int level = -3; level < 30; level++) {
        snprintf(text, sizeof text, "/tile/1/%d/0/0.png", level);
        if (level >= 0 && level <= TERRANE_LEVEL_MAX)
            assert_key(text, (struct tile_key){.seed = 1, .level = level, .size = 256});
        else
            assert_refused(text, 404, "lod");
    }
}

TEST(seeds_are_numbers_or_names)
{
    static const struct {
        const char *text;
        uint64_t seed;
    } good[] = {
        {"0", 0},
        {"42", 42},
        {"18446744073709551615", UINT64_MAX},
        {"18446744073709551610", UINT64_MAX - 5},
        {"0x0", 0},
        {"0X2a", 42},
        {"0x2A", 42},
        {"0xffffffffffffffff", UINT64_MAX},
        {"0x000000000000002a", 42},
        {"0xFEDCBA9876543210", UINT64_C(0xfedcba9876543210)},
        {"home", 7},
        {"h%6Fme", 7},
        {"edge", UINT64_MAX},
    };
    static const char *const named[] = {"a", "Z", "Homer", "hom", "Home", "x0", "a-b_c", "A---", "e5", "NaN"};
    static const char *const bad[] = {
        "",
        "-1",
        "+1",
        "01",
        "00",
        "1.5",
        "18446744073709551616",
        "99999999999999999999",
        "0x",
        "0x00000000000000001",
        "0xg",
        "0x-1",
        "x y",
        "-a",
        "_a",
        "a.b",
        "a:b",
        "a%20b",
        "1a",
        "\xc3\xa9t\xc3\xa9",
        "a\xc3\xa9",
        "%c3%a9",
        "42 ",
        "a~",
        "a%7f",
    };
    char text[200], name[80];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "/world/%s", good[i].text);
        assert_int_equal(parse_good(text).key.seed, good[i].seed);
        snprintf(text, sizeof text, "/tile/%s/0/0/0.png", good[i].text);
        assert_int_equal(parse_good(text).key.seed, good[i].seed);
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        snprintf(text, sizeof text, "/world/%s", named[i]);
        assert_int_equal(parse_good(text).key.seed, terrane_seed_from_name(named[i], strlen(named[i])));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "/world/%s", bad[i]);
        assert_refused(text, 400, "seed");
        snprintf(text, sizeof text, "/tile/%s/0/0/0.png", bad[i]);
        assert_refused(text, 400, "seed");
    }
    memset(name, 'n', 65);
    name[64] = '\0';
    snprintf(text, sizeof text, "/world/%s", name);
    assert_int_equal(parse_good(text).key.seed, terrane_seed_from_name(name, 64));
    snprintf(text, sizeof text, "/world/%sn", name);
    assert_refused(text, 400, "seed");
}

TEST(seeds_need_no_configured_names)
{
    static const struct target_names none = {.standard = &standard};
    struct target target;

    target_parse(&target, "/world/home", 11, &none);
    assert_int_equal(target.status, 0);
    assert_int_equal(target.key.seed, terrane_seed_from_name("home", 4));
}

TEST(extensions_are_formats)
{
    static const char *const bad[] = {"",     "PNG", "jpg",    "png.png", "pn",
                                      "pngx", "f",   "png%20", "tiff",    "terrain"};
    char text[64];

    for (int format = 0; format < FORMATS; format++) {
        if (!tile_ending_name[format])
            continue;
        snprintf(text, sizeof text, "/tile/1/2/3/4.%s%s", tile_format_name[format],
                 format_row[format].carries == CARRIES_WORDS ? "?layer=objects" : "");
        const struct target target = parse_good(text);
        assert_int_equal(target.key.format, format);
        assert_false(target.negotiated);
        assert_false(target.pinned);
        assert_int_equal(target.key.size, format == FORMAT_PNG ? 256 : format == FORMAT_GLB ? 129 : 257);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "/tile/1/2/3/4.%s", bad[i]);
        assert_refused(text, 400, "ext");
    }
}

GROUP(target_paths);
