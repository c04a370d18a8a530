/*
 * The configuration: lists, messages, overriding, files, hostile text, the command line, what holds between keys, short memory.
 */
#include "config_kit.h"

#include "../folder_kit.h"

/* A list is replaced as a whole, keeps its order, and stays as it was where a new one is refused. */
TEST(lists)
{
    struct config config = {0};

    assert_int_equal(parse(&config, "{\"http\": {\"hosts\": [\"b\", \"a\", \"*.c.d\"]}}"), 0);
    assert_int_equal(config.http.hosts.count, 3);
    assert_string_equal(config.http.hosts.item[0], "b");
    assert_string_equal(config.http.hosts.item[2], "*.c.d");
    assert_int_equal(parse(&config, "{\"http\": {\"hosts\": [\"x\", \"y\", 3]}}"), -1);
    assert_int_equal(config.http.hosts.count, 3);
    assert_string_equal(config.http.hosts.item[1], "a");
    assert_int_equal(parse(&config, "{\"http\": {\"hosts\": []}}"), 0);
    assert_int_equal(config.http.hosts.count, 0);

    config_free(&config);
    assert_null(config.http.hosts.item);
}

/* Of numbers, types, unknown keys, addresses, names and seeds: tests/config/test_schema.py. */
TEST(messages)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"render\": {\"queue\": 1e300}}",
         "a.json: render.queue: 1e+300 is not an integer: allowed 1 .. 65536"},
        {"{\"rendre\": {}}",
         "a.json: rendre: unknown key, perhaps render was meant: "
         "allowed $schema, listen, admin, http, render, limits, access, prefetch, cache, worlds, log"},
        {"{\"log.level\": \"info\"}",
         "a.json: \"log.level\": unknown key: "
         "allowed $schema, listen, admin, http, render, limits, access, prefetch, cache, worlds, log"},
        {"{\"log\": {\"a\\nb\\u001b\\\"\": 1}}",
         "a.json: log.\"a\\x0ab\\x1b\\\"\": unknown key: allowed level, access, slow_ms"},
        {"{\"log\": {\"level\": \"loud\"}}", "a.json: log.level: \"loud\" is none of the words: "
                                             "allowed \"error\", \"warning\", \"info\", \"debug\""},
        {"{\"render\": 3}",
         "a.json: render: 3 is not an object: allowed {...} with threads, queue, deadline_ms, selftest"},
        {"{\"http\": {\"hosts\": [\"a\", \"b:80\"]}}",
         "a.json: http.hosts[1]: \"b:80\" is no host: allowed an array of at most 1000 names as "
         "\"example.org\" and "
         "\"*.example.org\", addresses as \"192.0.2.1\" and \"[::1]\""},
        {"{\"http\": {\"trusted_proxies\": [\"::1\", \"localhost\"]}}",
         "a.json: http.trusted_proxies[1]: \"localhost\" is no address or network: allowed an array of at "
         "most 1000 "
         "addresses as \"192.0.2.1\" and \"::1\", networks as \"10.0.0.0/8\""},
        {"{\"cache\": {\"shared\": \"redis://:s3cret@h:0\"}}",
         "a.json: cache.shared: no URL of a store: the port is a number, 1 .. 65535: allowed \"\" or "
         "\"redis://[[user]:password@]host[:port][/database]\", \"rediss://...\" over TLS, or "
         "\"unix:///path\", at most 2047 "
         "bytes"},
        {"[]", "a.json: an array is not an object: allowed {...} with $schema, listen, admin, http, render, "
               "limits, access, prefetch, cache, worlds, log"},
        {"{\n  \"log\": {\"level\": }\n}", "a.json: line 2, column 20: unexpected token near '}'"},
        {"{\"log\": {}, \"log\": {}}", "a.json: line 1, column 17: duplicate object key near '\"log\"'"},
        {"", "a.json: line 1, column 0: '[' or '{' expected near end of file"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(cases[i].text, cases[i].message);
    assert_false(
        accepts("{\"cache\": \"redis://:s3cret@valkey:6379\"}")); /* its password is not for the log */
    assert_non_null(
        strstr(error, "a.json: cache: a string is not an object: allowed {...} with memory_bytes, "));
}

/* What is long, deep, binary or of 2^64 ends in one short printable line. */
TEST(hostile_text)
{
    struct config config = {0};
    static char text[20000];

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

TEST(refusal_leaves_untouched)
{
    struct config config, before;

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

TEST(files)
{
    struct config config;
    static char text[CONFIG_FILE_BYTES];
    char *const path = folder_path("c", ".json"), message[256];

    memset(text, ' ', sizeof text);
    memcpy(text, "{\"log\": {\"level\": \"error\"}}", 27);
    file_write(path, text, sizeof text);
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

    assert_int_equal(config_load(&config, folder, error, sizeof error), -1);
    snprintf(message, sizeof message, "%s: Is a directory", folder);
    assert_string_equal(error, message);
}

/* What is taken: tests/config/test_environment.py. */
TEST(set)
{
    struct config config;

    assert_int_equal(config_load(&config, NULL, error, sizeof error), 0);
    assert_int_equal(config_set(&config, "listen", "[::]", "--listen", error, sizeof error), -1);
    assert_string_equal(error, "--listen: \"[::]\" is no address: allowed \"host:port\", "
                               "IPv6 as \"[::1]:port\", port 0 .. 65535");
    static const char *const bad[] = {"", "-", "+1", " 1", "1 ", "0x1", "1e3", "99999999999999999999", "0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(config_set(&config, "render.queue", bad[i], NULL, error, sizeof error), -1);
    assert_string_equal(error, "render.queue: 0 is below the minimum: allowed 1 .. 65536");
    assert_int_equal(config_set(&config, "worlds.open", "no", "--open", error, sizeof error), -1);
    assert_string_equal(error, "--open: \"no\" is not a boolean: allowed true, false");
    assert_true(config.worlds.open);
    static const char *const no_key[] = {"worlds.named", "$schema", "http.hosts", "http.tls",
                                         "render",       "",        "queue"};
    for (size_t i = 0; i < sizeof no_key / sizeof no_key[0]; i++)
        assert_int_equal(config_set(&config, no_key[i], "1", "--it", error, sizeof error), -1);
    assert_string_equal(error, "--it: queue is no key that can be set");
    config_free(&config);
}

/* What config_check says of the defaults with a text over them; "" where it takes them. */
static const char *checked(const char *text)
{
    struct config config;

    load_defaults(&config);
    if (parse(&config, text) != 0)
        fail_msg("%s", error);
    error[0] = '\0';
    const int result = config_check(&config, "a.json", error, sizeof error);
    assert_int_equal(result, error[0] != '\0' ? -1 : 0);
    config_free(&config);
    return error;
}

TEST(between_keys)
{
    assert_string_equal(checked("{}"), "");
    assert_string_equal(checked("{\"http\": {\"target_bytes\": 4096}}"), "");
    assert_string_equal(checked("{\"http\": {\"target_bytes\": 8192, \"connection_memory_bytes\": 16384}}"),
                        "");
    assert_string_equal(checked("{\"http\": {\"target_bytes\": 4097}}"),
                        "a.json: http.connection_memory_bytes: 8192 is below twice http.target_bytes: "
                        "allowed from 8194, or a smaller http.target_bytes");
    assert_string_equal(checked("{\"http\": {\"tls\": {\"certificate\": \"/c\", \"key\": \"/k\"}}}"), "");
    assert_string_equal(checked("{\"http\": {\"tls\": {\"certificate\": \"/c\"}}}"),
                        "a.json: http.tls.key: \"\" is no file, and http.tls.certificate is one: "
                        "allowed both or neither");
    assert_string_equal(checked("{\"http\": {\"tls\": {\"key\": \"/k\"}}}"),
                        "a.json: http.tls.certificate: \"\" is no file, and http.tls.key is one: "
                        "allowed both or neither");
    assert_string_equal(checked("{\"access\": {\"required\": true, \"keys_file\": \"/k\"}}"), "");
    assert_string_equal(checked("{\"access\": {\"required\": true}}"),
                        "a.json: access.required: true lets nobody in without keys: "
                        "allowed false, or an access.keys_file");
    assert_string_equal(checked("{\"worlds\": {\"open\": false}}"), "");
}

TEST(public_example)
{
    struct config config;

    if (config_load(&config, "config/public.json", error, sizeof error) != 0 ||
        config_check(&config, "config/public.json", error, sizeof error) != 0)
        fail_msg("%s", error);
    assert_true(config.http.connections_per_address > 0);
    assert_true(config.http.hosts.count > 0);
    assert_true(config.limits.tiles_per_minute > 0 && config.limits.renders_per_minute > 0);
    assert_true(config.log.access[0] != '\0' && config.log.slow_ms > 0);
    assert_true(config.http.tls.certificate[0] != '\0' && config.access.admin_token_file[0] != '\0');
    config_free(&config);
}

static long allocations_left;

static void *malloc_failing(size_t bytes)
{
    return allocations_left-- > 0 ? malloc(bytes) : NULL;
}

/* Each allocation of the parser fails in turn: an error with a message, nothing lost, nothing half made. */
TEST(parser_without_memory)
{
    struct config config;
    long k = 0;
    int result;

    json_set_alloc_funcs(malloc_failing, free);
    do {
        allocations_left = k++;
        error[0] = '\0';
        result = config_load(&config, "config/public.json", error, sizeof error);
        if (result != 0)
            assert_true(strlen(error) > 0);
    } while (result != 0 && k < 10000);
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(result, 0);
    assert_true(k > 20);
    config_free(&config);
}

GROUP(file, folder_make, folder_remove);
