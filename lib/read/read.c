/*
 * A recipe, from its text to a struct that terrane_recipe_init has accepted.
 *
 *     document_read      what the document says by itself: sizes, zones, relief, erosion, rivers, lakes, ...
 *     roots_build        the height, the climate's ground, the rivers' runoff, what cover and objects ask, what they rest on, and the partition's terms:
 *                        all that makes the world
 *     unused_check       each remaining term on its own, so that a mistake in it is found; it is forgotten then
 *     recipe_accept      the roots once more, and terrane_recipe_init as the last guard
 */
#include <string.h>

#include "../base/lend.h"
#include "build.h"

/* ---- The document -------------------------------------------------------------------------------------- */

static int terms_check(const struct reader *reader, const struct value *terms)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyz",
                      more[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    if (!terms)
        return 0;
    if (!value_is(terms, VALUE_OBJECT))
        return reader_refuse(reader, &build_terms, "is not an object");
    if (terms->count > BUILD_NAMED_MAX)
        return reader_refuse(reader, &build_terms, "%zu terms: allowed at most %d", (size_t)terms->count,
                             BUILD_NAMED_MAX);
    for (const struct value *at = terms->first; at; at = at->next) {
        const struct place place = {&build_terms, at->key, 0};
        if (strlen(at->key) > 23 || !reader_is_name(at->key, first, more))
            return reader_refuse(reader, &place, "is no name of a term: allowed [a-z][a-z0-9_-]{0,22}");
        if (strcmp(at->key, "zones") == 0)
            return reader_refuse(reader, &place, "\"zones\" means the zones' surfaces already");
    }
    return 0;
}

/* [low, high], the second above the first. */
static int pair_read(const struct reader *reader, const char *key, const struct place *up,
                     const struct value *value, double min, double max, const char *what, float *low,
                     float *high)
{
    const struct place place = {up, key, 0}, first = {&place, NULL, 0}, second = {&place, NULL, 1};
    float a, b;
    if (!value)
        return 0;
    if (reader_array(reader, &place, value, 2, 2, what) != 0 ||
        reader_float(reader, &first, value_item(value, 0), min, max, &a) != 0 ||
        reader_float(reader, &second, value_item(value, 1), min, max, &b) != 0)
        return -1;
    if (!((double)b - (double)a >= 0x1p-10))
        return reader_refuse(reader, &second, "%.7g is not above %.7g by 1/1024 or more", (double)b,
                             (double)a);
    *low = a;
    *high = b;
    return 0;
}

static int relief_read(struct build *build, const struct value *value)
{
    static const struct terrane_gradient water = {
        .stops = 3, .stop = {{0, {126, 178, 201}}, {200, {62, 118, 168}}, {4000, {20, 44, 92}}}};
    struct terrane_recipe *recipe = &build->recipe;
    const struct place place = {&build_root, "relief", 0}, at_water = {&place, "water", 0};
    recipe->water = water;
    recipe->steep_low = 0.5f;
    recipe->steep_high = 1;
    if (!value)
        return 0;
    if (members_object(build->reader, &place, value, &relief_members) != 0 ||
        build_gradient(build, &at_water, value_get(value, "water"), &recipe->water) != 0)
        return -1;
    return pair_read(build->reader, "steep", &place, value_get(value, "steep"), 0, 1024,
                     "slopes (rise over run), low and high", &recipe->steep_low, &recipe->steep_high);
}

static int texts_read(const struct build *build, char description[TERRANE_DESCRIPTION_BYTES])
{
    char name[80];
    const struct {
        const char *key;
        char *out;
        size_t bytes;
    } text[] = {{"name", name, sizeof name}, {"description", description, TERRANE_DESCRIPTION_BYTES}};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const struct place place = {&build_root, text[i].key, 0};
        const struct value *value = value_get(build->root, text[i].key);
        if (value && reader_text(build->reader, &place, value, text[i].out, text[i].bytes) != 0)
            return -1;
    }
    return 0;
}

static int document_read(struct build *build, char description[TERRANE_DESCRIPTION_BYTES])
{
    const struct reader *reader = build->reader;
    const struct value *root = build->root;
    struct terrane_recipe *recipe = &build->recipe;
    const struct place alias = {&build_root, "alias_octaves", 0};
    const struct value *flag = value_get(root, "alias_octaves");
    *recipe = (struct terrane_recipe){.low_m = -4096, .high_m = 4096};
    members_default(&recipe_members, recipe);
    if (members_object(reader, &build_root, root, &recipe_members) != 0 ||
        texts_read(build, description) != 0)
        return -1;
    if (flag && !value_is(flag, VALUE_TRUE) && !value_is(flag, VALUE_FALSE))
        return reader_refuse(reader, &alias, "is neither true nor false");
    recipe->alias_octaves = value_is(flag, VALUE_TRUE);
    build->named = value_get(root, "terms");
    build->zones = value_get(root, "zones");
    build->partition = value_get(root, "partition");
    if (members_read(reader, &build_root, root, &recipe_members, recipe) != 0 ||
        pair_read(reader, "range_m", &build_root, value_get(root, "range_m"), -32768, 32768,
                  "heights, low and high", &recipe->low_m, &recipe->high_m) != 0 ||
        relief_read(build, value_get(root, "relief")) != 0 || terms_check(reader, build->named) != 0)
        return -1;
    if (build_zones_read(build) != 0 || build_plates_climate_read(build) != 0 ||
        build_erosion_read(build) != 0)
        return -1;
    return build_paths_caves_read(build);
}

/* ---- Terms --------------------------------------------------------------------------------------------- */

/* The height is the last term. Where the partition has made it already, a copy of it is. */
static int height_build(struct build *build)
{
    const struct place place = {&build_root, "height", 0};
    const struct value *value = value_get(build->root, place.key);
    if (!value)
        return reader_refuse(build->reader, &place, "is missing: the term that is the height, in metres");
    const int index = build_term(build, &place, value);
    if (index < 0 || index == build->recipe.terms - 1)
        return index < 0 ? -1 : 0;
    const struct terrane_term copy = {.op = TERRANE_OP_SUM, .inputs = 1, .in = {index}, .factor = {1}};
    return build_append(build, &place, build->root, &copy) < 0 ? -1 : 0;
}

/* What is asked for beside the height. */
static int others_build(struct build *build)
{
    return build_climate_ground(build) != 0 || build_runoff_term(build) != 0 || build_sand_term(build) != 0 ||
                   build_cover(build) != 0
               ? -1
               : build_objects(build);
}

/*
 * All that makes the world. A height, runoff, cover or object that asks for the zones brings the partition's terms with it; where none
 * does, they are made first, since the height is the last.
 */
static int roots_build(struct build *build)
{
    build_forget(build);
    if (others_build(build) != 0 || height_build(build) != 0)
        return -1;
    if (build->zones_term >= 0 || build->recipe.partition.zones == 1)
        return 0;
    build_forget(build);
    return build_partition_terms(build) != 0 || others_build(build) != 0 ? -1 : height_build(build);
}

static bool is_among(const struct value *value, const struct value *const *list, int count)
{
    for (int i = 0; i < count; i++)
        if (list[i] == value)
            return true;
    return false;
}

/* Makes what roots_build did not, each as if it were all there is. */
static int unused_check(struct build *build)
{
    const struct value *used[TERRANE_TERMS_MAX];
    const int count = build->recipe.terms;
    const bool zones = build->zones_term >= 0;
    memcpy(used, build->made, sizeof used);
    for (const struct value *at = build->named ? build->named->first : NULL; at; at = at->next) {
        const struct place place = {&build_terms, at->key, 0};
        build_forget(build);
        if (!is_among(at, used, count) && build_term(build, &place, at) < 0)
            return -1;
    }
    build_forget(build);
    if (build->partition && build->recipe.partition.zones == 1 && build_partition_terms(build) != 0)
        return -1;
    build_forget(build);
    return build->zones && !zones && build_zones_term(build, &build_root) < 0 ? -1 : 0;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

static int recipe_accept(struct build *build, struct terrane_recipe *recipe)
{
    int where = -1;
    if (roots_build(build) != 0)
        return -1;
    const int error = terrane_recipe_init(&build->recipe, &where);
    if (error == TERRANE_EEROSION)
        return build_erosion_refuse(build);
    if (error) {
        const char *at = where < 0 || where >= build->recipe.terms ? "" : build->where[where];
        const char *ground = error == TERRANE_ECLIMATE && strlen(at) >= 7 && memcmp(at, "/terms/", 7) == 0
                                 ? "/climate/ground: "
                                 : "";
        return reader_refuse(build->reader, &build_root, "%s%s%s%s", ground, at, at[0] ? ": " : "",
                             terrane_error_text(error));
    }
    memcpy(recipe, &build->recipe, sizeof *recipe);
    return 0;
}

int terrane_recipe_parse(const char *text, size_t bytes, const struct terrane_files *files,
                         const struct terrane_memory *memory, struct terrane_recipe *recipe,
                         char *description, char *error, size_t error_bytes)
{
    char told[TERRANE_DESCRIPTION_BYTES] = "", trouble[PLACE_BYTES];
    const struct reader reader = {error, error_bytes};
    if (bytes > TERRANE_RECIPE_TEXT_MAX) {
        reader_refuse(&reader, &build_root, "the text is too large: allowed at most %d bytes",
                      TERRANE_RECIPE_TEXT_MAX);
        return TERRANE_ETEXT;
    }
    struct build *build = memory_take(memory, sizeof *build + json_bytes(text, bytes));
    if (!build) {
        reader_refuse(&reader, &build_root, "out of memory");
        return TERRANE_EMEMORY;
    }
    memset(build, 0, sizeof *build);
    build->reader = &reader;
    build->files = files;
    build->root = json_read(text, bytes, build + 1, trouble, sizeof trouble);
    if (!build->root)
        reader_refuse(&reader, &build_root, "%s", trouble);
    const bool taken = build->root && document_read(build, told) == 0 && roots_build(build) == 0 &&
                       unused_check(build) == 0 && recipe_accept(build, recipe) == 0;
    if (taken && description)
        memcpy(description, told, sizeof told);
    memory_give(memory, build);
    return taken ? 0 : TERRANE_ETEXT;
}
