/*
 * Recipes: what they say of erosion and lakes. Checked, made canonical, put into the digest.
 */
#include <string.h>

#include "digest.h"
#include "erosion.h"
#include "recipe.h"

enum { NUMBERS = TERRANE_DROPLET_NUMBERS };

_Static_assert(sizeof(struct terrane_droplets) == NUMBERS * sizeof(float), "nothing but numbers");

/* ---- Checks -------------------------------------------------------------------------------------------- */

/* Ranges of the members of struct terrane_droplets, in their order. */
static const float least[NUMBERS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
static const float most[NUMBERS] = {1, TERRANE_STEPS_MAX, 0.99f, 64, 1, 1, 1, 1, 64, 16, 16, 89};

/* Also false for NaN. */
static bool within(double v, double low, double high)
{
    return v >= low && v <= high;
}

static int droplets_check(const struct terrane_droplets *droplets)
{
    float number[NUMBERS];
    memcpy(number, droplets, sizeof number);
    for (int k = 0; k < NUMBERS; k++)
        if (!within((double)number[k], (double)least[k], (double)most[k]))
            return TERRANE_EEROSION;
    return 0;
}

static int levels_check(const struct terrane_recipe *recipe)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    for (int level = 0; level < erosion->levels; level++) {
        if (erosion->phases[level] > TERRANE_PHASES_MAX || erosion->steps[level] < 1 ||
            erosion->steps[level] > TERRANE_STEPS_MAX || erosion->slides[level] > TERRANE_SLIDES_MAX)
            return TERRANE_EEROSION;
        if (terrane_erosion_halo(recipe, level) > TERRANE_HALO_MAX)
            return TERRANE_EHALO;
    }
    return 0;
}

static int erosion_check(const struct terrane_recipe *recipe, int *where)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    int error;
    if (erosion->levels == 0)
        return 0;
    if (!within(erosion->levels, 1, TERRANE_LEVEL_MAX + 1) || !within((double)erosion->limit, 0x1p-10, 1))
        return TERRANE_EEROSION;
    if ((error = levels_check(recipe)) != 0)
        return error;
    for (int k = 0; k < recipe->partition.zones; k++)
        if ((error = droplets_check(&erosion->zone[k])) != 0) {
            *where = k;
            return error;
        }
    return erosion_unit_log2(recipe) <= EROSION_UNIT_LOG2_MOST ? 0 : TERRANE_EEROSION;
}

static int lakes_check(const struct terrane_lakes *lakes)
{
    const bool fine =
        within((double)lakes->share, 0, 1) &&
        (lakes->share == 0 ||
         (within(lakes->level, 0, TERRANE_LEVEL_MAX) && within(lakes->cell_log2, 3, 8) &&
          within(lakes->radius, 4, TERRANE_LAKE_RADIUS_MAX) && within((double)lakes->depth_m, 0, 32768) &&
          within((double)lakes->shallow_m, 0, (double)lakes->depth_m)));
    return fine ? 0 : TERRANE_ELAKES;
}

int recipe_erosion_check(const struct terrane_recipe *recipe, int *where)
{
    int error = erosion_check(recipe, where);
    if (!error)
        error = lakes_check(&recipe->lakes);
    return error ? error : recipe_paths_check(recipe);
}

/* ---- Canonical form and digest ------------------------------------------------------------------------- */

void recipe_erosion_canonical(struct terrane_recipe *out, const struct terrane_recipe *in)
{
    const size_t levels = (size_t)in->erosion.levels;
    if (levels > 0) {
        out->erosion.levels = in->erosion.levels;
        memcpy(out->erosion.phases, in->erosion.phases, levels);
        memcpy(out->erosion.steps, in->erosion.steps, levels);
        memcpy(out->erosion.slides, in->erosion.slides, levels);
        out->erosion.limit = in->erosion.limit;
        for (int k = 0; k < in->partition.zones; k++) {
            float number[NUMBERS];
            memcpy(number, &in->erosion.zone[k], sizeof number);
            for (int n = 0; n < NUMBERS; n++)
                number[n] += 0.0f; /* -0 becomes +0 */
            memcpy(&out->erosion.zone[k], number, sizeof number);
        }
    }
    if (in->lakes.share > 0) {
        out->lakes = in->lakes;
        out->lakes.depth_m += 0.0f;
        out->lakes.shallow_m += 0.0f;
    }
}

void recipe_erosion_digest(struct digest *digest, const struct terrane_recipe *recipe)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    const struct terrane_lakes *lakes = &recipe->lakes;
    digest_put(digest, (uint64_t)erosion->levels, 4);
    for (int level = 0; level < erosion->levels; level++) {
        digest_put(digest, erosion->phases[level], 1);
        digest_put(digest, erosion->steps[level], 1);
        digest_put(digest, erosion->slides[level], 1);
    }
    digest_put_float(digest, erosion->limit);
    for (int k = 0; k < recipe->partition.zones && erosion->levels > 0; k++) {
        float number[NUMBERS];
        memcpy(number, &erosion->zone[k], sizeof number);
        for (int n = 0; n < NUMBERS; n++)
            digest_put_float(digest, number[n]);
    }
    digest_put_float(digest, lakes->share);
    digest_put(digest, (uint64_t)lakes->level, 4);
    digest_put(digest, (uint64_t)lakes->cell_log2, 4);
    digest_put(digest, (uint64_t)lakes->radius, 4);
    digest_put_float(digest, lakes->depth_m);
    digest_put_float(digest, lakes->shallow_m);
}
