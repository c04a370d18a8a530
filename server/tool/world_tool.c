/*
 * terrane world: worlds that people change, as files.
 *
 * What is exported is the log itself, in integers: a line of JSON for what the world is made of, and one for each operation.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/file_text.h"
#include "tool.h"
#include "world_tool.h"

static const char usage[] =
    "usage: terrane world create NAME --seed SEED --recipe RECIPE | FILE.json [options]\n"
    "       terrane world list [options]\n"
    "       terrane world check | export NAME [options]\n"
    "       terrane world import NAME [options] <FILE\n"
    "       terrane world compact NAME [--keep N] [options]\n"
    "       terrane world rebase NAME [--generator N] [options]\n\n"
    "Worlds that people change: what they are made of, and what was done to them, a file each.\n\n"
    "  create   makes one; its recipe, seed and generator stay\n"
    "  list     names, seeds, generators, and how many operations there are\n"
    "  check    reads all of one, and says what is damaged\n"
    "  export   writes one as lines of JSON, to standard output\n"
    "  import   makes one of such lines, from standard input\n"
    "  compact  leaves out what was undone, and the undos, unless the undo is one of the last N operations;\n"
    "           the ground stays as it is\n"
    "  rebase   moves one to another generator, and lists where ground moved under operations\n\n"
    "compact and rebase want the server of the directory to be stopped. The world is another one then (its "
    "epoch): the old file is kept\n"
    "beside it, as NAME.world.aside-EPOCH-TIME. Where nothing is left out or moves, it stays as it is.\n\n"
    "  --keep N        of compact (default: worlds.undo_edits of the configuration)\n"
    "  --generator N   of rebase (default: the newest)\n"
    "  --dir DIR       where worlds are (default: worlds.shared_dir of the configuration)\n"
    "  --config FILE   the configuration\n";

int world_fail(const struct world_tool *tool)
{
    fprintf(stderr, "terrane world: %s\n", tool->error);
    return 1;
}

/* Whether a file is called as a world's is, whose name is left then. */
static bool cut_ending(char *file)
{
    char *const end = strrchr(file, '.');
    const bool is_world = end && end > file && strcmp(end, ".world") == 0;
    if (is_world)
        *end = 0;
    return is_world;
}

/* ---- Making ---------------------------------------------------------------------------------------------- */

/* A recipe's text with the generator that makes it, so that it goes on doing so. Owned; NULL, and the error says why. */
char *world_pinned_text(struct world_tool *tool, const char *text, size_t bytes, int generator)
{
    json_t *root = json_loadb(text, bytes, 0, NULL);
    char *pinned = NULL;
    if (root && json_object_set_new(root, "generator", json_integer(generator)) == 0)
        pinned = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    if (!pinned)
        snprintf(tool->error, sizeof tool->error, "out of memory");
    return pinned;
}

/* Of the book, or of a file. */
static char *recipe_text(struct world_tool *tool, int *generator)
{
    static struct recipe loaded;
    const struct recipe *recipe = &loaded;
    char *file = NULL, *pinned;
    const char *text;
    size_t bytes;
    if (tool_is_file(tool->recipe)) {
        if (recipe_load_text(&loaded, tool->recipe, &file, &bytes, tool->error, sizeof tool->error) != 0)
            return NULL;
        text = file;
    } else {
        recipe = book_find(tool->worlds.book, tool->recipe, strlen(tool->recipe));
        if (!recipe) {
            text_print(tool->error, sizeof tool->error, "--recipe: there is no recipe %s", tool->recipe);
            return NULL;
        }
        text = book_text(tool->worlds.book, recipe, &bytes);
    }
    *generator = recipe->world.generator;
    if (file && !loaded.pins && tool->config.worlds.generator)
        *generator = (int)tool->config.worlds.generator; /* as the book has it */
    pinned = world_pinned_text(tool, text, bytes, *generator);
    free(file);
    return pinned;
}

/* Whether the configuration's server has the tool's directory, however its path is written. */
static bool is_configured(const struct world_tool *tool)
{
    struct stat its, ours;
    const char *dir = tool->config.worlds.shared_dir;
    return *dir && stat(dir, &its) == 0 && stat(tool->dir, &ours) == 0 && its.st_dev == ours.st_dev &&
           its.st_ino == ours.st_ino;
}

/* Whether a server starts with one world more in the directory, of that name. */
static bool may_make(struct world_tool *tool)
{
    DIR *dir = opendir(tool->dir);
    int count = 0;
    if (!dir) {
        text_print(tool->error, sizeof tool->error, "%s: %s", tool->dir, strerror(errno));
        return false;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += cut_ending(entry->d_name);
    closedir(dir);
    if (count >= SHARED_WORLDS_MAX)
        text_print(tool->error, sizeof tool->error,
                   "%s: there are %d worlds, and no server takes more than %d", tool->dir, count,
                   SHARED_WORLDS_MAX);
    else if (tool->name && config_world_find(&tool->config, tool->name, strlen(tool->name)) &&
             is_configured(tool))
        text_print(tool->error, sizeof tool->error, "%s: worlds.named has a world of that name", tool->name);
    else
        return true;
    return false;
}

/* Whether a server can serve what was made; else it is taken away again. */
static bool is_kept(struct world_tool *tool)
{
    if (shared_check(tool->dir, tool->name, tool->error, sizeof tool->error) >= 0)
        return true;
    shared_remove(tool->dir, tool->name);
    return false;
}

static int create(struct world_tool *tool)
{
    struct shared_seed seed = {.seed = 0};
    if (!tool->seed || !text_seed(tool->seed, &seed.seed) || !tool->recipe) {
        fputs("terrane world: create needs --seed and --recipe (see terrane world --help)\n", stderr);
        return 2;
    }
    char *text = recipe_text(tool, &seed.generator);
    if (!text)
        return world_fail(tool);
    seed.text = text;
    seed.bytes = strlen(text);
    const int result = shared_create(tool->dir, tool->name, &seed, tool->error, sizeof tool->error);
    free(text);
    return result == 0 && is_kept(tool) ? 0 : world_fail(tool);
}

/* ---- Telling --------------------------------------------------------------------------------------------- */

static int tell(struct world_tool *tool, const char *name)
{
    struct shared_store *store = shared_store_open(tool->dir, name, false, tool->error, sizeof tool->error);
    if (!store)
        return world_fail(tool);
    const struct shared_seed *seed = shared_store_seed(store);
    printf("%-24s seed %" PRIu64 ", generator %d, %" PRIu64 " operations\n", name, seed->seed,
           seed->generator, shared_store_count(store));
    shared_store_close(store);
    return 0;
}

static int list(struct world_tool *tool)
{
    DIR *dir = opendir(tool->dir);
    int status = 0;
    if (!dir) {
        text_print(tool->error, sizeof tool->error, "%s: %s", tool->dir, strerror(errno));
        return world_fail(tool);
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (cut_ending(entry->d_name))
            status |= tell(tool, entry->d_name);
    closedir(dir);
    return status;
}

static int check(struct world_tool *tool)
{
    const int64_t count = shared_check(tool->dir, tool->name, tool->error, sizeof tool->error);
    if (count < 0)
        return world_fail(tool);
    printf("%s: good, %" PRId64 " operations\n", tool->name, count);
    return 0;
}

/* ---- Copying --------------------------------------------------------------------------------------------- */

static bool print_line(json_t *line)
{
    char *text = line ? json_dumps(line, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    const bool ok = text && puts(text) >= 0;
    json_decref(line);
    free(text);
    return ok;
}

/* count: how many there are: what is written meanwhile is none of it. */
struct exported {
    uint64_t count, written;
};

static bool export_one(void *context, const struct shared_edit *edit)
{
    struct exported *exported = context;
    char *text = edit->number <= exported->count ? shared_line(edit) : NULL;
    const bool ok = text && puts(text) >= 0;
    exported->written += ok;
    free(text);
    return ok;
}

static int export(struct world_tool *tool)
{
    struct shared_store *store =
        shared_store_open(tool->dir, tool->name, false, tool->error, sizeof tool->error);
    if (!store)
        return world_fail(tool);
    const struct shared_seed *seed = shared_store_seed(store);
    const uint64_t count = shared_store_count(store);
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, seed->seed);
    const bool ok =
        print_line(json_pack("{s:i, s:s, s:i, s:s, s:I}", "terrane_world", 1, "seed", number, "generator",
                             seed->generator, "recipe", seed->text, "count", (json_int_t)count));
    struct exported exported = {.count = count};
    const int64_t read =
        ok ? shared_store_read(store, 0, SHARED_ALL, export_one, &exported, tool->error, sizeof tool->error)
           : 0;
    shared_store_close(store);
    if (read < 0)
        return world_fail(tool);
    if (fflush(stdout) != 0 || ferror(stdout))
        text_print(tool->error, sizeof tool->error, "standard output: %s", strerror(errno));
    else if (!ok || exported.written < count)
        text_print(tool->error, sizeof tool->error, "out of memory");
    else
        return 0;
    return world_fail(tool);
}

/* Of the first line: makes the world's file. count: how many operations there are to be; -1: it is of before that was said. */
static bool import_head(struct world_tool *tool, const char *text, json_int_t *count)
{
    json_t *line = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    struct shared_seed seed = {.seed = 0};
    const char *number;
    int version;
    const bool good =
        line &&
        json_unpack(line, "{s:i, s:s, s:i, s:s, s?I !}", "terrane_world", &version, "seed", &number,
                    "generator", &seed.generator, "recipe", &seed.text, "count", count) == 0 &&
        version == 1 && text_seed(number, &seed.seed);
    bool made = false;
    if (good) {
        seed.bytes = strlen(seed.text);
        made = shared_create(tool->dir, tool->name, &seed, tool->error, sizeof tool->error) == 0;
    } else
        snprintf(tool->error, sizeof tool->error, "line 1 is not that of an exported world");
    json_decref(line);
    return made;
}

static bool import_lines(struct world_tool *tool, struct shared_store *store, json_int_t whole)
{
    char *text = NULL;
    size_t room = 0;
    uint64_t count = 0;
    struct shared_edit edit;
    struct terrane_path_point line[TERRANE_EDIT_WAY_POINTS];
    bool good = shared_store_begin(store) == 0;
    while (good && getline(&text, &room, stdin) > 0) {
        good = shared_line_read(text, strlen(text), line, &edit) && edit.number == count + 1 &&
               edit.entry.undoes <= count;
        if (!good)
            text_print(tool->error, sizeof tool->error, "line %" PRIu64 " is no operation of that place",
                       count + 2);
        else if (!(good = shared_store_put(store, &edit) == 0))
            text_print(tool->error, sizeof tool->error, "operation %" PRIu64 " could not be written",
                       count + 1);
        count++;
    }
    free(text);
    if (good && whole >= 0 && count != (uint64_t)whole) {
        text_print(tool->error, sizeof tool->error,
                   "there are %" PRIu64 " operations of %" JSON_INTEGER_FORMAT ": it was cut off", count,
                   whole);
        good = false;
    }
    if (good && shared_store_commit(store) != 0) {
        text_print(tool->error, sizeof tool->error, "what was read could not be written");
        good = false;
    }
    if (!good) {
        shared_store_rollback(store);
    } else if (shared_store_settle(store) != 0) {
        text_print(tool->error, sizeof tool->error, "what was read could not be written");
        good = false;
    }
    return good;
}

/* Makes it of what standard input has, in the tool's directory. */
static bool import_whole(struct world_tool *tool)
{
    char *text = NULL;
    size_t room = 0;
    json_int_t count = -1;
    const bool head = getline(&text, &room, stdin) > 0 && import_head(tool, text, &count);
    free(text);
    struct shared_store *store =
        head ? shared_store_open(tool->dir, tool->name, true, tool->error, sizeof tool->error) : NULL;
    const bool good = store && import_lines(tool, store, count);
    shared_store_close(store);
    if (!good && !*tool->error)
        snprintf(tool->error, sizeof tool->error, "standard input is empty");
    return good && is_kept(tool);
}

/* In a directory of its own until it is whole: no server begins with a part of it. */
static int import(struct world_tool *tool)
{
    char *const dir = tool->dir;
    char within[4096];
    if (!shared_is_free(dir, tool->name, tool->error, sizeof tool->error))
        return world_fail(tool);
    if (snprintf(within, sizeof within, "%s/importing.XXXXXX", dir) >= (int)sizeof within ||
        !mkdtemp(within)) {
        text_print(tool->error, sizeof tool->error, "%s: %s", dir, strerror(errno));
        return world_fail(tool);
    }
    tool->dir = within;
    const bool made =
        import_whole(tool) && shared_move(within, dir, tool->name, tool->error, sizeof tool->error) == 0;
    tool->dir = dir;
    shared_remove(within, tool->name);
    rmdir(within);
    return made ? 0 : world_fail(tool);
}

/* ---- The command ----------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*run)(struct world_tool *tool);
    bool named, makes;
} verb[] = {{"create", create, true, true},       {"list", list, false, false},
            {"check", check, true, false},        {"export", export, true, false},
            {"import", import, true, true},       {"compact", world_compact, true, false},
            {"rebase", world_rebase, true, false}};

static int run(struct world_tool *tool, const char *word)
{
    for (size_t k = 0; k < sizeof verb / sizeof *verb; k++) {
        if (strcmp(verb[k].name, word) != 0 || verb[k].named != (tool->name != NULL))
            continue;
        if (verb[k].makes && directories_make(tool->dir, 0700) != 0) {
            text_print(tool->error, sizeof tool->error, "%s: %s", tool->dir, strerror(errno));
            return world_fail(tool);
        }
        return verb[k].makes && !may_make(tool) ? world_fail(tool) : verb[k].run(tool);
    }
    fputs(
        "terrane world: create NAME, list, check NAME, export NAME, import NAME, compact NAME or rebase NAME "
        "(see terrane world --help)\n",
        stderr);
    return 2;
}

/* Of the options that are one verb's alone. false, after a line: another verb is given one. */
static bool takes_options(const struct world_tool *tool, const char *word)
{
    const struct {
        const char *option, *value, *verb, *more;
    } of[] = {{"seed", tool->seed, "create", ""},
              {"recipe", tool->recipe, "create", ""},
              {"keep", tool->keep, "compact", ""},
              {"generator", tool->generator, "rebase", "; create takes the recipe's, else worlds.generator"}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        if (of[k].value && strcmp(of[k].verb, word) != 0) {
            fprintf(stderr, "terrane world: --%s is of %s%s\n", of[k].option, of[k].verb, of[k].more);
            return false;
        }
    return true;
}

static int with_config(struct world_tool *tool, const char *dir, const char *word)
{
    int status = 2;
    if (config_environment_load(&tool->config, tool->config_file, tool->error, sizeof tool->error) != 0) {
        world_fail(tool);
        return status;
    }
    if (worlds_open(&tool->worlds, &tool->config, tool->error, sizeof tool->error) != 0) {
        config_free(&tool->config);
        world_fail(tool);
        return status;
    }
    tool->dir = strdup(dir ? dir : tool->config.worlds.shared_dir);
    if (tool->dir && *tool->dir == 0)
        fputs("terrane world: --dir is missing, and worlds.shared_dir names no directory\n", stderr);
    else if (tool->dir)
        status = run(tool, word);
    else {
        text_print(tool->error, sizeof tool->error, "out of memory");
        status = world_fail(tool);
    }
    free(tool->dir);
    worlds_close(&tool->worlds);
    config_free(&tool->config);
    return status;
}

int world_command(int argc, char **argv)
{
    static struct world_tool tool;
    const char *word[2] = {NULL, NULL}, *dir = NULL;
    const struct option_spec specs[] = {{"seed", 0, &tool.seed, NULL},
                                        {"recipe", 0, &tool.recipe, NULL},
                                        {"dir", 0, &dir, NULL},
                                        {"config", 0, &tool.config_file, NULL},
                                        {"keep", 0, &tool.keep, NULL},
                                        {"generator", 0, &tool.generator, NULL},
                                        {0}};
    int words;
    const int ended = options_read("world", usage, argc, argv, specs, word, 2, &words);
    if (ended != OPTIONS_FINE)
        return ended;
    if (words == 0 || tool_init() != 0) {
        fputs("terrane world: create, list, check, export, import, compact or rebase? (see terrane world "
              "--help)\n",
              stderr);
        return 2;
    }
    tool.name = words > 1 ? word[1] : NULL;
    return takes_options(&tool, word[0]) ? with_config(&tool, dir, word[0]) : 2;
}
