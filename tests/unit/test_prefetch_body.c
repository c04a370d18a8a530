/*
 * Bodies of POST /prefetch (server/http/prefetch.c): what they say, what is wrong with them, and the answer.
 */
#include "prefetch_kit.h"

#define PLACE        "\"position\": [0, 0], \"view_distance\": 100"
#define SINGLE_PLACE "'position': [0, 0], 'view_distance': 100"

static void members_make_the_key(void **state)
{
    (void)state;
    struct prefetch_plan plan = plan_of(9, "{\"seed\": \"0x2A\", " PLACE "}");
    assert_int_equal(plan.key.seed, 42);
    assert_true(plan.key.layer == LAYER_HEIGHT && plan.key.format == FORMAT_PNG && plan.key.size == 256);
    assert_true(plan.key.variant == VARIANT_BASE && plan.recipe == &standard && !plan.configured &&
                !plan.key.recipe);
    free(plan.tile);
    plan = plan_of(
        9, "{\"seed\": 9223372036854775807, \"layer\": \"normal\", \"format\": \"npy\", \"size\": 65, "
           "\"recipe\": \"alpine\", \"variant\": \"base\", " PLACE "}");
    assert_int_equal(plan.key.seed, INT64_MAX);
    assert_true(plan.key.layer == LAYER_NORMAL && plan.key.format == FORMAT_NPY && plan.key.size == 65);
    assert_true(plan.key.variant == VARIANT_BASE && plan.recipe == &other);
    assert_string_equal(plan.key.recipe, "alpine");
    free(plan.tile);
    plan = plan_of(9, "{\"seed\": \"peaks\", \"enc\": \"mapbox\", " PLACE "}");
    assert_true(plan.key.seed == 3 && plan.configured && plan.recipe == &other && plan.key.enc == ENC_MAPBOX);
    assert_int_equal(plan.key.variant, VARIANT_ERODED);
    free(plan.tile);
    plan = plan_of(9, "{\"seed\": \"atlantis\", " PLACE "}");
    assert_int_equal(plan.key.seed, terrane_seed_from_name("atlantis", 8));
    assert_false(plan.configured);
    free(plan.tile);
}

static void members_have_defaults(void **state)
{
    (void)state;
    struct prefetch_plan plain =
        plan_of(ROOM, "{\"seed\": 42, \"position\": [7, 7], \"velocity\": [500, 0], \"view_distance\": 999}");
    struct prefetch_plan said = plan_of(ROOM, "{\"seed\": 42, \"position\": [7, 7, 0], \"velocity\": [500, "
                                              "0, 0], \"view_distance\": 999, \"seconds\": 10, "
                                              "\"detail\": 1, \"level_max\": 24, \"layer\": \"height\", "
                                              "\"format\": \"png\", \"recipe\": \"default\"}");
    assert_int_equal(plain.count, said.count);
    for (size_t i = 0; i < said.count; i++)
        assert_true(tiles_equal(&plain.tile[i], &said.tile[i]));
    free(plain.tile);
    free(said.tile);
}

static void assert_refused(const char *body, size_t bytes, unsigned status, const char *blamed)
{
    char detail[TARGET_DETAIL_BYTES];
    const char *parameter;
    struct prefetch_plan plan;
    memset(detail, 'x', sizeof detail);
    const unsigned seen = read_bytes(&plan, body, bytes, 99, &parameter, detail);
    if (seen != status || strcmp(parameter, blamed) != 0)
        fail_msg("%.*s: %u of %s instead of %u of %s", (int)bytes, body, seen, parameter, status, blamed);
    assert_null(plan.tile);
    assert_non_null(memchr(detail, 0, sizeof detail));
    for (const char *p = detail; *p; p++)
        assert_in_range(*p, ' ', '~');
    assert_true(strlen(detail) > 10);
}

/* The same text with ' in place of ". */
static void assert_refused_single(const char *text, const char *blamed)
{
    char body[400];
    const size_t bytes = strlen(text);
    assert_in_range(bytes, 0, sizeof body);
    for (size_t i = 0; i < bytes; i++)
        body[i] = text[i] == '\'' ? '"' : text[i];
    assert_refused(body, bytes, 400, blamed);
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *body, *parameter;
    } bodies[] = {
        {"", "body"},
        {"[]", "body"},
        {"42", "body"},
        {"{'seed': 42", "body"},
        {"{} {}", "body"},
        {"{'seed': 42, 'position': [1e999, 0], 'view_distance': 1}", "body"},
        {"{'seed': 18446744073709551615, " SINGLE_PLACE "}", "body"},
        {"{}", "seed"},
        {"{'seed': 42, 'view_distance': 1}", "position"},
        {"{'seed': 42, 'position': [0, 0]}", "view_distance"},
        {"{'seed': -1, " SINGLE_PLACE "}", "seed"},
        {"{'seed': 1.0, " SINGLE_PLACE "}", "seed"},
        {"{'seed': null, " SINGLE_PLACE "}", "seed"},
        {"{'seed': '-1', " SINGLE_PLACE "}", "seed"},
        {"{'seed': '', " SINGLE_PLACE "}", "seed"},
        {"{'seed': 'a b', " SINGLE_PLACE "}", "seed"},
        {"{'seed': '18446744073709551616', " SINGLE_PLACE "}", "seed"},
        {"{'seed': 42, 'position': [0], 'view_distance': 1}", "position"},
        {"{'seed': 42, 'position': [0, 0, 0, 0], 'view_distance': 1}", "position"},
        {"{'seed': 42, 'position': [0, '0'], 'view_distance': 1}", "position"},
        {"{'seed': 42, 'position': {'x': 0}, 'view_distance': 1}", "position"},
        {"{'seed': 42, 'position': [0, 0], 'view_distance': 0}", "view_distance"},
        {"{'seed': 42, 'position': [0, 0], 'view_distance': -1}", "view_distance"},
        {"{'seed': 42, 'position': [0, 0], 'view_distance': 10000001}", "view_distance"},
        {"{'seed': 42, 'position': [0, 0], 'view_distance': 'far'}", "view_distance"},
    };
    static const struct {
        const char *member, *parameter;
    } members[] = {
        /* beside a seed and a place */
        {"'seed': 42", "body"},
        {"'velocty': [0, 0]", "body"},
        {"'\\u001b[31m': 1", "body"},
        {"'velocity': [1]", "velocity"},
        {"'velocity': [null, 1]", "velocity"},
        {"'velocity': [0, -1000001]", "velocity"},
        {"'velocity': 3", "velocity"},
        {"'seconds': -0.1", "seconds"},
        {"'seconds': 120.1", "seconds"},
        {"'detail': 0.09", "detail"},
        {"'detail': 100.1", "detail"},
        {"'level_max': 25", "level_max"},
        {"'level_max': -1", "level_max"},
        {"'level_max': 3.0", "level_max"},
        {"'layer': 'lava'", "layer"},
        {"'layer': 0", "layer"},
        {"'format': 'bmp'", "format"},
        {"'layer': 'normal', 'format': 'r16'", "format"},
        {"'layer': 'relief', 'format': 'f32'", "format"},
        {"'layer': 'delta', 'enc': 'gray16'", "enc"},
        {"'variant': 'new'", "variant"},
        {"'enc': 'rgb'", "enc"},
        {"'size': 7", "size"},
        {"'size': 512", "size"},
        {"'size': 4294967552", "size"},
        {"'size': '65'", "size"},
        {"'recipe': '9'", "recipe"},
        {"'recipe': ''", "recipe"},
        {"'recipe': 7", "recipe"},
        {"'recipe': 'moon', 'size': 7", "size"},
    };
    static char large[PREFETCH_BODY_BYTES + 1];
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        assert_refused_single(bodies[i].body, bodies[i].parameter);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char text[300];
        snprintf(text, sizeof text, "{'seed': 42, %s, " SINGLE_PLACE "}", members[i].member);
        assert_refused_single(text, members[i].parameter);
    }
    assert_refused("{\"seed\": 42\0}", 13, 400, "body");
    static const char moon[] = "{\"seed\": 42, \"recipe\": \"moon\", " PLACE "}";
    assert_refused(moon, sizeof moon - 1, 404, "recipe");
    memset(large, ' ', sizeof large);
    assert_refused(large, sizeof large, 413, "body");
    memcpy(large, moon, sizeof moon - 1);
    assert_refused(large, sizeof large - 1, 404, "recipe");
    memset(large, '[', sizeof large);
    assert_refused(large, sizeof large - 1, 400, "body");
}

static void details_are_sentences(void **state)
{
    char detail[TARGET_DETAIL_BYTES];
    const char *parameter;
    struct prefetch_plan plan;
    static const char velocity[] = "{\"seed\": 42, \"velocity\": [1], " PLACE "}";
    static const char size[] = "{\"seed\": 42, \"size\": 100, " PLACE "}";
    static const char layer[] = "{\"seed\": 42, \"layer\": \"lava\", " PLACE "}";
    (void)state;
    read_bytes(&plan, velocity, sizeof velocity - 1, 1, &parameter, detail);
    assert_string_equal(detail, "velocity must be two or three numbers");
    read_bytes(&plan, size, sizeof size - 1, 1, &parameter, detail);
    assert_string_equal(detail, "size must be 2^k from 2 to 256 or 2^k + 1 from 3 to 257");
    read_bytes(&plan, layer, sizeof layer - 1, 1, &parameter, detail);
    assert_string_equal(detail,
                        "layer must be one of height, normal, partition, slope, hillshade, relief, water, "
                        "surface, delta, flow, path, cave");
}

static void answers_lead_to_the_tiles(void **state)
{
    static const struct {
        const char *members, *last;
    } good[] = {
        {"\"format\": \"f32\"", "/tile/42/0/0/0.f32"},
        {"\"enc\": \"terrarium\", \"size\": 256, \"recipe\": \"default\"", "/tile/42/0/0/0.png"},
        {"\"enc\": \"gray16\", \"size\": 64", "/tile/42/0/0/0.png?enc=gray16&size=64"},
        {"\"format\": \"npy\", \"layer\": \"slope\", \"recipe\": \"alpine\", \"variant\": \"base\"",
         "/tile/42/0/0/0.npy?recipe=alpine&layer=slope&variant=base"},
        {"\"layer\": \"flow\", \"recipe\": \"alpine\"", "/tile/42/0/0/0.png?recipe=alpine&layer=flow"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        size_t bytes;
        struct prefetch_plan plan =
            plan_of(4, "{\"seed\": 42, \"position\": [1, 1], \"view_distance\": 20, %s}", good[k].members);
        char *text = prefetch_answer(&plan, 1, 2, 3, &bytes);
        assert_non_null(text);
        json_t *answer = json_loadb(text, bytes, 0, NULL), *tiles = json_object_get(answer, "tiles");
        assert_int_equal(json_integer_value(json_object_get(answer, "queued")), 1);
        assert_int_equal(json_integer_value(json_object_get(answer, "cached")), 2);
        assert_int_equal(json_integer_value(json_object_get(answer, "refused")), 3);
        assert_int_equal(json_integer_value(json_object_get(answer, "wanted")), 4);
        assert_int_equal(json_array_size(tiles), 4);
        assert_string_equal(json_string_value(json_array_get(tiles, 0)), good[k].last);
        json_decref(answer);
        free(text);
        free(plan.tile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_make_the_key),      cmocka_unit_test(members_have_defaults),
        cmocka_unit_test(what_is_wrong_is_named),    cmocka_unit_test(details_are_sentences),
        cmocka_unit_test(answers_lead_to_the_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
