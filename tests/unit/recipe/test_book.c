/*
 * The book of recipes (server/recipe/book.c, worlds.c): those that are built in, those of a directory, and what worlds of a
 * configuration may not name. What they are under each generator: tests/http/test_generators.py.
 *
 * Runs at the root of the repository and reads config/worlds.
 */
#include "../folder_kit.h"
#include "../recipe_json_kit.h"

#include <dirent.h>

#include "../../../server/recipe/worlds.h"

static int is_recipe(const struct dirent *entry)
{
    return strstr(entry->d_name, ".json") != NULL;
}

/* The newest generator's texts, and older ones, which are those of config/worlds/N, from the newest on. */
TEST(test_book_is_the_folders)
{
    static char text[TERRANE_RECIPE_TEXT_MAX];
    size_t k = 0;
    for (int n = TERRANE_GENERATOR_VERSION + 1; n >= 0; n--) {
        struct dirent **entry;
        char of[20] = ".", path[400];
        if (n <= TERRANE_GENERATOR_VERSION)
            snprintf(of, sizeof of, "%d", n);
        snprintf(path, sizeof path, "config/worlds/%s", of);
        const int count = scandir(path, &entry, is_recipe, alphasort);
        assert_true(count >= 5 || n <= TERRANE_GENERATOR_VERSION);
        for (int i = 0; i < count; i++, k++) {
            size_t bytes;
            assert_non_null(book_builtin_name(k));
            snprintf(path, sizeof path, "config/worlds/%s/%s.json", of, book_builtin_name(k));
            assert_string_equal(strrchr(path, '/') + 1, entry[i]->d_name);
            const char *builtin = book_builtin_text(k, &bytes);
            FILE *const file = fopen(path, "rb");
            assert_non_null(file);
            assert_int_equal(fread(text, 1, sizeof text, file), bytes);
            fclose(file);
            assert_memory_equal(text, builtin, bytes);
            assert_int_equal(book_builtin_last(k),
                             n > TERRANE_GENERATOR_VERSION ? TERRANE_GENERATOR_VERSION : n);
            free(entry[i]);
        }
        if (count >= 0)
            free(entry);
    }
    assert_null(book_builtin_name(k));
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

/* What is refused of one: tests/http/test_reload_refused.py. */
TEST(test_book_of_a_directory)
{
    file_write(folder_path("mine", ".json"), "{\"height\": 3}", 13);
    file_write(folder_path("desert", ".json"), "{\"height\": 4}", 13);
    file_write(folder_path("README", ".md"), "no recipe", 9);
    struct book *book = book_open(folder, 0, error, sizeof error);
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
}

/* What they are, and which of them a new generator would change: tests/http/test_recipes.py, test_generators.py. */
TEST(test_worlds_of_no_recipe)
{
    static const struct {
        const char *text, *message;
    } row[] = {
        {"{\"worlds\": {\"default\": \"desrt\"}}",
         "worlds.default: there is no recipe \"desrt\"; did you mean \"desert\"?"},
        {"{\"worlds\": {\"named\": {\"home\": {\"seed\": 1, \"recipe\": \"mountains\"}}}}",
         "worlds.named.home.recipe: there is no recipe \"mountains\": allowed alpine, archipelago, badlands, "
         "continents, desert, wayfarer"},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        struct config config;
        struct worlds worlds;
        assert_int_equal(config_load(&config, NULL, error, sizeof error), 0);
        assert_int_equal(
            config_parse(&config, row[i].text, strlen(row[i].text), "c.json", error, sizeof error), 0);
        assert_int_equal(worlds_open(&worlds, &config, error, sizeof error), -1);
        assert_string_equal(error, row[i].message);
        config_free(&config);
    }
}

GROUP(book, folder_make, folder_remove);
