/*
 * Range and If-Range (server/http/range.h): a table by hand, and every short field against a slow reading of the grammar.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../../server/http/range.h"

#define TAG  "\"0123456789abcdef\""
#define MOST UINT64_MAX

static void ranges_select(void **state)
{
    static const struct {
        const char *range;
        uint64_t bytes;
        enum range_kind kind;
        uint64_t first, last;
    } table[] = {
        {NULL, 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0-499", 1000, RANGE_PART, 0, 499},
        {"bytes=500-999", 1000, RANGE_PART, 500, 999},
        {"bytes=0-0", 1000, RANGE_PART, 0, 0},
        {"bytes=999-999", 1000, RANGE_PART, 999, 999},
        {"bytes=00-0001", 1000, RANGE_PART, 0, 1},
        /* open ends, and beyond the end */
        {"bytes=0-", 1000, RANGE_PART, 0, 999},
        {"bytes=999-", 1000, RANGE_PART, 999, 999},
        {"bytes=1000-", 1000, RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=1000-1000", 1000, RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=0-1000", 1000, RANGE_PART, 0, 999},
        {"bytes=0-999", 1000, RANGE_PART, 0, 999},
        {"bytes=998-5000", 1000, RANGE_PART, 998, 999},
        /* suffixes */
        {"bytes=-1", 1000, RANGE_PART, 999, 999},
        {"bytes=-500", 1000, RANGE_PART, 500, 999},
        {"bytes=-1000", 1000, RANGE_PART, 0, 999},
        {"bytes=-1001", 1000, RANGE_PART, 0, 999},
        {"bytes=-0", 1000, RANGE_UNSATISFIABLE, 0, 0},
        /* of nothing */
        {"bytes=0-", 0, RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=0-0", 0, RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=-0", 0, RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=-5", 0, RANGE_WHOLE, 0, 0},
        /* 64 bits and more */
        {"bytes=0-18446744073709551615", 1000, RANGE_PART, 0, 999},
        {"bytes=0-18446744073709551616", 1000, RANGE_PART, 0, 999},
        {"bytes=0-99999999999999999999999999999999999999", 1000, RANGE_PART, 0, 999},
        {"bytes=18446744073709551616-", 1000, RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=18446744073709551626-18446744073709551627", 1000, RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=18446744073709551616-5", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=-18446744073709551617", 1000, RANGE_PART, 0, 999},
        {"bytes=0-18446744073709551615", MOST, RANGE_PART, 0, MOST - 1},
        {"bytes=18446744073709551614-", MOST, RANGE_PART, MOST - 1, MOST - 1},
        {"bytes=18446744073709551615-", MOST, RANGE_UNSATISFIABLE, 0, 0},
        {"bytes=-99999999999999999999", MOST, RANGE_PART, 0, MOST - 1},
        /* units and blanks */
        {"Bytes=0-1", 1000, RANGE_PART, 0, 1},
        {" \tbytes= 0-1 \t", 1000, RANGE_PART, 0, 1},
        {"bytes =0-1", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0 -1", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0- 1", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0-1 2", 1000, RANGE_WHOLE, 0, 0},
        {"items=0-1", 1000, RANGE_WHOLE, 0, 0},
        {"bytes", 1000, RANGE_WHOLE, 0, 0},
        {"byte", 1000, RANGE_WHOLE, 0, 0},
        {"bytes:0-1", 1000, RANGE_WHOLE, 0, 0},
        {"0-1", 1000, RANGE_WHOLE, 0, 0},
        {"", 1000, RANGE_WHOLE, 0, 0},
        /* several */
        {"bytes=0-1,5-6", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0-1, -5", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0-1,", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=,0-1", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=2000-,0-1", 1000, RANGE_WHOLE, 0, 0},
        /* no ranges */
        {"bytes=", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=-", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=5", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=5-4", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=2000-1999", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=--5", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0--5", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=+0-5", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0x0-0x5", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0-5-", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0.5-5", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=a-b", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=0-5\n", 1000, RANGE_WHOLE, 0, 0},
        {"bytes=\xb2-5", 1000, RANGE_WHOLE, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint64_t first = 0, last = 0;
        const enum range_kind kind = range_parse(table[i].range, NULL, TAG, table[i].bytes, &first, &last);
        if (kind != table[i].kind || first != table[i].first || last != table[i].last)
            fail_msg("%s of %llu: kind %d, %llu .. %llu", table[i].range, (unsigned long long)table[i].bytes,
                     (int)kind, (unsigned long long)first, (unsigned long long)last);
    }
}

/* Every first and last (-1: none) of small representations, by counting the bytes that they name. */
static void small_ones_are_counted(void **state)
{
    (void)state;
    for (int bytes = 0; bytes <= 12; bytes++)
        for (int low = -1; low <= 14; low++)
            for (int high = -1; high <= 14; high++) {
                char text[40], a[8] = "", b[8] = "";
                uint64_t first = 77, last = 77;
                int from = -1, to = -1;
                for (int k = 0; k < bytes; k++)
                    if (low >= 0 ? k >= low && (high < 0 || k <= high) : k >= bytes - high) {
                        from = from < 0 ? k : from;
                        to = k;
                    }
                (void)snprintf(a, sizeof a, "%d", low);
                (void)snprintf(b, sizeof b, "%d", high);
                (void)snprintf(text, sizeof text, "bytes=%s-%s", low < 0 ? "" : a, high < 0 ? "" : b);
                const enum range_kind kind = range_parse(text, NULL, TAG, (uint64_t)bytes, &first, &last);
                const bool none = (low < 0 && high < 0) || (low >= 0 && high >= 0 && high < low);
                const bool all_of_nothing = low < 0 && high > 0 && bytes == 0;
                assert_int_equal(kind, none || all_of_nothing ? RANGE_WHOLE
                                       : from < 0             ? RANGE_UNSATISFIABLE
                                                              : RANGE_PART);
                if (kind == RANGE_PART)
                    assert_true((int)first == from && (int)last == to);
                else
                    assert_true(first == 77 && last == 77);
            }
}

static void if_range_is_this_very_tag(void **state)
{
    static const char *const same[] = {TAG, " " TAG, TAG "\t "};
    static const char *const other[] = {"",
                                        " ",
                                        "*",
                                        "W/" TAG,
                                        "\"0123456789abcdee\"",
                                        "\"0123456789ABCDEF\"",
                                        "\"0123456789abcdef",
                                        "0123456789abcdef",
                                        TAG "x",
                                        TAG ", \"x\"",
                                        "\"x\", " TAG,
                                        "Sat, 21 Nov 2026 13:18:33 GMT"};
    uint64_t first, last;
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(range_parse("bytes=5-6", same[i], TAG, 100, &first, &last), RANGE_PART);
        assert_int_equal(range_parse("bytes=500-", same[i], TAG, 100, &first, &last), RANGE_UNSATISFIABLE);
        assert_int_equal(range_parse(NULL, same[i], TAG, 100, &first, &last), RANGE_WHOLE);
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        if (range_parse("bytes=5-6", other[i], TAG, 100, &first, &last) != RANGE_WHOLE)
            fail_msg("%s is taken for the tag", other[i]);
        assert_int_equal(range_parse("bytes=500-", other[i], TAG, 100, &first, &last), RANGE_WHOLE);
    }
    /* what is weak is never this very one */
    assert_int_equal(range_parse("bytes=5-6", "W/" TAG, "W/" TAG, 100, &first, &last), RANGE_WHOLE);
    assert_int_equal(range_parse("bytes=5-6", "", "", 100, &first, &last), RANGE_WHOLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_select),
        cmocka_unit_test(small_ones_are_counted),
        cmocka_unit_test(if_range_is_this_very_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
