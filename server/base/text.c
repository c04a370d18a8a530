/*
 * Values of a configuration, and messages about them. Pure functions of their arguments; character classes
 * are ASCII's, whatever the locale.
 */
#include "text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";

void text_show(char *out, size_t out_bytes, const char *text)
{
    char *at = out;
    const char *const last = out + out_bytes - 5; /* room for ..." and the zero stays behind it */

    *at++ = '"';
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        char piece[5] = {(char)byte, '\0'};
        if (byte < 0x20 || byte > 0x7e)
            snprintf(piece, sizeof piece, "\\x%02x", byte);
        else if (byte == '"' || byte == '\\')
            snprintf(piece, sizeof piece, "\\%c", byte);
        const size_t bytes = strlen(piece);
        if (bytes > (size_t)(last - at))
            break;
        memcpy(at, piece, bytes);
        at += bytes;
    }
    memcpy(at, *text != '\0' ? "...\"" : "\"", *text != '\0' ? 5 : 2);
}

void text_value_show(const json_t *value, char *out, size_t out_bytes)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        text_show(out, out_bytes, json_string_value(value));
        break;
    case JSON_INTEGER:
        snprintf(out, out_bytes, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        snprintf(out, out_bytes, "%.15g", json_real_value(value));
        break;
    case JSON_OBJECT:
    case JSON_ARRAY:
    case JSON_NULL:
    case JSON_TRUE:
    case JSON_FALSE:
        snprintf(out, out_bytes, "%s",
                 json_is_object(value)  ? "an object"
                 : json_is_array(value) ? "an array"
                 : json_is_null(value)  ? "null"
                 : json_is_true(value)  ? "true"
                                        : "false");
    }
}

bool text_value_integer(const json_t *value, int64_t *number)
{
    const double exact = 9007199254740992.0; /* 2^53 */

    if (json_is_integer(value)) {
        *number = json_integer_value(value);
        return true;
    }
    if (!json_is_real(value))
        return false;
    const double real = json_real_value(value);
    if (!(real >= -exact && real <= exact) || (double)(int64_t)real != real)
        return false;
    *number = (int64_t)real;
    return true;
}

bool text_integer(const char *text, int64_t *number)
{
    const char *const first = text + (text[0] == '-');
    const size_t count = strspn(first, digits);

    if (count == 0 || first[count] != '\0')
        return false;
    errno = 0;
    const long long value = strtoll(text, NULL, 10);
    if (errno != 0)
        return false;
    *number = value;
    return true;
}

bool text_seed(const char *text, uint64_t *seed)
{
    const bool hex = text[0] == '0' && text[1] == 'x';
    const char *const first = text + (hex ? 2 : 0);
    const size_t count = strspn(first, hex ? "0123456789abcdefABCDEF" : digits);

    if (count == 0 || first[count] != '\0')
        return false;
    if (hex ? count > 16 : count > 1 && first[0] == '0')
        return false;
    errno = 0;
    const unsigned long long value = strtoull(first, NULL, hex ? 16 : 10);
    if (errno != 0)
        return false;
    *seed = value;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

size_t text_span(const char *text, const char *more)
{
    size_t n = 0;
    while (is_letter(text[n]) || (text[n] >= '0' && text[n] <= '9') || (text[n] && strchr(more, text[n])))
        n++;
    return n;
}

bool text_name(const char *text)
{
    const size_t bytes = text_span(text, "_-");

    return is_letter(text[0]) && text[bytes] == '\0' && bytes <= TEXT_NAME_BYTES;
}

bool text_recipe(const char *text)
{
    const size_t bytes = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");

    return strspn(text, "abcdefghijklmnopqrstuvwxyz") > 0 && text[bytes] == '\0' && bytes <= TEXT_NAME_BYTES;
}

int text_distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    int row[TEXT_WORD_BYTES + 1]; /* row[j]: distance of a's first i letters to b's first j */

    if (a_bytes > TEXT_WORD_BYTES || b_bytes > TEXT_WORD_BYTES)
        return INT_MAX;
    for (size_t j = 0; j <= b_bytes; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_bytes; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_bytes; j++) {
            const int change = diagonal + (a[i - 1] != b[j - 1]);
            const int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < other ? change : other;
        }
    }
    return row[b_bytes];
}

/* The text inside brackets: an IPv6 address, then perhaps %zone. */
static bool host_is_ipv6(const char *host)
{
    char address[INET6_ADDRSTRLEN];
    struct in6_addr binary;
    const size_t bytes = strcspn(host, "%");

    if (bytes >= sizeof address)
        return false;
    memcpy(address, host, bytes);
    address[bytes] = '\0';
    if (inet_pton(AF_INET6, address, &binary) != 1)
        return false;
    if (host[bytes] == '\0')
        return true;
    const size_t zone_bytes = strlen(host + bytes + 1);
    return zone_bytes >= 1 && zone_bytes <= 15 && text_span(host + bytes + 1, "_-.") == zone_bytes;
}

/* A name or, if it has only digits and dots, an IPv4 address. */
static bool host_is_name(const char *host)
{
    struct in_addr binary;
    const size_t bytes = strlen(host);

    if (bytes < 1 || bytes > 253 || text_span(host, "_-.") != bytes)
        return false;
    return strspn(host, "0123456789.") != bytes || inet_pton(AF_INET, host, &binary) == 1;
}

bool text_host(const char *text)
{
    char inner[INET6_ADDRSTRLEN];
    struct in6_addr binary;
    const size_t bytes = strlen(text);
    const bool below = text[0] == '*' && text[1] == '.';
    const char *const name = text + (below ? 2 : 0);

    if (text[0] == '[') {
        if (bytes < 2 || bytes - 2 >= sizeof inner || text[bytes - 1] != ']')
            return false;
        memcpy(inner, text + 1, bytes - 2);
        inner[bytes - 2] = '\0';
        return inet_pton(AF_INET6, inner, &binary) == 1;
    }
    if (!host_is_name(name) || name[0] == '.' || text[bytes - 1] == '.' || strstr(name, ".."))
        return false;
    return !below || strspn(name, "0123456789.") != strlen(name);
}

bool text_network(const char *text)
{
    const size_t address = strspn(text, "0123456789abcdefABCDEF.:");
    const size_t prefix = text[address] == '/' ? strspn(text + address + 1, digits) : 0;
    const size_t bytes = address + (prefix > 0 ? 1 + prefix : 0);

    return address > 0 && address < INET6_ADDRSTRLEN && prefix <= 3 && text[bytes] == '\0';
}

bool text_split_address(const char *text, char *host, size_t host_bytes, uint16_t *port)
{
    char inner[TEXT_HOST_BYTES];
    int64_t number;
    const bool bracket = text[0] == '[';
    const char *const first = text + bracket;
    const size_t bytes = strcspn(first, bracket ? "]" : ":");
    const char *const colon = first + bytes + (bracket && first[bytes] == ']');

    if (bytes >= sizeof inner || bytes >= host_bytes || *colon != ':')
        return false;
    memcpy(inner, first, bytes);
    inner[bytes] = '\0';
    if (!(bracket ? host_is_ipv6(inner) : host_is_name(inner)))
        return false;
    if (!text_integer(colon + 1, &number) || number < 0 || number > UINT16_MAX)
        return false;
    if (colon[1] == '-' || (colon[1] == '0' && colon[2] != '\0'))
        return false;
    memcpy(host, inner, bytes + 1);
    *port = (uint16_t)number;
    return true;
}

size_t text_utf8_bytes(const unsigned char *text)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte; of the second */
        size_t bytes;
    } forms[] = {{0x01, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        if (text[0] < forms[f].first || text[0] > forms[f].last)
            continue;
        for (size_t i = 1; i < forms[f].bytes; i++) /* stops at the final zero at the latest */
            if (text[i] < (i == 1 ? forms[f].low : 0x80) || text[i] > (i == 1 ? forms[f].high : 0xbf))
                return 0;
        return forms[f].bytes;
    }
    return 0;
}

int text_cut(const char *text, int max)
{
    int bytes = 0;

    for (;;) {
        const size_t character = text_utf8_bytes((const unsigned char *)text + bytes);
        const int next = bytes + (character > 0 ? (int)character : 1);
        if (next > max || text[bytes] == '\0')
            return bytes;
        bytes = next;
    }
}

/* True if a character begins at text and is cut off by its end. */
static bool is_begun(const unsigned char *text)
{
    const size_t bytes = text[0] > 0xf4    ? 0
                         : text[0] >= 0xf0 ? 4
                         : text[0] >= 0xe0 ? 3
                         : text[0] >= 0xc2 ? 2
                                           : 0;
    size_t i = 1;

    while (i < bytes && (text[i] & 0xc0) == 0x80)
        i++;
    return i < bytes && text[i] == '\0';
}

size_t text_print_list(char *out, size_t out_bytes, const char *format, va_list arguments)
{
    unsigned char *at = (unsigned char *)out;
    const int wanted = vsnprintf(out, out_bytes, format, arguments);
    const bool cut = wanted >= (int)out_bytes;

    if (out_bytes == 0)
        return 0;
    if (wanted < 0)
        out[0] = '\0';
    while (*at != '\0' && !(cut && is_begun(at))) {
        const size_t character = text_utf8_bytes(at), bytes = character > 0 ? character : 1;
        if (character == 0 || *at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0))
            memset(at, '?', bytes);
        at += bytes;
    }
    *at = '\0';
    return (size_t)((char *)at - out);
}

size_t text_print(char *out, size_t out_bytes, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const size_t bytes = text_print_list(out, out_bytes, format, arguments);
    va_end(arguments);
    return bytes;
}

char *text_end(FILE *out, char **text)
{
    const bool bad = ferror(out) != 0;
    if (fclose(out) == 0 && !bad)
        return *text;
    free(*text);
    return NULL;
}

void text_hex(char *out, const unsigned char *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++)
        snprintf(out + 2 * k, 3, "%02x", bytes[k]);
}

int text_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
