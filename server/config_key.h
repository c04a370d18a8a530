/*
 * The keys of the configuration, for config*.c alone: applying values to a struct config, and refusing wrong
 * ones.
 */
#ifndef TERRANE_SERVER_CONFIG_KEY_H
#define TERRANE_SERVER_CONFIG_KEY_H

#include <jansson.h>

#include "config.h"

/* Where a value comes from, and where the message about it goes. */
struct config_source {
    const char *file; /* NULL: the command line */
    char *error;
    size_t error_bytes;
};

enum { CONFIG_PATH_BYTES = 192 };

/* Writes "FILE: PATH: what" as one printable line, file and path where they are not NULL. Returns -1. */
int config_refuse(const struct config_source *source, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Applies the members of a group's object, in their order; group is its path, "" for the whole file. Returns
 * 0, or -1 with the message about the first wrong one written; those before it are applied. Borrows object.
 */
int config_object_apply(struct config *config, const struct config_source *source, const char *group,
                        json_t *object);

/* Applies one word of the command line to the key at path. Messages name the key as label. Returns 0, or -1
 * as above. */
int config_word_apply(struct config *config, const struct config_source *source, const char *path,
                      const char *label, const char *text);

/*
 * Appends a key of the file to a group's path. A key that is no plain word stands in quotes: no dot misleads.
 */
void config_path_join(char *out, size_t out_bytes, const char *group, const char *name);

/* Replaces worlds.named by what an object says. Returns 0, or -1 as above with the configuration as it was. */
int config_worlds_apply(struct config *config, const struct config_source *source, const char *path,
                        json_t *object);

/* Frees the strings that keys filled. */
void config_strings_free(struct config *config);

#endif
