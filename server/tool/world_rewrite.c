/*
 * What writes a world's file anew: without what was undone, or for another generator.
 *
 * The new file is made in a directory beside it, checked as a server would, and takes the old one's place, which is renamed. Until then
 * nothing has changed.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../lib/terrane_make.h"
#include "../base/file_text.h"
#include "../recipe/recipe_json.h"
#include "world_tool.h"

enum { PLACES_MAX = 64, PATH_BYTES = 4300 };

struct rewriting {
    struct world_tool *tool;
    struct shared_store *from, *to;
    uint64_t count, settled; /* operations; those before the horizon */
    uint32_t *number;        /* of each its new one; 0: it is left out. NULL: all stay as they are */
    uint64_t kept, written;
    int64_t given; /* what compact keeps, or the generator */
    bool failed;
};

/* ---- Places ---------------------------------------------------------------------------------------------- */

/* Where the ground of two generators is compared: under operations, once in each square of 256 samples. */
struct places {
    int64_t x[PLACES_MAX], y[PLACES_MAX]; /* samples of level 0 */
    size_t count, more;
};

static bool note_place(void *context, const struct shared_edit *edit)
{
    struct places *places = context;
    const int64_t x = edit->entry.edit.x / TERRANE_EDIT_PARTS, y = edit->entry.edit.y / TERRANE_EDIT_PARTS;
    if (edit->entry.undoes || edit->entry.edit.brush == TERRANE_BRUSH_MARK)
        return true;
    for (size_t k = 0; k < places->count; k++)
        if ((places->x[k] >> 8) == (x >> 8) && (places->y[k] >> 8) == (y >> 8))
            return true;
    places->more += places->count == PLACES_MAX;
    if (places->count < PLACES_MAX) {
        places->x[places->count] = x;
        places->y[places->count++] = y;
    }
    return true;
}

/* A recipe's ground at a place, without operations; NAN: it cannot be made. */
static double height_at(const struct recipe *recipe, uint64_t seed, int64_t x, int64_t y)
{
    const struct terrane_window window = {.gi = x, .gj = y, .step = 1, .width = 1, .height = 1};
    struct terrane_world world;
    float height;
    terrane_world_init(&world, &recipe->world, seed);
    if (terrane_make(&world, &window, TERRANE_LAYER_HEIGHT, TERRANE_VARIANT_CARVED, NULL, NULL, &height) != 0)
        return NAN;
    return (double)height;
}

static bool read_recipe(struct world_tool *tool, struct recipe *recipe, const char *text, int generator)
{
    char why[RECIPE_ERROR_BYTES];
    if (recipe_parse(recipe, text, strlen(text), tool->name, why, sizeof why) != 0)
        text_print(tool->error, sizeof tool->error, "%s", why);
    else if (recipe->world.generator == generator)
        return true;
    else
        text_print(tool->error, sizeof tool->error, "this program does not have generator %d", generator);
    return false;
}

/* Lists where ground moved under operations. */
static bool list_moved(struct rewriting *rewriting, const char *text, int generator)
{
    const struct shared_seed *seed = shared_store_seed(rewriting->from);
    static struct recipe was, is;
    struct world_tool *tool = rewriting->tool;
    struct places places = {.count = 0};
    size_t moved = 0;
    if (!read_recipe(tool, &is, text, generator))
        return false;
    if (!read_recipe(tool, &was, seed->text, seed->generator)) {
        printf("what ground was cannot be told: %s\n", tool->error);
        return true;
    }
    if (shared_store_read(rewriting->from, 0, SHARED_ALL, note_place, &places, tool->error,
                          sizeof tool->error) < 0)
        return false;
    for (size_t k = 0; k < places.count; k++) {
        const double old = height_at(&was, seed->seed, places.x[k], places.y[k]);
        const double new = height_at(&is, seed->seed, places.x[k], places.y[k]);
        if (old == new)
            continue;
        moved++;
        printf("%.9g,%.9g: %.9g m, was %.9g m\n", (double)places.x[k] * was.world.spacing_m,
               (double)places.y[k] * was.world.spacing_m, new, old);
    }
    printf("ground moved under operations in %zu of %zu squares of 256 samples%s\n", moved, places.count,
           places.more ? "; there are more, which were not looked at" : "");
    return true;
}

/* ---- Copying --------------------------------------------------------------------------------------------- */

/* Of an operation that undoes another one before the horizon: both are left out. number: 1 for all others. */
static bool note_undone(void *context, const struct shared_edit *edit)
{
    struct rewriting *rewriting = context;
    if (edit->number > rewriting->settled)
        return false;
    if (edit->entry.undoes)
        rewriting->number[edit->number] = rewriting->number[edit->entry.undoes] = 0;
    return true;
}

static bool choose(struct rewriting *rewriting)
{
    struct world_tool *tool = rewriting->tool;
    uint32_t next = 0;
    rewriting->number = malloc((rewriting->count + 1) * sizeof *rewriting->number);
    if (!rewriting->number) {
        text_print(tool->error, sizeof tool->error, "out of memory");
        return false;
    }
    for (uint64_t k = 0; k <= rewriting->count; k++)
        rewriting->number[k] = 1;
    if (rewriting->settled > 0 &&
        shared_store_read(rewriting->from, 0, (int64_t)rewriting->settled, note_undone, rewriting,
                          tool->error, sizeof tool->error) < 0)
        return false;
    for (uint64_t k = 1; k <= rewriting->count; k++)
        rewriting->number[k] = rewriting->number[k] ? ++next : 0;
    rewriting->kept = next;
    return true;
}

static bool copy(void *context, const struct shared_edit *edit)
{
    struct rewriting *rewriting = context;
    const uint32_t *number = rewriting->number;
    struct shared_edit one = *edit;
    if (number && number[edit->number] == 0)
        return true;
    one.number = ++rewriting->written;
    one.entry.undoes = number && edit->entry.undoes ? number[edit->entry.undoes] : edit->entry.undoes;
    rewriting->failed = shared_store_put(rewriting->to, &one) != 0;
    return !rewriting->failed;
}

static bool copy_all(struct rewriting *rewriting)
{
    struct world_tool *tool = rewriting->tool;
    const bool begun = shared_store_begin(rewriting->to) == 0;
    const bool read = begun && shared_store_read(rewriting->from, 0, SHARED_ALL, copy, rewriting, tool->error,
                                                 sizeof tool->error) >= 0;
    if (read && !rewriting->failed && shared_store_commit(rewriting->to) == 0)
        return true;
    if (!begun || rewriting->failed || read)
        text_print(tool->error, sizeof tool->error, "the new file could not be written");
    return false;
}

/* ---- Files ----------------------------------------------------------------------------------------------- */

/* Makes the new file in its directory, of this recipe, and fills it. */
static bool make(struct rewriting *rewriting, const char *dir, const struct shared_seed *seed)
{
    struct world_tool *tool = rewriting->tool;
    shared_remove(dir, tool->name); /* of one that was cut off */
    if (shared_create(dir, tool->name, seed, tool->error, sizeof tool->error) != 0)
        return false;
    rewriting->to = shared_store_open(dir, tool->name, true, tool->error, sizeof tool->error);
    bool filled = rewriting->to && copy_all(rewriting);
    if (filled && shared_store_settle(rewriting->to) != 0) {
        text_print(tool->error, sizeof tool->error, "the new file could not be written");
        filled = false;
    }
    shared_store_close(rewriting->to);
    return filled && shared_check(dir, tool->name, tool->error, sizeof tool->error) >= 0;
}

/* The new file in the old one's place. */
static bool swap(struct rewriting *rewriting, const char *dir)
{
    struct world_tool *tool = rewriting->tool;
    char from[PATH_BYTES], to[PATH_BYTES], epoch[SHARED_EPOCH_BYTES + 1];
    snprintf(epoch, sizeof epoch, "%s", shared_store_epoch(rewriting->from));
    shared_store_close(rewriting->from);
    rewriting->from = NULL;
    snprintf(from, sizeof from, "%s/%s.world", dir, tool->name);
    snprintf(to, sizeof to, "%s/%s.world", tool->dir, tool->name);
    if (shared_link_aside(tool->dir, tool->name, epoch, tool->error, sizeof tool->error) != 0)
        return false;
    if (rename(from, to) == 0) {
        shared_remove(dir, tool->name); /* what SQLite has left beside it */
        rmdir(dir);
        return true;
    }
    text_print(tool->error, sizeof tool->error, "%s: %s", to, strerror(errno));
    return false;
}

/* Writes the world anew: of this recipe's text and generator, or, NULL, of its own, without what was undone. */
static bool rewrite(struct rewriting *rewriting, const char *text, int generator)
{
    struct world_tool *tool = rewriting->tool;
    struct shared_seed seed = *shared_store_seed(rewriting->from);
    char dir[PATH_BYTES - 80];
    if (snprintf(dir, sizeof dir, "%s/rewriting", tool->dir) >= (int)sizeof dir ||
        directories_make(dir, 0700) != 0) {
        text_print(tool->error, sizeof tool->error, "%s: %s", tool->dir, strerror(errno));
        return false;
    }
    if (text) {
        seed.text = text;
        seed.bytes = strlen(text);
        seed.generator = generator;
    }
    if (make(rewriting, dir, &seed) && swap(rewriting, dir))
        return true;
    shared_remove(dir, tool->name);
    rmdir(dir);
    return false;
}

/* Opens the world, whose directory is held, and has it rewritten; the exit status. */
static int with_world(struct world_tool *tool, int64_t given, bool (*run)(struct rewriting *rewriting))
{
    struct rewriting rewriting = {.tool = tool, .given = given};
    const int lock = shared_hold(tool->dir, tool->error, sizeof tool->error);
    /* To write, so that nothing of it is left beside the file when it is closed. */
    if (lock >= 0)
        rewriting.from = shared_store_open(tool->dir, tool->name, true, tool->error, sizeof tool->error);
    const bool good = rewriting.from && run(&rewriting);
    shared_store_close(rewriting.from);
    free(rewriting.number);
    if (lock >= 0)
        close(lock);
    return good ? 0 : world_fail(tool);
}

/* A number that is given, or standard; false, after a line. */
static bool read_number(struct world_tool *tool, const char *option, const char *text, int64_t max,
                        int64_t *number)
{
    if (!text || (text_integer(text, number) && *number >= 0 && *number <= max))
        return true;
    text_print(tool->error, sizeof tool->error, "%s=%s: allowed 0 .. %" PRId64, option, text, max);
    world_fail(tool);
    return false;
}

static bool compact(struct rewriting *rewriting)
{
    struct world_tool *tool = rewriting->tool;
    const int64_t keep = rewriting->given;
    /* The last row's number says how many there are only where all of them are. */
    if (shared_check(tool->dir, tool->name, tool->error, sizeof tool->error) < 0)
        return false;
    rewriting->count = shared_store_count(rewriting->from);
    /* Without a horizon every operation may be undone still, but those that are: these stay undone. */
    rewriting->settled = rewriting->count > (uint64_t)keep ? rewriting->count - (uint64_t)keep : 0;
    if (!choose(rewriting))
        return false;
    if (rewriting->kept == rewriting->count) {
        printf("%s: %" PRIu64 " operations, none to leave out: it stays as it is\n", tool->name,
               rewriting->count);
        return true;
    }
    if (!rewrite(rewriting, NULL, 0))
        return false;
    printf("%s: %" PRIu64 " operations, %" PRIu64 " left out\n", tool->name, rewriting->written,
           rewriting->count - rewriting->written);
    return true;
}

static bool rebase(struct rewriting *rewriting)
{
    struct world_tool *tool = rewriting->tool;
    const struct shared_seed *seed = shared_store_seed(rewriting->from);
    const int64_t generator = rewriting->given;
    if (seed->generator == generator) {
        printf("%s: it is of generator %d already\n", tool->name, seed->generator);
        return true;
    }
    char *text = world_pinned_text(tool, seed->text, seed->bytes, (int)generator);
    const bool good =
        text && list_moved(rewriting, text, (int)generator) && rewrite(rewriting, text, (int)generator);
    free(text);
    if (good)
        printf("%s: generator %d, %" PRIu64 " operations\n", tool->name, (int)generator, rewriting->written);
    return good;
}

int world_compact(struct world_tool *tool)
{
    int64_t keep = (int64_t)tool->config.worlds.undo_edits;
    return read_number(tool, "keep", tool->keep, SHARED_WORLD_EDITS_MAX, &keep)
               ? with_world(tool, keep, compact)
               : 2;
}

int world_rebase(struct world_tool *tool)
{
    int64_t generator = TERRANE_GENERATOR_VERSION;
    return read_number(tool, "generator", tool->generator, TERRANE_GENERATOR_VERSION, &generator)
               ? with_world(tool, generator, rebase)
               : 2;
}
