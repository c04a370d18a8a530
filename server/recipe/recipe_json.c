/*
 * Recipes of files: read by the library, and refused where they cost too much.
 */
#include "recipe_json.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file_text.h"
#include "../base/text.h"
#include "../raster/raster_set.h"

/* Where messages go, and what is named in front of them. */
struct report {
    const char *file;
    char *error;
    size_t error_bytes;
};

/* Writes "FILE: what" as one printable line. Returns -1. */
__attribute__((format(printf, 2, 3))) static int refuse(const struct report *report, const char *format, ...)
{
    char what[TERRANE_REFUSAL_BYTES];
    va_list arguments;

    va_start(arguments, format);
    text_print_list(what, sizeof what, format, arguments);
    va_end(arguments);
    text_print(report->error, report->error_bytes, "%s: %s", report->file, what);
    return -1;
}

/* The line is about what is dearest, and tells the rest. */
static int seconds_check(const struct terrane_recipe *world, const struct report *report)
{
    double seconds[TERRANE_PARTS];
    const double whole = terrane_recipe_seconds(world, NULL, seconds);
    int dearest = 0, n = 0;
    char parts[128] = "";
    for (int part = 0; part < TERRANE_PARTS; part++) {
        dearest = seconds[part] > seconds[dearest] ? part : dearest;
        if (seconds[part] >= 0.05)
            n += snprintf(parts + n, sizeof parts - (size_t)n, "%s%s %.1f", n > 0 ? ", " : "",
                          terrane_part_name[part], seconds[part]);
    }
    if (whole <= RECIPE_SECONDS_LIMIT)
        return 0;
    return refuse(
        report,
        "/%s: a tile that nothing is kept of takes %.1f s with scalar kernels: allowed at most %d; %s",
        terrane_part_name[dearest], whole, RECIPE_SECONDS_LIMIT, parts);
}

static int costs_check(struct recipe *recipe, const struct report *report)
{
    const struct terrane_recipe *world = &recipe->world;
    struct terrane_cost cost;
    char parts[120] = "";
    terrane_recipe_cost(world, &cost);
    recipe->cost = cost.sample;
    if (cost.erosion + cost.lakes + cost.objects > 0)
        snprintf(parts, sizeof parts, "; erosion counts %.0f, lakes %.0f, objects %.0f", cost.erosion,
                 cost.lakes, cost.objects);
    if (recipe->cost > RECIPE_COST_LIMIT)
        return refuse(report, "costs as much as %.0f octaves of lattice noise: allowed at most %d%s",
                      recipe->cost, RECIPE_COST_LIMIT, parts);
    return recipe->shipped ? 0 : seconds_check(world, report);
}

/* Of a text that the library has taken. It is read a second time only if it may say one: few do. */
static bool says_generator(const char *text, size_t bytes)
{
    if (!memmem(text, bytes, "generator", strlen("generator")) && !memchr(text, '\\', bytes))
        return false;
    json_t *root = json_loadb(text, bytes, 0, NULL);
    const bool says = json_object_get(root, "generator") != NULL;
    json_decref(root);
    return says;
}

/* Where the files stand that a text names, and those that have been read. */
struct folder {
    const char *path;
    struct raster_set *set;
};

static const struct terrane_raster *raster_of(void *user, const char *name, char *why, size_t why_bytes)
{
    struct folder *folder = user;
    if (!folder->set)
        folder->set = raster_set_create();
    if (folder->set)
        return raster_set_get(folder->set, folder->path, name, why, why_bytes);
    snprintf(why, why_bytes, "out of memory");
    return NULL;
}

/* path: of the folder beside the text; NULL: it may name no files. */
static int recipe_read(struct recipe *recipe, const char *text, size_t bytes, const char *path,
                       const struct report *report)
{
    char line[TERRANE_REFUSAL_BYTES];
    struct folder folder = {.path = path};
    const struct terrane_files files = {raster_of, &folder};
    const int error = terrane_recipe_parse(text, bytes, path ? &files : NULL, NULL, &recipe->world,
                                           recipe->description, line, sizeof line);
    recipe->rasters = folder.set ? &folder.set->references : NULL;
    if (error != 0)
        return refuse(report, "%s", line);
    recipe->pins = says_generator(text, bytes);
    return costs_check(recipe, report);
}

static int parse_beside(struct recipe *recipe, const char *text, size_t bytes, const char *path, bool shipped,
                        const struct report *report)
{
    struct recipe *fresh = calloc(1, sizeof *fresh);
    if (fresh)
        fresh->shipped = shipped;
    const int result =
        fresh ? recipe_read(fresh, text, bytes, path, report) : refuse(report, "out of memory");
    if (fresh && result == 0)
        *recipe = *fresh;
    else if (fresh)
        recipe_drop(fresh);
    free(fresh);
    return result;
}

int recipe_parse(struct recipe *recipe, const char *text, size_t bytes, const char *file, char *error,
                 size_t error_bytes)
{
    const struct report report = {file, error, error_bytes};
    return parse_beside(recipe, text, bytes, NULL, false, &report);
}

int recipe_parse_shipped(struct recipe *recipe, const char *text, size_t bytes, const char *file, char *error,
                         size_t error_bytes)
{
    const struct report report = {file, error, error_bytes};
    return parse_beside(recipe, text, bytes, NULL, true, &report);
}

int recipe_load_text(struct recipe *recipe, const char *path, char **text, size_t *bytes, char *error,
                     size_t error_bytes)
{
    const struct report report = {path, error, error_bytes};
    char why[80];
    char *read = file_text(path, TERRANE_RECIPE_TEXT_MAX, bytes, why, sizeof why);
    if (!read)
        return refuse(&report, "%s", why);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const int result = folder ? parse_beside(recipe, read, *bytes, folder, false, &report)
                              : refuse(&report, "out of memory");
    free(folder);
    if (result != 0) {
        free(read);
        return -1;
    }
    *text = read;
    return 0;
}

int recipe_load(struct recipe *recipe, const char *path, char *error, size_t error_bytes)
{
    char *text = NULL;
    size_t bytes;
    const int result = recipe_load_text(recipe, path, &text, &bytes, error, error_bytes);
    free(text);
    return result;
}
