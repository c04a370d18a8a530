/*
 * Objects in recipes: what JSON says (lib/recipe/read_objects.c), and what the library refuses, counts and names
 * (lib/recipe_objects.c). Ends of plain numbers: tests/config/test_worlds.py.
 */
#include "../../../lib/terrane_model.h"
#include "recipe_json_kit.h"

#define COVER                                                                                          \
    "'terms': {'warmth': 3}, 'spacing_m': 0.5, 'height': 5, 'cover': {'materials': [{'name': 'rock', " \
    "'colour': '#808080', 'where': {'slope': [0, 1, null, null]}}, {'name': 'grass', 'colour': '#80a050'}]}"
#define OBJECTS(classes) "{" COVER ", 'objects': {'classes': [" classes "]}}"
#define FIR(more)        "{'name': 'fir', 'model': 'conifer', 'radius_m': 2, 'on': {'grass': 0.5}" more "}"
#define AT               "/objects/classes/0"

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

TEST(refusals_name_the_place)
{
    assert_refused("{'height': 1, 'objects': {'classes': []}}",
                   "/objects: needs \"cover\", whose materials they stand on");
    assert_refused("{" COVER ", 'objects': {}}", "/objects/classes: is missing: what stands on the ground");
    assert_refused_at(OBJECTS(""), "/objects/classes: ");
    assert_refused(OBJECTS(FIR("") ", " FIR("")), "/objects/classes/1: class 0 is called \"fir\" already");
    assert_refused(OBJECTS("{'name': 'fir', 'radius_m': 2, 'on': {'grass': 1}}"),
                   AT "/model: is missing: a model's name");
    assert_refused(OBJECTS("{'name': 'fir', 'model': 'palm', 'on': {'grass': 1}}"),
                   AT "/radius_m: is missing: how far others stand from one, at least");
    assert_refused(OBJECTS("{'name': 'fir', 'model': 'palm', 'radius_m': 2}"),
                   AT "/on: is missing: materials, with the share of each");
    assert_refused(OBJECTS("{'name': 'fir', 'model': 'palm', 'radius_m': 2, 'on': {'gras': 1}}"),
                   AT "/on/gras: there is no material \"gras\"; did you mean \"grass\"?");
    assert_refused_at(OBJECTS("{'name': 'fir', 'model': 'palm', 'radius_m': 2, 'on': {}}"), AT "/on: is not");
    assert_refused_at(OBJECTS("{'name': 'fir', 'model': 'palm', 'radius_m': 2, 'on': {'grass': 1.01}}"),
                      AT "/on/grass");
    assert_refused_at(OBJECTS("{'name': 'fir', 'model': 'tree', 'radius_m': 2, 'on': {'grass': 1}}"),
                      AT "/model");
    assert_refused_at(OBJECTS("{'name': 'fir', 'model': 'palm', 'radius_m': 0.99, 'on': {'grass': 1}}"),
                      AT "/radius_m");
    assert_refused_at(OBJECTS("{'name': 'fir', 'model': 'palm', 'radius_m': 32.1, 'on': {'grass': 1}}"),
                      AT "/radius_m");
    assert_refused_at(OBJECTS(FIR(", 'level': 5")), AT "/level");
    assert_refused_at(OBJECTS(FIR(", 'scale': [2, 1]")), AT "/scale/1");
    assert_refused_at(OBJECTS(FIR(", 'scale': [0.2, 1]")), AT "/scale/0");
    assert_refused_at(OBJECTS(FIR(", 'scale': 1")), AT "/scale");
    assert_refused_at(OBJECTS(FIR(", 'where': {'slope': [0, 1, null, null]}")),
                      AT "/where/slope: there is no term \"slope\"");
}

/* ---- As a structure ------------------------------------------------------------------------------------ */

#define REFUSED(member, value)                                               \
    do {                                                                     \
        struct terrane_recipe bad = recipe.world;                            \
        bad.member = (value);                                                \
        assert_int_equal(terrane_recipe_init(&bad, NULL), TERRANE_EOBJECTS); \
    } while (0)
#define DIFFERS(member, value)                                                             \
    do {                                                                                   \
        struct terrane_recipe other = recipe.world;                                        \
        other.member = (value);                                                            \
        assert_int_equal(terrane_recipe_init(&other, NULL), 0);                            \
        assert_memory_not_equal(&other.digest, &recipe.world.digest, sizeof other.digest); \
    } while (0)

TEST(structures_are_checked_and_named)
{
    good(OBJECTS(FIR(", 'where': {'warmth': [null, null, 1, 2]}")));
    REFUSED(objects.classes, -1);
    REFUSED(objects.classes, 9);
    REFUSED(cover.materials, 0);
    REFUSED(objects.of[0].model, -1);
    REFUSED(objects.of[0].model, TERRANE_MODELS);
    REFUSED(objects.of[0].radius_m, 0.0f / 0.0f);
    REFUSED(objects.of[0].radius_m, 0.99f);
    REFUSED(objects.of[0].radius_m, 32.01f);
    REFUSED(objects.of[0].on[0], -0.01f);
    REFUSED(objects.of[0].on[1], 0.0f / 0.0f);
    REFUSED(objects.of[0].slope, -1.0f);
    REFUSED(objects.of[0].small, 0.2f);
    REFUSED(objects.of[0].large, 0.9f);
    REFUSED(objects.of[0].level, 5);
    REFUSED(objects.of[0].conditions, 9);
    REFUSED(objects.of[0].condition[0].of, TERRANE_COVER_SLOPE);
    REFUSED(objects.of[0].condition[0].of, TERRANE_COVER_QUANTITIES + recipe.world.terms);
    DIFFERS(objects.classes, 0);
    DIFFERS(objects.of[0].name[1], 'l');
    DIFFERS(objects.of[0].model, TERRANE_MODEL_PALM);
    DIFFERS(objects.of[0].radius_m, 3.0f);
    DIFFERS(objects.of[0].on[0], 0.25f);
    DIFFERS(objects.of[0].slope, 0.5f);
    DIFFERS(objects.of[0].small, 0.5f);
    DIFFERS(objects.of[0].large, 2.0f);
    DIFFERS(objects.of[0].level, 3);
    DIFFERS(objects.of[0].conditions, 0);
    DIFFERS(objects.of[0].condition[0].fall[1], 4.0f);
    struct terrane_recipe same = recipe.world; /* what does not count: materials that there are not */
    same.objects.of[0].on[2] = 0.5f;
    assert_int_equal(terrane_recipe_init(&same, NULL), 0);
    assert_memory_equal(&same, &recipe.world, sizeof same);
}

GROUP(recipe_objects);
