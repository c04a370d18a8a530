/*
 * The search, step by step: a stage is looked at, what it shows is followed down, and if that is not enough the next one is.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "seek_parts.h"

static void plan_layers(struct seek *seek)
{
    const struct find_row *row = &find_row[seek->question.what];
    for (int l = 0; l < LAYERS; l++) {
        const bool optional = row->optional >> l & 1;
        if ((row->layers >> l & 1) || (optional && tile_layer_is_in(seek->world->recipe, (enum tile_layer)l)))
            seek->layer[seek->layers++] = (enum tile_layer)l;
    }
}

static void begin_stage(struct seek *seek)
{
    seek->hits = seek->first = seek->last = seek->tries = 0;
    seek->partial = seek->again = false;
    if (seek_is_same_level(seek)) /* sees them again, and what they hang together with */
        seek->fars = 0;
    seek_look(seek, false);
}

struct seek *seek_create(const struct terrane_world *world, const struct tile_key *key,
                         const struct find_question *question, double x_m, double y_m, int level)
{
    struct seek *seek = calloc(1, sizeof *seek);
    if (!seek)
        return NULL;
    seek->world = world;
    seek->key = *key;
    seek->question = *question;
    seek->x_m = x_m;
    seek->y_m = y_m;
    seek_plan(seek, level);
    plan_layers(seek);
    CHECK(seek->stages > 0 && seek->layers > 0);
    seek->sounding = seek_sound_begin(seek);
    if (!seek->sounding)
        begin_stage(seek);
    seek_look_ahead(seek);
    return seek;
}

static void drop_blobs(struct seek *seek)
{
    for (size_t k = 0; k < SEEK_WANTS; k++) {
        blob_release(seek->blob[k]);
        seek->blob[k] = NULL;
    }
}

void seek_free(struct seek *seek)
{
    if (seek)
        drop_blobs(seek);
    free(seek);
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

static size_t layers_of(const struct seek *seek)
{
    return seek->sounding ? 1 : seek->layers;
}

/* Whether it is given weights: of one layer, and of all numbers of a sample it wants to know which is the greatest. */
static bool weighs(const struct seek *seek)
{
    return find_row[seek->question.what].named && !seek->naming;
}

/* Of weights a few at once: these have up to 4 MB a tile. */
static size_t tiles_wanted(const struct seek *seek)
{
    enum { WEIGHED = 4 };
    const size_t tiles = seek->tiles - seek->had;
    return weighs(seek) && tiles > WEIGHED ? WEIGHED : tiles;
}

size_t seek_wants(const struct seek *seek)
{
    return tiles_wanted(seek) * layers_of(seek);
}

size_t seek_spares(const struct seek *seek)
{
    return seek->aheads;
}

/* Of what may be wanted next one layer is enough: others rest on the same regions. */
void seek_key(const struct seek *seek, size_t index, struct tile_key *key)
{
    const size_t wants = seek_wants(seek), layers = layers_of(seek), tile = seek->had + index / layers;
    const struct find_row *row = &find_row[seek->question.what];
    const enum tile_layer layer = seek->sounding ? LAYER_HEIGHT : seek->layer[index % layers];
    const struct seek_tile at = index < wants ? (struct seek_tile){seek->tile_level[tile], seek->tile_x[tile],
                                                                   seek->tile_y[tile], layer}
                                              : seek->ahead[index - wants];
    *key = seek->key;
    key->level = at.level;
    key->x = at.x;
    key->y = at.y;
    const bool sounds = seek->sounding && index < wants;
    key->layer = at.layer;
    key->format = sounds         ? FORMAT_F32
                  : seek->naming ? seek_naming_format(seek)
                  : row->listed  ? FORMAT_GEOJSON
                                 : FORMAT_F32;
    key->variant = tile_variant_default(seek->world->recipe);
    tile_key_vary(key, seek->world->recipe);
    CHECK(tile_key_finish(key) == TILE_FINE);
}

void seek_give(struct seek *seek, size_t index, struct blob *blob)
{
    struct blob **at = &seek->blob[seek->had * layers_of(seek) + index];
    CHECK(index < seek_wants(seek) && !*at);
    *at = blob;
}

/* The same thing was seen by two stages: by its id, or so near to each other that the coarser one could not tell them apart. */
static bool is_same(const struct seek *seek, const struct seek_hit *a, const struct seek_hit *b)
{
    if (*a->id)
        return strcmp(a->id, b->id) == 0;
    const double x = a->x_m - b->x_m, y = a->y_m - b->y_m;
    const double apart_m =
        a->seen == b->seen ? 0 : SEEK_AROUND * seek_step_m(seek, a->seen > b->seen ? a->seen : b->seen);
    return x * x + y * y <= apart_m * apart_m;
}

/* The group has been followed to the first level. */
static void accept(struct seek *seek)
{
    for (size_t k = seek->first; k < seek->last; k++) {
        bool known = false;
        for (size_t r = 0; r < seek->results; r++)
            known = known || is_same(seek, &seek->hit[k], &seek->result[r]);
        if (!known)
            seek_insert(seek->result, &seek->results, (size_t)seek->question.limit, &seek->hit[k]);
    }
    seek->first = seek->last;
}

/* The next of the stage's hits: as many as are still wanted, and more where others were lost. false: there are none. */
static bool take_group(struct seek *seek)
{
    const size_t wanted = (size_t)seek->question.limit - seek->results;
    if (wanted == 0 || seek->first == seek->hits || seek->tries == SEEK_TRIES)
        return false;
    seek->last = seek->first + wanted + 2 * seek->tries++;
    seek->last = seek->last < seek->hits ? seek->last : seek->hits;
    seek->followed_m = seek->hit[seek->last - 1].distance_m;
    return true;
}

/* Where there is more than was followed, or may be, only what is nearer is known. */
static void end_stage(struct seek *seek)
{
    const double reach_m = seek_reach_m(seek);
    const bool more = seek->first < seek->hits || seek->partial;
    seek->stage[seek->at].reach_m = more && seek->followed_m < reach_m ? seek->followed_m : reach_m;
}

/* Goes on with the stage's next group, or with what of the stage was not looked at, or with the next stage; or ends. */
static void go_on(struct seek *seek)
{
    seek->tiles = seek->had = 0;
    while (take_group(seek)) {
        seek->follows = seek->at;
        if (seek_follow_down(seek))
            return;
        accept(seek);
    }
    const bool more = seek->results < (size_t)seek->question.limit;
    if (more && seek->partial) {
        seek->partial = false;
        seek->again = true;
        seek_look(seek, true);
        return;
    }
    end_stage(seek);
    if (more && !seek_is_last(seek)) {
        seek->at++;
        begin_stage(seek);
    }
}

/* Looks at the tiles that there are. Returns 1 where it takes more of the stage's to know what is nearest, 0, or -1 when memory is short. */
static int look(struct seek *seek)
{
    const size_t wanted = (size_t)seek->question.limit - seek->results;
    if (seek_find(seek) != 0)
        return -1;
    if (seek->tiles == seek->all) {
        if (seek->again) /* those that lead have been followed */
            seek->first = seek->last = seek->tried < seek->hits ? seek->tried : seek->hits;
        return 0;
    }
    if (seek_sure(seek) < wanted) {
        seek->had = seek->tiles;
        seek->tiles = 2 * seek->tiles < seek->all ? 2 * seek->tiles : seek->all;
        return 1;
    }
    seek->partial = true;
    seek->hits = seek->tried = wanted;
    return 0;
}

/* Lets go of the tiles of weights that came: of each it keeps what it wants to know. -1: memory is short. */
static int weigh(struct seek *seek, size_t end)
{
    for (size_t t = seek->had; t < end; t++) {
        struct blob *weights = seek->blob[t];
        seek->blob[t] = seek_ground_weigh(&seek->question, seek->world->recipe, seek->layer[0], weights);
        blob_release(weights);
        if (!seek->blob[t])
            return -1;
    }
    seek->had = end;
    return 0;
}

static int step(struct seek *seek)
{
    const bool looked = seek->follows == seek->at && !seek->naming;
    if (weighs(seek) && weigh(seek, seek->had + tiles_wanted(seek)) != 0)
        return -1;
    if (weighs(seek) && seek->had < seek->tiles)
        return 0;
    int error = seek->naming ? seek_name_results(seek) : looked ? look(seek) : seek_refine(seek);
    if (error > 0)
        return 0;
    drop_blobs(seek);
    if (error)
        return -1;
    if (seek->naming) {
        seek->tiles = 0;
        return 0;
    }
    if (!looked) {
        if (seek_follow_down(seek))
            return 0;
        accept(seek);
    }
    go_on(seek);
    if (seek->tiles == 0)
        seek_begin_naming(seek);
    return 0;
}

/* Begins to look; or ends, since all that could be looked at is far under the sea. */
static void end_sounding(struct seek *seek, bool deep)
{
    drop_blobs(seek);
    seek->sounding = false;
    if (!deep) {
        begin_stage(seek);
        return;
    }
    seek->tiles = seek->had = 0;
    for (seek->at = 0; !seek_is_last(seek); seek->at++)
        end_stage(seek);
    end_stage(seek);
}

int seek_step(struct seek *seek)
{
    int error = 0;
    if (seek->sounding) {
        const enum seek_depth depth = seek_sound(seek);
        if (depth != SEEK_UNKNOWN)
            end_sounding(seek, depth == SEEK_DEEP);
    } else {
        error = step(seek);
    }
    seek_look_ahead(seek);
    return error;
}
