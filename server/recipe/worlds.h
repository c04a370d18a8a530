/*
 * What names mean: the configuration's named worlds, and the book's recipes.
 */
#ifndef TERRANE_SERVER_WORLDS_H
#define TERRANE_SERVER_WORLDS_H

#include "../config/config.h"
#include "book.h"

/* All zero is one that worlds_close accepts. Any thread may read it. */
struct worlds {
    const struct config *config;
    struct book *book;
    const struct recipe *standard; /* of a world that names none */
};

/*
 * Opens the book that the configuration asks for, and checks that it has every recipe the configuration names.
 * Borrows the configuration. Returns 0, or -1 with one line in error; *worlds is zero then.
 */
int worlds_open(struct worlds *worlds, const struct config *config, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));
void worlds_close(struct worlds *worlds);

/*
 * Fills *seed and *recipe (borrowed, never NULL) of the configuration's world of that name (not zero-terminated);
 * false, and both untouched, when there is none. worlds: a struct worlds.
 */
bool worlds_named(const void *worlds, const char *name, size_t bytes, uint64_t *seed,
                  const struct recipe **recipe);

/* The book's recipe of that name, or NULL. worlds: a struct worlds. */
const struct recipe *worlds_recipe(const void *worlds, const char *name, size_t bytes);

#endif
