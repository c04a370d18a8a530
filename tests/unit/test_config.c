/*
 * The configuration: defaults, overriding, every message, addresses, worlds, files, short memory.
 *
 * Runs at the root of the repository and reads config/. That schema and program refuse the same values is
 * tested here on the parser and in tests/config/test_schema.py on the program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../server/config.h"

#define DEFAULTS "config/terrane.json"
#define SCHEMA   "config/schema/terrane.schema.json"

static char error[CONFIG_ERROR_BYTES];

static int parse(struct config *config, const char *text)
{
    error[0] = '\0';
    return config_parse(config, text, strlen(text), "a.json", error, sizeof error);
}

/* Whether the defaults with this text over them are taken. */
static bool accepts(const char *text)
{
    struct config config;

    assert_int_equal(config_load(&config, NULL, error, sizeof error), 0);
    const bool accepted = parse(&config, text) == 0;
    config_free(&config);
    return accepted;
}

static void assert_refused(const char *text, const char *message)
{
    assert_false(accepts(text));
    assert_string_equal(error, message);
}

static json_t *json_read(const char *path)
{
    json_error_t trouble;
    json_t *const root = json_load_file(path, JSON_REJECT_DUPLICATES, &trouble);

    if (!root)
        fail_msg("%s:%d: %s (this test runs at the root of the repository)", path, trouble.line,
                 trouble.text);
    return root;
}

/* ---- Defaults, schema and table ------------------------------------------------------------------------ */

static void test_defaults_are_the_file(void **state)
{
    struct config config;
    size_t bytes;
    char text[16384];
    (void)state;

    FILE *const file = fopen(DEFAULTS, "rb");
    assert_non_null(file);
    const size_t count = fread(text, 1, sizeof text, file);
    fclose(file);
    const char *const built_in = config_default(&bytes);
    assert_int_equal(count, bytes);
    assert_memory_equal(text, built_in, bytes);

    assert_int_equal(config_load(&config, NULL, error, sizeof error), 0);
    assert_string_equal(config.listen, "127.0.0.1:8080");
    assert_string_equal(config.admin, "127.0.0.1:8081");
    assert_int_equal(config.http.target_bytes, 2048);
    assert_int_equal(config.render.deadline_ms, 5000);
    assert_string_equal(config.cache.dir, "");
    assert_int_equal(config.cache.disk_bytes, 1 << 30);
    assert_int_equal(config.cache.retry_interval_ms, 10000);
    assert_int_equal(config.worlds.named.count, 0);
    assert_int_equal(config.log.level, LOG_INFO);
    config_free(&config);
    assert_null(config.listen);
    config_free(&config);
}

static bool is_key(const char *path)
{
    for (size_t k = 0; config_key(k); k++)
        if (strcmp(config_key(k), path) == 0)
            return true;
    return false;
}

/* Counts the members that are no group; asserts that each is a key of the table. */
static size_t keys_count(json_t *object, const char *group)
{
    size_t count = 0;

    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        char path[128];
        snprintf(path, sizeof path, "%s%s%s", group, group[0] ? "." : "", json_object_iter_key(at));
        if (is_key(path))
            count++;
        else if (json_is_object(json_object_iter_value(at)))
            count += keys_count(json_object_iter_value(at), path);
        else
            fail_msg(DEFAULTS ": %s is not in the table", path);
    }
    return count;
}

static void test_file_has_the_keys_of_the_table(void **state)
{
    size_t keys = 0;
    (void)state;

    json_t *const root = json_read(DEFAULTS);
    while (config_key(keys))
        keys++;
    assert_int_equal(keys_count(root, ""), keys);
    assert_null(config_key(keys + 1));
    json_decref(root);
}

/* Writes {"a": {"b": VALUE}} for the key a.b. */
static const char *text_of(const char *path, const char *value)
{
    static char text[256];
    const char *const dot = strchr(path, '.');

    if (dot)
        snprintf(text, sizeof text, "{\"%.*s\": {\"%s\": %s}}", (int)(dot - path), path, dot + 1, value);
    else
        snprintf(text, sizeof text, "{\"%s\": %s}", path, value);
    return text;
}

static const char *number(json_int_t value)
{
    static char text[32];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, value);
    return text;
}

/* The schema's entry and the file's value of a key. */
static json_t *key_in(json_t *root, const char *path, const char *between)
{
    const char *const dot = strchr(path, '.');
    char group[64];

    if (between)
        root = json_object_get(root, between);
    if (!dot)
        return json_object_get(root, path);
    snprintf(group, sizeof group, "%.*s", (int)(dot - path), path);
    root = json_object_get(root, group);
    if (between)
        root = json_object_get(root, between);
    return json_object_get(root, dot + 1);
}

static void test_schema_agrees(void **state)
{
    (void)state;
    json_t *const schema = json_read(SCHEMA);
    json_t *const file = json_read(DEFAULTS);

    for (size_t k = 0; config_key(k); k++) {
        const char *const path = config_key(k);
        json_t *const entry = key_in(schema, path, "properties");
        assert_non_null(entry);
        assert_true(json_equal(json_object_get(entry, "default"), key_in(file, path, NULL)));
        assert_false(accepts(text_of(path, "[]")));
        assert_false(accepts(text_of(path, "null")));
        if (strcmp(json_string_value(json_object_get(entry, "type")), "integer") != 0)
            continue;
        const json_int_t low = json_integer_value(json_object_get(entry, "minimum"));
        const json_int_t high = json_integer_value(json_object_get(entry, "maximum"));
        assert_true(accepts(text_of(path, number(low))));
        assert_true(accepts(text_of(path, number(high))));
        assert_false(accepts(text_of(path, number(low - 1))));
        assert_non_null(strstr(error, "is below the minimum"));
        assert_false(accepts(text_of(path, number(high + 1))));
        assert_non_null(strstr(error, "is above the maximum"));
        assert_non_null(strstr(error, path));
    }
    json_decref(schema);
    json_decref(file);
}

/* ---- Files over defaults ------------------------------------------------------------------------------- */

static void test_later_wins(void **state)
{
    struct config config;
    (void)state;

    assert_int_equal(config_load(&config, NULL, error, sizeof error), 0);
    assert_int_equal(parse(&config, "{\"listen\": \"[::1]:0\", \"admin\": \"\", \"http\": {\"threads\": 64},"
                                    "\"cache\": {\"disk_rows\": 1e6, \"dir\": \"/x\", \"disk_bytes\": 0,"
                                    "\"memory_bytes\": 1099511627776}, \"log\": {\"level\": \"debug\"}}"),
                     0);
    assert_string_equal(config.listen, "[::1]:0");
    assert_string_equal(config.admin, "");
    assert_int_equal(config.http.threads, 64);
    assert_int_equal(config.http.connections, 4096);
    assert_int_equal(config.cache.disk_rows, 1000000);
    assert_int_equal(config.cache.disk_bytes, 0);
    assert_int_equal(config.cache.memory_bytes, INT64_C(1) << 40);
    assert_string_equal(config.cache.dir, "/x");
    assert_int_equal(config.log.level, LOG_DEBUG);
    config_free(&config);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"render\": {\"queue\": 0}}", "a.json: render.queue: 0 is below the minimum: allowed 1 .. 65536"},
        {"{\"render\": {\"queue\": 65537}}",
         "a.json: render.queue: 65537 is above the maximum: allowed 1 .. 65536"},
        {"{\"render\": {\"queue\": 2.5}}", "a.json: render.queue: 2.5 is not an integer: allowed 1 .. 65536"},
        {"{\"render\": {\"queue\": 1e300}}",
         "a.json: render.queue: 1e+300 is not an integer: allowed 1 .. 65536"},
        {"{\"render\": {\"queue\": \"9\"}}",
         "a.json: render.queue: \"9\" is not an integer: allowed 1 .. 65536"},
        {"{\"render\": {\"queue\": true}}",
         "a.json: render.queue: true is not an integer: allowed 1 .. 65536"},
        {"{\"cache\": {\"disk_bytes\": 1}}",
         "a.json: cache.disk_bytes: 1 is below the minimum: allowed 0 or 4194304 .. 70368744177664"},
        {"{\"render\": {\"queu\": 9}}", "a.json: render.queu: unknown key, perhaps queue was meant: "
                                        "allowed threads, queue, deadline_ms"},
        {"{\"rendre\": {}}", "a.json: rendre: unknown key, perhaps render was meant: "
                             "allowed $schema, listen, admin, http, render, cache, worlds, log"},
        {"{\"log\": {\"colour\": 1}}", "a.json: log.colour: unknown key: allowed level"},
        {"{\"log.level\": \"info\"}", "a.json: \"log.level\": unknown key: "
                                      "allowed $schema, listen, admin, http, render, cache, worlds, log"},
        {"{\"log\": {\"a\\nb\\u001b\\\"\": 1}}",
         "a.json: log.\"a\\x0ab\\x1b\\\"\": unknown key: allowed level"},
        {"{\"log\": {\"level\": \"loud\"}}", "a.json: log.level: \"loud\" is none of the words: "
                                             "allowed \"error\", \"warning\", \"info\", \"debug\""},
        {"{\"http\": 3}", "a.json: http: 3 is not an object: allowed {...} with threads, connections, "
                          "idle_timeout_s, connection_memory_bytes, target_bytes"},
        {"[]", "a.json: an array is not an object: allowed {...} with $schema, listen, admin, http, render, "
               "cache, worlds, log"},
        {"{\"listen\": \"\"}", "a.json: listen: \"\" is no address: allowed \"host:port\", "
                               "IPv6 as \"[::1]:port\", port 0 .. 65535"},
        {"{\"admin\": \"x\"}", "a.json: admin: \"x\" is no address: allowed \"\" or \"host:port\", "
                               "IPv6 as \"[::1]:port\", port 0 .. 65535"},
        {"{\"$schema\": 1}", "a.json: $schema: 1 is not a string: allowed a string"},
        {"{\"worlds\": {\"named\": []}}", "a.json: worlds.named: an array is not an object: "
                                          "allowed an object of names and worlds, at most 10000"},
        {"{\"worlds\": {\"named\": {\"9a\": 1}}}", "a.json: worlds.named.\"9a\": is no name of a world: "
                                                   "allowed [A-Za-z][A-Za-z0-9_-]{0,63}"},
        {"{\"worlds\": {\"named\": {\"alps\": \"01\"}}}",
         "a.json: worlds.named.alps: \"01\" is no seed: allowed \"0\" .. \"18446744073709551615\", "
         "\"0x0\" .. \"0xffffffffffffffff\", or an integer from 0"},
        {"{\n  \"log\": {\"level\": }\n}", "a.json: line 2, column 20: unexpected token near '}'"},
        {"{\"log\": {}, \"log\": {}}", "a.json: line 1, column 17: duplicate object key near '\"log\"'"},
        {"", "a.json: line 1, column 0: '[' or '{' expected near end of file"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(cases[i].text, cases[i].message);
}

/* What is long, deep, binary or of 2^64 ends in one short printable line. */
static void test_hostile_text(void **state)
{
    struct config config = {0};
    static char text[20000];
    (void)state;

    memset(text, '[', sizeof text - 1);
    assert_false(accepts(text));
    memset(text, 'x', sizeof text - 1);
    text[0] = '{';
    text[1] = '"';
    memcpy(text + sizeof text - 7, "\": 1}\0", 7);
    assert_false(accepts(text));
    assert_non_null(strstr(error, "xxx...\": unknown key: allowed "));
    assert_true(strlen(error) < 300);
    assert_int_equal(config_parse(&config, "{\"a\0\": 1}", 9, "nul", error, sizeof error), -1);
    assert_int_equal(config_parse(&config, "{} ]", 4, "tail", error, sizeof error), -1);
    assert_false(accepts("{\"worlds\": {\"named\": {\"a\": 18446744073709551615}}}"));
    assert_non_null(strstr(error, "too big integer"));
    char tiny[8] = "";
    assert_int_equal(config_parse(&config, "[]", 2, "long\nname", tiny, sizeof tiny), -1);
    assert_string_equal(tiny, "long?na");
    assert_int_equal(config_parse(&config, "[]", 2, "a", NULL, 0), -1);
    config_free(&config);
}

static void test_refusal_leaves_untouched(void **state)
{
    struct config config, before;
    (void)state;

    memset(&config, 0x5a, sizeof config);
    memcpy(&before, &config, sizeof config);
    assert_int_equal(config_load(&config, "/nonexistent/terrane.json", error, sizeof error), -1);
    assert_string_equal(error, "/nonexistent/terrane.json: No such file or directory");
    assert_memory_equal(&config, &before, sizeof config);

    assert_int_equal(config_load(&config, NULL, error, sizeof error), 0);
    memcpy(&before, &config, sizeof config);
    assert_int_equal(config_set(&config, "listen", "nowhere", "--listen", error, sizeof error), -1);
    assert_int_equal(config_set(&config, "render.queue", "0", NULL, error, sizeof error), -1);
    assert_int_equal(parse(&config, "{\"worlds\": {\"named\": {\"a\": 1, \"b\": -1}}}"), -1);
    assert_memory_equal(&config, &before, sizeof config);
    config_free(&config);
}

/* ---- Files --------------------------------------------------------------------------------------------- */

static void file_fill(const char *path, const char *text, off_t bytes)
{
    const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    while (lseek(file, 0, SEEK_CUR) < bytes)
        assert_int_equal(write(file, " ", 1), 1);
    close(file);
}

static void test_files(void **state)
{
    struct config config;
    char dir[] = "/tmp/test_config.XXXXXX", path[64], message[256];
    (void)state;

    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/c.json", dir);
    file_fill(path, "{\"log\": {\"level\": \"error\"}}", CONFIG_FILE_BYTES);
    assert_int_equal(config_load(&config, path, error, sizeof error), 0);
    assert_int_equal(config.log.level, LOG_ERROR);
    assert_int_equal(config.http.threads, 2);
    config_free(&config);

    assert_int_equal(truncate(path, CONFIG_FILE_BYTES + 1), 0);
    assert_int_equal(config_load(&config, path, error, sizeof error), -1);
    snprintf(message, sizeof message, "%s: the file is too large: allowed at most 1048576 bytes", path);
    assert_string_equal(error, message);

    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(config_load(&config, path, error, sizeof error), -1);
    snprintf(message, sizeof message, "%s: Not a regular file", path);
    assert_string_equal(error, message);
    unlink(path);

    assert_int_equal(config_load(&config, dir, error, sizeof error), -1);
    snprintf(message, sizeof message, "%s: Is a directory", dir);
    assert_string_equal(error, message);
    rmdir(dir);
}

/* ---- The command line ---------------------------------------------------------------------------------- */

static void test_set(void **state)
{
    struct config config;
    (void)state;

    assert_int_equal(config_load(&config, NULL, error, sizeof error), 0);
    assert_int_equal(config_set(&config, "listen", "[::]:80", "--listen", error, sizeof error), 0);
    assert_string_equal(config.listen, "[::]:80");
    assert_int_equal(config_set(&config, "cache.dir", "/caf\xe9", "--cache", error, sizeof error), 0);
    assert_string_equal(config.cache.dir, "/caf\xe9");
    assert_int_equal(config_set(&config, "render.queue", "7", NULL, error, sizeof error), 0);
    assert_int_equal(config.render.queue, 7);
    assert_int_equal(config_set(&config, "log.level", "warning", NULL, error, sizeof error), 0);
    assert_int_equal(config.log.level, LOG_WARNING);

    assert_int_equal(config_set(&config, "listen", "[::]", "--listen", error, sizeof error), -1);
    assert_string_equal(error, "--listen: \"[::]\" is no address: allowed \"host:port\", "
                               "IPv6 as \"[::1]:port\", port 0 .. 65535");
    static const char *const bad[] = {"", "-", "+1", " 1", "1 ", "0x1", "1e3", "99999999999999999999", "0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(config_set(&config, "render.queue", bad[i], NULL, error, sizeof error), -1);
    assert_string_equal(error, "render.queue: 0 is below the minimum: allowed 1 .. 65536");
    static const char *const no_key[] = {"worlds.named", "$schema", "render", "", "queue"};
    for (size_t i = 0; i < sizeof no_key / sizeof no_key[0]; i++)
        assert_int_equal(config_set(&config, no_key[i], "1", "--it", error, sizeof error), -1);
    assert_string_equal(error, "--it: queue is no key that can be set");
    config_free(&config);
}

/* ---- Addresses ----------------------------------------------------------------------------------------- */

static void test_addresses(void **state)
{
    static const struct {
        const char *text, *host;
        unsigned port;
    } good[] = {
        {"127.0.0.1:8080", "127.0.0.1", 8080}, {"[::1]:8080", "::1", 8080},
        {"localhost:0", "localhost", 0},       {"[fe80::1%eth0]:65535", "fe80::1%eth0", 65535},
        {"0.0.0.0:1", "0.0.0.0", 1},           {"[::ffff:1.2.3.4]:9", "::ffff:1.2.3.4", 9},
        {"a-b.c_d:443", "a-b.c_d", 443},
    };
    static const char *const bad[] = {
        "",
        ":",
        ":80",
        "a",
        "a:",
        "a:-0",
        "a:65536",
        "a:080",
        "a:00",
        "a:+1",
        "a: 1",
        "a:1 ",
        "a:1\n",
        "a:99999999999999999999",
        "::1:80",
        "[]:80",
        "[::1]",
        "[::1]80",
        "[::1:80",
        "[::1]x:80",
        "[1.2.3.4]:80",
        "[::1%]:80",
        "[a]:80",
        "[::1%a/b]:1",
        "256.1.1.1:1",
        "1.2.3:80",
        "1.2.3.4.:1",
        "..:1",
        "a b:80",
        "a/b:80",
        "a\x7f:80",
        "\xc3\xa4:80",
        "[::1]]:80",
        "[[::1]:80",
        "a:80:80",
        "[",
        "[::1]:",
        "1:2",
        "0x7f.1:-80",
        "[::1%01234567890123456]:1",
    };
    char host[CONFIG_HOST_BYTES], long_name[300];
    uint16_t port = 7;
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(host, sizeof host, "untouched");
        if (config_split_address(bad[i], host, sizeof host, &port))
            fail_msg("\"%s\" was taken for an address", bad[i]);
        assert_string_equal(host, "untouched");
        assert_int_equal(port, 7);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(config_split_address(good[i].text, host, sizeof host, &port));
        assert_string_equal(host, good[i].host);
        assert_int_equal(port, good[i].port);
        assert_false(config_split_address(good[i].text, host, strlen(good[i].host), &port));
        assert_true(config_split_address(good[i].text, host, strlen(good[i].host) + 1, &port));
    }
    memset(long_name, 'a', sizeof long_name);
    memcpy(long_name + 253, ":1", 3);
    assert_true(config_split_address(long_name, host, sizeof host, &port));
    memcpy(long_name + 253, "a:1", 4);
    assert_false(config_split_address(long_name, host, sizeof host, &port));
}

/* ---- Worlds -------------------------------------------------------------------------------------------- */

static void test_seeds(void **state)
{
    static const struct {
        const char *text;
        uint64_t seed;
    } good[] = {
        {"\"0\"", 0},      {"\"18446744073709551615\"", UINT64_MAX}, {"\"0x0\"", 0},
        {"\"0xFf\"", 255}, {"\"0xffffffffffffffff\"", UINT64_MAX},   {"\"0x0000000000000001\"", 1},
        {"0", 0},          {"9223372036854775807", INT64_MAX},       {"42.0", 42},
        {"1e3", 1000},
    };
    static const char *const bad[] = {
        "\"\"",
        "\"18446744073709551616\"",
        "\"0x\"",
        "\"0X1\"",
        "\"0x10000000000000000\"",
        "\"01\"",
        "\"-1\"",
        "\"+1\"",
        "\" 1\"",
        "\"1 \"",
        "\"1.0\"",
        "\"0xg\"",
        "-1",
        "0.5",
        "1e300",
        "null",
        "{}",
        "[1]",
        "true",
        "\"0x00000000000000001\"",
    };
    char text[128];
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, "{\"worlds\": {\"named\": {\"w\": %s}}}", bad[i]);
        if (accepts(text))
            fail_msg("%s was taken for a seed", bad[i]);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct config config = {0};
        snprintf(text, sizeof text, "{\"worlds\": {\"named\": {\"w\": %s}}}", good[i].text);
        if (parse(&config, text) != 0)
            fail_msg("%s", error);
        assert_true(config.worlds.named.world[0].seed == good[i].seed);
        config_free(&config);
    }
}

/* {"worlds": {"named": {"w0": 0, "w7919": 1, ...}}} in scattered order. Returns owned. */
static char *worlds_text(unsigned count)
{
    const size_t bytes = 64 + 32 * (size_t)count;
    char *const text = malloc(bytes);
    size_t used = (size_t)snprintf(text, bytes, "{\"worlds\": {\"named\": {");

    for (unsigned i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s\"w%u\": \"%u\"", i ? "," : "",
                                 i * 7919U % count, i);
    snprintf(text + used, bytes - used, "}}}");
    return text;
}

static void test_worlds(void **state)
{
    struct config config = {0};
    char name[CONFIG_NAME_BYTES + 2];
    (void)state;

    assert_null(config_world_find(&config, "a", 1));
    char *text = worlds_text(CONFIG_WORLDS);
    assert_int_equal(parse(&config, text), 0);
    free(text);
    assert_int_equal(config.worlds.named.count, CONFIG_WORLDS);
    for (unsigned i = 0; i < CONFIG_WORLDS; i++) {
        const int bytes = snprintf(name, sizeof name, "w%uX", i * 7919U % CONFIG_WORLDS) - 1;
        const struct config_world *const world = config_world_find(&config, name, (size_t)bytes);
        assert_non_null(world);
        assert_int_equal(world->seed, i);
        assert_null(config_world_find(&config, name, (size_t)bytes + 1));
    }
    assert_null(config_world_find(&config, "", 0));
    assert_null(config_world_find(&config, "w1\0", 3));
    memset(name, 'w', sizeof name);
    assert_null(config_world_find(&config, name, sizeof name));

    assert_int_equal(parse(&config, "{\"worlds\": {\"named\": {\"Alps_2-b\": \"0x10\"}}}"), 0);
    assert_int_equal(config.worlds.named.count, 1);
    assert_int_equal(config_world_find(&config, "Alps_2-b", 8)->seed, 16);
    text = worlds_text(CONFIG_WORLDS + 1);
    assert_int_equal(parse(&config, text), -1);
    free(text);
    assert_string_equal(error, "a.json: worlds.named: 10001 worlds: allowed at most 10000");
    assert_int_equal(config.worlds.named.count, 1);
    config_free(&config);
}

static void test_worlds_with_recipes(void **state)
{
    struct config config = {0};
    (void)state;

    assert_int_equal(parse(&config,
                           "{\"worlds\": {\"default\": \"desert\", \"dir\": \"/r\", \"named\": {\"a\": 1, "
                           "\"b\": {\"recipe\": \"alpine-2\", \"seed\": \"0x10\"}, \"c\": {\"seed\": 2}}}}"),
                     0);
    assert_string_equal(config.worlds.standard, "desert");
    assert_string_equal(config.worlds.dir, "/r");
    assert_string_equal(config_world_find(&config, "a", 1)->recipe, "");
    assert_string_equal(config_world_find(&config, "b", 1)->recipe, "alpine-2");
    assert_int_equal(config_world_find(&config, "b", 1)->seed, 16);
    assert_string_equal(config_world_find(&config, "c", 1)->recipe, "");
    config_free(&config);

    assert_refused(
        "{\"worlds\": {\"default\": \"Desert\"}}",
        "a.json: worlds.default: \"Desert\" is no name of a recipe: allowed a name [a-z][a-z0-9-]{0,63}");
    assert_refused("{\"worlds\": {\"named\": {\"b\": {}}}}",
                   "a.json: worlds.named.b: has no seed: allowed seed, recipe");
    assert_refused("{\"worlds\": {\"named\": {\"b\": {\"seed\": 1, \"recipe\": 3}}}}",
                   "a.json: worlds.named.b.recipe: 3 is no name of a recipe: allowed [a-z][a-z0-9-]{0,63}");
    assert_refused("{\"worlds\": {\"named\": {\"b\": {\"seed\": 1, \"recpe\": \"a\"}}}}",
                   "a.json: worlds.named.b.recpe: unknown key: allowed seed, recipe");
}

static void test_world_names(void **state)
{
    static const char *const bad[] = {"", "-a", "_a", "1", "a b", "a.b", "\xc3\xa4", "a/b", "$a"};
    char name[CONFIG_NAME_BYTES + 2] = "", text[256];
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, "{\"worlds\": {\"named\": {\"%s\": 1}}}", bad[i]);
        assert_false(accepts(text));
        assert_non_null(strstr(error, "is no name of a world: allowed "));
    }
    memset(name, 'a', CONFIG_NAME_BYTES);
    snprintf(text, sizeof text, "{\"worlds\": {\"named\": {\"%s\": 1}}}", name);
    assert_true(accepts(text));
    name[CONFIG_NAME_BYTES] = 'a';
    snprintf(text, sizeof text, "{\"worlds\": {\"named\": {\"%s\": 1}}}", name);
    assert_false(accepts(text));
}

/* ---- The directory ------------------------------------------------------------------------------------- */

static void assert_dir(const char *configured, const char *xdg, const char *home, const char *expected)
{
    struct config config;

    assert_int_equal(config_load(&config, NULL, error, sizeof error), 0);
    assert_int_equal(config_set(&config, "cache.dir", configured, NULL, error, sizeof error), 0);
    assert_int_equal(xdg ? setenv("XDG_CACHE_HOME", xdg, 1) : unsetenv("XDG_CACHE_HOME"), 0);
    assert_int_equal(home ? setenv("HOME", home, 1) : unsetenv("HOME"), 0);
    char *const dir = config_cache_dir(&config);
    assert_string_equal(dir, expected);
    free(dir);
    config_free(&config);
}

static void test_cache_dir(void **state)
{
    (void)state;
    assert_dir("/data", "/xdg", "/home/a", "/data");
    assert_dir("here", "/xdg", "/home/a", "here");
    assert_dir("", "/xdg", "/home/a", "/xdg/terrane");
    assert_dir("", "relative", "/home/a", "/home/a/.cache/terrane");
    assert_dir("", "", "/home/a", "/home/a/.cache/terrane");
    assert_dir("", NULL, "/home/a", "/home/a/.cache/terrane");
    assert_dir("", NULL, "", "/var/cache/terrane");
    assert_dir("", NULL, NULL, "/var/cache/terrane");
}

/* ---- Short memory -------------------------------------------------------------------------------------- */

static long allocations_left;

static void *malloc_failing(size_t bytes)
{
    return allocations_left-- > 0 ? malloc(bytes) : NULL;
}

/* Each allocation of the parser fails in turn: an error with a message, nothing lost, nothing half made. */
static void test_parser_without_memory(void **state)
{
    struct config config;
    long k = 0;
    int result;
    (void)state;

    json_set_alloc_funcs(malloc_failing, free);
    do {
        allocations_left = k++;
        error[0] = '\0';
        result = config_load(&config, NULL, error, sizeof error);
        if (result != 0)
            assert_true(strlen(error) > 0);
    } while (result != 0 && k < 10000);
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(result, 0);
    assert_true(k > 20);
    config_free(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_are_the_file),
        cmocka_unit_test(test_file_has_the_keys_of_the_table),
        cmocka_unit_test(test_schema_agrees),
        cmocka_unit_test(test_later_wins),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_hostile_text),
        cmocka_unit_test(test_refusal_leaves_untouched),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_worlds),
        cmocka_unit_test(test_worlds_with_recipes),
        cmocka_unit_test(test_world_names),
        cmocka_unit_test(test_cache_dir),
        cmocka_unit_test(test_parser_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
