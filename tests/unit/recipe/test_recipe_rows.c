/*
 * Members of recipes as rows (lib/recipe/members.c): each is taken at the ends of its range and refused beyond, counts in
 * the digest, and loses the sign of a zero. What the ends are, schema and program are asked (tests/config/test_worlds.py).
 */
#include "../recipe_kit.h"

#include "../../../lib/recipe/member.h"
#include "../../../lib/recipe/recipe.h"

/* A structure inside a recipe that is taken. */
struct part {
    const struct terrane_recipe *recipe;
    const struct members *members;
    size_t offset;
    unsigned traits;
    int error, where;
};

static struct terrane_recipe recipe_with(const struct part *part, const struct member *member, double value)
{
    struct terrane_recipe recipe = *part->recipe;
    const float narrow = (float)value;
    const int whole = member->type == MEMBER_FLOAT ? 0 : (int)value;
    void *const at = (char *)&recipe + part->offset + member->at;
    if (member->type == MEMBER_FLOAT)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &whole, sizeof whole);
    return recipe;
}

static void expect_end(const struct part *part, const struct member *member, double end, double outwards,
                       struct digests *digests)
{
    const struct terrane_recipe taken = recipe_with(part, member, end);
    const bool narrow = member->type == MEMBER_FLOAT;
    const double next =
        narrow ? (double)nextafterf((float)end, (float)outwards) : end + (outwards < 0 ? -1 : 1);
    const struct terrane_recipe refused = recipe_with(part, member, next);
    const struct terrane_recipe far =
        recipe_with(part, member, narrow ? outwards : end + copysign(1e9, outwards));
    expect_taken(&taken);
    if (memcmp(&taken, part->recipe, sizeof taken) != 0)
        digest_new(digests, taken);
    expect_refused(&refused, part->error, part->where);
    expect_refused(&far, part->error, part->where);
}

static void expect_rows(const struct part *part, struct digests *digests)
{
    int rows = 0;
    for (size_t k = 0; k < part->members->count; k++) {
        const struct member *member = &part->members->row[k];
        if (member->type == MEMBER_OTHER || member->type == MEMBER_COLOUR ||
            (member->trait != 0 && !(member->trait & part->traits)))
            continue;
        rows++;
        expect_end(part, member, member->min, -INFINITY, digests);
        expect_end(part, member, member->max, INFINITY, digests);
        if (member->type != MEMBER_FLOAT)
            continue;
        const struct terrane_recipe nan = recipe_with(part, member, NAN);
        expect_refused(&nan, part->error, part->where);
        if (member->min <= 0)
            expect_same(recipe_with(part, member, 0), recipe_with(part, member, -0.0));
    }
    assert_true(rows > 0);
}

#define AT(member) offsetof(struct terrane_recipe, member)
/* The k-th of those that stand one behind the other. */
#define AT_OF(array, k, member) (AT(array[0] member) + (size_t)(k) * sizeof recipe.array[0])
#define ROWS(members, at, traits, error, where, digests) \
    expect_rows(&(struct part){&recipe, &members, at, traits, error, where}, digests)

TEST(rows_of_terms)
{
    static struct terrane_recipe recipe;
    struct digests digests = {0};
    recipe = recipe_middle(TERRANE_PARTITION_NOISE);
    for (int term = BASES; term < SMOOTHED; term++)
        ROWS(fractal_members, AT_OF(term, term, .fractal), fractal_traits(&recipe.term[term].fractal),
             TERRANE_EAMPLITUDE, term, &digests);
    ROWS(term_sum_members, AT(term[SUM]), 0, TERRANE_EAMPLITUDE, SUM, &digests);
    ROWS(term_product_members, AT(term[PRODUCT]), 0, TERRANE_EAMPLITUDE, PRODUCT, &digests);
}

TEST(rows_of_zones)
{
    static struct terrane_recipe recipe;
    struct digests digests = {0};
    recipe = recipe_middle(TERRANE_PARTITION_VORONOI);
    for (int zone = 0; zone < 3; zone++)
        ROWS(zone_members, AT_OF(partition.zone, zone, ), ZONE_SURFACE | ZONE_DRAWN, TERRANE_EAMPLITUDE, zone,
             &digests);
    ROWS(sites_members, AT(partition), 0, TERRANE_ETHRESHOLD, -1, &digests);
    ROWS(voronoi_members, AT(partition), 0, TERRANE_EAMPLITUDE, -1, &digests);
    recipe = recipe_middle(TERRANE_PARTITION_CLIMATE);
    ROWS(table_members, AT(partition), 0, TERRANE_ETHRESHOLD, -1, &digests);
}

TEST(rows_of_plates_and_climate)
{
    static struct terrane_recipe recipe;
    struct digests digests = {0};
    recipe = recipe_middle(TERRANE_PARTITION_NOISE);
    members_default(&plates_members, &recipe.plates);
    recipe.plates.cell_log2 = 12;
    ROWS(plates_members, AT(plates), 0, TERRANE_EPLATES, -1, &digests);
    members_default(&weather_members, &recipe.climate);
    recipe.climate.cell_log2 = 8;
    recipe.climate.ground = BASES;
    recipe.climate.warm_c = 100;
    recipe.climate.cold_c = -100;
    for (size_t k = 3; k < weather_members.count; k++) { /* the one of these two is above the other */
        const struct members one = {weather_members.row + k, 1};
        if (one.row->type == MEMBER_OTHER)
            continue;
        ROWS(one, AT(climate), 0, TERRANE_ECLIMATE, -1, &digests);
    }
}

TEST(rows_of_works)
{
    static struct terrane_recipe recipe;
    struct digests digests = {0}, of_caves = {0}, of_rivers = {0}, of_ice = {0};
    recipe = recipe_middle(TERRANE_PARTITION_VORONOI);
    recipe.erosion = (struct terrane_erosion){.levels = 2, .phases = {1, 1}, .steps = {4, 4}, .limit = 0.5f};
    for (int zone = 0; zone < 3; zone++)
        members_default(&droplets_members, &recipe.erosion.zone[zone]);
    for (int zone = 0; zone < 3; zone++)
        ROWS(droplets_members, AT_OF(erosion.zone, zone, ), 0, TERRANE_EEROSION, zone, &digests);
    members_default(&lakes_members, &recipe.lakes);
    recipe.lakes.shallow_m = 0;
    recipe.lakes.depth_m = 32768;
    ROWS(lakes_members, AT(lakes), 0, TERRANE_ELAKES, -1, &digests);
    recipe.lakes.share = 0;
    members_default(&caves_members, &recipe.caves);
    ROWS(caves_members, AT(caves), 0, TERRANE_ECAVES, -1, &of_caves);
    recipe.rivers.runoff = -1;
    members_default(&rivers_members, &recipe.rivers);
    recipe.erosion.levels = recipe.rivers.bottom;
    memset(recipe.erosion.steps, 4, sizeof recipe.erosion.steps);
    const struct members rest = {rivers_members.row + 2, rivers_members.count - 2}; /* all but top, bottom */
    ROWS(rest, AT(rivers), RIVERS_EVEN, TERRANE_ERIVERS, -1, &of_rivers);
    members_default(&ice_members, &recipe.ice);
    ROWS(ice_members, AT(ice), 0, TERRANE_ERIVERS, -1, &of_ice);
}

GROUP(recipe_rows);
