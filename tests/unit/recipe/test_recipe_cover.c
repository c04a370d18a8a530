/*
 * Cover in recipes: what JSON says (lib/recipe/read_cover.c), and what the library refuses, counts and names
 * (lib/recipe_cover.c). Ends of numbers: tests/config/test_worlds.py.
 */
#include "recipe_json_kit.h"

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

TEST(order_of_keys_changes_nothing)
{
    good(WHERE("'rain': [0, 1, null, null], 'slope': [null, null, 1, 2], 'warmth': [0, 1, 2, 3]"));
    const struct terrane_digest digest = recipe.world.digest;
    good(WHERE("'warmth': [0, 1, 2, 3], 'slope': [null, null, 1, 2], 'rain': [0, 1, null, null]"));
    assert_memory_equal(&recipe.world.digest, &digest, sizeof digest);
    good(WHERE("'warmth': [0, 1, 2, 4], 'slope': [null, null, 1, 2], 'rain': [0, 1, null, null]"));
    assert_memory_not_equal(&recipe.world.digest, &digest, sizeof digest);
}

TEST(refusals_name_the_place)
{
    assert_refused("{'height': 1, 'cover': {}}",
                   "/cover/materials: is missing: what covers the ground, from first to last");
    assert_refused_at("{'height': 1, 'cover': {'materials': []}}", "/cover/materials: ");
    assert_refused_at(
        COVER(REST ", " REST ", " REST ", " REST ", " REST ", " REST ", " REST ", " REST ", " REST),
        "/cover/materials: ");
    assert_refused(COVER(REST ", " REST), "/cover/materials/1: material 0 is called \"grass\" already");
    assert_refused(COVER("{'colour': '#ffffff'}"), "/cover/materials/0/name: is missing");
    assert_refused(COVER("{'name': 'snow'}"), "/cover/materials/0/colour: is missing");
    assert_refused(COVER("{'name': '1', 'colour': '#ffffff'}"),
                   "/cover/materials/0/name: is no name of a material: allowed [A-Za-z][A-Za-z0-9 _-]{0,22}");
    assert_refused(
        COVER("{'name': 'snow', 'colour': '#ffffff', 'share': 1}"),
        "/cover/materials/0/share: is of the last material, which takes what the others leave: allowed none");
    assert_refused_at(COVER("{'name': 'snow', 'colour': '#ffffff', 'where': {}}"),
                      "/cover/materials/0/where: is of");
#define AT "/cover/materials/0/where"
    assert_refused(WHERE("'slop': [0, 1, null, null]"),
                   AT "/slop: there is no quantity or term \"slop\"; did you mean \"slope\"?");
    assert_refused_at(WHERE("'': [0, 1, null, null]"), AT "/: there is no quantity or term \"\"");
    assert_refused_at(WHERE("'slope': [0, 1]"), AT "/slope");
    assert_refused(WHERE("'slope': [null, null, null, null]"), AT "/slope: asks nothing: all four are null");
    assert_refused(WHERE("'slope': [null, 1, null, null]"),
                   AT "/slope/0: is null beside a number: allowed both or neither");
    assert_refused(WHERE("'slope': [0, 1, 2, null]"),
                   AT "/slope/3: is null beside a number: allowed both or neither");
    assert_refused(WHERE("'slope': [1, 1, null, null]"),
                   AT "/slope/1: 1 is not above the number before, 1, by 9.536743e-07");
    assert_refused(WHERE("'slope': [0, 2, 1, 3]"), AT "/slope/2: 1 is below where it is whole, 2");
    assert_refused_at(WHERE("'slope': [0, 1048577, null, null]"), AT "/slope/1");
    assert_refused_at(WHERE("'slope': 1"), AT "/slope");
    assert_refused_at(COVER("{'name': 'snow', 'colour': '#ffffff', 'where': 3}, " REST), AT);
    assert_refused(
        "{'terms': {'a': {'sum': ['b']}, 'b': {'sum': ['a']}}, 'height': 1, 'cover': {'materials': [{"
        "'name': 'snow', 'colour': '#ffffff', 'where': {'a': [0, 1, null, null]}}, " REST "]}}",
        "/terms/a: cycle: a -> b -> a");
    assert_refused(
        WHERE("'slope': [0, 1, null, null], 'curvature': [0, 1, null, null], 'height': [0, 1, null, null],"
              "'depth': [0, 1, null, null], 'wetness': [0, 1, null, null], 'river': [0, 1, null, null],"
              "'shore': [0, 1, null, null], 'warmth': [0, 1, null, null], 'rain': [0, 1, null, null]"),
        AT ": has 9 conditions: allowed at most 8");
}

/* ---- As a structure ------------------------------------------------------------------------------------ */

#define REFUSED(member, value)                                             \
    do {                                                                   \
        struct terrane_recipe bad = recipe.world;                          \
        bad.member = (value);                                              \
        assert_int_equal(terrane_recipe_init(&bad, NULL), TERRANE_ECOVER); \
    } while (0)
#define DIFFERS(member, value)                                                             \
    do {                                                                                   \
        struct terrane_recipe other = recipe.world;                                        \
        other.member = (value);                                                            \
        assert_int_equal(terrane_recipe_init(&other, NULL), 0);                            \
        assert_memory_not_equal(&other.digest, &recipe.world.digest, sizeof other.digest); \
    } while (0)

TEST(textures_are_read_and_refused_by_name)
{
#define TEXTURED(texture) COVER("{'name': 'sand', 'colour': '#ffffff', 'texture': {" texture "}}")
    good(TEXTURED("'kind': 'dunes', 'size_m': [24, 96], 'wind': 45"));
    const struct terrane_texture *dunes = &recipe.world.cover.material[0].texture;
    assert_int_equal(dunes->kind, TERRANE_DUNES);
    assert_true(dunes->size_m[0] == 24 && dunes->size_m[1] == 96);
    assert_true(dunes->strength == 0.25f && dunes->wind == 45);
    REFUSED(cover.material[0].texture.kind, -1);
    REFUSED(cover.material[0].texture.kind, TERRANE_TEXTURES);
    REFUSED(cover.material[0].texture.size_m[0], 97.0f);
    REFUSED(cover.material[0].texture.size_m[0], 0.0f / 0.0f);
    REFUSED(cover.material[0].texture.size_m[1], 1.0f / 0.0f);
    REFUSED(cover.material[0].texture.strength, 0.51f);
    REFUSED(cover.material[0].texture.wind, -1.0f);
    DIFFERS(cover.material[0].texture.kind, TERRANE_STRATA);
    DIFFERS(cover.material[0].texture.kind, TERRANE_PLAIN);
    DIFFERS(cover.material[0].texture.size_m[1], 97.0f);
    DIFFERS(cover.material[0].texture.strength, 0.3f);
    DIFFERS(cover.material[0].texture.wind, 46.0f);
#define TEXTURE "/cover/materials/0/texture"
    assert_refused(TEXTURED("'size_m': [1, 2]"), TEXTURE "/kind: is missing");
    assert_refused(TEXTURED("'kind': 'strata'"), TEXTURE "/size_m: is missing");
    assert_refused_at(TEXTURED("'kind': 'plain', 'size_m': [1, 2]"), TEXTURE "/kind: ");
    assert_refused(TEXTURED("'kind': 'strata', 'size_m': [2, 1]"),
                   TEXTURE "/size_m/1: 1 is below the size before, 2");
    assert_refused_at(TEXTURED("'kind': 'strata', 'size_m': [1e-9, 1]"), TEXTURE "/size_m/0: ");
    assert_refused_at(TEXTURED("'kind': 'strata', 'size_m': [1]"), TEXTURE "/size_m: ");
    assert_refused(TEXTURED("'kind': 'strata', 'size_m': [1, 2], 'wind': 3"),
                   TEXTURE "/wind: is of dunes: allowed none");
    assert_refused_at(TEXTURED("'kind': 'dunes', 'size_m': [1, 2], 'strength': 1"), TEXTURE "/strength: ");
}

TEST(structures_are_checked_and_named)
{
    good(WHERE("'slope': [0, 1, 2, 3]"));
    REFUSED(cover.materials, -1);
    REFUSED(cover.materials, 9);
    REFUSED(cover.material[0].conditions, -1);
    REFUSED(cover.material[0].conditions, 9);
    REFUSED(cover.material[0].share, 0.0f / 0.0f);
    REFUSED(cover.material[0].share, 1.0001f);
    REFUSED(cover.material[0].condition[0].of, -1);
    REFUSED(cover.material[0].condition[0].of, TERRANE_COVER_QUANTITIES + recipe.world.terms);
    REFUSED(cover.material[0].condition[0].rise[0], -1.0f / 0.0f);
    REFUSED(cover.material[0].condition[0].rise[1], 0.0f / 0.0f);
    REFUSED(cover.material[0].condition[0].rise[1], 2.5f); /* where it falls already */
    REFUSED(cover.material[0].condition[0].fall[1], 2.0f);
    DIFFERS(cover.materials, 1);
    DIFFERS(cover.material[0].share, 0.5f);
    DIFFERS(cover.material[0].name[1], 'l');
    DIFFERS(cover.material[1].colour[2], 7);
    DIFFERS(cover.material[0].conditions, 0);
    DIFFERS(cover.material[0].condition[0].of, TERRANE_COVER_RIVER);
    DIFFERS(cover.material[0].condition[0].rises, false);
    DIFFERS(cover.material[0].condition[0].fall[1], 4.0f);
    /* What does not count: the last one's share and conditions, numbers of an open side, the sign of a zero. */
    struct terrane_recipe same = recipe.world;
    same.cover.material[1].share = 0.25f;
    same.cover.material[1].conditions = 1;
    same.cover.material[0].condition[0].rise[0] = -0.0f;
    assert_int_equal(terrane_recipe_init(&same, NULL), 0);
    assert_memory_equal(&same, &recipe.world, sizeof same);
}

GROUP(recipe_cover);
