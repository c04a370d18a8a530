/*
 * The table of keys: it, the file and the schema agree; what every key takes, and what the messages say.
 *
 * That schema and program refuse the same values is tested here on the parser and in tests/config/test_schema.py on the
 * program.
 */
#include "config_kit.h"

#define DEFAULTS "config/terrane.json"
#define SCHEMA   "config/schema/terrane.schema.json"

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
    static char text[512];
    size_t used = 0, groups = 0;

    for (const char *dot; (dot = strchr(path, '.')) != NULL; path = dot + 1, groups++)
        used += (size_t)snprintf(text + used, sizeof text - used, "{\"%.*s\": ", (int)(dot - path), path);
    used += (size_t)snprintf(text + used, sizeof text - used, "{\"%s\": %s", path, value);
    for (size_t i = 0; i <= groups; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "}");
    assert_true(used < sizeof text);
    return text;
}

static const char *number(json_int_t value)
{
    static char text[32];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, value);
    return text;
}

/* The schema's entry (between "properties") or the file's value (between NULL) of a key. */
static json_t *key_in(json_t *root, const char *path, const char *between)
{
    char name[64];

    for (;;) {
        const size_t bytes = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)bytes, path);
        root = json_object_get(between ? json_object_get(root, between) : root, name);
        if (path[bytes] == '\0')
            return root;
        path += bytes + 1;
    }
}

static void assert_type_agrees(const char *path, const char *type)
{
    assert_false(accepts(text_of(path, "7.5")));
    assert_non_null(strstr(error, path));
    assert_non_null(strstr(error, "allowed "));
    assert_int_equal(accepts(text_of(path, "{}")), strcmp(type, "object") == 0);
    assert_int_equal(accepts(text_of(path, "[]")), strcmp(type, "array") == 0);
    assert_int_equal(accepts(text_of(path, "true")), strcmp(type, "boolean") == 0);
    assert_int_equal(accepts(text_of(path, "false")), strcmp(type, "boolean") == 0);
    assert_false(accepts(text_of(path, "null")));
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
        const char *const type = json_string_value(json_object_get(entry, "type"));
        assert_type_agrees(path, type);
        if (strcmp(type, "integer") != 0)
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

/* The defaults and members of the keys of a server that is open to others, one by one. */
static void test_every_member(void **state)
{
    struct config config;
    (void)state;

    load_defaults(&config);
    assert_int_equal(config.http.connections_per_address, 0);
    assert_int_equal(config.http.idle_timeout_s, 30);
    assert_int_equal(config.http.request_timeout_s, 10);
    assert_int_equal(config.http.send_timeout_s, 30);
    assert_true(config.http.compression && config.http.status);
    assert_int_equal(config.http.hosts.count + config.http.trusted_proxies.count, 0);
    assert_string_equal(config.http.tls.certificate, "");
    assert_string_equal(config.http.tls.key, "");
    assert_int_equal(config.limits.tiles_per_minute + config.limits.tiles_burst, 0);
    assert_int_equal(config.limits.renders_per_minute + config.limits.renders_burst, 0);
    assert_int_equal(config.limits.stream_bytes, 256 << 20);
    assert_string_equal(config.access.keys_file, "");
    assert_false(config.access.required);
    assert_string_equal(config.access.admin_token_file, "");
    assert_int_equal(config.prefetch.tiles, 64);
    assert_true(config.worlds.open);
    assert_string_equal(config.log.access, "");
    assert_int_equal(config.log.slow_ms, 1000);

    assert_int_equal(
        parse(&config,
              "{\"http\": {\"connections_per_address\": 1, \"idle_timeout_s\": 2, \"request_timeout_s\": 3, "
              "\"send_timeout_s\": 4, \"compression\": false, \"status\": false, "
              "\"tls\": {\"certificate\": \"/c\", \"key\": \"/k\"}}, "
              "\"limits\": {\"tiles_per_minute\": 5, \"tiles_burst\": 6, \"renders_per_minute\": 7, "
              "\"renders_burst\": 1e9, \"stream_bytes\": 0}, "
              "\"access\": {\"keys_file\": \"/keys\", \"required\": true, \"admin_token_file\": \"/token\"}, "
              "\"prefetch\": {\"tiles\": 9}, \"worlds\": {\"open\": false}, "
              "\"log\": {\"access\": \"-\", \"slow_ms\": 10}}"),
        0);
    assert_int_equal(config.http.connections_per_address, 1);
    assert_int_equal(config.http.idle_timeout_s, 2);
    assert_int_equal(config.http.request_timeout_s, 3);
    assert_int_equal(config.http.send_timeout_s, 4);
    assert_false(config.http.compression || config.http.status);
    assert_string_equal(config.http.tls.certificate, "/c");
    assert_string_equal(config.http.tls.key, "/k");
    assert_int_equal(config.limits.tiles_per_minute, 5);
    assert_int_equal(config.limits.tiles_burst, 6);
    assert_int_equal(config.limits.renders_per_minute, 7);
    assert_int_equal(config.limits.renders_burst, 1000000000);
    assert_int_equal(config.limits.stream_bytes, 0);
    assert_string_equal(config.access.keys_file, "/keys");
    assert_true(config.access.required);
    assert_string_equal(config.access.admin_token_file, "/token");
    assert_int_equal(config.prefetch.tiles, 9);
    assert_false(config.worlds.open);
    assert_string_equal(config.log.access, "-");
    assert_int_equal(config.log.slow_ms, 10);
    config_free(&config);
}

/* A list is replaced as a whole, keeps its order, and stays as it was where a new one is refused. */
static void test_lists(void **state)
{
    struct config config = {0};
    static char text[16384];
    (void)state;

    assert_int_equal(parse(&config, "{\"http\": {\"hosts\": [\"b\", \"a\", \"*.c.d\"]}}"), 0);
    assert_int_equal(config.http.hosts.count, 3);
    assert_string_equal(config.http.hosts.item[0], "b");
    assert_string_equal(config.http.hosts.item[2], "*.c.d");
    assert_int_equal(parse(&config, "{\"http\": {\"hosts\": [\"x\", \"y\", 3]}}"), -1);
    assert_int_equal(config.http.hosts.count, 3);
    assert_string_equal(config.http.hosts.item[1], "a");
    assert_int_equal(parse(&config, "{\"http\": {\"hosts\": []}}"), 0);
    assert_int_equal(config.http.hosts.count, 0);

    for (int most = CONFIG_LIST; most <= CONFIG_LIST + 1; most++) {
        size_t used = (size_t)snprintf(text, sizeof text, "{\"http\": {\"trusted_proxies\": [");
        for (int i = 0; i < most; i++)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s\"10.0.0.%d\"", i ? "," : "", i % 256);
        snprintf(text + used, sizeof text - used, "]}}");
        assert_int_equal(parse(&config, text), most == CONFIG_LIST ? 0 : -1);
        assert_int_equal(config.http.trusted_proxies.count, CONFIG_LIST);
    }
    assert_string_equal(error, "a.json: http.trusted_proxies: 1001 strings: allowed at most 1000");
    config_free(&config);
    assert_null(config.http.trusted_proxies.item);
}

#define ALLOWED_STORE                                                                                      \
    "allowed \"\" or \"redis://[[user]:password@]host[:port][/database]\", \"rediss://...\" over TLS, or " \
    "\"unix:///path\", at most 2047 bytes"
#define ALLOWED_HOSTS                                                                   \
    "allowed an array of at most 1000 names as \"example.org\" and \"*.example.org\", " \
    "addresses as \"192.0.2.1\" and \"[::1]\""

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
        {"{\"rendre\": {}}",
         "a.json: rendre: unknown key, perhaps render was meant: "
         "allowed $schema, listen, admin, http, render, limits, access, prefetch, cache, worlds, log"},
        {"{\"log\": {\"colour\": 1}}", "a.json: log.colour: unknown key: allowed level, access, slow_ms"},
        {"{\"log.level\": \"info\"}",
         "a.json: \"log.level\": unknown key: "
         "allowed $schema, listen, admin, http, render, limits, access, prefetch, cache, worlds, log"},
        {"{\"log\": {\"a\\nb\\u001b\\\"\": 1}}",
         "a.json: log.\"a\\x0ab\\x1b\\\"\": unknown key: allowed level, access, slow_ms"},
        {"{\"log\": {\"level\": \"loud\"}}", "a.json: log.level: \"loud\" is none of the words: "
                                             "allowed \"error\", \"warning\", \"info\", \"debug\""},
        {"{\"http\": 3}", "a.json: http: 3 is not an object: allowed {...} with threads, connections, "
                          "connections_per_address, "
                          "idle_timeout_s, request_timeout_s, send_timeout_s, connection_memory_bytes, "
                          "target_bytes, compression, "
                          "status, hosts, trusted_proxies, tls"},
        {"{\"http\": {\"tls\": \"x\"}}",
         "a.json: http.tls: \"x\" is not an object: allowed {...} with certificate, key"},
        {"{\"http\": {\"tls\": {\"kye\": \"x\"}}}",
         "a.json: http.tls.kye: unknown key, perhaps key was meant: allowed certificate, key"},
        {"{\"http\": {\"tls\": {\"key\": 1}}}",
         "a.json: http.tls.key: 1 is not a string: allowed a string of at most 4000 bytes"},
        {"{\"http\": {\"status\": \"true\"}}",
         "a.json: http.status: \"true\" is not a boolean: allowed true, false"},
        {"{\"worlds\": {\"open\": 0}}", "a.json: worlds.open: 0 is not a boolean: allowed true, false"},
        {"{\"http\": {\"hosts\": \"a\"}}", "a.json: http.hosts: \"a\" is not an array: " ALLOWED_HOSTS},
        {"{\"http\": {\"hosts\": [\"a\", \"b:80\"]}}",
         "a.json: http.hosts[1]: \"b:80\" is no host: " ALLOWED_HOSTS},
        {"{\"http\": {\"hosts\": [null]}}", "a.json: http.hosts[0]: null is not a string: " ALLOWED_HOSTS},
        {"{\"http\": {\"trusted_proxies\": [\"::1\", \"localhost\"]}}",
         "a.json: http.trusted_proxies[1]: \"localhost\" is no address or network: allowed an array of at "
         "most 1000 "
         "addresses as \"192.0.2.1\" and \"::1\", networks as \"10.0.0.0/8\""},
        {"{\"cache\": {\"shared\": 1}}", "a.json: cache.shared: 1 is not a string: " ALLOWED_STORE},
        {"{\"cache\": {\"shared\": \"redis://:s3cret@h:0\"}}",
         "a.json: cache.shared: no URL of a store: the port is a number, 1 .. 65535: " ALLOWED_STORE},
        {"{\"prefetch\": {\"tiles\": 4097}}",
         "a.json: prefetch.tiles: 4097 is above the maximum: allowed 0 .. 4096"},
        {"[]", "a.json: an array is not an object: allowed {...} with $schema, listen, admin, http, render, "
               "limits, access, prefetch, cache, worlds, log"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_has_the_keys_of_the_table),
        cmocka_unit_test(test_schema_agrees),
        cmocka_unit_test(test_every_member),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
