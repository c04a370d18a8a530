/*
 * bench_paths [--json FILE] [--quick] [--strict]: paths of a world, in one process and one thread, in turn (bench_rounds.h).
 *
 *   network  nodes, edges and lines of a region: its ground given; with the ground, where erosion and lakes are there, which
 *            other layers read, too; and what making those takes, from what level 8 left
 *   tile     257 x 257 samples of level 0 where two edges or more cross, and of level 3, where most of a tile is path
 */
#include "../../lib/terrane_paths.h"
#include "bench_rounds.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 257, SAMPLES = SIDE * SIDE, ROUNDS = 15, ROUNDS_QUICK = 7, ANCHOR = 8, ANCHOR_SIDE = 400 };

static const double seconds = 4.0;
static const int64_t region_x = -50, region_y = 83;

struct work {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_path_network network;
    struct terrane_window needs, lakes_window, around;
    struct terrane_eroded anchor, eroded[2]; /* of needs and around */
    struct terrane_window tile[2];
    float *ground, *depth_m, *level_m, *lakes_ground;
    struct terrane_memory memory;
    float heights[SAMPLES], plain[SAMPLES];
    uint8_t kind[SAMPLES];
};

static size_t samples_of(const struct terrane_window *window)
{
    return (size_t)window->width * (size_t)window->height;
}

static size_t greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* ---- A region ------------------------------------------------------------------------------------------ */

static void erosion_make(struct work *w, struct terrane_eroded *eroded)
{
    bench_need("terrane_erode", terrane_erode(&w->world, &w->anchor, &w->memory, eroded));
}

static void ground_make(struct work *w, const struct terrane_eroded *eroded, float *heights)
{
    bench_need("terrane_heights", terrane_heights(&w->world, &eroded->window, &w->memory, heights));
    bench_need("terrane_eroded_heights",
               terrane_eroded_heights(&w->recipe, &eroded->window, eroded, heights));
}

static void lakes_make(struct work *w)
{
    ground_make(w, &w->eroded[1], w->lakes_ground);
    bench_need("terrane_lakes",
               terrane_lakes(&w->world, &w->lakes_window, w->lakes_ground, &w->memory, w->level_m));
}

static void water_make(struct work *w)
{
    bench_need("terrane_water", terrane_water(&w->recipe, &w->needs, w->ground, &w->lakes_window, w->level_m,
                                              NULL, w->depth_m));
}

static void graph_make(struct work *w)
{
    w->network.x = region_x;
    w->network.y = region_y;
    bench_need("terrane_paths_graph", terrane_paths_graph(&w->world, &w->memory, &w->network, &w->needs));
}

static void lines_make(struct work *w)
{
    bench_need("terrane_paths_lines", terrane_paths_lines(&w->world, &w->needs, w->ground, w->depth_m, NULL,
                                                          &w->memory, &w->network));
}

static void fill_network(const struct bench_method *m, int x, int y)
{
    (void)x;
    (void)y;
    graph_make(m->context);
    lines_make(m->context);
}

static void fill_all(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;

    (void)x;
    (void)y;
    graph_make(w);
    ground_make(w, &w->eroded[0], w->ground);
    water_make(w);
    lines_make(w);
}

static void fill_under(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;

    (void)x;
    (void)y;
    erosion_make(w, &w->eroded[0]);
    erosion_make(w, &w->eroded[1]);
    lakes_make(w);
}

/* ---- A tile -------------------------------------------------------------------------------------------- */

static void apply(struct work *w, const struct terrane_window *window)
{
    bench_need("terrane_paths_apply",
               terrane_paths_apply(&w->recipe, window, &w->network, &w->memory, w->heights, w->kind, NULL));
}

static void fill_tile(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;

    (void)x;
    (void)y;
    memcpy(w->heights, w->plain, sizeof w->heights);
    apply(w, &w->tile[m->subject]);
}

/* The tile of a level that has the most of paths. */
static struct terrane_window tile_find(struct work *w, int level, int *most)
{
    const int tiles = 1 << (w->recipe.paths.level - level);
    struct terrane_window best = {0};

    *most = 0;
    for (int k = 0; k < tiles * tiles; k++) {
        struct terrane_window window;
        int count = 0;
        bench_need("terrane_window_tile", terrane_window_tile(&window, level, region_x * tiles + k % tiles,
                                                              region_y * tiles + k / tiles, SIDE));
        apply(w, &window);
        for (int i = 0; i < SAMPLES; i++)
            count += w->kind[i] != TERRANE_PATH_NONE;
        if (count > *most) {
            *most = count;
            best = window;
        }
    }
    return best;
}

/* ---- All ----------------------------------------------------------------------------------------------- */

/* What level 8 left: around all that is read. */
static void anchor_make(struct work *w)
{
    const struct terrane_window *needs = &w->needs;
    struct terrane_eroded *anchor = &w->anchor;

    anchor->window = (struct terrane_window){.level = ANCHOR,
                                             .gi = (needs->gi >> (ANCHOR - 4)) - ANCHOR_SIDE / 2,
                                             .gj = (needs->gj >> (ANCHOR - 4)) - ANCHOR_SIDE / 2,
                                             .step = 1,
                                             .width = ANCHOR_SIDE,
                                             .height = ANCHOR_SIDE};
    anchor->delta = bench_memory(samples_of(&anchor->window) * sizeof *anchor->delta);
    anchor->flow = bench_memory(samples_of(&anchor->window) * sizeof *anchor->flow);
    bench_need("terrane_erode", terrane_erode(&w->world, NULL, &w->memory, anchor));
}

static void work_make(struct work *w)
{
    terrane_recipe_default(&w->recipe);
    w->recipe.paths = (struct terrane_paths){
        .width_m = 6, .level = 4, .cell_log2 = 6, .slope = 0.25f, .border_m = 12, .depth_m = 12};
    bench_need("the recipe", terrane_recipe_init(&w->recipe, NULL));
    terrane_world_init(&w->world, &w->recipe, 7);
    w->memory.scratch = bench_memory(terrane_scratch_bytes());
    w->network.node = bench_memory(TERRANE_PATHS_NODES_MAX * sizeof *w->network.node);
    w->network.edge = bench_memory(TERRANE_PATHS_EDGES_MAX * sizeof *w->network.edge);
    w->network.point = bench_memory(TERRANE_PATHS_POINTS_MAX * sizeof *w->network.point);
    graph_make(w);
    anchor_make(w);
    if (!terrane_water_needs(&w->recipe, &w->needs, &w->lakes_window))
        bench_die("the recipe", "has no lakes");
    terrane_lakes_needs(&w->recipe, &w->lakes_window, &w->around);
    const size_t most = greater(samples_of(&w->needs), samples_of(&w->around));
    w->ground = bench_memory(most * sizeof *w->ground);
    w->depth_m = bench_memory(most * sizeof *w->depth_m);
    w->lakes_ground = bench_memory(most * sizeof *w->lakes_ground);
    w->level_m = bench_memory(samples_of(&w->lakes_window) * sizeof *w->level_m);
    for (int k = 0; k < 2; k++)
        w->eroded[k] =
            (struct terrane_eroded){k ? w->around : w->needs, bench_memory(most * 4), bench_memory(most * 4)};
}

int main(int argc, char **argv)
{
    static struct bench b;
    static struct work w;
    const struct bench_options options = bench_options_read(argc, argv);
    static const int levels[2] = {0, 3};

    bench_need("terrane_init", terrane_init(NULL));
    work_make(&w);
    struct bench_method method = {.fill = fill_all, .isa = terrane_isa(), .context = &w};
    fill_under(&method, 0, 0);
    fill_all(&method, 0, 0);
    method.batch = 1;
    bench_add(&b, &method, "a region's network and ground");
    method.fill = fill_network;
    bench_add(&b, &method, "a region's network alone");
    method.batch = 0;
    method.samples = SAMPLES;
    method.fill = fill_tile;
    for (int k = 0; k < 2; k++) {
        int count;
        w.tile[k] = tile_find(&w, levels[k], &count);
        method.subject = k;
        bench_add(&b, &method, "paths of a tile of level %d", levels[k]);
        printf("level %d: %d of %d samples are paths or beside them\n", levels[k], count, SAMPLES);
    }
    method.batch = 1;
    method.samples = 0;
    method.fill = fill_under;
    bench_add(&b, &method, "erosion and lakes of that region, from level 8");
    bench_run(&b, options.quick ? ROUNDS_QUICK : ROUNDS, options.quick ? 1 : seconds);
    bench_line_time(&b, "paths of a region, with its ground", &b.method[0], 60e3);
    bench_line_time(&b, "paths of a region: nodes, edges, lines", &b.method[1], 20e3);
    bench_line_time(&b, "paths of a tile of 257 x 257, level 0", &b.method[2], 1e3);
    bench_line_time(&b, "paths of a tile of 257 x 257, level 3", &b.method[3], 1e3);
    bench_print_methods(&b);
    return bench_report(&b, &options);
}
