/*
 * Cover in recipes: what JSON says (lib/read/read_cover.c), and what the library refuses and counts
 * (lib/recipe/recipe_cover.c). Ends of numbers, and digests: tests/config/test_worlds.py.
 */
#include "../recipe_json_kit.h"

#define TERMS             "'terms': {'warmth': 3, 'rain': {'sum': ['warmth', 1]}}, 'height': 5, "
#define COVER(materials)  "{" TERMS "'cover': {'materials': [" materials "]}}"
#define REST              "{'name': 'grass', 'colour': '#80a050'}"
#define WHERE(conditions) COVER("{'name': 'snow', 'colour': '#ffffff', 'where': {" conditions "}}, " REST)

TEST(materials_and_what_they_ask)
{
    const struct terrane_cover *cover = &recipe.world.cover;
    good("{'height': 1}");
    assert_int_equal(cover->materials, 0);
    good(COVER(
        "{'name': 'snow', 'colour': '#010203', 'share': 0.5, 'note': 'white', 'where': {'warmth': [null, "
        "null, -4, 1], 'slope': [0.25, 0.5, 0.5, 1.5]}}, " REST));
    const struct terrane_material *snow = &cover->material[0];
    assert_int_equal(cover->materials, 2);
    assert_string_equal(snow->name, "snow");
    assert_memory_equal(snow->colour, ((const uint8_t[]){1, 2, 3}), 3);
    assert_true(snow->share == 0.5f && snow->conditions == 2 && cover->material[1].conditions == 0);
    const struct terrane_condition *slope = &snow->condition[0], *warmth = &snow->condition[1];
    assert_int_equal(slope->of, TERRANE_COVER_SLOPE);
    assert_true(slope->rises && slope->rise[0] == 0.25f && slope->rise[1] == 0.5f);
    assert_true(slope->falls && slope->fall[0] == 0.5f && slope->fall[1] == 1.5f);
    assert_true(!warmth->rises && warmth->falls && warmth->fall[0] == -4 && warmth->fall[1] == 1);
    /* A term that the height does not rest on; the height stays the last. */
    assert_string_equal(recipe.world.term[warmth->of - TERRANE_COVER_QUANTITIES].name, "warmth");
    assert_string_equal(recipe.world.term[recipe.world.terms - 1].name, "height");
}

#define TEXTURED(texture) COVER("{'name': 'sand', 'colour': '#ffffff', 'texture': {" texture "}}")

TEST(textures_are_read_and_checked)
{
    good(TEXTURED("'kind': 'dunes', 'size_m': [24, 96], 'wind': 45"));
    const struct terrane_texture *dunes = &recipe.world.cover.material[0].texture;
    assert_int_equal(dunes->kind, TERRANE_DUNES);
    assert_true(dunes->size_m[0] == 24 && dunes->size_m[1] == 96);
    assert_true(dunes->strength == 0.25f && dunes->wind == 45);
    REFUSED_STRUCT(cover.material[0].texture.kind, -1, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].texture.kind, TERRANE_TEXTURES, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].texture.size_m[0], 97.0f, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].texture.size_m[0], 0.0f / 0.0f, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].texture.size_m[1], 1.0f / 0.0f, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].texture.strength, 0.51f, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].texture.wind, -1.0f, TERRANE_ECOVER);
}

TEST(structures_are_checked)
{
    good(WHERE("'slope': [0, 1, 2, 3]"));
    REFUSED_STRUCT(cover.materials, -1, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.materials, 9, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].conditions, -1, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].conditions, 9, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].share, 0.0f / 0.0f, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].share, 1.0001f, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].condition[0].of, -1, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].condition[0].of, TERRANE_COVER_QUANTITIES + recipe.world.terms,
                   TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].condition[0].rise[0], -1.0f / 0.0f, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].condition[0].rise[1], 0.0f / 0.0f, TERRANE_ECOVER);
    /* where it falls already */
    REFUSED_STRUCT(cover.material[0].condition[0].rise[1], 2.5f, TERRANE_ECOVER);
    REFUSED_STRUCT(cover.material[0].condition[0].fall[1], 2.0f, TERRANE_ECOVER);
    /* What does not count: the last one's share and conditions, numbers of an open side, the sign of a zero. */
    struct terrane_recipe same = recipe.world;
    same.cover.material[1].share = 0.25f;
    same.cover.material[1].conditions = 1;
    same.cover.material[0].condition[0].rise[0] = -0.0f;
    assert_int_equal(terrane_recipe_init(&same, NULL), 0);
    assert_memory_equal(&same, &recipe.world, sizeof same);
}

GROUP(recipe_cover);
