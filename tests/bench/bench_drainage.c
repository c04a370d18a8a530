/*
 * bench_drainage [--json FILE] [--quick] [--strict]: growth of a drainage lattice beside the plain way (plain_drainage.h, by
 * gcc -O3 -march=native), in one process and one thread, in turn.
 *
 * A window of 512 x 512 cells of the recipe that ships, on land, from the same lattice above, which is made before. Both work on
 * the field that terrane_drain takes first, the window with its halo. It makes base heights, too, which plain is given: the time
 * of terrane_heights on the same field is taken off it, and nothing else that it does.
 */
#include "../../lib/terrane_rivers.h"
#include "../golden/shipped.h"
#include "bench_rounds.h"
#include "plain_drainage.h"

enum {
    SIDE = 512,
    SPARE = 50 /* cells of the lattice above, for wider halos */,
    ROUNDS = 15,
    ROUNDS_QUICK = 5
};

static const double seconds = 6.0, pass = 0.6;

struct growth {
    const struct terrane_world *world;
    struct terrane_memory *memory;
    struct terrane_drained from, out;
    struct terrane_window field;
    float *heights;
    struct plain_drainage above, plain;
};

static size_t samples_of(const struct terrane_window *window)
{
    return (size_t)window->width * (size_t)window->height;
}

static void drained_open(struct terrane_drained *d, const struct terrane_window *window)
{
    d->window = *window;
    d->z = bench_memory(samples_of(window) * sizeof *d->z);
    d->low = bench_memory(samples_of(window) * sizeof *d->low);
    d->high = bench_memory(samples_of(window) * sizeof *d->high);
}

static void plain_open(struct plain_drainage *plain, const struct growth *g,
                       const struct terrane_window *window)
{
    const size_t cells = samples_of(window);
    *plain = (struct plain_drainage){.seed = g->world->seed,
                                     .level = window->level,
                                     .width = window->width,
                                     .height = window->height,
                                     .gi = window->gi,
                                     .gj = window->gj,
                                     .finest = window->level == g->world->recipe->rivers.bottom,
                                     .ground = g->heights,
                                     .z = bench_memory(cells * sizeof *plain->z),
                                     .area = bench_memory(cells * sizeof *plain->area),
                                     .cost = bench_memory(cells * sizeof *plain->cost),
                                     .to = bench_memory(cells)};
}

/* The lattice above as plain knows it: inland lakes are sea. */
static void above_fill(struct growth *g, const struct terrane_window *window)
{
    const struct terrane_recipe *recipe = g->world->recipe;
    const double unit_m = terrane_erosion_unit_m(recipe), cell_m2 = (double)(INT64_C(1) << 2 * window->level);
    uint64_t least = UINT64_MAX; /* of a cell */
    plain_open(&g->above, g, window);
    for (size_t c = 0; c < samples_of(window); c++)
        if (terrane_drained_runoff(&g->from, c) > 0 && terrane_drained_runoff(&g->from, c) < least)
            least = terrane_drained_runoff(&g->from, c);
    for (size_t c = 0; c < samples_of(window); c++) {
        const int way = terrane_drained_to(&g->from, c) & TERRANE_DRAIN_WAY;
        g->above.to[c] = (unsigned char)(way < PLAIN_SEA ? way : PLAIN_SEA);
        g->above.z[c] = g->from.z[c] * unit_m;
        g->above.area[c] = (float)((double)terrane_drained_runoff(&g->from, c) / (double)least * cell_m2);
    }
}

static void growth_open(struct growth *g, int level, int64_t gi, int64_t gj)
{
    const struct terrane_window window = {level, gi, gj, 1, SIDE, SIDE};
    struct terrane_window needed;
    if (!terrane_drain_needs(g->world->recipe, &window, &needed))
        bench_die("terrane_drain_needs", "there is no lattice above");
    const int64_t x = (gi - TERRANE_DRAIN_HALO - 2) / 4 * 4 + 2,
                  y = (gj - TERRANE_DRAIN_HALO - 2) / 4 * 4 + 2;
    const int side = (SIDE + 2 * TERRANE_DRAIN_HALO + 7) / 4 * 4; /* at most: whole blocks of 4 x 4 */
    g->field = (struct terrane_window){level, x, y, 1, side, side};
    needed.gi -= SPARE;
    needed.gj -= SPARE;
    needed.width += 2 * SPARE;
    needed.height += 2 * SPARE;
    drained_open(&g->from, &needed);
    drained_open(&g->out, &window);
    bench_need("the lattice above", terrane_drain(g->world, NULL, g->memory, &g->from));
    g->heights = bench_memory(samples_of(&g->field) * sizeof *g->heights);
    plain_open(&g->plain, g, &g->field);
    above_fill(g, &needed);
}

static void fill_drain(const struct bench_method *m, int x, int y)
{
    struct growth *g = m->context;
    (void)x, (void)y;
    bench_need("terrane_drain", terrane_drain(g->world, &g->from, g->memory, &g->out));
}

static void fill_heights(const struct bench_method *m, int x, int y)
{
    struct growth *g = m->context;
    (void)x, (void)y;
    bench_need("terrane_heights", terrane_heights(g->world, &g->field, g->memory, g->heights));
}

static void fill_plain(const struct bench_method *m, int x, int y)
{
    struct growth *g = m->context;
    (void)x, (void)y;
    plain_drainage_run(&g->above, &g->plain);
}

/* Nobody is measured at work that was not done: land by both, and cells of which they say different things. */
static void compare(const struct growth *g)
{
    const int margin = (g->field.width - SIDE) / 2;
    int land = 0, other = 0, plain_land = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const int way = terrane_drained_to(&g->out, (size_t)(y * SIDE + x)) & TERRANE_DRAIN_WAY;
            const int plain = g->plain.to[(y + margin) * g->field.width + x + margin];
            land += way < PLAIN_SEA;
            plain_land += plain < PLAIN_SEA;
            other += way != plain;
        }
    printf("  level %d: land %d and, plain, %d of %d cells; %d cells go another way\n", g->field.level, land,
           plain_land, SIDE * SIDE, other);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    static struct growth growth[2];
    static struct terrane_recipe recipe;
    static const struct bench_method made[] = {{.name = "terrane_drain", .fill = fill_drain},
                                               {.name = "its base heights", .fill = fill_heights},
                                               {.name = "plain growth", .fill = fill_plain}};
    enum { METHODS = sizeof made / sizeof *made };
    const struct bench_options options = bench_options_read(argc, argv);
    struct terrane_world world;
    struct terrane_memory memory = {.scratch = NULL};

    bench_need("terrane_init", terrane_init(NULL));
    memory.scratch = bench_memory(terrane_scratch_bytes());
    recipe_shipped(&recipe, "continents");
    terrane_world_init(&world, &recipe, 42);
    for (int k = 0; k < 2; k++) {
        growth[k] = (struct growth){.world = &world, .memory = &memory};
        growth_open(&growth[k], k ? 7 : 5, k ? 4500 : 18000, k ? 3000 : 12000);
        for (int m = 0; m < METHODS; m++) {
            struct bench_method method = made[m];
            method.context = &growth[k];
            method.isa = m < 2 ? terrane_isa_usable(0) : NULL;
            method.batch = 1;
            bench_add(&bench, &method, "%s, level %d", made[m].name, growth[k].field.level);
        }
    }
    /* Heights are there before plain runs: its methods come after those that make them, in the warm-up, too. */
    bench_run(&bench, options.quick ? ROUNDS_QUICK : ROUNDS, options.quick ? 0.0 : seconds);
    printf("Drainage: one thread, %s, %d rounds; fields of %d x %d cells\n", terrane_isa_usable(0),
           bench.rounds, growth[0].field.width, growth[0].field.height);
    for (int k = 0; k < 2; k++)
        compare(&growth[k]);
    bench_print_runs(&bench, bench.methods);
    for (int k = 0; k < 2; k++) {
        const struct bench_method *m = &bench.method[METHODS * k];
        char what[72];
        snprintf(what, sizeof what, "growth of a cell of level %d by the plain way's", growth[k].field.level);
        bench_line_value(&bench, what, (m[0].median_us - m[1].median_us) / m[2].median_us, pass, false);
    }
    return bench_report(&bench, &options);
}
