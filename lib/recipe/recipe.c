/*
 * Recipes: dependencies of terms, and the calls that make recipes and terms.
 *
 * Order. A term depends on terms before it, with one exception: TERRANE_OP_ZONES depends on the partition's
 * terms, which may be anywhere, but must not depend on TERRANE_OP_ZONES. So terms that do not depend on zones
 * can be computed first, in order, then the partition, then the others, in order.
 */
#include "recipe.h"

#include <string.h>

#include "kinds.h"
#include "member.h"
#include "numbers.h"

/* ---- What rests on what -------------------------------------------------------------------------------- */

uint64_t recipe_partition_terms(const struct terrane_partition *partition)
{
    uint64_t set = 0;
    if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_NOISE)
        set |= recipe_term_bit(partition->by);
    if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_CLIMATE)
        set |= recipe_term_bit(partition->temperature) | recipe_term_bit(partition->moisture);
    return set;
}

static uint64_t rests_of_zones(const struct terrane_partition *partition)
{
    uint64_t set = recipe_partition_terms(partition);
    for (int k = 0; k < partition->zones; k++)
        set |= recipe_term_bit(partition->zone[k].term);
    return set;
}

uint64_t recipe_inputs_of(const struct terrane_recipe *recipe, const struct terrane_term *term)
{
    uint64_t set = 0;
    if (term->op == TERRANE_OP_ZONES)
        return rests_of_zones(&recipe->partition);
    if (term->op == TERRANE_OP_PLATES)
        return 0;
    if (term->op == TERRANE_OP_FRACTAL)
        return fractal_is_displaced(&term->fractal)
                   ? recipe_term_bit(term->fractal.warp_term[0]) | recipe_term_bit(term->fractal.warp_term[1])
                   : 0;
    for (int k = 0; k < term->inputs; k++)
        set |= recipe_term_bit(term->in[k]);
    return set;
}

uint64_t recipe_rests_on(const struct terrane_recipe *recipe, uint64_t terms)
{
    uint64_t done = 0, rest;
    while ((rest = terms & ~done) !=
           0) { /* the last one first: inputs come before their terms, except those of zones */
        const int i = 63 - __builtin_clzll(rest);
        done |= recipe_term_bit(i);
        if (i < recipe->terms)
            terms |= recipe_inputs_of(recipe, &recipe->term[i]);
    }
    return terms;
}

uint64_t recipe_zoned_terms(const struct terrane_recipe *recipe)
{
    uint64_t zoned = recipe_terms_of(recipe, TERRANE_OP_ZONES);
    for (int i = 0; i < recipe->terms; i++) /* inputs come before their terms: one pass is enough */
        if (recipe_inputs_of(recipe, &recipe->term[i]) & zoned)
            zoned |= recipe_term_bit(i);
    return zoned;
}

uint64_t recipe_terms_of(const struct terrane_recipe *recipe, enum terrane_op op)
{
    uint64_t set = 0;
    for (int i = 0; i < recipe->terms; i++)
        if (recipe->term[i].op == op)
            set |= recipe_term_bit(i);
    return set;
}

bool fractal_is_midpoint(const struct terrane_fractal *fractal)
{
    return kind_rows[fractal->kind].midpoint;
}

bool fractal_is_faint(const struct terrane_fractal *fractal)
{
    return fractal->kind == TERRANE_MULTIFRACTAL && fractal->amplitude_m > 0 && fractal->amplitude_m < 1e-36f;
}

bool fractal_is_displaced(const struct terrane_fractal *fractal)
{
    return !fractal_is_midpoint(fractal) && fractal->warp_m != 0 &&
           (fractal->warp_term[0] >= 0 || fractal->warp_term[1] >= 0);
}

unsigned fractal_traits(const struct terrane_fractal *fractal)
{
    unsigned traits = kind_rows[fractal->kind].traits;
    for (int i = 0; i < fractal->octaves && !fractal_is_midpoint(fractal); i++)
        traits |= base_rows[fractal->base[i]].trait;
    return traits;
}

unsigned zone_traits(const struct terrane_partition *partition, const struct terrane_zone *zone)
{
    const bool drawn = partition->zones > 1 && partition->kind == TERRANE_PARTITION_VORONOI;
    return (zone->term >= 0 ? ZONE_SURFACE : 0u) | (drawn ? ZONE_DRAWN : 0u);
}

/* ---- The calls ----------------------------------------------------------------------------------------- */

/* Kinds without analytic slopes, and partitions whose weights have none. */
static bool term_is_rough(const struct terrane_recipe *recipe, const struct terrane_term *term)
{
    const struct terrane_partition *partition = &recipe->partition;
    if (term->op == TERRANE_OP_ZONES)
        return partition->zones > 1 && partition->kind != TERRANE_PARTITION_NOISE;
    if (term->op == TERRANE_OP_PLATES || term->op == TERRANE_OP_CLIMATE || term->op == TERRANE_OP_COARSE ||
        term->op == TERRANE_OP_RASTER)
        return true; /* their samples have no slopes */
    return term->op == TERRANE_OP_FRACTAL && kind_rows[term->fractal.kind].rough;
}

static bool height_is_analytic(const struct terrane_recipe *recipe)
{
    const uint64_t rests_on = recipe_rests_on(recipe, recipe_term_bit(recipe->terms - 1));
    for (int i = 0; i < recipe->terms; i++)
        if (rests_on & recipe_term_bit(i) && term_is_rough(recipe, &recipe->term[i]))
            return false;
    return true;
}

int terrane_recipe_init(struct terrane_recipe *recipe, int *where)
{
    struct terrane_recipe canonical;
    int at = -1;
    const int error = recipe_check(recipe, &at);
    if (where)
        *where = at;
    if (error)
        return error;
    recipe_canonical(&canonical, recipe);
    canonical.erosion_unit_log2 = erosion_unit_log2(&canonical);
    canonical.analytic = height_is_analytic(&canonical);
    canonical.digest = recipe_digest(&canonical);
    memcpy(recipe, &canonical, sizeof canonical); /* with its padding, which is zero */
    return 0;
}

struct terrane_term terrane_term_fractal(enum terrane_fractal_kind kind)
{
    const struct kind_row *row = &kind_rows[kind];
    struct terrane_term term = {.op = TERRANE_OP_FRACTAL};
    struct terrane_fractal *fractal = &term.fractal;
    members_default(&fractal_members, fractal);
    fractal->kind = kind;
    fractal->octaves = 1;
    fractal->cell = 256;
    fractal->lacunarity = 2;
    fractal->offset = row->offset;
    fractal->sharpness = row->sharpness;
    fractal->warp = row->warp;
    fractal->damp = row->damp;
    fractal->warp_term[0] = fractal->warp_term[1] = -1;
    memset(fractal->base, TERRANE_PERLIN5, sizeof fractal->base);
    return term;
}
