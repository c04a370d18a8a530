/*
 * Cover: materials, and what each asks of the ground.
 *
 * The terms that conditions name are made in the order of materials, and in that of the names within one: the order of keys
 * changes nothing.
 */
#include <string.h>

#include "../terrane_make.h"
#include "build.h"

static const struct place at_cover = {&build_root, "cover", 0}, at_materials = {&at_cover, "materials", 0};

const char *const terrane_cover_quantity_name[TERRANE_COVER_QUANTITIES] = {
    [TERRANE_COVER_SLOPE] = "slope",
    [TERRANE_COVER_CURVATURE] = "curvature",
    [TERRANE_COVER_HEIGHT] = "height",
    [TERRANE_COVER_DEPTH] = "depth",
    [TERRANE_COVER_WETNESS] = "wetness",
    [TERRANE_COVER_RIVER] = "river",
    [TERRANE_COVER_SHORE] = "shore",
    [TERRANE_COVER_TEMPERATURE] = "temperature",
    [TERRANE_COVER_PRECIPITATION] = "precipitation",
};

static const char *const texture_name[TERRANE_TEXTURES] = {
    [TERRANE_PLAIN] = "plain", [TERRANE_STIPPLE] = "stipple", [TERRANE_STRATA] = "strata",
    [TERRANE_DUNES] = "dunes", [TERRANE_SPECKLE] = "speckle",
};

/* ---- Conditions ---------------------------------------------------------------------------------------- */

/* One side of a trapezoid, from item first on: both numbers, or both null. */
static int side_read(const struct reader *reader, const struct place *place, const struct value *list,
                     size_t first, bool *sloped, float pair[2])
{
    const struct value *from = value_item(list, first), *to = value_item(list, first + 1);
    const struct place at = {place, NULL, first}, there = {place, NULL, first + 1};
    *sloped = !value_is(from, VALUE_NULL) || !value_is(to, VALUE_NULL);
    if (!*sloped)
        return 0;
    if (value_is(from, VALUE_NULL) || value_is(to, VALUE_NULL))
        return reader_refuse(reader, value_is(from, VALUE_NULL) ? &at : &there,
                             "is null beside a number: allowed both or neither");
    if (reader_float(reader, &at, from, -COVER_NUMBER_MAX, COVER_NUMBER_MAX, &pair[0]) != 0 ||
        reader_float(reader, &there, to, -COVER_NUMBER_MAX, COVER_NUMBER_MAX, &pair[1]) != 0)
        return -1;
    return cover_pair_rises(pair)
               ? 0
               : reader_refuse(reader, &there, "%.7g is not above the number before, %.7g, by %.7g",
                               (double)pair[1], (double)pair[0], COVER_MIN_STEP);
}

static int trapezoid_read(const struct reader *reader, const struct place *place, const struct value *value,
                          struct terrane_condition *condition)
{
    const struct place fall = {place, NULL, 2};
    if (reader_array(reader, place, value, 4, 4,
                     "items: where it begins, is whole, is whole no more, ends; null: nowhere") != 0 ||
        side_read(reader, place, value, 0, &condition->rises, condition->rise) != 0 ||
        side_read(reader, place, value, 2, &condition->falls, condition->fall) != 0)
        return -1;
    if (!condition->rises && !condition->falls)
        return reader_refuse(reader, place, "asks nothing: all four are null");
    if (condition->rises && condition->falls && condition->fall[0] < condition->rise[1])
        return reader_refuse(reader, &fall, "%.7g is below where it is whole, %.7g",
                             (double)condition->fall[0], (double)condition->rise[1]);
    return 0;
}

/* A quantity, where there are any, or the name of a term, which is made. */
static int quantity_read(struct build *build, const struct place *place, bool quantities, int *of)
{
    const char *words[TERRANE_COVER_QUANTITIES + BUILD_NAMED_MAX];
    size_t count = 0;
    for (int k = 0; quantities && k < TERRANE_COVER_QUANTITIES; k++) {
        if (k >= TERRANE_COVER_TEMPERATURE && build->recipe.climate.cell_log2 == 0)
            continue; /* of a climate: such a name may be a term's */
        if (strcmp(terrane_cover_quantity_name[k], place->key) == 0) {
            *of = k;
            return 0;
        }
        words[count++] = terrane_cover_quantity_name[k];
    }
    const struct place there = {&build_terms, place->key, 0};
    const struct value *named = value_get(build->named, place->key);
    for (const struct value *at = build->named ? build->named->first : NULL; at; at = at->next)
        if (count < sizeof words / sizeof *words)
            words[count++] = at->key;
    if (!named)
        return reader_unknown(build->reader, place, quantities ? "quantity or term" : "term", place->key,
                              words, count);
    const int term = build_term(build, &there, named);
    *of = TERRANE_COVER_QUANTITIES + term;
    return term < 0 ? -1 : 0;
}

/* The member whose key is the next one behind another's, in the order of bytes (behind NULL: the first); NULL: there is none. */
static const struct value *next_of(const struct value *object, const struct value *behind)
{
    const struct value *next = NULL;
    for (const struct value *at = object->first; at; at = at->next)
        if ((!behind || strcmp(at->key, behind->key) > 0) && (!next || strcmp(at->key, next->key) < 0))
            next = at;
    return next;
}

int build_where(struct build *build, const struct place *place, const struct value *where, bool quantities,
                struct terrane_condition *condition, int *conditions)
{
    if (!value_is(where, VALUE_OBJECT))
        return reader_refuse(build->reader, place, "is not an object of quantities");
    if (where->count > TERRANE_CONDITIONS_MAX)
        return reader_refuse(build->reader, place, "has %d conditions: allowed at most %d", (int)where->count,
                             TERRANE_CONDITIONS_MAX);
    for (const struct value *at = next_of(where, NULL); at; at = next_of(where, at)) {
        const struct place here = {place, at->key, 0};
        struct terrane_condition *next = &condition[(*conditions)++];
        if (trapezoid_read(build->reader, &here, at, next) != 0 ||
            quantity_read(build, &here, quantities, &next->of) != 0)
            return -1;
    }
    return 0;
}

/* ---- Materials ----------------------------------------------------------------------------------------- */

static int size_read(const struct reader *reader, const struct place *place, const struct value *value,
                     float size_m[2])
{
    if (reader_array(reader, place, value, 2, 2, "sizes: of the finest features, of the coarsest") != 0)
        return -1;
    for (size_t k = 0; k < 2; k++) {
        const struct place at = {place, NULL, k};
        if (reader_float(reader, &at, value_item(value, k), TEXTURE_SIZE_MIN, TEXTURE_SIZE_MAX, &size_m[k]) !=
            0)
            return -1;
        if (k == 1 && size_m[1] < size_m[0])
            return reader_refuse(reader, &at, "%.7g is below the size before, %.7g", (double)size_m[1],
                                 (double)size_m[0]);
    }
    return 0;
}

static int texture_read(const struct reader *reader, const struct place *place, const struct value *value,
                        struct terrane_texture *texture)
{
    const struct place kind = {place, "kind", 0}, size = {place, "size_m", 0}, wind = {place, "wind", 0};
    members_default(&texture_members, texture);
    if (members_object(reader, place, value, &texture_members) != 0)
        return -1;
    if (!value_get(value, kind.key))
        return reader_refuse(reader, &kind, "is missing");
    if (reader_word(reader, &kind, value_get(value, kind.key), texture_name + 1, TERRANE_TEXTURES - 1,
                    &texture->kind) != 0)
        return -1;
    texture->kind++; /* words begin behind the plain one, which is no word */
    if (!value_get(value, size.key))
        return reader_refuse(reader, &size, "is missing");
    if (value_get(value, wind.key) && texture->kind != TERRANE_DUNES)
        return reader_refuse(reader, &wind, "is of dunes: allowed none");
    return size_read(reader, &size, value_get(value, size.key), texture->size_m) != 0
               ? -1
               : members_read(reader, place, value, &texture_members, texture);
}

static int material_read(struct build *build, const struct place *place, const struct value *value, bool last,
                         struct terrane_material *material)
{
    const struct reader *reader = build->reader;
    const struct place where = {place, "where", 0}, share = {place, "share", 0},
                       colour = {place, "colour", 0}, texture = {place, "texture", 0};
    const struct value *conditions = value_get(value, where.key), *textured = value_get(value, texture.key);
    members_default(&material_members, material);
    if (members_object(reader, place, value, &material_members) != 0 ||
        build_title(reader, place, value, "a material", material->name) != 0)
        return -1;
    if (!value_get(value, colour.key))
        return reader_refuse(reader, &colour, "is missing");
    if (members_read(reader, place, value, &material_members, material) != 0 ||
        (textured && texture_read(reader, &texture, textured, &material->texture) != 0))
        return -1;
    if (last && (conditions || value_get(value, share.key)))
        return reader_refuse(reader, conditions ? &where : &share,
                             "is of the last material, which takes what the others leave: allowed none");
    return conditions
               ? build_where(build, &where, conditions, true, material->condition, &material->conditions)
               : 0;
}

int build_cover(struct build *build)
{
    struct terrane_cover *cover = &build->recipe.cover;
    const struct value *value = value_get(build->root, at_cover.key),
                       *list = value_get(value, at_materials.key);
    *cover = (struct terrane_cover){0};
    if (!value)
        return 0;
    if (members_object(build->reader, &at_cover, value, &cover_members) != 0)
        return -1;
    if (!list)
        return reader_refuse(build->reader, &at_materials,
                             "is missing: what covers the ground, from first to last");
    if (reader_array(build->reader, &at_materials, list, 1, TERRANE_MATERIALS_MAX, "materials") != 0)
        return -1;
    for (int count = (int)list->count, m = 0; m < count; m++) {
        const struct place place = {&at_materials, NULL, (size_t)m};
        if (material_read(build, &place, value_item(list, place.index), m == count - 1,
                          &cover->material[m]) != 0)
            return -1;
        for (int k = 0; k < m; k++)
            if (strcmp(cover->material[k].name, cover->material[m].name) == 0)
                return reader_refuse(build->reader, &place, "material %d is called \"%s\" already", k,
                                     cover->material[k].name);
    }
    cover->materials = (int)list->count;
    return 0;
}
