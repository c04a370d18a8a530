/*
 * Recipes: what they say of paths and caves. Checked, made canonical, put into the digest.
 */
#include "digest.h"
#include "recipe.h"
#include "terrane_paths.h"

/* ---- Checks -------------------------------------------------------------------------------------------- */

/* Also false for NaN. */
static bool within(double v, double low, double high)
{
    return v >= low && v <= high;
}

static bool has_paths(const struct terrane_recipe *recipe)
{
    return recipe->paths.width_m != 0;
}

static bool has_caves(const struct terrane_recipe *recipe)
{
    return recipe->caves.share != 0;
}

/*
 * Lines keep a reach away from what belongs to other edges, and nodes have pads of two reaches: cells of 32 leave room
 * for both, twice over.
 */
static int paths_check(const struct terrane_recipe *recipe)
{
    const struct terrane_paths *paths = &recipe->paths;
    if (!within(paths->level, 0, TERRANE_LEVEL_MAX) || !within(paths->cell_log2, 4, 7) ||
        !within((double)paths->width_m, 0x1p-6, 1024) || !within((double)paths->slope, 0x1p-6, 1) ||
        !within((double)paths->border_m, 0, 1024) || !within((double)paths->depth_m, 0, 1024))
        return TERRANE_EPATHS;
    const double cell_m = recipe->spacing_m * (double)(INT64_C(1) << (paths->level + paths->cell_log2));
    const double reach_m = (double)paths->width_m / 2 + (double)paths->border_m;
    const bool fine =
        (double)paths->width_m >= 2 * recipe->spacing_m && cell_m >= 32 * reach_m &&
        (recipe->lakes.share == 0 || paths->level <= recipe->lakes.level + TERRANE_LAKES_COARSER);
    if (!fine)
        return TERRANE_EPATHS;
    /* Roundings take two of the steps in which heights are counted: where a slope is no more than that, none could be open. */
    return (double)paths->slope * recipe->spacing_m > 2 * terrane_paths_unit_m(recipe) ? 0 : TERRANE_EPATHS;
}

static int caves_check(const struct terrane_recipe *recipe)
{
    const struct terrane_caves *caves = &recipe->caves;
    const bool fine =
        within((double)caves->share, 0, 1) && within(caves->level, 0, TERRANE_LEVEL_MAX) &&
        within(caves->cell_log2, 4, 8) && within(caves->radius, 8, TERRANE_CAVE_RADIUS_MAX) &&
        within((double)caves->high_m, -32768, 32768) && within((double)caves->roof_m, 1, 1024) &&
        within((double)caves->height_m, 2, 1024) && within((double)caves->room, 4, 4096) &&
        within((double)caves->slope, 0x1p-6, 4) &&
        (recipe->lakes.share == 0 || caves->level <= recipe->lakes.level + TERRANE_LAKES_COARSER) &&
        (!has_paths(recipe) || caves->roof_m >= recipe->paths.depth_m);
    return fine ? 0 : TERRANE_ECAVES;
}

int recipe_paths_check(const struct terrane_recipe *recipe)
{
    const int error = has_paths(recipe) ? paths_check(recipe) : 0;
    return error || !has_caves(recipe) ? error : caves_check(recipe);
}

/* ---- Canonical form and digest ------------------------------------------------------------------------- */

void recipe_paths_canonical(struct terrane_recipe *out, const struct terrane_recipe *in)
{
    if (has_paths(in)) {
        out->paths = in->paths;
        out->paths.border_m += 0.0f; /* -0 becomes +0 */
        out->paths.depth_m += 0.0f;
    }
    if (has_caves(in)) {
        out->caves = in->caves;
        out->caves.high_m += 0.0f;
    }
}

/* Each begins with its name: what follows cannot be taken for the other's. */
void recipe_paths_digest(struct digest *digest, const struct terrane_recipe *recipe)
{
    const struct terrane_paths *paths = &recipe->paths;
    const struct terrane_caves *caves = &recipe->caves;
    if (has_paths(recipe)) {
        digest_put(digest, UINT64_C(0x7368746150), 8); /* "Paths" */
        digest_put_float(digest, paths->width_m);
        digest_put(digest, (uint64_t)paths->level, 4);
        digest_put(digest, (uint64_t)paths->cell_log2, 4);
        digest_put_float(digest, paths->slope);
        digest_put_float(digest, paths->border_m);
        digest_put_float(digest, paths->depth_m);
        for (int k = 0; k < 3; k++)
            digest_put(digest, paths->colour[k], 1);
    }
    if (has_caves(recipe)) {
        digest_put(digest, UINT64_C(0x7365766143), 8); /* "Caves" */
        digest_put_float(digest, caves->share);
        digest_put(digest, (uint64_t)caves->level, 4);
        digest_put(digest, (uint64_t)caves->cell_log2, 4);
        digest_put(digest, (uint64_t)caves->radius, 4);
        digest_put_float(digest, caves->high_m);
        digest_put_float(digest, caves->roof_m);
        digest_put_float(digest, caves->height_m);
        digest_put_float(digest, caves->room);
        digest_put_float(digest, caves->slope);
    }
}
