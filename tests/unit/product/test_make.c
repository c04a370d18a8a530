/*
 * One call for any layer of any window (lib/product/make.c): the same samples whatever the window and the store, all memory
 * given back, and what a store lies about made anew. tests/http/test_example.py compares it with what is served.
 */
#include "../render/hollow_kit.h"
#include "../shelf_kit.h"

enum { BLOCKS = 100000 }; /* more than any call takes */

static struct dice_world w; /* all tests' own */
static const struct terrane_store *from = &store;

static int open_world(void **state)
{
    hollow_recipe(&w.recipe);
    make_world(&w.world, &w.recipe, 42);
    return kit_library(state);
}

/* The samples, the caller's; *error instead, and NULL. */
static float *made(const struct terrane_window *window, enum terrane_layer layer, struct purse *purse,
                   int *error)
{
    const struct terrane_memory memory = {.alloc = purse_lend, .free = purse_take_back, .user = purse};
    const size_t numbers =
        (size_t)window->width * (size_t)window->height * (size_t)terrane_layer_values(&w.recipe, layer);
    float *out = calloc(numbers, sizeof *out);
    assert_non_null(out);
    *error = terrane_make(&w.world, window, layer, TERRANE_VARIANT_CARVED, from, &memory, out);
    assert_int_equal((int)purse->lent, 0);
    if (*error == 0)
        return out;
    free(out);
    return NULL;
}

/* Over the corner of four tiles, whose regions differ, and every second sample of that; the second time from the store. */
TEST(samples_do_not_depend_on_window_or_store)
{
    struct purse purse = {.left = BLOCKS};
    int error, wet = 0, ways = 0;
    for (int level = 2; level <= 4; level++)
        for (enum terrane_layer layer = 0; layer < TERRANE_LAYERS; layer++) {
            const struct terrane_window whole = {level, -40, -31, 1, 81, 65},
                                        part = {level, -6, -11, 2, 7, 9};
            const size_t size = (size_t)terrane_layer_values(&w.recipe, layer) * sizeof(float);
            float *first = made(&whole, layer, &purse, &error);
            assert_int_equal(error, 0);
            const int regions = shelf.count;
            shelf.found = 0;
            float *second = made(&part, layer, &purse, &error);
            assert_int_equal(error, 0);
            assert_true(shelf.count == regions &&
                        (shelf.found > 0 || layer == TERRANE_LAYER_PARTITION ||
                         layer == TERRANE_LAYER_RIVER || (layer == TERRANE_LAYER_CAVE && level > 3)));
            for (int j = 0; j < part.height; j++)
                for (int i = 0; i < part.width; i++) {
                    const char *at = (char *)first + (size_t)((2 * j + 20) * 81 + 2 * i + 34) * size;
                    assert_memory_equal((char *)second + (size_t)(j * part.width + i) * size, at, size);
                }
            for (int i = 0; i < 81 * 65; i++) {
                wet += layer == TERRANE_LAYER_WATER && first[i] > 0;
                ways += layer == TERRANE_LAYER_PATH && first[2 * i] > 0;
            }
            free(first);
            free(second);
        }
    assert_true(wet > 0 && ways > 0);
    shelf_clear(&shelf);
}

/* There is no ground behind them to look for lakes on: none are found, and that is no error. */
TEST(the_ends_of_the_world_are_dry)
{
    const int64_t end = INT64_C(1) << 50;
    const int64_t corner[4][2] = {{-end, 0}, {end - 8, 0}, {0, -end}, {0, end - 8}};
    struct purse purse = {.left = BLOCKS};
    const struct terrane_memory memory = {.alloc = purse_lend, .free = purse_take_back, .user = &purse};
    for (int i = 0; i < 4; i++) {
        const struct terrane_window window = {4, corner[i][0], corner[i][1], 1, 8, 8};
        float out[64];
        assert_int_equal(
            terrane_make(&w.world, &window, TERRANE_LAYER_WATER, TERRANE_VARIANT_BASE, &store, &memory, out),
            0);
        assert_true(shelf.count > 0 && purse.lent == 0);
        shelf_clear(&shelf);
    }
}

/* What is stored is no such region: it is made, and the samples are as they should be. */
TEST(lies_are_made_anew)
{
    const struct terrane_window window = {3, 10, 10, 1, 40, 30};
    struct purse purse = {.left = BLOCKS};
    int error;
    float *expected = made(&window, TERRANE_LAYER_SURFACE, &purse, &error);
    assert_true(expected && shelf.count >= 3);
    const int regions = shelf.count;
    for (int i = 0; i < regions; i++) {
        struct shelf kept = shelf;
        shelf.packed[i].bytes -= i % 2 ? 4 : shelf.packed[i].bytes;
        ((unsigned char *)shelf.packed[i].data)[0] ^= 1;
        shelf.region[SHELF_MAX - 1] = shelf.region[i]; /* another name: what is put is no second one */
        from = &(const struct terrane_store){shelf_get, NULL, &shelf};
        float *out = made(&window, TERRANE_LAYER_SURFACE, &purse, &error);
        from = &store;
        assert_non_null(out);
        assert_memory_equal(out, expected, 40 * 30 * sizeof *out);
        free(out);
        ((unsigned char *)shelf.packed[i].data)[0] ^= 1;
        shelf = kept;
    }
    free(expected);
    shelf_clear(&shelf);
}

/* Whichever block there is no memory for, it says so, and all others come back. */
TEST(short_memory_is_said)
{
    const struct terrane_window window = {4, -6, -11, 1, 13, 17};
    int error;
    for (int layer = 0; layer < TERRANE_LAYERS; layer++) {
        struct purse first = {.left = BLOCKS}, whole = first;
        free(made(&window, (enum terrane_layer)layer, &first, &error)); /* fills the store */
        free(made(&window, (enum terrane_layer)layer, &whole, &error));
        assert_int_equal(error, 0);
        for (int blocks = 0; blocks < BLOCKS - whole.left; blocks++) {
            struct purse purse = {.left = blocks};
            assert_null(made(&window, (enum terrane_layer)layer, &purse, &error));
            assert_int_equal(error, TERRANE_EMEMORY);
        }
    }
    shelf_clear(&shelf);
}

TEST(windows_are_checked)
{
    static const struct {
        struct terrane_window window;
        int error;
    } row[] = {{{-1, 0, 0, 1, 2, 2}, TERRANE_ELEVEL},
               {{25, 0, 0, 1, 2, 2}, TERRANE_ELEVEL},
               {{3, 0, 0, 1, 0, 2}, TERRANE_EWINDOW},
               {{3, 0, 0, 1, 2, 4098}, TERRANE_EWINDOW},
               {{3, 0, 0, 257, 2, 2}, TERRANE_EWINDOW},
               {{3, (INT64_C(1) << 50) + 1, 0, 1, 2, 2}, TERRANE_EWINDOW},
               {{3, 0, INT64_C(1) << 50, 1, 2, 2}, TERRANE_EWINDOW},
               {{3, INT64_C(1) << 50, 0, 1, 2, 2}, TERRANE_EWINDOW}};
    struct purse purse = {.left = BLOCKS};
    int error;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct purse none = {.left = BLOCKS};
        const struct terrane_memory memory = {.alloc = purse_lend, .free = purse_take_back, .user = &none};
        float out = 7;
        assert_int_equal(terrane_make(&w.world, &row[i].window, TERRANE_LAYER_PARTITION, TERRANE_VARIANT_BASE,
                                      NULL, &memory, &out),
                         row[i].error);
        assert_true(out == 7 && none.left == BLOCKS);
    }
    free(made(&(struct terrane_window){3, 0, 0, 256, 2, 2}, TERRANE_LAYER_PARTITION, &purse, &error));
    assert_int_equal(error, 0);
}

GROUP(make, open_world);
