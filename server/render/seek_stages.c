/*
 * The levels that are looked at, and the tiles of each.
 *
 * A stage's tiles are asked for from the nearest on: one, then as many again as there are. What is found nearer than all that are
 * missing stays the nearest, so most of them are never made.
 */
#include <math.h>

#include "seek_parts.h"

enum {
    SIDE = TERRANE_TILE_SAMPLES,
    STRIDE = 3, /* levels from one that is looked at to the next */
    NARROW = 2, /* tiles of a stage along an axis: half a tile is seen at least */
    WIDE = 5    /* ... two are: three times as dear, for samples that coarser levels miss */
};
_Static_assert(SEEK_TILES >= WIDE * WIDE && 2 * (FIND_LEVEL_MAX / STRIDE + 1) <= SEEK_STAGES, "room");

static void add_stage(struct seek *seek, int level, int across)
{
    seek->stage[seek->stages++] = (struct seek_stage){.level = level, .across = across};
}

void seek_plan(struct seek *seek, int level)
{
    const struct terrane_recipe *recipe = seek->world->recipe;
    const uint32_t layers = find_row[seek->question.what].layers;
    const bool cave = layers >> LAYER_CAVE & 1, path = layers >> LAYER_PATH & 1,
               flows = layers >> LAYER_RIVER & 1;
    const int max = flows ? recipe->rivers.top : FIND_LEVEL_MAX; /* there are no rivers above */
    level = level < max ? level : max;
    if (cave) {
        add_stage(seek, recipe->caves.level, 1);
        add_stage(seek, recipe->caves.level, 2);
        if (recipe->caves.level + TERRANE_CAVES_COARSER <= TERRANE_LEVEL_MAX)
            add_stage(seek, recipe->caves.level + TERRANE_CAVES_COARSER, 2);
    } else if (path) {
        add_stage(seek, recipe->paths.level, 1);
        add_stage(seek, recipe->paths.level, 2);
        add_stage(seek, recipe->paths.level, 4);
    }
    const int fine = level > FIND_LEVEL_USUAL ? level : FIND_LEVEL_USUAL;
    for (; !cave && !path && level <= max; level += STRIDE) {
        add_stage(seek, level, NARROW);
        if (level <= fine && !find_row[seek->question.what].listed)
            add_stage(seek, level, WIDE);
    }
}

double seek_step_m(const struct seek *seek, int level)
{
    return terrane_lattice_m(seek->world, level, 1);
}

bool seek_is_last(const struct seek *seek)
{
    return seek->at + 1 == seek->stages;
}

bool seek_is_same_level(const struct seek *seek)
{
    return seek->at > 0 && seek->stage[seek->at - 1].level == seek->stage[seek->at].level;
}

/* Their middle is as near to a place as can be. */
int64_t seek_tile_from(const struct seek *seek, const struct seek_stage *stage, double at_m)
{
    const int before = stage->across / 2;
    const int64_t min = -TERRANE_TILE_LIMIT, max = TERRANE_TILE_LIMIT - stage->across;
    const double to_middle = stage->across % 2 == 0 ? 0.5 : 0;
    const int64_t first =
        (int64_t)floor(at_m / (SIDE * seek_step_m(seek, stage->level)) + to_middle) - before;
    return first < min ? min : first > max ? max : first;
}

int64_t seek_first_tile(const struct seek *seek, double at_m)
{
    return seek_tile_from(seek, &seek->stage[seek->at], at_m);
}

/* From a place to the nearer end of the stage's tiles along an axis. */
static double to_end_m(const struct seek *seek, double at_m)
{
    const struct seek_stage *stage = &seek->stage[seek->at];
    const int64_t first = seek_first_tile(seek, at_m) * SIDE;
    const double before = at_m - terrane_lattice_m(seek->world, stage->level, first),
                 behind = terrane_lattice_m(seek->world, stage->level, first + stage->across * SIDE) - at_m;
    return before < behind ? before : behind;
}

/* What a sample is, those beside it say, too: of the last ones nobody knows. At the world's edge that is nothing at all. */
double seek_reach_m(const struct seek *seek)
{
    const double across = to_end_m(seek, seek->x_m), along = to_end_m(seek, seek->y_m);
    return fmax((across < along ? across : along) - seek_step_m(seek, seek->stage[seek->at].level), 0);
}

/* From a place to a tile's samples along an axis: 0 among them. */
static double to_tile_m(const struct seek *seek, int level, int64_t tile, double at_m)
{
    const double first_m = terrane_lattice_m(seek->world, level, tile * SIDE),
                 last_m = terrane_lattice_m(seek->world, level, tile * SIDE + SIDE - 1);
    return at_m < first_m ? first_m - at_m : at_m > last_m ? at_m - last_m : 0;
}

static double tile_m(const struct seek *seek, int level, int64_t tile_x, int64_t tile_y)
{
    const double x = to_tile_m(seek, level, tile_x, seek->x_m), y = to_tile_m(seek, level, tile_y, seek->y_m);
    return sqrt(x * x + y * y);
}

double seek_missing_m(const struct seek *seek)
{
    return tile_m(seek, seek->tile_level[seek->tiles], seek->tile_x[seek->tiles], seek->tile_y[seek->tiles]);
}

/* Puts a tile in its place among those of the stage, the nearest first. */
void seek_list_tile(struct seek *seek, int level, int64_t x, int64_t y)
{
    const double away_m = tile_m(seek, level, x, y);
    size_t t = seek->all++;
    for (; t > 0 && away_m < tile_m(seek, level, seek->tile_x[t - 1], seek->tile_y[t - 1]); t--) {
        seek->tile_x[t] = seek->tile_x[t - 1];
        seek->tile_y[t] = seek->tile_y[t - 1];
    }
    seek->tile_level[seek->all - 1] = level;
    seek->tile_x[t] = x;
    seek->tile_y[t] = y;
}

/* As many are wanted at first as the stage before looked at in vain, if it was of the level. */
void seek_look(struct seek *seek, bool all)
{
    const struct seek_stage *stage = &seek->stage[seek->at];
    const int before = seek_is_same_level(seek) ? stage[-1].across * stage[-1].across : 1;
    const int64_t x = seek_first_tile(seek, seek->x_m), y = seek_first_tile(seek, seek->y_m);
    seek->follows = seek->at;
    seek->all = seek->had = 0;
    for (int k = 0; k < stage->across * stage->across; k++)
        seek_list_tile(seek, stage->level, x + k % stage->across, y + k / stage->across);
    seek->tiles = all ? seek->all : (size_t)before;
}

/* ---- What may be wanted next ------------------------------------------------------------------------------ */

static void add_ahead(struct seek *seek, int level, int64_t x, int64_t y)
{
    if (seek->aheads < SEEK_AHEAD)
        seek->ahead[seek->aheads++] = (struct seek_tile){level, x, y, seek->layer[seek->layers - 1]};
}

static void add_stage_ahead(struct seek *seek, const struct seek_stage *stage)
{
    for (int k = 0; k < stage->across * stage->across; k++)
        add_ahead(seek, stage->level, seek_tile_from(seek, stage, seek->x_m) + k % stage->across,
                  seek_tile_from(seek, stage, seek->y_m) + k / stage->across);
}

/*
 * The stage's other tiles, and the next one's. The first tile's ground rests on one of the last stage's, and while that is made nothing else of
 * finer levels can be: then those beside it come first.
 */
static void look_around(struct seek *seek)
{
    const struct seek_stage *last = &seek->stage[seek->stages - 1];
    if (seek->at == 0 && seek->tiles == 1 && last->level > seek->stage[0].level + STRIDE)
        add_stage_ahead(seek, last);
    for (size_t t = seek->had + seek_wants(seek) / seek->layers; t < seek->all; t++)
        add_ahead(seek, seek->tile_level[t], seek->tile_x[t], seek->tile_y[t]);
    if (!seek_is_last(seek))
        add_stage_ahead(seek, &seek->stage[seek->at + 1]);
}

/* The finer tiles under what is followed, if it stands where it was seen. */
static void look_down(struct seek *seek)
{
    const int level = seek->stage[seek->follows - 1].level;
    for (size_t k = seek->first; k < seek->last; k++) {
        const struct seek_hit *hit = &seek->hit[k];
        const int64_t by = INT64_C(1) << (hit->level > level ? hit->level - level : 0),
                      max = TERRANE_TILE_LIMIT;
        const int64_t x = hit->gi * by >> 8, y = hit->gj * by >> 8;
        if (x >= -max && x < max && y >= -max && y < max)
            add_ahead(seek, level, x, y);
    }
}

/* Heights of what is wanted first, where those are asked in the end: what they rest on is made one region after the other. */
static void begin_heights(struct seek *seek)
{
    add_ahead(seek, seek->tile_level[seek->had], seek->tile_x[seek->had], seek->tile_y[seek->had]);
    seek->ahead[0].layer = LAYER_HEIGHT;
}

void seek_look_ahead(struct seek *seek)
{
    seek->aheads = 0;
    if (seek->tiles == 0 || seek->naming)
        return;
    if (find_row[seek->question.what].placed)
        begin_heights(seek);
    if (seek->sounding)
        add_stage_ahead(seek, &seek->stage[0]);
    else if (seek->follows == seek->at)
        look_around(seek);
    else if (seek->follows > 0)
        look_down(seek);
}
