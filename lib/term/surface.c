/*
 * Samples of windows: the public calls that make something. With a step, whole rows are skipped but a row is
 * still made in full, so the selection of samples changes none of them.
 *
 * If slopes are not analytic, they are central differences of the level's heights: a window is then made with a
 * halo of one sample, a strip with one row above and below.
 */
#include <string.h>

#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "../recipe/recipe.h"
#include "fields.h"
#include "graph.h"
#include "memo.h"
#include "scratch.h"

/* The layout of scratch memory. */
struct scratch {
    _Alignas(TERRANE_SCRATCH_ALIGN) float height[KERNEL_ROWS][KERNEL_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) float slope[2][KERNEL_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) float normal[3][KERNEL_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) int32_t zone[KERNEL_ROW];
    struct graph graph;
};

/* The outputs of a call for a window. */
struct want {
    int halo;    /* halo of samples around the window: 0 or 1 */
    bool slopes; /* analytic ones */
    /* Stores the strip, window rows row .. row + count - 1 and columns first .. first + columns - 1. */
    void (*put)(const struct want *want, struct scratch *scratch, const struct terrane_window *window,
                int first, int columns, int row, int count);
    float *values;    /* normals or weights */
    int term;         /* that it rests on; -1: the zones */
    const int *terms; /* put_nodes: count of them, and where each goes */
    float *const *outs;
    int count;
    uint8_t *index; /* zones */
    const struct term_rows *rows;
};

const size_t terrane_scratch_bytes = sizeof(struct scratch), terrane_memo_bytes = sizeof(struct terrane_memo);

/* Max window rows or columns that fit into KERNEL_WIDTH lattice ones, with the halo. */
static int max_kept(const struct want *want, int step)
{
    return (KERNEL_WIDTH - 2 * want->halo - 1) / step + 1;
}

/* Makes one strip of the window: columns first .. first + columns - 1, rows row .. row + count - 1. */
static void make_strip(const struct terrane_window *window, const struct want *want, struct scratch *s,
                       int first, int columns, int row, int count)
{
    const int64_t gj = window->gj + (int64_t)row * window->step;
    if (want->halo)
        graph_strip(&s->graph, gj - 1, 1, count + 2, false);
    else
        graph_strip(&s->graph, gj, window->step, count, want->slopes);
    want->put(want, s, window, first, columns, row, count);
}

static void make_chunk(const struct terrane_window *window, const struct want *want, struct scratch *s,
                       int first, int columns)
{
    const int64_t gi = window->gi + (int64_t)first * window->step, gj = window->gj - want->halo;
    const struct chunk chunk = {window->level, gi - want->halo, gj,
                                (columns - 1) * window->step + 1 + 2 * want->halo};
    const int strip = !want->halo ? KERNEL_ROWS : window->step == 1 ? KERNEL_ROWS - 2 : 1;
    const int block = max_kept(want, window->step);
    graph_chunk(&s->graph, &chunk);
    for (int top = 0; top < window->height; top += block) {
        const int bottom = min_int(top + block, window->height);
        graph_block(&s->graph, gj + (int64_t)top * window->step,
                    (bottom - top - 1) * window->step + 1 + 2 * want->halo);
        for (int row = top; row < bottom; row += strip)
            make_strip(window, want, s, first, columns, row, min_int(strip, bottom - row));
    }
}

/* Makes all of a window, of a checked level and size. */
static void make_chunks(const struct terrane_world *world, const struct terrane_window *window,
                        const struct want *want, const struct fields *fields,
                        const struct terrane_memory *memory)
{
    struct scratch *s = memory->scratch;
    const int max = max_kept(want, window->step);
    graph_start(&s->graph, world, fields, memory->memo);
    for (int first = 0; first < window->width; first += max)
        make_chunk(window, want, s, first, min_int(max, window->width - first));
}

static int make_window(const struct terrane_world *world, const struct terrane_window *window,
                       const struct want *want, const struct terrane_memory *memory)
{
    struct terrane_memory lent;
    struct fields fields;
    if (window->level < 0 || window->level > TERRANE_LEVEL_MAX)
        return TERRANE_ELEVEL;
    if (!window_valid(window))
        return TERRANE_EWINDOW;
    if (!memory_lend(memory, &lent))
        return TERRANE_EMEMORY;
    uint64_t terms = want->rows ? want->rows->terms : want->term >= 0 ? recipe_term_bit(want->term) : 0;
    if (want->index || want->term < 0)
        terms |= recipe_partition_terms(&world->recipe->partition);
    const int error = fields_make(&fields, world, window, want->halo, terms, &lent);
    if (error == 0)
        make_chunks(world, window, want, &fields, &lent);
    fields_free(&fields, &lent);
    memory_lend_end(memory, &lent);
    return error;
}

static float *sample_at(float *values, const struct terrane_window *window, int column, int row, int channels)
{
    return values + ((size_t)row * (size_t)window->width + (size_t)column) * (size_t)channels;
}

/* ---- Heights ------------------------------------------------------------------------------------------- */

static void put_nodes(const struct want *want, struct scratch *s, const struct terrane_window *window,
                      int first, int columns, int row, int count)
{
    for (int k = 0; k < want->count; k++) {
        const struct strip *term = graph_value(&s->graph, want->terms[k]);
        for (int r = 0; r < count; r++) {
            float *out = sample_at(want->outs[k], window, first, row + r, 1);
            float *made = window->step == 1 ? out : s->height[0];
            kernels_current()->height_row(s->graph.chunk.width, term, r, made);
            for (int i = 0; made != out && i < columns; i++)
                out[i] = made[i * window->step];
        }
    }
}

int terrane_heights(const struct terrane_world *world, const struct terrane_window *window,
                    const struct terrane_memory *memory, float *out)
{
    return window_term(world, window, world->recipe->terms - 1, memory, out);
}

void window_nodes(const struct terrane_world *world, const struct terrane_window *window, const int *terms,
                  int count, const struct terrane_memory *memory, float *const *out)
{
    const struct want want = {.put = put_nodes, .terms = terms, .outs = out, .count = count};
    make_chunks(world, window, &want, NULL, memory);
}

int window_term(const struct terrane_world *world, const struct terrane_window *window, int term,
                const struct terrane_memory *memory, float *out)
{
    const struct want want = {.put = put_nodes, .terms = &term, .outs = &out, .count = 1, .term = term};
    return make_window(world, window, &want, memory);
}

static void put_terms(const struct want *want, struct scratch *s, const struct terrane_window *window,
                      int first, int columns, int row, int count)
{
    for (int term = 0; term < s->graph.world->recipe->terms; term++)
        for (int r = 0; want->rows->terms >> term & 1 && r < count; r++) {
            const size_t at = (size_t)(row + r) * (size_t)window->width + (size_t)first;
            kernels_current()->height_row(s->graph.chunk.width, graph_value(&s->graph, term), r,
                                          s->height[0]);
            for (int i = 1; window->step > 1 && i < columns; i++)
                s->height[0][i] = s->height[0][i * window->step];
            want->rows->show(want->rows->context, term, at, (size_t)columns, s->height[0]);
        }
}

int window_terms(const struct terrane_world *world, const struct terrane_window *window,
                 const struct term_rows *rows, const struct terrane_memory *memory)
{
    const struct want want = {.put = put_terms, .rows = rows};
    return make_window(world, window, &want, memory);
}

/* ---- Normals ------------------------------------------------------------------------------------------- */

/* Converts the slopes of one row into normals, from column at of the row buffers on. */
static void put_normal_row(const struct want *want, struct scratch *s, const struct terrane_window *window,
                           int first, int columns, int row, const float *x, const float *y, int at)
{
    float *const normal[3] = {s->normal[0], s->normal[1], s->normal[2]};
    kernels_current()->normal_row(s->graph.chunk.width, x, y, normal);
    float *out = sample_at(want->values, window, first, row, 3);
    for (int i = 0; i < columns; i++)
        for (int c = 0; c < 3; c++)
            out[3 * i + c] = normal[c][KERNEL_PAD + at + i * window->step];
}

static void put_analytic_normals(const struct want *want, struct scratch *s,
                                 const struct terrane_window *window, int first, int columns, int row,
                                 int count)
{
    const struct strip *height = graph_value(&s->graph, s->graph.world->recipe->terms - 1);
    for (int r = 0; r < count; r++)
        put_normal_row(want, s, window, first, columns, row + r, height->x[r], height->y[r], 0);
}

static void put_difference_normals(const struct want *want, struct scratch *s,
                                   const struct terrane_window *window, int first, int columns, int row,
                                   int count)
{
    const struct strip *height = graph_value(&s->graph, s->graph.world->recipe->terms - 1);
    const int width = s->graph.chunk.width;
    const float inv2 = (float)(1.0 / (2 * terrane_lattice_m(s->graph.world, window->level, 1)));
    for (int r = 0; r < count + 2; r++)
        kernels_current()->height_row(width, height, r, s->height[r] + KERNEL_PAD);
    for (int r = 0; r < count; r++) {
        kernels_current()->difference_row(width, s->height[r], s->height[r + 1], s->height[r + 2], inv2,
                                          s->slope[0], s->slope[1]);
        put_normal_row(want, s, window, first, columns, row + r, s->slope[0], s->slope[1], 1);
    }
}

int terrane_normals(const struct terrane_world *world, const struct terrane_window *window,
                    const struct terrane_memory *memory, float *out)
{
    const bool analytic = world->recipe->analytic;
    const struct want want = {
        .halo = !analytic,
        .slopes = analytic,
        .term = world->recipe->terms - 1,
        .put = analytic ? put_analytic_normals : put_difference_normals,
        .values = out,
    };
    return make_window(world, window, &want, memory);
}

/* Makes a row of normals from rows of given heights, with a sample more on either side of each. */
static void put_normals_between(const float *const row[3], int columns, float inv2, float *out)
{
    float slope[2][KERNEL_ROW], normal[3][KERNEL_ROW];
    float *const normals[3] = {normal[0], normal[1], normal[2]};
    kernels_current()->difference_row(columns, row[0], row[1], row[2], inv2, slope[0], slope[1]);
    kernels_current()->normal_row(columns, slope[0], slope[1], normals);
    for (int i = 0; i < columns; i++)
        for (int c = 0; c < 3; c++)
            out[3 * i + c] = normal[c][KERNEL_PAD + i];
}

void terrane_normals_between(const float *heights, int width, int height, double spacing_m, float *out)
{
    const struct terrane_window window = {.width = width, .height = height};
    const float inv2 = (float)(1.0 / (2 * spacing_m));
    const int max = KERNEL_WIDTH - 2;
    float row[3][KERNEL_ROW] = {
        {0}}; /* in turn; values after their samples are read, too, but never returned */
    for (int first = 0; first < width; first += max) {
        const int columns = min_int(max, width - first);
        for (int j = 0; j < height + 2; j++) {
            memcpy(row[j % 3] + KERNEL_PAD - 1, heights + (size_t)j * ((size_t)width + 2) + (size_t)first,
                   ((size_t)columns + 2) * sizeof *heights);
            if (j >= 2)
                put_normals_between((const float *const[]){row[(j + 1) % 3], row[(j + 2) % 3], row[j % 3]},
                                    columns, inv2, sample_at(out, &window, first, j - 2, 3));
        }
    }
}

/* ---- Zones --------------------------------------------------------------------------------------------- */

static void put_index_row(const struct want *want, struct scratch *s, const struct terrane_window *window,
                          int first, int columns, int row, int r)
{
    kernels_current()->zone_row(s->graph.world->recipe->partition.zones, s->graph.chunk.width,
                                &s->graph.weights, r, s->zone);
    uint8_t *index = want->index + (size_t)row * (size_t)window->width + (size_t)first;
    for (int i = 0; i < columns; i++)
        index[i] = (uint8_t)s->zone[KERNEL_PAD + i * window->step];
}

static void put_weight_row(const struct want *want, const struct zone_weights *weights, int zones,
                           const struct terrane_window *window, int first, int columns, int row, int r)
{
    float *out = sample_at(want->values, window, first, row, zones);
    for (int z = 0; z < zones; z++) {
        const bool held = weights->mask >> z & 1;
        for (int i = 0; i < columns; i++)
            out[i * zones + z] = held ? weights->weight[r][z][KERNEL_PAD + i * window->step] : 0;
    }
}

static void put_zones(const struct want *want, struct scratch *s, const struct terrane_window *window,
                      int first, int columns, int row, int count)
{
    const struct zone_weights *weights = graph_weights(&s->graph);
    for (int r = 0; r < count; r++) {
        if (want->index)
            put_index_row(want, s, window, first, columns, row + r, r);
        if (want->values)
            put_weight_row(want, weights, s->graph.world->recipe->partition.zones, window, first, columns,
                           row + r, r);
    }
}

int terrane_zones(const struct terrane_world *world, const struct terrane_window *window,
                  const struct terrane_memory *memory, uint8_t *index, float *weights)
{
    const struct want want = {.put = put_zones, .values = weights, .index = index, .term = -1};
    return make_window(world, window, &want, memory);
}

static void put_heights_zones(const struct want *want, struct scratch *s, const struct terrane_window *window,
                              int first, int columns, int row, int count)
{
    put_nodes(want, s, window, first, columns, row, count);
    put_zones(want, s, window, first, columns, row, count);
}

int window_heights_zones(const struct terrane_world *world, const struct terrane_window *window,
                         const struct terrane_memory *memory, float *heights, uint8_t *index)
{
    const int term = world->recipe->terms - 1;
    const struct want want = {
        .put = put_heights_zones, .terms = &term, .outs = &heights, .count = 1, .term = term, .index = index};
    return make_window(world, window, &want, memory);
}
