/*
 * bench_erosion [--json FILE] [--quick] [--strict]: terrane's erosion and lakes beside what they are compared with, in
 * one process and one thread, in turn (bench_rounds.h).
 *
 *   phases         one phase of droplets on 512 x 512 samples and the 32 around that it reads, by every instruction set:
 *                  births, run, gather, settle, and the ground put back (bench_phase.h)
 *   plain          one droplet after the other with a brush of radius 3 on the same ground (plain_droplet.h), by gcc
 *                  -O3 -march=native
 *   document 004   its published times, table 4.1, machine 1 (an overclocked Ryzen 1600, C#): 20,000 droplets on 252 x
 *                  252, and a lake. Ours: as many droplets in four phases on a map that ends there (only the samples that
 *                  have 32 around them settle); and terrane_erode with the same density and phases, which runs its
 *                  surroundings, too, and makes the base heights. A lake: terrane_lakes on 512 x 512
 *                  samples, by the lakes that it found
 *   regions        of the recipe that ships, from nothing and from the anchor above
 *
 * A droplet's time is that of 30 steps: all time by all steps. What a droplet obeys is the same for both.
 */
#include "bench_phase.h"
#include "bench_rounds.h"
#include "plain_droplet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSIDE = 512,
    FIELD = INSIDE + 2 * PHASE_HALO,
    DOCUMENT_SIDE = 252,
    DOCUMENT_DROPLETS = 20000,
    DOCUMENT_PHASES = 4,
    REGION_SIDE = 516, /* 512 and two around */
    PHASE_BATCH = 4,   /* in terrane_erode, too, phases follow each other on one field */
    ANCHORS = 4,       /* levels from one to the next */
    ROUNDS = 15,
    ROUNDS_QUICK = 7,
};

#define DENSITY 0.05f

static const double seconds = 10.0;

/* Table 4.1 of document 004. */
static const double published_erosion_us = 831e3, published_lake_us = 55e3;

/* ---- Lakes --------------------------------------------------------------------------------------------- */

/*
 * Lakes of 512 x 512 samples of the lakes' level at six places, where every cell of 128 samples starts one. Two grounds:
 *
 *   HILLS   the shipped recipe's, not eroded: many pits, small
 *   BASINS  a pit every 64 samples, as wide as a lake's window lets it be, and hills of a twentieth
 */
enum {
    BENCH_LAKES_SIDE = 512, /* of a window, in samples of the lakes' level */
    BENCH_LAKES_PLACES = 6, /* whose heights are at hand */
    LAKES_SAMPLES = BENCH_LAKES_SIDE * BENCH_LAKES_SIDE,
};

enum bench_ground { BENCH_HILLS, BENCH_BASINS };

struct bench_lakes {
    struct terrane_recipe recipe;
    struct terrane_world world;
    float *ground[BENCH_LAKES_PLACES], *level_m;
    int found; /* lakes, at all places */
};

static struct terrane_window window_of(const struct bench_lakes *l, int place)
{
    return (struct terrane_window){.level = l->recipe.lakes.level,
                                   .gi = 2048 * (int64_t)place,
                                   .gj = -2048 * (int64_t)place,
                                   .step = 1,
                                   .width = BENCH_LAKES_SIDE,
                                   .height = BENCH_LAKES_SIDE};
}

static int compare_float(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* A pit where both coordinates are multiples of 64. */
static void basins_add(const struct terrane_window *ground, float *height_m)
{
    const float turn = 6.2831853f / 64.0f;

    for (int j = 0; j < ground->height; j++)
        for (int i = 0; i < ground->width; i++) {
            const float across = cosf((float)((ground->gi + i) & 63) * turn);
            const float along = cosf((float)((ground->gj + j) & 63) * turn);
            float *h = &height_m[j * ground->width + i];
            *h = 1000.0f - 30.0f * (across + along) + 0.05f * *h;
        }
}

/* No two lakes stand at one height but by chance. */
static int lakes_count(float *level_m)
{
    int count = 0;

    qsort(level_m, LAKES_SAMPLES, sizeof *level_m, compare_float);
    for (int i = 0; i < LAKES_SAMPLES; i++)
        count += level_m[i] > TERRANE_DRY && (i == 0 || level_m[i] > level_m[i - 1]);
    return count;
}

static void run_at(struct bench_lakes *l, int place)
{
    const struct terrane_window window = window_of(l, place);

    bench_need("terrane_lakes", terrane_lakes(&l->world, &window, l->ground[place], NULL, l->level_m));
}

static void bench_lakes_make(struct bench_lakes *l, enum bench_ground kind)
{
    terrane_recipe_default(&l->recipe);
    l->recipe.lakes = (struct terrane_lakes){
        .share = 1.0f, .level = 4, .cell_log2 = 7, .radius = 64, .depth_m = 120.0f, .shallow_m = 1.0f};
    bench_need("the lakes' recipe", terrane_recipe_init(&l->recipe, NULL));
    terrane_world_init(&l->world, &l->recipe, 42);
    l->level_m = bench_memory(LAKES_SAMPLES * sizeof *l->level_m);
    l->found = 0;
    for (int place = 0; place < BENCH_LAKES_PLACES; place++) {
        const struct terrane_window window = window_of(l, place);
        struct terrane_window ground;
        terrane_lakes_needs(&l->recipe, &window, &ground);
        l->ground[place] =
            bench_memory((size_t)ground.width * (size_t)ground.height * sizeof *l->ground[place]);
        bench_need("heights", terrane_heights(&l->world, &ground, NULL, l->ground[place]));
        if (kind == BENCH_BASINS)
            basins_add(&ground, l->ground[place]);
        run_at(l, place);
        l->found += lakes_count(l->level_m);
    }
    if (l->found < BENCH_LAKES_PLACES)
        bench_die("terrane_lakes", "found hardly a lake");
}

static void bench_lakes_run(struct bench_lakes *l)
{
    for (int place = 0; place < BENCH_LAKES_PLACES; place++)
        run_at(l, place);
}

/* ---- Regions ------------------------------------------------------------------------------------------- */

/* A product of erosion and what making it takes. */
struct region {
    const struct terrane_world *world;
    struct terrane_eroded from, out;
    bool anchored;
};

/* What methods' contexts point to. */
struct work {
    struct bench_phase phase, document;
    struct plain_droplets plain[2], plain_document;
    float *plain_ground[PHASE_GROUNDS], *plain_small[PHASE_GROUNDS];
    struct terrane_recipe seamless_recipe, shipped;
    struct terrane_world seamless, shipped_world;
    struct region seamless_region, cold_region, anchored_region;
    struct bench_lakes hills, basins;
    struct terrane_memory memory; /* with scratch */
};

/* ---- The methods --------------------------------------------------------------------------------------- */

static void fill_phase(const struct bench_method *m, int x, int y)
{
    bench_phase_run(m->context, x + 31 * y);
}

static void plain_restore(struct plain_droplets *plain, float *const *ground, int x, int y)
{
    const unsigned k = (unsigned)(x + 31 * y);

    memcpy(plain->ground, ground[k % PHASE_GROUNDS],
           (size_t)plain->width * (size_t)plain->height * sizeof *plain->ground);
    plain->state = k * 2654435761u | 1;
}

static void fill_plain(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;

    plain_restore(&w->plain[m->subject], w->plain_ground, x, y);
    plain_droplets_run(&w->plain[m->subject], (int)w->phase.droplets);
}

static void fill_plain_document(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;

    plain_restore(&w->plain_document, w->plain_small, x, y);
    plain_droplets_run(&w->plain_document, DOCUMENT_DROPLETS);
}

static void region_make(struct region *r, const struct terrane_memory *memory, int64_t x, int64_t y)
{
    r->out.window.gi = x;
    r->out.window.gj = y;
    bench_need("terrane_erode", terrane_erode(r->world, r->anchored ? &r->from : NULL, memory, &r->out));
}

static void fill_seamless(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;

    region_make(&w->seamless_region, &w->memory, x * 1024, y * 1024);
}

static void fill_cold(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;

    region_make(&w->cold_region, &w->memory, x * INT64_C(65536), y * INT64_C(65536));
}

/* The anchor stays, so the region does. */
static void fill_anchored(const struct bench_method *m, int x, int y)
{
    struct work *w = m->context;

    (void)x;
    (void)y;
    region_make(&w->anchored_region, &w->memory, 0, 0);
}

static void fill_lakes(const struct bench_method *m, int x, int y)
{
    (void)x;
    (void)y;
    bench_lakes_run(m->context);
}

/* ---- What they work on --------------------------------------------------------------------------------- */

static void plain_make(struct plain_droplets *plain, const struct bench_phase *phase, enum plain_brush brush)
{
    const struct terrane_droplets d = bench_phase_droplets(DENSITY);

    *plain = (struct plain_droplets){.width = phase->side,
                                     .height = phase->side,
                                     .ground = bench_memory(phase->samples * sizeof(float)),
                                     .brush = brush,
                                     .lifetime = PHASE_STEPS,
                                     .inertia = d.inertia,
                                     .capacity = d.capacity,
                                     .min_capacity = d.min_capacity,
                                     .erosion = d.erosion,
                                     .deposition = d.deposition,
                                     .evaporation = d.evaporation,
                                     .gravity = d.gravity,
                                     .speed = d.speed,
                                     .water = d.water};
    plain_droplets_init(plain);
}

static void plains_make(struct work *w)
{
    for (int k = 0; k < PHASE_GROUNDS; k++) {
        w->plain_ground[k] = bench_memory(w->phase.samples * sizeof(float));
        w->plain_small[k] = bench_memory(w->document.samples * sizeof(float));
        bench_phase_heights(&w->phase, k, w->plain_ground[k]);
        bench_phase_heights(&w->document, k, w->plain_small[k]);
    }
    plain_make(&w->plain[PLAIN_BRUSH_PRECOMPUTED], &w->phase, PLAIN_BRUSH_PRECOMPUTED);
    plain_make(&w->plain[PLAIN_BRUSH_EXACT], &w->phase, PLAIN_BRUSH_EXACT);
    plain_make(&w->plain_document, &w->document, PLAIN_BRUSH_PRECOMPUTED);
}

/* A window with room for what terrane_erode makes of it; eroded at (0, 0). anchor: -1, or the level of from. */
static void region_begin(struct region *r, const struct terrane_world *world,
                         const struct terrane_memory *memory, int level, int side, int anchor)
{
    const size_t samples = (size_t)side * (size_t)side;

    r->world = world;
    r->out.window = (struct terrane_window){.level = level, .step = 1, .width = side, .height = side};
    r->out.delta = bench_memory(samples * sizeof *r->out.delta);
    r->out.flow = bench_memory(samples * sizeof *r->out.flow);
    if (anchor >= 0) {
        struct region above = {.anchored = false};
        struct terrane_window window;
        terrane_erode_needs(world->recipe, &r->out.window, anchor, &window);
        region_begin(&above, world, memory, anchor, window.width, -1);
        region_make(&above, memory, window.gi, window.gj);
        r->from = above.out;
        r->anchored = true;
    }
    region_make(r, memory, 0, 0);
}

static void regions_make(struct work *w)
{
    bench_phase_recipe(&w->seamless_recipe, DOCUMENT_PHASES, w->document.recipe.erosion.zone[0].density);
    terrane_world_init(&w->seamless, &w->seamless_recipe, 42);
    region_begin(&w->seamless_region, &w->seamless, &w->memory, 0, DOCUMENT_SIDE, -1);
    terrane_recipe_default(&w->shipped);
    terrane_world_init(&w->shipped_world, &w->shipped, 42);
    if (w->shipped.erosion.levels > 0)
        region_begin(&w->cold_region, &w->shipped_world, &w->memory, 0, REGION_SIDE, -1);
    if (w->shipped.erosion.levels > ANCHORS)
        region_begin(&w->anchored_region, &w->shipped_world, &w->memory, 0, REGION_SIDE, ANCHORS);
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static void work_make(struct work *w)
{
    bench_need("terrane_init", terrane_init(NULL));
    w->memory.scratch = bench_memory(terrane_scratch_bytes());
    bench_phase_make(&w->phase, FIELD, 1, DENSITY);
    bench_phase_make(&w->document, DOCUMENT_SIDE, DOCUMENT_PHASES,
                     (float)DOCUMENT_DROPLETS / (DOCUMENT_SIDE * DOCUMENT_SIDE * DOCUMENT_PHASES));
    plains_make(w);
    regions_make(w);
    bench_lakes_make(&w->hills, BENCH_HILLS);
    bench_lakes_make(&w->basins, BENCH_BASINS);
}

static void methods_make(struct bench *b, struct work *w)
{
    const char *isa;

    for (int k = 0; (isa = terrane_isa_usable(k)) != NULL; k++)
        bench_add(b,
                  &(struct bench_method){
                      .fill = fill_phase, .isa = isa, .context = &w->phase, .batch = PHASE_BATCH},
                  "phase, %s", isa);
    const char *best = terrane_isa_usable(0);
    const struct bench_method made[] = {
        {.name = "plain", .fill = fill_plain, .subject = PLAIN_BRUSH_PRECOMPUTED},
        {.name = "plain, brush made anew", .fill = fill_plain, .subject = PLAIN_BRUSH_EXACT},
        {.name = "document 004, plain", .fill = fill_plain_document},
        {.name = "document 004, phases", .fill = fill_phase, .isa = best, .context = &w->document},
        {.name = "document 004, no seams", .fill = fill_seamless, .isa = best},
        {.name = "lakes of hills", .fill = fill_lakes, .isa = best, .context = &w->hills},
        {.name = "lakes of basins", .fill = fill_lakes, .isa = best, .context = &w->basins},
        {.name = "region, from the anchor", .fill = fill_anchored, .isa = best},
        {.name = "region, nothing cached", .fill = fill_cold, .isa = best},
    };
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
        struct bench_method m = made[k];
        if ((m.fill == fill_anchored && w->anchored_region.world == NULL) ||
            (m.fill == fill_cold && w->cold_region.world == NULL))
            continue;
        m.batch = m.fill == fill_phase ? PHASE_BATCH : 1;
        m.context = m.context == NULL ? w : m.context;
        bench_add(b, &m, "%s", made[k].name);
    }
}

/* ---- The report ---------------------------------------------------------------------------------------- */

/* Steps of droplets in a run of a method; 0: no droplets are counted. */
static int64_t steps_of(struct work *w, const struct bench_method *m, int64_t *droplets)
{
    if (m->fill == fill_phase) {
        const struct bench_phase *p = m->context;
        *droplets = p->droplets;
        return p->steps;
    }
    const bool document = m->fill == fill_plain_document;
    if (m->fill != fill_plain && !document)
        return 0;
    struct plain_droplets *plain = document ? &w->plain_document : &w->plain[m->subject];
    *droplets = document ? DOCUMENT_DROPLETS : w->phase.droplets;
    plain_restore(plain, document ? w->plain_small : w->plain_ground, 0, 0);
    return plain_droplets_run(plain, (int)*droplets);
}

/* Behind the methods, whose times are runs: those that run droplets once more, with times of 30 steps. */
static void droplets_add(struct bench *b, struct work *w)
{
    const int runs = b->methods;

    printf("  %-40s %9s %9s %9s  %9s %6s\n", "us a droplet of 30 steps", "median", "minimum", "maximum",
           "droplets", "steps");
    for (int k = 0; k < runs; k++) {
        struct bench_method m = b->method[k];
        int64_t droplets = 0;
        const int64_t steps = steps_of(w, &m, &droplets);
        const double lives = (double)steps / PHASE_STEPS;
        if (steps == 0)
            continue;
        for (int i = 0; i < b->rounds; i++)
            m.time_us[i] /= lives;
        m.median_us /= lives;
        m.minimum_us /= lives;
        m.maximum_us /= lives;
        printf("  %-40s %9.3f %9.3f %9.3f  %9lld %6.1f\n", b->method[k].name, m.median_us, m.minimum_us,
               m.maximum_us, (long long)droplets, (double)steps / (double)droplets);
        bench_add(b, &m, "droplet, %s", b->method[k].name);
    }
}

static void lakes_print(const struct bench *b, const struct bench_lakes *l, const char *name)
{
    printf("  %s: %d, %.1f us each\n", name, l->found, bench_find(b, name)->median_us / l->found);
}

static void lines_make(struct bench *b, const struct work *w)
{
    static const struct {
        const char *isa;
        double limit_us;
    } droplets[] = {{"avx512", 0.35}, {"avx2", 0.5}};
    const char *isa;
    char what[72], name[64];

    for (int k = 0; (isa = terrane_isa_usable(k)) != NULL; k++)
        for (size_t i = 0; i < sizeof droplets / sizeof *droplets; i++)
            if (strcmp(isa, droplets[i].isa) == 0) {
                snprintf(name, sizeof name, "droplet, phase, %s", isa);
                snprintf(what, sizeof what, "a droplet of 30 steps, %s", isa);
                bench_line_time(b, what, bench_find(b, name), droplets[i].limit_us);
            }
    snprintf(name, sizeof name, "droplet, phase, %s", terrane_isa_usable(0));
    bench_line_ratio(b, "plain droplet / ours", bench_find(b, "droplet, plain"), bench_find(b, name), 8.0,
                     true);
    bench_line_ratio(b, "plain droplet, brush made anew / ours",
                     bench_find(b, "droplet, plain, brush made anew"), bench_find(b, name), 8.0, true);
    bench_line_value(b, "document 004's 20,000 droplets, 831 ms / phases",
                     published_erosion_us / bench_find(b, "document 004, phases")->median_us, 80.0, true);
    bench_line_value(b, "document 004's 20,000 droplets, 831 ms / no seams",
                     published_erosion_us / bench_find(b, "document 004, no seams")->median_us, 80.0, true);
    bench_line_value(b, "document 004's lake, 55 ms / a lake of hills",
                     published_lake_us * w->hills.found / bench_find(b, "lakes of hills")->median_us, 50.0,
                     true);
    bench_line_value(b, "document 004's lake, 55 ms / a lake of basins",
                     published_lake_us * w->basins.found / bench_find(b, "lakes of basins")->median_us, 50.0,
                     true);
}

static void report_print(struct bench *b, struct work *w)
{
    const int runs = b->methods;

    printf("Erosion: one thread, %s, %d rounds. A phase: %d x %d samples of steep ground and %d around\n\n",
           terrane_isa_usable(0), b->rounds, INSIDE, INSIDE, PHASE_HALO);
    droplets_add(b, w);
    bench_print_runs(b, runs);
    printf("\n");
    lakes_print(b, &w->hills, "lakes of hills");
    lakes_print(b, &w->basins, "lakes of basins");
    if (w->shipped.erosion.levels == 0)
        printf("\n  The recipe that ships does not erode: no regions of it\n");
    lines_make(b, w);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    static struct work work;
    const struct bench_options options = bench_options_read(argc, argv);

    work_make(&work);
    methods_make(&bench, &work);
    bench_run(&bench, options.quick ? ROUNDS_QUICK : ROUNDS, options.quick ? 0.0 : seconds);
    report_print(&bench, &work);
    return bench_report(&bench, &options);
}
