/*
 * Words of the configuration: addresses, hosts, networks, and the directory of the disk tier.
 */
#include "config_kit.h"

TEST(addresses)
{
    static const struct {
        const char *text, *host;
        unsigned port;
    } good[] = {{"127.0.0.1:8080", "127.0.0.1", 8080}, {"[::1]:8080", "::1", 8080},
                {"localhost:0", "localhost", 0},       {"[fe80::1%eth0]:65535", "fe80::1%eth0", 65535},
                {"0.0.0.0:1", "0.0.0.0", 1},           {"[::ffff:1.2.3.4]:9", "::ffff:1.2.3.4", 9},
                {"a-b.c_d:443", "a-b.c_d", 443}};
    static const char *const bad[] = {
        "",       ":",           ":80",         "a",         "a:",         "a:-0",         "a:65536",
        "a:080",  "a:00",        "a:+1",        "a: 1",      "a:1 ",       "a:1\n",        "::1:80",
        "[]:80",  "[::1]",       "[::1]80",     "[::1:80",   "[::1]x:80",  "[1.2.3.4]:80", "[::1%]:80",
        "[a]:80", "[::1%a/b]:1", "256.1.1.1:1", "1.2.3:80",  "1.2.3.4.:1", "..:1",         "a b:80",
        "a/b:80", "a\x7f:80",    "\xc3\xa4:80", "[::1]]:80", "[[::1]:80",  "a:80:80",      "[",
        "[::1]:", "1:2",         "0x7f.1:-80"};
    char host[TEXT_HOST_BYTES], long_name[300];
    uint16_t port = 7;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(host, sizeof host, "untouched");
        if (text_split_address(bad[i], host, sizeof host, &port))
            fail_msg("\"%s\" was taken for an address", bad[i]);
        assert_string_equal(host, "untouched");
        assert_int_equal(port, 7);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(text_split_address(good[i].text, host, sizeof host, &port));
        assert_string_equal(host, good[i].host);
        assert_int_equal(port, good[i].port);
        assert_false(text_split_address(good[i].text, host, strlen(good[i].host), &port));
        assert_true(text_split_address(good[i].text, host, strlen(good[i].host) + 1, &port));
    }
    assert_false(text_split_address("a:99999999999999999999", host, sizeof host, &port));
    assert_false(text_split_address("[::1%01234567890123456]:1", host, sizeof host, &port));
    memset(long_name, 'a', sizeof long_name);
    memcpy(long_name + 253, ":1", 3);
    assert_true(text_split_address(long_name, host, sizeof host, &port));
    memcpy(long_name + 253, "a:1", 4);
    assert_false(text_split_address(long_name, host, sizeof host, &port));
}

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

TEST(lines)
{
    static const struct {
        size_t room;
        const char *text, *line;
    } rows[] = {{9, "\xc3\xa9\xc3\xa9", "a\xc3\xa9\xc3\xa9"}, /* whole */
                {5, "\xc3\xa9\xc3\xa9", "a\xc3\xa9"},         /* cut in a character */
                {4, "\xf0\x9f\x98\x80", "a"},
                {1, "\xc3\xa9", ""},
                {9, "e\xff.\xc3", "ae?.?"}, /* no UTF-8, and not cut */
                {4, "\xff\xff\xff", "a??"},
                {4, "\xe0\xe0\xa0\xa0", "a?"},
                {9, "\xed\xa0\x80", "a???"}, /* a surrogate */
                {9, "\n\x7f\xc2\x9bx", "a????x"}};
    char line[16];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(line, 'x', sizeof line);
        assert_int_equal(text_print(line, rows[i].room, "a%s", rows[i].text), strlen(rows[i].line));
        assert_string_equal(line, rows[i].line);
    }
    assert_int_equal(text_cut("", 3), 0);
    assert_int_equal(text_cut("abc", 3), 3);
    assert_int_equal(text_cut("ab\xc3\xa9", 3), 2);
    assert_int_equal(text_cut("ab\xc3\xa9", 4), 4);
    assert_int_equal(text_cut("\xff\xff\xff", 2), 2);
}

TEST(cache_dir)
{
    assert_dir("/data", "/xdg", "/home/a", "/data");
    assert_dir("here", "/xdg", "/home/a", "here");
    assert_dir("", "/xdg", "/home/a", "/xdg/terrane");
    assert_dir("", "relative", "/home/a", "/home/a/.cache/terrane");
    assert_dir("", "", "/home/a", "/home/a/.cache/terrane");
    assert_dir("", NULL, "/home/a", "/home/a/.cache/terrane");
    assert_dir("", NULL, "", "/var/cache/terrane");
    assert_dir("", NULL, NULL, "/var/cache/terrane");
}

GROUP(words);
