/*
 * A configuration as text, and what of it needs a restart.
 */
#include "config_kit.h"

/* Each string not what it is by default; each number neither. */
static const char everything[] =
    "{\"listen\": \"[::1]:0\", \"admin\": \"\", \"http\": {\"threads\": 3, \"connections\": 17, "
    "\"connections_per_address\": 5, \"idle_timeout_s\": 6, \"request_timeout_s\": 7, \"send_timeout_s\": 8, "
    "\"connection_memory_bytes\": 20000, \"target_bytes\": 300, \"compression\": false, \"status\": false, "
    "\"hosts\": [\"b\", \"*.a\", \"[::1]\"], \"trusted_proxies\": [\"10.0.0.0/8\", \"::1\"], "
    "\"tls\": {\"certificate\": \"/c\", \"key\": \"/k\"}}, "
    "\"render\": {\"threads\": 9, \"queue\": 10, \"deadline_ms\": 110}, "
    "\"limits\": {\"tiles_per_minute\": 12, \"tiles_burst\": 13, \"renders_per_minute\": 14, "
    "\"renders_burst\": 15, \"stream_bytes\": 100000000}, "
    "\"access\": {\"keys_file\": \"/keys\", \"required\": true, \"admin_token_file\": \"/token\"}, "
    "\"prefetch\": {\"tiles\": 16}, "
    "\"cache\": {\"memory_bytes\": 1099511627776, \"dir\": \"/\\u00e4 \\\"\\\\\\n\\u0001\\ud83c\\udf0d\", "
    "\"disk_bytes\": 70368744177664, \"disk_rows\": 18, \"write_behind_bytes\": 1900000, "
    "\"write_interval_ms\": 20, \"retry_interval_ms\": 2100, \"shared\": \"rediss://h:7/1\", "
    "\"shared_ca\": \"/ca\", \"shared_password_file\": \"/p\", \"shared_timeout_ms\": 23, "
    "\"shared_lease_ms\": 2400, \"shared_retry_ms\": 2500, \"shared_expire_s\": 26, \"shared_regions\": "
    "true}, "
    "\"worlds\": {\"open\": false, \"dir\": \"/r\", \"default\": \"desert\", \"named\": {\"z\": "
    "\"18446744073709551615\", \"a\": {\"seed\": \"0x10\", \"recipe\": \"alpine\"}, \"m\": 42}}, "
    "\"log\": {\"level\": \"debug\", \"access\": \"-\", \"slow_ms\": 22}}";

static char *text_of(const struct config *config)
{
    char *const text = config_text(config);

    assert_non_null(text);
    return text;
}

static void test_defaults_are_written_as_the_file(void **state)
{
    struct config config;
    size_t bytes;
    (void)state;

    load_defaults(&config);
    char *const text = text_of(&config);
    const char *const file = config_default(&bytes);
    assert_int_equal(strlen(text), bytes);
    assert_memory_equal(text, file, bytes);
    free(text);
    config_free(&config);
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

static void test_print_and_load_is_a_fixed_point(void **state)
{
    (void)state;
    assert_fixed_point(NULL);
    assert_fixed_point(everything);
    assert_fixed_point("{\"cache\": {\"disk_bytes\": 0}, \"worlds\": {\"named\": {}}}");
}

/* Every value is in the text: the JSON of what was read, but for seeds, which become decimal strings. */
static void test_everything_is_written(void **state)
{
    struct config config;
    (void)state;

    load_defaults(&config);
    assert_int_equal(parse(&config, everything), 0);
    char *const text = text_of(&config);
    json_t *const written = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    json_t *const expected = json_loads(everything, 0, NULL);
    json_t *const named = json_object_get(json_object_get(expected, "worlds"), "named");
    json_object_set_new(json_object_get(named, "a"), "seed", json_string("16"));
    json_object_set_new(named, "m", json_string("42"));
    json_object_set_new(expected, "$schema", json_string("schema/terrane.schema.json"));
    assert_non_null(written);
    assert_true(json_equal(written, expected));
    json_decref(written);
    json_decref(expected);
    free(text);
    config_free(&config);
}

/* Bytes of the command line that are no UTF-8 become question marks; those that are stay. */
static void test_bytes_that_are_no_utf8(void **state)
{
    static const struct {
        const char *dir, *written;
    } cases[] = {
        {"/caf\xc3\xa9", "\"/caf\xc3\xa9\""},
        {"/\xf0\x9f\x8c\x8d", "\"/\xf0\x9f\x8c\x8d\""},
        {"/caf\xe9", "\"/caf?\""},
        {"/\xc3\xa9\xe9", "\"/???\""},
        {"/\xed\xa0\x80", "\"/???\""},
        {"/\xc0\x80", "\"/??\""},
        {"/\xe2\x82", "\"/??\""},
        {"/\xf4\x90\x80\x80", "\"/????\""},
        {"/\xf8", "\"/?\""},
    };
    struct config config;
    (void)state;

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

/* A file with a password is written without it, and says so; what is written reads as a store of that name. */
static void test_a_password_is_left_out(void **state)
{
    static const struct {
        const char *url, *written;
    } cases[] = {
        {"redis://h", "\"redis://h\""},
        {"redis://:s3cret@h", "\"redis://:***@h\""},
        {"rediss://me:s3cret%40@[::1]:7/3", "\"rediss://me:***@[::1]:7/3\""},
    };
    struct config config;
    (void)state;

    load_defaults(&config);
    assert_false(config_has_secret(&config));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(config_set(&config, "cache.shared", cases[i].url, NULL, error, sizeof error), 0);
        assert_int_equal(config_has_secret(&config), i > 0);
        char *const text = text_of(&config);
        if (!strstr(text, cases[i].written) || strstr(text, "s3cret"))
            fail_msg("case %zu: %s is not in the text, or the password is", i, cases[i].written);
        assert_true(accepts(text));
        free(text);
    }
    config_free(&config);
}

/* ---- Restarts ------------------------------------------------------------------------------------------ */

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
    config_free(&running);
    config_free(&fresh);
    return needed ? names : NULL;
}

static void test_what_needs_a_restart(void **state)
{
    (void)state;
    assert_string_equal(
        restart("{}", everything),
        "listen, admin, http.threads, http.connection_memory_bytes, http.compression, "
        "http.tls.certificate, http.tls.key, render.threads, cache.dir, cache.write_behind_bytes, "
        "cache.write_interval_ms, cache.retry_interval_ms, cache.shared, cache.shared_ca, "
        "cache.shared_password_file, cache.shared_timeout_ms, cache.shared_lease_ms, cache.shared_retry_ms, "
        "cache.shared_expire_s, cache.shared_regions");
    assert_null(restart(everything, everything));
    assert_null(restart(
        "{}", "{\"http\": {\"hosts\": [\"a\"], \"status\": false}, \"log\": {\"level\": \"debug\"}}"));
    assert_null(restart("{}", "{\"cache\": {\"disk_bytes\": 5000000, \"disk_rows\": 3}}"));
    assert_string_equal(restart("{}", "{\"cache\": {\"disk_bytes\": 0}}"), "cache.disk_bytes");
    assert_string_equal(restart("{\"cache\": {\"disk_bytes\": 0}}", "{}"), "cache.disk_bytes");
    assert_string_equal(restart("{\"admin\": \"\"}", "{}"), "admin");
}

/* A renewed certificate is another file, and that is fine; TLS where there was none is not. */
static void test_tls_switches_with_a_restart(void **state)
{
    (void)state;
    static const char one[] = "{\"http\": {\"tls\": {\"certificate\": \"/1\", \"key\": \"/1k\"}}}";
    static const char other[] = "{\"http\": {\"tls\": {\"certificate\": \"/2\", \"key\": \"/2k\"}}}";
    assert_null(restart(one, other));
    assert_string_equal(restart("{}", one), "http.tls.certificate, http.tls.key");
    assert_string_equal(restart(one, "{}"), "http.tls.certificate, http.tls.key");
}

/* Names that do not fit are cut, and nothing is written behind the end. */
static void test_names_are_cut(void **state)
{
    struct config running, fresh;
    char names[16] = "123456789abcdef";
    (void)state;

    load_defaults(&running);
    load_defaults(&fresh);
    assert_int_equal(parse(&fresh, everything), 0);
    assert_true(config_needs_restart(&running, &fresh, names, 12));
    assert_string_equal(names, "listen, adm");
    assert_string_equal(names + 12, "def");
    config_free(&running);
    config_free(&fresh);
}

/* ---- Short memory -------------------------------------------------------------------------------------- */

static long allocations_left; /* until one fails; those behind it do not */

static void *malloc_failing(size_t bytes)
{
    return allocations_left-- != 0 ? malloc(bytes) : NULL;
}

/* Each allocation of Jansson's fails in turn, that one alone: no text, or the whole one. */
static void test_writing_without_memory(void **state)
{
    struct config config;
    long k = 0, without = 0;
    (void)state;

    load_defaults(&config);
    assert_int_equal(parse(&config, everything), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_are_written_as_the_file),
        cmocka_unit_test(test_print_and_load_is_a_fixed_point),
        cmocka_unit_test(test_everything_is_written),
        cmocka_unit_test(test_bytes_that_are_no_utf8),
        cmocka_unit_test(test_a_password_is_left_out),
        cmocka_unit_test(test_what_needs_a_restart),
        cmocka_unit_test(test_tls_switches_with_a_restart),
        cmocka_unit_test(test_names_are_cut),
        cmocka_unit_test(test_writing_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
