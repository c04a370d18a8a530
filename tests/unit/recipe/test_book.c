/*
 * The book of recipes (server/recipe/book.c, worlds.c): those that are built in, those of a directory, and
 * the worlds that a configuration names.
 *
 * Runs at the root of the repository and reads config/worlds.
 */
#include "recipe_json_kit.h"

#include <dirent.h>
#include <unistd.h>

#include "../../../server/recipe/worlds.h"

static int is_recipe(const struct dirent *entry)
{
    return strstr(entry->d_name, ".json") != NULL;
}

TEST(test_book_is_the_folder)
{
    struct dirent **entry;
    const int count = scandir("config/worlds", &entry, is_recipe, alphasort);
    assert_true(count >= 5);
    for (int k = 0; k < count; k++) {
        char path[400], name[300];
        struct recipe shipped;
        assert_non_null(book_builtin_name((size_t)k));
        snprintf(name, sizeof name, "%s.json", book_builtin_name((size_t)k));
        assert_string_equal(entry[k]->d_name, name);
        snprintf(path, sizeof path, "config/worlds/%s", name);
        if (recipe_load(&shipped, path, error, sizeof error) != 0)
            fail_msg("%s", error);
        assert_true(strlen(shipped.description) > 20);
        size_t bytes;
        const char *text = book_builtin_text((size_t)k, &bytes);
        assert_int_equal(recipe_parse(&recipe, text, bytes, name, error, sizeof error), 0);
        assert_memory_equal(&recipe.world.digest, &shipped.world.digest, sizeof recipe.world.digest);
        free(entry[k]);
    }
    free(entry);
    assert_null(book_builtin_name((size_t)count));
}

TEST(test_default_is_continents)
{
    static struct terrane_recipe shipped;
    struct book *book = book_open("", error, sizeof error);
    assert_non_null(book);
    const struct recipe *continents = book_find(book, "continents", 10);
    assert_non_null(continents);
    terrane_recipe_default(&shipped);
    if (memcmp(&shipped.digest, &continents->world.digest, sizeof shipped.digest) != 0)
        fail_msg("terrane_recipe_default is not config/worlds/continents.json");
    book_free(book);
}

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

TEST(test_book_of_a_directory)
{
    char dir[] = "/tmp/terrane-book-XXXXXX", path[200], expected[300];
    assert_non_null(mkdtemp(dir));
    write_file(dir, "mine.json", "{\"height\": 3}");
    write_file(dir, "desert.json", "{\"height\": 4}");
    write_file(dir, "README.md", "no recipe");
    struct book *book = book_open(dir, error, sizeof error);
    assert_non_null(book);
    assert_non_null(book_find(book, "alpine", 6));
    assert_null(book_find(book, "alpin", 5));
    assert_null(book_find(book, "alpine", 5));
    assert_null(book_find(book, "alpine\0", 7));
    assert_null(book_find(book, "", 0));
    assert_string_equal(book_find(book, "mineral", 4)->name, "mine");
    assert_true(book_find(book, "desert", 6)->world.term[0].offset == 4);
    for (size_t k = 1; book_at(book, k); k++)
        assert_true(strcmp(book_at(book, k - 1)->name, book_at(book, k)->name) < 0);
    book_free(book);

    write_file(dir, "bad.json", "{\"height\": \"x\"}");
    assert_null(book_open(dir, error, sizeof error));
    snprintf(expected, sizeof expected, "%s/bad.json: /height: there is no term \"x\", nor any other", dir);
    assert_string_equal(error, expected);
    write_file(dir, "bad.json", "{\"height\": 1}");
    write_file(dir, "Bad.json", "{\"height\": 1}");
    assert_null(book_open(dir, error, sizeof error));
    assert_non_null(strstr(error, "/Bad.json: is no name of a recipe: allowed [a-z][a-z0-9-]{0,63}.json"));
    const char *const names[] = {"mine.json", "desert.json", "README.md", "bad.json", "Bad.json"};
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
    assert_null(book_open(dir, error, sizeof error));
    assert_non_null(strstr(error, "No such file or directory"));
}

static int open_with(struct worlds *worlds, struct config *config, const char *text)
{
    assert_int_equal(config_load(config, NULL, error, sizeof error), 0);
    assert_int_equal(config_parse(config, text, strlen(text), "c.json", error, sizeof error), 0);
    return worlds_open(worlds, config, error, sizeof error);
}

TEST(test_worlds)
{
    struct config config;
    struct worlds worlds;
    const struct recipe *found = NULL;
    struct tile_key key = {0};
    assert_int_equal(open_with(&worlds, &config,
                               "{\"worlds\": {\"default\": \"desert\", \"named\": {\"home\": 42, "
                               "\"peaks\": {\"seed\": \"7\", \"recipe\": \"alpine\"}}}}"),
                     0);
    assert_string_equal(worlds.standard->name, "desert");
    assert_true(worlds_named(&worlds, "home", 4, &key, &found));
    assert_true(key.seed == 42 && !key.alias && found == worlds.standard);
    assert_true(worlds_named(&worlds, "peaks", 5, &key, &found));
    assert_true(key.seed == 7 && found == worlds_recipe(&worlds, "alpine", 6));
    assert_false(worlds_named(&worlds, "peak", 4, &key, &found));
    worlds_close(&worlds);
    config_free(&config);

    assert_int_equal(open_with(&worlds, &config, "{\"worlds\": {\"default\": \"desrt\"}}"), -1);
    assert_string_equal(error, "worlds.default: there is no recipe \"desrt\"; did you mean \"desert\"?");
    config_free(&config);
    assert_int_equal(
        open_with(&worlds, &config,
                  "{\"worlds\": {\"named\": {\"home\": {\"seed\": 1, \"recipe\": \"mountains\"}}}}"),
        -1);
    assert_string_equal(
        error, "worlds.named.home.recipe: there is no recipe \"mountains\": allowed alpine, archipelago, "
               "badlands, continents, desert, wayfarer");
    config_free(&config);
}

GROUP(book);
