/*
 * Surfaces: a sample is a function of its place and of nothing else (lib/surface.c, lib/plan.c, lib/kernel/).
 *
 * Whatever could leak into a sample is varied against all else held: the window around it, its step, the
 * tile's size, the instruction set, the thread, the buffers and what they held before. TERRANE_TEST_SETS
 * raises the number of random parameter sets of the comparison of instruction sets.
 */
#include "lib_fixture.h"

#include <pthread.h>

/* The usable instruction sets in turn. */
static void isa_choose(int turn)
{
    int count = 0;
    while (terrane_isa_usable(count))
        count++;
    assert_int_equal(terrane_init(terrane_isa_usable(turn % count)), 0);
}

/* ---- Windows and their crops ------------------------------------------------------------------------ */

/* Compares what two windows of one level share, in a layer. Returns the number of shared samples. */
static int layer_agreement(const struct terrane_world *world, enum layer layer,
                           const struct terrane_window *a, const struct terrane_window *b)
{
    const size_t size = layer_sample_bytes(world, layer);
    uint8_t *of_a = layer_new(world, layer, a, scratch), *of_b = layer_new(world, layer, b, scratch);
    int shared = 0;
    for (int j = 0; j < a->height; j++) {
        const int64_t y = a->gj + (int64_t)j * a->step - b->gj;
        if (y < 0 || y % b->step || y / b->step >= b->height)
            continue;
        for (int i = 0; i < a->width; i++) {
            const int64_t x = a->gi + (int64_t)i * a->step - b->gi;
            if (x < 0 || x % b->step || x / b->step >= b->width)
                continue;
            const size_t in_a = (size_t)j * (size_t)a->width + (size_t)i;
            const size_t in_b = (size_t)(y / b->step) * (size_t)b->width + (size_t)(x / b->step);
            if (memcmp(of_a + in_a * size, of_b + in_b * size, size) != 0) {
                print_error("layer %d, %s: sample %d, %d\n", (int)layer, window_text(a), i, j);
                print_error("  differs in %s (%s)\n", window_text(b), terrane_isa());
                fail();
            }
            shared++;
        }
    }
    free(of_a);
    free(of_b);
    return shared;
}

static void expect_agreement(const struct terrane_world *world, const struct terrane_window *a,
                             const struct terrane_window *b, int least)
{
    for (int layer = 0; layer < LAYER_COUNT; layer++)
        assert_true(layer_agreement(world, (enum layer)layer, a, b) >= least);
}

/* A larger window around one: margins on all sides, and sometimes a divisor of its step. */
static struct terrane_window window_around(struct dice *dice, const struct terrane_window *inner)
{
    struct terrane_window outer = *inner;
    if (inner->step > 1 && (int64_t)inner->width * inner->step < 900 && inner->height * inner->step < 200)
        outer.step = 1;
    else if (inner->step % 2 == 0 && inner->width < 1100)
        outer.step = inner->step / 2;
    const int finer = inner->step / outer.step, west = dice_int(dice, 0, 40), north = dice_int(dice, 0, 9);
    outer.gi -= (int64_t)west * outer.step;
    outer.gj -= (int64_t)north * outer.step;
    outer.width = west + (inner->width - 1) * finer + 1 + dice_int(dice, 0, 40);
    outer.height = north + (inner->height - 1) * finer + 1 + dice_int(dice, 0, 9);
    return outer;
}

static bool window_fits(const struct terrane_window *window)
{
    const int64_t limit = INT64_C(1) << 50;
    return window->gi >= -limit && window->gj >= -limit && window->gi <= limit && window->gj <= limit &&
           window->width <= TERRANE_WINDOW_MAX && window->height <= TERRANE_WINDOW_MAX;
}

static void windows_are_crops_of_larger_ones(void **state)
{
    struct dice dice = {11};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 300; n++) {
        dice_world(&dice, &world);
        const struct terrane_window inner = dice_window(&dice, &world);
        const struct terrane_window outer = window_around(&dice, &inner);
        if (!window_fits(&outer))
            continue;
        isa_choose(n);
        expect_agreement(&world, &inner, &outer, inner.width * inner.height);
    }
}

/* Windows of unrelated steps agree in whatever they share. */
static void windows_of_any_steps_agree(void **state)
{
    struct dice dice = {12};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 200; n++) {
        dice_world(&dice, &world);
        const struct terrane_window a = dice_window(&dice, &world);
        struct terrane_window b = dice_window(&dice, &world);
        b.level = a.level;
        b.gi = a.gi + (int64_t)dice_int(&dice, 0, a.width - 1) * a.step -
               (int64_t)dice_int(&dice, 0, b.width - 1) * b.step;
        b.gj = a.gj + (int64_t)dice_int(&dice, 0, a.height - 1) * a.step -
               (int64_t)dice_int(&dice, 0, b.height - 1) * b.step;
        if (!window_fits(&b))
            continue;
        isa_choose(n);
        expect_agreement(&world, &a, &b, 1);
    }
}

static void widest_windows_agree(void **state)
{
    static const int steps[] = {1, 3, 16, 256};
    struct dice dice = {13};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < COUNT(steps); n++) {
        dice_world(&dice, &world);
        struct terrane_window wide = dice_window(&dice, &world);
        wide.step = steps[n];
        wide.width = TERRANE_WINDOW_MAX;
        wide.height = 2;
        struct terrane_window high = wide; /* its first column, and columns of the next window */
        high.width = 2;
        high.height = TERRANE_WINDOW_MAX;
        if (!window_fits(&(struct terrane_window){.gi = wide.gi + 256 * 4097, .gj = wide.gj + 256 * 4097}))
            wide.gi = wide.gj = high.gi = high.gj = -700; /* crops start inside the lattice, too */
        isa_choose(n);
        expect_agreement(&world, &wide, &high, 4);
        for (int i = 0; i < 6; i++) { /* crops at chunk borders and elsewhere */
            const int first = i < 3 ? 257 / steps[n] * i : dice_int(&dice, 0, wide.width - 60);
            struct terrane_window crop = wide;
            crop.gi += (int64_t)first * wide.step;
            crop.width = dice_int(&dice, 1, 60);
            expect_agreement(&world, &crop, &wide, 2 * crop.width);
            crop = high;
            crop.gj += (int64_t)first * high.step;
            crop.height = dice_int(&dice, 1, 60);
            if (i == 0 || i == 4)
                expect_agreement(&world, &crop, &high, 2 * crop.height);
        }
    }
}

/* ---- Tiles ------------------------------------------------------------------------------------------ */

static struct terrane_window tile(int level, int64_t x, int64_t y, int size)
{
    struct terrane_window window;
    assert_int_equal(terrane_window_tile(&window, level, x, y, size), 0);
    return window;
}

static void check_neighbours(const struct terrane_world *world, int level, int64_t x, int64_t y)
{
    const struct terrane_window own = tile(level, x, y, 257);
    struct terrane_window theirs;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if ((dx == 0 && dy == 0) || terrane_window_tile(&theirs, level, x + dx, y + dy, 257) != 0)
                continue; /* the world ends there */
            expect_agreement(world, &own, &theirs, dx && dy ? 1 : 257);
        }
}

static void check_sizes(const struct terrane_world *world, int level, int64_t x, int64_t y)
{
    const struct terrane_window own = tile(level, x, y, 257);
    for (int size = 2; size <= 256; size *= 2) {
        const struct terrane_window open = tile(level, x, y, size),
                                    closed = tile(level, x, y, size + (size > 1));
        expect_agreement(world, &open, &own, size * size);
        expect_agreement(world, &closed, &own, (size + 1) * (size + 1));
    }
    if (level == 0)
        return;
    const struct terrane_window all = tile(level, x, y, 512);
    for (int part = 0; part < 4; part++) {
        struct terrane_window finer;
        if (terrane_window_tile(&finer, level - 1, 2 * x + part % 2, 2 * y + part / 2, 256) == 0)
            expect_agreement(world, &finer, &all, 256 * 256);
    }
}

static void tiles_meet(void **state)
{
    const int64_t far = TERRANE_TILE_LIMIT;
    const int64_t places[][2] = {{0, 0},       {-1, -1},           {3, -7},
                                 {-far, -far}, {far - 1, far - 1}, {-far, far - 1}};
    struct dice dice = {21};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < COUNT(places); n++) {
        if (n == 2)
            assert_int_equal(terrane_world_init(&world, terrane_recipe_default(), 42), 0);
        else
            dice_world(&dice, &world);
        const int level = n == 0 ? 0 : dice_level(&dice, &world);
        isa_choose(n % 2);
        check_neighbours(&world, level, places[n][0], places[n][1]);
        check_sizes(&world, level, places[n][0], places[n][1]);
    }
}

/* ---- Instruction sets ------------------------------------------------------------------------------- */

static void expect_isas_agree(const struct terrane_world *world, const struct terrane_window *window, int set)
{
    for (int layer = 0; layer < LAYER_COUNT; layer++) {
        const size_t bytes = window_samples(window) * layer_sample_bytes(world, (enum layer)layer);
        assert_int_equal(terrane_init("scalar"), 0);
        uint8_t *expected = layer_new(world, (enum layer)layer, window, scratch);
        for (int k = 0; terrane_isa_usable(k); k++) {
            assert_int_equal(terrane_init(terrane_isa_usable(k)), 0);
            uint8_t *got = layer_new(world, (enum layer)layer, window, scratch);
            if (memcmp(got, expected, bytes) != 0)
                fail_msg("set %d, layer %d, %s: %s differs from scalar", set, layer, window_text(window),
                         terrane_isa());
            free(got);
        }
        free(expected);
    }
}

static void instruction_sets_agree(void **state)
{
    const char *raised = getenv("TERRANE_TEST_SETS");
    const int sets = raised ? (int)strtol(raised, NULL, 10) : 200;
    struct dice dice = {31};
    struct terrane_world world;

    (void)state;
    assert_true(sets > 0);
    for (int n = 0; n < sets; n++) {
        dice_world(&dice, &world);
        const struct terrane_window window = dice_window(&dice, &world);
        expect_isas_agree(&world, &window, n);
    }
    for (int base = 0; base < TERRANE_BASES; base++) /* every size of cell, short ones last */
        for (int k = 0; k <= 8; k++) {
            struct terrane_recipe recipe = recipe_fractal((enum terrane_base)base, 1, k, 100, 0.5f);
            recipe.alias_octaves = 1;
            assert_int_equal(terrane_world_init(&world, &recipe, dice_bits(&dice)), 0);
            expect_isas_agree(
                &world, &(struct terrane_window){.gi = -75, .gj = -3, .step = 1, .width = 150, .height = 9},
                -k);
        }
}

/* ---- Memory ----------------------------------------------------------------------------------------- */

/* Fills memory with what would show in any sample that read it: quiet or signalling NaNs, huge numbers,
 * zeros. */
static void foul(void *memory, size_t bytes, int kind)
{
    static const uint32_t words[] = {0xFFFFFFFF, 0x7F800001, 0x7F7FFFFF, 0};
    uint8_t *to = memory;
    for (size_t i = 0; i + 4 <= bytes; i += 4)
        memcpy(to + i, &words[kind % COUNT(words)], 4);
}

static void outputs_are_written_exactly(void **state)
{
    struct dice dice = {41};
    struct terrane_world world;

    (void)state;
    assert_int_equal(terrane_scratch_bytes() % TERRANE_SCRATCH_ALIGN,
                     0); /* so that its end can be flush, too */
    for (int n = 0; n < 120; n++) {
        dice_world(&dice, &world);
        const struct terrane_window window = dice_window(&dice, &world);
        isa_choose(n);
        struct guarded own = guarded_new(terrane_scratch_bytes(), n & 1);
        for (int layer = 0; layer < LAYER_COUNT; layer++) {
            const size_t bytes = window_samples(&window) * layer_sample_bytes(&world, (enum layer)layer);
            uint8_t *expected = layer_new(&world, (enum layer)layer, &window, scratch);
            struct guarded out = guarded_new(bytes, n & 2);
            foul(own.data, own.bytes, n / 4 + layer);
            foul(out.data, out.bytes, n / 4 + layer);
            assert_int_equal(layer_make(&world, (enum layer)layer, &window, own.data, out.data), 0);
            assert_memory_equal(out.data, expected, bytes);
            assert_true(guarded_intact(&out) && guarded_intact(&own));
            guarded_free(&out);
            free(expected);
        }
        guarded_free(&own);
    }
}

/* Index and weights asked for together are those asked for alone; NULL for both writes nothing. */
static void zones_come_together_or_alone(void **state)
{
    struct dice dice = {42};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 20; n++) {
        dice_world(&dice, &world);
        const struct terrane_window window = dice_window(&dice, &world);
        const size_t samples = window_samples(&window), bytes = layer_sample_bytes(&world, LAYER_WEIGHTS);
        uint8_t *index = layer_new(&world, LAYER_INDEX, &window, scratch), *index_too = malloc(samples);
        float *weights = layer_new(&world, LAYER_WEIGHTS, &window, scratch),
              *weights_too = malloc(samples * bytes);
        assert_int_equal(terrane_zones(&world, &window, scratch, index_too, weights_too), 0);
        assert_int_equal(terrane_zones(&world, &window, scratch, NULL, NULL), 0);
        assert_memory_equal(index, index_too, samples);
        assert_memory_equal(weights, weights_too, samples * bytes);
        free(index), free(index_too), free(weights), free(weights_too);
    }
}

/* ---- Threads ---------------------------------------------------------------------------------------- */

enum { THREADS = 8, JOBS = 24 };

static struct job {
    struct terrane_world world;
    struct terrane_window window;
    void *expected[LAYER_COUNT];
} jobs[JOBS];

/* Does all jobs, each thread in an order of its own. Returns the number of differing layers. */
static void *thread_run(void *argument)
{
    const int own = *(const int *)argument;
    void *memory = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes());
    uintptr_t wrong = 0;
    for (int n = 0; n < JOBS && memory; n++) {
        const struct job *job = &jobs[(n * 5 + own * 7) % JOBS];
        for (int layer = 0; layer < LAYER_COUNT; layer++) {
            const size_t bytes =
                window_samples(&job->window) * layer_sample_bytes(&job->world, (enum layer)layer);
            void *out = malloc(bytes);
            wrong += !out || layer_make(&job->world, (enum layer)layer, &job->window, memory, out) != 0 ||
                     memcmp(out, job->expected[layer], bytes) != 0;
            free(out);
        }
    }
    wrong += memory == NULL;
    free(memory);
    return (void *)wrong;
}

static void threads_agree(void **state)
{
    struct dice dice = {51};
    pthread_t threads[THREADS];
    int numbers[THREADS];

    (void)state;
    assert_int_equal(terrane_init(NULL), 0);
    for (int n = 0; n < JOBS; n++) {
        dice_world(&dice, &jobs[n].world);
        jobs[n].window = dice_window(&dice, &jobs[n].world);
        for (int layer = 0; layer < LAYER_COUNT; layer++)
            jobs[n].expected[layer] = layer_new(&jobs[n].world, (enum layer)layer, &jobs[n].window, scratch);
    }
    for (int t = 0; t < THREADS; t++) {
        numbers[t] = t;
        assert_int_equal(pthread_create(&threads[t], NULL, thread_run, &numbers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[t], &wrong), 0);
        assert_null(wrong);
    }
    for (int n = 0; n < JOBS; n++)
        for (int layer = 0; layer < LAYER_COUNT; layer++)
            free(jobs[n].expected[layer]);
}

/* ---- Absent parts ----------------------------------------------------------------------------------- */

static void expect_same(const struct terrane_recipe *a, const struct terrane_recipe *b, uint64_t seed,
                        int layers)
{
    const struct terrane_window window = {.gi = -40, .gj = 11, .step = 1, .width = 300, .height = 20};
    struct terrane_world of_a, of_b;
    assert_int_equal(terrane_world_init(&of_a, a, seed), 0);
    assert_int_equal(terrane_world_init(&of_b, b, seed), 0);
    for (int layer = 0; layer < layers; layer++) {
        void *in_a = layer_new(&of_a, (enum layer)layer, &window, scratch);
        void *in_b = layer_new(&of_b, (enum layer)layer, &window, scratch);
        assert_memory_equal(in_a, in_b,
                            window_samples(&window) * layer_sample_bytes(&of_a, (enum layer)layer));
        free(in_a);
        free(in_b);
    }
}

/* One zone is the same surface as many that are alike: the noise between them steers nothing. */
static void one_zone_is_many_alike(void **state)
{
    struct dice dice = {71};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 30; n++) {
        dice_world(&dice, &world);
        struct terrane_recipe many = world.recipe, one = world.recipe;
        for (int z = 1; z < many.partition.zones; z++)
            many.partition.zone[z] = many.partition.zone[0];
        one.partition.zones = 1;
        expect_same(&one, &many, world.seed, LAYER_INDEX);
    }
}

static void no_octaves_are_silent_ones(void **state)
{
    struct dice dice = {72};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 30; n++) {
        dice_world(&dice, &world);
        struct terrane_recipe silent = world.recipe, absent = world.recipe;
        struct terrane_fractal *quiet = n % 2 ? &silent.base : &silent.detail;
        *quiet = (struct terrane_fractal){.base = TERRANE_PERLIN5, .octaves = 3, .cell_log2 = 5, .gain = 1};
        (n % 2 ? &absent.base : &absent.detail)->octaves = 0;
        expect_same(&silent, &absent, world.seed, LAYER_COUNT);
    }
}

static void nothing_is_flat(void **state)
{
    const struct terrane_window window = {
        .gi = -5, .gj = 1 << 20, .level = 3, .step = 2, .width = 300, .height = 10};
    struct terrane_recipe recipe = recipe_flat();
    struct terrane_world world;

    (void)state;
    recipe.offset_m = 12.5f;
    recipe.partition.zone[0].offset_m = -3;
    assert_int_equal(terrane_world_init(&world, &recipe, 5), 0);
    float *heights = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
    float *normals = layer_new(&world, LAYER_NORMALS, &window, scratch);
    float *weights = layer_new(&world, LAYER_WEIGHTS, &window, scratch);
    uint8_t *index = layer_new(&world, LAYER_INDEX, &window, scratch);
    for (size_t i = 0; i < window_samples(&window); i++) {
        assert_true(heights[i] == 9.5f && weights[i] == 1 && index[i] == 0);
        assert_true(normals[3 * i] == 0 && normals[3 * i + 1] == 0 && normals[3 * i + 2] == 1);
        assert_false(signbit(normals[3 * i]) || signbit(normals[3 * i + 1]));
    }
    free(heights), free(normals), free(weights), free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_crops_of_larger_ones),
        cmocka_unit_test(windows_of_any_steps_agree),
        cmocka_unit_test(widest_windows_agree),
        cmocka_unit_test(tiles_meet),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(outputs_are_written_exactly),
        cmocka_unit_test(zones_come_together_or_alone),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(one_zone_is_many_alike),
        cmocka_unit_test(no_octaves_are_silent_ones),
        cmocka_unit_test(nothing_is_flat),
    };
#if defined(__SANITIZE_THREAD__) /* it slows vector code a hundredfold, and is after races alone */
    cmocka_set_test_filter("threads_agree");
#endif
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
