/*
 * Command lines (server/tool/options.c). Messages are read back from standard error, which goes to a file
 * meanwhile.
 */
#include "stderr_kit.h"

#include <string.h>

#include "../../server/tool/options.h"

enum { WORDS = 3, ARGUMENTS = 12 };

static const char *out, *size;
static bool quiet, all;

static const struct option_spec specs[] = {
    {"out", 'o', &out, NULL},         {"size", 0, &size, NULL},
    {"size-of-all", 's', NULL, &all}, /* begins like another */
    {"quiet", 'q', NULL, &quiet},     {NULL, 0, NULL, NULL},
};

static const char *word[WORDS];
static int found;

/* Reads the arguments up to NULL; what was written to standard error is in caught. */
static int read_arguments(const char *const *argument)
{
    char *argv[ARGUMENTS + 1];
    char copy[ARGUMENTS][64];
    int argc = 0;

    for (; argument[argc]; argc++) {
        assert_in_range(argc, 0, ARGUMENTS - 1);
        assert_in_range(strlen(argument[argc]), 0, sizeof copy[0] - 1);
        argv[argc] = memcpy(copy[argc], argument[argc], strlen(argument[argc]) + 1);
    }
    argv[argc] = NULL;
    out = size = NULL;
    quiet = all = false;
    memset(word, 0, sizeof word);
    found = -1;

    catch_begin();
    const int result = options_read("paint", argc, argv, specs, word, WORDS, &found);
    catch_end();

    /* Values and words point into argv, which ends here. */
    static char kept[2 + WORDS][64];
    const char **const place[2 + WORDS] = {&out, &size, &word[0], &word[1], &word[2]};
    for (int i = 0; i < 2 + WORDS; i++)
        if (*place[i])
            *place[i] = memcpy(kept[i], *place[i], strlen(*place[i]) + 1);
    return result;
}

#define READ(...) read_arguments((const char *const[]){__VA_ARGS__, NULL})

static void assert_refused(int result, const char *text)
{
    assert_int_equal(result, -1);
    assert_string_equal(caught, text);
}

static void nothing_is_fine(void **state)
{
    static const char *const none[] = {NULL};

    (void)state;
    assert_int_equal(read_arguments(none), 0);
    assert_int_equal(found, 0);
    assert_null(out);
    assert_false(quiet);
    assert_string_equal(caught, "");
}

static void values_stand_behind_or_inside(void **state)
{
    (void)state;
    assert_int_equal(READ("--out", "a.png"), 0);
    assert_string_equal(out, "a.png");
    assert_int_equal(READ("--out=a.png"), 0);
    assert_string_equal(out, "a.png");
    assert_int_equal(READ("-o", "a.png"), 0);
    assert_string_equal(out, "a.png");
    assert_int_equal(READ("--out="), 0);
    assert_string_equal(out, "");
    assert_int_equal(READ("--out=a=b"), 0);
    assert_string_equal(out, "a=b");
    assert_int_equal(READ("--out", ""), 0);
    assert_string_equal(out, "");
    assert_int_equal(READ("--out", "-7"), 0);
    assert_string_equal(out, "-7");
    assert_int_equal(READ("--out", "--quiet"), 0); /* a value is a value */
    assert_string_equal(out, "--quiet");
    assert_false(quiet);
    assert_int_equal(READ("-o", "--"), 0);
    assert_string_equal(out, "--");
    assert_int_equal(READ("--out", "a", "--out", "b"), 0); /* the last one counts */
    assert_string_equal(out, "b");
    assert_int_equal(found, 0);
}

static void names_are_whole(void **state)
{
    (void)state;
    assert_int_equal(READ("--size=1", "--size-of-all"), 0);
    assert_string_equal(size, "1");
    assert_true(all);
    assert_int_equal(READ("--size-of-all"), 0);
    assert_null(size);
    assert_true(all);
    assert_refused(READ("--siz", "1"), "terrane paint: --siz: unknown option (see terrane paint --help)\n");
    assert_refused(READ("--sizes=1"),
                   "terrane paint: --sizes=1: unknown option (see terrane paint --help)\n");
    assert_refused(READ("--size-"), "terrane paint: --size-: unknown option (see terrane paint --help)\n");
    assert_refused(READ("--Out", "x"), "terrane paint: --Out: unknown option (see terrane paint --help)\n");
    assert_refused(READ("-out"), "terrane paint: -out: unknown option (see terrane paint --help)\n");
    assert_refused(READ("-ox"), "terrane paint: -ox: unknown option (see terrane paint --help)\n");
    assert_refused(READ("-x"), "terrane paint: -x: unknown option (see terrane paint --help)\n");
    assert_refused(READ("---"), "terrane paint: ---: unknown option (see terrane paint --help)\n");
    assert_refused(READ("--="), "terrane paint: --=: unknown option (see terrane paint --help)\n");
    assert_refused(READ("--out\n"), "terrane paint: --out\n: unknown option (see terrane paint --help)\n");
}

static void flags_take_no_value(void **state)
{
    (void)state;
    assert_int_equal(READ("-q"), 0);
    assert_true(quiet);
    assert_int_equal(READ("--quiet", "-s", "word"), 0);
    assert_true(quiet && all);
    assert_int_equal(found, 1);
    assert_refused(READ("--quiet=yes"),
                   "terrane paint: --quiet=yes: takes no value (see terrane paint --help)\n");
    assert_refused(READ("--quiet="), "terrane paint: --quiet=: takes no value (see terrane paint --help)\n");
}

static void options_need_their_value(void **state)
{
    (void)state;
    assert_refused(READ("--out"), "terrane paint: --out: needs a value (see terrane paint --help)\n");
    assert_refused(READ("-q", "-o"), "terrane paint: -o: needs a value (see terrane paint --help)\n");
    assert_true(quiet);
}

static void words_are_what_is_left(void **state)
{
    (void)state;
    assert_int_equal(READ("42", "--out", "x", "-3", "-9e"), 0);
    assert_int_equal(found, 3);
    assert_string_equal(word[0], "42");
    assert_string_equal(word[1], "-3"); /* a number, not an option */
    assert_string_equal(word[2], "-9e");
    assert_string_equal(out, "x");
    assert_int_equal(READ("-", ""), 0); /* a dash alone, and nothing at all */
    assert_int_equal(found, 2);
    assert_string_equal(word[0], "-");
    assert_string_equal(word[1], "");
    assert_int_equal(READ("-q", "--", "-o", "--quiet", "--"), 0);
    assert_int_equal(found, 3);
    assert_string_equal(word[0], "-o");
    assert_string_equal(word[1], "--quiet");
    assert_string_equal(word[2], "--"); /* the second one is a word */
    assert_null(out);
    assert_refused(READ("a", "b", "c", "d"),
                   "terrane paint: d: one word too many (see terrane paint --help)\n");
    assert_int_equal(found, 3);
}

static void no_words_may_be_wanted(void **state)
{
    char flag[] = "-q", *argv[] = {flag};
    int count = 9;

    (void)state;
    quiet = false;
    assert_int_equal(options_read("serve", 1, argv, specs, NULL, 0, &count), 0);
    assert_int_equal(count, 0);
    assert_true(quiet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_fine),          cmocka_unit_test(values_stand_behind_or_inside),
        cmocka_unit_test(names_are_whole),          cmocka_unit_test(flags_take_no_value),
        cmocka_unit_test(options_need_their_value), cmocka_unit_test(words_are_what_is_left),
        cmocka_unit_test(no_words_may_be_wanted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
