/*
 * What names mean: the book's recipes, and the configuration's named worlds.
 */
#ifndef TERRANE_SERVER_WORLDS_H
#define TERRANE_SERVER_WORLDS_H

#include "../config/config.h"
#include "../tile/tile.h"
#include "recipe_json.h"

/* ---- The book (book.c) --------------------------------------------------------------------------------- */

/*
 * The book of recipes: those that are built in (all of config/worlds) and those of a directory.
 *
 * A directory's NAME.json is the recipe NAME; one that has a built-in recipe's name takes its place. A book does not
 * change once it is open: its recipes may be borrowed, by any thread, for as long as it is.
 */

enum { BOOK_RECIPES = 1000 }; /* most recipes in a book */

struct book;

/*
 * Opens a book. dir: a directory, or "" for none; generator: of recipes that say none, 0: the newest. Every *.json in it has to be a recipe with a name that fits
 * [a-z][a-z0-9-]{0,63}; other files are ignored. Returns owned, or NULL with one line in error.
 */
struct book *book_open(const char *dir, int generator, char *error, size_t error_bytes);

/* NULL is fine. */
void book_free(struct book *book);

/* The recipe of that name (not zero-terminated), as it usually is (recipe_under: under another generator), borrowed; NULL: none. */
const struct recipe *book_find(const struct book *book, const char *name, size_t bytes);

/* The k-th recipe in the order of names; NULL behind the last. */
const struct recipe *book_at(const struct book *book, size_t k);

/* What a recipe of the book says, as JSON, not zero-terminated; borrowed. Its generator need not be in it. */
const char *book_text(const struct book *book, const struct recipe *recipe, size_t *bytes);

/* The k-th built-in text: its recipe's name, NULL behind the last, what it says, not zero-terminated, and the newest generator that
 * has it. The newest texts in the order of names, then the older ones. Static storage. */
const char *book_builtin_name(size_t k);
const char *book_builtin_text(size_t k, size_t *bytes);
int book_builtin_last(size_t k);

/* ---- Worlds (worlds.c) --------------------------------------------------------------------------------- */

/* All zero is one that worlds_close accepts. Any thread may read it. */
struct worlds {
    const struct config *config;
    struct book *book;
    const struct recipe *standard; /* of a world that names none */
    struct alias
        *alias; /* owned: each named world's, in their order, without a name where it has none; or NULL */
};

/*
 * Opens the book that the configuration asks for, and checks that it has every recipe the configuration names.
 * Borrows the configuration. Returns 0, or -1 with one line in error; *worlds is zero then.
 */
int worlds_open(struct worlds *worlds, const struct config *config, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));
void worlds_close(struct worlds *worlds);

/*
 * Gives the configuration's secret worlds their aliases, drawn from a secret (HMAC-SHA256), a name, a recipe and a seed; without
 * them, as the command line has worlds, nothing is secret. Returns 0, or -1 with one line in error: the library for it fails.
 */
int worlds_hide(struct worlds *worlds, const char *secret, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/* How many named worlds say no generator, so that the next one would change them; names: the first four, as many as there is room for. */
size_t worlds_unpinned(const struct worlds *worlds, char *names, size_t names_bytes);

/* How many files of heights that recipes name are others than before; names: "FILE of RECIPE" of the first, as many as there is room for. */
enum { WORLDS_CHANGED_NAMED = 4 };
size_t worlds_changed(const struct worlds *before, const struct worlds *now, char *names, size_t names_bytes);

/* The same of files that are on the disk no longer what was read of them: a reload would find others, or none. */
size_t worlds_stale(const struct worlds *worlds, char *names, size_t names_bytes);

/* The recipe of one of the configuration's worlds, under its generator: borrowed, never NULL. */
const struct recipe *worlds_recipe_of(const struct worlds *worlds, const struct config_world *world);

/*
 * Fills seed and alias of *key and *recipe (borrowed, never NULL) of the configuration's world of that name (not zero-terminated);
 * false, and all untouched, when there is none. worlds: a struct worlds.
 */
bool worlds_named(const void *worlds, const char *name, size_t bytes, struct tile_key *key,
                  const struct recipe **recipe);

/* The book's recipe of that name, or NULL. worlds: a struct worlds. */
const struct recipe *worlds_recipe(const void *worlds, const char *name, size_t bytes);

#endif
