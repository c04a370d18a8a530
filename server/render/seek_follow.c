/*
 * Hits of a coarse level, followed down to the first of the stages.
 */
#include <string.h>

#include "seek_parts.h"
#include "tile_piece.h"

enum {
    SIDE = TERRANE_TILE_SAMPLES,
    LISTED_AROUND = PIECE_PEAK_NEAR + SEEK_AROUND /* coarser samples that what is listed may lie off */
};

/* Drops what a finer level has not: its level is below 0. */
static void drop_lost(struct seek *seek)
{
    size_t kept = seek->first;
    for (size_t k = seek->first; k < seek->last; k++)
        if (seek->hit[k].level >= 0)
            seek->hit[kept++] = seek->hit[k];
    memmove(seek->hit + kept, seek->hit + seek->last, (seek->hits - seek->last) * sizeof *seek->hit);
    seek->hits -= seek->last - kept;
    seek->last = kept;
}

static bool is_beyond(int64_t tile)
{
    return tile < -TERRANE_TILE_LIMIT || tile >= TERRANE_TILE_LIMIT;
}

/* Which of the tiles that are wanted it is: the last, if it was not yet. */
size_t seek_want_tile(struct seek *seek, int level, int64_t x, int64_t y)
{
    size_t t = 0;
    while (t < seek->tiles && (seek->tile_level[t] != level || seek->tile_x[t] != x || seek->tile_y[t] != y))
        t++;
    seek->tile_level[t] = level;
    seek->tile_x[t] = x;
    seek->tile_y[t] = y;
    seek->tiles += t == seek->tiles;
    return t;
}

/* Wants the tile of its sample; false: there is none, since a coarser level's last tiles reach further. */
static bool follow_sample(struct seek *seek, struct seek_hit *hit, int level)
{
    hit->gi *= INT64_C(1) << (hit->level - level);
    hit->gj *= INT64_C(1) << (hit->level - level);
    hit->level = level;
    if (is_beyond(hit->gi >> 8) || is_beyond(hit->gj >> 8))
        return false;
    hit->tile = seek_want_tile(seek, level, hit->gi >> 8, hit->gj >> 8);
    return true;
}

/* Wants the tiles around it, one to four. */
static void follow_listed(struct seek *seek, const struct seek_hit *hit, int level)
{
    const int64_t by = INT64_C(1) << (hit->level - level);
    for (int k = 0; k < 4; k++) {
        const int64_t x = (hit->gi + (k % 2 ? LISTED_AROUND : -LISTED_AROUND)) * by >> 8,
                      y = (hit->gj + (k / 2 ? LISTED_AROUND : -LISTED_AROUND)) * by >> 8;
        if (seek->tiles < SEEK_TILES && !is_beyond(x) && !is_beyond(y))
            seek_want_tile(seek, level, x, y);
    }
}

static void follow(struct seek *seek)
{
    const int level = seek->stage[--seek->follows].level;
    seek->tiles = seek->had = 0;
    for (size_t k = seek->first; k < seek->last; k++) {
        struct seek_hit *hit = &seek->hit[k];
        hit->tile = SEEK_TILES;
        if (hit->level <= level)
            continue;
        if (find_row[seek->question.what].listed)
            follow_listed(seek, hit, level);
        else if (!follow_sample(seek, hit, level))
            hit->level = -1;
    }
    drop_lost(seek);
}

/* The next tiles that the group is followed to; false: it has come to the first stage. */
bool seek_follow_down(struct seek *seek)
{
    for (seek->tiles = 0; seek->follows > 0 && seek->tiles == 0;)
        follow(seek);
    return seek->tiles > 0;
}

static int limited(int value, int max)
{
    return value < 0 ? 0 : value > max ? max : value;
}

/* Moves a hit to where the finer tile shows it, near by; false: it does not. */
static bool refine(const struct seek *seek, const struct seek_ground *ground, struct seek_hit *hit)
{
    const int column = (int)(hit->gi & (SIDE - 1)), row = (int)(hit->gj & (SIDE - 1)),
              finer = seek->stage[seek->follows + 1].level - hit->level, reach = SEEK_AROUND << finer;
    double best = 0;
    int found = -1;
    for (int j = limited(row - reach, SIDE); j <= limited(row + reach, SIDE); j++)
        for (int i = limited(column - reach, SIDE); i <= limited(column + reach, SIDE); i++) {
            const int at = j * ground->side + i;
            const double off = (double)((i - column) * (i - column) + (j - row) * (j - row));
            if (ground->is[at] == SEEK_IS && (found < 0 || off < best)) {
                best = off;
                found = at;
            }
        }
    if (found < 0)
        return false;
    hit->gi += found % ground->side - column;
    hit->gj += found / ground->side - row;
    hit->height_m = (double)ground->height[found];
    if (seek->question.what == FIND_RIVER || seek->question.what == FIND_MOUTH)
        hit->measure = (double)ground->flow[found];
    seek_place(seek, hit);
    return true;
}

/* Refines the group's hits in one tile; drops those that are not there. */
static int refine_tile(struct seek *seek, size_t tile)
{
    struct seek_ground ground;
    if (seek_ground_make(&ground, SIDE + 1) != 0)
        return -1;
    seek_read_tile(seek, tile, SIDE + 1, &ground, 0, 0);
    seek_ground_mark(&ground, seek->question.what, seek->world->recipe->sea_m);
    for (size_t k = seek->first; k < seek->last; k++) {
        struct seek_hit *hit = &seek->hit[k];
        if (hit->tile == tile && !refine(seek, &ground, hit))
            hit->level = -1;
    }
    seek_ground_free(&ground);
    return 0;
}

/* What has the id of a hit is that, where the finer level shows it. */
static void refine_listed(void *context, const struct seek_hit *listed)
{
    struct seek *seek = context;
    for (size_t k = seek->first; k < seek->last; k++) {
        struct seek_hit *hit = &seek->hit[k];
        if (strcmp(hit->id, listed->id) != 0)
            continue;
        const int seen = hit->seen;
        *hit = *listed;
        hit->seen = seen;
        seek_place_listed(seek, hit, seek->stage[seek->follows].level);
    }
}

/* What is listed, and not there, stays where the coarser level lists it. */
int seek_refine(struct seek *seek)
{
    const enum find_what what = seek->question.what;
    int error = 0;
    for (size_t t = 0; t < seek->tiles && error == 0; t++)
        error = find_row[what].listed
                    ? seek_list(seek->blob[t]->data, seek->blob[t]->bytes, what, refine_listed, seek)
                    : refine_tile(seek, t);
    drop_lost(seek);
    return error;
}
