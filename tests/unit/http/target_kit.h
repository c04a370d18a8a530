/*
 * What the tests of request targets share: targets that are read, refused, and compared.
 *
 * Targets are handed over in blocks of exactly their length, without a zero behind: under AddressSanitizer
 * every byte read too many is seen. Every refusal, expected or not, is checked for a sentence that can be
 * shown.
 */
#ifndef TERRANE_TESTS_TARGET_KIT_H
#define TERRANE_TESTS_TARGET_KIT_H

#include "../words_kit.h"
#include "names_kit.h"

#define LIMIT TERRANE_TILE_LIMIT

/* A layer that has a format. */
static inline const char *layer_of(int format)
{
    return format_row[format].needs == NEEDS_WEIGHTS ? "cover"
           : format_row[format].needs >= NEEDS_LINES ? "objects"
                                                     : "height";
}

static inline void check_refusal(const struct target *target, const char *text)
{
    const size_t bytes = strnlen(target->detail, sizeof target->detail);

    if (target->status != 400 && target->status != 404 && target->status != 410 && target->status != 413)
        fail_msg("%s: status %u", text, target->status);
    assert_non_null(target->parameter);
    assert_true(bytes < sizeof target->detail);
    for (size_t i = 0; i < bytes; i++)
        assert_in_range(target->detail[i], ' ', '~');

    const size_t n = strlen(target->parameter);
    assert_memory_equal(target->detail, target->parameter, n);
    assert_int_equal(target->detail[n], '=');
}

static inline struct target parse_bytes(const char *text, size_t bytes)
{
    struct target target;
    char *const exact = malloc(bytes);

    assert_true(exact || bytes == 0);
    if (bytes > 0)
        memcpy(exact, text, bytes);
    memset(&target, 0x5a, sizeof target); /* all of it has to be filled */
    target_parse(&target, exact, bytes, &names);
    free(exact);
    if (target.status != 0)
        check_refusal(&target, text);
    return target;
}

static inline struct target parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static inline struct target parse_good(const char *text)
{
    const struct target target = parse(text);

    if (target.status != 0)
        fail_msg("%s: %u, %s", text, target.status, target.detail);
    return target;
}

static inline void assert_refused(const char *text, unsigned status, const char *parameter)
{
    const struct target target = parse(text);

    if (target.status != status)
        fail_msg("%s: %u instead of %u (%s)", text, target.status, status,
                 target.status ? target.detail : "fine");
    if (strcmp(target.parameter, parameter) != 0)
        fail_msg("%s: blames %s instead of %s", text, target.parameter, parameter);
}

/* Each of the words (words_kit.h) is refused in the place of the pattern's $. */
static inline void assert_each_refused(const char *pattern, const char *words, unsigned status,
                                       const char *parameter)
{
    const char *const at = strchr(pattern, '$');

    for (const char *word; (word = word_next(&words));) {
        char text[300];
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - pattern), pattern, word, at + 1);
        assert_refused(text, status, parameter);
    }
}

static inline bool keys_equal(const struct tile_key *a, const struct tile_key *b)
{
    return a->seed == b->seed && a->x == b->x && a->y == b->y && a->level == b->level &&
           a->layer == b->layer && a->variant == b->variant && a->format == b->format && a->enc == b->enc &&
           a->size == b->size && a->shift == b->shift && a->reg == b->reg;
}

static inline void assert_key(const char *text, struct tile_key key)
{
    const struct target target = parse_good(text);

    assert_true(target_is_tile(&target));
    if (!keys_equal(&target.key, &key))
        fail_msg("%s: another key than expected", text);
}

#endif
