/* Names and canonical keys of tiles (server/tile/tile.c). */
#include "../unit.h"

#include <string.h>

#include "../../../server/tile/tile.h"

static struct tile_key key_make(enum tile_layer layer, enum tile_format format, int level, int size)
{
    return (struct tile_key){
        .seed = 42, .x = 3, .y = -7, .level = level, .layer = layer, .format = format, .size = size};
}

static void check_table(const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        const size_t bytes = strlen(names[i]);

        assert_int_equal(tile_name_find(names, count, names[i], bytes), i);
        assert_int_equal(tile_name_find(names, count, names[i], bytes - 1), -1);
        assert_int_equal(tile_name_find(names, count, names[i], bytes + 1), -1); /* with its zero */
    }
    assert_int_equal(tile_name_find(names, count, "", 0), -1);
    assert_int_equal(tile_name_find(names, count, "Height", 6), -1);
    assert_int_equal(tile_name_find(names, count, "a name longer than all of them", 30), -1);
    assert_int_equal(tile_name_find(names, 0, names[0], strlen(names[0])), -1);
}

TEST(names_round_trip)
{
    check_table(tile_layer_name, LAYERS);
    check_table(tile_variant_name, VARIANTS);
    check_table(tile_format_name, FORMATS);
    check_table(tile_enc_name, ENCS);
    check_table(tile_coding_name, CODINGS);
}

/* One that has it. */
static enum tile_layer layer_with(int format)
{
    return format == FORMAT_GEOJSON ? LAYER_PATH : format == FORMAT_BIN ? LAYER_OBJECTS : LAYER_HEIGHT;
}

TEST(finish_puts_defaults)
{
    for (int format = 0; format < FORMATS; format++) {
        struct tile_key key = key_make(layer_with(format), (enum tile_format)format, 0, 0);

        assert_int_equal(tile_key_finish(&key), TILE_FINE);
        assert_int_equal(key.size, format == FORMAT_PNG       ? 256
                                   : format == FORMAT_GLB     ? 129
                                   : format == FORMAT_SUBTREE ? 129
                                   : format == FORMAT_TERRAIN ? 65
                                                              : 257);
        assert_int_equal(key.enc, ENC_TERRARIUM);
        assert_int_equal(key.x, 3);
        assert_int_equal(key.y, -7);
        assert_int_equal(key.seed, 42);
    }
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
}

TEST(finish_checks_ranges)
{
    struct tile_key key;

    key = key_make(LAYER_HEIGHT, FORMAT_PNG, -1, 0);
    assert_int_equal(tile_key_finish(&key), TILE_BAD_LEVEL);
    key = key_make(LAYER_HEIGHT, FORMAT_PNG, TERRANE_LEVEL_MAX + 1, 0);
    assert_int_equal(tile_key_finish(&key), TILE_BAD_LEVEL);
    key = key_make(LAYER_HEIGHT, FORMAT_PNG, TERRANE_LEVEL_MAX, 0);
    assert_int_equal(tile_key_finish(&key), TILE_FINE);

    const int64_t limit = TERRANE_TILE_LIMIT;
    const struct {
        int64_t at;
        enum tile_problem problem;
    } cases[] = {{-limit, TILE_FINE},    {limit - 1, TILE_FINE},     {-limit - 1, TILE_BAD_TILE},
                 {limit, TILE_BAD_TILE}, {INT64_MIN, TILE_BAD_TILE}, {INT64_MAX, TILE_BAD_TILE}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        key = key_make(LAYER_HEIGHT, FORMAT_PNG, 0, 0);
        key.x = cases[i].at;
        assert_int_equal(tile_key_finish(&key), cases[i].problem);
        key = key_make(LAYER_HEIGHT, FORMAT_PNG, 0, 0);
        key.y = cases[i].at;
        assert_int_equal(tile_key_finish(&key), cases[i].problem);
    }
}

TEST(finish_knows_what_layers_have)
{
    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = 0; format <= FORMAT_SUBTREE; format++) {
            struct tile_key key = key_make((enum tile_layer)layer, (enum tile_format)format, 0, 0);
            const bool floats = format == FORMAT_F32 || format == FORMAT_NPY || format == FORMAT_TIF;
            const bool objects = layer == LAYER_OBJECTS;
            const bool picture = layer == LAYER_HILLSHADE || layer == LAYER_RELIEF || objects;
            const bool ground = layer == LAYER_HEIGHT || layer == LAYER_SURFACE;
            const bool of_ground = format == FORMAT_R16 || format == FORMAT_GLB || format == FORMAT_TERRAIN ||
                                   format == FORMAT_SUBTREE;
            const bool cave = (layer == LAYER_CAVE || objects) && format == FORMAT_GLB;
            const bool bad =
                (of_ground && !ground && !cave) || (floats && picture) ||
                (format == FORMAT_GEOJSON && layer != LAYER_PATH && layer != LAYER_RIVER && !objects);

            assert_int_equal(tile_key_finish(&key), bad ? TILE_BAD_FORMAT : TILE_FINE);
            assert_int_equal(tile_layer_has((enum tile_layer)layer, (enum tile_format)format), !bad);
        }
}

static const struct terrane_recipe zoned = {.partition = {.zones = 7}, .cover = {.materials = 5}};

TEST(lengths_are_known_where_there_is_no_header)
{
    static const uint64_t floats[LAYERS] = {
        [LAYER_HEIGHT] = 1, [LAYER_NORMAL] = 3,  [LAYER_PARTITION] = 7, [LAYER_SLOPE] = 1,
        [LAYER_WATER] = 1,  [LAYER_SURFACE] = 1, [LAYER_DELTA] = 1,     [LAYER_FLOW] = 1,
        [LAYER_PATH] = 2,   [LAYER_CAVE] = 2,    [LAYER_COVER] = 5};

    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = 0; format < FORMATS; format++) {
            struct tile_key key = key_make((enum tile_layer)layer, (enum tile_format)format, 0, 65);
            const uint64_t bytes = format == FORMAT_F32 ? 4 * floats[layer] : format == FORMAT_R16 ? 2 : 0;

            if (floats[layer] > 0 && tile_key_finish(&key) == TILE_FINE)
                assert_int_equal(tile_bytes(&key, &zoned), 65 * 65 * bytes);
        }
}

TEST(more_bands_are_of_weights_as_pixels)
{
    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = 0; format < FORMATS; format++) {
            struct tile_key key = key_make((enum tile_layer)layer, (enum tile_format)format, 0, 0);
            const bool fine = layer == LAYER_COVER && format == FORMAT_PNG;

            if (tile_key_finish(&key) != TILE_FINE)
                continue;
            key.bands = 1;
            assert_int_equal(tile_key_finish(&key), fine ? TILE_FINE : TILE_BAD_BANDS);
        }
}

TEST(finish_clears_enc_where_there_is_none)
{
    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = 0; format < FORMATS; format++)
            for (int enc = 0; enc < ENCS; enc++) {
                struct tile_key key = key_make((enum tile_layer)layer, (enum tile_format)format, 0, 0);
                const bool heights = layer == LAYER_HEIGHT || layer == LAYER_SURFACE;
                const bool png = format == FORMAT_PNG && (heights || layer == LAYER_DELTA);
                const bool glb = format == FORMAT_GLB && heights;
                const bool mesh = glb || (format == FORMAT_SUBTREE && heights);
                const bool bad = png ? enc == ENC_QUANTISED || (layer == LAYER_DELTA && enc == ENC_GRAY16)
                                     : mesh && enc != ENC_TERRARIUM && enc != ENC_QUANTISED;

                key.enc = (enum tile_enc)enc;
                const enum tile_problem problem = tile_key_finish(&key);
                assert_int_equal(problem == TILE_BAD_ENC, bad);
                if (problem == TILE_FINE)
                    assert_int_equal(key.enc, png || glb ? enc : ENC_TERRARIUM);
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

/* Half a tile to the north, or north and west, on the lattice of the window's own level. */
TEST(shifted_windows_lie_half_a_tile_away)
{
    static const int sizes[] = {2, 3, 64, 65, 256, 257, 512};

    for (int level = 1; level <= TERRANE_LEVEL_MAX; level += 23)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct tile_key key = key_make(LAYER_HEIGHT, FORMAT_F32, level, sizes[s]);
            struct terrane_window tile, plain, north, both;

            assert_int_equal(tile_key_finish(&key), TILE_FINE);
            tile_window(&key, &plain);
            assert_int_equal(terrane_window_tile(&tile, level, key.x, key.y, sizes[s]), 0);
            assert_true(plain.gi == tile.gi && plain.gj == tile.gj && plain.level == tile.level);
            key.shift = SHIFT_NORTH;
            tile_window(&key, &north);
            key.shift = SHIFT_NORTH_WEST;
            tile_window(&key, &both);
            const int64_t side =
                (int64_t)(sizes[s] / 2 * 2) * plain.step; /* a tile, in samples of the window's level */
            assert_int_equal(north.gi, plain.gi);
            assert_int_equal(north.gj, plain.gj - side / 2);
            assert_int_equal(both.gi, plain.gi - side / 2);
            assert_int_equal(both.gj, plain.gj - side / 2);
            assert_true(both.level == plain.level && both.step == plain.step && both.width == plain.width &&
                        both.height == plain.height);
        }
}

TEST(meshes_of_ground_have_textures)
{
    for (int format = 0; format < FORMATS; format++) {
        struct tile_key key = key_make(layer_with(format), (enum tile_format)format, 1, 0);
        key.textured = true;
        const enum tile_problem problem = tile_key_finish(&key);
        const bool mesh = format == FORMAT_GLB, subtree = format == FORMAT_SUBTREE;
        assert_int_equal(problem, mesh || subtree ? TILE_FINE : TILE_BAD_TEXTURE);
        assert_true(subtree ? !key.textured : key.textured); /* boxes are the same */
    }
    struct tile_key cave = key_make(LAYER_CAVE, FORMAT_GLB, 1, 0);
    cave.textured = true;
    assert_int_equal(tile_key_finish(&cave), TILE_BAD_TEXTURE);
}

TEST(shifted_tiles_have_no_description)
{
    for (int format = 0; format < FORMATS; format++)
        for (int shift = SHIFT_NORTH; shift <= SHIFT_NORTH_WEST; shift++) {
            const bool lines = format == FORMAT_GEOJSON || format == FORMAT_BIN;
            struct tile_key key = key_make(layer_with(format), (enum tile_format)format, 1, 0);

            key.shift = (enum tile_shift)shift;
            assert_int_equal(tile_key_finish(&key), format == FORMAT_JSON || format == FORMAT_SUBTREE || lines
                                                        ? TILE_BAD_FORMAT
                                                        : TILE_FINE);
            assert_int_equal(key.shift, shift);
            key.layer = LAYER_CAVE;
            if (format == FORMAT_GLB)
                assert_int_equal(tile_key_finish(&key), TILE_BAD_FORMAT);
        }
}

/* A coding stays where it is worth it; then nobody knows the length, and the rest of the key is what it is without. */
TEST(finish_leaves_codings_that_pay)
{
    int left = 0;

    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = 0; format < FORMATS; format++)
            for (int coding = 0; coding < CODINGS; coding++) {
                struct tile_key key = key_make((enum tile_layer)layer, (enum tile_format)format, 0, 0),
                                plain = key;

                key.coding = (enum tile_coding)coding;
                const enum tile_problem problem = tile_key_finish(&key);
                assert_int_equal(problem, tile_key_finish(&plain));
                if (problem != TILE_FINE)
                    continue;
                assert_true(key.coding == (enum tile_coding)coding || key.coding == CODING_IDENTITY);
                assert_int_equal(key.size, plain.size);
                assert_int_equal(key.enc, plain.enc);
                assert_int_equal(plain.coding, CODING_IDENTITY);
                if (key.coding == CODING_IDENTITY)
                    assert_int_equal(tile_bytes(&key, &zoned), tile_bytes(&plain, &zoned));
                else
                    assert_int_equal(tile_bytes(&key, &zoned), 0);
                if (format == FORMAT_PNG)
                    assert_int_equal(key.coding, CODING_IDENTITY);
                left += key.coding != CODING_IDENTITY;
                const enum tile_coding once = key.coding;
                assert_int_equal(tile_key_finish(&key), TILE_FINE);
                assert_int_equal(key.coding, once);
            }
    assert_in_range(left, 20, 2 * LAYERS * FORMATS);
    struct tile_key tiny =
        key_make(LAYER_HEIGHT, FORMAT_F32, 0, 3); /* the size that was asked for, not the default */
    tiny.coding = CODING_ZSTD;
    assert_int_equal(tile_key_finish(&tiny), TILE_FINE);
    assert_int_equal(tiny.coding, CODING_IDENTITY);
}

/* The variant of a layer and format in a recipe that has so many kinds of ground, in other words: delta and flow are of erosion
 * whoever asks, the mask of zones is of none, paths, caves and objects are of the last kind, and all else is what was asked for. */
static enum tile_variant expected_variant(enum tile_layer layer, enum tile_format format, int asked,
                                          bool erodes, bool paths)
{
    const enum tile_variant last = paths ? VARIANT_CARVED : erodes ? VARIANT_ERODED : VARIANT_BASE;
    if (layer == LAYER_PARTITION && format != FORMAT_JSON)
        return VARIANT_BASE;
    if (layer == LAYER_DELTA || layer == LAYER_FLOW || layer == LAYER_RIVER)
        return erodes ? VARIANT_ERODED : VARIANT_BASE;
    if (layer == LAYER_PATH || layer == LAYER_CAVE || layer == LAYER_OBJECTS || asked == VARIANT_UNSAID)
        return last;
    return (asked == VARIANT_ERODED && !erodes) || (asked == VARIANT_CARVED && !paths)
               ? last
               : (enum tile_variant)asked;
}

TEST(variants_are_the_recipes)
{
    for (int kind = 0; kind < 4; kind++) {
        const bool erodes = kind & 1, paths = kind & 2;
        static struct terrane_recipe recipe;

        recipe.erosion.levels = erodes;
        recipe.paths.width_m = paths ? 6 : 0;
        assert_int_equal(tile_variant_default(&recipe), paths    ? VARIANT_CARVED
                                                        : erodes ? VARIANT_ERODED
                                                                 : VARIANT_BASE);
        assert_true(tile_variant_is_of(VARIANT_BASE, &recipe));
        assert_int_equal(tile_variant_is_of(VARIANT_ERODED, &recipe), erodes);
        assert_int_equal(tile_variant_is_of(VARIANT_CARVED, &recipe), paths);
        assert_false(tile_variant_is_of(VARIANT_UNSAID, &recipe));
        for (int layer = 0; layer < LAYERS; layer++)
            for (int format = 0; format < FORMATS; format++)
                for (int asked = 0; asked <= VARIANT_UNSAID; asked++) {
                    struct tile_key key = key_make((enum tile_layer)layer, (enum tile_format)format, 0, 0);

                    key.variant = (enum tile_variant)asked;
                    tile_key_vary(&key, &recipe);
                    assert_int_equal(key.variant,
                                     expected_variant(key.layer, key.format, asked, erodes, paths));
                    const enum tile_variant once = key.variant;
                    tile_key_vary(&key, &recipe);
                    assert_int_equal(key.variant, once);
                }
    }
}

GROUP(tile);
