/*
 * A recipe, from its text to a struct that the library has accepted.
 *
 *     document_read      what the document says by itself: sizes, zones, relief, erosion, lakes, paths, caves
 *     roots_build        the height and what it rests on, and the partition's terms: all that makes the world
 *     unused_check       each remaining term on its own, so that a mistake in it is found; it is dropped then
 *     recipe_accept      cost, and terrane_recipe_init as the last guard
 */
#include "recipe_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file_text.h"
#include "recipe_build.h"

/* ---- The document -------------------------------------------------------------------------------------- */

static const char *const document_words[] = {
    "$schema",   "name",  "description", "note",          "spacing_m", "range_m", "sea_m", "terms", "height",
    "partition", "zones", "relief",      "alias_octaves", "erosion",   "lakes",   "paths", "caves", NULL};

static int terms_check(const struct reader *reader, json_t *terms)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyz",
                      more[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    if (!terms)
        return 0;
    if (!json_is_object(terms))
        return reader_refuse(reader, &build_terms, "is not an object");
    if (json_object_size(terms) > BUILD_NAMED_MOST)
        return reader_refuse(reader, &build_terms, "%zu terms: allowed at most %d", json_object_size(terms),
                             BUILD_NAMED_MOST);
    for (void *at = json_object_iter(terms); at; at = json_object_iter_next(terms, at)) {
        const char *name = json_object_iter_key(at);
        const struct place place = {&build_terms, name, 0};
        if (strlen(name) > 23 || strspn(name, first) == 0 || name[strspn(name, more)] != '\0')
            return reader_refuse(reader, &place, "is no name of a term: allowed [a-z][a-z0-9_-]{0,22}");
        if (strcmp(name, "zones") == 0)
            return reader_refuse(reader, &place, "\"zones\" means the zones' surfaces already");
    }
    return 0;
}

/* [low, high], the second above the first. */
static int pair_read(const struct reader *reader, const char *key, const struct place *up,
                     const json_t *value, double least, double most, const char *what, float *low,
                     float *high)
{
    const struct place place = {up, key, 0}, first = {&place, NULL, 0}, second = {&place, NULL, 1};
    float a, b;
    if (!value)
        return 0;
    if (reader_array(reader, &place, value, 2, 2, what) != 0 ||
        reader_float(reader, &first, json_array_get(value, 0), least, most, &a) != 0 ||
        reader_float(reader, &second, json_array_get(value, 1), least, most, &b) != 0)
        return -1;
    if (!((double)b - (double)a >= 0x1p-10))
        return reader_refuse(reader, &second, "%.7g is not above %.7g by 1/1024 or more", (double)b,
                             (double)a);
    *low = a;
    *high = b;
    return 0;
}

static int relief_read(struct build *build, json_t *value)
{
    static const char *const words[] = {"water", "steep", "note", NULL};
    static const struct terrane_gradient water = {
        .stops = 3, .stop = {{0, {126, 178, 201}}, {200, {62, 118, 168}}, {4000, {20, 44, 92}}}};
    struct terrane_recipe *recipe = &build->recipe;
    const struct place place = {&build_root, "relief", 0}, at_water = {&place, "water", 0};
    recipe->water = water;
    recipe->steep_low = 0.5f;
    recipe->steep_high = 1;
    if (!value)
        return 0;
    if (reader_object(build->reader, &place, value, words) != 0 ||
        build_gradient(build, &at_water, json_object_get(value, "water"), &recipe->water) != 0)
        return -1;
    return pair_read(build->reader, "steep", &place, json_object_get(value, "steep"), 0, 1024,
                     "slopes (rise over run), low and high", &recipe->steep_low, &recipe->steep_high);
}

static int document_read(struct build *build, json_t *root, char description[RECIPE_DESCRIPTION_BYTES])
{
    const struct reader *reader = build->reader;
    struct terrane_recipe *recipe = &build->recipe;
    char name[80];
    const struct {
        const char *key;
        char *out;
        size_t bytes;
    } text[] = {{"name", name, sizeof name}, {"description", description, RECIPE_DESCRIPTION_BYTES}};
    *recipe = (struct terrane_recipe){.spacing_m = 1, .low_m = -4096, .high_m = 4096};
    if (reader_object(reader, &build_root, root, document_words) != 0)
        return -1;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const struct place place = {&build_root, text[i].key, 0};
        const json_t *value = json_object_get(root, text[i].key);
        if (value && reader_text(reader, &place, value, text[i].out, text[i].bytes) != 0)
            return -1;
    }
    const struct place alias = {&build_root, "alias_octaves", 0};
    const json_t *flag = json_object_get(root, "alias_octaves");
    if (flag && !json_is_boolean(flag))
        return reader_refuse(reader, &alias, "is neither true nor false");
    recipe->alias_octaves = json_is_true(flag);
    if (reader_member_number(reader, &build_root, root, "spacing_m", 0x1p-10, 0x1p20, &recipe->spacing_m) !=
            0 ||
        reader_member_float(reader, &build_root, root, "sea_m", -32768, 32768, &recipe->sea_m) != 0 ||
        pair_read(reader, "range_m", &build_root, json_object_get(root, "range_m"), -32768, 32768,
                  "heights, low and high", &recipe->low_m, &recipe->high_m) != 0 ||
        relief_read(build, json_object_get(root, "relief")) != 0 ||
        terms_check(reader, json_object_get(root, "terms")) != 0)
        return -1;
    build->named = json_object_get(root, "terms");
    build->zones = json_object_get(root, "zones");
    build->partition = json_object_get(root, "partition");
    return build_zones_read(build) != 0 || build_erosion_read(build, root) != 0
               ? -1
               : build_paths_read(build, root);
}

/* ---- Terms --------------------------------------------------------------------------------------------- */

/* The height is the last term. Where the partition has made it already, a copy of it is. */
static int height_build(struct build *build, json_t *root)
{
    const struct place place = {&build_root, "height", 0};
    json_t *value = json_object_get(root, "height");
    if (!value)
        return reader_refuse(build->reader, &place, "is missing: the term that is the height, in metres");
    const int index = build_term(build, &place, value);
    if (index < 0 || index == build->recipe.terms - 1)
        return index < 0 ? -1 : 0;
    const struct terrane_term copy = {.op = TERRANE_OP_SUM, .inputs = 1, .in = {index}, .factor = {1}};
    return build_append(build, &place, root, &copy) < 0 ? -1 : 0;
}

/*
 * All that makes the world. A height that asks for the zones brings the partition's terms with it; where it does not,
 * they are made first, since the height is the last.
 */
static int roots_build(struct build *build, const struct build *clean, json_t *root)
{
    if (height_build(build, root) != 0)
        return -1;
    if (build->zones_term >= 0 || build->recipe.partition.zones == 1)
        return 0;
    *build = *clean;
    return build_partition_terms(build) != 0 ? -1 : height_build(build, root);
}

/* Makes one value as if it were all there is, and forgets it. clean: what document_read left. */
static int alone_check(const struct build *clean, const struct place *place, json_t *value)
{
    struct build build = *clean;
    return build_term(&build, place, value) < 0 ? -1 : 0;
}

static bool is_made(const struct build *build, const json_t *value)
{
    for (int i = 0; i < build->recipe.terms; i++)
        if (build->made[i] == value)
            return true;
    return false;
}

static int unused_check(const struct build *build, const struct build *clean)
{
    for (void *at = json_object_iter(build->named); at; at = json_object_iter_next(build->named, at)) {
        const struct place place = {&build_terms, json_object_iter_key(at), 0};
        json_t *value = json_object_iter_value(at);
        if (!is_made(build, value) && alone_check(clean, &place, value) != 0)
            return -1;
    }
    struct build rest = *clean;
    if (build->partition && build->recipe.partition.zones == 1 && build_partition_terms(&rest) != 0)
        return -1;
    rest = *clean;
    return build->zones && build->zones_term < 0 && build_zones_term(&rest, &build_root) < 0 ? -1 : 0;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

/* The line is about what is dearest, and tells the rest. */
static int seconds_check(const struct build *build, const struct terrane_recipe *world)
{
    double seconds[RECIPE_PARTS];
    const double whole = recipe_tile_seconds(world, seconds);
    int dearest = 0, n = 0;
    char parts[128] = "";
    for (int part = 0; part < RECIPE_PARTS; part++) {
        dearest = seconds[part] > seconds[dearest] ? part : dearest;
        if (seconds[part] >= 0.05)
            n += snprintf(parts + n, sizeof parts - (size_t)n, "%s%s %.1f", n > 0 ? ", " : "",
                          recipe_part_name[part], seconds[part]);
    }
    const struct place place = {&build_root, recipe_part_name[dearest], 0};
    if (whole <= RECIPE_SECONDS_LIMIT)
        return 0;
    return reader_refuse(
        build->reader, &place,
        "a tile that nothing is kept of takes %.1f s with scalar kernels: allowed at most %d; %s", whole,
        RECIPE_SECONDS_LIMIT, parts);
}

static int costs_check(const struct build *build, struct recipe *recipe)
{
    const struct terrane_recipe *world = &recipe->world;
    const double erosion = cost_of_erosion(world), lakes = cost_of_lakes(world);
    char parts[80] = "";
    recipe->cost = recipe_cost(world);
    if (erosion + lakes > 0)
        snprintf(parts, sizeof parts, "; erosion counts %.0f, lakes %.0f", erosion, lakes);
    if (recipe->cost > RECIPE_COST_LIMIT)
        return reader_refuse(build->reader, &build_root,
                             "costs as much as %.0f octaves of lattice noise: allowed at most %d%s",
                             recipe->cost, RECIPE_COST_LIMIT, parts);
    return seconds_check(build, world);
}

/* Surfaces of zones that no term asks for are dropped with the rest that is unused. */
static int recipe_accept(struct build *build, struct recipe *recipe)
{
    int where = -1;
    recipe->world = build->recipe;
    for (int k = 0; build->zones_term < 0 && k < recipe->world.partition.zones; k++)
        recipe->world.partition.zone[k].term = -1;
    const int error = terrane_recipe_init(&recipe->world, &where);
    if (error == TERRANE_EEROSION)
        return build_erosion_refuse(build);
    if (error) {
        const char *at = where < 0 || where >= build->recipe.terms ? "" : build->where[where];
        return reader_refuse(build->reader, &build_root, "%s%s%s", at, at[0] ? ": " : "",
                             terrane_error_text(error));
    }
    return costs_check(build, recipe);
}

static int document_build(const struct reader *reader, json_t *root, struct recipe *recipe)
{
    struct build *build = calloc(2, sizeof *build);
    int result = -1;
    if (!build)
        return reader_refuse(reader, &build_root, "out of memory");
    build->reader = reader;
    build->zones_term = -1;
    if (document_read(build, root, recipe->description) != 0)
        goto out;
    build[1] = build[0];
    if (roots_build(build, &build[1], root) != 0 || unused_check(build, &build[1]) != 0)
        goto out;
    result = recipe_accept(build, recipe);
out:
    free(build);
    return result;
}

int recipe_parse(struct recipe *recipe, const char *text, size_t bytes, const char *file, char *error,
                 size_t error_bytes)
{
    const struct reader reader = {file, error, error_bytes};
    struct recipe *fresh;
    json_error_t trouble;
    int result = -1;
    if (bytes > RECIPE_TEXT_BYTES)
        return reader_refuse(&reader, &build_root, "the text is too large: allowed at most %d bytes",
                             RECIPE_TEXT_BYTES);
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &trouble);
    if (!root)
        return reader_refuse(&reader, &build_root, "line %d, column %d: %s", trouble.line, trouble.column,
                             trouble.text);
    fresh = calloc(1, sizeof *fresh);
    if (fresh)
        result = document_build(&reader, root, fresh);
    else
        reader_refuse(&reader, &build_root, "out of memory");
    if (result == 0)
        *recipe = *fresh;
    free(fresh);
    json_decref(root);
    return result;
}

int recipe_load(struct recipe *recipe, const char *path, char *error, size_t error_bytes)
{
    const struct reader reader = {path, error, error_bytes};
    char why[80];
    size_t bytes;
    char *text = file_text(path, RECIPE_TEXT_BYTES, &bytes, why, sizeof why);
    if (!text)
        return reader_refuse(&reader, &build_root, "%s", why);
    const int result = recipe_parse(recipe, text, bytes, path, error, error_bytes);
    free(text);
    return result;
}
