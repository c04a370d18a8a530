/*
 * bench_erosion [--json FILE] [--quick] [--strict]: terrane's erosion and lakes beside what they are compared with, in
 * one process and one thread, in turn (bench_rounds.h).
 *
 *   phase          one phase of droplets on steep ground, 512 x 512 samples and the 32 around that they read, by every
 *                  instruction set; base heights, which terrane_erode makes first, are measured beside it and taken off
 *   plain          one droplet after the other with a brush of radius 3 on the same ground (plain_droplet.h), by gcc
 *                  -O3 -march=native
 *   Kriz 2019      J. Kriz, Multi-Fractal Terrain Generation (Masaryk University, 2019), table 4.1, machine 1 (an overclocked Ryzen
 *                  1600, C#): 20,000 droplets on 252 x
 *                  252, and a lake. Ours: terrane_erode with the same density in four phases, which runs its surroundings,
 *                  too, and makes the base heights; and terrane_lakes on 512 x 512 samples of the same ground, not
 *                  eroded, by the lakes that it found
 *
 * What a droplet obeys is the same for both.
 */
#include "../../lib/erosion/erosion.h"
#include "../../lib/terrane.h"
#include "../../lib/water/water.h"
#include "bench_rounds.h"
#include "plain_droplet.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 30,
    SIDE = 512,
    HALO = STEPS + 2,
    FIELD = SIDE + 2 * HALO,
    DOCUMENT_SIDE = 252,
    DOCUMENT_DROPLETS = 20000,
    DOCUMENT_PHASES = 4,
    GROUNDS = 4, /* places whose heights are at hand */
    LAKES_SAMPLES = SIDE * SIDE,
    LAKES_PLACES = 6,
    ROUNDS = 15,
    ROUNDS_QUICK = 7,
};

#define DENSITY 0.05f

static const double seconds = 10.0;

/* Table 4.1 of Kriz 2019. */
static const double published_erosion_us = 831e3, published_lake_us = 55e3;

/* A world that erodes, and room for what is made of a window of it. */
struct eroding {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_eroded out;
};

/* What methods' contexts point to. */
static struct work {
    struct eroding phase, document;
    struct plain_droplets plain;
    float *ground[GROUNDS]; /* FIELD * FIELD */
    float *heights;
    struct terrane_recipe lakes_recipe;
    struct terrane_world lakes_world;
    float *lakes_ground[LAKES_PLACES], *level_m;
    int lakes;                    /* found, at all places */
    struct terrane_memory memory; /* with scratch */
} work;

/* ---- Worlds -------------------------------------------------------------------------------------------- */

/* Steep ground over a sea far below, eroded at level 0 alone, by droplets that all zones share. */
static void eroding_make(struct eroding *e, int side, int phases, float density)
{
    const size_t samples = (size_t)side * (size_t)side;

    e->recipe = (struct terrane_recipe){
        .spacing_m = 1.0,
        .terms = 1,
        .sea_m = -8000.0f,
        .low_m = -8192.0f,
        .high_m = 8192.0f,
        .steep_high = 1.0f,
        .partition = {.zones = 1, .zone = {{.term = -1, .share = 1.0f}}},
        .erosion = {.levels = 1, .phases = {(uint8_t)phases}, .steps = {STEPS}, .limit = 0.25f},
    };
    e->recipe.term[0] = terrane_term_fractal(TERRANE_FBM);
    e->recipe.term[0].fractal.octaves = 7;
    e->recipe.term[0].fractal.cell = 512.0;
    e->recipe.term[0].fractal.amplitude_m = 400.0f;
    e->recipe.term[0].fractal.gain = 0.45f;
    for (int i = 0; i < 7; i++)
        e->recipe.term[0].fractal.base[i] = TERRANE_PERLIN5;
    e->recipe.erosion.zone[0] = (struct terrane_droplets){density, STEPS, 0.05f, 4.0f, 0.01f, 0.3f,
                                                          0.3f,    0.01f, 0.02f, 1.0f, 1.0f,  38.0f};
    bench_need("the recipe that erodes", terrane_recipe_init(&e->recipe, NULL));
    terrane_world_init(&e->world, &e->recipe, 42);
    e->out.window = (struct terrane_window){.step = 1, .width = side, .height = side};
    e->out.delta = bench_memory(samples * sizeof *e->out.delta);
    e->out.flow = bench_memory(samples * sizeof *e->out.flow);
}

/* The field of droplets around a phase's window. */
static struct terrane_window field_at(int k)
{
    return (struct terrane_window){0, 4096 * k - HALO, -4096 * k - HALO, 1, FIELD, FIELD};
}

static void plain_make(void)
{
    const struct terrane_droplets *d = &work.phase.recipe.erosion.zone[0];

    work.plain = (struct plain_droplets){.width = FIELD, .height = FIELD, .lifetime = STEPS};
    work.plain.ground = bench_memory(FIELD * FIELD * sizeof(float));
    work.plain.inertia = d->inertia;
    work.plain.capacity = d->capacity;
    work.plain.min_capacity = d->min_capacity;
    work.plain.erosion = d->erosion;
    work.plain.deposition = d->deposition;
    work.plain.evaporation = d->evaporation;
    work.plain.gravity = d->gravity;
    work.plain.speed = d->speed;
    work.plain.water = d->water;
    plain_droplets_init(&work.plain);
    for (int k = 0; k < GROUNDS; k++) {
        const struct terrane_window field = field_at(k);
        work.ground[k] = bench_memory(FIELD * FIELD * sizeof(float));
        bench_need("heights", terrane_heights(&work.phase.world, &field, &work.memory, work.ground[k]));
    }
}

/* ---- Lakes --------------------------------------------------------------------------------------------- */

static int compare_float(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void lakes_at(int place)
{
    const struct terrane_window window = {
        work.lakes_recipe.lakes.level, 2048 * (int64_t)place, -2048 * (int64_t)place, 1, SIDE, SIDE};

    if (!work.lakes_ground[place]) {
        struct terrane_window ground;
        terrane_lakes_needs(&work.lakes_recipe, &window, &ground);
        work.lakes_ground[place] = bench_memory((size_t)ground.width * (size_t)ground.height * sizeof(float));
        bench_need("heights",
                   terrane_heights(&work.lakes_world, &ground, &work.memory, work.lakes_ground[place]));
    }
    bench_need("terrane_lakes", terrane_lakes(&work.lakes_world, &window, work.lakes_ground[place],
                                              &work.memory, work.level_m));
}

/* A lake is a level: no two stand at one height but by chance. */
static void lakes_make(void)
{
    work.lakes_recipe = work.phase.recipe;
    work.lakes_recipe.erosion.levels = 0;
    work.lakes_recipe.lakes = (struct terrane_lakes){
        .share = 1.0f, .level = 0, .cell_log2 = 7, .radius = 64, .depth_m = 120.0f, .shallow_m = 1.0f};
    bench_need("the lakes' recipe", terrane_recipe_init(&work.lakes_recipe, NULL));
    terrane_world_init(&work.lakes_world, &work.lakes_recipe, 42);
    work.level_m = bench_memory(LAKES_SAMPLES * sizeof *work.level_m);
    for (int place = 0; place < LAKES_PLACES; place++) {
        lakes_at(place);
        qsort(work.level_m, LAKES_SAMPLES, sizeof *work.level_m, compare_float);
        for (int i = 1; i < LAKES_SAMPLES; i++)
            work.lakes += work.level_m[i] > TERRANE_DRY && work.level_m[i] > work.level_m[i - 1];
    }
    if (work.lakes < LAKES_PLACES)
        bench_die("terrane_lakes", "found hardly a lake");
}

/* ---- The methods --------------------------------------------------------------------------------------- */

static void fill_erode(const struct bench_method *m, int x, int y)
{
    struct eroding *e = m->context;

    e->out.window.gi = 1024 * x;
    e->out.window.gj = 1024 * y;
    bench_need("terrane_erode", terrane_erode(&e->world, NULL, &work.memory, &e->out));
}

static void fill_heights(const struct bench_method *m, int x, int y)
{
    const struct terrane_window field = field_at(x + 31 * y);

    (void)m;
    bench_need("terrane_heights", terrane_heights(&work.phase.world, &field, &work.memory, work.heights));
}

static void fill_plain(const struct bench_method *m, int x, int y)
{
    const unsigned k = (unsigned)(x + 31 * y);

    (void)m;
    memcpy(work.plain.ground, work.ground[k % GROUNDS], FIELD * FIELD * sizeof(float));
    work.plain.state = k * 2654435761u | 1;
    plain_droplets_run(&work.plain, (int)(DENSITY * FIELD * FIELD));
}

static void fill_lakes(const struct bench_method *m, int x, int y)
{
    (void)m, (void)x, (void)y;
    for (int place = 0; place < LAKES_PLACES; place++)
        lakes_at(place);
}

static void methods_make(struct bench *b)
{
    const char *best = terrane_isa_usable(0), *isa;

    bench_add(b, &(struct bench_method){.fill = fill_plain, .batch = 1}, "plain droplets");
    bench_add(b,
              &(struct bench_method){.fill = fill_erode, .isa = best, .context = &work.document, .batch = 1},
              "Kriz 2019");
    bench_add(b, &(struct bench_method){.fill = fill_lakes, .isa = best, .batch = 1}, "lakes");
    for (int k = 0; (isa = terrane_isa_usable(k)) != NULL; k++) {
        struct bench_method m = {.fill = fill_erode, .isa = isa, .context = &work.phase};
        bench_add(b, &m, "phase, %s", isa);
        m.fill = fill_heights;
        bench_add(b, &m, "its base heights, %s", isa);
    }
}

/* ---- The report ---------------------------------------------------------------------------------------- */

/* Microseconds of CPU time that a droplet of a phase takes. */
static double droplet_us(const struct bench *b, const char *isa)
{
    char name[2][64];

    snprintf(name[0], sizeof name[0], "phase, %s", isa);
    snprintf(name[1], sizeof name[1], "its base heights, %s", isa);
    return (bench_find(b, name[0])->median_us - bench_find(b, name[1])->median_us) /
           ((double)DENSITY * FIELD * FIELD);
}

static void lines_make(struct bench *b)
{
    static const struct {
        const char *isa;
        double limit_us;
    } droplets[] = {{"avx512", 0.35}, {"avx2", 0.5}};
    const char *isa;
    char what[72];

    for (int k = 0; (isa = terrane_isa_usable(k)) != NULL; k++)
        for (size_t i = 0; i < sizeof droplets / sizeof *droplets; i++)
            if (strcmp(isa, droplets[i].isa) == 0) {
                snprintf(what, sizeof what, "us a droplet of 30 steps, %s", isa);
                bench_line_value(b, what, droplet_us(b, isa), droplets[i].limit_us, false);
            }
    bench_line_value(b, "plain droplet / ours",
                     bench_find(b, "plain droplets")->median_us / ((double)DENSITY * FIELD * FIELD) /
                         droplet_us(b, terrane_isa_usable(0)),
                     8.0, true);
    bench_line_value(b, "Kriz's 20,000 droplets, 831 ms / ours",
                     published_erosion_us / bench_find(b, "Kriz 2019")->median_us, 80.0, true);
    bench_line_value(b, "Kriz's lake, 55 ms / ours",
                     published_lake_us * work.lakes / bench_find(b, "lakes")->median_us, 50.0, true);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const struct bench_options options = bench_options_read(argc, argv);

    bench_need("terrane_init", terrane_init(NULL));
    work.memory.scratch = bench_memory(terrane_scratch_bytes);
    work.heights = bench_memory(FIELD * FIELD * sizeof *work.heights);
    eroding_make(&work.phase, SIDE, 1, DENSITY);
    eroding_make(&work.document, DOCUMENT_SIDE, DOCUMENT_PHASES,
                 (float)DOCUMENT_DROPLETS / (DOCUMENT_SIDE * DOCUMENT_SIDE * DOCUMENT_PHASES));
    plain_make();
    lakes_make();
    methods_make(&bench);
    bench_run(&bench, options.quick ? ROUNDS_QUICK : ROUNDS, options.quick ? 0.0 : seconds);
    printf("Erosion: one thread, %s, %d rounds; %d lakes\n\n", terrane_isa_usable(0), bench.rounds,
           work.lakes);
    bench_print_methods(&bench);
    lines_make(&bench);
    return bench_report(&bench, &options);
}
