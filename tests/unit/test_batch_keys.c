/*
 * Bodies that are one list, and batches of tiles (server/http/body_list.c, batch_keys.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../server/http/batch_keys.h"
#include "../../server/recipe/recipe_json.h"

static const struct recipe standard = {.name = "default", .world.spacing_m = 1},
                           other = {.name = "alpine", .world = {.spacing_m = 1, .erosion.levels = 3}};

static const struct recipe *recipe_named(const void *context, const char *name, size_t bytes)
{
    (void)context;
    if (bytes == 7 && memcmp(name, "default", 7) == 0)
        return &standard;
    return bytes == 6 && memcmp(name, "alpine", 6) == 0 ? &other : NULL;
}

static const struct target_names names = {NULL, recipe_named, NULL, &standard};

/* The body in a block of its length, so that a read behind it is seen. */
static struct batch_keys *read_bytes(const char *text, size_t bytes, struct body_complaint *complaint)
{
    char *exact = malloc(bytes ? bytes : 1);
    assert_non_null(exact);
    memcpy(exact, text, bytes);
    struct batch_keys *keys = batch_keys_read(exact, bytes, &names, complaint);
    free(exact);
    assert_int_equal(keys != NULL, complaint->status == 0);
    return keys;
}

static struct batch_keys *read_fine(const char *text)
{
    struct body_complaint complaint;
    struct batch_keys *keys = read_bytes(text, strlen(text), &complaint);
    if (!keys)
        fail_msg("%s: %s", text, complaint.detail);
    return keys;
}

static void check_refused(const char *text, size_t bytes, unsigned status, const char *parameter,
                          const char *why)
{
    struct body_complaint complaint;
    assert_null(read_bytes(text, bytes, &complaint));
    assert_int_equal(complaint.status, status);
    assert_string_equal(complaint.parameter, parameter);
    if (!strstr(complaint.detail, why))
        fail_msg("%s: \"%s\" does not say \"%s\"", text, complaint.detail, why);
}

static void test_targets_become_keys(void **state)
{
    (void)state;
    struct batch_keys *keys =
        read_fine("{\"tiles\": [\"/tile/42/0/1/-2.f32?size=65\", \"/tile/0x2a/0/1/-2\","
                  " \"/xyz/7/3/1/2.png?recipe=alpine\", \"/terrain/7/3/1/2.terrain\"]}");
    assert_int_equal(keys->count, 4);
    for (size_t i = 0; i < keys->count; i++) {
        const struct tile_key *key = &keys->target[i].key;
        struct tile_key finished = *key;
        assert_int_equal(keys->target[i].status, 0);
        assert_int_equal(tile_key_finish(&finished), TILE_FINE);
        assert_memory_equal(&finished.size, &key->size, sizeof key->size);
        assert_int_equal(key->coding, CODING_IDENTITY);
        assert_true(target_is_tile(&keys->target[i]));
    }
    const struct tile_key *first = &keys->target[0].key, *second = &keys->target[1].key;
    assert_int_equal(first->seed, 42);
    assert_int_equal(first->x, 1);
    assert_int_equal(first->y, -2);
    assert_int_equal(first->size, 65);
    assert_int_equal(first->format, FORMAT_F32);
    assert_null(first->recipe);
    assert_int_equal(second->seed, 42);
    assert_int_equal(second->format, FORMAT_PNG);
    assert_string_equal(keys->target[2].key.recipe, "alpine");
    assert_int_equal(keys->target[2].key.variant, VARIANT_ERODED);
    assert_int_equal(keys->target[3].key.format, FORMAT_TERRAIN);
    free(keys);
}

static void test_one_bad_target_is_its_own(void **state)
{
    static const struct {
        const char *target, *parameter;
        unsigned status;
    } bad[] = {
        {"/tile/42/0/1/two.f32", "y", 400},
        {"/tile/42/25/1/2.f32", "lod", 404},
        {"/tile/42/0/1/2.f32?v=1", "v", 410},
        {"/tile/42/0/1/2.f32?size=100", "size", 400},
        {"/tile/42/0/1/2.png?layer=relief&recipe=moon", "recipe", 404},
        {"/world/42", "path", 400},
        {"/tile/42/0/1/2.png/status", "path", 400},
        {"/region/42.f32?x0=0&y0=0&w=4&h=4", "path", 400},
        {"/tiles", "path", 400},
        {"/healthz", "path", 400},
        {"/metrics", "path", 400},
        {"", "path", 404},
        {"nonsense", "path", 404},
        {"/tile/42/0/1/2.f32%00", "target", 400},
        {"/tile/42/0/1/2.f32\\n", "ext", 400},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char body[300];
        snprintf(body, sizeof body, "{\"tiles\": [\"/tile/1/0/0/0.png\", \"%s\", \"/tile/1/0/0/0.png\"]}",
                 bad[i].target);
        struct batch_keys *keys = read_fine(body);
        const struct target *target = &keys->target[1];
        assert_int_equal(keys->count, 3);
        if (target->status != bad[i].status || strcmp(target->parameter, bad[i].parameter) != 0)
            fail_msg("%s: %u, %s", bad[i].target, target->status, target->detail);
        assert_int_equal(keys->target[0].status, 0);
        assert_int_equal(keys->target[2].status, 0);
        free(keys);
    }
}

static void test_bodies_that_are_none(void **state)
{
    static const struct {
        const char *text, *parameter, *why;
    } bad[] = {
        {"", "body", "JSON object"},
        {"[]", "body", "JSON object"},
        {"[\"/tile/42/0/0/0\"]", "body", "JSON object"},
        {"{", "body", "line 1"},
        {"{\"tiles\": [\"/tile/1/0/0/0\"]", "body", "line 1"},
        {"{\"tiles\": [\"/tile/1/0/0/0\"]} x", "body", "line 1"},
        {"{}", "tiles", "missing"},
        {"{\"tiles\": null}", "tiles", "list"},
        {"{\"tiles\": {}}", "tiles", "list"},
        {"{\"tiles\": \"/tile/1/0/0/0\"}", "tiles", "list"},
        {"{\"tiles\": [\"/tile/1/0/0/0\", 7]}", "tiles", "tiles[1]"},
        {"{\"tiles\": [[\"/tile/1/0/0/0\"]]}", "tiles", "tiles[0]"},
        {"{\"tiles\": [null]}", "tiles", "tiles[0]"},
        {"{\"tiles\": [], \"tiles\": []}", "body", "twice"},
        {"{\"tiles\": [], \"t\\u00e4les\\n\": []}", "body", "\"t??les?\""},
        {"{\"tiles\": [\"\\u0000\"]}", "body", "line 1"},
        {"{\"tiles\": [\"\xff\"]}", "body", "line 1"},
        {"{\"tiles\": [1e999]}", "body", "too big"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_refused(bad[i].text, strlen(bad[i].text), 400, bad[i].parameter, bad[i].why);
    static const char zero[] = "{\"tiles\": []\0}";
    check_refused(zero, sizeof zero - 1, 400, "body", "zero bytes");
}

static void test_nesting_is_bounded(void **state)
{
    enum { DEEP = 65000 };
    char *text = malloc(DEEP);
    (void)state;
    assert_non_null(text);
    memset(text, '[', DEEP);
    memcpy(text, "{\"tiles\":", 9);
    check_refused(text, DEEP, 400, "body", "nest");
    free(text);
}

static void test_the_most(void **state)
{
    static char body[BATCH_TILES_MOST * 24 + 100];
    (void)state;
    for (int count = 0; count <= BATCH_TILES_MOST + 1; count += count == 0 ? BATCH_TILES_MOST : 1) {
        size_t n = (size_t)snprintf(body, sizeof body, "{\"tiles\":[");
        for (int i = 0; i < count; i++)
            n += (size_t)snprintf(body + n, sizeof body - n, "%s\"/tile/1/0/%d/0.png\"", i ? "," : "", i);
        snprintf(body + n, sizeof body - n, "]}");
        if (count > BATCH_TILES_MOST) {
            check_refused(body, strlen(body), 413, "tiles", "257, and 256 is the most");
            continue;
        }
        struct batch_keys *keys = read_fine(body);
        assert_int_equal(keys->count, count);
        for (int i = 0; i < count; i++)
            assert_int_equal(keys->target[i].key.x, i);
        free(keys);
    }
}

static void test_heads(void **state)
{
    static const unsigned char expected[BATCH_HEAD_BYTES] = {3, 2, 1, 0, 0xc8, 0, 0, 0, 4, 3, 2, 1};
    unsigned char head[BATCH_HEAD_BYTES];
    (void)state;
    batch_head_write(head, 0x010203, 200, 0x01020304);
    assert_memory_equal(head, expected, sizeof head);
    batch_head_write(head, BATCH_END, 0, 0);
    assert_memory_equal(head, "\xff\xff\xff\xff\0\0\0\0\0\0\0\0", sizeof head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets_become_keys),
        cmocka_unit_test(test_one_bad_target_is_its_own),
        cmocka_unit_test(test_bodies_that_are_none),
        cmocka_unit_test(test_nesting_is_bounded),
        cmocka_unit_test(test_the_most),
        cmocka_unit_test(test_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
