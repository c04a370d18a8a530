/*
 * Worlds, windows and what the library says about itself (lib/base/world.c, lib/base/window.c,
 * lib/base/error.c, lib/kernel/dispatch.c). Recipes: test_recipe_*.c.
 */
#include "../lib_fixture.h"

#include <fenv.h>
#include <limits.h>

static void check_tile(int level, int64_t x, int64_t y, int size, int error)
{
    struct terrane_window window, before;
    memset(&window, 0x5A, sizeof window);
    memcpy(&before, &window, sizeof window);
    assert_int_equal(terrane_window_tile(&window, level, x, y, size), error);
    if (error) {
        assert_memory_equal(&window, &before, sizeof window);
        return;
    }
    const int cells = size - size % 2, finer = size == 512;
    assert_int_equal(window.level, level - finer);
    assert_int_equal(window.step, finer ? 1 : 256 / cells);
    assert_int_equal(window.gi, x * (finer ? 512 : 256));
    assert_int_equal(window.gj, y * (finer ? 512 : 256));
    assert_int_equal(window.width, size);
    assert_int_equal(window.height, size);
}

TEST(tiles_come_in_their_sizes)
{
    for (int size = -3; size <= 600; size++) {
        const int cells = size % 2 ? size - 1 : size;
        const bool right = size >= 2 && (cells & (cells - 1)) == 0 && cells <= 256;
        check_tile(0, 3, -7, size, right ? 0 : TERRANE_ESIZE);
        check_tile(1, 3, -7, size, right || size == 512 ? 0 : TERRANE_ESIZE);
    }
    const int wrong[] = {1024, 1025, 65536, INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1};
    for (int i = 0; i < COUNT(wrong); i++)
        check_tile(5, 0, 0, wrong[i], TERRANE_ESIZE);
}

TEST(tiles_end_at_their_limits)
{
    const int64_t far = INT64_C(1) << 40, out[] = {far, -far - 1, INT64_MAX, INT64_MIN};

    check_tile(0, -far, -far, 257, 0);
    check_tile(24, far - 1, far - 1, 257, 0);
    check_tile(24, far - 1, -far, 512, 0);
    for (int i = 0; i < COUNT(out); i++) {
        check_tile(0, out[i], 0, 257, TERRANE_ETILE);
        check_tile(24, 0, out[i], 512, TERRANE_ETILE);
    }
    check_tile(-1, 0, 0, 257, TERRANE_ELEVEL);
    check_tile(25, 0, 0, 257, TERRANE_ELEVEL);
    check_tile(INT_MIN, 0, 0, 257, TERRANE_ELEVEL);
    check_tile(INT_MAX, 0, 0, 257, TERRANE_ELEVEL);
}

static void expect_error(const struct terrane_world *world, struct terrane_window window, int error)
{
    const float untouched[4] = {1, 2, 3, 4};
    float out[4];
    for (int layer = 0; layer < LAYER_COUNT; layer++) {
        memcpy(out, untouched, sizeof out);
        assert_int_equal(layer_make(world, (enum layer)layer, &window, scratch, out), error);
        assert_memory_equal(out, untouched, sizeof out);
    }
}

TEST(windows_outside_are_refused)
{
    const int64_t limit = INT64_C(1) << 50;
    const struct terrane_window good = {.step = 1, .width = 1, .height = 1};
    struct terrane_world world;
    struct terrane_window w;

    struct terrane_recipe flat = recipe_flat();
    make_world(&world, &flat, 0);
#define REFUSED(member, value, error) (w = good, w.member = (value), expect_error(&world, w, error))
    REFUSED(level, -1, TERRANE_ELEVEL);
    REFUSED(level, TERRANE_LEVEL_MAX + 1, TERRANE_ELEVEL);
    REFUSED(level, INT32_MIN, TERRANE_ELEVEL);
    REFUSED(gi, limit + 1, TERRANE_EWINDOW);
    REFUSED(gi, -limit - 1, TERRANE_EWINDOW);
    REFUSED(gi, INT64_MIN, TERRANE_EWINDOW);
    REFUSED(gj, limit + 1, TERRANE_EWINDOW);
    REFUSED(gj, -limit - 1, TERRANE_EWINDOW);
    REFUSED(gj, INT64_MAX, TERRANE_EWINDOW);
    REFUSED(step, 0, TERRANE_EWINDOW);
    REFUSED(step, -1, TERRANE_EWINDOW);
    REFUSED(step, 257, TERRANE_EWINDOW);
    REFUSED(width, 0, TERRANE_EWINDOW);
    REFUSED(width, -1, TERRANE_EWINDOW);
    REFUSED(width, TERRANE_WINDOW_MAX + 1, TERRANE_EWINDOW);
    REFUSED(height, 0, TERRANE_EWINDOW);
    REFUSED(height, INT32_MIN, TERRANE_EWINDOW);
    REFUSED(height, TERRANE_WINDOW_MAX + 1, TERRANE_EWINDOW);
#undef REFUSED
}

TEST(kernels_are_chosen_by_name)
{
    static const char *const order[] = {"avx512", "avx2",    "sse2",
                                        "neon",   "simd128", "scalar"}; /* fastest first */
    int count = 0, at = -1;

    assert_string_equal(terrane_isa(), "scalar"); /* nothing has called terrane_init yet */
    for (const char *name; (name = terrane_isa_usable(count)) != NULL; count++) {
        int place = 0;
        while (place < COUNT(order) && strcmp(order[place], name) != 0)
            place++;
        assert_true(place > at && place < COUNT(order));
        at = place;
        assert_int_equal(terrane_init(name), 0);
        assert_string_equal(terrane_isa(), name);
    }
    assert_true(count >= 1);
    assert_string_equal(terrane_isa_usable(count - 1), "scalar");
    assert_null(terrane_isa_usable(-1));
    assert_null(terrane_isa_usable(count + 1));
    assert_null(terrane_isa_usable(INT_MAX));
    assert_null(terrane_isa_usable(INT_MIN));

    static const char *const wrong[] = {"", "AVX2", "avx", "avx2 ", "scala", "scalar2", "neon sse2"};
    assert_int_equal(terrane_init("scalar"), 0);
    for (int i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(terrane_init(wrong[i]), TERRANE_EISA);
        assert_string_equal(terrane_isa(), "scalar");
    }
    for (int i = 0; i < COUNT(order); i++) { /* what is not offered is refused */
        bool offered = false;
        for (int k = 0; k < count; k++)
            offered = offered || strcmp(terrane_isa_usable(k), order[i]) == 0;
        assert_int_equal(terrane_init(order[i]), offered ? 0 : TERRANE_EISA);
    }
    assert_int_equal(terrane_init(NULL), 0);
    assert_string_equal(terrane_isa(), terrane_isa_usable(0));
}

TEST(other_rounding_is_refused)
{
    const int modes[] = {
#ifdef FE_UPWARD
        FE_UPWARD,
#endif
#ifdef FE_DOWNWARD
        FE_DOWNWARD,
#endif
#ifdef FE_TOWARDZERO
        FE_TOWARDZERO,
#endif
        FE_TONEAREST};

    assert_int_equal(terrane_init("scalar"), 0);
    for (int i = 0; i < COUNT(modes); i++) {
        assert_int_equal(fesetround(modes[i]), 0);
        const int result = terrane_init(NULL);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
        assert_int_equal(result, modes[i] == FE_TONEAREST ? 0 : TERRANE_EFLOAT);
        assert_string_equal(terrane_isa(), modes[i] == FE_TONEAREST ? terrane_isa_usable(0) : "scalar");
    }
}

TEST(flushed_subnormals_are_refused)
{
#if defined(__x86_64__)
    const unsigned control = __builtin_ia32_stmxcsr();
    const unsigned flags[] = {0x8000, 0x0040, 0x8040}; /* flush to zero, denormals are zero, both */
    for (int i = 0; i < COUNT(flags); i++) {
        __builtin_ia32_ldmxcsr(control | flags[i]);
        const int result = terrane_init(NULL);
        __builtin_ia32_ldmxcsr(control);
        assert_int_equal(result, TERRANE_EFLOAT);
    }
    assert_int_equal(terrane_init(NULL), 0);
#else
    skip();
#endif
}

GROUP(world);
