/*
 * Words of a command line as a target.
 */
#include "tool_target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../access/keys.h"
#include "../config/config.h"
#include "../service/world_secret.h"
#include "tool.h"

/* Adds text with everything that has a meaning in a target escaped. */
static void add_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (strchr("/?&=%.+", *text) || *text <= ' ' || *text > '~')
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
        else
            fputc(*text, out);
}

char *tool_target_text(const char *const *segments, size_t segment_count, const char *ending,
                       const struct tool_parameter *parameters, size_t parameter_count)
{
    char *text = NULL, mark = '?';
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    for (size_t i = 0; i < segment_count; i++) {
        fputc('/', out);
        add_escaped(out, segments[i]);
    }
    if (ending) {
        fputc('.', out);
        add_escaped(out, ending);
    }
    for (size_t i = 0; i < parameter_count; i++)
        if (parameters[i].value) {
            fprintf(out, "%c%s=", mark, parameters[i].name);
            add_escaped(out, parameters[i].value);
            mark = '&';
        }
    return text_end(out, &text);
}

/* The seed of a named world, whatever its recipe. */
static bool seed_named(const void *worlds, const char *name, size_t bytes, struct tile_key *key,
                       const struct recipe **recipe)
{
    const struct recipe *its = NULL;
    (void)recipe;
    return worlds_named(worlds, name, bytes, key, &its);
}

/* A world that people change has its seed and all that was done to it in its file: the name is no seed's. */
static const char *people_change(const void *context, const char *name, size_t bytes)
{
    enum { PATH_BYTES = 4200 };
    const char *dir = ((const struct worlds *)context)->config->worlds.shared_dir;
    char path[PATH_BYTES];
    if (!*dir || snprintf(path, sizeof path, "%s/%.*s.world", dir, (int)bytes, name) >= (int)sizeof path)
        return NULL;
    if (access(path, F_OK) == 0)
        return "is that of a world that people change (worlds.shared_dir): only its server makes it";
    return errno == ENOENT || errno == ENOTDIR
               ? NULL
               : "may be that of a world that people change: worlds.shared_dir cannot be read";
}

static int open_recipe(struct tool_names *names, const char *file, char *error, size_t error_bytes)
{
    struct recipe *recipe = calloc(1, sizeof *recipe);
    if (recipe && recipe_load(recipe, file, error, error_bytes) != 0) {
        free(recipe);
        return -1;
    }
    names->file = recipe ? generations_make(recipe, TERRANE_GENERATOR_OLDEST, TERRANE_GENERATOR_VERSION,
                                            (int)names->config.worlds.generator)
                         : NULL;
    if (recipe)
        recipe_drop(recipe);
    free(recipe);
    if (!names->file) {
        snprintf(error, error_bytes, "out of memory");
        return -1;
    }
    names->target.standard = names->file->usual;
    names->target.world = seed_named;
    return 0;
}

int tool_names_open(struct tool_names *names, const char *command, const char *config, const char *recipe)
{
    char error[CONFIG_ERROR_BYTES];
    _Static_assert((int)CONFIG_ERROR_BYTES >= (int)RECIPE_ERROR_BYTES, "either fits");
    *names = (struct tool_names){0};
    char note[HOST_LIMITS_NOTE_BYTES];
    if (config_environment_load(&names->config, config, error, sizeof error) == 0 &&
        worlds_open(&names->worlds, &names->config, error, sizeof error) == 0) {
        names->target = (struct target_names){.world = worlds_named,
                                              .recipe = worlds_recipe,
                                              .context = &names->worlds,
                                              .standard = names->worlds.standard,
                                              .away = people_change};
        config_environment_warn();
        host_limits_read(&names->limits);
        host_limits_fit(&names->limits, &names->config, note); /* budgets, without a word */
        if (!tool_is_file(recipe) || open_recipe(names, recipe, error, sizeof error) == 0)
            return 0;
    }
    fprintf(stderr, "terrane %s: %s\n", command, error);
    tool_names_close(names);
    return -1;
}

void tool_names_close(struct tool_names *names)
{
    generations_free(names->file);
    names->file = NULL;
    worlds_close(&names->worlds);
    config_free(&names->config);
}

void tool_target_read(struct target *target, const char *text, const struct tool_names *names)
{
    target_parse(target, text, strlen(text), &names->target);
    target_name_recipe(&target->key, target->recipe, names->target.standard);
}

static const struct config_world *secret_of(const struct target *target, const struct tool_names *names)
{
    const struct config_world *world = config_world_find(&names->config, target->name, strlen(target->name));
    return world && config_world_is_secret(world) ? world : NULL;
}

bool tool_target_is_secret(const struct target *target, const struct tool_names *names)
{
    return secret_of(target, names) != NULL;
}

/* One that is drawn now is no server's yet, which is told. */
static char *read_secret(const struct config *config, const char *command, bool makes, char *error,
                         size_t error_bytes)
{
    char *secret = world_secret_read(config, false, error, error_bytes);
    if (secret || !makes)
        return secret;
    secret = world_secret_read(config, true, error, error_bytes);
    if (secret)
        fprintf(stderr,
                "terrane %s: a new secret was drawn beside the cache: names and ids are those of no server "
                "whose cache is elsewhere (cache.dir, TERRANE_CACHE_DIR) or that has worlds.secret_file\n",
                command);
    return secret;
}

int tool_target_hide(struct target *target, struct tool_names *names, const char *command, bool makes)
{
    enum { REFUSED = 2 };
    const struct config_world *world = secret_of(target, names);
    char error[CONFIG_ERROR_BYTES];
    if (!world)
        return 0;
    if (target->recipe !=
        recipe_under(worlds_recipe_of(&names->worlds, world), target->recipe->world.generator)) {
        if (!makes)
            return 0;
        fprintf(
            stderr,
            "terrane %s: a secret world has its own recipe alone: for another one, say the seed in place of "
            "the name\n",
            command);
        return REFUSED;
    }
    char *secret = read_secret(&names->config, command, makes, error, sizeof error);
    if (!secret && !makes) {
        fprintf(stderr, "terrane %s: %s: ids are not those of the server, and the seed is told\n", command,
                error);
        return 0;
    }
    const int result = secret ? worlds_hide(&names->worlds, secret, error, sizeof error) : -1;
    secret_free(secret);
    const struct recipe *recipe;
    if (result != 0) {
        fprintf(stderr, "terrane %s: %s\n", command, error);
        return 1;
    }
    worlds_named(&names->worlds, target->name, strlen(target->name), &target->key, &recipe);
    target->key.generator = target->recipe->world.generator; /* as target_name_recipe of a server has it */
    return 0;
}
