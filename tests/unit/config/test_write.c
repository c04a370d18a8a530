/*
 * A configuration as text, and what of it needs a restart.
 */
#include "config_kit.h"

/* A text with a value of each kind that is not what it is by default. */
static const char other[] =
    "{\"listen\": \"[::1]:0\", \"admin\": \"\", \"http\": {\"threads\": 3, \"compression\": false, "
    "\"hosts\": [\"b\", \"*.a\", \"[::1]\"], \"trusted_proxies\": [\"10.0.0.0/8\", \"::1\"]}, "
    "\"cache\": {\"memory_bytes\": 1099511627776, \"dir\": \"/\\u00e4 \\\"\\\\\\n\\u0001\\ud83c\\udf0d\", "
    "\"shared\": \"rediss://h:7/1\"}, "
    "\"worlds\": {\"default\": \"desert\", \"named\": {\"z\": \"18446744073709551615\", "
    "\"s\": {\"seed\": \"7\", \"secret\": false}, "
    "\"a\": {\"seed\": \"16\", \"recipe\": \"alpine\"}}}, \"log\": {\"level\": \"debug\"}}";

static char *text_of(const struct config *config)
{
    char *const text = config_text(config);

    assert_non_null(text);
    return text;
}

/* Print, load, print: the same text, and the values that were loaded. */
static void assert_fixed_point(const char *source)
{
    struct config config, again = {0};
    char names[512];

    load_defaults(&config);
    if (source && parse(&config, source) != 0)
        fail_msg("%s", error);
    char *const text = text_of(&config);
    if (parse(&again, text) != 0) /* over nothing: the text has to have every key */
        fail_msg("%s", error);
    char *const text_again = text_of(&again);
    assert_string_equal(text, text_again);
    assert_false(config_needs_restart(&config, &again, names, sizeof names));
    assert_string_equal(names, "");
    free(text);
    free(text_again);
    config_free(&config);
    config_free(&again);
}

TEST(print_and_load_is_a_fixed_point)
{
    assert_fixed_point(NULL);
    assert_fixed_point(other);
    assert_fixed_point("{\"cache\": {\"disk_bytes\": 0}, \"worlds\": {\"named\": {}}}");
}

/* Bytes of the command line that are no UTF-8 become question marks; those that are stay. */
TEST(bytes_that_are_no_utf8)
{
    static const struct {
        const char *dir, *written;
    } cases[] = {{"/caf\xc3\xa9", "\"/caf\xc3\xa9\""},
                 {"/\xf0\x9f\x8c\x8d", "\"/\xf0\x9f\x8c\x8d\""},
                 {"/caf\xe9", "\"/caf?\""},
                 {"/\xc3\xa9\xe9", "\"/???\""},
                 {"/\xed\xa0\x80", "\"/???\""},
                 {"/\xc0\x80", "\"/??\""},
                 {"/\xe2\x82", "\"/??\""},
                 {"/\xf4\x90\x80\x80", "\"/????\""},
                 {"/\xf8", "\"/?\""}};
    struct config config;

    load_defaults(&config);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(config_set(&config, "cache.dir", cases[i].dir, NULL, error, sizeof error), 0);
        char *const text = text_of(&config);
        if (!strstr(text, cases[i].written))
            fail_msg("case %zu: %s is not in the text", i, cases[i].written);
        json_t *const json = json_loads(text, 0, NULL);
        assert_non_null(json);
        json_decref(json);
        free(text);
    }
    config_free(&config);
}

/* What of a change, one text over another, needs a restart; NULL: nothing. */
static const char *restart(const char *before, const char *after)
{
    static char names[1024];
    struct config running, fresh;

    load_defaults(&running);
    load_defaults(&fresh);
    if (parse(&running, before) != 0 || parse(&fresh, after) != 0)
        fail_msg("%s", error);
    const bool needed = config_needs_restart(&running, &fresh, names, sizeof names);
    assert_int_equal(needed, names[0] != '\0');
    assert_int_equal(config_needs_restart(&running, &fresh, NULL, 0), needed);
    assert_int_equal(config_keep(&running, &fresh), 0);
    assert_true(!config_needs_restart(&running, &fresh, NULL, 0) || strstr(names, "tls"));
    config_free(&running);
    config_free(&fresh);
    return needed ? names : NULL;
}

TEST(what_a_server_chose_needs_none)
{
    struct config running, fresh;
    load_defaults(&running);
    load_defaults(&fresh);
    running.cache.write_behind_bytes = 5 << 20; /* by its memory: host_limits_fit */
    assert_false(config_needs_restart(&running, &fresh, NULL, 0));
    assert_int_equal(config_keep(&running, &fresh), 0);
    assert_int_equal(fresh.cache.write_behind_bytes, 5 << 20);
    config_free(&running);
    config_free(&fresh);
}

TEST(what_needs_a_restart)
{
    assert_string_equal(restart("{}", other),
                        "listen, admin, http.threads, http.compression, cache.dir, cache.shared");
    assert_null(restart(other, other));
    assert_null(restart(
        "{}", "{\"http\": {\"hosts\": [\"a\"], \"status\": false}, \"log\": {\"level\": \"debug\"}}"));
    assert_null(restart("{}", "{\"cache\": {\"disk_bytes\": 5000000, \"disk_rows\": 3}}"));
    assert_string_equal(restart("{}", "{\"cache\": {\"disk_bytes\": 0}}"), "cache.disk_bytes");
    assert_string_equal(restart("{\"cache\": {\"disk_bytes\": 0}}", "{}"), "cache.disk_bytes");
    assert_string_equal(restart("{\"admin\": \"\"}", "{}"), "admin");
}

static long allocations_left; /* until one fails; those behind it do not */

static void *malloc_failing(size_t bytes)
{
    return allocations_left-- != 0 ? malloc(bytes) : NULL;
}

/* Each allocation of Jansson's fails in turn, that one alone: no text, or the whole one. */
TEST(writing_without_memory)
{
    struct config config;
    long k = 0, without = 0;

    load_defaults(&config);
    assert_int_equal(parse(&config, other), 0);
    char *const whole = text_of(&config);
    json_set_alloc_funcs(malloc_failing, free);
    do {
        allocations_left = k++;
        char *const text = config_text(&config);
        if (text)
            assert_string_equal(text, whole);
        else
            without++;
        free(text);
    } while (allocations_left < 0 && k < 10000);
    json_set_alloc_funcs(malloc, free);
    assert_in_range(k, 100, 9999);
    assert_in_range(without, 100, k);
    free(whole);
    config_free(&config);
}

TEST(names_are_cut)
{
    struct config running, fresh;
    char names[16] = "123456789abcdef";

    load_defaults(&running);
    load_defaults(&fresh);
    assert_int_equal(parse(&fresh, other), 0);
    assert_true(config_needs_restart(&running, &fresh, names, 12));
    assert_string_equal(names, "listen, adm");
    assert_string_equal(names + 12, "def");
    config_free(&running);
    config_free(&fresh);
}

GROUP(write);
