#include "bench_lakes.h"

#include "bench_rounds.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = BENCH_LAKES_SIDE * BENCH_LAKES_SIDE };

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

static int wet_count(const struct terrane_window *window, const float *level_m,
                     const struct terrane_window *ground, const float *height_m)
{
    int count = 0;

    for (int j = 0; j < window->height; j++) {
        const int64_t row = (window->gj - ground->gj + j) * ground->width + (window->gi - ground->gi);
        for (int i = 0; i < window->width; i++)
            count += level_m[j * window->width + i] > height_m[row + i];
    }
    return count;
}

/* No two lakes stand at one height but by chance. */
static int lakes_count(float *level_m)
{
    int count = 0;

    qsort(level_m, SAMPLES, sizeof *level_m, compare_float);
    for (int i = 0; i < SAMPLES; i++)
        count += level_m[i] > TERRANE_DRY && (i == 0 || level_m[i] > level_m[i - 1]);
    return count;
}

static void run_at(struct bench_lakes *l, int place)
{
    const struct terrane_window window = window_of(l, place);

    bench_need("terrane_lakes", terrane_lakes(&l->world, &window, l->ground[place], l->memory, l->level_m));
}

void bench_lakes_make(struct bench_lakes *l, enum bench_ground kind)
{
    void *scratch = bench_memory(terrane_scratch_bytes());

    terrane_recipe_default(&l->recipe);
    l->recipe.lakes = (struct terrane_lakes){
        .share = 1.0f, .level = 4, .cell_log2 = 7, .radius = 64, .depth_m = 120.0f, .shallow_m = 1.0f};
    bench_need("the lakes' recipe", terrane_recipe_init(&l->recipe, NULL));
    terrane_world_init(&l->world, &l->recipe, 42);
    l->memory = bench_memory(terrane_lakes_bytes(&l->recipe));
    l->level_m = bench_memory(SAMPLES * sizeof *l->level_m);
    l->found = l->wet = 0;
    for (int place = 0; place < BENCH_LAKES_PLACES; place++) {
        const struct terrane_window window = window_of(l, place);
        struct terrane_window ground;
        terrane_lakes_needs(&l->recipe, &window, &ground);
        l->ground[place] =
            bench_memory((size_t)ground.width * (size_t)ground.height * sizeof *l->ground[place]);
        bench_need("heights", terrane_heights(&l->world, &ground, scratch, l->ground[place]));
        if (kind == BENCH_BASINS)
            basins_add(&ground, l->ground[place]);
        run_at(l, place);
        l->wet += wet_count(&window, l->level_m, &ground, l->ground[place]);
        l->found += lakes_count(l->level_m);
    }
    free(scratch);
    if (l->found < BENCH_LAKES_PLACES)
        bench_die("terrane_lakes", "found hardly a lake");
}

void bench_lakes_run(struct bench_lakes *l)
{
    for (int place = 0; place < BENCH_LAKES_PLACES; place++)
        run_at(l, place);
}
