/*
 * What is of a kind in the tiles of a stage, the nearest first.
 */
#include <math.h>
#include <string.h>

#include "seek_parts.h"

enum { SIDE = TERRANE_TILE_SAMPLES };

/* All layers of a wanted tile, so many of its rows and columns, into ground. */
void seek_read_tile(const struct seek *seek, size_t tile, int samples, struct seek_ground *ground, int x,
                    int y)
{
    for (size_t l = 0; l < seek->layers; l++)
        seek_ground_read(ground, &seek->question, seek->world->recipe, seek->layer[l],
                         seek->blob[tile * seek->layers + l]->data, samples, x, y);
}

void seek_away(const struct seek *seek, struct seek_hit *hit)
{
    const double x = hit->x_m - seek->x_m, y = hit->y_m - seek->y_m;
    hit->distance_m = sqrt(x * x + y * y);
}

void seek_place(const struct seek *seek, struct seek_hit *hit)
{
    hit->x_m = terrane_lattice_m(seek->world, hit->level, hit->gi);
    hit->y_m = terrane_lattice_m(seek->world, hit->level, hit->gj);
    seek_away(seek, hit);
}

void seek_place_listed(const struct seek *seek, struct seek_hit *hit, int level)
{
    const double side_m = seek_step_m(seek, level);
    hit->level = level;
    hit->gi = (int64_t)floor(hit->x_m / side_m);
    hit->gj = (int64_t)floor(hit->y_m / side_m);
    seek_away(seek, hit);
}

/* The nearest comes first; of those that are as far, the most northern, and of them the most western one. */
static bool comes_before(const struct seek_hit *a, const struct seek_hit *b)
{
    if (a->distance_m < b->distance_m || a->distance_m > b->distance_m)
        return a->distance_m < b->distance_m;
    return a->y_m < b->y_m || (a->y_m <= b->y_m && a->x_m < b->x_m);
}

/* Puts a hit in its place among the nearest. */
void seek_insert(struct seek_hit *list, size_t *count, size_t max, const struct seek_hit *hit)
{
    size_t k = *count;
    if (k == max && !comes_before(hit, &list[k - 1]))
        return;
    k -= k == max;
    for (; k > 0 && comes_before(hit, &list[k - 1]); k--)
        list[k] = list[k - 1];
    list[k] = *hit;
    *count += *count < max;
}

/* A hit counts where the stage sees everything, and no stage before it did. What lies beyond waits for the stage that sees what else is as near. */
static void add_hit(struct seek *seek, const struct seek_hit *hit)
{
    if (seek_is_last(seek) || hit->distance_m <= seek_reach_m(seek)) {
        if (seek->at == 0 || hit->distance_m > seek->stage[seek->at - 1].reach_m)
            seek_insert(seek->hit, &seek->hits, SEEK_HITS, hit);
    } else if (seek->tiles == seek->all) {
        seek_insert(seek->far, &seek->fars, SEEK_HITS, hit);
    }
}

/* What finer stages saw beyond where they see everything, and this one does: for good once all of its tiles are there. */
static void take_far(struct seek *seek)
{
    const double reach = seek_reach_m(seek);
    size_t taken = 0;
    while (taken < seek->fars && (seek_is_last(seek) || seek->far[taken].distance_m <= reach))
        seek_insert(seek->hit, &seek->hits, SEEK_HITS, &seek->far[taken++]);
    if (seek->tiles < seek->all)
        return;
    seek->fars -= taken;
    memmove(seek->far, seek->far + taken, seek->fars * sizeof *seek->far);
}

static void add_listed(void *context, const struct seek_hit *listed)
{
    struct seek *seek = context;
    struct seek_hit hit = *listed;
    hit.seen = seek->stage[seek->at].level;
    seek_place_listed(seek, &hit, hit.seen);
    for (size_t k = 0; k < seek->hits; k++)
        if (strcmp(seek->hit[k].id, hit.id) == 0) /* another tile has it, too */
            return;
    add_hit(seek, &hit);
}

struct look {
    struct seek *seek;
    const struct seek_ground *ground;
    int64_t gi, gj; /* of the ground's first sample */
};

static void add_sample(void *context, int i, int j, double measure, bool whole)
{
    const struct look *look = context;
    struct seek *seek = look->seek;
    const int level = seek->stage[seek->at].level;
    const size_t at = (size_t)j * (size_t)look->ground->side + (size_t)i;
    const double side_m = seek_step_m(seek, level);
    struct seek_hit hit = {.gi = look->gi + i,
                           .gj = look->gj + j,
                           .level = level,
                           .seen = level,
                           .height_m = (double)look->ground->height[at],
                           .measure = measure,
                           .whole = whole};
    if (find_row[seek->question.what].area)
        hit.measure = measure * side_m * side_m;
    else
        hit.measure = (double)look->ground->flow[at];
    seek_place(seek, &hit);
    add_hit(seek, &hit);
}

static int find_listed(struct seek *seek)
{
    for (size_t t = 0; t < seek->tiles; t++)
        if (seek_list(seek->blob[t]->data, seek->blob[t]->bytes, seek->question.what, add_listed, seek) != 0)
            return -1;
    return 0;
}

static int find_samples(struct seek *seek)
{
    const struct seek_stage *stage = &seek->stage[seek->at];
    const int64_t west = seek_first_tile(seek, seek->x_m), north = seek_first_tile(seek, seek->y_m);
    const double side_m = seek_step_m(seek, stage->level);
    struct seek_ground ground;
    struct look look = {seek, &ground, west * SIDE, north * SIDE};
    if (seek_ground_make(&ground, stage->across * SIDE) != 0)
        return -1;
    for (size_t t = 0; t < seek->all; t++) {
        const int column = (int)(seek->tile_x[t] - west), row = (int)(seek->tile_y[t] - north);
        if (t < seek->tiles)
            seek_read_tile(seek, t, SIDE, &ground, column * SIDE, row * SIDE);
        else
            ground.missing |= 1U << (row * stage->across + column);
    }
    seek_ground_mark(&ground, seek->question.what, seek->world->recipe->sea_m);
    const int error = seek_parts(&ground, seek->x_m / side_m - (double)look.gi,
                                 seek->y_m / side_m - (double)look.gj, add_sample, &look);
    seek_ground_free(&ground);
    return error;
}

int seek_find(struct seek *seek)
{
    seek->hits = 0;
    const int error = find_row[seek->question.what].listed ? find_listed(seek) : find_samples(seek);
    if (error == 0)
        take_far(seek);
    return error;
}

/*
 * Those that are nearer than any tile that is missing, and hang together with nothing there: by the sea beside it a coast is known two samples
 * from there. One that may do so is as near as it will be, if it is the first; but how large it is, is not known.
 */
size_t seek_sure(const struct seek *seek)
{
    const struct find_row *row = &find_row[seek->question.what];
    const double max_m = seek_missing_m(seek) - 2 * seek_step_m(seek, seek->stage[seek->at].level);
    const size_t parts = row->area ? 0 : 1; /* that may be known in part */
    size_t sure = 0, open = 0;
    for (; sure < seek->hits && seek->hit[sure].distance_m < max_m; sure++) {
        open += !seek->hit[sure].whole;
        if (open > parts)
            break;
    }
    return sure;
}
