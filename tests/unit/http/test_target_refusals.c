/*
 * Request targets (server/tile/target.c): what comes first of several faults, and what a refusal says. That
 * any bytes are survived: tests/fuzz/fuzz_target.c.
 */
#include "target_kit.h"

TEST(ill_formed_comes_before_out_of_range)
{
#define FAR "1099511627776"
    assert_each_refused("/tile/1/$", "25/0/0.bmp|0/" FAR "/0.bmp|0/0/-1099511627777.bmp|25/" FAR "/" FAR ".",
                        400, "ext");
    /* the earliest of several of a kind */
    assert_refused("/tile/-/a/b/c.d", 400, "seed");
    assert_refused("/tile/1/a/b/c.d", 400, "lod");
    assert_each_refused("/tile/1/$", "0/b/c.d|25/x/0.png", 400, "x");
    assert_each_refused("/tile/1/$", "0/0/c.d|25/0/y.png|0/" FAR "/y.png", 400, "y");
    assert_each_refused("/tile/1/$", "25/" FAR "/" FAR ".png|-1/0/" FAR, 404, "lod");
    assert_refused("/tile/1/24/" FAR "/" FAR ".png", 404, "x");
    assert_refused("/tile/1/24/0/" FAR ".png", 404, "y");
}

TEST(separators_are_not_escaped)
{
    static const struct tile_key key = {.seed = 42, .x = 1, .y = -2, .size = 256};

    assert_key("/tile/42/0/1/%2D2%2Epng", key);
    /* a tile has one path */
    assert_each_refused("$",
                        "/tile%2F42%2f0/1/-2.png|/tile/42/0/1/-2.f32%2fstatus|/tile/42%2F0/1/-2.png|"
                        "%2Ftile/42/0/1/-2.png|/%2f|%2Fhealthz|/xyz/42%2Ftile.json|/xyz/42/0/0%2f0.png|"
                        "/terrain/42%2flayer.json|/3dtiles/42%2ftileset.json|/world%2f42|/region%2F42.png|"
                        "/style%2F42.json|/path%2F42|/point%2F42|/viewer%2Fapp.js|"
                        "http://host%2ftile/healthz%2f|/viewer/%2f",
                        404, "path");
    assert_refused("/viewer/%2f%", 400, "target");
    assert_refused("/tile/42/0/1/-2.png%3Fsize=64", 400, "ext"); /* a query begins at a bare ? */
    assert_refused("/tile/42/0/1/-2.png?size=64?", 400, "size"); /* and at the first one */
}

TEST(escapes_are_whole)
{
    assert_each_refused("$",
                        "/%|/%4|/%4g|/%g4|/tile/42/0/1/-2.png%|/tile/42/0/1/-2.png%6|/%00|/healthz%00|"
                        "/tile/42/0/1/%|%|/%%30",
                        400, "target");
    assert_int_equal(parse_bytes("/healthz\0", 9).status, 400);
    assert_int_equal(parse_bytes("/world/4\0002", 10).status, 400);
    assert_int_equal(parse_bytes("/world/42?v\0=1", 14).status, 400);
}

GROUP(target_refusals);
