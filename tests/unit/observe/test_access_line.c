/*
 * Lines of the access log (server/observe/access_line.c): valid JSON in valid UTF-8 whatever they are made of, never too long, and
 * without secrets.
 */
#include "access_kit.h"

#include <jansson.h>

/* The line of an entry, zero-terminated without its line feed. */
static const char *text_of(const struct access_entry *entry)
{
    static char text[ACCESS_LOG_LINE + 1];
    const struct timespec time = {.tv_sec = 1795267555, .tv_nsec = 123999999};
    const size_t bytes = access_line(text, entry, &time);

    assert_in_range(bytes, 2, ACCESS_LOG_LINE);
    assert_int_equal(text[bytes - 1], '\n');
    text[bytes - 1] = '\0';
    return text;
}

static json_t *parsed(const struct access_entry *entry)
{
    const char *const text = text_of(entry);
    json_error_t why;

    for (const char *at = text; *at; at++)
        assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
    json_t *const value = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!value)
        fail_msg("%s: %s", why.text, text);
    return value;
}

TEST(times_are_the_calendars)
{
    uint64_t random = 1;

    for (int i = 0; i < 4000; i++) {
        static const time_t edge[] = {0,          951782399,  951782400,   951868800,
                                      4107542399, 4107542400, 253402300799};
        char line[ACCESS_LOG_LINE], expected[40];
        struct tm utc;
        random = random * 6364136223846793005u + 1442695040888963407u;
        const struct timespec time = {.tv_sec = i < 7 ? edge[i] : (time_t)(random % 253402300800),
                                      .tv_nsec = (long)(random >> 20) % 1000000000};

        access_line(line, &plain, &time);
        gmtime_r(&time.tv_sec, &utc);
        strftime(expected, sizeof expected, "{\"time\":\"%Y-%m-%dT%H:%M:%S.", &utc);
        assert_memory_equal(line, expected, strlen(expected));
        snprintf(expected, sizeof expected, "%03ldZ\"", time.tv_nsec / 1000000);
        assert_memory_equal(line + 29, expected, 5);
    }
}

static void assert_agent(const char *agent, const char *expected)
{
    struct access_entry entry = plain;

    entry.agent = agent;
    const char *const at = strstr(text_of(&entry), "\"agent\":\"");
    assert_non_null(at);
    assert_int_equal(strlen(at + 9), strlen(expected) + 2);
    assert_memory_equal(at + 9, expected, strlen(expected));
    json_decref(parsed(&entry));
}

TEST(strings_are_escaped)
{
    assert_agent("", "");
    assert_agent("a\"b\\c/d", "a\\\"b\\\\c/d");
    assert_agent("\x01\n\r\t\x1b[0m\x7f", "\\u0001\\u000a\\u000d\\u0009\\u001b[0m\\u007f");
    assert_agent("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x97\xba", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x97\xba");
    assert_agent("\xc2\x85 \xc2\x9b \xe2\x80\xa8 \xe2\x80\xa9", "\\u0085 \\u009b \\u2028 \\u2029");
    assert_agent("\xff \x80 \xc3", "\\ufffd \\ufffd \\ufffd");
    assert_agent("\xc0\xaf", "\\ufffd\\ufffd"); /* overlong */
    assert_agent("\xe0\x80\xaf", "\\ufffd\\ufffd\\ufffd");
    assert_agent("\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"); /* a surrogate */
    assert_agent("\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd");
    assert_agent("\xf0\x9f\x97", "\\ufffd\\ufffd\\ufffd");
}

/* Whatever bytes there are, in strings of every length. */
TEST(any_bytes_make_valid_lines)
{
    static char bytes[6][3000];
    uint64_t random = 7;

    for (int i = 0; i < 4000; i++) {
        for (int s = 0; s < 6; s++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const size_t length = (random >> 33) % (i % 8 ? 40 : sizeof bytes[s]);
            const uint64_t kind = random >> 20 & 3;
            for (size_t b = 0; b < length; b++) {
                static const char lively[] = "key=&?;%k%65K\\\"\xe2\x80\xa8\xf0\x9f\x97\xba\x01 ";
                random = random * 6364136223846793005u + 1442695040888963407u;
                const char any = (char)(random >> 40 | 1); /* no zeros */
                bytes[s][b] = kind == 0   ? '\x01'
                              : kind == 1 ? any
                              : kind == 2 ? lively[(random >> 40) % (sizeof lively - 1)]
                                          : 'x';
            }
            bytes[s][length] = '\0';
        }
        json_decref(parsed(&(struct access_entry){.id = bytes[0],
                                                  .client = bytes[1],
                                                  .key = bytes[2],
                                                  .method = bytes[3],
                                                  .target = bytes[4],
                                                  .agent = bytes[5],
                                                  .status = UINT32_MAX,
                                                  .bytes = INT64_MAX,
                                                  .queue_ns = UINT64_MAX,
                                                  .region_ns = UINT64_MAX,
                                                  .render_ns = UINT64_MAX,
                                                  .total_ns = UINT64_MAX,
                                                  .tier = TIER_COALESCED,
                                                  .route = ROUTE_OPENAPI}));
    }
}

TEST(long_strings_are_cut)
{
    static char agent[5000];
    struct access_entry entry = plain;

    memset(agent, 'a', sizeof agent - 1);
    entry.agent = entry.target = entry.id = agent;
    json_t *line = parsed(&entry);
    assert_int_equal(json_string_length(json_object_get(line, "agent")), 1024);
    assert_int_equal(json_string_length(json_object_get(line, "target")), 1024);
    assert_int_equal(json_string_length(json_object_get(line, "id")), 256);
    assert_string_equal(json_string_value(json_object_get(line, "agent")) + 1020, "a\xe2\x80\xa6");
    json_decref(line);
    memset(agent, '\x01', sizeof agent - 1); /* six bytes each: valid all the same */
    line = parsed(&entry);
    assert_int_equal(json_string_length(json_object_get(line, "agent")), (1024 - 3) / 6 + 3);
    json_decref(line);
    agent[1000] = '\0';
    memset(agent, 'b', 1000);
    line = parsed(&entry);
    assert_string_equal(json_string_value(json_object_get(line, "target")), agent);
    json_decref(line);
}

GROUP(access_line);
