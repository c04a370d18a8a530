/* Recipes: check, canonical form and digest of erosion and lakes. */
#include <string.h>

#include "../base/digest.h"
#include "member.h"
#include "numbers.h"
#include "recipe.h"

/* ---- Checks -------------------------------------------------------------------------------------------- */

static int levels_check(const struct terrane_recipe *recipe)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    for (int level = 0; level < erosion->levels; level++) {
        if (erosion->phases[level] > TERRANE_PHASES_MAX || erosion->steps[level] < 1 ||
            erosion->steps[level] > TERRANE_STEPS_MAX || erosion->slides[level] > TERRANE_SLIDES_MAX ||
            erosion->creep[level] > TERRANE_SLIDES_MAX)
            return TERRANE_EEROSION;
        if (erosion_moves_reach(erosion, level) > TERRANE_HALO_MAX)
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
    if (!members_within(&erosion_members, 0, erosion))
        return TERRANE_EEROSION;
    if ((error = levels_check(recipe)) != 0)
        return error;
    for (int k = 0; k < recipe->partition.zones; k++)
        if (!members_within(&droplets_members, 0, &erosion->zone[k])) {
            *where = k;
            return TERRANE_EEROSION;
        }
    return erosion_unit_log2(recipe) <= EROSION_UNIT_LOG2_MAX ? 0 : TERRANE_EEROSION;
}

static int lakes_check(const struct terrane_lakes *lakes)
{
    return lakes->share == 0 ||
                   (members_within(&lakes_members, 0, lakes) && lakes->shallow_m <= lakes->depth_m)
               ? 0
               : TERRANE_ELAKES;
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
        memcpy(out->erosion.creep, in->erosion.creep, levels);
        out->erosion.limit = in->erosion.limit;
        for (int k = 0; k < in->partition.zones; k++)
            members_canonical(&droplets_members, 0, &out->erosion.zone[k], &in->erosion.zone[k]);
    }
    if (in->lakes.share > 0)
        members_canonical(&lakes_members, 0, &out->lakes, &in->lakes);
}

void recipe_erosion_digest(struct digest *digest, const struct terrane_recipe *recipe)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    digest_put(digest, (uint64_t)erosion->levels, 4);
    for (int level = 0; level < erosion->levels; level++) {
        digest_put(digest, erosion->phases[level], 1);
        digest_put(digest, erosion->steps[level], 1);
        digest_put(digest, erosion->slides[level], 1);
        digest_put(digest, erosion->creep[level], 1);
    }
    digest_put_float(digest, erosion->limit);
    for (int k = 0; k < recipe->partition.zones && erosion->levels > 0; k++)
        members_digest(&droplets_members, digest, &erosion->zone[k]);
    members_digest(&lakes_members, digest, &recipe->lakes);
}
