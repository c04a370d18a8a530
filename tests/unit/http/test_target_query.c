/*
 * Request targets (server/tile/target.c): their queries, and what is finished once a format has been
 * negotiated.
 */
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

/* An escaped separator is none; of two faults the first is named. */
TEST(query_values_are_checked)
{
    static const struct {
        const char *queries;
        unsigned status;
        const char *parameter;
    } bad[] = {
        {"layer=|layer|layer=Height|layer=lava|layer=height%20|layer=height=|layer=height%26size%3D3|layer="
         "normal&x=1&layer=height|layer=x&size=y",
         400, "layer"},
        {"variant=|variant=erode|variant=BASE|layer=delta&variant=wet|variant=base&variant=base", 400,
         "variant"},
        {"enc=|enc=grey16|enc=mapbox&%65nc=mapbox", 400, "enc"},
        {"v=|v=01|v=1.0|v=-1|v=x|" NEWEST "&" NEWEST, 400, "v"},
        {"v=0|v=6|v=18446744073709551617", 410, "v"},
        {"recipe=|recipe=1|recipe=a.b|recipe=default&recipe=default", 400, "recipe"},
        {"recipe=Default|recipe=other", 404, "recipe"},
        {"size=64&size=64|size=y&layer=x", 400, "size"},
        {"epoch=|epoch=0123456789abcde|epoch=0123456789abcdef0|epoch=0123456789ABCDEF|epoch=0123456789abcdeg|"
         "epoch=0123456789abcdef&epoch=0123456789abcdef",
         400, "epoch"},
        {"layer=height%00|size=%|%=1|size=%-1|size=6%004|unknown=%2", 400, "target"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_each_refused("/tile/1/2/3/4.png?$", bad[i].queries, bad[i].status, bad[i].parameter);
        assert_each_refused("/tile/1/2/3/4?$", bad[i].queries, bad[i].status, bad[i].parameter);
    }
}

TEST(sizes_are_checked)
{
    static const int good[] = {2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 256, 257, 512};
    char text[80];

    for (int size = 0; size <= 1100; size++)
        for (int level = 0; level <= 1; level++)
            for (int format = 0; format < FORMATS; format++) {
                if (!tile_ending_name[format])
                    continue;
                bool fine = false;
                for (size_t i = 0; i < sizeof good / sizeof *good; i++)
                    fine = fine || (size == good[i] && (size != 512 || level > 0));
                fine = fine && (!format_row[format].odd || size % 2 != 0);
                snprintf(text, sizeof text, "/tile/1/%d/0/0.%s?size=%d&layer=%s", level,
                         tile_format_name[format], size, layer_of(format));
                if (fine)
                    assert_int_equal(parse_good(text).key.size, size);
                else
                    assert_refused(text, 400, "size");
            }
    assert_each_refused("/tile/1/1/0/0.png?size=$",
                        "|0|1|-2|+2|02|2.0|2e1|0x40| 64|64%20|4097|4098|18446744073709551616|"
                        "18446744073709551680|x",
                        400, "size");
}

/* Whether a size or an encoding fits is seen when all is known. */
TEST(negotiated_targets_are_finished_later)
{
    static const struct {
        const char *target;
        enum tile_format format;
        const char *blamed;
        struct tile_key key;
    } row[] = {
        {"/tile/1/2/3/4?enc=gray16", FORMAT_F32, NULL, {.size = 257}},
        {"/tile/1/2/3/4?enc=gray16", FORMAT_PNG, NULL, {.size = 256, .enc = ENC_GRAY16}},
        {"/tile/1/0/3/4?recipe=alpine&layer=partition", FORMAT_PNG, NULL, {.size = 256}},
        {"/tile/1/0/3/4?recipe=alpine", FORMAT_PNG, NULL, {.size = 256, .variant = VARIANT_ERODED}},
        {"/tile/1/0/3/4?size=512", FORMAT_PNG, "size", {0}},
        {"/tile/1/0/3/4?layer=normal", FORMAT_R16, "ext", {0}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct target target = parse_good(row[i].target);
        assert_true(target.negotiated && target.key.variant == VARIANT_UNSAID);
        target_finish(&target, row[i].format);
        assert_int_equal(target.status, row[i].blamed ? 400 : 0);
        if (row[i].blamed) {
            check_refusal(&target, row[i].target);
            assert_string_equal(target.parameter, row[i].blamed);
        } else if (target.key.size != row[i].key.size || target.key.enc != row[i].key.enc ||
                   target.key.variant != row[i].key.variant) {
            fail_msg("%s: another key than expected", row[i].target);
        }
    }
}

GROUP(target_query);
