/*
 * Request targets (server/tile/target.c): what comes first of several faults, and what a refusal says. That
 * any bytes are survived: tests/fuzz/fuzz_target.c.
 */
#include "target_kit.h"

TEST(ill_formed_comes_before_out_of_range)
{
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

/* At the decoder's limit, and one byte over it. */
TEST(long_targets_are_refused)
{
    enum { LIMIT_BYTES = 8192 };
    static char text[LIMIT_BYTES * 3 + 64];

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

TEST(refusals_quote_what_was_given)
{
    struct target target = parse("/tile/1/0/abc/0.png");

    assert_memory_equal(target.detail, "x=abc: ", 7);
    target = parse("/tile/1/0/0123456789012345678901234567890123456789/0.png");
    assert_memory_equal(target.detail, "x=0123456789012345678901234567890123456789: ", 44);
    target = parse("/tile/1/0/01234567890123456789012345678901234567890/0.png");
    assert_memory_equal(target.detail, "x=0123456789012345678901234567890123456789...: ", 47);
    target = parse("/tile/1/0/%0d%0aX%1b\xff/0.png");
    assert_memory_equal(target.detail, "x=??X??: ", 9);
    target = parse("/tile/1/0/0/0.png?layer=hight");
    char layers[TARGET_DETAIL_BYTES] = "layer=hight: must be one of ";
    for (int layer = 0; layer < LAYERS; layer++)
        snprintf(layers + strlen(layers), sizeof layers - strlen(layers), "%s%s", layer ? ", " : "",
                 tile_layer_name[layer]);
    assert_string_equal(target.detail, layers);
    target = parse("/tile/1/0/0/0.png?variant=wet");
    assert_string_equal(target.detail, "variant=wet: must be one of base, eroded, carved");
    target = parse("/tile/1/0/0/0.png?layer=delta&enc=gray16");
    assert_string_equal(target.detail, "enc=gray16: this layer's are terrarium and mapbox");
    target = parse("/tile/1/0/0/0.png?size=512");
    assert_memory_equal(target.detail, "size=512: ", 10);
}

GROUP(target_refusals);
