/*
 * What tests of recipes as JSON share: texts with ' in place of ", taken or refused with a message.
 */
#ifndef TERRANE_TESTS_RECIPE_JSON_KIT_H
#define TERRANE_TESTS_RECIPE_JSON_KIT_H

#include "unit.h"

#include "../../server/recipe/recipe_json.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Zones of a recipe that has a term a. */
#define TWO_ZONES                                                                                    \
    "'zones': [{'name': 'low', 'colour': '#102030', 'surface': 'a', 'amplitude': 2, 'offset_m': 3}," \
    " {'name': 'high land', 'colour': '#AbCdEf', 'ground': [[0, '#000000'], [5, '#ffffff']]}]"

static char error[RECIPE_ERROR_BYTES];
static struct recipe recipe;

static inline bool parse(const char *text)
{
    char *const exact = malloc(strlen(text) + 1); /* its end is the allocation's, for sanitizers */
    assert_non_null(exact);
    memcpy(exact, text, strlen(text));
    error[0] = '\0';
    const int result = recipe_parse(&recipe, exact, strlen(text), "a.json", error, sizeof error);
    free(exact);
    assert_true((result == 0) == (error[0] == '\0'));
    return result == 0;
}

static inline void parse_good(const char *text)
{
    if (!parse(text))
        fail_msg("%s\n%s", error, text);
}

/* The same text with ' in place of ". */
static inline bool parse_single(const char *text)
{
    char *const copy = strdup(text);
    assert_non_null(copy);
    for (char *at = copy; *at; at++)
        if (*at == '\'')
            *at = '"';
    const bool good = parse(copy);
    free(copy);
    return good;
}

static inline void good(const char *text)
{
    if (!parse_single(text))
        fail_msg("%s\n%s", error, text);
}

/* A message that ends in ... stands for all that begin so. */
static inline void assert_refused(const char *text, const char *message)
{
    char expected[RECIPE_ERROR_BYTES];
    size_t bytes = strlen(message);
    if (parse(text))
        fail_msg("taken, in place of \"%s\": %s", message, text);
    snprintf(expected, sizeof expected, "a.json: %s", message);
    bytes = bytes > 3 && strcmp(message + bytes - 3, "...") == 0 ? strlen(expected) - 3 : sizeof expected;
    if (strncmp(error, expected, bytes) != 0)
        fail_msg("\"%s\", in place of \"%s\"", error, expected);
}

/* The recipe that was parsed last, as a structure with another member. */
#define REFUSED_STRUCT(member, value, code)                      \
    do {                                                         \
        struct terrane_recipe bad = recipe.world;                \
        bad.member = (value);                                    \
        assert_int_equal(terrane_recipe_init(&bad, NULL), code); \
    } while (0)

#endif
