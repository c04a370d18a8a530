/* Names and canonical keys of tiles (server/tile/tile.c). */
#include "../unit.h"

#include <string.h>

#include "../../../server/tile/tile.h"

static struct tile_key key_make(enum tile_layer layer, enum tile_format format, int level, int size)
{
    return (struct tile_key){
        .seed = 42, .x = 3, .y = -7, .level = level, .layer = layer, .format = format, .size = size};
}

/* What the key accepts and what the library makes are the same. */
TEST(finish_agrees_with_the_library)
{
    for (int level = -1; level <= TERRANE_LEVEL_MAX + 1; level++)
        for (int size = 1; size <= 514; size++) {
            struct tile_key key = key_make(LAYER_HEIGHT, FORMAT_F32, level, size);
            struct terrane_window window;
            const bool made = terrane_window_tile(&window, level, key.x, key.y, size) == 0;

            assert_int_equal(tile_key_finish(&key) == TILE_FINE, made);
        }
    const int64_t limit = TERRANE_TILE_LIMIT, far[] = {-limit, limit - 1, -limit - 1, limit, INT64_MIN};
    for (int k = 0; k < 10; k++) {
        struct tile_key key = key_make(LAYER_HEIGHT, FORMAT_F32, 4, 257);
        struct terrane_window window;
        *(k % 2 ? &key.x : &key.y) = far[k / 2];
        const bool made = terrane_window_tile(&window, key.level, key.x, key.y, key.size) == 0;
        assert_int_equal(tile_key_finish(&key), made ? TILE_FINE : TILE_BAD_TILE);
    }
}

/* Of png of height and surface alone, whose tiles do not share samples; with the corners of the last pixels. */
TEST(centres_are_of_heights_without_an_edge)
{
    static const int sizes[] = {2, 64, 256, 512, 3, 65, 257};

    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = 0; format < FORMATS; format++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                struct tile_key key = key_make((enum tile_layer)layer, (enum tile_format)format, 2, sizes[s]);
                struct tile_key corner = key;
                const bool has = format == FORMAT_PNG && (layer == LAYER_HEIGHT || layer == LAYER_SURFACE) &&
                                 sizes[s] % 2 == 0;
                struct terrane_window window, corners;

                key.reg = REG_CENTER;
                if (tile_key_finish(&corner) != TILE_FINE)
                    continue;
                assert_int_equal(tile_key_finish(&key), has ? TILE_FINE : TILE_BAD_REG);
                if (!has)
                    continue;
                assert_int_equal(key.size, sizes[s]);
                tile_window(&key, &window);
                tile_window(&corner, &corners);
                assert_true(window.gi == corners.gi && window.gj == corners.gj &&
                            window.step == corners.step);
                assert_true(window.width == corners.width + 1 && window.height == corners.height + 1);
                key.size = 100;
                assert_int_equal(tile_key_finish(&key), TILE_BAD_SIZE);
            }
}

GROUP(tile);
