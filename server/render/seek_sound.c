/*
 * Soundings: whether all that a search for places or caves would look at lies so deep under the sea that there can be none. Their ground is the dearest that there is,
 * and most places in the world are far out at sea.
 *
 * The ground of a coarse level tells: a finer one's differs from it by no more than both levels' errors, and stands no higher over the samples around than
 * these differ (seek_sound_most). That no law says, since octaves that the coarse level has may rise between its samples; tests/unit/render/test_seek_sound.c
 * holds it at sea, where ground needs less than a fifth of what the octaves that the coarse level leaves out are allowed beside. Of its tiles the one with the
 * place comes first, and others where that is deep.
 */
#include "../../lib/terrane_make.h"
#include "../base/little_endian.h"
#include "seek_parts.h"

enum { SIDE = TERRANE_TILE_SAMPLES, FINER = 2 /* levels of drainage below that which tells */ };

/* Samples of the level; the last ones are in it. */
struct square {
    int64_t west, north, east, south;
};

static int level_of(const struct terrane_recipe *recipe)
{
    const int level = recipe->rivers.bottom + FINER;
    return level < recipe->rivers.top ? level : recipe->rivers.top;
}

/* How far from a tile is what decides of it: nodes of paths that cross it, and the ground of caves that show in it. */
static int64_t margin_of(const struct seek *seek)
{
    const struct terrane_recipe *recipe = seek->world->recipe;
    return seek->question.what == FIND_CAVE ? 4 * recipe->caves.radius
                                            : INT64_C(3) << recipe->paths.cell_log2;
}

static struct square square_of(const struct seek *seek)
{
    const struct seek_stage *last = &seek->stage[seek->stages - 1];
    const int finer = level_of(seek->world->recipe) - last->level;
    const int64_t margin = margin_of(seek), wide = (int64_t)last->across * SIDE + 2 * margin,
                  west = seek_tile_from(seek, last, seek->x_m) * SIDE - margin,
                  north = seek_tile_from(seek, last, seek->y_m) * SIDE - margin;
    return (struct square){(west >> finer) - 1, (north >> finer) - 1, ((west + wide) >> finer) + 2,
                           ((north + wide) >> finer) + 2};
}

bool seek_sound_begin(struct seek *seek)
{
    const uint32_t layers = find_row[seek->question.what].layers;
    const struct terrane_recipe *recipe = seek->world->recipe;
    if (!(layers >> LAYER_CAVE & 1 || layers >> LAYER_PATH & 1) || recipe->rivers.top == 0 ||
        level_of(recipe) < seek->stage[seek->stages - 1].level)
        return false;
    const int level = level_of(recipe), log2 = 8;
    const struct square square = square_of(seek);
    for (int64_t y = square.north >> log2; y <= square.south >> log2; y++)
        for (int64_t x = square.west >> log2; x <= square.east >> log2; x++) {
            if (x < -TERRANE_TILE_LIMIT || y < -TERRANE_TILE_LIMIT || x >= TERRANE_TILE_LIMIT ||
                y >= TERRANE_TILE_LIMIT || seek->all == SEEK_TILES)
                return false;
            seek_list_tile(seek, level, x, y);
        }
    seek->tiles = 1;
    return true;
}

float seek_sound_most(float low_m, float high_m)
{
    return high_m + (high_m - low_m);
}

/* Whether no ground beside a sample of a tile is higher than a height. */
static bool is_below(const unsigned char *f32, int i, int j, float max_m)
{
    float low = 0, high = 0;
    for (int d = 0; d < 9; d++) {
        const int u = i + d % 3 - 1, v = j + d / 3 - 1;
        const int x = u < 0 ? 0 : u > SIDE ? SIDE : u, y = v < 0 ? 0 : v > SIDE ? SIDE : v;
        const float height = get_f32(f32 + 4 * (y * (SIDE + 1) + x));
        low = d == 0 || height < low ? height : low;
        high = d == 0 || height > high ? height : high;
    }
    return seek_sound_most(low, high) < max_m;
}

static bool is_deep(const struct seek *seek, size_t tile)
{
    const struct terrane_recipe *recipe = seek->world->recipe;
    const struct square square = square_of(seek);
    const float limit_m = seek->question.what == FIND_CAVE ? recipe->caves.high_m : recipe->sea_m;
    const int64_t west = seek->tile_x[tile] * SIDE, north = seek->tile_y[tile] * SIDE;
    struct terrane_ground_errors coarse, fine;
    terrane_ground_errors(recipe, seek->tile_level[tile], &coarse);
    terrane_ground_errors(recipe, seek->stage[seek->stages - 1].level, &fine);
    const float max_m =
        limit_m - (float)(coarse.variant_m[TERRANE_VARIANT_ERODED] + fine.variant_m[TERRANE_VARIANT_ERODED]);
    for (int j = 0; j <= SIDE; j++)
        for (int i = 0; i <= SIDE; i++)
            if (west + i >= square.west && west + i <= square.east && north + j >= square.north &&
                north + j <= square.south && !is_below(seek->blob[tile]->data, i, j, max_m))
                return false;
    return true;
}

enum seek_depth seek_sound(struct seek *seek)
{
    for (size_t t = seek->had; t < seek->tiles; t++)
        if (!is_deep(seek, t))
            return SEEK_LAND;
    if (seek->tiles == seek->all)
        return SEEK_DEEP;
    seek->had = seek->tiles;
    seek->tiles = seek->all;
    return SEEK_UNKNOWN;
}
