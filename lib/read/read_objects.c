/*
 * Objects: classes, and where each stands. The terms that conditions name are made as cover's are.
 */
#include <string.h>

#include "../terrane_features.h"
#include "build.h"

static const struct place at_objects = {&build_root, "objects", 0}, at_classes = {&at_objects, "classes", 0};

/* A member that has to be there; NULL: refused. */
static const struct value *needed(const struct reader *reader, const struct place *place,
                                  const struct value *object, const char *what)
{
    const struct value *value = value_get(object, place->key);
    if (!value)
        reader_refuse(reader, place, "is missing: %s", what);
    return value;
}

/* Materials of the cover, which has been read, with the share that each lets stand. */
static int on_read(const struct build *build, const struct place *place, const struct value *value,
                   struct terrane_class *class)
{
    const struct terrane_cover *cover = &build->recipe.cover;
    const char *words[TERRANE_MATERIALS_MAX] = {NULL};
    for (int m = 0; m < cover->materials; m++)
        words[m] = cover->material[m].name;
    if (!value_is(value, VALUE_OBJECT) || value->count == 0)
        return reader_refuse(build->reader, place, "is not an object of materials, with the share of each");
    for (const struct value *at = value->first; at; at = at->next) {
        const struct place here = {place, at->key, 0};
        int m = 0;
        while (m < cover->materials && strcmp(cover->material[m].name, at->key) != 0)
            m++;
        if (m == cover->materials)
            return reader_unknown(build->reader, &here, "material", at->key, words, (size_t)m);
        if (reader_float(build->reader, &here, at, 0, 1, &class->on[m]) != 0)
            return -1;
    }
    return 0;
}

/* [smallest, largest] */
static int scale_read(const struct reader *reader, const struct place *place, const struct value *value,
                      struct terrane_class *class)
{
    const struct place small = {place, NULL, 0}, large = {place, NULL, 1};
    if (reader_array(reader, place, value, 2, 2,
                     "sizes, against the model's: the smallest and the largest") != 0 ||
        reader_float(reader, &small, value_item(value, 0), OBJECTS_SCALE_MIN, OBJECTS_SCALE_MAX,
                     &class->small) != 0)
        return -1;
    if (reader_float(reader, &large, value_item(value, 1), OBJECTS_SCALE_MIN, OBJECTS_SCALE_MAX,
                     &class->large) != 0)
        return -1;
    return class->large < class->small
               ? reader_refuse(reader, &large, "%.9g is not a number from %.9g to %.9g", (double)class->large,
                               (double)class->small, OBJECTS_SCALE_MAX)
               : 0;
}

static int class_read(struct build *build, const struct place *place, const struct value *value,
                      struct terrane_class *class)
{
    const struct reader *reader = build->reader;
    const double spacing_m = build->recipe.spacing_m;
    const struct place model = {place, "model", 0}, radius = {place, "radius_m", 0}, on = {place, "on", 0},
                       scale = {place, "scale", 0}, where = {place, "where", 0};
    const struct value *list, *size, *conditions = value_get(value, where.key),
                                     *scales = value_get(value, scale.key);
    members_default(&class_members, class);
    class->small = class->large = 1;
    if (members_object(reader, place, value, &class_members) != 0 ||
        build_title(reader, place, value, "a class", class->name) != 0 ||
        members_read(reader, place, value, &class_members, class) != 0 ||
        !(list = needed(reader, &model, value, "a model's name")) ||
        reader_word(reader, &model, list, terrane_model_name, TERRANE_MODELS, &class->model) != 0 ||
        !(size = needed(reader, &radius, value, "how far others stand from one, at least")) ||
        reader_float(reader, &radius, size, OBJECTS_RADIUS_MIN * spacing_m, OBJECTS_RADIUS_MAX * spacing_m,
                     &class->radius_m) != 0 ||
        !(list = needed(reader, &on, value, "materials, with the share of each")) ||
        on_read(build, &on, list, class) != 0 || (scales && scale_read(reader, &scale, scales, class) != 0))
        return -1;
    return conditions ? build_where(build, &where, conditions, false, class->condition, &class->conditions)
                      : 0;
}

int build_objects(struct build *build)
{
    struct terrane_objects *objects = &build->recipe.objects;
    const struct value *value = value_get(build->root, at_objects.key), *list;
    *objects = (struct terrane_objects){0};
    if (!value)
        return 0;
    if (members_object(build->reader, &at_objects, value, &objects_members) != 0)
        return -1;
    if (build->recipe.cover.materials == 0)
        return reader_refuse(build->reader, &at_objects, "needs \"cover\", whose materials they stand on");
    if (!(list = needed(build->reader, &at_classes, value, "what stands on the ground")) ||
        reader_array(build->reader, &at_classes, list, 1, TERRANE_CLASSES_MAX, "classes") != 0)
        return -1;
    for (int c = 0; c < (int)list->count; c++) {
        const struct place place = {&at_classes, NULL, (size_t)c};
        if (class_read(build, &place, value_item(list, place.index), &objects->of[c]) != 0)
            return -1;
        for (int k = 0; k < c; k++)
            if (strcmp(objects->of[k].name, objects->of[c].name) == 0)
                return reader_refuse(build->reader, &place, "class %d is called \"%s\" already", k,
                                     objects->of[k].name);
    }
    objects->classes = (int)list->count;
    return 0;
}
