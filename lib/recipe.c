/*
 * Recipes: what rests on what, and the calls that make recipes and terms.
 *
 * Order. A term rests on terms before it, with one exception: TERRANE_OP_ZONES rests on those that the
 * partition asks, which may stand anywhere, but do not rest on TERRANE_OP_ZONES themselves. So terms that
 * do not rest on zones can be made first, in order, then the partition, then the others, in order.
 */
#include "recipe.h"

#include <string.h>

/* ---- What rests on what -------------------------------------------------------------------------------- */

static uint64_t rests_of_zones(const struct terrane_partition *partition)
{
    uint64_t set = 0;
    for (int k = 0; k < partition->zones; k++)
        set |= recipe_term_bit(partition->zone[k].term);
    if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_NOISE)
        set |= recipe_term_bit(partition->by);
    if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_CLIMATE)
        set |= recipe_term_bit(partition->temperature) | recipe_term_bit(partition->moisture);
    return set;
}

static uint64_t rests_of_term(const struct terrane_recipe *recipe, const struct terrane_term *term)
{
    uint64_t set = 0;
    if (term->op == TERRANE_OP_ZONES)
        return rests_of_zones(&recipe->partition);
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
    uint64_t before;
    do { /* every pass goes one step further at least; inputs stand before their terms, so two or three do */
        before = terms;
        for (int i = recipe->terms - 1; i >= 0; i--)
            if (terms & recipe_term_bit(i))
                terms |= rests_of_term(recipe, &recipe->term[i]);
    } while (terms != before);
    return terms;
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
    return fractal->kind == TERRANE_MIDPOINT || fractal->kind == TERRANE_MIDPOINT_SMOOTHED;
}

bool fractal_is_displaced(const struct terrane_fractal *fractal)
{
    return !fractal_is_midpoint(fractal) && fractal->warp_m != 0 &&
           (fractal->warp_term[0] >= 0 || fractal->warp_term[1] >= 0);
}

bool fractal_has_base(const struct terrane_fractal *fractal, enum terrane_base low, enum terrane_base high)
{
    if (fractal_is_midpoint(fractal))
        return false;
    for (int i = 0; i < fractal->octaves; i++)
        if (fractal->base[i] >= low && fractal->base[i] <= high)
            return true;
    return false;
}

/* ---- The calls ----------------------------------------------------------------------------------------- */

/* Kinds without analytic slopes, and partitions whose weights have none. */
static bool term_is_rough(const struct terrane_recipe *recipe, const struct terrane_term *term)
{
    const struct terrane_partition *partition = &recipe->partition;
    if (term->op == TERRANE_OP_ZONES)
        return partition->zones > 1 && partition->kind != TERRANE_PARTITION_NOISE;
    if (term->op != TERRANE_OP_FRACTAL)
        return false;
    const enum terrane_fractal_kind kind = term->fractal.kind;
    return kind == TERRANE_IQ || kind == TERRANE_SWISS || kind == TERRANE_JORDAN ||
           fractal_is_midpoint(&term->fractal);
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
    canonical.analytic = height_is_analytic(&canonical);
    canonical.digest = recipe_digest(&canonical);
    memcpy(recipe, &canonical, sizeof canonical); /* with its padding, which is zero */
    return 0;
}

struct terrane_term terrane_term_fractal(enum terrane_fractal_kind kind)
{
    struct terrane_term term = {
        .op = TERRANE_OP_FRACTAL,
        .fractal =
            {
                .kind = kind,
                .octaves = 1,
                .cell = 256,
                .lacunarity = 2,
                .amplitude_m = 1,
                .gain = 0.5f,
                .weight = 1,
                .jitter = 0.65f,
                .offset = kind == TERRANE_MULTIFRACTAL ? 0.5f
                          : kind == TERRANE_HYBRID     ? 0.7f
                                                       : (float)(kind == TERRANE_MIDPOINT_SMOOTHED),
                .sharpness = kind == TERRANE_MULTIFRACTAL ? 1 : 0,
                .warp = kind == TERRANE_SWISS    ? 0.15f
                        : kind == TERRANE_JORDAN ? 0.35f
                                                 : 0,
                .damp = kind == TERRANE_JORDAN ? 0.8f : 0,
                .warp_term = {-1, -1},
            },
    };
    memset(term.fractal.base, TERRANE_PERLIN5, sizeof term.fractal.base);
    return term;
}
