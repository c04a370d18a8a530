/*
 * terrane config: the keys of the configuration, as people, editors and manuals read them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../config/config.h"
#include "tool.h"

static const char usage[] =
    "usage: terrane config [--defaults | --schema | --manual]\n\n"
    "Writes a table of the configuration's keys: unit, default, what is allowed, whether a reload changes "
    "it,\n"
    "and what it means. (What a server would use is told by terrane serve --print-config.)\n\n"
    "  --defaults  a file of every key with its default, in place of the table\n"
    "  --schema    JSON Schema, for editors and validators\n"
    "  --manual    the list of the manual page, in mdoc\n";

static char *defaults(void)
{
    struct config config;
    char error[CONFIG_ERROR_BYTES];

    if (config_load(&config, NULL, error, sizeof error) != 0)
        return NULL;
    char *const text = config_text(&config);
    config_free(&config);
    return text;
}

int config_command(int argc, char **argv)
{
    bool file = false, schema = false, manual = false;
    const struct option_spec specs[] = {
        {"defaults", 0, NULL, &file}, {"schema", 0, NULL, &schema}, {"manual", 0, NULL, &manual}, {0}};
    int words;

    const int ended = options_read("config", usage, argc, argv, specs, NULL, 0, &words);
    if (ended != OPTIONS_FINE)
        return ended;
    if (file + schema + manual > 1) {
        fputs("terrane config: --defaults, --schema and --manual exclude each other (see terrane config "
              "--help)\n",
              stderr);
        return 2;
    }
    char *const text = file     ? defaults()
                       : schema ? config_schema()
                       : manual ? config_manual()
                                : config_table();
    fputs(text ? text : "terrane config: out of memory\n", text ? stdout : stderr);
    free(text);
    return text ? 0 : 1;
}
