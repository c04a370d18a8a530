/*
 * Request targets (server/http/target.c).
 *
 * Targets are handed over in blocks of exactly their length, without a zero behind: under AddressSanitizer
 * every byte read too many is seen. Every refusal, expected or not, is checked for a sentence that can be
 * shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../server/http/target.h"
#include "../../server/recipe/recipe_json.h"

#define LIMIT TERRANE_TILE_LIMIT

/* The other one erodes. */
static const struct recipe standard = {.name = "default"},
                           other = {.name = "alpine", .world.erosion.levels = 3};

static bool world_named(const void *context, const char *name, size_t bytes, uint64_t *seed,
                        const struct recipe **recipe)
{
    assert_ptr_equal(context, &world_named);
    if (bytes == 4 && memcmp(name, "home", 4) == 0)
        *seed = 7;
    else if (bytes == 4 && memcmp(name, "edge", 4) == 0)
        *seed = UINT64_MAX;
    else if (bytes == 5 && memcmp(name, "peaks", 5) == 0)
        *seed = 3;
    else
        return false;
    *recipe = *seed == 3 ? &other : &standard;
    return true;
}

static const struct recipe *recipe_named(const void *context, const char *name, size_t bytes)
{
    assert_ptr_equal(context, &world_named);
    if (bytes == 7 && memcmp(name, "default", 7) == 0)
        return &standard;
    return bytes == 6 && memcmp(name, "alpine", 6) == 0 ? &other : NULL;
}

static const struct target_names names = {world_named, recipe_named, &world_named, &standard};

static void check_refusal(const struct target *target, const char *text)
{
    const size_t bytes = strnlen(target->detail, sizeof target->detail);

    if (target->status != 400 && target->status != 404 && target->status != 410 && target->status != 413)
        fail_msg("%s: status %u", text, target->status);
    assert_non_null(target->parameter);
    assert_true(bytes < sizeof target->detail);
    for (size_t i = 0; i < bytes; i++)
        assert_in_range(target->detail[i], ' ', '~');

    const size_t n = strlen(target->parameter);
    assert_memory_equal(target->detail, target->parameter, n);
    assert_int_equal(target->detail[n], '=');
}

static struct target parse_bytes(const char *text, size_t bytes)
{
    struct target target;
    char *const exact = malloc(bytes);

    assert_true(exact || bytes == 0);
    if (bytes > 0)
        memcpy(exact, text, bytes);
    memset(&target, 0x5a, sizeof target); /* all of it has to be filled */
    target_parse(&target, exact, bytes, &names);
    free(exact);
    if (target.status != 0)
        check_refusal(&target, text);
    return target;
}

static struct target parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static struct target parse_good(const char *text)
{
    const struct target target = parse(text);

    if (target.status != 0)
        fail_msg("%s: %u, %s", text, target.status, target.detail);
    return target;
}

static void assert_refused(const char *text, unsigned status, const char *parameter)
{
    const struct target target = parse(text);

    if (target.status != status)
        fail_msg("%s: %u instead of %u (%s)", text, target.status, status,
                 target.status ? target.detail : "fine");
    if (strcmp(target.parameter, parameter) != 0)
        fail_msg("%s: blames %s instead of %s", text, target.parameter, parameter);
}

static bool keys_equal(const struct tile_key *a, const struct tile_key *b)
{
    return a->seed == b->seed && a->x == b->x && a->y == b->y && a->level == b->level &&
           a->layer == b->layer && a->variant == b->variant && a->format == b->format && a->enc == b->enc &&
           a->size == b->size && a->shift == b->shift;
}

static void assert_key(const char *text, struct tile_key key)
{
    const struct target target = parse_good(text);

    assert_true(target_is_tile(&target));
    if (!keys_equal(&target.key, &key))
        fail_msg("%s: another key than expected", text);
}

/* ---- Paths --------------------------------------------------------------------------------------------- */

static void routes_are_found(void **state)
{
    static const struct {
        const char *text;
        enum metric_route route;
    } good[] = {
        {"/healthz", ROUTE_HEALTH},
        {"/healthz?verbose=1", ROUTE_HEALTH},
        {"/readyz", ROUTE_READY},
        {"/metrics", ROUTE_METRICS},
        {"/world/42", ROUTE_WORLD},
        {"/world/home?v=3", ROUTE_WORLD},
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
        {"/style/42.json", ROUTE_STYLE},
        {"/style/home.json?layer=hillshade", ROUTE_STYLE},
        {"/gdal/42.xml", ROUTE_GDAL},
        {"/point/42?x=0&y=0", ROUTE_POINT},
        {"/region/42.f32?x0=0&y0=0&w=1&h=1", ROUTE_REGION},
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

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(parse_good(good[i].text).route, good[i].route);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i], 404, "path");
}

static void absolute_targets_are_their_path(void **state)
{
    static const struct tile_key key = {.seed = 42, .x = 1, .y = -2, .size = 64};
    static const char *const nothing[] = {
        "http://",       "http://host",        "http://host?/healthz", "http://host?",
        "http:/healthz", "ftp://host/healthz", "http//host/healthz",   "http://host?at=http://host/healthz"};

    (void)state;
    assert_key("http://host/tile/42/0/1/-2.png?size=64", key);
    assert_key("https://user@host:8443/tile/42/0/1/-2.png?size=64", key);
    assert_key("HTTP://HOST/tile/42/0/1/-2.png?size=64", key);
    assert_key("http:///tile/42/0/1/-2.png?size=64", key);
    assert_int_equal(parse_good("http://[::1]:8080/healthz").route, ROUTE_HEALTH);
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        assert_refused(nothing[i], 404, "path");
}

static void coordinates_are_plain_decimals(void **state)
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

    (void)state;
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

static void levels_are_0_to_24(void **state)
{
    char text[64];

    (void)state;
    for (int level = -3; level < 30; level++) {
        snprintf(text, sizeof text, "/tile/1/%d/0/0.png", level);
        if (level >= 0 && level <= TERRANE_LEVEL_MAX)
            assert_key(text, (struct tile_key){.seed = 1, .level = level, .size = 256});
        else
            assert_refused(text, 404, "lod");
    }
}

static void seeds_are_numbers_or_names(void **state)
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

    (void)state;
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

static void seeds_need_no_configured_names(void **state)
{
    static const struct target_names none = {.standard = &standard};
    struct target target;

    (void)state;
    target_parse(&target, "/world/home", 11, &none);
    assert_int_equal(target.status, 0);
    assert_int_equal(target.key.seed, terrane_seed_from_name("home", 4));
}

static void extensions_are_formats(void **state)
{
    static const char *const bad[] = {"",     "PNG", "jpg",    "png.png", "pn",
                                      "pngx", "f",   "png%20", "tiff",    "terrain"};
    char text[64];

    (void)state;
    for (int format = 0; format < FORMATS_NAMED; format++) {
        snprintf(text, sizeof text, "/tile/1/2/3/4.%s", tile_format_name[format]);
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

/* ---- Queries ------------------------------------------------------------------------------------------- */

static void query_sets_the_key(void **state)
{
    struct tile_key key = {.seed = 5, .x = 1, .y = 2, .level = 3, .size = 256};

    (void)state;
    assert_key("/tile/5/3/1/2.png?", key);
    assert_key("/tile/5/3/1/2.png?&&&", key);
    assert_key("/tile/5/3/1/2.png?=&==&=1", key);
    assert_key("/tile/5/3/1/2.png?layer=height&variant=base&enc=terrarium&size=256&recipe=default", key);
    assert_key("/tile/5/3/1/2.png?Layer=normal&sizes=3&size%20=2&unknown&u=1&u=2",
               key); /* no names of ours */
    key.enc = ENC_MAPBOX;
    assert_key("/tile/5/3/1/2.png?enc=mapbox", key);
    assert_key("/tile/5/3/1/2.png?%65nc=%6Dapbox", key);
    key.enc = ENC_GRAY16;
    key.size = 33;
    assert_key("/tile/5/3/1/2.png?enc=gray16&size=33", key);
    assert_key("/tile/5/3/1/2.png?&size=33&&enc=gray16&", key);
    key = (struct tile_key){.seed = 5, .x = 1, .y = 2, .level = 3, .size = 256, .layer = LAYER_NORMAL};
    assert_key("/tile/5/3/1/2.png?layer=normal", key);
    assert_key("/tile/5/3/1/2.png?layer=normal&enc=mapbox", key); /* makes no difference to the answer */
    key.layer = LAYER_PARTITION;
    assert_key("/tile/5/3/1/2.png?layer=partition", key);
    key = (struct tile_key){.seed = 5, .x = 1, .y = 2, .level = 3, .size = 257, .format = FORMAT_R16};
    assert_key("/tile/5/3/1/2.r16?enc=gray16", key);
}

/* The five parameters in all 120 orders. */
static void query_has_no_order(void **state)
{
    static const char *const part[] = {"layer=height", "enc=gray16", "size=65", "v=3", "recipe=default"};
    struct tile_key key = {.seed = 5, .x = 1, .y = 2, .level = 3, .size = 65, .enc = ENC_GRAY16};
    char text[200];
    int orders = 0;

    (void)state;
    for (int code = 0; code < 3125; code++) {
        unsigned used = 0;
        size_t n = (size_t)snprintf(text, sizeof text, "/tile/5/3/1/2.png?");
        for (int i = 0, rest = code; i < 5; i++, rest /= 5) {
            used |= 1u << rest % 5;
            n += (size_t)snprintf(text + n, sizeof text - n, "%s&", part[rest % 5]);
        }
        if (used != 31)
            continue;
        assert_key(text, key);
        assert_true(parse_good(text).pinned);
        orders++;
    }
    assert_int_equal(orders, 120);
}

static void query_values_are_checked(void **state)
{
    static const struct {
        const char *query;
        unsigned status;
        const char *parameter;
    } bad[] = {
        {"layer=", 400, "layer"},
        {"layer", 400, "layer"},
        {"layer=Height", 400, "layer"},
        {"layer=heightt", 400, "layer"},
        {"layer=heigh", 400, "layer"},
        {"layer=lava", 400, "layer"},
        {"layer=height%00", 400, "target"},
        {"layer=height%20", 400, "layer"},
        {"layer=height=", 400, "layer"},
        {"layer=height%26size%3D3", 400, "layer"}, /* an escaped separator is none */
        {"variant=", 400, "variant"},
        {"variant=erode", 400, "variant"},
        {"variant=erodedd", 400, "variant"},
        {"variant=BASE", 400, "variant"},
        {"enc=", 400, "enc"},
        {"enc=gray", 400, "enc"},
        {"enc=grey16", 400, "enc"},
        {"layer=delta&variant=wet", 400, "variant"},
        {"v=", 400, "v"},
        {"v=01", 400, "v"},
        {"v=1.0", 400, "v"},
        {"v=-1", 400, "v"},
        {"v=x", 400, "v"},
        {"v=0", 410, "v"},
        {"v=2", 410, "v"},
        {"v=18446744073709551617", 410, "v"},
        {"recipe=", 400, "recipe"},
        {"recipe=1", 400, "recipe"},
        {"recipe=a.b", 400, "recipe"},
        {"recipe=Default", 404, "recipe"},
        {"recipe=defaul", 404, "recipe"},
        {"recipe=other", 404, "recipe"},
        {"size=64&size=64", 400, "size"},
        {"layer=normal&x=1&layer=height", 400, "layer"},
        {"v=3&v=3", 400, "v"},
        {"enc=mapbox&%65nc=mapbox", 400, "enc"},
        {"recipe=default&recipe=default", 400, "recipe"},
        {"variant=base&variant=base", 400, "variant"},
        {"size=%", 400, "target"},
        {"size=%6", 400, "target"},
        {"size=%6g", 400, "target"},
        {"%=1", 400, "target"},
        {"size=%-1", 400, "target"},
        {"size=6%004", 400, "target"},
        {"unknown=%2", 400, "target"},
        {"layer=x&size=y", 400, "layer"},
        {"size=y&layer=x", 400, "size"}, /* the first is named */
    };
    char text[200];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "/tile/1/2/3/4.png?%s", bad[i].query);
        assert_refused(text, bad[i].status, bad[i].parameter);
        snprintf(text, sizeof text, "/tile/1/2/3/4?%s", bad[i].query);
        assert_refused(text, bad[i].status, bad[i].parameter);
    }
}

static void sizes_are_checked(void **state)
{
    static const int good[] = {2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 256, 257, 512};
    static const char *const ill[] = {"",
                                      "0",
                                      "1",
                                      "-2",
                                      "+2",
                                      "02",
                                      "2.0",
                                      "2e1",
                                      "0x40",
                                      " 64",
                                      "64%20",
                                      "4097",
                                      "4098",
                                      "18446744073709551616",
                                      "18446744073709551680",
                                      "x"};
    char text[80];

    (void)state;
    for (int size = 0; size <= 1100; size++)
        for (int level = 0; level <= 1; level++)
            for (int format = 0; format < FORMATS_NAMED; format++) {
                bool fine = false;
                for (size_t i = 0; i < sizeof good / sizeof *good; i++)
                    fine = fine || (size == good[i] && (size != 512 || level > 0));
                fine = fine && (format != FORMAT_GLB || size % 2 != 0);
                snprintf(text, sizeof text, "/tile/1/%d/0/0.%s?size=%d", level, tile_format_name[format],
                         size);
                if (fine)
                    assert_int_equal(parse_good(text).key.size, size);
                else
                    assert_refused(text, 400, "size");
            }
    for (size_t i = 0; i < sizeof ill / sizeof *ill; i++) {
        snprintf(text, sizeof text, "/tile/1/1/0/0.png?size=%s", ill[i]);
        assert_refused(text, 400, "size");
    }
}

static void formats_are_those_of_the_layer(void **state)
{
    (void)state;
    assert_refused("/tile/1/0/0/0.r16?layer=normal", 400, "ext");
    assert_refused("/tile/1/0/0/0.r16?layer=partition", 400, "ext");
    assert_refused("/tile/1/0/0/0.f32?layer=relief", 400, "ext");
    assert_refused("/tile/1/0/0/0.npy?layer=hillshade", 400, "ext");
    assert_refused("/tile/1/0/0/0.r16?layer=water", 400, "ext");
    assert_refused("/tile/1/0/0/0.r16?layer=delta", 400, "ext");
    assert_refused("/tile/1/0/0/0.r16?layer=flow", 400, "ext");
    assert_refused("/tile/1/0/0/0.glb?layer=water", 400, "ext");
    assert_refused("/tile/1/0/0/0.tif?layer=relief", 400, "ext");
    assert_int_equal(parse_good("/tile/1/0/0/0.tif?layer=normal").key.layer, LAYER_NORMAL);
    assert_int_equal(parse_good("/tile/1/0/0/0.glb?layer=surface").key.layer, LAYER_SURFACE);
    assert_int_equal(parse_good("/tile/1/0/0/0.r16?layer=surface").key.layer, LAYER_SURFACE);
    assert_int_equal(parse_good("/tile/1/0/0/0.f32?layer=water").key.layer, LAYER_WATER);
    assert_int_equal(parse_good("/tile/1/0/0/0.npy?layer=delta").key.layer, LAYER_DELTA);
    assert_int_equal(parse_good("/tile/1/0/0/0.png?layer=flow").key.layer, LAYER_FLOW);
    assert_int_equal(parse_good("/tile/1/0/0/0.npy?layer=slope").key.layer, LAYER_SLOPE);
    assert_int_equal(parse_good("/tile/1/0/0/0.png?layer=relief").key.layer, LAYER_RELIEF);
    assert_int_equal(parse_good("/tile/1/0/0/0.f32?layer=partition").key.layer, LAYER_PARTITION);
    assert_int_equal(parse_good("/tile/1/0/0/0.json?layer=normal").key.layer, LAYER_NORMAL);
}

static void encodings_are_those_of_the_layer(void **state)
{
    (void)state;
    assert_int_equal(parse_good("/tile/1/0/0/0.png?layer=surface&enc=gray16").key.enc, ENC_GRAY16);
    assert_int_equal(parse_good("/tile/1/0/0/0.png?layer=delta&enc=mapbox").key.enc, ENC_MAPBOX);
    assert_refused("/tile/1/0/0/0.png?layer=delta&enc=gray16", 400, "enc");
    assert_int_equal(parse_good("/tile/1/0/0/0.f32?layer=delta&enc=gray16").key.enc, ENC_TERRARIUM);
    assert_int_equal(parse_good("/tile/1/0/0/0.png?layer=water&enc=gray16").key.enc, ENC_TERRARIUM);
    assert_int_equal(parse_good("/tile/1/0/0/0.png?layer=flow&enc=mapbox").key.enc, ENC_TERRARIUM);
    assert_int_equal(parse_good("/tile/1/0/0/0.glb?enc=quantised").key.enc, ENC_QUANTISED);
    assert_int_equal(parse_good("/tile/1/0/0/0.f32?enc=quantised").key.enc, ENC_TERRARIUM);
    assert_refused("/tile/1/0/0/0.glb?enc=mapbox", 400, "enc");
    assert_refused("/tile/1/0/0/0.glb?enc=gray16", 400, "enc");
    assert_refused("/tile/1/0/0/0.png?enc=quantised", 400, "enc");
}

/* The variant depends on the recipe, wherever in the target that is named. */
static void variants_default_by_recipe(void **state)
{
    static const struct {
        const char *target;
        enum tile_variant variant;
    } cases[] = {
        {"/tile/1/0/0/0.png", VARIANT_BASE},
        {"/tile/1/0/0/0.png?variant=eroded", VARIANT_BASE},
        {"/tile/1/0/0/0.png?layer=delta", VARIANT_BASE},
        {"/tile/peaks/0/0/0.png", VARIANT_ERODED},
        {"/tile/peaks/0/0/0.png?recipe=default", VARIANT_BASE},
        {"/tile/1/0/0/0.png?recipe=alpine", VARIANT_ERODED},
        {"/tile/1/0/0/0.png?variant=base&recipe=alpine", VARIANT_BASE},
        {"/tile/1/0/0/0.png?recipe=alpine&variant=base", VARIANT_BASE},
        {"/tile/1/0/0/0.png?recipe=alpine&variant=eroded", VARIANT_ERODED},
        {"/tile/1/0/0/0.png?recipe=alpine&layer=flow&variant=base", VARIANT_ERODED},
        {"/tile/1/0/0/0.f32?recipe=alpine&layer=delta&variant=base", VARIANT_ERODED},
        {"/tile/1/0/0/0.f32?recipe=alpine&layer=partition&variant=eroded", VARIANT_BASE},
        {"/tile/1/0/0/0.json?recipe=alpine&layer=partition", VARIANT_ERODED},
        {"/tile/1/0/0/0.json?recipe=alpine&layer=partition&variant=base", VARIANT_BASE},
        {"/tile/1/0/0/0.png?recipe=alpine&layer=water", VARIANT_ERODED},
        {"/tile/1/0/0/0.png?recipe=alpine&layer=water&variant=base", VARIANT_BASE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (parse_good(cases[i].target).key.variant != cases[i].variant)
            fail_msg("%s: not %s", cases[i].target, tile_variant_name[cases[i].variant]);
}

static void recipes_come_from_the_query_then_the_name(void **state)
{
    (void)state;
    assert_ptr_equal(parse_good("/tile/1/0/0/0.png").recipe, &standard);
    assert_ptr_equal(parse_good("/tile/1/0/0/0.png?recipe=alpine").recipe, &other);
    assert_ptr_equal(parse_good("/tile/home/0/0/0.png").recipe, &standard);
    assert_ptr_equal(parse_good("/tile/peaks/0/0/0.png").recipe, &other);
    assert_ptr_equal(parse_good("/tile/peaks/0/0/0.png?recipe=default").recipe, &standard);
    assert_ptr_equal(parse_good("/world/peaks").recipe, &other);
    assert_ptr_equal(parse_good("/world/1?recipe=%61lpine").recipe, &other);
}

static void version_pins(void **state)
{
    (void)state;
    assert_true(parse_good("/tile/1/0/0/0.png?v=3").pinned);
    assert_true(parse_good("/world/1?v=3").pinned);
    assert_false(parse_good("/world/1").pinned);
    assert_refused("/world/1?v=1", 410, "v");
    assert_refused("/world/1?recipe=other", 404, "recipe");
    assert_refused("/world/1?v=3&v=3", 400, "v");
}

/* ---- Pyramids ------------------------------------------------------------------------------------------ */

/* The tile of /xyz/{z}/{x}/{y} by the contract: its level is 18 - z, and the world's origin is the pyramid's middle. */
static void xyz_is_tiles_around_the_origin(void **state)
{
    char text[80];
    (void)state;
    assert_key("/xyz/5/0/0/0.png",
               (struct tile_key){.seed = 5, .level = 18, .size = 256, .shift = SHIFT_NORTH_WEST});
    for (int z = 1; z <= TILE_Z0; z++) {
        const int64_t half = INT64_C(1) << (z - 1), side = 2 * half;
        const int64_t at[] = {0, 1, half - 1, half, side - 1};
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) {
                snprintf(text, sizeof text, "/xyz/5/%d/%lld/%lld.f32", z, (long long)at[i], (long long)at[j]);
                assert_key(text, (struct tile_key){.seed = 5,
                                                   .level = 18 - z,
                                                   .x = at[i] - half,
                                                   .y = at[j] - half,
                                                   .format = FORMAT_F32,
                                                   .size = 256});
            }
        snprintf(text, sizeof text, "/xyz/5/%d/%lld/0.png", z, (long long)side);
        assert_refused(text, 404, "x");
        snprintf(text, sizeof text, "/xyz/5/%d/0/%lld.png", z, (long long)side);
        assert_refused(text, 404, "y");
    }
}

static void xyz_numbers_have_no_sign(void **state)
{
    static const char *const ill[] = {"", "-1", "-0", "+1", "01", "1.0", "0x1", "1e1", "a", "%201"};
    char text[80];
    (void)state;
    for (size_t i = 0; i < sizeof ill / sizeof *ill; i++) {
        snprintf(text, sizeof text, "/xyz/5/%s/0/0.png", ill[i]);
        assert_refused(text, 400, "z");
        snprintf(text, sizeof text, "/xyz/5/3/%s/0.png", ill[i]);
        assert_refused(text, 400, "x");
        if (strchr(ill[i], '.')) /* the ending begins there */
            continue;
        snprintf(text, sizeof text, "/xyz/5/3/0/%s.png", ill[i]);
        assert_refused(text, 400, "y");
    }
    assert_refused("/xyz/5/19/0/0.png", 404, "z");
    assert_refused("/xyz/5/18446744073709551616/0/0.png", 404, "z");
    assert_refused("/xyz/5/3/18446744073709551616/0.png", 404, "x");
    assert_refused("/xyz/5/0/1/0.png", 404, "x");
    assert_refused("/xyz/5/0/0/1.png", 404, "y");
    assert_refused("/xyz/5/3/8/-1.png", 400, "y"); /* before what is not there */
    assert_refused("/xyz/5/3/0/0", 400, "ext");
    assert_refused("/xyz/5/3/0/0.jpg", 400, "ext");
    assert_refused("/xyz/5/3/0/0.terrain", 400, "ext");
    assert_refused("/xyz/x%20y/3/0/0.png", 400, "seed");
}

/* A tile of the pyramid has 256 samples in every format that lies on a map, whatever /tile's default is. */
static void xyz_sizes(void **state)
{
    char text[80];
    (void)state;
    for (int format = 0; format < FORMATS_NAMED; format++) {
        snprintf(text, sizeof text, "/xyz/5/3/1/2.%s", tile_format_name[format]);
        const int size = format == FORMAT_GLB ? 129 : format == FORMAT_JSON ? 257 : 256;
        assert_int_equal(parse_good(text).key.size, size);
    }
    assert_int_equal(parse_good("/xyz/5/3/1/2.png?size=65").key.size, 65);
    const struct target twice = parse_good("/xyz/5/17/1/2@2x.png");
    assert_int_equal(twice.key.size, 512);
    assert_int_equal(twice.key.level, 1);
    assert_int_equal(parse_good("/xyz/5/0/0/0@2x.png").key.shift, SHIFT_NORTH_WEST);
    assert_refused("/xyz/5/18/1/2@2x.png", 404, "z");
    assert_refused("/xyz/5/17/1/2@3x.png", 400, "y");
    assert_refused("/xyz/5/17/1/@2x.png", 400, "y");
    assert_refused("/xyz/5/17/1/2@2x@2x.png", 400, "y");
    assert_refused("/xyz/5/17/1/2@2x.glb", 400, "size");
    assert_refused("/xyz/5/0/0/0.json", 400, "ext"); /* no tile of its own lies there */
}

/* Pages are as wide as the pyramid, at every z. */
static void xyz_pages_shift_the_pyramid(void **state)
{
    static const char *const ill[] = {"",    "0",    "0,",   ",0",   "1,2,3", "-0,0", "0;0",
                                      "a,b", "0,+1", "01,0", "0, 1", "0,1,",  ",",    "1.5,0"};
    char text[80];
    (void)state;
    assert_key(
        "/xyz/5/0/0/0.png?origin=3,-4",
        (struct tile_key){.seed = 5, .level = 18, .x = 3, .y = -4, .size = 256, .shift = SHIFT_NORTH_WEST});
    assert_key("/xyz/5/2/1/3.png?origin=3,-4",
               (struct tile_key){.seed = 5, .level = 16, .x = 3 * 4 - 1, .y = -4 * 4 + 1, .size = 256});
    assert_key(
        "/xyz/5/18/0/262143.png?origin=-4194303,4194303",
        (struct tile_key){.seed = 5, .x = -LIMIT + (1 << 17), .y = LIMIT - (1 << 17) - 1, .size = 256});
    for (size_t i = 0; i < sizeof ill / sizeof *ill; i++) {
        snprintf(text, sizeof text, "/xyz/5/2/1/3.png?origin=%s", ill[i]);
        assert_refused(text, 400, "origin");
        snprintf(text, sizeof text, "/xyz/5/tile.json?origin=%s", ill[i]);
        assert_refused(text, 400, "origin");
    }
    assert_refused("/xyz/5/2/1/3.png?origin=4194304,0", 404, "origin");
    assert_refused("/xyz/5/2/1/3.png?origin=0,-4194304", 404, "origin");
    assert_int_equal(parse_good("/tile/5/2/1/3.png?origin=x").status, 0); /* it has none */
}

/* Two tiles at the root, half a tile to the north of the world's; rows are counted from the south. */
static void terrain_is_a_globe_of_two_squares(void **state)
{
    char text[80];
    (void)state;
    for (int x = 0; x < 2; x++) {
        snprintf(text, sizeof text, "/terrain/5/0/%d/0.terrain", x);
        assert_key(text, (struct tile_key){.seed = 5,
                                           .level = 16,
                                           .x = x - 1,
                                           .layer = LAYER_SURFACE,
                                           .format = FORMAT_TERRAIN,
                                           .size = 65,
                                           .shift = SHIFT_NORTH});
    }
    for (int z = 1; z <= TILE_GLOBE_Z0; z++) {
        const int64_t rows = INT64_C(1) << z;
        for (int64_t south = 0; south < rows; south += south ? rows - 1 - south + (south == rows - 1) : 1) {
            snprintf(text, sizeof text, "/terrain/5/%d/%lld/%lld.terrain?layer=height&size=33", z,
                     (long long)(2 * rows - 1), (long long)south);
            assert_key(text, (struct tile_key){.seed = 5,
                                               .level = 16 - z,
                                               .x = rows - 1,
                                               .y = rows / 2 - 1 - south,
                                               .format = FORMAT_TERRAIN,
                                               .size = 33});
        }
        snprintf(text, sizeof text, "/terrain/5/%d/%lld/0.terrain", z, (long long)(2 * rows));
        assert_refused(text, 404, "x");
        snprintf(text, sizeof text, "/terrain/5/%d/0/%lld.terrain", z, (long long)rows);
        assert_refused(text, 404, "y");
    }
    assert_refused("/terrain/5/17/0/0.terrain", 404, "z");
    assert_refused("/terrain/5/1/-1/0.terrain", 400, "x");
    assert_refused("/terrain/5/1/0/0.png", 400, "ext");
    assert_refused("/terrain/5/1/0/0", 400, "ext");
    assert_refused("/terrain/5/1/0/0.terrain?layer=water", 400, "ext");
    assert_refused("/terrain/5/1/0/0.terrain?size=64", 400, "size");
}

/* ---- Documents, windows, places ------------------------------------------------------------------------ */

static void documents_keep_what_they_hand_on(void **state)
{
    struct target target =
        parse_good("/xyz/peaks/tile.json?layer=surface&enc=mapbox&variant=base&origin=-1,2");
    (void)state;
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

static void regions_are_windows(void **state)
{
    static const struct {
        const char *query;
        unsigned status;
        const char *parameter;
    } bad[] = {
        {"", 400, "x0"},
        {"x0=0&y0=0&w=1", 400, "h"},
        {"x0=0&y0=0&h=1", 400, "w"},
        {"x0=0&w=1&h=1", 400, "y0"},
        {"x0=0&y0=0&w=0&h=1", 400, "w"},
        {"x0=0&y0=0&w=1&h=-1", 400, "h"},
        {"x0=0&y0=0&w=4098&h=1", 413, "w"},
        {"x0=0&y0=0&w=1&h=18446744073709551616", 413, "h"},
        {"x0=1.5&y0=0&w=1&h=1", 400, "x0"},
        {"x0=281474976710656&y0=0&w=1&h=1", 404, "x0"},
        {"x0=0&y0=-281474976710657&w=1&h=1", 404, "y0"},
        {"x0=0&y0=0&w=1&h=1&lod=25", 404, "lod"},
        {"x0=0&y0=0&w=1&h=1&lod=-1", 404, "lod"},
        {"x0=0&y0=0&w=1&h=1&lod=1.0", 400, "lod"},
        {"x0=0&y0=0&w=1&h=1&lod=1&lod=1", 400, "lod"},
    };
    const struct target target =
        parse_good("/region/42.npy?x0=-281474976710656&y0=281474976710655&w=4097&h=1&lod=24&layer=surface");
    char text[120];
    (void)state;
    assert_int_equal(target.window.x0, -LIMIT * 256);
    assert_int_equal(target.window.y0, LIMIT * 256 - 1);
    assert_int_equal(target.window.width, 4097);
    assert_int_equal(target.window.height, 1);
    assert_int_equal(target.key.level, 24);
    assert_int_equal(target.key.format, FORMAT_NPY);
    assert_int_equal(target.key.layer, LAYER_SURFACE);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "/region/42.f32?%s", bad[i].query);
        assert_refused(text, bad[i].status, bad[i].parameter);
    }
    for (int format = 0; format < FORMATS_NAMED; format++) {
        snprintf(text, sizeof text, "/region/42.%s?x0=0&y0=0&w=1&h=1", tile_format_name[format]);
        if (format == FORMAT_JSON || format == FORMAT_GLB)
            assert_refused(text, 400, "ext");
        else
            assert_int_equal(parse_good(text).key.format, format);
    }
    assert_refused("/region/42?x0=0&y0=0&w=1&h=1", 400, "ext");
}

static void places_are_metres(void **state)
{
    static const char *const ill[] = {"",    "a",   "1e3", "+1",  "1.", ".5", "1.1234567890",
                                      "--1", "1,5", "nan", "0x1", "-"};
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},         {"-0.5", -0.5},        {"12.25", 12.25},
                {"-1200", -1200}, {"0.000000001", 1e-9}, {"4611686018427387903", 4611686018427387903.0}};
    char text[120];
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "/point/42?x=%s&y=-1.5&lod=3", good[i].text);
        const struct target target = parse_good(text);
        assert_true(target.place.given);
        assert_true(target.place.x_m == good[i].value && target.place.y_m == -1.5);
        assert_int_equal(target.key.level, 3);
    }
    for (size_t i = 0; i < sizeof ill / sizeof *ill; i++) {
        snprintf(text, sizeof text, "/point/42?x=%s&y=0", ill[i]);
        assert_refused(text, 400, "x");
        snprintf(text, sizeof text, "/point/42?x=0&y=%s", ill[i]);
        assert_refused(text, 400, "y");
    }
    assert_false(parse_good("/point/42").place.given);
    assert_false(parse_good("/point/42?x=1").place.given);
}

static void files_are_named(void **state)
{
    char text[100] = "/viewer/";
    (void)state;
    assert_string_equal(parse_good("/").file, "");
    assert_string_equal(parse_good("/viewer/app-0a.js?x").file, "app-0a.js");
    memset(text + 8, 'a', TARGET_FILE_BYTES);
    assert_refused(text, 404, "path");
    text[8 + TARGET_FILE_BYTES - 1] = 0;
    assert_int_equal(strlen(parse_good(text).file), TARGET_FILE_BYTES - 1);
}

/* ---- What comes first ---------------------------------------------------------------------------------- */

static void ill_formed_comes_before_out_of_range(void **state)
{
    (void)state;
    assert_refused("/tile/1/25/x/0.png", 400, "x");
    assert_refused("/tile/1/25/0/y.png", 400, "y");
    assert_refused("/tile/1/25/0/0.bmp", 400, "ext");
    assert_refused("/tile/1/0/1099511627776/y.png", 400, "y");
    assert_refused("/tile/1/0/1099511627776/0.bmp", 400, "ext");
    assert_refused("/tile/1/0/0/-1099511627777.bmp", 400, "ext");
    assert_refused("/tile/1/25/1099511627776/1099511627776.", 400, "ext");
    /* the earliest of several of a kind */
    assert_refused("/tile/-/a/b/c.d", 400, "seed");
    assert_refused("/tile/1/a/b/c.d", 400, "lod");
    assert_refused("/tile/1/0/b/c.d", 400, "x");
    assert_refused("/tile/1/0/0/c.d", 400, "y");
    assert_refused("/tile/1/25/1099511627776/1099511627776.png", 404, "lod");
    assert_refused("/tile/1/24/1099511627776/1099511627776.png", 404, "x");
    assert_refused("/tile/1/24/0/1099511627776.png", 404, "y");
    assert_refused("/tile/1/-1/0/1099511627776", 404, "lod");
}

static void separators_may_be_escaped_in_paths_only(void **state)
{
    static const struct tile_key key = {.seed = 42, .x = 1, .y = -2, .size = 256};

    (void)state;
    assert_key("/tile/42/0/1/%2D2%2Epng", key);
    assert_key("/tile%2F42%2f0/1/-2.png", key);                  /* decoded before it is cut */
    assert_refused("/tile/42/0/1/-2.png%3Fsize=64", 400, "ext"); /* but a query begins at a bare ? */
    assert_refused("/tile/42/0/1/-2.png?size=64?", 400, "size"); /* and at the first one */
}

static void escapes_are_whole(void **state)
{
    static const char *const bad[] = {"/%",
                                      "/%4",
                                      "/%4g",
                                      "/%g4",
                                      "/tile/42/0/1/-2.png%",
                                      "/tile/42/0/1/-2.png%6",
                                      "/%00",
                                      "/healthz%00",
                                      "/tile/42/0/1/%",
                                      "%",
                                      "/%%30"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i], 400, "target");
    assert_int_equal(parse_bytes("/healthz\0", 9).status, 400);
    assert_int_equal(parse_bytes("/world/4\0002", 10).status, 400);
    assert_int_equal(parse_bytes("/world/42?v\0=1", 14).status, 400);
}

/* At the decoder's limit, and one byte over it. */
static void long_targets_are_refused(void **state)
{
    enum { LIMIT_BYTES = 8192 };
    static char text[LIMIT_BYTES * 3 + 64];

    (void)state;
    memset(text, 'a', sizeof text);
    text[0] = '/';
    assert_int_equal(parse_bytes(text, LIMIT_BYTES).status, 404);
    assert_int_equal(parse_bytes(text, LIMIT_BYTES + 1).status, 400);
    assert_int_equal(parse_bytes(text, sizeof text).status, 400);
    memcpy(text, "/world/1?", 9);
    assert_int_equal(parse_bytes(text, 9 + LIMIT_BYTES).status, 0);
    assert_int_equal(parse_bytes(text, 9 + LIMIT_BYTES + 1).status, 400);
    text[9 + LIMIT_BYTES] = '='; /* name and value each have room of their own */
    assert_int_equal(parse_bytes(text, 9 + LIMIT_BYTES + 1 + LIMIT_BYTES).status, 0);
    assert_int_equal(parse_bytes(text, 9 + LIMIT_BYTES + 1 + LIMIT_BYTES + 1).status, 400);
    for (size_t i = 0; i < LIMIT_BYTES; i++)
        memcpy(text + 1 + 3 * i, "%61", 3); /* decoded, it has room */
    assert_int_equal(parse_bytes(text, 1 + 3 * (LIMIT_BYTES - 1)).status, 404);
    assert_int_equal(parse_bytes(text, 1 + 3 * LIMIT_BYTES).status, 400);
}

static void refusals_quote_what_was_given(void **state)
{
    struct target target = parse("/tile/1/0/abc/0.png");

    (void)state;
    assert_memory_equal(target.detail, "x=abc: ", 7);
    target = parse("/tile/1/0/0123456789012345678901234567890123456789/0.png");
    assert_memory_equal(target.detail, "x=0123456789012345678901234567890123456789: ", 44);
    target = parse("/tile/1/0/01234567890123456789012345678901234567890/0.png");
    assert_memory_equal(target.detail, "x=0123456789012345678901234567890123456789...: ", 47);
    target = parse("/tile/1/0/%0d%0aX%1b\xff/0.png");
    assert_memory_equal(target.detail, "x=??X??: ", 9);
    target = parse("/tile/1/0/0/0.png?layer=hight");
    assert_string_equal(
        target.detail,
        "layer=hight: must be one of height, normal, partition, slope, hillshade, relief, water, "
        "surface, delta, flow");
    target = parse("/tile/1/0/0/0.png?variant=wet");
    assert_string_equal(target.detail, "variant=wet: must be one of base, eroded");
    target = parse("/tile/1/0/0/0.png?layer=delta&enc=gray16");
    assert_string_equal(target.detail, "enc=gray16: this layer's are terrarium and mapbox");
    target = parse("/tile/1/0/0/0.png?size=512");
    assert_memory_equal(target.detail, "size=512: ", 10);
}

/* Cut anywhere, or with any byte replaced, a target is refused in order or well-formed; under
 * AddressSanitizer, nothing more. */
static void any_bytes_are_survived(void **state)
{
    static const char *const whole[] = {
        "/tile/0x2a/24/-1099511627776/1099511627775.png?layer=height&enc=gray16&size=%35%31%32&v=3",
        "/xyz/home/17/131071/65536@2x.png?origin=-4194303,4194303&recipe=alpine",
        "/terrain/42/16/131071/65535.terrain?size=257&layer=height",
        "/region/peaks.npy?x0=-281474976710656&y0=281474976710655&w=4097&h=4097&lod=24",
        "/point/42?x=-4611686018427387903.999999999&y=0.5&lod=24",
        "/gdal/42.xml?layer=surface&origin=0,0",
        "/viewer/application-0123456789abcdef.js",
    };
    char text[200];

    (void)state;
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) {
        const size_t bytes = strlen(whole[k]);

        (void)parse_good(whole[k]);
        for (size_t n = 0; n <= bytes; n++)
            (void)parse_bytes(whole[k], n);
        for (size_t i = 0; i < bytes; i++)
            for (int byte = 0; byte < 256; byte++) {
                memcpy(text, whole[k], bytes);
                text[i] = (char)byte;
                (void)parse_bytes(text, bytes);
            }
    }
}

/* ---- Negotiation --------------------------------------------------------------------------------------- */

static void negotiated_targets_are_finished_later(void **state)
{
    struct target target = parse_good("/tile/1/2/3/4?enc=gray16");

    (void)state;
    assert_true(target.negotiated);
    assert_int_equal(target.key.size, 0);
    target_finish(&target, FORMAT_F32);
    assert_int_equal(target.status, 0);
    assert_int_equal(target.key.size, 257);
    assert_int_equal(target.key.enc, ENC_TERRARIUM);

    target = parse_good("/tile/1/2/3/4?enc=gray16");
    target_finish(&target, FORMAT_PNG);
    assert_int_equal(target.key.size, 256);
    assert_int_equal(target.key.enc, ENC_GRAY16);

    target = parse_good("/tile/1/0/3/4?size=512"); /* whether it fits is seen when all is known */
    target_finish(&target, FORMAT_PNG);
    assert_int_equal(target.status, 400);
    assert_string_equal(target.parameter, "size");
    check_refusal(&target, "size=512");

    target = parse_good("/tile/1/0/3/4?recipe=alpine&layer=partition");
    assert_int_equal(target.key.variant, VARIANT_UNSAID);
    target_finish(&target, FORMAT_PNG);
    assert_int_equal(target.key.variant, VARIANT_BASE);

    target = parse_good("/tile/1/0/3/4?recipe=alpine");
    target_finish(&target, FORMAT_PNG);
    assert_int_equal(target.key.variant, VARIANT_ERODED);

    target = parse_good("/tile/1/0/3/4?layer=normal");
    target_finish(&target, FORMAT_R16);
    assert_int_equal(target.status, 400);
    assert_string_equal(target.parameter, "ext");
    check_refusal(&target, "r16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_are_found),
        cmocka_unit_test(absolute_targets_are_their_path),
        cmocka_unit_test(coordinates_are_plain_decimals),
        cmocka_unit_test(levels_are_0_to_24),
        cmocka_unit_test(seeds_are_numbers_or_names),
        cmocka_unit_test(seeds_need_no_configured_names),
        cmocka_unit_test(extensions_are_formats),
        cmocka_unit_test(query_sets_the_key),
        cmocka_unit_test(query_has_no_order),
        cmocka_unit_test(query_values_are_checked),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(formats_are_those_of_the_layer),
        cmocka_unit_test(encodings_are_those_of_the_layer),
        cmocka_unit_test(variants_default_by_recipe),
        cmocka_unit_test(recipes_come_from_the_query_then_the_name),
        cmocka_unit_test(version_pins),
        cmocka_unit_test(xyz_is_tiles_around_the_origin),
        cmocka_unit_test(xyz_numbers_have_no_sign),
        cmocka_unit_test(xyz_sizes),
        cmocka_unit_test(xyz_pages_shift_the_pyramid),
        cmocka_unit_test(terrain_is_a_globe_of_two_squares),
        cmocka_unit_test(documents_keep_what_they_hand_on),
        cmocka_unit_test(regions_are_windows),
        cmocka_unit_test(places_are_metres),
        cmocka_unit_test(files_are_named),
        cmocka_unit_test(ill_formed_comes_before_out_of_range),
        cmocka_unit_test(separators_may_be_escaped_in_paths_only),
        cmocka_unit_test(escapes_are_whole),
        cmocka_unit_test(long_targets_are_refused),
        cmocka_unit_test(refusals_quote_what_was_given),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(negotiated_targets_are_finished_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
