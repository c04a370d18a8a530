/*
 * The book of recipes: an array in the order of names, filled once.
 */
#include "worlds.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "../base/check.h"
#include "../base/text.h"
#include "generations.h"

struct entry {
    struct generations *generations; /* owned */
    char *text;                      /* owned, of text_bytes; NULL: it is built in */
    size_t text_bytes;
};

struct book {
    struct entry *entry; /* count of them, in the order of names */
    size_t count, room;
    int generator; /* of recipes that say none; 0: the newest */
};

static const char *name_at(const struct book *book, size_t k)
{
    return book->entry[k].generations->usual->name;
}

/* Where the name stands, or would stand. */
static size_t book_place(const struct book *book, const char *name)
{
    size_t low = 0, high = book->count; /* among low .. high */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(name_at(book, middle), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where the name stands; NULL: nowhere. */
static struct entry *book_entry(const struct book *book, const char *name)
{
    const size_t k = book_place(book, name);
    return k < book->count && strcmp(name_at(book, k), name) == 0 ? &book->entry[k] : NULL;
}

/* Takes a recipe (NULL: memory is short), in place of one of its name. */
static bool book_put(struct book *book, struct generations *generations)
{
    if (!generations)
        return false;
    struct entry *there = book_entry(book, generations->usual->name);
    if (there) {
        generations_free(there->generations);
        there->generations = generations;
        return true;
    }
    const size_t k = book_place(book, generations->usual->name);
    struct entry *more = array_grown(book->entry, book->count, &book->room, 8, sizeof *more);
    if (!more) {
        generations_free(generations);
        return false;
    }
    book->entry = more;
    memmove(&book->entry[k + 1], &book->entry[k], (book->count - k) * sizeof *book->entry);
    book->entry[k] = (struct entry){.generations = generations};
    book->count++;
    return true;
}

/* first, last: the generators that have it; only recipes that ship have older ones of their name, which come behind. */
static int put_named(struct book *book, struct recipe *recipe, const char *name, size_t bytes, int first,
                     int last, char *error, size_t error_bytes)
{
    memcpy(recipe->name, name, bytes);
    recipe->name[bytes] = '\0';
    struct entry *there = last < TERRANE_GENERATOR_VERSION ? book_entry(book, recipe->name) : NULL;
    if (there)
        generations_put_old(there->generations, recipe, first, last);
    else if (!book_put(book, generations_make(recipe, first, last, book->generator))) {
        snprintf(error, error_bytes, "out of memory");
        return -1;
    }
    return 0;
}

/* The oldest generator that has text k: the next of its name is of those before. */
static int builtin_first(size_t k)
{
    for (size_t older = k + 1; book_builtin_name(older); older++)
        if (strcmp(book_builtin_name(older), book_builtin_name(k)) == 0)
            return book_builtin_last(older) + 1;
    return TERRANE_GENERATOR_OLDEST;
}

static int read_builtin(struct book *book, struct recipe *recipe, char *error, size_t error_bytes)
{
    for (size_t k = 0; book_builtin_name(k); k++) {
        const char *name = book_builtin_name(k);
        char file[RECIPE_NAME_BYTES + 32];
        size_t bytes;
        const char *text = book_builtin_text(k, &bytes);
        snprintf(file, sizeof file, "built-in %s.json", name);
        if (recipe_parse_shipped(recipe, text, bytes, file, error, error_bytes) != 0)
            return -1;
        if (put_named(book, recipe, name, strlen(name), builtin_first(k), book_builtin_last(k), error,
                      error_bytes) != 0)
            return -1;
    }
    return 0;
}

static int is_json(const struct dirent *entry)
{
    const size_t bytes = strlen(entry->d_name);
    return entry->d_name[0] != '.' && bytes > 5 && strcmp(entry->d_name + bytes - 5, ".json") == 0;
}

static int read_file(struct book *book, struct recipe *recipe, const char *dir, const char *file, char *error,
                     size_t error_bytes)
{
    char *path = NULL, *text = NULL, name[RECIPE_NAME_BYTES + 1] = "";
    size_t text_bytes;
    const size_t bytes = strlen(file) - 5;
    int result = -1;
    if (asprintf(&path, "%s/%s", dir, file) < 0) {
        snprintf(error, error_bytes, "out of memory");
        return -1;
    }
    if (bytes < sizeof name)
        memcpy(name, file, bytes);
    if (!text_recipe(name))
        text_print(error, error_bytes, "%s: is no name of a recipe: allowed [a-z][a-z0-9-]{0,%d}.json", path,
                   RECIPE_NAME_BYTES - 1);
    else if (recipe_load_text(recipe, path, &text, &text_bytes, error, error_bytes) == 0) {
        result = put_named(book, recipe, name, bytes, TERRANE_GENERATOR_OLDEST, TERRANE_GENERATOR_VERSION,
                           error, error_bytes);
        recipe_drop(recipe);
    }
    if (result == 0) {
        struct entry *const entry = book_entry(book, name);
        free(entry->text);
        entry->text = text;
        entry->text_bytes = text_bytes;
    } else {
        free(text);
    }
    free(path);
    return result;
}

/* By name, so that the first mistake is the same one each time. */
static int read_dir(struct book *book, struct recipe *recipe, const char *dir, char *error,
                    size_t error_bytes)
{
    struct dirent **entry;
    const int count = scandir(dir, &entry, is_json, alphasort);
    int result = 0;
    if (count < 0) {
        text_print(error, error_bytes, "worlds.dir: %s: %s", dir, strerror(errno));
        return -1;
    }
    if (count > BOOK_RECIPES) {
        text_print(error, error_bytes, "worlds.dir: %s: %d recipes: allowed at most %d", dir, count,
                   BOOK_RECIPES);
        result = -1;
    }
    for (int i = 0; i < count; i++) {
        if (result == 0)
            result = read_file(book, recipe, dir, entry[i]->d_name, error, error_bytes);
        free(entry[i]);
    }
    free(entry);
    return result;
}

struct book *book_open(const char *dir, int generator, char *error, size_t error_bytes)
{
    struct book *book = calloc(1, sizeof *book);
    struct recipe *recipe = calloc(1, sizeof *recipe);
    int result = -1;
    if (!book || !recipe)
        snprintf(error, error_bytes, "out of memory");
    else {
        book->generator = generator;
        result = read_builtin(book, recipe, error, error_bytes);
    }
    if (result == 0 && dir[0] != '\0')
        result = read_dir(book, recipe, dir, error, error_bytes);
    free(recipe);
    if (result == 0)
        return book;
    book_free(book);
    return NULL;
}

void book_free(struct book *book)
{
    for (size_t k = 0; book && k < book->count; k++) {
        generations_free(book->entry[k].generations);
        free(book->entry[k].text);
    }
    if (book)
        free(book->entry);
    free(book);
}

const struct recipe *book_find(const struct book *book, const char *name, size_t bytes)
{
    char wanted[RECIPE_NAME_BYTES + 1] = "";
    if (bytes >= sizeof wanted || memchr(name, '\0', bytes))
        return NULL;
    memcpy(wanted, name, bytes);
    const struct entry *entry = book_entry(book, wanted);
    return entry ? entry->generations->usual : NULL;
}

const struct recipe *book_at(const struct book *book, size_t k)
{
    return k < book->count ? book->entry[k].generations->usual : NULL;
}

const char *book_text(const struct book *book, const struct recipe *recipe, size_t *bytes)
{
    const struct entry *entry = book_entry(book, recipe->name);
    CHECK(entry);
    if (entry->text) {
        *bytes = entry->text_bytes;
        return entry->text;
    }
    size_t found = 0;
    int last = 0; /* the least that is not below the recipe's generator: what that had */
    for (size_t k = 0; book_builtin_name(k); k++) {
        const int its = book_builtin_last(k);
        if (strcmp(book_builtin_name(k), recipe->name) == 0 && its >= recipe->world.generator &&
            (last == 0 || its < last)) {
            found = k;
            last = its;
        }
    }
    CHECK(last);
    return book_builtin_text(found, bytes);
}
