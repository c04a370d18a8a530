/*
 * API keys: every message about a file of them, times, finding a holder, secrets. What a holder may: tests/http/test_access.py.
 *
 * Runs at the root of the repository and reads config/.
 */
#include <time.h>

#include "../../../server/access/keys.h"
#include "../folder_kit.h"
#include "../words_kit.h"

#define H0 "9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f" /* of 0123456789abcdef */
#define H1 "1111111111111111111111111111111111111111111111111111111111111111"

static char error[1024];

/* A text with ' in place of ". */
static struct keys *parse(const char *text)
{
    char *const copy = strdup(text);
    assert_non_null(copy);
    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    error[0] = '\0';
    struct keys *const keys = keys_parse(copy, strlen(copy), "k.json", error, sizeof error);
    free(copy);
    return keys;
}

/* A file with one key of these members besides name and hash. */
static struct keys *parse_members(const char *members)
{
    char text[1024];
    snprintf(text, sizeof text, "{'keys': [{'name': 'game', 'sha256': '" H0 "'%s}]}", members);
    return parse(text);
}

static void assert_refused(struct keys *keys, const char *message)
{
    assert_null(keys);
    assert_memory_equal(error, "k.json: ", 8);
    assert_string_equal(error + 8, message);
}

TEST(test_no_keys_at_all)
{
    struct keys *const keys = parse("{'keys': []}");
    assert_non_null(keys);
    assert_int_equal(keys_count(keys), 0);
    assert_null(keys_find(keys, "0123456789abcdef", 16));
    keys_free(keys);
    keys_free(NULL);
}

#define NAMES "allowed [A-Za-z][A-Za-z0-9_-]{0,63}"
#define BOX   "keys[0].edit.box: is no box: allowed [x0, y0, x1, y1] in metres, x0 < x1, y0 < y1"

TEST(test_wrong_documents_and_members)
{
    static const struct {
        const char *text, *message; /* what begins with a comma: members */
    } row[] = {
        {"[]", "is no object: allowed {\"keys\": [...]}"},
        {"{}", "keys: is missing: allowed {\"keys\": [...]}"},
        {"{'keys': {}}", "keys: is no array: allowed {\"keys\": [...]}"},
        {"{'keys': [], 'Key\\n': 1}", "unknown member \"Key\\x0a\": allowed {\"keys\": [...]}"},
        {"{'keys': [1]}", "keys[0]: is no object: allowed {\"name\": ..., \"sha256\": ...}"},
        {"{'keys': [],\n 'keys': []}", "line 2, column 7: duplicate object key near '\"keys\"'"},
        {"{'keys': [{'sha256': '" H0 "'}]}", "keys[0].name: is missing: " NAMES},
        {"{'keys': [{'name': '9a', 'sha256': '" H0 "'}]}", "keys[0].name: \"9a\" is no name: " NAMES},
        {"{'keys': [{'name': 9, 'sha256': '" H0 "'}]}", "keys[0].name: 9 is no name: " NAMES},
        {"{'keys': [{'name': 'a'}]}", "keys[0].sha256: is missing: allowed 64 hexadecimal digits"},
        {", 'note': 'x'", "keys[0]: unknown member \"note\": allowed name, sha256, expires, edit, follow, "
                          "tiles_per_minute, tiles_burst, renders_per_minute, renders_burst"},
        {", 'edit': 1", "keys[0].edit: 1 is no right: allowed true, false, an object of box, outer_max_m, "
                        "per_second, per_day"},
        {", 'edit': {'radius': 1}",
         "keys[0].edit: unknown member \"radius\": allowed box, outer_max_m, per_second, per_day"},
        {", 'edit': {'box': [0, 0, 1]}", BOX},
        {", 'edit': {'box': [0, 0, -1, 1]}", BOX},
        {", 'edit': {'outer_max_m': '9'}",
         "keys[0].edit.outer_max_m: \"9\" is no radius: allowed metres above 0"},
        {", 'edit': {'per_day': 0}",
         "keys[0].edit.per_day: 0 is no integer in the range: allowed 1 .. 1000000000"},
        {", 'expires': 'tomorrow'",
         "keys[0].expires: \"tomorrow\" is no time: allowed YYYY-MM-DDThh:mm:ssZ, in UTC and from 1970 on"},
        {"{'keys': [{'name': 'a', 'sha256': '" H0 "'},{'name': 'a', 'sha256': '" H1 "'}]}",
         "keys[1].name: \"a\" is the name of keys[0] already"},
        {"{'keys': [{'name': 'a', 'sha256': '" H0 "'},{'name': 'b', 'sha256': '" H1
         "'},{'name': 'A', 'sha256': "
         "'9F9F5111F7B27A781F1F1DDDE5EBC2DD2B796BFC7365C9C28B548E564176929F'}]}",
         "keys[2].sha256: is the one of keys[0] already"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_refused((row[i].text[0] == ',' ? parse_members : parse)(row[i].text), row[i].message);
    assert_null(parse(""));
    assert_memory_equal(error, "k.json: line 1, column 0: ", 26);
    assert_null(parse("{'keys': []} x"));
    assert_null(parse("{'keys': [{'name': 'a\\u0000b'}]}"));
}

/* Somebody may have put a key there: it is not for the log. */
TEST(test_wrong_hashes_are_not_shown)
{
    static const char wrong[] = "'my-secret-key-0123456789'|''|7|null|'" H0
                                "0'|'gf9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f'|"
                                "'9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929 '";
    char text[400];
    for (const char *at = wrong, *word; (word = word_next(&at));) {
        snprintf(text, sizeof text, "{'keys': [{'name': 'a', 'sha256': %s}]}", word);
        assert_refused(parse(text), "keys[0].sha256: is no SHA-256: allowed 64 hexadecimal digits");
    }
    assert_refused(parse("{'keys': [{'sha256' 'hunter2hunter2hu'}]}"), "line 1, column 38: ':' expected");
    assert_refused(parse("{'keys': [{'sha256': correcthorsebatt}]}"), "line 1, column 37: invalid token");
    assert_refused(parse("{'keys': [{'sha256': correcthorsebat}]}"), /* shorter than any */
                   "line 1, column 36: invalid token near 'correcthorsebat'");
}

#define RANGE " is no integer in the range: allowed "

TEST(test_rates)
{
    static const char *const fine[] = {", 'tiles_per_minute': 1, 'tiles_burst': 1",
                                       ", 'renders_per_minute': 0",
                                       ", 'renders_per_minute': 0, 'renders_burst': 9",
                                       ", 'tiles_per_minute': 1000000000, 'tiles_burst': 1000000000"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        struct keys *const keys = parse_members(fine[i]);
        assert_non_null(keys);
        keys_free(keys);
    }
    assert_refused(parse_members(", 'tiles_per_minute': 5"),
                   "keys[0].tiles_per_minute: needs tiles_burst, too");
    assert_refused(parse_members(", 'renders_burst': 5"),
                   "keys[0].renders_burst: needs renders_per_minute, too");
    assert_refused(parse_members(", 'tiles_per_minute': 1, 'tiles_burst': 0"),
                   "keys[0].tiles_burst: 0" RANGE "1 .. 1000000000");
    static const char wrong[] = "-1|1000000001|4294967297|1.5|\"1\"";
    for (const char *at = wrong, *word; (word = word_next(&at));) {
        char members[400], message[400];
        snprintf(members, sizeof members, ", 'tiles_per_minute': %s, 'tiles_burst': 1", word);
        snprintf(message, sizeof message, "keys[0].tiles_per_minute: %s" RANGE "0 .. 1000000000", word);
        assert_refused(parse_members(members), message);
    }
}

/* count keys, the k-th with the name "nK" and the hash K. */
static char *many(int count)
{
    const size_t room = 120 * (size_t)count + 100;
    char *const text = malloc(room);

    assert_non_null(text);
    size_t used = (size_t)snprintf(text, room, "{\"keys\": [");
    for (int k = 0; k < count; k++)
        used += (size_t)snprintf(text + used, room - used, "%s{\"name\": \"n%d\", \"sha256\": \"%064d\"}",
                                 k > 0 ? "," : "", k, k);
    snprintf(text + used, room - used, "]}");
    return text;
}

TEST(test_at_most_a_thousand)
{
    char *const text = many(KEYS_MAX), *const more = many(KEYS_MAX + 1);
    struct keys *const keys = parse(text);
    assert_non_null(keys);
    assert_int_equal(keys_count(keys), KEYS_MAX);
    assert_refused(parse(more), "keys: 1001 keys: allowed at most 1000");
    keys_free(keys);
    free(text);
    free(more);
}

TEST(test_times)
{
    static const char wrong[] =
        "|2027|2027-01-31|2027-01-31T00:00:00|2027-01-31T00:00:00z|2027-01-31t00:00:00Z|"
        "2027-01-31 00:00:00Z|2027-01-31T00:00:00.0Z|2027-01-31T00:00:00+00:00|2027-01-31T00:00:00Z |"
        " 2027-01-31T00:00:00Z|2027-1-31T00:00:00Z|02027-01-31T00:00:00Z|-027-01-31T00:00:00Z|"
        "+027-01-31T00:00:00Z|2027-00-31T00:00:00Z|2027-13-01T00:00:00Z|2027-01-00T00:00:00Z|"
        "2027-01-32T00:00:00Z|2027-04-31T00:00:00Z|2027-02-29T00:00:00Z|2100-02-29T00:00:00Z|"
        "2000-02-30T00:00:00Z|2027-01-31T24:00:00Z|2027-01-31T00:60:00Z|2016-12-31T23:59:60Z|"
        "1969-12-31T23:59:59Z|0000-01-01T00:00:00Z|2027/01/31T00:00:00Z|2027-01-31T00-00-00Z|"
        "202x-01-31T00:00:00Z";
    int64_t time_s = 77;

    for (const char *at = wrong, *word; (word = word_next(&at));) {
        if (key_text_time(word, &time_s))
            fail_msg("\"%s\" is taken", word);
        assert_int_equal(time_s, 77);
    }
    assert_true(key_text_time("9999-12-31T23:59:59Z", &time_s)); /* of earlier ones each day is read below */
    assert_int_equal(time_s, 253402300799);
}

/* Every day up to the year 2420, against the calendar of the C library. */
TEST(test_every_day)
{
    char text[32];
    int64_t time_s;
    for (time_t day = 0; day < 164400; day++) {
        const time_t expected = day * 86400 + day % 86400;
        struct tm parts;
        assert_non_null(gmtime_r(&expected, &parts));
        assert_int_equal(strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts), 20);
        assert_true(key_text_time(text, &time_s));
        assert_int_equal(time_s, expected);
    }
}

TEST(test_finding)
{
    struct keys *const keys = parse(
        "{'keys': [{'name': 'one', 'sha256': '" H1 "'},"
        "{'name': 'game', 'sha256': '" H0 "', 'expires': '1970-01-01T00:00:00Z'},"
        "{'name': 'last', 'sha256': 'fc3d90fd9f61aa0cebf7c5ae1cfd3f0e0bc13a2bdc6cb6a6c7bb3a7d3ee6ae2f'}]}");
    char long_key[KEY_BYTES_MAX + 1];

    assert_non_null(keys);
    const struct key_holder *const holder = keys_find(keys, "0123456789abcdefX", 16);
    assert_ptr_equal(holder, &keys->holder[1]); /* though it has expired */
    assert_int_equal(holder->expires_s, 0);
    assert_null(keys_find(keys, "0123456789abcdeF", 16));
    assert_null(keys_find(keys, "0123456789abcdefX", 17));
    assert_null(keys_find(keys, "0123456789abcde", 15));
    assert_null(keys_find(keys, "", 0));
    memset(long_key, 'k', sizeof long_key);
    assert_null(keys_find(keys, long_key, sizeof long_key));
    keys_free(keys);
}

TEST(test_what_a_key_is)
{
    char key[KEY_BYTES_MAX + 1];
    memset(key, 'k', sizeof key);
    assert_false(key_text_allowed(key, KEY_BYTES_MIN - 1));
    assert_true(key_text_allowed(key, KEY_BYTES_MIN));
    assert_true(key_text_allowed(key, KEY_BYTES_MAX));
    assert_false(key_text_allowed(key, KEY_BYTES_MAX + 1));
    for (int byte = 0; byte < 256; byte++) {
        key[9] = (char)byte;
        assert_int_equal(key_text_allowed(key, 20), byte > 0x20 && byte < 0x7f);
    }
}

TEST(test_equal_secrets)
{
    assert_true(secret_equal("0123456789abcdef", 16, "0123456789abcdef", 16));
    assert_false(secret_equal("0123456789abcdef", 16, "0123456789abcdeg", 16));
    assert_false(secret_equal("x123456789abcdef", 16, "0123456789abcdef", 16));
    assert_false(secret_equal("0123456789abcdef", 16, "0123456789abcdef", 15));
    assert_false(secret_equal("0123456789abcdef", 0, "0123456789abcdef", 16));
}

TEST(test_secrets_from_files)
{
    static const struct {
        const char *text;
        bool fine;
    } row[] = {{"0123456789abcdef", true},
               {"0123456789abcdef\n", true},
               {" \t0123456789abcdef \r\nwhat follows\n", true},
               {"\n0123456789abcdef\n", false},
               {"0123456789abcde\n", false},
               {"01234567 9abcdef\n", false},
               {"0123456789abcde\x7f\n", false},
               {"", false}};
    char *const path = folder_path("secret", ""), message[256];

    snprintf(
        message, sizeof message,
        "%s: the first line is no secret: allowed 16 .. 128 printable characters of ASCII without spaces",
        path);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        file_write(path, row[i].text, strlen(row[i].text));
        error[0] = '\0';
        char *const secret = secret_read(path, error, sizeof error);
        if (row[i].fine)
            assert_string_equal(secret, "0123456789abcdef");
        else
            assert_null(secret);
        assert_string_equal(error, row[i].fine ? "" : message);
        free(secret);
    }
    file_write(path, "0123456789abcdef\0x", 18);
    assert_null(secret_read(path, error, sizeof error));
    unlink(path);
    assert_null(secret_read(path, error, sizeof error));
    snprintf(message, sizeof message, "%s: No such file or directory", path);
    assert_string_equal(error, message);
}

TEST(test_files)
{
    char *const path = folder_path("keys", ""), message[256];

    struct keys *const keys = keys_open("config/keys.example.json", error, sizeof error);
    if (!keys)
        fail_msg("%s", error);
    assert_int_equal(keys_count(keys), 3);
    keys_free(keys);

    file_write(path, "", 0);
    assert_int_equal(truncate(path, KEYS_FILE_BYTES + 1), 0);
    assert_null(keys_open(path, error, sizeof error));
    snprintf(message, sizeof message, "%s: the file is too large: allowed at most 1048576 bytes", path);
    assert_string_equal(error, message);
    assert_null(keys_open("/tmp", error, sizeof error));
    assert_string_equal(error, "/tmp: Is a directory");
}

GROUP(keys, folder_make, folder_remove);
