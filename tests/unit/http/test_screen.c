/*
 * The screen of what clients send (server/http/screen.h), and that this very program reads through it (server/http/gate.h). What
 * it stops at and what it lets through, however the bytes are cut: tests/http/test_framing.py, tests/fuzz/fuzz_screen.c.
 */
#include "../unit.h"

#include <string.h>

#include "../../../server/http/gate.h"

#define POST    "POST / HTTP/1.1\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"

TEST(a_zero_byte_stands_nowhere)
{
    static const char text[] = POST "X-Y: a longer value\r\nContent-Length: 3\r\n\r\n";
    for (size_t i = 0; i < sizeof text - 1; i++) {
        struct screen screen = {0};
        char bytes[sizeof text];
        memcpy(bytes, text, sizeof text);
        bytes[i] = 0;
        assert_int_equal(screen_feed(&screen, bytes, sizeof text - 1), i);
        assert_int_not_equal(screen.fault, SCREEN_FINE);
    }
}

/* Not at chunks that are not the last one, and not where libmicrohttpd waits for more by itself. */
TEST(the_last_size_is_not_cut)
{
    static const struct {
        const char *text;
        bool between;
    } table[] = {{CHUNKED "0\r", true},      {CHUNKED "3\r\nabc\r\n0\r", true}, {CHUNKED "0\r\n", false},
                 {CHUNKED "0", false},       {CHUNKED "00\r", false},           {CHUNKED "3\r", false},
                 {CHUNKED "0;x\r", false},   {CHUNKED "0\r\n\r", false},        {CHUNKED, false},
                 {CHUNKED "3\r\n0\r", false}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct screen screen = {0};
        assert_int_equal(screen_feed(&screen, table[i].text, strlen(table[i].text)), strlen(table[i].text));
        assert_int_equal(screen_between(&screen), table[i].between);
    }
}

TEST(libmicrohttpd_reads_through_it)
{
    assert_true(gate_holds());
}

GROUP(screen);
