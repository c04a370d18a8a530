/*
 * The screen of what clients send (server/http/screen.h): what it stops at, why, and at which request, however the bytes are cut;
 * and that this very program reads through it (server/http/gate.h).
 */
#include "../unit.h"

#include <string.h>

#include "../../../server/http/gate.h"

#define GET     "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define POST    "POST / HTTP/1.1\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"

/* The whole, or in two pieces; a bar in the text stands before the byte that is wrong, and is left out. */
static void check(const char *text, enum screen_fault fault, uint64_t requests)
{
    char bytes[1024];
    const size_t all = strlen(text) - (fault != SCREEN_FINE), fine = strcspn(text, "|");
    assert_true(all < sizeof bytes);
    memcpy(bytes, text, fine);
    memcpy(bytes + fine, text + fine + (fault != SCREEN_FINE), all - fine);
    for (size_t cut = 0; cut <= all; cut++) {
        struct screen screen = {0};
        size_t got = screen_feed(&screen, bytes, cut);
        got += screen_feed(&screen, bytes + cut, all - cut);
        if (screen.fault != fault || got != fine || screen.requests != requests)
            fail_msg("%s, cut at %zu: fault %d at %zu of request %d", text, cut, screen.fault, got,
                     (int)screen.requests);
    }
}

TEST(heads_are_read_in_one_way)
{
    check(GET GET, SCREEN_FINE, 2);
    check("\r\n\r\n" GET "\r\n" GET, SCREEN_FINE, 2);
    check("GET /\r\n\r\n" GET, SCREEN_FINE, 2);
    check(POST "Content-Length:|\r\n 35\r\n\r\n" GET, SCREEN_LENGTH, 0);
    check(POST "X: a\r\n| b\r\n\r\n", SCREEN_FOLD, 0);
    check(GET GET POST "X:\r\n|\tb\r\n\r\n", SCREEN_FOLD, 2);
    check(POST "X-Forwarded-For:\r\n| 203.0.113.7\r\n\r\n", SCREEN_FOLD, 0);
    check(POST "|: a\r\n\r\n", SCREEN_NAME, 0);
    check(POST "Content-Length| : 3\r\n\r\n", SCREEN_NAME, 0);
    check(POST "nonsense|\r\n\r\n", SCREEN_NAME, 0);
    check(POST "X: a|\nY: b\r\n\r\n", SCREEN_BYTE, 0);
    check(POST "X: a\r|Y: b\r\n\r\n", SCREEN_BYTE, 0);
    check("GET / HTTP/1.1|\nHost: a\r\n\r\n", SCREEN_BYTE, 0);
    check(GET "|\n", SCREEN_BYTE, 1);
    check(GET "\r|\r", SCREEN_BYTE, 1);
    check(POST "Host: a\r\nHosts: b\r\nHos: c\r\nhOST|: a\r\n\r\n", SCREEN_HOST, 0);
}

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

TEST(bodies_end_at_one_place)
{
    check(POST "Content-Length: 3\r\n\r\n\r\n:" GET, SCREEN_FINE, 2);
    check(POST "Content-Length: 0\r\n\r\n" GET, SCREEN_FINE, 2);
    check(POST "Content-Length: 9223372036854775799\r\n\r\n" GET, SCREEN_FINE, 0);
    check(POST "Content-Length: 922337203685477580|8\r\n\r\n" GET, SCREEN_LENGTH, 0);
    check(POST "Content-Length: 3\r\nContent-Length|: 3\r\n\r\nabc", SCREEN_LENGTH, 0);
    check(POST "Content-Length: 3\r\nTransfer-Encoding|: chunked\r\n\r\n", SCREEN_LENGTH, 0);
    check(POST "Transfer-Encoding: chunked\r\nContent-Length|: 3\r\n\r\n", SCREEN_LENGTH, 0);
    check(POST "Transfer-Encoding: chunked|, chunked\r\n\r\n", SCREEN_CODING, 0);
    check("POST / HTTP/1.0\r\nTransfer-Encoding|: chunked\r\n\r\n", SCREEN_CODING, 0);
    check("POST / HTTP/1.1 \r\nTransfer-Encoding|: chunked\r\n\r\n", SCREEN_CODING, 0);
    check("POST / HTTP/1.1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", SCREEN_FINE, 1);
    check(CHUNKED "3\r\nabc\r\n00a;x=\"y\"\r\n0123456789\r\n0\r\n\r\n" GET, SCREEN_FINE, 2);
    check(CHUNKED "0\r\nX: y\r\nZ:\r\n\r\n" GET, SCREEN_FINE, 2);
    check(CHUNKED "3;x|\nabc\r\n0\r\n\r\n", SCREEN_CHUNK, 0);
    check(CHUNKED "3\r\nabc|\n0\r\n\r\n", SCREEN_CHUNK, 0);
    check(CHUNKED "3\r\nabc|d\r\n0\r\n\r\n", SCREEN_CHUNK, 0);
    check(CHUNKED "|\r\n", SCREEN_CHUNK, 0);
    check(CHUNKED "3| \r\nabc\r\n", SCREEN_CHUNK, 0);
    check(CHUNKED "000000000000003\r\nabc\r\n000000000000000|0\r\n", SCREEN_CHUNK, 0);
    check(CHUNKED "0\r\nX: y\r\n| z\r\n\r\n" GET, SCREEN_FOLD, 0);
    check(CHUNKED "0\r\nGET| / HTTP/1.1\r\n\r\n", SCREEN_NAME, 0);
    check(GET CHUNKED "0\r\nContent-Length|: 5\r\n\r\nabcde", SCREEN_LENGTH, 1);
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
