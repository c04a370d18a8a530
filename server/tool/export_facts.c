/*
 * A set as JSON.
 */
#include <stdio.h>
#include <string.h>

#include "../base/json_text.h"
#include "../base/text.h"
#include "export_page.h"

static json_t *layers_of(const struct export_set *set)
{
    json_t *names = json_array();
    for (int i = 0; i < EXPORT_LAYERS && names; i++)
        if (set->layer[i])
            json_append(&names, json_string(export_layer_row[i].name));
    return names;
}

static json_t *range_of(const struct export_set *set)
{
    switch (set->range) {
    case EXPORT_RANGE_SET:
        return json_string("set");
    case EXPORT_RANGE_WORLD:
        return json_string("world");
    case EXPORT_RANGE_GIVEN:
        break;
    }
    return json_pack("[f,f]", (double)set->low_m, (double)set->high_m);
}

/* Of a secret world its server's, against which no guess can be tried. */
static json_t *digest_of(const struct export_about *about)
{
    char digest[2 * sizeof about->world->digest.byte + 1];
    text_hex(digest, about->world->digest.byte, sizeof about->world->digest.byte);
    return json_string(digest);
}

json_t *export_facts(const struct export_about *about)
{
    const struct export_set *set = about->set;
    char seed[TILE_SEED_BYTES];
    return json_pack("{s:s, s:s, s:s, s:i, s:o, s:s, s:i, s:i, s:s, s:[i,i], s:[I,I], s:o, s:o}", "engine",
                     set->row->name, tile_world_member(about->key), tile_world_name(about->key, seed),
                     "recipe", about->recipe, "generator", about->world->recipe->generator, "digest",
                     digest_of(about), "variant", tile_variant_name[about->key->variant], "lod", set->level,
                     "size", set->size, "format", set->format->name, "tiles", set->across, set->down,
                     "north_west", (json_int_t)set->x0, (json_int_t)set->y0, "range", range_of(set), "layers",
                     layers_of(set));
}

/* Names of files, with stars for the numbers of column and row. */
static json_t *files_of(const struct export_set *set)
{
    json_t *files = json_array();
    for (int layer = 0; layer < EXPORT_LAYERS && files; layer++)
        for (int file = 0; file < export_set_files(set, (enum export_layer)layer) && files; file++) {
            char name[EXPORT_NAME_BYTES];
            export_set_name(set, (enum export_layer)layer, file, -1, -1, name);
            json_append(&files, json_string(name));
        }
    return files;
}

static json_t *materials_of(const struct export_set *set)
{
    json_t *materials = json_array();
    for (int i = 0; i < export_set_materials(set) && materials; i++) {
        const struct terrane_material *of = &set->recipe->cover.material[i];
        char colour[8];
        snprintf(colour, sizeof colour, "#%02x%02x%02x", of->colour[0], of->colour[1], of->colour[2]);
        json_append(&materials, json_pack("{s:s, s:s}", "name", of->name, "colour", colour));
    }
    return materials;
}

json_t *export_numbers(const struct export_about *about)
{
    const struct export_set *set = about->set;
    json_t *numbers =
        json_pack("{s:b, s:f, s:[f,f], s:b, s:b, s:f, s:o, s:o}", "whole", 1, "spacing_m", set->spacing_m,
                  "north_west_m", (double)set->x0 * set->spacing_m, (double)set->y0 * set->spacing_m,
                  "shares_edges", set->size % 2, "rows_from_south", (int)set->row->from_south, "sea_m",
                  (double)set->recipe->sea_m, "files", files_of(set), "materials", materials_of(set));
    if (about->low_m < about->high_m)
        json_put(&numbers, "range_m", json_pack("[f,f]", (double)about->low_m, (double)about->high_m));
    return numbers;
}
