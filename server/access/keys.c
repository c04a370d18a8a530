/* API keys and secrets: opening their files, and comparing them in constant time. */
#include "keys.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file_text.h"
#include "../base/text.h"

enum { SECRET_FILE_BYTES = 4096 };

struct keys *keys_open(const char *path, char *error, size_t error_bytes)
{
    char why[80];
    size_t bytes;
    char *const text = file_text(path, KEYS_FILE_BYTES, &bytes, why, sizeof why);

    if (!text) {
        text_print(error, error_bytes, "%s: %s", path, why);
        return NULL;
    }
    struct keys *const keys = keys_parse(text, bytes, path, error, error_bytes);
    free(text);
    return keys;
}

void keys_free(struct keys *keys)
{
    free(keys);
}

size_t keys_count(const struct keys *keys)
{
    return keys->count;
}

const struct key_holder *keys_find(const struct keys *keys, const char *key, size_t bytes)
{
    unsigned char sha256[32];
    size_t found = keys->count;

    if (!key_text_allowed(key, bytes) || key_text_hash(key, bytes, sha256) != 0)
        return NULL;
    for (size_t k = 0; k < keys->count; k++)
        found = gnutls_memcmp(keys->holder[k].sha256, sha256, sizeof sha256) == 0 ? k : found;
    return found < keys->count ? &keys->holder[found] : NULL;
}

bool secret_equal(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    return a_bytes == b_bytes && gnutls_memcmp(a, b, a_bytes) == 0;
}

char *secret_read(const char *path, char *error, size_t error_bytes)
{
    char why[80], *secret = NULL;
    size_t bytes, line_bytes;
    char *const text = file_text(path, SECRET_FILE_BYTES, &bytes, why, sizeof why);

    if (!text) {
        text_print(error, error_bytes, "%s: %s", path, why);
        return NULL;
    }
    const char *const line = key_text_line(text, bytes, &line_bytes);
    if (!key_text_allowed(line, line_bytes))
        text_print(error, error_bytes, "%s: the first line is no secret: allowed " KEY_TEXT_ALLOWED, path);
    else if ((secret = strndup(line, line_bytes)) == NULL)
        text_print(error, error_bytes, "%s: out of memory", path);
    explicit_bzero(text, bytes);
    free(text);
    return secret;
}

void secret_free(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}

/* ---- Keys as text ------------------------------------------------------------------------------------ */

/* Pure functions of text. Calendar and character classes are our own, so locale and time zone have no effect. */

_Static_assert(KEY_BYTES_MIN == 16 && KEY_BYTES_MAX == 128, "KEY_TEXT_ALLOWED says so");

bool key_text_allowed(const char *key, size_t bytes)
{
    if (bytes < KEY_BYTES_MIN || bytes > KEY_BYTES_MAX)
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (key[i] <= ' ' || key[i] > '~')
            return false;
    return true;
}

static bool white(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

const char *key_text_line(const char *text, size_t bytes, size_t *line_bytes)
{
    const char *const end = bytes > 0 ? memchr(text, '\n', bytes) : NULL;

    bytes = end ? (size_t)(end - text) : bytes;
    for (; bytes > 0 && white(*text); bytes--)
        text++;
    while (bytes > 0 && white(text[bytes - 1]))
        bytes--;
    *line_bytes = bytes;
    return text;
}

int key_text_hash(const char *key, size_t bytes, unsigned char sha256[static 32])
{
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, key, bytes, sha256) == 0 ? 0 : -1;
}

/* The value of two or four digits. */
static int number(const char *text, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++)
        value = 10 * value + (text[i] - '0');
    return value;
}

static int days_of_month(int year, int month)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

bool key_text_time(const char *text, int64_t *time_s)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";

    for (size_t i = 0; i < sizeof form; i++) /* with the zero; ends at the text's, which is no digit */
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    const int year = number(text, 4), month = number(text + 5, 2), day = number(text + 8, 2);
    const int hour = number(text + 11, 2), minute = number(text + 14, 2), second = number(text + 17, 2);
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month) || hour > 23 ||
        minute > 59 || second > 59)
        return false;
    const int before = year - 1; /* leap days in years 1 .. before, less those in 1 .. 1969 */
    int64_t days = (int64_t)365 * (year - 1970) + (before / 4 - before / 100 + before / 400) - 477;
    for (int m = 1; m < month; m++)
        days += days_of_month(year, m);
    *time_s = ((days + day - 1) * 24 + hour) * 3600 + minute * 60 + second;
    return true;
}
