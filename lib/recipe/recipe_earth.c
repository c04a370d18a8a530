/* Recipes: check, canonical form and digest of plates and climate. */
#include "../base/digest.h"
#include "limits.h"
#include "member.h"
#include "recipe.h"

static bool has_plates(const struct terrane_recipe *recipe)
{
    return recipe->plates.cell_log2 != 0;
}

static bool has_climate(const struct terrane_recipe *recipe)
{
    return recipe->climate.cell_log2 != 0;
}

/* The coarsest nodes among a term's dependencies; -1: no coarse term. */
static int coarsest_of(const struct terrane_recipe *recipe, int term)
{
    const uint64_t rests = recipe_rests_on(recipe, recipe_term_bit(term));
    int coarsest = -1;
    for (int t = 0; t < recipe->terms; t++)
        if (recipe->term[t].op == TERRANE_OP_COARSE && rests & recipe_term_bit(t) &&
            recipe->term[t].of > coarsest)
            coarsest = recipe->term[t].of;
    return coarsest;
}

static int plates_check(const struct terrane_plates *plates)
{
    return plates->cell_log2 >= 9 && plates->cell_log2 <= 34 && members_within(&plates_members, 0, plates)
               ? 0
               : TERRANE_EPLATES;
}

static int climate_check(const struct terrane_recipe *recipe)
{
    const struct terrane_climate *climate = &recipe->climate;
    const int period = climate->period_log2;
    const bool cells = climate->cell_log2 >= 4 && climate->cell_log2 <= 22 &&
                       (period == 0 || (period >= climate->cell_log2 + 6 && period <= TERRANE_CELL_LOG2_MAX));
    return cells && climate->ground >= 0 && climate->ground < recipe->terms &&
                   members_within(&weather_members, 0, climate) && climate->cold_c <= climate->warm_c
               ? 0
               : TERRANE_ECLIMATE;
}

/* Terms that make fields depend on no fields, except coarse terms whose nodes are no coarser. */
static bool makes_fields(const struct terrane_recipe *recipe, int term, int nodes)
{
    const uint64_t never =
        recipe_terms_of(recipe, TERRANE_OP_ZONES) | recipe_terms_of(recipe, TERRANE_OP_CLIMATE);
    return !(recipe_rests_on(recipe, recipe_term_bit(term)) & never) && coarsest_of(recipe, term) <= nodes;
}

static int ground_check(const struct terrane_recipe *recipe, int *where)
{
    if (makes_fields(recipe, recipe->climate.ground, recipe->climate.cell_log2))
        return 0;
    *where = recipe->climate.ground;
    return TERRANE_ECLIMATE;
}

static int coarse_check(const struct terrane_recipe *recipe, int *where)
{
    int coarse = 0;
    for (int t = 0; t < recipe->terms; t++) {
        const struct terrane_term *term = &recipe->term[t];
        if (term->op != TERRANE_OP_COARSE ||
            (++coarse <= FIELDS_COARSE && makes_fields(recipe, term->in[0], term->of)))
            continue;
        *where = t;
        return TERRANE_ECOARSE;
    }
    return 0;
}

int recipe_earth_check(const struct terrane_recipe *recipe, int *where)
{
    int error = has_plates(recipe) ? plates_check(&recipe->plates) : 0;
    if (!error && has_climate(recipe))
        error = climate_check(recipe);
    if (!error && has_climate(recipe))
        error = ground_check(recipe, where);
    return error ? error : coarse_check(recipe, where);
}

void recipe_earth_canonical(struct terrane_recipe *out, const struct terrane_recipe *in)
{
    if (has_plates(in)) {
        out->plates.cell_log2 = in->plates.cell_log2;
        out->plates.salt = in->plates.salt;
        members_canonical(&plates_members, 0, &out->plates, &in->plates);
    }
    if (has_climate(in)) {
        out->climate.cell_log2 = in->climate.cell_log2;
        out->climate.period_log2 = in->climate.period_log2;
        out->climate.ground = in->climate.ground;
        out->climate.salt = in->climate.salt;
        members_canonical(&weather_members, 0, &out->climate, &in->climate);
    }
}

void recipe_earth_digest(struct digest *digest, const struct terrane_recipe *recipe)
{
    if (has_plates(recipe)) {
        digest_put(digest, UINT64_C(0x736574616C50), 8); /* "Plates" */
        digest_put(digest, (uint64_t)recipe->plates.cell_log2, 4);
        digest_put(digest, recipe->plates.salt, 4);
        members_digest(&plates_members, digest, &recipe->plates);
    }
    if (has_climate(recipe)) {
        digest_put(digest, UINT64_C(0x6574616D696C43), 8); /* "Climate" */
        digest_put(digest, (uint64_t)recipe->climate.cell_log2, 4);
        digest_put(digest, (uint64_t)recipe->climate.period_log2, 4);
        digest_put(digest, (uint64_t)recipe->climate.ground, 4);
        digest_put(digest, recipe->climate.salt, 4);
        members_digest(&weather_members, digest, &recipe->climate);
    }
}
