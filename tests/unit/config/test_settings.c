/*
 * Settings: the order of sources, what holds between keys, the files that they name, and which worlds are open.
 */
#include "../unit.h"

#include "config_kit.h"

#include <unistd.h>

#include "../../../server/service/settings.h"

/* The hash of "test", written out. */
#define SHA256 "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

static char dir[] = "/tmp/test_settings.XXXXXX";

/* A file in the test's directory; its path. */
static const char *file_make(const char *name, const char *text)
{
    static char path[4][sizeof dir + 32];
    static unsigned turn;
    char *const at = path[turn++ % 4];

    snprintf(at, sizeof path[0], "%s/%s", dir, name);
    FILE *const file = fopen(at, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return at;
}

static struct settings *load(const char *text)
{
    const struct settings_source source = {.file = file_make("terrane.json", text)};

    error[0] = '\0';
    return settings_load(&source, error, sizeof error);
}

static struct settings *load_good(const char *text)
{
    struct settings *const settings = load(text);

    if (!settings)
        fail_msg("%s: %s", text, error);
    return settings;
}

/* Refused, in one line that has these words. */
static void assert_bad(const char *text, const char *words)
{
    if (load(text))
        fail_msg("%s is taken", text);
    if (!strstr(error, words) || strchr(error, '\n'))
        fail_msg("%s: \"%s\" says nothing of %s", text, error, words);
}

TEST(defaults)
{
    const struct settings_source nothing = {0};
    struct settings *const settings = settings_load(&nothing, error, sizeof error);

    assert_non_null(settings);
    assert_string_equal(settings->config.listen, "127.0.0.1:8080");
    assert_non_null(settings->worlds.standard);
    assert_ptr_equal(settings->worlds.config, &settings->config);
    assert_non_null(settings->proxies);
    assert_null(settings->keys);
    assert_null(settings->admin_token);
    assert_true(settings_allow_world(settings, 1, settings->worlds.standard));
    refcount_hold(&settings->references);
    refcount_release(&settings->references);
    assert_string_equal(settings->config.listen, "127.0.0.1:8080");
    refcount_release(&settings->references);
}

TEST(the_command_line_wins)
{
    struct settings_source source = {
        .file = file_make("terrane.json",
                          "{\"listen\": \"a:1\", \"admin\": \"b:2\", \"cache\": {\"dir\": \"/c\"}}"),
        .override = {{"listen", "--listen", "c:3"}, {"admin", "--admin", NULL}, {"cache.dir", "--cache", ""}},
    };
    struct settings *const settings = settings_load(&source, error, sizeof error);

    assert_non_null(settings);
    assert_string_equal(settings->config.listen, "c:3");
    assert_string_equal(settings->config.admin, "b:2");
    assert_string_equal(settings->config.cache.dir, "");
    refcount_release(&settings->references);

    source.override[3].key = "worlds.dir";
    source.override[3].value = "/nonexistent";
    assert_null(settings_load(&source, error, sizeof error));
    assert_non_null(strstr(error, "/nonexistent"));
    source.override[3].key = "listen";
    source.override[3].label = "--listen";
    assert_null(settings_load(&source, error, sizeof error));
    assert_non_null(strstr(error, "--listen: \"/nonexistent\" is no address"));
    source.file = "/nonexistent/terrane.json";
    assert_null(settings_load(&source, error, sizeof error));
    assert_string_equal(error, "/nonexistent/terrane.json: No such file or directory");
}

TEST(what_is_wrong_is_refused)
{
    assert_bad("{\"access\": {\"required\": true}}", "terrane.json: access.required: ");
    assert_bad("{\"worlds\": {\"default\": \"nowhere\"}}", "worlds.default");
    assert_bad("{\"access\": {\"keys_file\": \"/nonexistent/keys\"}}", "/nonexistent/keys");
    assert_bad("{\"access\": {\"admin_token_file\": \"/nonexistent/token\"}}", "/nonexistent/token");
    assert_bad("{\"http\": {\"trusted_proxies\": [\"10.0.0.0/33\"]}}", "http.trusted_proxies");
}

TEST(files)
{
    char text[512];

    snprintf(text, sizeof text,
             "{\"access\": {\"required\": true, \"keys_file\": \"%s\", \"admin_token_file\": \"%s\"}, "
             "\"http\": {\"trusted_proxies\": [\"10.0.0.0/8\"]}}",
             file_make("keys.json", "{\"keys\": [{\"name\": \"game\", \"sha256\": \"" SHA256 "\"}]}"),
             file_make("token", "0123456789abcdef\n"));
    struct settings *const settings = load_good(text);
    assert_non_null(settings->keys);
    assert_int_equal(keys_count(settings->keys), 1);
    assert_string_equal(settings->admin_token, "0123456789abcdef");
    refcount_release(&settings->references);
}

static const struct recipe *recipe_of(const struct settings *settings, const char *name)
{
    const struct recipe *const recipe = worlds_recipe(&settings->worlds, name, strlen(name));

    assert_non_null(recipe);
    return recipe;
}

TEST(closed_worlds)
{
    struct settings *settings =
        load_good("{\"worlds\": {\"open\": false, \"default\": \"desert\", \"named\": {\"home\": 42, "
                  "\"peaks\": {\"seed\": 7, \"recipe\": \"alpine\"}, \"more\": {\"seed\": 42, \"recipe\": "
                  "\"alpine\"}}}}");

    assert_true(settings_allow_world(settings, 42, recipe_of(settings, "desert")));
    assert_true(settings_allow_world(settings, 42, recipe_of(settings, "alpine")));
    assert_true(settings_allow_world(settings, 7, recipe_of(settings, "alpine")));
    assert_false(settings_allow_world(settings, 7, recipe_of(settings, "desert")));
    assert_false(settings_allow_world(settings, 42, recipe_of(settings, "continents")));
    assert_false(settings_allow_world(settings, 43, recipe_of(settings, "desert")));
    refcount_release(&settings->references);

    settings = load_good("{\"worlds\": {\"open\": false}}");
    assert_false(settings_allow_world(settings, 0, settings->worlds.standard));
    refcount_release(&settings->references);
    settings = load_good("{\"worlds\": {\"named\": {\"home\": 42}}}");
    assert_true(settings_allow_world(settings, 43, settings->worlds.standard));
    refcount_release(&settings->references);
}

static int directory_make(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int directory_remove(void **state)
{
    static const char *const names[] = {"terrane.json", "keys.json", "token"};
    char path[sizeof dir + 32];
    (void)state;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    return rmdir(dir);
}

GROUP(settings, directory_make, directory_remove);
