/*
 * Request targets (server/tile/target.c): their queries, and what is finished once a format has been
 * negotiated.
 */
#include "../unit.h"

#include "target_kit.h"

TEST(query_sets_the_key)
{
    struct tile_key key = {.seed = 5, .x = 1, .y = 2, .level = 3, .size = 256};

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

TEST(query_values_are_checked)
{
    static const struct {
        const char *query;
        unsigned status;
        const char *parameter;
    } bad[] = {
        {"layer=", 400, "layer"},
        {"layer", 400, "layer"},
        {"layer=Height", 400, "layer"},
        {"layer=lava", 400, "layer"},
        {"layer=height%00", 400, "target"},
        {"layer=height%20", 400, "layer"},
        {"layer=height=", 400, "layer"},
        {"layer=height%26size%3D3", 400, "layer"}, /* an escaped separator is none */
        {"variant=", 400, "variant"},
        {"variant=erode", 400, "variant"},
        {"variant=BASE", 400, "variant"},
        {"enc=", 400, "enc"},
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
        {"recipe=other", 404, "recipe"},
        {"size=64&size=64", 400, "size"},
        {"layer=normal&x=1&layer=height", 400, "layer"},
        {"v=6&v=6", 400, "v"},
        {"enc=mapbox&%65nc=mapbox", 400, "enc"},
        {"recipe=default&recipe=default", 400, "recipe"},
        {"variant=base&variant=base", 400, "variant"},
        {"size=%", 400, "target"},
        {"%=1", 400, "target"},
        {"size=%-1", 400, "target"},
        {"size=6%004", 400, "target"},
        {"unknown=%2", 400, "target"},
        {"layer=x&size=y", 400, "layer"},
        {"size=y&layer=x", 400, "size"}, /* the first is named */
    };
    char text[200];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "/tile/1/2/3/4.png?%s", bad[i].query);
        assert_refused(text, bad[i].status, bad[i].parameter);
        snprintf(text, sizeof text, "/tile/1/2/3/4?%s", bad[i].query);
        assert_refused(text, bad[i].status, bad[i].parameter);
    }
}

TEST(sizes_are_checked)
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

    for (int size = 0; size <= 1100; size++)
        for (int level = 0; level <= 1; level++)
            for (int format = 0; format < FORMATS; format++) {
                if (!tile_ending_name[format])
                    continue;
                bool fine = false;
                for (size_t i = 0; i < sizeof good / sizeof *good; i++)
                    fine = fine || (size == good[i] && (size != 512 || level > 0));
                fine = fine && (format_row[format].carries != CARRIES_MESH || size % 2 != 0);
                snprintf(text, sizeof text, "/tile/1/%d/0/0.%s?size=%d%s", level, tile_format_name[format],
                         size, format_row[format].carries == CARRIES_WORDS ? "&layer=objects" : "");
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

/* The variant depends on the recipe, wherever in the target that is named. */
TEST(variants_default_by_recipe)
{
    static const struct {
        const char *target;
        enum tile_variant variant;
    } cases[] = {
        {"/tile/1/0/0/0.png?variant=eroded", VARIANT_BASE},
        {"/tile/peaks/0/0/0.png", VARIANT_ERODED},
        {"/tile/peaks/0/0/0.png?recipe=default", VARIANT_BASE},
        {"/tile/1/0/0/0.png?recipe=alpine", VARIANT_ERODED},
        {"/tile/1/0/0/0.png?variant=base&recipe=alpine", VARIANT_BASE},
        {"/tile/1/0/0/0.png?recipe=alpine&variant=base", VARIANT_BASE},
        {"/tile/1/0/0/0.png?recipe=alpine&variant=eroded", VARIANT_ERODED},
        {"/tile/1/0/0/0.f32?recipe=alpine&layer=delta&variant=base", VARIANT_ERODED},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (parse_good(cases[i].target).key.variant != cases[i].variant)
            fail_msg("%s: not %s", cases[i].target, tile_variant_name[cases[i].variant]);
}

TEST(recipes_come_from_the_query_then_the_name)
{
    assert_ptr_equal(parse_good("/tile/1/0/0/0.png").recipe, &standard);
    assert_ptr_equal(parse_good("/tile/1/0/0/0.png?recipe=alpine").recipe, &other);
    assert_ptr_equal(parse_good("/tile/home/0/0/0.png").recipe, &standard);
    assert_ptr_equal(parse_good("/tile/peaks/0/0/0.png").recipe, &other);
    assert_ptr_equal(parse_good("/tile/peaks/0/0/0.png?recipe=default").recipe, &standard);
    assert_ptr_equal(parse_good("/world/peaks").recipe, &other);
    assert_ptr_equal(parse_good("/world/1?recipe=%61lpine").recipe, &other);
    assert_true(parse_good("/tile/1/0/0/0.png?v=6").pinned);
    assert_true(parse_good("/world/1?v=6").pinned);
    assert_false(parse_good("/world/1").pinned);
}

TEST(negotiated_targets_are_finished_later)
{
    struct target target = parse_good("/tile/1/2/3/4?enc=gray16");

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

GROUP(target_query);
