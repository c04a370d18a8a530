/*
 * One experiment of Velzel, Natural Path Generation: a terrain at a size, led over, relaxed, and carved the fast way, with what it took and
 * what it moved.
 *
 *     experiment FILE SIDE TERRAIN SLOPE THRESHOLD across|roughness open|stitched ITERATIONS distance|- fast|-
 *
 * prints {"ended_by", "iterations", "seconds", "constraints", "unsatisfied_percent", "distance", "fast"} and writes FILE,
 * in the machine's order: side * side f64 of the ground, as many of it relaxed and of it carved, then as many f32 of
 * gradient, across, its x and its y, and roughness. `terrane path` asks it; its words are taken as they come.
 *
 * Terrain t is world t of a recipe of one term, midpoint displacement of one cell that is the patch: the corners are drawn,
 * and each of eight subdivisions adds half the displacement of the one before. Heights are 1/2 with an amplitude of 1/2, so
 * that most are in 0 .. 1 and flat terrains stay flat. Patches of all sizes are every so manieth of the same 257 x 257
 * samples: the same ground, seen less closely.
 *
 * The document's delta is 80 / (side - 1) here: patches are 80 wide and 1 high. It does not say what it was; with 80 its
 * table 1 comes out, and iterations depend on this number more than on anything else.
 *
 * Times are of the processor clock, so that what else runs does not count. Both ways start from the same heights, which are
 * whole units; what relaxation leaves is rounded to units for its distance.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../patch/terrane_patch.h"

enum { FULL = 257, SAMPLES = FULL * FULL, NODES = 6, EDGES = 5 };

#define EXTENT 80.0
#define UNIT   0x1p-24
#define WIDTH  (12.0 / 256) /* of the patch's side: of the path; and of the border on each side of it */
#define BORDER (24.0 / 256)

static double ground[SAMPLES], relaxed[SAMPLES], carved[SAMPLES], position[SAMPLES];
static float gradient[SAMPLES], across[SAMPLES], across_x[SAMPLES], across_y[SAMPLES], roughness[SAMPLES];
static int32_t from[SAMPLES], to[SAMPLES];

static void need(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, terrane_error_text(status));
    exit(1);
}

static void *memory_of(size_t bytes)
{
    void *const memory =
        aligned_alloc(TERRANE_SCRATCH_ALIGN, (bytes / TERRANE_SCRATCH_ALIGN + 1) * TERRANE_SCRATCH_ALIGN);
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memset(memory, 0, bytes); /* what is touched first here is not in the times */
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void to_units(const double *heights, int32_t *units, size_t samples)
{
    for (size_t k = 0; k < samples; k++)
        units[k] = (int32_t)floor(heights[k] / UNIT + 0.5);
}

/* ---- Ground and graph ---------------------------------------------------------------------------------- */

static void make_ground(int terrain, int side)
{
    static struct terrane_recipe recipe = {.spacing_m = 1,
                                           .low_m = -16,
                                           .high_m = 16,
                                           .terms = 1,
                                           .partition.zones = 1,
                                           .partition.zone[0] = {.name = "all", .term = -1, .amplitude = 1},
                                           .steep_low = 1,
                                           .steep_high = 2};
    static float all[SAMPLES];
    const struct terrane_window window = {.step = 1, .width = FULL, .height = FULL};
    const int step = (FULL - 1) / (side - 1);
    struct terrane_world world;

    recipe.term[0] = terrane_term_fractal(TERRANE_MIDPOINT);
    recipe.term[0].fractal.octaves = 8;
    recipe.term[0].fractal.cell = FULL - 1;
    recipe.term[0].fractal.gain = 0.5f;
    need(terrane_recipe_init(&recipe, NULL), "recipe");
    terrane_world_init(&world, &recipe, (uint64_t)terrain + 1);
    need(terrane_heights(&world, &window, NULL, all), "heights");
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const double height = 0.5 + 0.5 * (double)all[y * step * FULL + x * step];
            ground[y * side + x] = floor(height / UNIT + 0.5) * UNIT;
        }
}

/* The one graph, scaled with the patch. */
static void lead(const struct terrane_patch *patch, double slope, const struct terrane_shape *shape,
                 void *memory, struct terrane_limits *limits)
{
    /* in eighths of the side: of a patch of 9 x 9 every sample is one */
    static const int place[NODES][2] = {{1, 3}, {3, 3}, {5, 5}, {7, 6}, {4, 7}, {3, 1}};
    static const int ends[EDGES][2] = {{0, 1}, {1, 2}, {2, 3}, {2, 4}, {1, 5}};
    const double width = fmax(1, WIDTH * (patch->side - 1)), border = fmax(1, BORDER * (patch->side - 1));
    const int eighth = (patch->side - 1) / 8;
    struct terrane_graph_node node[NODES];
    struct terrane_graph_edge edge[EDGES];
    const struct terrane_graph graph = {
        .nodes = NODES, .edges = EDGES, .node = node, .edge = edge, .node_slope = slope};
    int where;

    for (int k = 0; k < NODES; k++)
        node[k] = (struct terrane_graph_node){place[k][0] * eighth, place[k][1] * eighth, width};
    for (int k = 0; k < EDGES; k++)
        edge[k] = (struct terrane_graph_edge){ends[k][0], ends[k][1], width, slope, border};
    need(terrane_patch_lines(patch, &graph, shape, ground, memory, limits, NULL, NULL, 0, &where), "lines");
}

/* ---- What is printed ----------------------------------------------------------------------------------- */

/* What was not measured is NaN. */
static void print_number(const char *name, double value)
{
    if (isnan(value))
        printf(", \"%s\": null", name);
    else
        printf(", \"%s\": %.17g", name, value);
}

static void print_report(const struct terrane_relax_report *report)
{
    static const char *const name[TERRANE_HOLDS] = {"gradient", "across", "roughness", "position"};
    double held = 0, unsatisfied = 0;
    const char *comma = "";

    printf(", \"constraints\": {");
    for (int k = 0; k < TERRANE_HOLDS; k++) {
        held += (double)report->held[k];
        unsatisfied += (double)report->unsatisfied[k];
        if (report->held[k] > 0) {
            printf("%s\"%s\": {\"held\": %lld, \"unsatisfied\": %lld, \"mean_distance\": %.17g}", comma,
                   name[k], (long long)report->held[k], (long long)report->unsatisfied[k],
                   report->distance[k]);
            comma = ", ";
        }
    }
    putchar('}');
    print_number("unsatisfied_percent", held > 0 ? 100 * unsatisfied / held : 0);
}

/* ---- The parts of it ----------------------------------------------------------------------------------- */

/* EMD from the ground in from to heights; NaN unless wanted. */
static double distance_to(const struct terrane_patch *patch, const double *heights, bool wanted)
{
    double distance = (double)NAN;
    if (!wanted)
        return distance;
    void *const memory = memory_of(terrane_patch_distance_bytes(patch));
    to_units(heights, to, (size_t)patch->side * (size_t)patch->side);
    need(terrane_patch_distance(patch, from, to, memory, &distance), "distance");
    free(memory);
    return distance;
}

static void relax(const struct terrane_patch *patch, const struct terrane_limits *limits,
                  const struct terrane_relax *settings, void *memory, bool distance)
{
    static const char *const how[] = {[TERRANE_RELAXED_ALL] = "all",
                                      [TERRANE_RELAXED_MAX] = "iterations",
                                      [TERRANE_RELAXED_CYCLE] = "cycle",
                                      [TERRANE_RELAXED_STOPPED] = "stopped"};
    struct terrane_relax_report report;

    memcpy(relaxed, ground, sizeof relaxed);
    const double begun = seconds_now();
    need(terrane_patch_relax(patch, limits, settings, memory, relaxed, &report), "relaxation");
    printf("{\"ended_by\": \"%s\", \"iterations\": %lld", how[report.how], (long long)report.iterations);
    print_number("seconds", seconds_now() - begun);
    print_report(&report);
    print_number("distance", distance_to(patch, relaxed, distance));
}

/* Held to slopes alone, without a threshold. */
static void carve(const struct terrane_patch *patch, const struct terrane_limits *limits,
                  const struct terrane_relax *usual, void *memory, bool distance)
{
    const size_t samples = (size_t)patch->side * (size_t)patch->side;
    struct terrane_limits slopes = *limits;
    struct terrane_relax settings = *usual;
    struct terrane_relax_report report;

    memcpy(to, from, sizeof to);
    const double begun = seconds_now();
    need(terrane_patch_carve(patch, limits, memory, to), "carving");
    printf(", \"fast\": {\"seconds\": %.17g", seconds_now() - begun);
    for (size_t k = 0; k < samples; k++)
        carved[k] = to[k] * UNIT;
    slopes.roughness = NULL;
    slopes.position = NULL;
    settings.slope_threshold = 0;
    need(terrane_patch_report(patch, &slopes, &settings, carved, &report), "report");
    print_report(&report);
    print_number("distance", distance_to(patch, carved, distance));
    putchar('}');
}

static int write_all(const char *path, size_t samples)
{
    const double *const heights[] = {ground, relaxed, carved};
    const float *const held[] = {gradient, across, across_x, across_y, roughness};
    FILE *const file = fopen(path, "wb");

    for (int k = 0; file && k < 3; k++)
        fwrite(heights[k], sizeof *ground, samples, file);
    for (int k = 0; file && k < 5; k++)
        fwrite(held[k], sizeof *gradient, samples, file);
    const bool wrote = file && !ferror(file);
    const bool closed = file && fclose(file) == 0;
    if (!wrote || !closed)
        perror(path);
    return wrote && closed ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc != 11) {
        fputs("experiment: ten words (see its source)\n", stderr);
        return 2;
    }
    const int side = (int)strtol(argv[2], NULL, 10);
    const bool distance = strcmp(argv[9], "distance") == 0;
    if (side < 9 || side > FULL || ((side - 1) & (side - 2)) != 0)
        return 2;
    const struct terrane_patch patch = {.side = side, .spacing = EXTENT / (side - 1), .unit = UNIT};
    struct terrane_shape shape = terrane_shape_default();
    struct terrane_relax settings = terrane_relax_default();
    struct terrane_limits limits = {gradient, across, across_x, across_y, roughness, position};

    need(terrane_init(getenv("TERRANE_ISA")), "kernels");
    shape.beside = strcmp(argv[6], "across") == 0 ? TERRANE_BESIDE_ACROSS : TERRANE_BESIDE_ROUGHNESS;
    shape.stitch = strcmp(argv[7], "stitched") == 0;
    settings.slope_threshold = strtod(argv[5], NULL);
    settings.iterations_max = strtoll(argv[8], NULL, 10);
    void *const memory = memory_of(terrane_patch_bytes(&patch));
    make_ground((int)strtol(argv[3], NULL, 10), side);
    to_units(ground, from, (size_t)side * (size_t)side);
    lead(&patch, strtod(argv[4], NULL), &shape, memory, &limits);
    relax(&patch, &limits, &settings, memory, distance);
    if (strcmp(argv[10], "fast") == 0)
        carve(&patch, &limits, &settings, memory, distance);
    puts("}");
    free(memory);
    return fflush(stdout) == 0 ? write_all(argv[1], (size_t)side * (size_t)side) : 1;
}
