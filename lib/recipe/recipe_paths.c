/* Recipes: check, canonical form and digest of rivers, ice, paths and caves. */
#include "../base/digest.h"
#include "member.h"
#include "numbers.h"
#include "recipe.h"

/* ---- Checks -------------------------------------------------------------------------------------------- */

static bool has_rivers(const struct terrane_recipe *recipe)
{
    return recipe->rivers.top != 0;
}

static bool has_paths(const struct terrane_recipe *recipe)
{
    return recipe->paths.width_m != 0;
}

static bool has_towns(const struct terrane_recipe *recipe)
{
    return has_paths(recipe) && recipe->paths.towns.block_log2 != 0;
}

static bool has_caves(const struct terrane_recipe *recipe)
{
    return recipe->caves.share != 0;
}

static bool has_ice(const struct terrane_recipe *recipe)
{
    return recipe->ice.width_m != 0;
}

static unsigned rivers_traits(const struct terrane_rivers *rivers)
{
    return rivers->runoff < 0 ? (unsigned)RIVERS_EVEN : 0;
}

static int rivers_check(const struct terrane_recipe *recipe)
{
    const struct terrane_rivers *rivers = &recipe->rivers;
    const bool fine = members_within(&rivers_members, rivers_traits(rivers), rivers) &&
                      rivers->runoff >= -1 && rivers->runoff < recipe->terms && rivers->sand >= 0 &&
                      rivers->sand <= recipe->terms && rivers->top > rivers->bottom &&
                      (rivers->top - rivers->bottom) % 2 == 0 && recipe->erosion.levels == rivers->bottom &&
                      recipe->lakes.share == 0;
    return fine ? 0 : TERRANE_ERIVERS;
}

/* Levels that show lakes; and rivers as lines. */
static bool level_fine(const struct terrane_recipe *recipe, int level)
{
    return (recipe->lakes.share == 0 || level <= recipe->lakes.level + TERRANE_LAKES_COARSER) &&
           (!has_rivers(recipe) || level < recipe->rivers.bottom);
}

/*
 * Lines keep a reach away from other edges' ground, and nodes have pads of two reaches: cells of 32 leave room for
 * both, twice over.
 */
static int paths_check(const struct terrane_recipe *recipe)
{
    const struct terrane_paths *paths = &recipe->paths;
    if (!members_within(&paths_members, 0, paths))
        return TERRANE_EPATHS;
    const double cell_m = recipe->spacing_m * (double)(INT64_C(1) << (paths->level + paths->cell_log2));
    const double reach_m = (double)paths->width_m / 2 + (double)paths->border_m;
    const struct terrane_towns *towns = &paths->towns;
    const bool towns_fine = towns->block_log2 == 0 || (members_within(&towns_members, 0, towns) &&
                                                       towns->lane_m >= (float)(2 * recipe->spacing_m) &&
                                                       towns->lane_m <= paths->width_m);
    const bool fine = paths->width_m >= (float)(2 * recipe->spacing_m) && cell_m >= 32 * reach_m &&
                      level_fine(recipe, paths->level) && towns_fine;
    if (!fine)
        return TERRANE_EPATHS;
    /* Rounding takes two height steps: with a smaller slope no path could be open. */
    return (double)paths->slope * recipe->spacing_m > 2 * terrane_paths_unit_m(recipe) ? 0 : TERRANE_EPATHS;
}

static int caves_check(const struct terrane_recipe *recipe)
{
    const struct terrane_caves *caves = &recipe->caves;
    const bool fine = members_within(&caves_members, 0, caves) && level_fine(recipe, caves->level) &&
                      (!has_paths(recipe) || caves->roof_m >= recipe->paths.depth_m);
    return fine ? 0 : TERRANE_ECAVES;
}

int recipe_paths_check(const struct terrane_recipe *recipe)
{
    int error = has_rivers(recipe) ? rivers_check(recipe) : 0;
    if (!error && has_ice(recipe) && !(has_rivers(recipe) && members_within(&ice_members, 0, &recipe->ice)))
        error = TERRANE_ERIVERS;
    if (!error && has_paths(recipe))
        error = paths_check(recipe);
    return error || !has_caves(recipe) ? error : caves_check(recipe);
}

/* ---- Canonical form and digest ------------------------------------------------------------------------- */

void recipe_paths_canonical(struct terrane_recipe *out, const struct terrane_recipe *in)
{
    if (has_paths(in))
        members_canonical(&paths_members, 0, &out->paths, &in->paths);
    if (has_towns(in))
        members_canonical(&towns_members, 0, &out->paths.towns, &in->paths.towns);
    if (has_caves(in))
        members_canonical(&caves_members, 0, &out->caves, &in->caves);
    if (has_rivers(in)) {
        members_canonical(&rivers_members, rivers_traits(&in->rivers), &out->rivers, &in->rivers);
        out->rivers.runoff = in->rivers.runoff;
        out->rivers.sand = in->rivers.sand;
    }
    if (has_ice(in))
        members_canonical(&ice_members, 0, &out->ice, &in->ice);
}

/* Each begins with its name, so its numbers cannot be taken for another's. */
void recipe_paths_digest(struct digest *digest, const struct terrane_recipe *recipe)
{
    if (has_paths(recipe)) {
        digest_put(digest, UINT64_C(0x7368746150), 8); /* "Paths" */
        members_digest(&paths_members, digest, &recipe->paths);
    }
    if (has_towns(recipe)) {
        digest_put(digest, UINT64_C(0x736E776F54), 8); /* "Towns" */
        members_digest(&towns_members, digest, &recipe->paths.towns);
    }
    if (has_caves(recipe)) {
        digest_put(digest, UINT64_C(0x7365766143), 8); /* "Caves" */
        members_digest(&caves_members, digest, &recipe->caves);
    }
    if (has_rivers(recipe)) {
        digest_put(digest, UINT64_C(0x737265766952), 8); /* "Rivers" */
        digest_put(digest, (uint64_t)(int64_t)recipe->rivers.runoff, 4);
        members_digest(&rivers_members, digest, &recipe->rivers);
    }
    if (has_rivers(recipe) && recipe->rivers.sand > 0) {
        digest_put(digest, UINT64_C(0x646E6153), 8); /* "Sand" */
        digest_put(digest, (uint64_t)recipe->rivers.sand, 4);
    }
    if (has_ice(recipe)) {
        digest_put(digest, UINT64_C(0x656349), 8); /* "Ice" */
        members_digest(&ice_members, digest, &recipe->ice);
    }
}
