/*
 * A walk on the ground as it is served, where the coarse look at base ground has led: within a few hundred metres, and where
 * these are all steep or wet, within kilometres.
 */
#include <string.h>

#include "../base/check.h"
#include "../base/little_endian.h"
#include "spawn.h"

enum {
    SIDE = TERRANE_TILE_SAMPLES,
    ROW = SIDE + 1,
    STRIDE = 4, /* from a place that is looked at to the next */
    REACH = 8,  /* samples around a place that are to be gentle and dry, too */
    EIGHTS = 8  /* samples of way that weigh as much as a thousandth of slope */
};
static const double SHORE = 4; /* water near by weighs as much as such a slope, more than all others */
static const double GENTLE = 0.125;

const int spawn_stage_level[SPAWN_STAGES] = {0, 4, 8, 4, 0};

void spawn_tile(const struct spawn *spawn, const struct terrane_world *world, int stage, int64_t *x,
                int64_t *y)
{
    const double side_m = terrane_lattice_m(world, spawn_stage_level[stage], SIDE);
    *x = (int64_t)(spawn->x_m / side_m);
    *y = (int64_t)(spawn->y_m / side_m);
    *x -= terrane_lattice_m(world, spawn_stage_level[stage], *x * SIDE) > spawn->x_m;
    *y -= terrane_lattice_m(world, spawn_stage_level[stage], *y * SIDE) > spawn->y_m;
}

static double sample(const unsigned char *f32, int i, int j)
{
    return (double)get_f32(f32 + 4 * ((size_t)j * ROW + (size_t)i));
}

/* How bad a dry place is to stand on: the steepest way from it to its neighbours, and to what is REACH away. */
static double judge(const unsigned char *height, const unsigned char *water, int i, int j, double step_m)
{
    const double here = sample(height, i, j);
    double steep = 0;
    bool wet = false;
    for (int ring = 1; ring <= REACH; ring *= REACH)
        for (int d = 0; d < 9; d++) {
            const int x = i + (d % 3 - 1) * ring, y = j + (d / 3 - 1) * ring;
            const double off = (sample(height, x, y) - here) / (ring * step_m);
            steep = off > steep ? off : -off > steep ? -off : steep;
            wet = wet || sample(water, x, y) > 0;
        }
    return steep + (wet ? SHORE : 0);
}

static int way(int a, int b)
{
    return a > b ? a - b : b - a;
}

int spawn_settle(struct spawn *spawn, const struct terrane_world *world, int stage,
                 const unsigned char *height, const unsigned char *water)
{
    const int level = spawn_stage_level[stage];
    int64_t tile_x, tile_y;
    spawn_tile(spawn, world, stage, &tile_x, &tile_y);
    const double step_m = terrane_lattice_m(world, level, 1);
    int column = (int)(spawn->x_m / step_m - (double)(tile_x * SIDE)),
        row = (int)(spawn->y_m / step_m - (double)(tile_y * SIDE));
    column = column < SIDE ? column : SIDE; /* spacings that are no powers of two round */
    row = row < SIDE ? row : SIDE;
    const int from_column = column, from_row = row;
    double best = -1;
    for (int j = REACH; j <= SIDE - REACH; j += STRIDE)
        for (int i = REACH; i <= SIDE - REACH; i += STRIDE) {
            if (sample(water, i, j) > 0)
                continue;
            const int across = way(i, from_column), along = way(j, from_row);
            const double score =
                judge(height, water, i, j, step_m) + (across > along ? across : along) / (EIGHTS * 1000.0);
            if (best >= 0 && score >= best)
                continue;
            best = score;
            column = i;
            row = j;
        }
    spawn->x_m = terrane_lattice_m(world, level, tile_x * SIDE + column);
    spawn->y_m = terrane_lattice_m(world, level, tile_y * SIDE + row);
    spawn->height_m = sample(height, column, row);
    if (level == 0)
        return best >= 0 && best < GENTLE ? SPAWN_STAGES : stage + 1;
    return stage == 1 && best >= 0 ? SPAWN_STAGES - 1 : stage + 1; /* no lake is as wide as that */
}
