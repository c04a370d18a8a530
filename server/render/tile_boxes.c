/*
 * Boxes around the meshes of a subtree of 3D Tiles: of each tile, around its own and those of all tiles below it, down to level 0.
 *
 * Made of the ground of the root's level alone, 257 x 257 samples, and one around. In metres, for the part of them that lies in a
 * tile of the subtree's last level, all ground of this level and finer ones is between their least and greatest,
 *
 *     and STEEPEST times the largest difference of two samples side by side there. No place is further than half a step along both
 *         axes from a sample: as steep as the steepest, the level's ground would change by one such difference on the way; the
 *         rest is for what is steeper, or stands higher, between samples.
 *     and terms_m of terrane_ground_errors: what octaves that this level leaves out, and finer ones have, add to it at the same place;
 *     and UP_NORM^2 times its erosion_m and rivers_m: what finer levels move, and what they make of that between their
 *         samples: 9 (b + c) - (a + d) over 16 along each axis, repeated, is nowhere more than UP_NORM times what it is made of;
 *     and paths_m of terrane_ground_bounds, of ground with paths: their network is not read.
 *
 * The first is no bound of what recipes could do between samples, and tests look for ground outside of it. The
 * world's own bounds, which are, hold beside it.
 *
 * Edits. The ground is that before them; then each that lies near a part of a tile of the last level, in their order, moves what is the least and the
 * greatest there as far as it may, whatever it is at a level's own samples: so what this level does not see of it is in the box, too. No edit moves
 * a sample by more than TERRANE_EDIT_MOVE_M.
 *
 * Water. A place is under a lake by the lowest of what the samples of the lakes' level next to it carry, which lie in the tile,
 * too: none is above the surface at such a sample. On a coarser level its surface is no more than the lake's depth above the
 * ground there. The sea is everywhere.
 */
#include <math.h>
#include <stdlib.h>

#include "../../lib/terrane_features.h"
#include "../base/check.h"
#include "../encode/subtree.h"
#include "tile_piece.h"

enum { SIDE = TERRANE_TILE_SAMPLES + 1, AROUND = SIDE + 2 };

static const double UP_NORM = 1.2512; /* 1.25112 in the limit of many levels */
static const double STEEPEST = 2;

/* How far ground and water reach in a tile. */
struct reach {
    double low_m, high_m;
};

struct boxes {
    const struct piece *piece;
    int levels;             /* of the subtree */
    double more_m, moved_m; /* beside what is steep; and of erosion and paths, beyond the bounds of noise */
    struct reach whole;     /* of the world */
    struct reach *reach;    /* of all tiles, as the box */
    struct terrane_edit *edits;
    size_t edited; /* how many; or EDIT_LOG_MANY */
    double (*box)[SUBTREE_BOX_NUMBERS];
};

/* Where a tile is in the file: before it the levels above, then its own in Morton order. column from the west, row from the
 * south. */
static int index_of(int depth, int column, int row)
{
    int morton = 0;
    for (int k = 0; k < depth; k++)
        morton |= (column >> k & 1) << 2 * k | (row >> k & 1) << (2 * k + 1);
    return subtree_tiles(depth) + morton;
}

static void measure_world(struct boxes *boxes)
{
    const struct tile_key *key = boxes->piece->key;
    const struct terrane_recipe *recipe = boxes->piece->world->recipe;
    const bool eroded = key->variant != VARIANT_BASE, carved = key->variant == VARIANT_CARVED;
    struct terrane_ground_bounds bounds;
    struct terrane_ground_errors errors;
    terrane_ground_bounds(recipe, &bounds);
    terrane_ground_errors(recipe, key->level, &errors);
    const double paths_m = carved ? bounds.paths_m : 0;
    boxes->whole.low_m = bounds.low_m;
    boxes->whole.high_m = bounds.high_m;
    boxes->more_m =
        errors.terms_m + paths_m + (eroded ? UP_NORM * UP_NORM * (errors.erosion_m + errors.rivers_m) : 0);
    boxes->moved_m = paths_m + (eroded ? bounds.erosion_m : 0);
}

/* Water over ground that reaches so high. wet_m: the surface at samples. */
static void add_water(const struct boxes *boxes, struct reach *reach, double wet_m)
{
    const struct terrane_recipe *recipe = boxes->piece->world->recipe;
    if (recipe->lakes.share > 0 && boxes->piece->key->level > recipe->lakes.level)
        reach->high_m += (double)recipe->lakes.depth_m;
    reach->high_m = fmax(fmax(reach->high_m, wet_m), (double)recipe->sea_m);
    reach->low_m = fmax(reach->low_m, (double)recipe->sea_m);
}

static struct reach hull(struct reach a, double low_m, double high_m)
{
    return (struct reach){fmin(a.low_m, low_m), fmax(a.high_m, high_m)};
}

/* What one may make of ground that is between two heights; what it reads may be of any. */
static struct reach edited_by(const struct terrane_edit *edit, struct reach reach)
{
    const double unit_m = 1.0 / TERRANE_EDIT_UNITS, move_m = 2 * TERRANE_EDIT_MOVE_M;
    const double height_m = edit->height * unit_m, strength_m = edit->strength * unit_m;
    switch (edit->brush) {
    case TERRANE_BRUSH_RAISE:
        return hull(reach, reach.low_m, reach.high_m + strength_m);
    case TERRANE_BRUSH_LOWER:
        return hull(reach, reach.low_m - strength_m, reach.high_m);
    case TERRANE_BRUSH_LEVEL:
        return hull(reach, height_m, height_m);
    case TERRANE_BRUSH_WAY: /* its surface is nowhere beyond its line's heights */
        for (int k = 0; k < edit->points; k++)
            reach = hull(reach, edit->line[k].height * unit_m, edit->line[k].height * unit_m);
        return reach;
    case TERRANE_BRUSH_SMOOTH:
    case TERRANE_BRUSH_SHARPEN:
    case TERRANE_BRUSH_NOISE:
        return hull(reach, reach.low_m - move_m, reach.high_m + move_m);
    case TERRANE_BRUSH_RESTORE: /* to ground that is in there */
    case TERRANE_BRUSH_MARK:
    case TERRANE_BRUSHES:
        break;
    }
    return reach;
}

static struct reach edit(const struct boxes *boxes, int i, int j, int side, struct reach before)
{
    const struct terrane_edit_box box = tile_edits_box(boxes->piece->key, i, j, side);
    const double most_m = TERRANE_EDIT_MOVE_M, round_m = 0x1p-10;
    struct reach reach = before;
    if (boxes->edited == EDIT_LOG_MANY)
        return (struct reach){before.low_m - most_m, before.high_m + most_m};
    for (size_t k = 0; k < boxes->edited; k++) {
        const struct terrane_edit *one = &boxes->edits[k];
        const struct terrane_edit_box own = terrane_edit_parts(one);
        if (own.west <= box.east && own.east >= box.west && own.north <= box.south && own.south >= box.north)
            reach = edited_by(one, hull(reach, reach.low_m - round_m, reach.high_m + round_m));
    }
    return (struct reach){fmax(reach.low_m, before.low_m - most_m),
                          fmin(reach.high_m, before.high_m + most_m)};
}

/* A tile of the last level: samples i, j .. i + side, j + side. */
static struct reach measure(const struct boxes *boxes, int i, int j, int side)
{
    const struct piece *piece = boxes->piece;
    double low = INFINITY, high = -INFINITY, wet = -INFINITY, steepest = 0;
    for (int y = j; y <= j + side; y++)
        for (int x = i; x <= i + side; x++) {
            const float *at = piece->ground.around + (size_t)(y + 1) * AROUND + x + 1;
            const double here = (double)*at;
            low = fmin(low, here);
            high = fmax(high, here);
            wet = fmax(wet, (double)piece->ground.layer[TERRANE_LAYER_SURFACE][y * SIDE + x]);
            steepest = fmax(steepest, fmax(fabs((double)at[1] - here), fabs((double)at[AROUND] - here)));
            steepest = fmax(steepest, fmax(fabs((double)at[-1] - here), fabs((double)at[-AROUND] - here)));
        }
    const double more = boxes->more_m + STEEPEST * steepest;
    struct reach reach = {fmax(low - more, boxes->whole.low_m - boxes->moved_m),
                          fmin(high + more, boxes->whole.high_m + boxes->moved_m)};
    reach = edit(boxes, i, j, side, reach);
    if (piece->key->layer == LAYER_SURFACE)
        add_water(boxes, &reach, wet);
    return reach;
}

/* From the last level up: a tile is as low and high as its four. */
static void measure_all(struct boxes *boxes)
{
    const int last = boxes->levels - 1;
    for (int depth = last; depth >= 0; depth--)
        for (int row = 0; row < 1 << depth; row++)
            for (int column = 0; column < 1 << depth; column++) {
                const int side = TERRANE_TILE_SAMPLES >> depth, north = (1 << depth) - 1 - row;
                struct reach *reach = &boxes->reach[index_of(depth, column, row)];
                if (depth == last) {
                    *reach = measure(boxes, column * side, north * side, side);
                    continue;
                }
                const struct reach *four = &boxes->reach[index_of(depth + 1, 2 * column, 2 * row)];
                *reach = four[0];
                for (int k = 1; k < 4; k++) {
                    reach->low_m = fmin(reach->low_m, four[k].low_m);
                    reach->high_m = fmax(reach->high_m, four[k].high_m);
                }
            }
}

/*
 * x to the east, y to the north, z up, metres about the world's origin. What is added on all sides is for quanta, which are under
 * 3.4 / 65535 of a mesh's height wide or a 65280th of its side (encode/glb.c), and for roundings.
 */
static void put_box(const struct boxes *boxes, int depth, int column, int row)
{
    const struct piece *piece = boxes->piece;
    const struct terrane_window *window = &piece->plan->ground.window;
    const int at = index_of(depth, column, row), samples = TERRANE_TILE_SAMPLES >> depth;
    const double sample_m = terrane_lattice_m(piece->world, window->level, 1), side_m = samples * sample_m;
    const double west_m = terrane_lattice_m(piece->world, window->level, window->gi),
                 south_m = terrane_lattice_m(piece->world, window->level, window->gj + TERRANE_TILE_SAMPLES);
    struct tile_key key = *piece->key;
    key.placed = true;
    const double low_m = boxes->reach[at].low_m - tile_skirt_m(&key, piece->world, side_m / (key.size - 1)),
                 high_m = boxes->reach[at].high_m;
    const double more_m = side_m * 0x1p-16 + (high_m - low_m) * 0x1p-15;
    const double half_m = side_m / 2 + more_m;
    const double box[SUBTREE_BOX_NUMBERS] = {west_m + (column + 0.5) * side_m,
                                             (row + 0.5) * side_m - south_m,
                                             (low_m + high_m) / 2,
                                             half_m,
                                             0,
                                             0,
                                             0,
                                             half_m,
                                             0,
                                             0,
                                             0,
                                             (high_m - low_m) / 2 + more_m};
    for (int k = 0; k < SUBTREE_BOX_NUMBERS; k++)
        boxes->box[at][k] = box[k];
}

int piece_encode_boxes(struct piece *piece)
{
    const int there = piece->key->level + 1; /* down to level 0 */
    struct boxes boxes = {.piece = piece,
                          .levels = there < TILESET_SUBTREE_LEVELS ? there : TILESET_SUBTREE_LEVELS};
    const size_t tiles = (size_t)subtree_tiles(boxes.levels);
    int result = -1;
    CHECK(piece->plan->ground.window.width == SIDE && piece->plan->ground.window.step == 1);
    boxes.edited = tile_edits_within(piece->key, &boxes.edits);
    boxes.reach = calloc(tiles, sizeof *boxes.reach);
    boxes.box = malloc(tiles * sizeof *boxes.box);
    if (boxes.edited != EDIT_LOG_FAILED && boxes.reach && boxes.box) {
        measure_world(&boxes);
        measure_all(&boxes);
        for (int depth = 0; depth < boxes.levels; depth++)
            for (int row = 0; row < 1 << depth; row++)
                for (int column = 0; column < 1 << depth; column++)
                    put_box(&boxes, depth, column, row);
        result = encode_subtree(boxes.levels, there > TILESET_SUBTREE_LEVELS,
                                (const double(*)[SUBTREE_BOX_NUMBERS])boxes.box, &piece->data, &piece->bytes);
    }
    free(boxes.edits);
    free(boxes.reach);
    free(boxes.box);
    return result;
}
