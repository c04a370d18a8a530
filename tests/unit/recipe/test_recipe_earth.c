/*
 * Recipes with plates, climate and coarse terms (lib/recipe_earth.c): what is refused and where, what counts, and the digest;
 * but for what test_recipe_rows.c asks of rows.
 */
#include "../recipe_kit.h"

#include "../../../lib/recipe/member.h"

enum { CRUST = TERMS, COARSE, RAIN, ALL };

/* The others' recipe, and one term of each kind: what is coarse rests on plates, the climate's ground on what is coarse. */
static struct terrane_recipe middle(void)
{
    struct terrane_recipe recipe = recipe_middle(TERRANE_PARTITION_NOISE);
    members_default(&plates_members, &recipe.plates);
    recipe.plates.cell_log2 = 12;
    members_default(&weather_members, &recipe.climate);
    recipe.climate.cell_log2 = 8;
    recipe.climate.period_log2 = 20;
    recipe.climate.ground = COARSE;
    recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_PLATES, .of = TERRANE_PLATES_CRUST});
    recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_COARSE, .of = 6, .inputs = 1, .in = {CRUST}});
    recipe_add(&recipe,
               (struct terrane_term){.op = TERRANE_OP_CLIMATE, .of = 1, .inputs = 1, .in = {COARSE}});
    recipe_add(&recipe, (struct terrane_term){
                            .op = TERRANE_OP_SUM, .inputs = 2, .in = {HEIGHT, RAIN}, .factor = {1, 0.01f}});
    return recipe;
}

#define TAKEN(member, value) (made = middle(), made.member = (value), expect_taken(&made))
#define REFUSED(member, value, error, where) \
    (made = middle(), made.member = (value), expect_refused(&made, error, where))
#define INTS(member, low, high, error, where)      \
    do {                                           \
        TAKEN(member, low);                        \
        TAKEN(member, high);                       \
        REFUSED(member, (low)-1, error, where);    \
        REFUSED(member, (high) + 1, error, where); \
        REFUSED(member, INT32_MIN, error, where);  \
        REFUSED(member, INT32_MAX, error, where);  \
    } while (0)

TEST(cells_quantities_and_periods_have_limits)
{
    struct terrane_recipe made = middle();
    expect_taken(&made);
    INTS(plates.cell_log2, 9, 34, TERRANE_EPLATES, -1);
    INTS(term[CRUST].of, 0, TERRANE_PLATES_OFS - 1, TERRANE_EPLATES, CRUST);
    TAKEN(climate.cell_log2, 6);
    TAKEN(climate.cell_log2, 14); /* 2^6 of them are the period */
    REFUSED(climate.cell_log2, 15, TERRANE_ECLIMATE, -1);
    REFUSED(climate.cell_log2, 5, TERRANE_ECLIMATE, COARSE);
    REFUSED(climate.cell_log2, 3, TERRANE_ECLIMATE, -1);
    INTS(climate.period_log2, 14, 40, TERRANE_ECLIMATE, -1);
    INTS(term[RAIN].of, 0, TERRANE_CLIMATE_OFS - 1, TERRANE_ECLIMATE, RAIN);
    TAKEN(term[COARSE].of, 4);
    TAKEN(term[COARSE].of, 8);
    REFUSED(term[COARSE].of, 9, TERRANE_ECLIMATE, COARSE); /* wider than the climate's cell */
    REFUSED(term[COARSE].of, 3, TERRANE_ECELL, COARSE);
    REFUSED(term[COARSE].of, 23, TERRANE_ECELL, COARSE);
    TAKEN(climate.period_log2, 0);
    REFUSED(plates.cell_log2, 0, TERRANE_EPLATES, CRUST); /* none, and a term asks */
    REFUSED(climate.cell_log2, 0, TERRANE_ECLIMATE, RAIN);
    REFUSED(climate.ground, -1, TERRANE_ECLIMATE, RAIN);
    REFUSED(climate.ground, CRUST, TERRANE_ECLIMATE, RAIN); /* the term names another */
    REFUSED(climate.cold_c, nextafterf(28, 29), TERRANE_ECLIMATE, -1);
    TAKEN(climate.cold_c, 28);
    REFUSED(term[RAIN].inputs, 0, TERRANE_ETERM, RAIN);
    REFUSED(term[COARSE].inputs, 2, TERRANE_ETERM, COARSE);
    REFUSED(term[COARSE].in[0], COARSE, TERRANE_ETERM, COARSE);
}

TEST(fields_are_made_of_no_fields)
{
    struct terrane_recipe made;
    REFUSED(term[COARSE].in[0], ZONES, TERRANE_ECLIMATE, COARSE); /* the climate's ground comes first */
    made = middle();
    made.climate.ground = made.term[RAIN].in[0] = ZONES;
    expect_refused(&made, TERRANE_ECLIMATE, ZONES);
    made = middle();
    recipe_add(&made, (struct terrane_term){.op = TERRANE_OP_COARSE, .of = 9, .inputs = 1, .in = {RAIN}});
    expect_refused(&made, TERRANE_ECOARSE, ALL + 1);
    made.term[ALL + 1].in[0] = CRUST;
    expect_taken(&made);
    recipe_add(&made, (struct terrane_term){.op = TERRANE_OP_COARSE, .of = 8, .inputs = 1, .in = {ALL + 1}});
    expect_refused(&made, TERRANE_ECOARSE, ALL + 2);
    made.term[ALL + 2].of = 9;
    expect_taken(&made);
    while (made.terms < ALL + 9)
        recipe_add(&made, made.term[ALL + 1]);
    expect_refused(&made, TERRANE_ECOARSE, made.terms - 1); /* the ninth */
    made.terms--;
    expect_taken(&made);
}

TEST(what_counts_is_in_the_digest)
{
    struct digests digests = {0};
    struct terrane_recipe made = middle(), plain;
#define MOVED(member, value) (made = middle(), made.member = (value), digest_new(&digests, made))
    digest_new(&digests, made);
    MOVED(plates.cell_log2, 13);
    MOVED(plates.salt, 1);
    MOVED(climate.cell_log2, 9);
    MOVED(climate.period_log2, 21);
    MOVED(climate.period_log2, 0);
    MOVED(climate.salt, 1);
    MOVED(term[CRUST].of, 1);
    MOVED(term[COARSE].of, 7);
    MOVED(term[RAIN].of, 2);
    made = middle();
    made.climate.ground = made.term[RAIN].in[0] = CRUST;
    digest_new(&digests, made);
#undef MOVED
    made = middle(); /* without either, nothing of them counts */
    made.terms = TERMS;
    made.plates.cell_log2 = made.climate.cell_log2 = 0;
    made.plates.land = made.climate.lapse = NAN;
    made.climate.ground = -7;
    plain = recipe_middle(TERRANE_PARTITION_NOISE);
    expect_same(made, plain);
    made.term[HEIGHT].of = 3; /* a sum has no quantity */
    expect_same(made, plain);
}

GROUP(recipe_earth);
