#include "message.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct said {
    char *out;
    size_t used, bytes;
};

size_t say_cut(const char *text, size_t bytes)
{
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80)
        bytes--;
    return bytes;
}

/* Behind what had to be cut nothing more is written. */
static void put(struct said *said, const char *text, size_t count)
{
    const size_t room = said->bytes - 1 - said->used;
    if (count > room) {
        count = say_cut(text, room);
        said->bytes = said->used + count + 1;
    }
    memcpy(said->out + said->used, text, count);
    said->used += count;
}

/* To a base, with zeros in front up to a width. */
static void put_whole(struct said *said, uint64_t number, unsigned base, size_t width, const char *digits)
{
    char text[24]; /* 64 bits to base 10 are 20 digits */
    size_t at = sizeof text;
    for (size_t count = 0; number > 0 || count == 0 || count < width; number /= base, count++)
        if (at > 0)
            text[--at] = digits[number % base];
    put(said, text + at, sizeof text - at);
}

static void put_signed(struct said *said, int64_t number)
{
    if (number < 0)
        put(said, "-", 1);
    put_whole(said, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10, 0, "0123456789");
}

static size_t number_of(const char **at)
{
    size_t number = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        number = number * 10 + (size_t)(**at - '0');
    return number;
}

static size_t length_of(const char *text, size_t max)
{
    size_t length = 0;
    while (length < max && text[length] != '\0')
        length++;
    return text[length] == '\0' ? length : say_cut(text, length);
}

/* The one behind a percent sign; returns what comes after it. */
static const char *put_one(struct said *said, const char *at, va_list *list)
{
    char text[DECIMAL_BYTES];
    const size_t width = number_of(&at);
    size_t precision = SIZE_MAX;
    if (*at == '.') {
        at++;
        precision = number_of(&at);
    }
    const bool wide = *at == 'l', size = *at == 'z';
    at += wide ? 2 : size;
    switch (*at) {
    case 's': {
        const char *string = va_arg(*list, const char *);
        put(said, string, length_of(string, precision));
        break;
    }
    case 'd':
        put_signed(said, wide ? va_arg(*list, long long) : va_arg(*list, int));
        break;
    case 'u':
        put_whole(said, va_arg(*list, size_t), 10, 0, "0123456789");
        break;
    case 'x':
        put_whole(said, va_arg(*list, unsigned), 16, width, "0123456789abcdef");
        break;
    case 'X':
        put_whole(said, va_arg(*list, unsigned), 16, width, "0123456789ABCDEF");
        break;
    case 'g':
        decimal_write(text, va_arg(*list, double), (int)precision);
        put(said, text, strlen(text));
        break;
    case '%':
        put(said, "%", 1);
        break;
    }
    return at + 1;
}

size_t say_list(char *out, size_t bytes, const char *format, va_list list)
{
    struct said said = {out, 0, bytes};
    va_list rest;
    va_copy(rest, list);
    while (*format != '\0') {
        size_t plain = 0;
        while (format[plain] != '\0' && format[plain] != '%')
            plain++;
        put(&said, format, plain);
        format += plain;
        if (*format == '%')
            format = put_one(&said, format + 1, &rest);
    }
    va_end(rest);
    out[said.used] = '\0';
    return said.used;
}

size_t say(char *out, size_t bytes, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const size_t used = say_list(out, bytes, format, list);
    va_end(list);
    return used;
}
