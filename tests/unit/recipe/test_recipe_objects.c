/*
 * Objects in recipes: what JSON says (lib/read/read_objects.c), and what the library refuses and counts
 * (lib/recipe/recipe_objects.c). Ends of plain numbers, and digests: tests/config/test_worlds.py.
 */
#include "../../../lib/terrane_features.h"
#include "../recipe_json_kit.h"

#define COVER                                                                                          \
    "'terms': {'warmth': 3}, 'spacing_m': 0.5, 'height': 5, 'cover': {'materials': [{'name': 'rock', " \
    "'colour': '#808080', 'where': {'slope': [0, 1, null, null]}}, {'name': 'grass', 'colour': '#80a050'}]}"
#define OBJECTS(classes) "{" COVER ", 'objects': {'classes': [" classes "]}}"
#define FIR(more)        "{'name': 'fir', 'model': 'conifer', 'radius_m': 2, 'on': {'grass': 0.5}" more "}"

TEST(classes_and_where_they_stand)
{
    const struct terrane_objects *objects = &recipe.world.objects;
    good("{'height': 1}");
    assert_int_equal(objects->classes, 0);
    good(
        OBJECTS("{'name': 'stone', 'model': 'boulder', 'radius_m': 32, 'on': {'grass': 0.5, 'rock': 1}, "
                "'slope': 2, 'level': 4,"
                "'scale': [0.25, 3.75], 'where': {'warmth': [null, null, 1, 2]}, 'note': 'grey'}, " FIR("")));
    const struct terrane_class *stone = &objects->of[0], *fir = &objects->of[1];
    assert_int_equal(objects->classes, 2);
    assert_string_equal(stone->name, "stone");
    assert_true(stone->model == TERRANE_MODEL_BOULDER && stone->radius_m == 32 && stone->slope == 2 &&
                stone->level == 4 && stone->small == 0.25f && stone->large == 3.75f);
    assert_true(stone->on[0] == 1 && stone->on[1] == 0.5f && fir->on[0] == 0 && fir->on[1] == 0.5f);
    assert_int_equal(stone->conditions, 1);
    assert_string_equal(recipe.world.term[stone->condition[0].of - TERRANE_COVER_QUANTITIES].name, "warmth");
    assert_true(fir->small == 1 && fir->large == 1 && fir->slope == 0.7f && fir->level == 2 &&
                fir->conditions == 0);
}

TEST(structures_are_checked)
{
    good(OBJECTS(FIR(", 'where': {'warmth': [null, null, 1, 2]}")));
    REFUSED_STRUCT(objects.classes, -1, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.classes, 9, TERRANE_EOBJECTS);
    REFUSED_STRUCT(cover.materials, 0, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].model, -1, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].model, TERRANE_MODELS, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].radius_m, 0.0f / 0.0f, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].radius_m, 0.99f, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].radius_m, 32.01f, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].on[0], -0.01f, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].on[1], 0.0f / 0.0f, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].slope, -1.0f, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].small, 0.2f, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].large, 0.9f, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].level, 5, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].conditions, 9, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].condition[0].of, TERRANE_COVER_SLOPE, TERRANE_EOBJECTS);
    REFUSED_STRUCT(objects.of[0].condition[0].of, TERRANE_COVER_QUANTITIES + recipe.world.terms,
                   TERRANE_EOBJECTS);
    struct terrane_recipe same = recipe.world; /* what does not count: materials that there are not */
    same.objects.of[0].on[2] = 0.5f;
    assert_int_equal(terrane_recipe_init(&same, NULL), 0);
    assert_memory_equal(&same, &recipe.world, sizeof same);
}

GROUP(recipe_objects);
