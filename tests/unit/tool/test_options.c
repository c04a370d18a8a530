/*
 * Command lines (server/tool/tool.c): a row each, and what is made of it.
 */
#include "../stderr_kit.h"

#include "../../../server/tool/tool.h"

enum { WORDS = 3, ARGUMENTS = 6 };

/*
 * found: what was read, in the order of the options and then the words: "out=a.png quiet [word]". With a '!' before it: the
 * message, between the command's name and the word about --help.
 */
static const struct {
    const char *argument[ARGUMENTS + 1], *found;
} rows[] = {
    {{NULL}, ""},
    /* values stand behind or inside */
    {{"--out", "a.png"}, " out=a.png"},
    {{"--out=a.png"}, " out=a.png"},
    {{"-o", "a.png"}, " out=a.png"},
    {{"--out="}, " out="},
    {{"--out=a=b"}, " out=a=b"},
    {{"--out", ""}, " out="},
    {{"--out", "-7"}, " out=-7"},
    {{"--out", "--quiet"}, " out=--quiet"}, /* a value is a value */
    {{"-o", "--"}, " out=--"},
    {{"--out", "a", "--out", "b"}, " out=b"}, /* the last one counts */
    {{"--out"}, "!--out: needs a value"},
    {{"-q", "-o"}, "!-o: needs a value"},
    /* names are whole */
    {{"--size=1", "--size-of-all"}, " size=1 all"},
    {{"--size-of-all"}, " all"},
    {{"--siz", "1"}, "!--siz: unknown option"},
    {{"--sizes=1"}, "!--sizes=1: unknown option"},
    {{"--size-"}, "!--size-: unknown option"},
    {{"--Out", "x"}, "!--Out: unknown option"},
    {{"-out"}, "!-out: unknown option"},
    {{"-ox"}, "!-ox: unknown option"},
    {{"-x"}, "!-x: unknown option"},
    {{"---"}, "!---: unknown option"},
    {{"--="}, "!--=: unknown option"},
    {{"--out\n"}, "!--out\n: unknown option"},
    /* flags take no value */
    {{"-q"}, " quiet"},
    {{"--quiet", "-s", "word"}, " quiet all [word]"},
    {{"--quiet=yes"}, "!--quiet=yes: takes no value"},
    {{"--quiet="}, "!--quiet=: takes no value"},
    /* words are what is left; a minus sign before a digit begins a number */
    {{"42", "--out", "x", "-3", "-9e"}, " out=x [42] [-3] [-9e]"},
    {{"-", ""}, " [-] []"},
    {{"-q", "--", "-o", "--quiet", "--"}, " quiet [-o] [--quiet] [--]"},
    {{"a", "b", "c", "d"}, "!d: one word too many"},
};

static const char *out, *size;
static bool quiet, all;
static const struct option_spec specs[] = {
    {"out", 'o', &out, NULL},         {"size", 0, &size, NULL},
    {"size-of-all", 's', NULL, &all}, /* begins like another */
    {"quiet", 'q', NULL, &quiet},     {NULL, 0, NULL, NULL},
};

/* What is made of arguments, as a row has it. */
static void read_row(const char *const *argument, char *text, size_t bytes)
{
    const char *word[WORDS];
    char *argv[ARGUMENTS + 1] = {NULL};
    int argc = 0, found = 0;

    for (; argument[argc]; argc++)
        assert_non_null(argv[argc] = strdup(argument[argc]));
    out = size = NULL;
    quiet = all = false;
    catch_begin();
    const int result = options_read("paint", "", argc, argv, specs, word, WORDS, &found);
    catch_end();
    if (result != OPTIONS_FINE) {
        snprintf(text, bytes, "%.200s", caught);
    } else {
        assert_string_equal(caught, "");
        size_t used = (size_t)snprintf(text, bytes, "%s%s%s%s%s%s", out ? " out=" : "", out ? out : "",
                                       size ? " size=" : "", size ? size : "", quiet ? " quiet" : "",
                                       all ? " all" : "");
        for (int i = 0; i < found; i++)
            used += (size_t)snprintf(text + used, bytes - used, " [%s]", word[i]);
    }
    for (int i = 0; i < argc; i++)
        free(argv[i]);
}

TEST(rows_are_read)
{
    char text[256], expected[256];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool refused = rows[i].found[0] == '!';
        read_row(rows[i].argument, text, sizeof text);
        snprintf(expected, sizeof expected, refused ? "terrane paint: %s (see terrane paint --help)\n" : "%s",
                 rows[i].found + refused);
        if (strcmp(text, expected) != 0)
            fail_msg("row %zu: \"%s\", not \"%s\"", i, text, expected);
    }
}

TEST(no_words_may_be_wanted)
{
    char flag[] = "-q", *argv[] = {flag};
    int count = 9;

    quiet = false;
    assert_int_equal(options_read("serve", "", 1, argv, specs, NULL, 0, &count), OPTIONS_FINE);
    assert_int_equal(count, 0);
    assert_true(quiet);
}

GROUP(options);
