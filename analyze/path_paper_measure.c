/*
 * One experiment: a terrain at a size, led over, relaxed, and carved the fast way, with what it took and what it moved.
 *
 * Times are of the thread's own processor clock, so that what else runs does not count. Both ways start from the same
 * heights, which are whole units; what relaxation leaves is rounded to units for its distance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "path_paper.h"

struct path_memory {
    void *scratch, *patch, *distance;
    double *ground, *heights, *position;
    int32_t *from, *to;
    float *limit[5]; /* gradient, across, its x and y, roughness */
};

enum { GRADIENT, ACROSS, ACROSS_X, ACROSS_Y, ROUGHNESS };

void path_memory_free(struct path_memory *memory)
{
    if (!memory)
        return;
    free(memory->scratch);
    free(memory->patch);
    free(memory->distance);
    free(memory->ground);
    free(memory->heights);
    free(memory->position);
    free(memory->from);
    free(memory->to);
    for (int k = 0; k < 5; k++)
        free(memory->limit[k]);
    free(memory);
}

static void *aligned(size_t bytes)
{
    return aligned_alloc(TERRANE_SCRATCH_ALIGN, (bytes / TERRANE_SCRATCH_ALIGN + 1) * TERRANE_SCRATCH_ALIGN);
}

struct path_memory *path_memory_new(int side)
{
    struct path_memory *const memory = calloc(1, sizeof *memory);
    const struct terrane_patch patch = path_patch(side);
    const size_t samples = (size_t)side * (size_t)side;

    if (!memory)
        return NULL;
    memory->scratch = aligned(terrane_scratch_bytes());
    memory->patch = aligned(terrane_patch_bytes(&patch));
    memory->distance = aligned(terrane_patch_distance_bytes(&patch));
    memory->ground = malloc(samples * sizeof *memory->ground);
    memory->heights = malloc(samples * sizeof *memory->heights);
    memory->position = malloc(samples * sizeof *memory->position);
    memory->from = malloc(samples * sizeof *memory->from);
    memory->to = malloc(samples * sizeof *memory->to);
    bool whole = memory->scratch && memory->patch && memory->distance && memory->ground && memory->heights &&
                 memory->position && memory->from && memory->to;
    for (int k = 0; k < 5; k++) {
        memory->limit[k] = malloc(samples * sizeof *memory->limit[k]);
        whole = whole && memory->limit[k];
    }
    if (whole)
        return memory;
    path_memory_free(memory);
    return NULL;
}

int64_t path_iterations_max(const struct path_study *study, int series)
{
    const bool slopes = path_series[series].beside == TERRANE_BESIDE_ACROSS && !path_series[series].stitch;
    return study->quick ? 10000 : slopes ? 1000000 : 100000;
}

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool progress(void *context, int64_t iterations, int64_t unsatisfied)
{
    struct path_slot *const slot = context;
    (void)unsatisfied;
    atomic_store_explicit(&slot->iterations, iterations, memory_order_relaxed);
    return !path_stopped();
}

static void to_units(const double *heights, int32_t *units, size_t samples)
{
    for (size_t k = 0; k < samples; k++)
        units[k] = (int32_t)floor(heights[k] / PATH_UNIT + 0.5);
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

static double *copy_of(const double *heights, size_t samples)
{
    double *const out = malloc(samples * sizeof *out);
    if (out)
        memcpy(out, heights, samples * sizeof *out);
    return out;
}

static uint8_t *mask_of(const struct path_memory *memory, size_t samples)
{
    uint8_t *const mask = malloc(samples);
    for (size_t k = 0; mask && k < samples; k++)
        mask[k] = memory->limit[GRADIENT][k] >= 0    ? 1
                  : memory->limit[ACROSS][k] >= 0    ? 2
                  : memory->limit[ROUGHNESS][k] >= 0 ? 3
                                                     : 0;
    return mask;
}

/* ---- The parts of an experiment ------------------------------------------------------------------------ */

static int lead(const struct path_series *series, const struct terrane_patch *patch, int terrain,
                struct path_memory *memory, struct terrane_limits *limits)
{
    struct path_graph graph;
    struct terrane_shape shape = terrane_shape_default();
    int where = 0;
    int status = path_ground(terrain, patch->side, memory->scratch, memory->ground);

    path_graph_make(&graph, patch->side, series->slope);
    shape.beside = series->beside;
    shape.stitch = series->stitch;
    *limits = (struct terrane_limits){.gradient = memory->limit[GRADIENT],
                                      .across = memory->limit[ACROSS],
                                      .across_x = memory->limit[ACROSS_X],
                                      .across_y = memory->limit[ACROSS_Y],
                                      .roughness = memory->limit[ROUGHNESS],
                                      .position = memory->position};
    if (status == 0)
        status = terrane_patch_lines(patch, &graph.graph, &shape, memory->ground, memory->patch, limits, NULL,
                                     NULL, 0, &where);
    return status;
}

static int relax(const struct path_study *study, const struct path_series *series,
                 const struct terrane_patch *patch, const struct terrane_limits *limits,
                 struct path_memory *memory, struct path_slot *slot, struct path_outcome *out)
{
    const size_t samples = (size_t)patch->side * (size_t)patch->side;
    struct terrane_relax settings = terrane_relax_default();

    settings.slope_threshold = series->threshold;
    settings.iterations_max = path_iterations_max(study, (int)(series - path_series));
    settings.progress = progress;
    settings.context = slot;
    memcpy(memory->heights, memory->ground, samples * sizeof *memory->heights);
    const double begun = thread_seconds();
    int status = terrane_patch_relax(patch, limits, &settings, memory->heights, memory->patch, &out->relaxed);
    out->seconds = thread_seconds() - begun;
    if (status != 0 || !series->distance || out->relaxed.how == TERRANE_RELAXED_STOPPED)
        return status;
    to_units(memory->ground, memory->from, samples);
    to_units(memory->heights, memory->to, samples);
    return terrane_patch_distance(patch, memory->from, memory->to, memory->distance, &out->distance);
}

/* Leaves its heights in memory->heights. */
static int carve(const struct path_series *series, const struct terrane_patch *patch,
                 const struct terrane_limits *limits, struct path_memory *memory, struct path_outcome *out)
{
    const size_t samples = (size_t)patch->side * (size_t)patch->side;
    struct terrane_limits slopes = *limits;
    struct terrane_relax settings = terrane_relax_default();

    to_units(memory->ground, memory->from, samples);
    memcpy(memory->to, memory->from, samples * sizeof *memory->to);
    const double begun = thread_seconds();
    int status = terrane_patch_carve(patch, limits, memory->to, memory->patch);
    out->fast_seconds = thread_seconds() - begun;
    for (size_t k = 0; k < samples; k++)
        memory->heights[k] = memory->to[k] * PATH_UNIT;
    slopes.roughness = NULL;
    slopes.position = NULL;
    settings.slope_threshold = 0;
    if (status == 0)
        status = terrane_patch_report(patch, &slopes, &settings, memory->heights, &out->fast);
    if (status == 0 && series->distance)
        status =
            terrane_patch_distance(patch, memory->from, memory->to, memory->distance, &out->fast_distance);
    return status;
}

int path_measure(const struct path_study *study, int series, int size, int terrain,
                 struct path_memory *memory, struct path_slot *slot, struct path_outcome *out,
                 struct path_picture *picture)
{
    const struct path_series *const what = &path_series[series];
    const struct terrane_patch patch = path_patch(study->side[size]);
    const size_t samples = (size_t)patch.side * (size_t)patch.side;
    struct terrane_limits limits;

    *out = (struct path_outcome){.fast_seconds = (double)NAN,
                                 .distance = (double)NAN,
                                 .fast_distance = (double)NAN,
                                 .optimum = (double)NAN};
    int status = lead(what, &patch, terrain, memory, &limits);
    if (status == 0)
        status = relax(study, what, &patch, &limits, memory, slot, out);
    if (status == 0 && out->relaxed.how == TERRANE_RELAXED_STOPPED)
        return 1;
    if (picture) {
        picture->side = patch.side;
        picture->heights[0] = copy_of(memory->ground, samples);
        picture->heights[1] = copy_of(memory->heights, samples);
        picture->mask = mask_of(memory, samples);
    }
    if (status == 0 && what->fast)
        status = carve(what, &patch, &limits, memory, out);
    if (picture && what->fast)
        picture->heights[2] = copy_of(memory->heights, samples);
    if (status == 0 && what->fast && what->distance && study->optimum && patch.side <= study->optimum_side)
        out->optimum = path_optimum(study, &patch, memory->ground, &limits);
    if (status != 0)
        path_error("%d x %d, %s, terrain %d: %s", patch.side, patch.side, what->label, terrain + 1,
                   terrane_error_text(status));
    out->done = status == 0 && !path_stopped();
    return status != 0 ? -1 : path_stopped();
}
