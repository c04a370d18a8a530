/*
 * What is made at nodes: plates, climate, and what coarse terms and the climate's ground rest on.
 *
 * Far apart as they are, nodes cost next to nothing at fine levels; at the levels of the nodes themselves each sample is one.
 * The weights are nanoseconds, measured as those of cost_seconds.c; vectors make them little less.
 */

#include "../base/min_max.h"
#include "../recipe/limits.h"
#include "../recipe/recipe.h"
#include "../term/plates.h"
#include "cost.h"

static const double ns_node = 110, ns_cell = 90000, ns_weather = 480; /* of plates; of the climate */
static const double halo = 2 * 33,
                    window = 257; /* nodes that air crosses around a window of so many samples */

/* A term's inputs are before it, zones' aside, which count as asked: one way back marks all. */
uint64_t terms_at_samples(const struct terrane_recipe *recipe)
{
    const struct terrane_partition *partition = &recipe->partition;
    uint64_t asked = UINT64_C(1) << (recipe->terms - 1);
    for (int z = 0; z < partition->zones; z++)
        asked |= partition->zone[z].term < 0 ? 0 : UINT64_C(1) << partition->zone[z].term;
    if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_NOISE)
        asked |= UINT64_C(1) << partition->by;
    if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_CLIMATE)
        asked |= UINT64_C(1) << partition->temperature | UINT64_C(1) << partition->moisture;
    if (recipe->rivers.top > 0 && recipe->rivers.runoff >= 0)
        asked |= UINT64_C(1) << recipe->rivers.runoff;
    if (recipe->rivers.top > 0 && recipe->rivers.sand > 0)
        asked |= UINT64_C(1) << (recipe->rivers.sand - 1);
    for (int t = recipe->terms - 1; t >= 0; t--) {
        const struct terrane_term *term = &recipe->term[t];
        const bool at_nodes = term->op == TERRANE_OP_COARSE ||
                              (term->op == TERRANE_OP_CLIMATE && term->of != TERRANE_CLIMATE_TEMPERATURE);
        if (!(asked >> t & 1) || at_nodes)
            continue;
        for (int k = 0; k < term->inputs; k++)
            asked |= UINT64_C(1) << term->in[k];
        for (int axis = 0; axis < 2 && term->op == TERRANE_OP_FRACTAL; axis++)
            if (term->fractal.warp_term[axis] >= 0)
                asked |= UINT64_C(1) << term->fractal.warp_term[axis];
    }
    return asked;
}

/* Nodes of a level for each sample of another. */
static double nodes_at(int level, int nodes)
{
    return level < nodes ? power_of_two(2 * (level - nodes)) : 1;
}

double nodes_a_sample(const struct terrane_recipe *recipe, int level)
{
    double max = 0;
    for (int t = 0; t < recipe->terms; t++)
        if (recipe->term[t].op == TERRANE_OP_COARSE)
            max = max_double(max, nodes_at(level, recipe->term[t].of));
    if (recipe_terms_of(recipe, TERRANE_OP_CLIMATE)) {
        const double side = __builtin_sqrt(nodes_at(level, recipe->climate.cell_log2)) + halo / window;
        max = max_double(max, side * side);
    }
    return max;
}

double nodes_ns(const struct terrane_recipe *recipe, int level)
{
    const int cell = recipe->plates.cell_log2;
    double ns = 0;
    if (recipe_terms_of(recipe, TERRANE_OP_PLATES) && level <= cell - PLATES_MIN_LOG2)
        ns += nodes_at(level, cell - PLATES_NODES_LOG2) * ns_node +
              (nodes_at(level, cell) + 1 / (window * window)) * ns_cell;
    if (recipe_terms_of(recipe, TERRANE_OP_CLIMATE))
        ns += nodes_at(level, recipe->climate.cell_log2) * ns_weather;
    return ns;
}
