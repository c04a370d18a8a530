#include "bench_phase.h"

#include "bench_rounds.h"

#include <stdlib.h>
#include <string.h>

/* ---- Counting ------------------------------------------------------------------------------------------ */

static struct {
    bool on;
    const struct erode_kernels *real;
    struct erode_kernels counting;
    int64_t droplets, steps;
} hook;

static int64_t steps_in(const struct erode_field *field)
{
    const size_t cells = (size_t)field->width * (size_t)field->height;
    int64_t steps = 0;

    for (size_t i = 0; i < cells; i++)
        steps += (uint32_t)field->moved[i];
    return steps;
}

static int64_t run_counted(const struct erode_field *field, const struct erode_bounds *bounds,
                           const struct erode_law *law, const struct erode_births *births)
{
    const int64_t before = steps_in(field);
    const int64_t carried = hook.real->droplets_run(field, bounds, law, births);

    hook.droplets += births->count;
    hook.steps += steps_in(field) - before;
    return carried;
}

/* The linker sends erosion's calls of erode_kernels_current here (--wrap). */
const struct erode_kernels *__real_erode_kernels_current(void);
const struct erode_kernels *__wrap_erode_kernels_current(void);
const struct erode_kernels *__wrap_erode_kernels_current(void)
{
    const struct erode_kernels *real = __real_erode_kernels_current();

    if (!hook.on)
        return real;
    hook.real = real;
    hook.counting = *real;
    hook.counting.droplets_run = run_counted;
    return &hook.counting;
}

/* ---- The recipe ---------------------------------------------------------------------------------------- */

struct terrane_droplets bench_phase_droplets(float density)
{
    return (struct terrane_droplets){
        .density = density,
        .lifetime = PHASE_STEPS,
        .inertia = 0.05f,
        .capacity = 4.0f,
        .min_capacity = 0.01f,
        .erosion = 0.3f,
        .deposition = 0.3f,
        .evaporation = 0.01f,
        .gravity = 0.02f,
        .speed = 1.0f,
        .water = 1.0f,
        .talus_deg = 38.0f,
    };
}

void bench_phase_recipe(struct terrane_recipe *recipe, int phases, float density)
{
    *recipe = (struct terrane_recipe){
        .spacing_m = 1.0,
        .terms = 1,
        .sea_m = -8000.0f,
        .low_m = -8192.0f,
        .high_m = 8192.0f,
        .steep_high = 1.0f,
        .partition = {.zones = 1, .zone = {{.term = -1, .share = 1.0f}}},
        .erosion = {.levels = 1, .phases = {(uint8_t)phases}, .steps = {PHASE_STEPS}, .limit = 0.25f},
    };
    recipe->term[0] = terrane_term_fractal(TERRANE_FBM);
    recipe->term[0].fractal.octaves = 7;
    recipe->term[0].fractal.cell = 512.0;
    recipe->term[0].fractal.amplitude_m = 400.0f;
    recipe->term[0].fractal.gain = 0.45f;
    for (int i = 0; i < 7; i++)
        recipe->term[0].fractal.base[i] = TERRANE_PERLIN5;
    recipe->erosion.zone[0] = bench_phase_droplets(density);
    const int error = terrane_recipe_init(recipe, NULL);
    if (error != 0)
        bench_die("the phases' recipe", terrane_error_text(error));
}

/* ---- The field ----------------------------------------------------------------------------------------- */

static void grounds_make(struct bench_phase *p)
{
    float *heights = bench_memory(p->samples * sizeof *heights);

    for (int k = 0; k < PHASE_GROUNDS; k++) {
        const struct terrane_window window = {
            .gi = 4096 * k, .gj = -4096 * k, .step = 1, .width = p->side, .height = p->side};
        const int error = terrane_heights(&p->world, &window, NULL, heights);
        if (error != 0)
            bench_die("heights", terrane_error_text(error));
        p->ground[k] = bench_memory(p->samples * sizeof *p->ground[k]);
        for (size_t i = 0; i < p->samples; i++)
            p->ground[k][i] = (int32_t)(heights[i] * p->level.scale.to_units);
    }
    free(heights);
}

/* As many droplets as were asked for, and they live. */
static void droplets_count(struct bench_phase *p, float density)
{
    hook.on = true;
    hook.droplets = hook.steps = 0;
    for (int k = 0; k < PHASE_GROUNDS; k++)
        bench_phase_run(p, k);
    hook.on = false;
    p->droplets = hook.droplets / PHASE_GROUNDS;
    p->steps = hook.steps / PHASE_GROUNDS;
    const double asked = (double)density * (double)p->samples * p->phases;
    if (!((double)p->droplets > 0.9 * asked && (double)p->droplets < 1.1 * asked))
        bench_die("phases", "not the droplets that were asked for");
    if (p->steps < 20 * p->droplets)
        bench_die("phases", "droplets end too soon");
}

void bench_phase_make(struct bench_phase *p, int side, int phases, float density)
{
    struct erosion_level *level = &p->level;

    p->side = side;
    p->phases = phases;
    p->samples = (size_t)side * (size_t)side;
    bench_phase_recipe(&p->recipe, 1, density);
    terrane_world_init(&p->world, &p->recipe, 42);

    const size_t nodes =
        erosion_grid_nodes(&(struct terrane_window){.step = 1, .width = side, .height = side});
    float *room = bench_memory(nodes * TERRANE_ZONES_MAX * sizeof *room);
    level->world = &p->world;
    level->window = (struct terrane_window){.step = 1, .width = side, .height = side};
    erosion_scale(&level->scale, &p->recipe, 0);
    level->field.width = level->field.height = side;
    level->field.ground = bench_memory(p->samples * sizeof *level->field.ground);
    level->field.moved = bench_memory(p->samples * sizeof *level->field.moved);
    level->grid = bench_memory(nodes * TERRANE_DROPLET_NUMBERS * sizeof *level->grid);
    level->halo = PHASE_HALO;
    level->flow = bench_memory(p->samples * sizeof *level->flow);
    erosion_law(level, NULL, room);
    grounds_make(p);
    free(room);
    droplets_count(p, density);
}

void bench_phase_run(struct bench_phase *p, int k)
{
    const int32_t *fresh = p->ground[(unsigned)k % PHASE_GROUNDS];

    p->level.window.gi = (int64_t)k * 1024;
    memcpy(p->level.field.ground, fresh, p->samples * sizeof *fresh);
    for (int phase = 0; phase < p->phases; phase++) {
        p->level.inset = 0;
        erosion_phase(&p->level, phase);
    }
}

void bench_phase_heights(const struct bench_phase *p, int k, float *heights)
{
    for (size_t i = 0; i < p->samples; i++)
        heights[i] = (float)p->ground[(unsigned)k % PHASE_GROUNDS][i] / p->level.scale.sample;
}
