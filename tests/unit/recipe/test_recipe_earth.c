/*
 * Recipes with plates, climate and coarse terms (lib/recipe/recipe_earth.c): what is refused and where;
 * but for what test_recipe_rows.c asks of rows.
 */
#include "recipe_ends_kit.h"

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

TEST(cells_quantities_and_periods_have_limits)
{
    made = middle();
    expect_taken(&made);
    INTS_AT(plates.cell_log2, 9, 34, TERRANE_EPLATES, -1);
    INTS_AT(term[CRUST].of, 0, TERRANE_PLATES_OFS - 1, TERRANE_EPLATES, CRUST);
    TAKEN(climate.cell_log2, 6);
    TAKEN(climate.cell_log2, 14); /* 2^6 of them are the period */
    REFUSED_AT(climate.cell_log2, 15, TERRANE_ECLIMATE, -1);
    REFUSED_AT(climate.cell_log2, 5, TERRANE_ECLIMATE, COARSE);
    REFUSED_AT(climate.cell_log2, 3, TERRANE_ECLIMATE, -1);
    INTS_AT(climate.period_log2, 14, 40, TERRANE_ECLIMATE, -1);
    INTS_AT(term[RAIN].of, 0, TERRANE_CLIMATE_OFS - 1, TERRANE_ECLIMATE, RAIN);
    TAKEN(term[COARSE].of, 4);
    TAKEN(term[COARSE].of, 8);
    REFUSED_AT(term[COARSE].of, 9, TERRANE_ECLIMATE, COARSE); /* wider than the climate's cell */
    REFUSED_AT(term[COARSE].of, 3, TERRANE_ECELL, COARSE);
    REFUSED_AT(term[COARSE].of, 23, TERRANE_ECELL, COARSE);
    TAKEN(climate.period_log2, 0);
    REFUSED_AT(plates.cell_log2, 0, TERRANE_EPLATES, CRUST); /* none, and a term asks */
    REFUSED_AT(climate.cell_log2, 0, TERRANE_ECLIMATE, RAIN);
    REFUSED_AT(climate.ground, -1, TERRANE_ECLIMATE, RAIN);
    REFUSED_AT(climate.ground, CRUST, TERRANE_ECLIMATE, RAIN); /* the term names another */
    REFUSED_AT(climate.cold_c, nextafterf(28, 29), TERRANE_ECLIMATE, -1);
    TAKEN(climate.cold_c, 28);
    REFUSED_AT(term[RAIN].inputs, 0, TERRANE_ETERM, RAIN);
    REFUSED_AT(term[COARSE].inputs, 2, TERRANE_ETERM, COARSE);
    REFUSED_AT(term[COARSE].in[0], COARSE, TERRANE_ETERM, COARSE);
}

TEST(fields_are_made_of_no_fields)
{
    REFUSED_AT(term[COARSE].in[0], ZONES, TERRANE_ECLIMATE, COARSE); /* the climate's ground comes first */
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

GROUP(recipe_earth);
