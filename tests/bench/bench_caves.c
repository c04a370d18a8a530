/*
 * A cave, mesh included, of a world with mountains: its square of ground as it is given, made, and made and eroded; and the
 * caves of a window of 257 x 257 samples.
 *
 * Usage: bench_caves [--quick] [--strict] [--json FILE]. See bench.mk.
 */
#include "../../lib/terrane_caves.h"
#include "../golden/shipped.h"
#include "bench_rounds.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIDE = 257,
    ANCHOR =
        4, /* the level of the product that erosion starts from: the server's next one above the caves' */
    ROUNDS = 15,
    ROUNDS_QUICK = 7,
};

static const double seconds = 4.0;

/* Steep slopes of a range of the alpine world. */
static const int64_t place_gi = -90816, place_gj = -111936;

static const struct terrane_caves caves_of_bench = {.share = 1,
                                                    .level = 2,
                                                    .cell_log2 = 7,
                                                    .radius = 40,
                                                    .high_m = 150,
                                                    .roof_m = 12,
                                                    .height_m = 14,
                                                    .room = 80,
                                                    .slope = 0.6f};

/* A window of caves and what it takes. */
struct area {
    struct terrane_window window, around;
    struct terrane_eroded from, out;
    float *ground, *depth_m, *own_ground, *floor_ceiling;
    struct terrane_cave cave[TERRANE_CAVES_MAX];
    int caves;
};

struct work {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct area wide, one;
    struct terrane_cave_mesh mesh;
    struct terrane_memory memory;
};

static size_t samples_of(const struct terrane_window *window)
{
    return (size_t)window->width * (size_t)window->height;
}

static void product_open(struct terrane_eroded *product, const struct terrane_window *window)
{
    product->window = *window;
    product->delta = bench_memory(samples_of(window) * sizeof *product->delta);
    product->flow = bench_memory(samples_of(window) * sizeof *product->flow);
}

/* Everything that an area takes, and the product above it. */
static void area_open(struct area *a, struct work *w, const struct terrane_window *window)
{
    struct terrane_window above;

    a->window = *window;
    terrane_caves_needs(&w->recipe, window, &a->around);
    a->ground = bench_memory(samples_of(&a->around) * sizeof *a->ground);
    a->depth_m = bench_memory(samples_of(&a->around) * sizeof *a->depth_m);
    a->own_ground = bench_memory(samples_of(window) * sizeof *a->own_ground);
    a->floor_ceiling = bench_memory(2 * samples_of(window) * sizeof *a->floor_ceiling);
    terrane_erode_needs(&w->recipe, &a->around, ANCHOR, &above);
    product_open(&a->from, &above);
    bench_need("terrane_erode", terrane_erode(&w->world, NULL, &w->memory, &a->from));
    product_open(&a->out, &a->around);
}

static void ground_make(struct area *a, struct work *w, bool eroded)
{
    const int64_t east = a->window.gi - a->around.gi, south = a->window.gj - a->around.gj;

    bench_need("terrane_heights", terrane_heights(&w->world, &a->around, &w->memory, a->ground));
    if (eroded) {
        bench_need("terrane_erode", terrane_erode(&w->world, &a->from, &w->memory, &a->out));
        bench_need("terrane_eroded_heights",
                   terrane_eroded_heights(&w->recipe, &a->around, &a->out, a->ground));
    }
    for (int j = 0; j < a->window.height; j++)
        memcpy(a->own_ground + (size_t)j * (size_t)a->window.width,
               a->ground + (size_t)(south + j) * (size_t)a->around.width + east,
               (size_t)a->window.width * sizeof *a->ground);
}

static void caves_make(struct area *a, struct work *w)
{
    bench_need("terrane_caves", terrane_caves(&w->world, &a->window, a->ground, a->depth_m, &w->memory,
                                              a->floor_ceiling, a->cave, &a->caves));
}

static void mesh_make(struct work *w)
{
    if (w->one.caves > 0)
        bench_need("terrane_cave_mesh",
                   terrane_cave_mesh(&w->world, &w->one.window, &w->one.cave[0], w->one.own_ground,
                                     w->one.floor_ceiling, &w->memory, &w->mesh));
}

static void work_make(struct work *w)
{
    const struct terrane_window wide = {caves_of_bench.level, place_gi, place_gj, 1, WIDE, WIDE};
    struct terrane_window square;

    bench_need("terrane_init", terrane_init(NULL));
    w->memory.scratch = bench_memory(terrane_scratch_bytes());
    recipe_shipped(&w->recipe, "alpine");
    w->recipe.caves = caves_of_bench;
    bench_need("the caves' recipe", terrane_recipe_init(&w->recipe, NULL));
    terrane_world_init(&w->world, &w->recipe, 42);
    area_open(&w->wide, w, &wide);
    ground_make(&w->wide, w, true);
    caves_make(&w->wide, w);
    if (w->wide.caves == 0)
        bench_die("terrane_caves", "found no cave");
    terrane_cave_mesh_needs(&w->recipe, &w->wide.cave[0], &square);
    area_open(&w->one, w, &square);
    w->mesh.vertex = bench_memory(3 * sizeof(float) * TERRANE_CAVE_VERTICES_MAX);
    w->mesh.normal = bench_memory(3 * sizeof(float) * TERRANE_CAVE_VERTICES_MAX);
    w->mesh.index = bench_memory(3 * sizeof(uint32_t) * TERRANE_CAVE_TRIANGLES_MAX);
    ground_make(&w->one, w, true);
    caves_make(&w->one, w);
    mesh_make(w);
    if (w->one.caves == 0 || w->mesh.triangles == 0)
        bench_die("terrane_caves", "a cave's own square does not show it");
}

/* ---- Methods ------------------------------------------------------------------------------------------- */

static void fill_given(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;
    (void)x, (void)y;
    caves_make(&w->one, w);
    mesh_make(w);
}

static void fill_mesh(const struct bench_method *m, int x, int y)
{
    (void)x, (void)y;
    mesh_make(m->context);
}

static void fill_wide(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;
    (void)x, (void)y;
    caves_make(&w->wide, w);
}

static void fill_base(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;
    ground_make(&w->one, w, false);
    fill_given(m, x, y);
}

/* The last one: it leaves ground that has caves. */
static void fill_eroded(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;
    ground_make(&w->one, w, true);
    fill_given(m, x, y);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    static struct work work;
    const struct bench_options options = bench_options_read(argc, argv);
    static const struct bench_method made[] = {
        {.name = "a cave and its mesh, ground given", .fill = fill_given},
        {.name = "... its mesh alone", .fill = fill_mesh},
        {.name = "caves of 257 x 257 samples, ground given", .fill = fill_wide},
        {.name = "a cave and its mesh, base ground made", .fill = fill_base},
        {.name = "a cave and its mesh, eroded ground made", .fill = fill_eroded},
    };

    work_make(&work);
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
        struct bench_method m = made[k];
        m.context = &work;
        m.isa = terrane_isa_usable(0);
        m.batch = 1;
        bench_add(&bench, &m, "%s", made[k].name);
    }
    bench_run(&bench, options.quick ? ROUNDS_QUICK : ROUNDS, options.quick ? 0.0 : seconds);
    printf("Caves: one thread, %s, %d rounds. %d vertices, %d triangles; %d caves in the window\n",
           terrane_isa_usable(0), bench.rounds, work.mesh.vertices, work.mesh.triangles, work.wide.caves);
    bench_print_runs(&bench, bench.methods);
    bench_line_time(&bench, "a cave, mesh included, ground given", &bench.method[0], 50e3);
    bench_line_time(&bench, "a cave, mesh included, with base ground", &bench.method[3], 50e3);
    return bench_report(&bench, &options);
}
