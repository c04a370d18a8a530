/*
 * The environment as a source of the configuration: names of variables, values, and variables that nobody reads.
 */
#include "config_kit.h"

#include "../stderr_kit.h"

/* Takes every variable of ours out, whatever the tests were started with. */
static int clear(void **state)
{
    (void)state;
    for (char **at = environ; *at;) {
        char name[200];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*at, "="), *at);
        if (strncmp(name, "TERRANE_", 8) == 0 && unsetenv(name) == 0)
            at = environ;
        else
            at++;
    }
    return 0;
}

static void assert_bad(const char *name, const char *value, const char *message)
{
    struct config config;

    setenv(name, value, 1);
    load_defaults(&config);
    assert_int_equal(config_environment_apply(&config, error, sizeof error), -1);
    assert_string_equal(error, message);
    config_free(&config);
    assert_int_equal(config_environment_load(&config, NULL, error, sizeof error), -1);
    unsetenv(name);
}

TEST(refusals)
{
    assert_bad("TERRANE_RENDER_QUEUE", "0",
               "TERRANE_RENDER_QUEUE: 0 is below the minimum: allowed 1 .. 65536");
    assert_bad("TERRANE_RENDER_QUEUE", "",
               "TERRANE_RENDER_QUEUE: \"\" is not an integer: allowed 1 .. 65536");
    static const char *const bad[] = {",", "a,", ",a", "a,,b", " ", "a b", "\xff", "a\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct config config;
        setenv("TERRANE_HTTP_HOSTS", bad[i], 1);
        if (config_environment_load(&config, NULL, error, sizeof error) == 0)
            fail_msg("\"%s\" is taken", bad[i]);
        assert_int_equal(strncmp(error, "TERRANE_HTTP_HOSTS[", 19), 0);
        assert_null(strchr(error, '\n'));
    }
    char many[2 * 1001 + 1];
    for (size_t i = 0; i < sizeof many - 1; i++)
        many[i] = i % 2 ? ',' : 'a';
    many[sizeof many - 1] = '\0';
    many[sizeof many - 2] = '\0';
    assert_bad("TERRANE_HTTP_HOSTS", many, "TERRANE_HTTP_HOSTS: 1001 strings: allowed at most 1000");
}

TEST(many_unknown_variables_are_few_lines)
{
    char name[32];
    size_t lines = 0;

    for (unsigned i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "TERRANE_NO%u", i);
        setenv(name, "", 1);
    }
    catch_begin();
    config_environment_warn();
    catch_end();
    for (const char *at = caught; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_in_range(lines, 1, 30);
}

GROUP_EACH(environment, clear, clear);
