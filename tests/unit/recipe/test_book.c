/*
 * The book of recipes (server/recipe/book.c, worlds.c): those that are built in, those of a directory, and
 * the worlds that a configuration names.
 *
 * Runs at the root of the repository and reads config/worlds.
 */
#include "../recipe_json_kit.h"

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
    for (size_t k = 0; k < (size_t)count; k++)
        assert_int_equal(book_builtin_last(k), TERRANE_GENERATOR_VERSION);
}

/* Older texts are those of config/worlds/N, from the newest generator to the oldest. */
TEST(test_older_texts_are_the_folders)
{
    size_t k = 0;
    while (book_builtin_name(k) && book_builtin_last(k) == TERRANE_GENERATOR_VERSION)
        k++;
    for (int n = TERRANE_GENERATOR_VERSION; n >= 0; n--) {
        struct dirent **entry;
        char path[400];
        snprintf(path, sizeof path, "config/worlds/%d", n);
        const int count = scandir(path, &entry, is_recipe, alphasort);
        for (int i = 0; i < count; i++, k++) {
            assert_non_null(book_builtin_name(k));
            assert_int_equal(book_builtin_last(k), n);
            snprintf(path, sizeof path, "%s.json", book_builtin_name(k));
            assert_string_equal(entry[i]->d_name, path);
            free(entry[i]);
        }
        if (count >= 0)
            free(entry);
    }
    assert_null(book_builtin_name(k));
}

/* They are within the limits of cost, which is not looked at again where they are read. */
TEST(what_ships_is_within_the_limits)
{
    for (size_t k = 0; book_builtin_name(k); k++) {
        size_t bytes;
        const char *text = book_builtin_text(k, &bytes);
        if (recipe_parse(&recipe, text, bytes, book_builtin_name(k), error, sizeof error) != 0)
            fail_msg("of generator %d: %s", book_builtin_last(k), error);
        assert_false(recipe.shipped);
    }
}

static void assert_differ(const struct recipe *a, const struct recipe *b)
{
    assert_memory_not_equal(&a->world.digest, &b->world.digest, sizeof a->world.digest);
}

/* What a name means under each generator: there is a world of it for every one, and none is another's. */
static void check_kept(const struct book *book, const char *name, int usual)
{
    const struct recipe *found = book_find(book, name, strlen(name));
    assert_non_null(found);
    assert_int_equal(found->world.generator, usual);
    for (int n = TERRANE_GENERATOR_OLDEST; n <= TERRANE_GENERATOR_VERSION; n++) {
        const struct recipe *kept = recipe_under(found, n);
        assert_non_null(kept);
        assert_int_equal(kept->world.generator, n);
        assert_string_equal(kept->name, name);
        assert_true(kept->usual == (n == usual) && (kept == found) == (n == usual));
        assert_ptr_equal(recipe_under(kept, usual), found);
        if (n != usual)
            assert_differ(kept, found);
    }
}

TEST(test_default_is_continents)
{
    static struct terrane_recipe shipped;
    struct book *book = book_open("", 0, error, sizeof error);
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

TEST(test_recipes_under_generators)
{
    char dir[] = "/tmp/terrane-book-XXXXXX", text[80], path[200];
    const int oldest = TERRANE_GENERATOR_OLDEST, newest = TERRANE_GENERATOR_VERSION;
    assert_non_null(mkdtemp(dir));
    write_file(dir, "loose.json", "{\"height\": 3}");
    snprintf(text, sizeof text, "{\"height\": 3, \"generator\": %d}", oldest);
    write_file(dir, "old.json", text);
    for (int standard = 0; standard <= newest; standard += standard ? 1 : oldest) {
        const int usual = standard ? standard : newest;
        struct book *book = book_open(dir, standard, error, sizeof error);
        assert_non_null(book);
        check_kept(book, "loose", usual);
        check_kept(book, "continents", usual);
        check_kept(book, "old", oldest);
        assert_true(book_find(book, "old", 3)->pins && !book_find(book, "loose", 5)->pins);
        book_free(book);
    }
    snprintf(text, sizeof text, "{\"height\": 3, \"generator\": %d}", oldest - 1);
    write_file(dir, "old.json", text);
    assert_null(book_open(dir, 0, error, sizeof error));
    snprintf(text, sizeof text, "/generator: %d is not a whole number from %d to %d", oldest - 1, oldest,
             newest);
    assert_non_null(strstr(error, text));
    snprintf(path, sizeof path, "%s/old.json", dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/loose.json", dir);
    unlink(path);
    rmdir(dir);
}

TEST(test_book_of_a_directory)
{
    char dir[] = "/tmp/terrane-book-XXXXXX", path[200], expected[300];
    assert_non_null(mkdtemp(dir));
    write_file(dir, "mine.json", "{\"height\": 3}");
    write_file(dir, "desert.json", "{\"height\": 4}");
    write_file(dir, "README.md", "no recipe");
    struct book *book = book_open(dir, 0, error, sizeof error);
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
    assert_null(book_open(dir, 0, error, sizeof error));
    snprintf(expected, sizeof expected, "%s/bad.json: /height: there is no term \"x\", nor any other", dir);
    assert_string_equal(error, expected);
    write_file(dir, "bad.json", "{\"height\": 1}");
    write_file(dir, "Bad.json", "{\"height\": 1}");
    assert_null(book_open(dir, 0, error, sizeof error));
    assert_non_null(strstr(error, "/Bad.json: is no name of a recipe: allowed [a-z][a-z0-9-]{0,63}.json"));
    const char *const names[] = {"mine.json", "desert.json", "README.md", "bad.json", "Bad.json"};
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
    assert_null(book_open(dir, 0, error, sizeof error));
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
    char names[64];
    assert_int_equal(worlds_unpinned(&worlds, names, sizeof names), 2);
    assert_string_equal(names, "home, peaks");
    worlds_close(&worlds);
    config_free(&config);

    snprintf(names, sizeof names, "%d", TERRANE_GENERATOR_OLDEST);
    char text[160];
    snprintf(text, sizeof text,
             "{\"worlds\": {\"named\": {\"home\": 42, \"peaks\": {\"seed\": 7, \"recipe\": \"alpine\", "
             "\"generator\": %s}}}}",
             names);
    assert_int_equal(open_with(&worlds, &config, text), 0);
    assert_true(worlds_named(&worlds, "peaks", 5, &key, &found));
    assert_int_equal(found->world.generator, TERRANE_GENERATOR_OLDEST);
    assert_ptr_equal(found, recipe_under(worlds_recipe(&worlds, "alpine", 6), TERRANE_GENERATOR_OLDEST));
    assert_int_equal(worlds_unpinned(&worlds, names, sizeof names), 1);
    assert_string_equal(names, "home");
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
