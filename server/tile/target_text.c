/*
 * Pieces of a target as text: escapes, numbers, names, and what is said of those that are wrong.
 */
#include "target_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"

bool slice_is(struct slice slice, const char *text)
{
    return slice.bytes == strlen(text) && memcmp(slice.at, text, slice.bytes) == 0;
}

void target_wrong(struct target *target, unsigned status, const char *parameter, struct slice given,
                  const char *allowed)
{
    char quote[41];
    size_t n = given.bytes < 40 ? given.bytes : 40;
    if (target->status == 400 || (target->status && status != 400))
        return;
    for (size_t i = 0; i < n; i++)
        quote[i] = given.at[i] >= ' ' && given.at[i] <= '~' ? given.at[i] : '?';
    quote[n] = 0;
    target->status = status;
    target->parameter = parameter;
    snprintf(target->detail, sizeof target->detail, "%s=%s%s: %s", parameter, quote,
             given.bytes > n ? "..." : "", allowed);
}

void target_refuse(struct target *target, unsigned status, const char *parameter, const char *why)
{
    target->status = status;
    target->parameter = parameter;
    snprintf(target->detail, sizeof target->detail, "%s: %s", parameter, why);
}

/* Decodes percent escapes; the decoded length, or -1: a broken escape, a zero byte, or too long. */
static int decode(const char *in, size_t bytes, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++) {
        char c = in[i];
        if (c == '%') {
            const int high = i + 2 < bytes ? text_hex_digit(in[i + 1]) : -1,
                      low = i + 2 < bytes ? text_hex_digit(in[i + 2]) : -1;
            if (high < 0 || low < 0)
                return -1;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == 0 || n == DECODED_BYTES)
            return -1;
        out[n++] = c;
    }
    return (int)n;
}

bool target_decode(struct target *target, struct slice raw, char *buffer, struct slice *out)
{
    const int n = decode(raw.at, raw.bytes, buffer);
    if (n < 0) {
        target_wrong(target, 400, "target", raw,
                     "has a broken percent escape, a zero byte, or more than 8192 bytes");
        return false;
    }
    *out = (struct slice){buffer, (size_t)n};
    return true;
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

int slice_unsigned(struct slice text, uint64_t *value)
{
    uint64_t v = 0;
    bool over = false;
    if (text.bytes == 0 || (text.bytes > 1 && text.at[0] == '0'))
        return 0;
    for (size_t i = 0; i < text.bytes; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return 0;
        const unsigned digit = (unsigned)(text.at[i] - '0');
        over = over || v > (UINT64_MAX - digit) / 10;
        v = v * 10 + digit;
    }
    *value = v;
    return over ? -1 : 1;
}

int slice_signed(struct slice text, int64_t *value)
{
    const bool minus = text.bytes > 0 && text.at[0] == '-';
    const struct slice digits = {text.at + minus, text.bytes - minus};
    uint64_t v;
    const int read = slice_unsigned(digits, &v);
    if (read == 0 || (minus && read == 1 && v == 0))
        return 0;
    if (read < 0 || v > UINT64_C(1) << 62)
        return -1;
    *value = minus ? -(int64_t)v : (int64_t)v;
    return 1;
}

bool slice_hex(struct slice text, uint64_t *value)
{
    uint64_t v = 0;
    if (text.bytes < 3 || text.bytes > 18 || text.at[0] != '0' || (text.at[1] != 'x' && text.at[1] != 'X'))
        return false;
    for (size_t i = 2; i < text.bytes; i++) {
        const int digit = text_hex_digit(text.at[i]);
        if (digit < 0)
            return false;
        v = v << 4 | (uint64_t)digit;
    }
    *value = v;
    return true;
}

/* Digits at *at, which moves behind them; how many. */
static size_t skip_digits(const char **at)
{
    const char *first = *at;
    while (**at >= '0' && **at <= '9')
        ++*at;
    return (size_t)(*at - first);
}

/* Whether text is one of JSON's numbers and nothing else. */
static bool is_number(const char *text)
{
    const char *whole = text + (*text == '-'), *at = whole;
    const size_t digits = skip_digits(&at);
    if (digits == 0 || (digits > 1 && *whole == '0'))
        return false;
    if (*at == '.') {
        at++;
        if (skip_digits(&at) == 0)
            return false;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        if (skip_digits(&at) == 0)
            return false;
    }
    return *at == 0;
}

/* By strtod, as jansson reads the numbers of a body. */
bool slice_decimal(struct slice text, double *value)
{
    char number[NUMBER_BYTES + 1];
    if (text.bytes > NUMBER_BYTES)
        return false;
    memcpy(number, text.at, text.bytes);
    number[text.bytes] = 0;
    if (!is_number(number))
        return false;
    const double read = strtod(number, NULL);
    if (!isfinite(read))
        return false;
    *value = read;
    return true;
}

bool slice_is_name(struct slice text)
{
    if (text.bytes < 1 || text.bytes > 64)
        return false;
    for (size_t i = 0; i < text.bytes; i++) {
        const char c = text.at[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool inner = (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!letter && (i == 0 || !inner))
            return false;
    }
    return true;
}
