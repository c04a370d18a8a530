/*
 * Surfaces: a sample is a function of its place and of nothing else (lib/term/surface.c, lib/term/plan.c, lib/kernel/).
 *
 * Whatever could leak into a sample is varied against all else held: the instruction set, the thread, the buffers and
 * what they held before. Windows and steps: tests/reference has random ones. TERRANE_TEST_SETS raises the number
 * of random parameter sets.
 */
#include "../lib_fixture.h"

#include <pthread.h>

/* Fills memory with what would show in any sample that read it: quiet or signalling NaNs, huge numbers,
 * zeros. */
static void foul(void *memory, size_t bytes, int kind)
{
    static const uint32_t words[] = {0xFFFFFFFF, 0x7F800001, 0x7F7FFFFF, 0};
    uint8_t *to = memory;
    for (size_t i = 0; i + 4 <= bytes; i += 4)
        memcpy(to + i, &words[kind % COUNT(words)], 4);
}

/* By every instruction set, whatever was in memory before. */
TEST(outputs_are_written_exactly_and_the_same)
{
    struct dice dice = {41};
    struct dice_world any;

    assert_int_equal(terrane_scratch_bytes % TERRANE_SCRATCH_ALIGN,
                     0); /* so that its end can be flush, too */
    for (int n = 0; n < sets(80); n++) {
        dice_world(&dice, &any);
        const struct terrane_window window = dice_window(&dice, &any.world);
        struct guarded own = guarded_new(terrane_scratch_bytes, n & 1);
        const struct terrane_memory memory = {.scratch = own.data};
        for (int layer = 0; layer < LAYER_COUNT; layer++) {
            const size_t bytes = samples_of(&window) * layer_sample_bytes(&any.world, (enum layer)layer);
            assert_int_equal(terrane_init("scalar"), 0);
            uint8_t *expected = layer_new(&any.world, (enum layer)layer, &window, scratch);
            for (int k = 0; terrane_isa_usable(k); k++) {
                assert_int_equal(terrane_init(terrane_isa_usable(k)), 0);
                struct guarded out = guarded_new(bytes, (n + k) & 2);
                foul(own.data, own.bytes, n / 4 + layer + k);
                foul(out.data, out.bytes, n / 4 + layer + k);
                assert_int_equal(layer_make(&any.world, (enum layer)layer, &window, &memory, out.data), 0);
                if (memcmp(out.data, expected, bytes) != 0)
                    fail_msg("set %d, layer %d, %s: %s differs from scalar", n, layer, window_text(&window),
                             terrane_isa());
                assert_true(guarded_intact(&out) && guarded_intact(&own));
                guarded_free(&out);
            }
            free(expected);
        }
        guarded_free(&own);
    }
}

enum { THREADS = 8, JOBS = 24 };

static struct job {
    struct dice_world any;
    struct terrane_window window;
    void *expected[LAYER_COUNT];
} jobs[JOBS];

/* Does all jobs, each thread in an order of its own. Returns the number of differing layers. */
static void *thread_run(void *argument)
{
    const int own = *(const int *)argument;
    uintptr_t wrong = 0;
    for (int n = 0; n < JOBS; n++) {
        const struct job *job = &jobs[(n * 5 + own * 7) % JOBS];
        for (int layer = 0; layer < LAYER_COUNT; layer++) {
            const size_t bytes =
                samples_of(&job->window) * layer_sample_bytes(&job->any.world, (enum layer)layer);
            void *out = malloc(bytes);
            wrong += !out || layer_make(&job->any.world, (enum layer)layer, &job->window, NULL, out) != 0 ||
                     memcmp(out, job->expected[layer], bytes) != 0;
            free(out);
        }
    }
    return (void *)wrong;
}

TEST(threads_agree)
{
    struct dice dice = {51};
    pthread_t threads[THREADS];
    int numbers[THREADS];

    assert_int_equal(terrane_init(NULL), 0);
    for (int n = 0; n < JOBS; n++) {
        dice_world(&dice, &jobs[n].any);
        jobs[n].window = dice_window(&dice, &jobs[n].any.world);
        for (int layer = 0; layer < LAYER_COUNT; layer++)
            jobs[n].expected[layer] =
                layer_new(&jobs[n].any.world, (enum layer)layer, &jobs[n].window, scratch);
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

/* Of rough ground: heights of dice, width + 2 x height + 2 of them. Returns owned. */
static float *dice_heights(struct dice *dice, int width, int height)
{
    const size_t samples = (size_t)(width + 2) * (size_t)(height + 2);
    float *heights = malloc(samples * sizeof *heights);
    assert_non_null(heights);
    for (size_t i = 0; i < samples; i++)
        heights[i] = (float)dice_real(dice, -500, 3000);
    return heights;
}

/* lib/README.md "Heights and normals", one sample. */
static void slow_normal(const float *heights, int width, int i, int j, double spacing_m, float *normal)
{
    const float *at = heights + (size_t)(j + 1) * (size_t)(width + 2) + i + 1,
                d = (float)(1 / (2 * spacing_m));
    const float x = (at[1] - at[-1]) * d, y = (at[width + 2] - at[-(width + 2)]) * d;
    const float r = 1 / sqrtf((x * x + y * y) + 1);
    normal[0] = 0 - x * r;
    normal[1] = 0 - y * r;
    normal[2] = r;
}

/* Every size around blocks and chunks, every instruction set, between guard pages. */
TEST(normals_between_heights)
{
    static const int widths[] = {1, 2, 3, 15, 16, 17, 255, 256, 257, 258, 259, 513, 514, 515, 516, 1030};
    struct dice dice = {61};

    for (int n = 0; n < 4 * COUNT(widths); n++) {
        const int width = widths[n % COUNT(widths)], height = dice_int(&dice, 1, 9);
        const double spacing_m = n % 3 ? ldexp(1, n % 7 - 3) : dice_real(&dice, 0.1, 100);
        const size_t in = (size_t)(width + 2) * (size_t)(height + 2),
                     out = (size_t)width * (size_t)height * 3;
        float *dice_made = dice_heights(&dice, width, height);
        struct guarded heights = guarded_new(in * sizeof(float), n & 1);
        struct guarded normals = guarded_new(out * sizeof(float), n & 2);
        memcpy(heights.data, dice_made, in * sizeof(float));
        isa_choose(n);
        terrane_normals_between((float *)(void *)heights.data, width, height, spacing_m,
                                (float *)(void *)normals.data);
        assert_true(guarded_intact(&heights) && guarded_intact(&normals));
        for (int j = 0; j < height; j++)
            for (int i = 0; i < width; i++) {
                float normal[3];
                slow_normal(dice_made, width, i, j, spacing_m, normal);
                assert_memory_equal(normals.data + ((size_t)j * (size_t)width + (size_t)i) * sizeof normal,
                                    normal, sizeof normal);
            }
        guarded_free(&heights), guarded_free(&normals);
        free(dice_made);
    }
}

/* A plain fractal, and warps of warps whose slopes' squares overflow; the last term is the one or the other, by a third. */
static void make_steep(struct terrane_recipe *recipe, struct terrane_world *world, int generator, bool blends)
{
    *recipe = recipe_fractal(TERRANE_PERLIN3, 1, 4, 1000, 0.5f);
    recipe->generator = generator;
    for (; recipe->terms < 6; recipe->terms++) {
        struct terrane_term *term = &recipe->term[recipe->terms];
        *term = term_fractal(TERRANE_FBM, TERRANE_PERLIN3, 1, 16, 1000, 0.5f);
        term->fractal.warp_term[0] = term->fractal.warp_term[1] = recipe->terms - 1;
        term->fractal.warp_m = 0x1p20f;
    }
    if (blends) {
        recipe->term[recipe->terms++] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 2, 64, 100, 0.5f);
        recipe->term[recipe->terms++] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 1, 32, 1, 0.5f);
        recipe->term[recipe->terms++] = (struct terrane_term){
            .op = TERRANE_OP_BLEND, .inputs = 3, .in = {6, 5, 7}, .low = 0.3f, .high = 0.4f};
    }
    make_world(world, recipe, 3);
}

/* Of steep ground before generator 16 normals are none. */
TEST(normals_point_up_however_steep)
{
    enum { SIDE = 48 };
    const struct terrane_window window = {0, -7, 900, 1, SIDE, SIDE};
    static struct terrane_recipe recipe;
    struct terrane_world world;
    for (int generator = 15; generator <= 16; generator++) {
        int flat = 0;
        make_steep(&recipe, &world, generator, false);
        float *normals = layer_new(&world, LAYER_NORMALS, &window, scratch);
        for (int k = 0; k < SIDE * SIDE; k++) {
            const float *n = &normals[3 * k];
            flat += !(n[2] > 0 && fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-5f);
        }
        assert_int_equal(flat > 0, generator < 16);
        free(normals);
    }
}

/* What has no share adds nothing, however steep it is: whatever else is in the window, and by all instruction sets. */
TEST(windows_of_steep_ground_agree)
{
    enum { SIDE = 64 };
    const struct terrane_window window = {0, -7, 900, 1, SIDE, SIDE};
    static struct terrane_recipe recipe;
    struct terrane_world world;
    make_steep(&recipe, &world, 16, true);
    assert_int_equal(terrane_init("scalar"), 0);
    float *all = layer_new(&world, LAYER_NORMALS, &window, scratch);
    for (int n = 0; n < 3 * SIDE; n++) {
        const struct terrane_window row = {0, window.gi + n % 5, window.gj + n / 3, 1 + n % 3, 1 + n % 17, 1};
        isa_choose(n);
        float *some = layer_new(&world, LAYER_NORMALS, &row, scratch);
        for (int i = 0; i < row.width; i++)
            assert_memory_equal(&some[3 * i], &all[3 * (n / 3 * SIDE + n % 5 + i * row.step)],
                                3 * sizeof *all);
        free(some);
    }
    free(all);
}

UNIT(surface)
{
#if defined(__SANITIZE_THREAD__) /* it slows vector code a hundredfold, and is after races alone */
    cmocka_set_test_filter("threads_agree");
#endif
    return unit_run("surface", (CMFixtureFunction[2]){0}, (CMFixtureFunction[2]){set_up, tear_down});
}
