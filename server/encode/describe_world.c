/* Worlds as JSON. */
#include "../../lib/terrane_edit.h"
#include "../base/json_text.h"
#include "../base/text.h"
#include "describe_parts.h"

static json_t *levels_of(const struct terrane_world *world)
{
    const enum tile_variant variant = tile_variant_default(world->recipe);
    json_t *levels = json_array();
    for (int level = 0; levels && level <= TERRANE_LEVEL_MAX; level++) {
        const double spacing = terrane_lattice_m(world, level, 1);
        json_append(&levels, json_pack("{s:i, s:f, s:f, s:f}", "lod", level, "spacing_m", spacing, "tile_m",
                                       spacing * TERRANE_TILE_SAMPLES, "geometric_error_m",
                                       describe_error_m(world->recipe, level, variant)));
    }
    return levels;
}

static json_t *names(const char *const *name, int count)
{
    json_t *array = json_array();
    for (int i = 0; array && i < count; i++)
        json_append(&array, json_string(name[i]));
    return array;
}

/* A world without objects has no records. */
static json_t *formats_of(const struct terrane_recipe *recipe)
{
    json_t *array = json_array();
    for (int f = 0; array && f < FORMATS; f++)
        if (tile_ending_name[f] && (format_row[f].needs != NEEDS_PLACES || recipe->objects.classes > 0))
            json_append(&array, json_string(tile_format_name[f]));
    return array;
}

static json_t *variants_of(const struct terrane_recipe *recipe)
{
    json_t *array = json_array();
    for (int v = 0; array && v < VARIANTS; v++)
        if (tile_variant_is_of((enum tile_variant)v, recipe))
            json_append(&array, json_string(tile_variant_name[v]));
    return array;
}

static json_t *terms_of(const struct terrane_recipe *recipe)
{
    json_t *array = json_array();
    for (int i = 0; array && i < recipe->terms; i++)
        json_append(&array, json_string(recipe->term[i].name));
    return array;
}

static const char *partition_of(const struct terrane_partition *partition)
{
    static const char *const name[TERRANE_PARTITION_KINDS] = {
        [TERRANE_PARTITION_NOISE] = "noise",
        [TERRANE_PARTITION_VORONOI] = "voronoi",
        [TERRANE_PARTITION_CLIMATE] = "climate",
    };
    return partition->zones > 1 ? name[partition->kind] : "none";
}

/* Each layer with its formats, and the encodings that its png has to choose from. */
static json_t *layers_of(const struct terrane_recipe *recipe)
{
    json_t *array = json_array();
    for (int l = 0; array && l < LAYERS; l++) {
        if (!tile_layer_is_in(recipe, (enum tile_layer)l))
            continue;
        json_t *formats = json_array(), *encodings = json_array();
        for (int f = 0; formats && f < FORMATS; f++)
            if (tile_ending_name[f] && tile_layer_has((enum tile_layer)l, (enum tile_format)f))
                json_append(&formats, json_string(tile_format_name[f]));
        for (int e = 0; encodings && e < ENCS; e++)
            if (tile_layer_has_enc((enum tile_layer)l, (enum tile_enc)e))
                json_append(&encodings, json_string(tile_enc_name[e]));
        json_append(&array, json_pack("{s:s, s:o, s:o}", "name", tile_layer_name[l], "formats", formats,
                                      "encodings", encodings));
    }
    return array;
}

/* Null where nothing erodes. */
static json_t *erosion_of(const struct terrane_recipe *recipe)
{
    struct terrane_ground_bounds bounds;
    terrane_ground_bounds(recipe, &bounds);
    json_t *halo = recipe->erosion.levels > 0 ? json_array() : NULL;
    for (int level = 0; halo && level < recipe->erosion.levels; level++)
        json_append(&halo, json_integer(terrane_erosion_halo(recipe, level)));
    return recipe->erosion.levels == 0
               ? json_null()
               : json_pack("{s:i, s:f, s:f, s:o}", "levels", recipe->erosion.levels, "unit_m",
                           terrane_units(recipe).erosion_m, "bound_m", bounds.erosion_m, "halo", halo);
}

/* Null where there are none. */
static json_t *lakes_of(const struct terrane_world *world)
{
    const struct terrane_lakes *lakes = &world->recipe->lakes;
    return !(lakes->share > 0)
               ? json_null()
               : json_pack("{s:i, s:f, s:f, s:f, s:f, s:f}", "lod", lakes->level, "cell_m",
                           terrane_lattice_m(world, lakes->level, INT64_C(1) << lakes->cell_log2), "share",
                           (double)lakes->share, "radius_m",
                           terrane_lattice_m(world, lakes->level, lakes->radius), "depth_m",
                           (double)lakes->depth_m, "shallow_m", (double)lakes->shallow_m);
}

static json_t *rivers_of(const struct terrane_recipe *recipe)
{
    const struct terrane_rivers *rivers = &recipe->rivers;
    json_t *runoff = rivers->runoff < 0 ? json_real((double)rivers->runoff_mm)
                                        : json_string(recipe->term[rivers->runoff].name);
    const char *sand = rivers->sand > 0 ? recipe->term[rivers->sand - 1].name : NULL;
    return json_pack("{s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:f, s:f, s:f, s:s*}", "top",
                     rivers->top, "bottom", rivers->bottom, "steepness", (double)rivers->steepness, "rise",
                     (double)rivers->rise, "concavity", (double)rivers->concavity, "cut_m",
                     (double)rivers->cut_m, "fill", (double)rivers->fill, "shallow_m",
                     (double)rivers->shallow_m, "sources_ha", (double)rivers->sources_ha, "runoff", runoff,
                     "inland_km", (double)rivers->inland_km, "width", (double)rivers->width, "depth",
                     (double)rivers->depth, "sand", sand);
}

static json_t *ice_of(const struct terrane_recipe *recipe)
{
    const struct terrane_ice *ice = &recipe->ice;
    return json_pack("{s:f, s:f, s:f}", "width_m", (double)ice->width_m, "from_m", (double)ice->from_m,
                     "full_m", (double)ice->full_m);
}

static bool is_carved(const struct terrane_recipe *recipe, int level)
{
    const struct terrane_window window = {.level = level, .step = 1, .width = 1, .height = 1};
    struct terrane_plan plan;
    return terrane_plan(recipe, &window, TERRANE_VARIANT_CARVED, TERRANE_READS_GROUND, &plan) == 0 &&
           plan.carved;
}

static json_t *paths_of(const struct terrane_world *world)
{
    const struct terrane_paths *paths = &world->recipe->paths;
    struct terrane_ground_bounds bounds;
    int carved = 0; /* levels */
    terrane_ground_bounds(world->recipe, &bounds);
    while (carved <= paths->level && is_carved(world->recipe, carved))
        carved++;
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:b}", "lod", paths->level, "cell_m",
                     terrane_lattice_m(world, paths->level, INT64_C(1) << paths->cell_log2), "width_m",
                     (double)paths->width_m, "border_m", (double)paths->border_m, "slope",
                     (double)paths->slope, "depth_m", (double)paths->depth_m, "bound_m", bounds.paths_m,
                     "carved_levels", carved, "towns", paths->towns.block_log2 > 0);
}

static json_t *hollows_of(const struct terrane_world *world)
{
    const struct terrane_caves *caves = &world->recipe->caves;
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "lod", caves->level, "cell_m",
                     terrane_lattice_m(world, caves->level, INT64_C(1) << caves->cell_log2), "share",
                     (double)caves->share, "radius_m", terrane_lattice_m(world, caves->level, caves->radius),
                     "high_m", (double)caves->high_m, "roof_m", (double)caves->roof_m, "height_m",
                     (double)caves->height_m, "room", (double)caves->room, "slope", (double)caves->slope);
}

/* The URL template of the world's tiles (RFC 6570). */
static json_t *tiles_of(const struct world_facts *facts, int generator)
{
    char seed[TILE_SEED_BYTES];
    const bool unsaid =
        facts->standard || !*facts->recipe->name; /* of a world that people change it has none */
    return json_sprintf("%s/tile/%s/{lod}/{x}/{y}.{ext}?v=%d%s%s", facts->prefix,
                        tile_world_name(facts->key, seed), generator,
                        unsaid ? "" : "&recipe=", unsaid ? "" : facts->recipe->name);
}

static json_t *generators_of(const struct recipe *recipe)
{
    json_t *list = json_array();
    for (int n = TERRANE_GENERATOR_OLDEST; list && n <= TERRANE_GENERATOR_VERSION; n++)
        if (recipe_under(recipe, n))
            json_append(&list, json_integer(n));
    return list;
}

int describe_world(const struct terrane_world *world, const struct world_facts *facts, unsigned char **data,
                   size_t *bytes)
{
    const struct terrane_recipe *recipe = world->recipe;
    const enum tile_variant variant = tile_variant_default(recipe);
    struct terrane_ground_bounds bounds;
    char digest[2 * sizeof world->digest.byte + 1];
    const double edits_m = facts->key->edits ? TERRANE_EDIT_MOVE_M : 0;
    text_hex(digest, world->digest.byte, sizeof world->digest.byte);
    terrane_ground_bounds(recipe, &bounds);
    json_t *value = json_pack(
        "{s:o, s:s, s:i, s:o, s:s, s:s, s:f, s:i,"
        " s:{s:I, s:I}, s:{s:f, s:f}, s:{s:f, s:f}, s:f, s:{s:f, s:f, s:f},"
        " s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o}",
        tile_world_member(facts->key), describe_name(facts->key), "world", digest, "generator",
        recipe->generator, "generators", generators_of(facts->recipe), "recipe", facts->recipe->name,
        "description", facts->recipe->description, "spacing_m", recipe->spacing_m, "tile_samples",
        TERRANE_TILE_SAMPLES, "tiles", "min", (json_int_t)-TERRANE_TILE_LIMIT, "max",
        (json_int_t)(TERRANE_TILE_LIMIT - 1), "height_bounds_m", "low", bounds.low_m - edits_m, "high",
        bounds.high_m + edits_m, "range_16bit_m", "low", (double)recipe->low_m, "high",
        (double)recipe->high_m, "sea_m", (double)recipe->sea_m, "spawn", "x", facts->spawn_m[0], "y",
        facts->spawn_m[1], "height", facts->spawn_m[2], "erosion", erosion_of(recipe), "lakes",
        lakes_of(world), "levels", levels_of(world), "terms", terms_of(recipe), "partition",
        partition_of(&recipe->partition), "zones", describe_zones(world, NULL), "layers", layers_of(recipe),
        "variants", variants_of(recipe), "variant", tile_variant_name[variant], "formats", formats_of(recipe),
        "encodings", names(tile_enc_name, ENCS_PNG), "tile", tiles_of(facts, recipe->generator));
    if (facts->text)
        json_put(&value, "client",
                 json_pack("{s:o}", "recipe", json_loadb(facts->text, facts->text_bytes, 0, NULL)));
    if (facts->edits)
        json_put(&value, "edits", json_incref(facts->edits));
    if (recipe->rivers.top > 0)
        json_put(&value, "rivers", rivers_of(recipe));
    if (recipe->ice.width_m > 0)
        json_put(&value, "ice", ice_of(recipe));
    if (recipe->paths.width_m > 0)
        json_put(&value, "paths", paths_of(world));
    if (recipe->caves.share > 0)
        json_put(&value, "caves", hollows_of(world));
    if (recipe->cover.materials > 0)
        json_put(&value, "cover", describe_materials(recipe));
    if (recipe->objects.classes > 0)
        json_put(&value, "objects", describe_classes(recipe));
    return describe_finish(value, data, bytes);
}
