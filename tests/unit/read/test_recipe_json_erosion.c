/*
 * Erosion and lakes in recipes as JSON (lib/read/read_erosion_rivers.c, lib/cost/cost.c): what each member sets, and
 * what it all costs. Refusals: tests/config/refusals.json.
 */
#include "../droplets_kit.h"
#include "../recipe_json_kit.h"

#define EROSION(members) "{'height': 1, 'erosion': {" members "}}"
#define LAKES(members)   "{'height': 1, 'lakes': {" members "}}"
#define ZONES(erosion, first, second)                                                   \
    "{'height': 1, " erosion "'partition': {'noise': 1, 'thresholds': [0]}, 'zones': [" \
    "{'name': 'a', 'colour': '#000000'" first "}, {'name': 'b', 'colour': '#000000'" second "}]}"

static void assert_counts(const uint8_t *count, const int *expected, int levels)
{
    for (int level = 0; level < levels; level++)
        assert_int_equal(count[level], expected[level]);
    for (int level = levels; level <= TERRANE_LEVEL_MAX; level++)
        assert_int_equal(count[level], 0);
}

TEST(test_erosion_members)
{
    static const struct terrane_droplets other = {0.25f, 20, 0.5f, 2, 0.125f, 0.75f, 1, 0, 8, 3, 5, 45};
    const struct terrane_erosion *erosion = &recipe.world.erosion;
    good(EROSION(
        "'levels': 3, 'phases': 2, 'steps': 30, 'slides': 7, 'limit': 0.5, 'density': 0.25, 'lifetime': 20,"
        " 'inertia': 0.5, 'capacity': 2, 'min_capacity': 0.125, 'erosion': 0.75, 'deposition': 1,"
        " 'evaporation': 0, 'gravity': 8, 'speed': 3, 'water': 5, 'talus_degrees': 45"));
    assert_int_equal(erosion->levels, 3);
    assert_counts(erosion->phases, (const int[]){2, 2, 2}, 3);
    assert_counts(erosion->steps, (const int[]){30, 30, 30}, 3);
    assert_counts(erosion->slides, (const int[]){7, 7, 7}, 3);
    assert_true(erosion->limit == 0.5f);
    assert_memory_equal(&erosion->zone[0], &other, sizeof other);
}

TEST(test_lists)
{
    const struct terrane_erosion *erosion = &recipe.world.erosion;
    good(EROSION("'levels': 4, 'phases': [0, 3], 'steps': [1, 2, 3, 4], 'slides': [9]"));
    assert_counts(erosion->phases, (const int[]){0, 3, 3, 3}, 4);
    assert_counts(erosion->steps, (const int[]){1, 2, 3, 4}, 4);
    assert_counts(erosion->slides, (const int[]){9, 9, 9, 9}, 4);
    const struct terrane_digest first = recipe.world.digest;
    good(EROSION("'slides': 9, 'steps': [1, 2, 3, 4], 'phases': [0, 3.0, 3, 3], 'levels': 4e0"));
    assert_memory_equal(&recipe.world.digest, &first, sizeof first);
    good(EROSION("'slides': [9, 9, 8], 'steps': [1, 2, 3, 4], 'phases': [0, 3], 'levels': 4"));
    assert_memory_not_equal(&recipe.world.digest, &first, sizeof first);
}

TEST(test_zones)
{
    const struct terrane_droplets *zone = recipe.world.erosion.zone;
    struct terrane_droplets other = droplets_default;
    good(ZONES("'erosion': {'capacity': 6}, ",
               ", 'erosion': {'density': 0.01, 'talus_degrees': 60, 'note': 'hard'}", ""));
    other.capacity = 6;
    assert_memory_equal(&zone[1], &other, sizeof other);
    other.density = 0.01f;
    other.talus_deg = 60;
    assert_memory_equal(&zone[0], &other, sizeof other);
    for (int z = 2; z < TERRANE_ZONES_MAX; z++)
        assert_true(zone[z].density == 0 && zone[z].talus_deg == 0);

    /* What a zone says anew changes nothing; an empty object neither. */
    good(ZONES("'erosion': {}, ", "", ""));
    const struct terrane_digest first = recipe.world.digest;
    good(ZONES("'erosion': {}, ", ", 'erosion': {'lifetime': 30, 'water': 1}", ", 'erosion': {}"));
    assert_memory_equal(&recipe.world.digest, &first, sizeof first);
    good(ZONES("'erosion': {}, ", "", ", 'erosion': {'lifetime': 31}"));
    assert_memory_not_equal(&recipe.world.digest, &first, sizeof first);
    /* The same numbers of all zones, from the recipe or from each. */
    const struct terrane_digest zones = recipe.world.digest;
    good(ZONES("'erosion': {'lifetime': 31}, ", ", 'erosion': {'lifetime': 30}", ""));
    assert_memory_equal(&recipe.world.digest, &zones, sizeof zones);
}

TEST(test_lakes_members)
{
    const struct terrane_lakes *lakes = &recipe.world.lakes;
    good(LAKES("'level': 24, 'cell': 256, 'share': 0.125, 'radius': 4, 'depth_m': 32768, 'shallow_m': 32768, "
               "'note': ''"));
    assert_true(lakes->level == 24 && lakes->cell_log2 == 8 && lakes->share == 0.125f && lakes->radius == 4);
    assert_true(lakes->depth_m == 32768 && lakes->shallow_m == 32768);
    for (int k = 3; k <= 8; k++) {
        char text[80];
        snprintf(text, sizeof text, "{'height': 1, 'lakes': {'cell': %d, 'radius': 4}}", 1 << k);
        good(text);
        assert_int_equal(lakes->cell_log2, k);
    }
    good(LAKES("'depth_m': 0.5")); /* the usual shallow_m follows */
    assert_true(lakes->depth_m == 0.5f && lakes->shallow_m == 0.5f);
    good(LAKES("'depth_m': 0"));
    assert_true(lakes->depth_m == 0 && lakes->shallow_m == 0);
}

/* A little more of each is refused: refusals.json, tests/unit/recipe/test_recipe_erosion.c. */
TEST(what_is_just_taken)
{
    good(EROSION("'phases': 16, 'steps': 10, 'slides': 0")); /* a halo of 16 * 12 */
    /* One level of one phase moves 2^20 m at level 20 with limit 1. */
    good("{'height': 1, 'spacing_m': 1048576, 'erosion': {'levels': 1, 'phases': 4, 'slides': 0, 'limit': "
         "1}}");
    good("{'height': {'product': [8192], 'times': 32768}}"); /* 2^28 m of height */
    /* Many wide levels under costly heights: none of it too dear on its own. */
    good("{'height': {'fractal': 'fbm', 'base': 'cellular-f1', 'octaves': 16, 'cell_m': 1e9},"
         " 'erosion': {'levels': 2, 'phases': 8, 'steps': 10, 'slides': 0, 'density': 0, 'limit': 0.01}}");
}

static double region_cost(void)
{
    struct terrane_cost cost;
    terrane_recipe_cost(&recipe.world, &cost);
    return cost.region;
}

TEST(test_cost)
{
    good("{'height': 1}");
    assert_true(recipe.cost == 1 && region_cost() == 0);
    /* 10 + 4 * (8 + 20 * 0.5 * 16) + 3 * 10 */
    good(EROSION("'levels': 1, 'phases': 4, 'steps': 20, 'lifetime': 16, 'density': 0.5, 'slides': 3"));
    assert_true(recipe.cost == 1 + 712);
    assert_true(region_cost() == (512.0 + 2 * 91) * (512.0 + 2 * 91) / 262144 * 713);
    good(EROSION("'levels': 1, 'phases': 4, 'steps': 16, 'lifetime': 20, 'density': 0.5, 'slides': 3"));
    assert_true(recipe.cost == 1 + 712);
    /* The dearest level counts, with a quarter of the next. */
    good(EROSION("'levels': 3, 'phases': [0, 1, 2], 'slides': 0, 'lifetime': 0"));
    assert_true(recipe.cost == 1 + 26); /* 10, 18, 26 */
    good(EROSION("'levels': 3, 'phases': [2, 1, 0], 'slides': 0, 'lifetime': 0"));
    assert_true(recipe.cost == 1 + 26 + 18 / 4.0 + 10 / 16.0);
    /* The densest zone counts for all. */
    good(ZONES(
        "'erosion': {'levels': 1, 'phases': 1, 'steps': 64, 'slides': 0, 'lifetime': 10, 'density': 0.25}, ",
        "", ", 'erosion': {'density': 0.5}"));
    assert_true(recipe.cost == 1 + 1 + 2 * 3 + 18 + 100);
    good(LAKES("'cell': 8, 'radius': 4, 'share': 0.5")); /* 81 / 64 of 200, half of it */
    assert_true(recipe.cost == 1 + 126.5625);
    assert_true(region_cost() == 528.0 * 528 / 262144 * (1 + 126.5625));
    /* A cell that tries no cave costs its ground alone. */
    good("{'height': 1, 'caves': {'share': 1}}");
    const double all = region_cost();
    good("{'height': 1, 'caves': {'share': 0.25}}");
    assert_true(all > 0 && region_cost() * (1 + 150) == all * (1 + 150 * 0.25));
}

GROUP(recipe_json_erosion);
