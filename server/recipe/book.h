/*
 * The book of recipes: those that are built in (all of config/worlds) and those of a directory.
 *
 * A directory's NAME.json is the recipe NAME; one that has a built-in recipe's name takes its place. A book does not
 * change once it is open: its recipes may be borrowed, by any thread, for as long as it is.
 */
#ifndef TERRANE_SERVER_BOOK_H
#define TERRANE_SERVER_BOOK_H

#include "recipe_json.h"

enum { BOOK_RECIPES = 1000 }; /* most recipes in a book */

struct book;

/*
 * Opens a book. dir: a directory, or "" for none. Every *.json in it has to be a recipe with a name that fits
 * [a-z][a-z0-9-]{0,63}; other files are ignored. Returns owned, or NULL with one line in error.
 */
struct book *book_open(const char *dir, char *error, size_t error_bytes);

/* NULL is fine. */
void book_free(struct book *book);

/* The recipe of that name (not zero-terminated), borrowed; NULL: there is none. */
const struct recipe *book_find(const struct book *book, const char *name, size_t bytes);

/* The k-th recipe in the order of names; NULL behind the last. */
const struct recipe *book_at(const struct book *book, size_t k);

/* The k-th built-in recipe's name, NULL behind the last, and its text, not zero-terminated. Static storage. */
const char *book_builtin_name(size_t k);
const char *book_builtin_text(size_t k, size_t *bytes);

#endif
