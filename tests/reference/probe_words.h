/*
 * What the answers of probe.c share: words of a question, memory that is filled with rubbish, and numbers as they are printed.
 */
#ifndef TESTS_REFERENCE_PROBE_WORDS_H
#define TESTS_REFERENCE_PROBE_WORDS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/window.h"

enum { WORD_BYTES = 1 << 16 };

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "probe: %s\n", what);
    exit(1);
}

static void *lent[256];
static size_t lents;

/* A block of exactly its size, until the question is answered. */
static void *allocate(size_t bytes)
{
    void *block = malloc(bytes);

    if (block == NULL || lents == sizeof lent / sizeof *lent)
        die("out of memory");
    return lent[lents++] = block;
}

static void free_all(void)
{
    while (lents > 0)
        free(lent[--lents]);
}

static void *take(void *user, size_t bytes)
{
    const size_t align = TERRANE_SCRATCH_ALIGN;
    void *block = aligned_alloc(align, (bytes + align - 1) / align * align);

    (void)user;
    if (block == NULL)
        die("out of memory");
    return memset(block, 0xff, bytes);
}

static void give(void *user, void *block)
{
    (void)user;
    free(block);
}

static const struct terrane_memory memory = {.alloc = take, .free = give};

/* ---- Words of a question ------------------------------------------------------------------------------- */

/* The next word, in static storage. */
static const char *read_word(void)
{
    static char word[WORD_BYTES];

    if (scanf("%65535s", word) != 1)
        die("a question ends too soon");
    return word;
}

static uint64_t read_unsigned(int radix)
{
    return strtoull(read_word(), NULL, radix);
}

static int64_t read_signed(void)
{
    return strtoll(read_word(), NULL, 10);
}

static int read_int(void)
{
    return (int)read_signed();
}

static double read_double(void)
{
    const uint64_t bits = read_unsigned(16);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Bytes in static storage, which the next word takes; returns their number. */
static size_t read_bytes(uint8_t **out)
{
    static uint8_t bytes[WORD_BYTES / 2];
    const char *word = read_word();
    size_t count = 0;

    for (; word[0] != '\0' && word[1] != '\0'; word += 2) {
        const char pair[] = {word[0], word[1], '\0'};
        bytes[count++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    *out = bytes;
    return count;
}

/* Count floats, most significant byte first. */
static float *read_floats(size_t count)
{
    float *value = allocate(count * sizeof *value);
    uint8_t *b;

    if (read_bytes(&b) != count * sizeof *value)
        die("another number of floats");
    for (size_t i = 0; i < count; i++, b += sizeof *value) {
        const uint32_t bits = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
        memcpy(&value[i], &bits, sizeof bits);
    }
    return value;
}

/* step: 0 when a word says it. */
static struct terrane_window read_window(int level, int step)
{
    struct terrane_window window = {.level = level, .gi = read_signed()};

    window.gj = read_signed();
    window.step = step > 0 ? step : read_int();
    window.width = read_int();
    window.height = read_int();
    /* Blocks of other sizes would be undefined. The library's own check of windows is a unit test's. */
    if (window.width < 1 || window.height < 1)
        die("a window of no samples");
    return window;
}

/* ---- Answering ----------------------------------------------------------------------------------------- */

static void print_error(int error)
{
    printf("error %d %s\n", error, terrane_error_text(error));
}

static void print_bytes(const uint8_t *byte, size_t count, const char *between)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%02x", i == 0 ? "" : between, byte[i]);
}

static void print_floats(const float *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        printf("%s%08" PRIx32, i == 0 ? "" : " ", bits);
    }
}

/* The samples of a call that did not fail. */
static void print_answer(int error, const float *value, size_t count)
{
    if (error < 0) {
        print_error(error);
    } else {
        print_floats(value, count);
        putchar('\n');
    }
}

#endif
