/*
 * The configuration's third source: environment variables, between the file and the command line.
 *
 * A key's variable is TERRANE_ and its path in capitals, with _ for the dots: TERRANE_CACHE_DISK_BYTES. Values are what the
 * command line takes; of lists the strings are divided by commas. worlds.named has no variable. TERRANE_CONFIG is the
 * file where the command line names none.
 */
#ifndef TERRANE_SERVER_CONFIG_ENVIRONMENT_H
#define TERRANE_SERVER_CONFIG_ENVIRONMENT_H

#include "config.h"

enum { CONFIG_VARIABLE_BYTES = 80 }; /* a buffer of this size holds the variable of any key */

/* The file to read: the one given or, where that is NULL, TERRANE_CONFIG's; NULL where there is neither. Borrowed. */
const char *config_environment_file(const char *given);

/*
 * Sets the keys whose variables there are. Returns 0, or -1 with one line in error that begins with the variable: the
 * configuration is whole then, to be freed, and not to be used.
 */
int config_environment_apply(struct config *config, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/* config_load of the file above, and the environment over it. Returns 0, or -1 as config_load does. */
int config_environment_load(struct config *config, const char *given, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/* Logs a warning for each variable that begins with TERRANE_ and is none of ours, with the nearest one that is. */
void config_environment_warn(void);

/* The variable of a key into name (CONFIG_VARIABLE_BYTES); false where it has none: name is untouched then. */
bool config_environment_name(const char *path, char *name);

#endif
