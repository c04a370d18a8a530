/*
 * Request targets (server/tile/target.c): their paths: routes, coordinates, levels, seeds and formats.
 */
#include "target_kit.h"

TEST(routes_are_found)
{
    static const struct {
        enum route route;
        const char *targets;
    } good[] = {
        {ROUTE_HEALTH, "/healthz|/healthz?verbose=1"},
        {ROUTE_READY, "/readyz"},
        {ROUTE_METRICS, "/metrics"},
        {ROUTE_WORLD, "/world/42|/world/home?" NEWEST},
        {ROUTE_TILE, "/tile/42/0/0/0|/tile/42/0/0/0.png|/%74ile/42/0/0/0.%70ng"},
        {ROUTE_STATUS, "/tile/42/0/0/0.png/status|/tile/42/0/0/0/status"},
        {ROUTE_XYZ, "/xyz/42/0/0/0.png|/xyz/42/18/262143/262143.f32"},
        {ROUTE_TILEJSON, "/xyz/home/tile.json|/xyz/42/tile.json?layer=relief"},
        {ROUTE_TERRAIN, "/terrain/42/0/1/0.terrain"},
        {ROUTE_LAYER, "/terrain/42/layer.json"},
        {ROUTE_3DTILES, "/3dtiles/42/0/0/0.glb"},
        {ROUTE_TILESET, "/3dtiles/42/0/0/0.subtree|/3dtiles/42/tileset.json"},
        {ROUTE_STYLE, "/style/42.json|/style/home.json?layer=hillshade"},
        {ROUTE_GDAL, "/gdal/42.xml"},
        {ROUTE_POINT, "/point/42?x=0&y=0"},
        {ROUTE_REGION, "/region/42.f32?x0=0&y0=0&w=1&h=1"},
        {ROUTE_PATH, "/path/42?x0=0&y0=0&w=1&h=1"},
        {ROUTE_BATCH, "/tiles"},
        {ROUTE_VIEWER, "/|/?seed=42|/viewer/app.js"},
        {ROUTE_PREFETCH, "/prefetch"},
        {ROUTE_OPENAPI, "/openapi.json"},
    };

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        for (const char *at = good[i].targets, *word; (word = word_next(&at));)
            assert_int_equal(parse_good(word).route, good[i].route);
    assert_each_refused("$",
                        "|*|?|tile/42/0/0/0.png|healthz|/healthz/|//healthz|/Healthz|/tile|/tile/|/tile/42|"
                        "/tile/42/0/0|/tile/42/0/0/0.png/|/tile/42/0/0/0/0|/tiles/42/0/0/0.png|/world|"
                        "/world/42/|/worlds/42|/world/42/x|/a/b/c/d/e/f/g/h|////|"
                        "/tile/42/0/0/0.png%3fsize=64/..|/../tile/42/0/0/0.png|/xyz|/xyz/42|/xyz/42/0/0|"
                        "/xyz/42/tile.jsonx|/xyz/42/layer.json|/xyz/42/0/0/0/0.png|"
                        "/xyz/42/0/0/0.png/status|/terrain/42/tile.json|/terrain/42/0/0|/style/42|"
                        "/style/42.xml|/style/42.json/|/style/42.json.json|/gdal/42|/gdal/42.json|/point|"
                        "/point/42/1|/region/42/1.f32|/tiles/|/viewer|/viewer/|/viewer/a/b",
                        404, "path");
    assert_each_refused("/tile/1/2/3/4.$", "|PNG|jpg|png.png|pn|pngx|f|png%20|tiff|terrain", 400, "ext");
}

TEST(absolute_targets_are_their_path)
{
    static const struct tile_key key = {.seed = 42, .x = 1, .y = -2, .size = 64};

    assert_key("http://host/tile/42/0/1/-2.png?size=64", key);
    assert_key("https://user@host:8443/tile/42/0/1/-2.png?size=64", key);
    assert_key("HTTP://HOST/tile/42/0/1/-2.png?size=64", key);
    assert_key("http:///tile/42/0/1/-2.png?size=64", key);
    assert_int_equal(parse_good("http://[::1]:8080/healthz").route, ROUTE_HEALTH);
    assert_each_refused("$",
                        "http://|http://host|http://host?/healthz|http://host?|http:/healthz|"
                        "ftp://host/healthz|http//host/healthz|http://host?at=http://host/healthz",
                        404, "path");
}

TEST(coordinates_are_plain_decimals)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-1", -1},
                {"10", 10},
                {"-908", -908},
                {"1099511627775", LIMIT - 1},
                {"-1099511627776", -LIMIT},
                {"%31%32", 12},
                {"%2d3", -3},
                {"%2D3", -3}};
    static const char ill[] =
        "|-|-0|+1|01|00|-01|--1|1-|1e3|0x10|1 | 1|%201|1_000|1,5|\t1|\xd9\xa1|NaN|inf|a|%2B1";
    static const char far[] =
        "1099511627776|-1099511627777|4611686018427387904|4611686018427387905|9223372036854775808|"
        "-9223372036854775808|18446744073709551616|-18446744073709551616|"
        "100000000000000000000000000000000000000000";
    struct tile_key key = {.seed = 1, .level = 3, .format = FORMAT_F32, .size = 257};
    char text[200];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "/tile/1/3/%s/5.f32", good[i].text);
        key.x = good[i].value, key.y = 5;
        assert_key(text, key);
        snprintf(text, sizeof text, "/tile/1/3/-5/%s.f32", good[i].text);
        key.x = -5, key.y = good[i].value;
        assert_key(text, key);
    }
    assert_each_refused("/tile/1/3/$/5.f32", ill, 400, "x");
    assert_each_refused("/tile/1/3/5/$.f32", ill, 400, "y");
    assert_each_refused("/tile/1/$/5/5.f32", ill, 400, "lod");
    assert_refused("/tile/1/3/1%2E5/5.f32", 400, "x");
    assert_each_refused("/tile/1/3/$/5.f32", far, 404, "x");
    assert_each_refused("/tile/1/3/5/$.f32", far, 404, "y");
    assert_each_refused("/tile/1/$/5/5.f32", far, 404, "lod");
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
    static const char bad[] =
        "|-1|+1|01|00|1.5|18446744073709551616|0x|0x00000000000000001|0xg|0x-1|x y|-a|_a|a.b|a:b|a%20b|"
        "1a|\xc3\xa9t|a\xc3\xa9|%c3%a9|42 |a~|a%7f";
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
    assert_each_refused("/world/$", bad, 400, "seed");
    assert_each_refused("/tile/$/0/0/0.png", bad, 400, "seed");
    memset(name, 'n', 65);
    name[64] = '\0';
    snprintf(text, sizeof text, "/world/%s", name);
    assert_int_equal(parse_good(text).key.seed, terrane_seed_from_name(name, 64));
    snprintf(text, sizeof text, "/world/%sn", name);
    assert_refused(text, 400, "seed");
}

GROUP(target_paths);
