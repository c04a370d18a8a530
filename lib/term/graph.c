/*
 * The graph of terms. A term depends only on earlier ones (terrane_recipe_init checks that), and the partition's
 * terms do not depend on zones, so the recursion below ends, at most TERRANE_TERMS_MAX calls deep.
 */
#include "graph.h"

#include <string.h>

#include "../recipe/recipe.h"
#include "memo.h"

void graph_start(struct graph *graph, const struct terrane_world *world, const struct fields *fields,
                 struct terrane_memo *memo)
{
    const struct terrane_recipe *recipe = world->recipe;
    graph->world = world;
    graph->fields = fields;
    if (recipe->plates.cell_log2 != 0)
        plates_start(&graph->plates, world, memo ? &memo->plates : NULL);
    for (int t = 0; t < recipe->terms; t++)
        if (recipe->term[t].op == TERRANE_OP_CURVE)
            plan_curve(&graph->curve[t], &recipe->term[t]);
}

void graph_chunk(struct graph *graph, const struct chunk *chunk)
{
    graph->chunk = *chunk;
    if (graph->world->recipe->plates.cell_log2 != 0)
        plates_chunk(&graph->plates, chunk->level, chunk->gi, chunk->width);
    for (int t = 0; t < graph->world->recipe->terms; t++)
        graph->plan[t].planned = false;
    for (int k = 0; k < TERRANE_RASTERS_MAX; k++)
        graph->raster[k].planned = false;
}

void graph_block(struct graph *graph, int64_t gj, int height)
{
    graph->block_gj = gj;
    graph->block_height = height;
    graph->sites_made = false;
}

void graph_strip(struct graph *graph, int64_t gj, int step, int count, bool slopes)
{
    graph->rows =
        (struct rows){.gj = gj, .step = step, .end = count, .width = graph->chunk.width, .slopes = slopes};
    graph->term_made = 0;
    graph->weights_made = false;
}

/* ---- Fractals ------------------------------------------------------------------------------------------ */

/* Octaves of all fractals are stored in sequence, in the order of terms. */
static int first_octave(const struct terrane_recipe *recipe, int term)
{
    int octaves = 0;
    for (int t = 0; t < term; t++)
        if (recipe->term[t].op == TERRANE_OP_FRACTAL)
            octaves += recipe->term[t].fractal.octaves;
    return octaves;
}

/*
 * The displacement that terms give, in metres. Returns whether there is one. Both terms are made before either
 * shift: making a term may displace others, and there is one buffer for shifts.
 */
static bool make_shift(struct graph *graph, const struct terrane_fractal *fractal)
{
    const struct strip *by[2];
    if (fractal->warp_term[0] < 0 && fractal->warp_term[1] < 0)
        return false;
    for (int axis = 0; axis < 2; axis++)
        by[axis] = fractal->warp_term[axis] >= 0 ? graph_value(graph, fractal->warp_term[axis]) : NULL;
    for (int axis = 0; axis < 2; axis++) {
        const struct terrane_term scaled = {
            .op = TERRANE_OP_SUM, .inputs = by[axis] != NULL, .factor = {fractal->warp_m}};
        kernels_current()->combine_rows(&scaled, &graph->rows, &by[axis], &graph->work.shift[axis]);
    }
    return true;
}

static void make_fractal(struct graph *graph, int t, struct strip *out)
{
    const struct terrane_recipe *recipe = graph->world->recipe;
    const struct terrane_fractal *fractal = &recipe->term[t].fractal;
    struct fractal_plan *plan = &graph->plan[t];
    const struct rows *rows = &graph->rows;
    if (fractal_is_midpoint(fractal)) {
        midpoint_rows(&graph->midpoint, graph->world, fractal, graph->chunk.level, graph->chunk.gi,
                      rows->width, rows->gj, rows->step, rows->end, out);
        return;
    }
    if (!plan->planned) {
        const int first = first_octave(recipe, t);
        plan_fractal(plan, graph->world, fractal, &graph->chunk, &graph->octave[first], &graph->store[first]);
    }
    const bool shift = make_shift(graph, fractal);
    plan_point_rows(plan, &graph->chunk, rows, graph->point_row);
    kernels_current()->fractal_rows(plan, rows, shift, graph->point_row, &graph->work, out);
}

/* ---- Zones --------------------------------------------------------------------------------------------- */

/* Rows of a strip differ in their masks: a zone present in some row has weight 0, not garbage, in the others. */
static void make_voronoi(struct graph *graph)
{
    struct zone_weights *weights = &graph->weights;
    const struct rows *rows = &graph->rows;
    const struct chunk *chunk = &graph->chunk;
    uint32_t mask[KERNEL_ROWS] = {0};
    if (!graph->sites_made)
        voronoi_plan(&graph->voronoi, graph->world, chunk->level, chunk->gi, graph->block_gj, chunk->width,
                     graph->block_height);
    graph->sites_made = true;
    weights->mask = 0;
    for (int r = rows->first; r < rows->end; r++) {
        mask[r] = voronoi_row(&graph->voronoi, rows->gj + (int64_t)r * rows->step, weights->weight[r]);
        weights->mask |= mask[r];
    }
    for (int r = rows->first; r < rows->end; r++)
        for (int z = 0; z < TERRANE_ZONES_MAX; z++)
            if ((weights->mask & ~mask[r]) >> z & 1)
                memset(weights->weight[r][z], 0, sizeof weights->weight[r][z]);
}

const struct zone_weights *graph_weights(struct graph *graph)
{
    const struct terrane_partition *partition = &graph->world->recipe->partition;
    if (graph->weights_made)
        return &graph->weights;
    graph->weights_made = true;
    if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_VORONOI)
        make_voronoi(graph);
    else if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_CLIMATE)
        kernels_current()->climate_weights(partition, &graph->rows,
                                           graph_value(graph, partition->temperature),
                                           graph_value(graph, partition->moisture), &graph->weights);
    else
        kernels_current()->noise_weights(partition, &graph->rows,
                                         partition->zones > 1 ? graph_value(graph, partition->by) : NULL,
                                         &graph->weights);
    return &graph->weights;
}

static void make_zones(struct graph *graph, int t, struct strip *out)
{
    (void)t;
    const struct terrane_partition *partition = &graph->world->recipe->partition;
    const struct zone_weights *weights = graph_weights(graph);
    const bool by_noise = partition->zones > 1 && partition->kind == TERRANE_PARTITION_NOISE;
    const struct strip *in[TERRANE_ZONES_MAX] = {NULL};
    for (int z = 0; z < partition->zones; z++)
        if (weights->mask >> z & 1 && partition->zone[z].term >= 0)
            in[z] = graph_value(graph, partition->zone[z].term);
    kernels_current()->zones_rows(partition, &graph->rows, weights,
                                  by_noise ? graph_value(graph, partition->by) : NULL, in, out);
}

/* ---- Terms --------------------------------------------------------------------------------------------- */

static void make_blend(struct graph *graph, int t, struct strip *out)
{
    const struct terrane_term *term = &graph->world->recipe->term[t];
    const int held =
        kernels_current()->blend_share_rows(term, &graph->rows, graph_value(graph, term->in[2]), out);
    const struct strip *a = held & 1 ? graph_value(graph, term->in[0]) : NULL;
    const struct strip *b = held & 2 ? graph_value(graph, term->in[1]) : NULL;
    kernels_current()->blend_rows(&graph->rows, out, a, b, out);
}

static void make_climate(struct graph *graph, int t, struct strip *out)
{
    const struct terrane_term *term = &graph->world->recipe->term[t];
    const enum terrane_climate_of of = (enum terrane_climate_of)term->of;
    const struct strip *ground = of == TERRANE_CLIMATE_TEMPERATURE ? graph_value(graph, term->in[0]) : NULL;
    climate_rows(graph->fields, graph->world->recipe, of, graph->chunk.gi, &graph->rows, ground, out);
}

/* On a level as coarse as its nodes it is the term itself. */
static void make_coarse(struct graph *graph, int t, struct strip *out)
{
    const struct terrane_term *term = &graph->world->recipe->term[t];
    const struct nodes *nodes = fields_of(graph->fields, graph->world->recipe, t);
    const struct terrane_term same = {.op = TERRANE_OP_SUM, .inputs = 1, .factor = {1}};
    const struct strip *in = nodes ? NULL : graph_value(graph, term->in[0]);
    if (nodes)
        nodes_rows(nodes, graph->chunk.gi, &graph->rows, out);
    else
        kernels_current()->combine_rows(&same, &graph->rows, &in, out);
}

/* What it fades into is made only where that has a share. */
static void make_raster(struct graph *graph, int t, struct strip *out)
{
    const struct terrane_recipe *recipe = graph->world->recipe;
    const struct terrane_term *term = &recipe->term[t];
    int k = 0;
    for (int before = 0; before < t; before++)
        k += recipe->term[before].op == TERRANE_OP_RASTER;
    struct raster_chunk *chunk = &graph->raster[k];
    if (!chunk->planned)
        raster_chunk(chunk, term, recipe->spacing_m, graph->chunk.level, graph->chunk.gi, graph->chunk.width);
    const bool beyond = raster_held(chunk, &graph->rows) & 2;
    raster_rows(chunk, &graph->rows, beyond ? graph_value(graph, term->in[0]) : NULL, out);
}

static void make_fold(struct graph *graph, int t, struct strip *out)
{
    const struct terrane_term *term = &graph->world->recipe->term[t];
    const struct strip *in[TERRANE_INPUTS_MAX] = {NULL};
    for (int k = 0; k < term->inputs; k++)
        in[k] = graph_value(graph, term->in[k]);
    kernels_current()->combine_rows(term, &graph->rows, in, out);
}

static void make_curve(struct graph *graph, int t, struct strip *out)
{
    const struct strip *in = graph_value(graph, graph->world->recipe->term[t].in[0]);
    kernels_current()->curve_rows(&graph->curve[t], &graph->rows, in, out);
}

static void make_plates(struct graph *graph, int t, struct strip *out)
{
    const struct terrane_term *term = &graph->world->recipe->term[t];
    plates_rows(&graph->plates, (enum terrane_plates_of)term->of, &graph->rows, out);
}

/* What makes a term of an operation; the others fold their inputs. */
static void (*const make[TERRANE_OPS])(struct graph *graph, int t, struct strip *out) = {
    [TERRANE_OP_FRACTAL] = make_fractal, [TERRANE_OP_BLEND] = make_blend,
    [TERRANE_OP_CURVE] = make_curve,     [TERRANE_OP_ZONES] = make_zones,
    [TERRANE_OP_PLATES] = make_plates,   [TERRANE_OP_CLIMATE] = make_climate,
    [TERRANE_OP_COARSE] = make_coarse,   [TERRANE_OP_RASTER] = make_raster,
};

/* Warps of warps, and curves of curves, have slopes of any size: from generator 16 on they are held, so that 0 times one is 0, whether or
 * not it is made, and that their squares fit. */
#define SLOPE_MAX 0x1p63f

static void hold_row(int width, float *slope)
{
    for (int i = KERNEL_PAD; i < KERNEL_PAD + width; i++) {
        const float high = slope[i] > -SLOPE_MAX ? slope[i] : -SLOPE_MAX; /* of no number, too */
        slope[i] = high < SLOPE_MAX ? high : SLOPE_MAX;
    }
}

const struct strip *graph_value(struct graph *graph, int t)
{
    const struct terrane_recipe *recipe = graph->world->recipe;
    const enum terrane_op op = recipe->term[t].op;
    struct strip *strip = &graph->strip[t];
    if (!(graph->term_made >> t & 1)) {
        (make[op] ? make[op] : make_fold)(graph, t, strip);
        if (graph->rows.slopes && recipe->generator >= 16)
            for (int r = graph->rows.first; r < graph->rows.end; r++) {
                hold_row(graph->rows.width, strip->x[r]);
                hold_row(graph->rows.width, strip->y[r]);
            }
    }
    graph->term_made |= UINT64_C(1) << t;
    return &graph->strip[t];
}
