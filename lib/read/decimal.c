/*
 * Every double is a whole number of decimal digits: m * 2^e = m * 5^-e * 10^e. So it can be written out exactly, and
 * rounded to fewer digits as the grammar asks; and a text is read by a guess that is a few units wrong at most, which is
 * then compared, digit by digit, with the halfway points beside it.
 */
#include "message.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

enum { WORDS = 88, WORD_DIGITS = 9 };

static const uint32_t word_end = 1000000000;

/* ---- Doubles as digits ----------------------------------------------------------------------------------- */

/* 0.DIGITS * 10^point, the first digit not 0; no digits: 0. */
struct digits {
    int count, point;
    char digit[WORDS * WORD_DIGITS];
};

/* base^power; base^step is under 2^30, so that a word times it, with a carry, stays under 2^64. Returns how many words there
 * are. */
static int times_power(uint32_t word[WORDS], int words, uint32_t base, int power, int step)
{
    while (power > 0) {
        const int now = power < step ? power : step;
        uint64_t factor = 1, carry = 0;
        for (int i = 0; i < now; i++)
            factor *= base;
        for (int i = 0; i < words; i++) {
            carry += word[i] * factor;
            word[i] = (uint32_t)(carry % word_end);
            carry /= word_end;
        }
        for (; carry > 0; carry /= word_end)
            word[words++] = (uint32_t)(carry % word_end);
        power -= now;
    }
    return words;
}

/* mantissa * 2^exponent, of up to 54 bits and from 2^-1075 to under 2^1024: 768 digits at most, 86 words. */
static void digits_of(uint64_t mantissa, int exponent, struct digits *digits)
{
    uint32_t word[WORDS];
    int words = 0, count = 0;
    for (; mantissa > 0; mantissa /= word_end)
        word[words++] = (uint32_t)(mantissa % word_end);
    words =
        exponent > 0 ? times_power(word, words, 2, exponent, 29) : times_power(word, words, 5, -exponent, 12);
    for (int i = words - 1; i >= 0; i--)
        for (uint32_t unit = word_end / 10, rest = word[i]; unit > 0; rest %= unit, unit /= 10)
            if (count > 0 || rest / unit > 0)
                digits->digit[count++] = (char)('0' + rest / unit);
    digits->point = count + (exponent < 0 ? exponent : 0);
    while (count > 0 && digits->digit[count - 1] == '0')
        count--;
    digits->count = count;
}

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* A finite one's value is mantissa * 2^exponent. */
static uint64_t mantissa_of(uint64_t bits, int *exponent)
{
    const int biased = (int)(bits >> 52 & 0x7ff);
    const uint64_t part = bits & ((UINT64_C(1) << 52) - 1);
    *exponent = (biased > 0 ? biased : 1) - 1075;
    return biased > 0 ? part | UINT64_C(1) << 52 : part;
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

/* A number of JSON but for its sign: significant digits from text on, with a point somewhere among them. */
struct written {
    const char *text, *end;
    int64_t point; /* 0.DIGITS * 10^point */
};

static struct written written_of(const char *text, const char *end)
{
    struct written written = {text, text, 0};
    int64_t exponent = 0;
    bool fraction = false, significant = false;
    const char *at = text;
    for (; at < end && (is_digit(*at) || *at == '.'); at++) {
        fraction |= *at == '.';
        if (!significant && *at != '0' && *at != '.') {
            significant = true;
            written.text = at;
        }
        written.point += (significant && !fraction) - (!significant && fraction && *at == '0');
    }
    written.end = at;
    if (!significant)
        written.text = at;
    if (at < end) {
        const bool minus = at[1] == '-';
        for (at += 1 + (at[1] == '-' || at[1] == '+'); at < end; at++)
            if (exponent < 100000000)
                exponent = exponent * 10 + (*at - '0');
        written.point += minus ? -exponent : exponent;
    }
    return written;
}

/* The sign of the difference between a text and the place halfway between a double and the next one above. */
static int compare_half(const struct written *written, uint64_t bits)
{
    struct digits half;
    int exponent, k = 0;
    const uint64_t mantissa = mantissa_of(bits, &exponent);
    digits_of(2 * mantissa + 1, exponent - 1, &half);
    if (written->point != half.point)
        return written->point < half.point ? -1 : 1;
    for (const char *at = written->text; at < written->end; at++) {
        if (*at == '.')
            continue;
        const char other = k < half.count ? half.digit[k] : '0';
        if (*at != other)
            return *at < other ? -1 : 1;
        k++;
    }
    return k < half.count ? -1 : 0; /* its last digit is not 0 */
}

/* 10^power; those up to 22 are exact, others right to one unit or two. */
static double power_of_ten(int power)
{
    static const double small[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22},
                        large[] = {1e0,   1e22,  1e44,  1e66,  1e88,  1e110, 1e132, 1e154,
                                   1e176, 1e198, 1e220, 1e242, 1e264, 1e286, 1e308};
    return power <= 22 ? small[power] : large[power / 22] * small[power % 22];
}

/* A few units from the text; *exact: it is the double itself. */
static double guess(const struct written *written, bool *exact)
{
    uint64_t first = 0;
    int digits = 0, used = 0;
    for (const char *at = written->text; at < written->end; at++) {
        digits += *at != '.';
        if (*at != '.' && used < 19) {
            first = first * 10 + (uint64_t)(*at - '0');
            used++;
        }
    }
    int power = (int)written->point - used;
    double v = (double)first;
    *exact = digits <= 19 && first <= UINT64_C(1) << 53 && power >= -22 && power <= 22;
    for (; power > 0; power -= power < 308 ? power : 308)
        v *= power_of_ten(power < 308 ? power : 308);
    for (; power < 0; power += -power < 308 ? -power : 308)
        v /= power_of_ten(-power < 308 ? -power : 308);
    return v <= DBL_MAX ? v : DBL_MAX;
}

bool decimal_read(const char *text, size_t bytes, double *number)
{
    const bool minus = text[0] == '-';
    const struct written written = written_of(text + minus, text + bytes);
    double v = 0;
    bool exact = true;
    if (written.text < written.end && written.point > 310)
        return false;
    if (written.text < written.end && written.point > -330)
        v = guess(&written, &exact);
    uint64_t bits = bits_of(v);
    for (int side;
         !exact;) { /* the upper half belongs to the next one above, and the middle to the even one */
        if ((side = compare_half(&written, bits)) > 0 || (side == 0 && (bits & 1) != 0))
            bits++;
        else if (bits > 0 &&
                 ((side = compare_half(&written, bits - 1)) < 0 || (side == 0 && (bits & 1) != 0)))
            bits--;
        else
            exact = true;
        if (bits > bits_of(DBL_MAX))
            return false;
    }
    memcpy(&v, &bits, sizeof v);
    *number = minus ? -v : v;
    return true;
}

/* ---- Writing --------------------------------------------------------------------------------------------- */

/* To count digits, half to even. */
static void digits_round(struct digits *digits, int count)
{
    if (count < 1 || digits->count <= count)
        return;
    const char next = digits->digit[count];
    const bool tie = next == '5' && digits->count == count + 1;
    digits->count = count;
    if (tie ? (digits->digit[count - 1] - '0') % 2 != 0 : next >= '5') {
        while (digits->count > 0 && digits->digit[digits->count - 1] == '9')
            digits->count--;
        if (digits->count == 0) {
            digits->digit[digits->count++] = '1';
            digits->point++;
        } else {
            digits->digit[digits->count - 1]++;
        }
    }
    while (digits->digit[digits->count - 1] == '0')
        digits->count--;
}

void decimal_write(char out[DECIMAL_BYTES], double number, int digits)
{
    struct digits all;
    int exponent;
    const uint64_t bits = bits_of(number), mantissa = mantissa_of(bits, &exponent);
    digits_of(mantissa, exponent, &all);
    digits_round(&all, digits);
    if (bits >> 63)
        *out++ = '-';
    if (all.count == 0) {
        memcpy(out, "0", 2);
        return;
    }
    const int power = all.point - 1;
    const bool fixed = power >= -4 && power < digits;
    const int whole = fixed ? power + 1 : 1; /* digits before the point; under 1: zeros behind it */
    for (int k = whole < 1 ? whole - 1 : 0; k < all.count || k < whole; k++) {
        if (k == whole)
            *out++ = '.';
        *out++ = k >= 0 && k < all.count ? all.digit[k] : '0';
    }
    if (!fixed) {
        const int size = power < 0 ? -power : power;
        *out++ = 'e';
        *out++ = power < 0 ? '-' : '+';
        if (size >= 100)
            *out++ = (char)('0' + size / 100);
        *out++ = (char)('0' + size / 10 % 10);
        *out++ = (char)('0' + size % 10);
    }
    *out = '\0';
}
