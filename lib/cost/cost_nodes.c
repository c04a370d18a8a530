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
    uint64_t asked = recipe_term_bit(recipe->terms - 1) | recipe_partition_terms(partition);
    for (int z = 0; z < partition->zones; z++)
        asked |= recipe_term_bit(partition->zone[z].term);
    if (recipe->rivers.top > 0)
        asked |= recipe_term_bit(recipe->rivers.runoff) | recipe_term_bit(recipe->rivers.sand - 1);
    for (int t = recipe->terms - 1; t >= 0; t--) {
        const struct terrane_term *term = &recipe->term[t];
        const bool at_nodes = term->op == TERRANE_OP_COARSE ||
                              (term->op == TERRANE_OP_CLIMATE && term->of != TERRANE_CLIMATE_TEMPERATURE);
        if (asked >> t & 1 && !at_nodes)
            asked |= recipe_inputs_of(recipe, term);
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
