/*
 * What the tests of the configuration share: a parser with a message, and the files.
 *
 * They run at the root of the repository and read config/.
 */
#ifndef TERRANE_TESTS_CONFIG_KIT_H
#define TERRANE_TESTS_CONFIG_KIT_H

#include "../../../server/config/config.h"
#include "../unit.h"

static char error[CONFIG_ERROR_BYTES];

static inline void load_defaults(struct config *config)
{
    if (config_load(config, NULL, error, sizeof error) != 0)
        fail_msg("%s", error);
}

static inline int parse(struct config *config, const char *text)
{
    error[0] = '\0';
    return config_parse(config, text, strlen(text), "a.json", error, sizeof error);
}

/* Whether the defaults with this text over them are taken. */
static inline bool accepts(const char *text)
{
    struct config config;

    load_defaults(&config);
    const bool accepted = parse(&config, text) == 0;
    config_free(&config);
    return accepted;
}

static inline void assert_refused(const char *text, const char *message)
{
    if (accepts(text))
        fail_msg("%s is taken", text);
    assert_string_equal(error, message);
}

#endif
