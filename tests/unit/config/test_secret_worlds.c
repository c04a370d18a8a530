/*
 * Secret worlds: what names their tiles, and where that is drawn from. What is told of them: tests/http/test_access.py.
 */
#include "config_kit.h"

#include "../folder_kit.h"

#include "../../../server/service/settings.h"

/* Of worlds a and b, which are both 42, with a member of the configuration's before them. */
static struct settings *load(const char *member)
{
    const struct settings_source source = {.file = folder_path("c", ".json")};
    char text[256];

    const int bytes =
        snprintf(text, sizeof text, "{%s \"named\": {\"a\": 42, \"b\": 42}, \"open\": false}}", member);
    file_write(source.file, text, (size_t)bytes);
    return settings_load(&source, NULL, NULL, NULL, 0, error, sizeof error);
}

static struct terrane_world world_of(const struct settings *settings, const char *name)
{
    const struct recipe *recipe;
    struct tile_key key = {0};
    struct terrane_world world;

    assert_true(worlds_named(&settings->worlds, name, strlen(name), &key, &recipe));
    assert_string_equal(key.alias->name, name);
    assert_true(settings_allow_world(settings, &key, recipe));
    alias_world_init(&world, &recipe->world, key.seed, key.alias);
    return world;
}

/* Two names of one world are two worlds, neither is that of the number, and both are the same after another start. */
static void assert_hidden(const char *member)
{
    struct settings *settings = load(member);
    struct terrane_world plain;

    assert_non_null(settings);
    const struct terrane_world a = world_of(settings, "a"), b = world_of(settings, "b");
    terrane_world_init(&plain, &settings->worlds.standard->world, 42);
    assert_false(settings_allow_world(settings, &(struct tile_key){.seed = 42}, settings->worlds.standard));
    assert_true(a.seed == 42 && a.ids != b.ids && a.ids != 42);
    assert_memory_not_equal(&a.digest, &b.digest, sizeof a.digest);
    assert_memory_not_equal(&a.digest, &plain.digest, sizeof a.digest);
    refcount_release(&settings->references);
    settings = load(member);
    assert_non_null(settings);
    const struct terrane_world again = world_of(settings, "a");
    assert_memory_equal(&a.digest, &again.digest, sizeof a.digest);
    assert_true(a.ids == again.ids);
    refcount_release(&settings->references);
}

TEST(secret_of_the_caches_directory)
{
    char member[128], *const path = folder_path("new/cache/worlds-secret", "");
    struct stat status;

    snprintf(member, sizeof member, "\"cache\": {\"dir\": \"%s/new/cache\"}, \"worlds\": {", folder);
    assert_hidden(member);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(status.st_size, 65);
    assert_int_equal(unlink(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0); /* nothing else is left in it */
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
}

TEST(secret_of_the_process)
{
    assert_hidden("\"cache\": {\"disk_bytes\": 0}, \"log\": {\"level\": \"error\"}, \"worlds\": {");
}

TEST(secret_of_a_file)
{
    assert_null(load("\"worlds\": {\"secret_file\": \"/nonexistent/secret\","));
    assert_string_equal(error, "/nonexistent/secret: No such file or directory");
}

GROUP(secret_worlds, folder_make, folder_remove);
