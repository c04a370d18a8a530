/*
 * Boxes of subtrees of 3D Tiles (server/render/tile_boxes.c): meshes of tiles and of all below them lie inside, along many ways
 * down; in all recipes that ship as they are before erosion, which is soon made, and in one that has everything.
 */
#include "../unit.h"

#include <math.h>
#include <string.h>

#include "../../../server/encode/subtree.h"
#include "../../../server/recipe/worlds.h"
#include "../../../server/render/product.h"
#include "../../../server/render/tile_piece.h"
#include "hollow_kit.h"

#define LOOSE 1 /* tiles that a box may be taller than its mesh: noise's own, of 32 km, are 8 and more */

struct stage {
    struct scene scene;
    enum tile_layer layer;
    enum tile_variant variant;
    uint64_t dice;
};

static int draw(struct stage *stage, int n)
{
    stage->dice = stage->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((stage->dice >> 33) % (uint64_t)n);
}

static struct blob *make(struct stage *stage, int level, int64_t x, int64_t y, enum tile_format format)
{
    struct tile_key key = kit_key(level, x, y, stage->layer, format, 0, stage->variant);
    key.seed = stage->scene.w.world.seed;
    tile_key_vary(&key, stage->scene.w.world.recipe);
    return scene_tile(&stage->scene, &key, true);
}

/* The middle and half of the height of the box at that index, x and y of its middle. */
static void read_box(const struct blob *subtree, int tiles, int index, double box[SUBTREE_BOX_NUMBERS])
{
    const size_t one = SUBTREE_BOX_NUMBERS * sizeof(double);
    memcpy(box, (const char *)subtree->data + subtree->bytes - (size_t)(tiles - index) * one, one);
}

struct tightness {
    double worst; /* how far outside, in tiles */
    double loose; /* the most that a box of a last level is taller than its mesh, in tiles */
};

/* A tile under a root: depth levels below it, in columns from the west and rows from the north. */
static void check_tile(struct stage *stage, const struct blob *subtree, int root, int64_t x, int64_t y,
                       int level, int64_t column, int64_t row, struct tightness *tightness)
{
    const int levels = root < 4 ? root + 1 : 5, tiles = subtree_tiles(levels);
    const int64_t side = INT64_C(1) << (root - level);
    struct blob *ground = make(stage, level, x * side + column, y * side + row, FORMAT_F32);
    const double spacing_m = terrane_lattice_m(&stage->scene.w.world, level, 1), side_m = 256 * spacing_m;
    struct tile_key key = {.layer = stage->layer, .variant = stage->variant, .placed = true};
    tile_key_vary(&key, stage->scene.w.world.recipe);
    const double low = (double)ground->info.min_m - tile_skirt_m(&key, &stage->scene.w.world, 2 * spacing_m);
    const double high = (double)ground->info.max_m;
    for (int depth = 0; depth < levels && depth <= root - level; depth++) {
        const int up = root - level - depth;
        const int c = (int)(column >> up), r = (1 << depth) - 1 - (int)(row >> up);
        int morton = 0;
        for (int k = 0; k < depth; k++)
            morton |= (c >> k & 1) << 2 * k | (r >> k & 1) << (2 * k + 1);
        double box[SUBTREE_BOX_NUMBERS];
        read_box(subtree, tiles, subtree_tiles(depth) + morton, box);
        const double box_side_m = side_m * (double)(1 << up);
        assert_true(fabs(box[0] - ((double)(x * (1 << depth) + c) + 0.5) * box_side_m) <=
                    1e-9 * fabs(box[0]));
        assert_true(fabs(box[1] - ((double)(-(y + 1) * (1 << depth) + r) + 0.5) * box_side_m) <=
                    1e-9 * fabs(box[1]));
        assert_true(box[3] >= box_side_m / 2 && box[7] == box[3] && box[3] < box_side_m * 0.6);
        const double out = fmax(box[2] - box[11] - low, high - box[2] - box[11]);
        tightness->worst = fmax(tightness->worst, out / box_side_m);
        if (up == 0 && depth == levels - 1)
            tightness->loose = fmax(tightness->loose, (2 * box[11] - (high - low)) / box_side_m);
    }
    blob_release(ground);
}

static void check_root(struct stage *stage, int root, int64_t x, int64_t y, struct tightness *tightness)
{
    struct blob *subtree = make(stage, root, x, y, FORMAT_SUBTREE);
    assert_memory_equal(subtree->data, "subt", 4);
    int64_t column = 0, row = 0;
    for (int level = root; level >= 0; level--) {
        check_tile(stage, subtree, root, x, y, level, column, row, tightness);
        column = 2 * column + draw(stage, 2);
        row = 2 * row + draw(stage, 2);
    }
    blob_release(subtree);
}

static void check_world(struct stage *stage, const char *name, int root, int variants, int layers)
{
    for (int v = 0; v < variants; v++) {
        stage->variant = (enum tile_variant)v;
        if (!tile_variant_is_of(stage->variant, stage->scene.w.world.recipe))
            continue;
        for (int layer = 0; layer < layers; layer++) {
            struct tightness tightness = {-INFINITY, -INFINITY};
            const int half = 1 << (TILE_Z0 - root - 1);
            stage->layer = layer ? LAYER_HEIGHT : LAYER_SURFACE;
            check_root(stage, root, draw(stage, 2 * half) - half, draw(stage, 2 * half) - half, &tightness);
            if (tightness.worst > 0 || tightness.loose > LOOSE)
                fail_msg("%s %s %s, root at level %d: %g tiles outside, %g too tall", name,
                         tile_variant_name[v], tile_layer_name[stage->layer], root, tightness.worst,
                         tightness.loose);
        }
    }
}

TEST(recipes_that_ship)
{
    char error[256];
    struct book *book = book_open("", 0, error, sizeof error);
    struct stage stage = {.dice = 0};
    assert_non_null(book);
    scene_open(&stage.scene);
    for (size_t k = 0; book_at(book, k); k++)
        for (int root = 3; root <= 8; root += TILESET_SUBTREE_LEVELS) {
            terrane_world_init(&stage.scene.w.world, &book_at(book, k)->world, 42 + k);
            check_world(&stage, book_at(book, k)->name, root, 1, 1);
        }
    scene_close(&stage.scene);
    book_free(book);
}

/* Erosion of six levels, lakes, paths, caves: roots that erode, show lakes and are carved, and one far above all of that. */
TEST(erosion_lakes_and_paths)
{
    struct stage stage = {.dice = 0};
    scene_open(&stage.scene);
    check_world(&stage, "hollow", 3, VARIANTS, 2);
    check_world(&stage, "hollow", 8, VARIANTS, 2);
    scene_close(&stage.scene);
}

GROUP(tile_boxes);
