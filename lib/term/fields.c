/*
 * Fields at nodes.
 *
 * The inputs of a coarse term, or of the climate's ground, are made on the lattice of nodes as on any window of that level.
 * There a coarse term of no coarser nodes is made like any other, so nothing here recurses into itself.
 */
#include "fields.h"

#include "../base/window.h"
#include "../recipe/recipe.h"
#include "climate.h"

struct nodes nodes_of(const struct terrane_window *window, int around, int level)
{
    const int log2 = level > window->level ? level - window->level : 0;
    const int64_t east = window->gi + (int64_t)(window->width - 1) * window->step + around;
    const int64_t south = window->gj + (int64_t)(window->height - 1) * window->step + around;
    struct nodes nodes = {.log2 = log2,
                          .column = ((window->gi - around) >> log2) - 1,
                          .row = ((window->gj - around) >> log2) - 1};
    nodes.columns = (int)((east >> log2) - nodes.column) + 3;
    nodes.rows = (int)((south >> log2) - nodes.row) + 3;
    return nodes;
}

struct terrane_window nodes_window(const struct nodes *nodes, int level)
{
    return (struct terrane_window){.level = level,
                                   .gi = nodes->column,
                                   .gj = nodes->row,
                                   .step = 1,
                                   .width = nodes->columns,
                                   .height = nodes->rows};
}

void nodes_rows(const struct nodes *nodes, int64_t gi, const struct rows *rows, struct strip *out)
{
    struct spline_chunk chunk;
    spline_chunk(&chunk, gi, rows->width, nodes->log2);
    for (int r = rows->first; r < rows->end; r++) {
        const float *node[4];
        float t;
        const int64_t row = spline_row(rows->gj + (int64_t)r * rows->step, nodes->log2, &t);
        for (int k = 0; k < 4; k++)
            node[k] = nodes->value + (size_t)(row + k - nodes->row) * (size_t)nodes->columns +
                      (size_t)(chunk.column - nodes->column);
        spline_samples(&chunk, node, t, out->value[r] + KERNEL_PAD);
    }
}

const struct nodes *fields_of(const struct fields *fields, const struct terrane_recipe *recipe, int term)
{
    int k = 0;
    for (int t = 0; t < term; t++)
        k += recipe->term[t].op == TERRANE_OP_COARSE;
    return fields && fields->coarse[k].value ? &fields->coarse[k] : NULL;
}

/*
 * Makes the coarse terms of a set that have nodes of one level, in one pass over these. field: the recipe's, in the
 * order of terms.
 */
static int make_coarse(struct nodes *field, const struct terrane_world *world,
                       const struct terrane_window *window, int around, int level, uint64_t set,
                       const struct terrane_memory *memory)
{
    const struct terrane_recipe *recipe = world->recipe;
    const struct nodes nodes = nodes_of(window, around, level);
    const struct terrane_window all = nodes_window(&nodes, level);
    int term[FIELDS_COARSE], count = 0, k = 0;
    float *out[FIELDS_COARSE];
    for (int t = 0; t < recipe->terms; t++) {
        if (recipe->term[t].op != TERRANE_OP_COARSE)
            continue;
        struct nodes *const made = &field[k++];
        if (recipe->term[t].of != level || !(set & recipe_term_bit(t)))
            continue;
        *made = nodes;
        made->value = memory_take(memory, samples_of(&all) * sizeof *made->value);
        if (!made->value)
            return TERRANE_EMEMORY;
        term[count] = recipe->term[t].in[0];
        out[count++] = made->value;
    }
    if (count > 0)
        window_nodes(world, &all, term, count, memory, out);
    return 0;
}

int fields_make(struct fields *fields, const struct terrane_world *world, const struct terrane_window *window,
                int around, uint64_t terms, const struct terrane_memory *memory)
{
    const struct terrane_recipe *recipe = world->recipe;
    const uint64_t rests = recipe_rests_on(recipe, terms);
    const uint64_t coarse = rests & recipe_terms_of(recipe, TERRANE_OP_COARSE);
    int error = 0;
    *fields = (struct fields){.coarse = {{0}}};
    for (int level = window->level + 1; level <= TERRANE_LEVEL_MAX && coarse && error == 0; level++)
        error = make_coarse(fields->coarse, world, window, around, level, coarse, memory);
    if (error == 0 && rests & recipe_terms_of(recipe, TERRANE_OP_CLIMATE))
        error = climate_make(fields, world, window, around, memory);
    return error;
}

void fields_free(struct fields *fields, const struct terrane_memory *memory)
{
    for (int k = 0; k < FIELDS_COARSE; k++)
        memory_give(memory, fields->coarse[k].value);
    memory_give(memory, fields->warmth.value);
    memory_give(memory, fields->rain.value);
}
