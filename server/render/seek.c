/*
 * The search: which levels are looked at, and what is followed down to the first of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "seek_parts.h"

enum {
    SIDE = TERRANE_TILE_SAMPLES,
    STRIDE = 3,         /* levels from one that is looked at to the next */
    AROUND = 2,         /* samples of the coarser level that a place may lie off on the finer one */
    PROMINENCE = 64,    /* of how high land may be, the part that makes a peak */
    LAKE_SAMPLES = 256, /* that a lake has, or up to four times as many, on the level asked for its name */
    LAKE_FINER = 2      /* levels that this one is finer at most: finer ground is dear */
};

struct stage {
    int level;
    int across; /* tiles; the place lies within half a tile of their middle */
};

struct seek {
    const struct terrane_world *world;
    struct tile_key key;
    struct find_question question;
    double x_m, y_m;
    enum tile_layer layer[SEEK_LAYERS];
    size_t layers;
    struct stage stage[SEEK_STAGES];
    int stages, at;  /* the one that is under way */
    int follows;     /* the stage that hits are followed to; at: they are looked for */
    double looked_m; /* how far everything has been seen */

    int tile_level[SEEK_TILES];
    int64_t tile_x[SEEK_TILES], tile_y[SEEK_TILES];
    size_t tiles; /* wanted, of each layer; 0: it has ended */
    struct blob *blob[SEEK_WANTS];

    struct seek_hit hit[SEEK_HITS]; /* of the stage, nearest first */
    size_t hits, first, last;       /* first .. last - 1 are being followed */
    size_t tries;                   /* groups so far */
    struct seek_hit
        far[SEEK_HITS]; /* what lies beyond where the stages so far see everything, nearest first */
    size_t fars;
    struct seek_hit result[FIND_LIMIT_MAX];
    size_t results;
    bool naming; /* the results' tiles of lines or areas are wanted */
};

/* ---- Begin and end ------------------------------------------------------------------------------------- */

static void add_stage(struct seek *seek, int level, int across)
{
    seek->stage[seek->stages++] = (struct stage){level, across};
}

static void plan_stages(struct seek *seek, int level)
{
    const struct terrane_recipe *recipe = seek->world->recipe;
    const bool cave = seek->question.what == FIND_CAVE, listed = find_row[seek->question.what].listed,
               flows = find_row[seek->question.what].layers >> LAYER_RIVER & 1;
    const int max = flows ? recipe->rivers.top : FIND_LEVEL_MAX; /* there are no rivers above */
    level = level < max ? level : max;
    if (cave) {
        add_stage(seek, recipe->caves.level, 1);
        add_stage(seek, recipe->caves.level, 2);
        add_stage(seek, recipe->caves.level + TERRANE_CAVES_COARSER, 2);
    } else if (listed) {
        add_stage(seek, recipe->paths.level, 1);
        add_stage(seek, recipe->paths.level, 2);
        add_stage(seek, recipe->paths.level, 4);
    }
    for (; !cave && !listed && level <= max && seek->stages < SEEK_STAGES; level += STRIDE)
        add_stage(seek, level, 2);
}

static void plan_layers(struct seek *seek)
{
    const struct find_row *row = &find_row[seek->question.what];
    for (int l = 0; l < LAYERS; l++) {
        const bool optional = row->optional >> l & 1;
        if ((row->layers >> l & 1) || (optional && tile_layer_is_in(seek->world->recipe, (enum tile_layer)l)))
            seek->layer[seek->layers++] = (enum tile_layer)l;
    }
}

static double step_m(const struct seek *seek, int level)
{
    return terrane_lattice_m(seek->world, level, 1);
}

/* The first of the stage's tiles along an axis: their middle is as near to a place as can be. */
static int64_t first_tile(const struct seek *seek, const struct stage *stage, double at_m)
{
    const int before = stage->across / 2;
    const int64_t min = -TERRANE_TILE_LIMIT, max = TERRANE_TILE_LIMIT - stage->across;
    const double to_middle = stage->across % 2 == 0 ? 0.5 : 0;
    const int64_t first = (int64_t)floor(at_m / (SIDE * step_m(seek, stage->level)) + to_middle) - before;
    return first < min ? min : first > max ? max : first;
}

/* From a place to the nearer end of the stage's tiles along an axis. */
static double to_end_m(const struct seek *seek, const struct stage *stage, double at_m)
{
    const int64_t first = first_tile(seek, stage, at_m) * SIDE;
    const double before = at_m - terrane_lattice_m(seek->world, stage->level, first),
                 behind = terrane_lattice_m(seek->world, stage->level, first + stage->across * SIDE) - at_m;
    return before < behind ? before : behind;
}

/* How far from its place a stage sees everything. */
static double reach_m(const struct seek *seek, const struct stage *stage)
{
    const double across = to_end_m(seek, stage, seek->x_m), along = to_end_m(seek, stage, seek->y_m);
    return across < along ? across : along;
}

/* Wants the tiles of the stage. */
static void look(struct seek *seek)
{
    const struct stage *stage = &seek->stage[seek->at];
    const int64_t x = first_tile(seek, stage, seek->x_m), y = first_tile(seek, stage, seek->y_m);
    seek->follows = seek->at;
    seek->hits = seek->first = seek->last = seek->tries = 0;
    seek->tiles = 0;
    for (int j = 0; j < stage->across; j++)
        for (int i = 0; i < stage->across; i++) {
            seek->tile_level[seek->tiles] = stage->level;
            seek->tile_x[seek->tiles] = x + i;
            seek->tile_y[seek->tiles++] = y + j;
        }
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
    plan_stages(seek, level);
    plan_layers(seek);
    CHECK(seek->stages > 0 && seek->layers > 0);
    look(seek);
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

size_t seek_wants(const struct seek *seek)
{
    return seek->tiles * seek->layers;
}

void seek_key(const struct seek *seek, size_t index, struct tile_key *key)
{
    const size_t tile = index / seek->layers;
    *key = seek->key;
    key->level = seek->tile_level[tile];
    key->x = seek->tile_x[tile];
    key->y = seek->tile_y[tile];
    key->layer = seek->layer[index % seek->layers];
    key->format = seek->naming || find_row[seek->question.what].listed ? FORMAT_GEOJSON : FORMAT_F32;
    key->variant = tile_variant_default(seek->world->recipe);
    tile_key_vary(key, seek->world->recipe);
    CHECK(tile_key_finish(key) == TILE_FINE);
}

void seek_give(struct seek *seek, size_t index, struct blob *blob)
{
    CHECK(index < seek_wants(seek) && !seek->blob[index]);
    seek->blob[index] = blob;
}

/* All layers of a wanted tile, so many of its rows and columns, into ground. */
static void read_tile(const struct seek *seek, size_t tile, int samples, struct seek_ground *ground, int x,
                      int y)
{
    for (size_t l = 0; l < seek->layers; l++)
        seek_ground_read(ground, &seek->question, seek->world->recipe, seek->layer[l],
                         seek->blob[tile * seek->layers + l]->data, samples, x, y);
}

/* ---- Hits ---------------------------------------------------------------------------------------------- */

static void place_hit(const struct seek *seek, struct seek_hit *hit)
{
    const double x = hit->x_m - seek->x_m, y = hit->y_m - seek->y_m;
    hit->distance_m = sqrt(x * x + y * y);
}

static void place_sample(const struct seek *seek, struct seek_hit *hit)
{
    hit->x_m = terrane_lattice_m(seek->world, hit->level, hit->gi);
    hit->y_m = terrane_lattice_m(seek->world, hit->level, hit->gj);
    place_hit(seek, hit);
}

/* The nearest comes first; of those that are as far, the most northern, and of them the most western one. */
static bool comes_before(const struct seek_hit *a, const struct seek_hit *b)
{
    if (a->distance_m < b->distance_m || a->distance_m > b->distance_m)
        return a->distance_m < b->distance_m;
    return a->y_m < b->y_m || (a->y_m <= b->y_m && a->x_m < b->x_m);
}

/* Puts a hit in its place among the nearest. */
static void insert(struct seek_hit *list, size_t *count, size_t max, const struct seek_hit *hit)
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

static bool is_last(const struct seek *seek)
{
    return seek->at + 1 == seek->stages;
}

/* A hit counts where the stage sees everything, and no stage before it did. What lies beyond waits for the stage that sees what else is as near. */
static void add_hit(struct seek *seek, const struct seek_hit *hit)
{
    if (!is_last(seek) && hit->distance_m > reach_m(seek, &seek->stage[seek->at]))
        insert(seek->far, &seek->fars, SEEK_HITS, hit);
    else if (seek->at == 0 || hit->distance_m > seek->looked_m)
        insert(seek->hit, &seek->hits, SEEK_HITS, hit);
}

/* What finer stages saw beyond where they see everything, and this one does. */
static void take_far(struct seek *seek)
{
    const double reach = reach_m(seek, &seek->stage[seek->at]);
    size_t taken = 0;
    while (taken < seek->fars && (is_last(seek) || seek->far[taken].distance_m <= reach))
        insert(seek->hit, &seek->hits, SEEK_HITS, &seek->far[taken++]);
    seek->fars -= taken;
    memmove(seek->far, seek->far + taken, seek->fars * sizeof *seek->far);
}

static void add_place(void *context, const struct seek_hit *place)
{
    struct seek *seek = context;
    struct seek_hit hit = *place;
    hit.level = hit.seen = seek->stage[seek->at].level;
    place_hit(seek, &hit);
    for (size_t k = 0; k < seek->hits; k++)
        if (strcmp(seek->hit[k].id, hit.id) == 0) /* another tile has it, too */
            return;
    add_hit(seek, &hit);
}

struct look {
    struct seek *seek;
    const struct seek_ground *ground;
};

static void add_sample(void *context, int i, int j, double measure)
{
    const struct look *look = context;
    struct seek *seek = look->seek;
    const int level = seek->stage[seek->at].level;
    const size_t at = (size_t)j * (size_t)look->ground->side + (size_t)i;
    const double side_m = step_m(seek, level);
    struct seek_hit hit = {.gi = seek->tile_x[0] * SIDE + i,
                           .gj = seek->tile_y[0] * SIDE + j,
                           .level = level,
                           .seen = level,
                           .height_m = (double)look->ground->height[at],
                           .measure = measure};
    if (find_row[seek->question.what].area)
        hit.measure = measure * side_m * side_m;
    else if (seek->question.what != FIND_PEAK)
        hit.measure = (double)look->ground->flow[at];
    place_sample(seek, &hit);
    add_hit(seek, &hit);
}

static int find_hits(struct seek *seek)
{
    const struct stage *stage = &seek->stage[seek->at];
    const struct terrane_recipe *recipe = seek->world->recipe;
    const enum find_what what = seek->question.what;
    struct seek_ground ground;
    if (find_row[what].listed) {
        for (size_t t = 0; t < seek->tiles; t++)
            if (seek_places(seek->blob[t]->data, seek->blob[t]->bytes, what == FIND_TOWN, add_place, seek) !=
                0)
                return -1;
        return 0;
    }
    if (seek_ground_make(&ground, stage->across * SIDE) != 0)
        return -1;
    for (size_t t = 0; t < seek->tiles; t++)
        read_tile(seek, t, SIDE, &ground, (int)t % stage->across * SIDE, (int)t / stage->across * SIDE);
    const double side_m = step_m(seek, stage->level);
    struct look look = {seek, &ground};
    int error;
    if (what == FIND_PEAK) {
        error = seek_peaks(&ground, recipe->sea_m, (recipe->high_m - recipe->sea_m) / PROMINENCE, add_sample,
                           &look);
    } else {
        seek_ground_mark(&ground, what, recipe->sea_m);
        error = seek_parts(&ground, seek->x_m / side_m - (double)(seek->tile_x[0] * SIDE),
                           seek->y_m / side_m - (double)(seek->tile_y[0] * SIDE), add_sample, &look);
    }
    seek_ground_free(&ground);
    return error;
}

/* ---- Following ----------------------------------------------------------------------------------------- */

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
static size_t want_tile(struct seek *seek, int level, int64_t x, int64_t y)
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

static void follow(struct seek *seek)
{
    const int level = seek->stage[--seek->follows].level;
    seek->tiles = 0;
    for (size_t k = seek->first; k < seek->last; k++) {
        struct seek_hit *hit = &seek->hit[k];
        hit->tile = SEEK_TILES;
        if (hit->level <= level)
            continue;
        hit->gi *= INT64_C(1) << (hit->level - level);
        hit->gj *= INT64_C(1) << (hit->level - level);
        hit->level = level;
        if (is_beyond(hit->gi >> 8) ||
            is_beyond(hit->gj >> 8)) { /* a coarser level's last tiles reach further */
            hit->level = -1;
            continue;
        }
        hit->tile = want_tile(seek, level, hit->gi >> 8, hit->gj >> 8);
    }
    drop_lost(seek);
}

/* The next tiles that the group is followed to; false: it has come to the first stage. */
static bool follow_down(struct seek *seek)
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
              finer = seek->stage[seek->follows + 1].level - hit->level, reach = AROUND << finer;
    const bool peak = seek->question.what == FIND_PEAK;
    double best = 0;
    int found = -1;
    for (int j = limited(row - reach, SIDE); j <= limited(row + reach, SIDE); j++)
        for (int i = limited(column - reach, SIDE); i <= limited(column + reach, SIDE); i++) {
            const int at = j * ground->side + i;
            const double off = (double)((i - column) * (i - column) + (j - row) * (j - row));
            const double score = peak ? -(double)ground->height[at] : off;
            if ((peak ? ground->height[at] > seek->world->recipe->sea_m : ground->is[at] != 0) &&
                (found < 0 || score < best)) {
                best = score;
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
    place_sample(seek, hit);
    return true;
}

/* Refines the group's hits in one tile; drops those that are not there. */
static int refine_tile(struct seek *seek, size_t tile)
{
    struct seek_ground ground;
    if (seek_ground_make(&ground, SIDE + 1) != 0)
        return -1;
    read_tile(seek, tile, SIDE + 1, &ground, 0, 0);
    if (seek->question.what != FIND_PEAK)
        seek_ground_mark(&ground, seek->question.what, seek->world->recipe->sea_m);
    for (size_t k = seek->first; k < seek->last; k++) {
        struct seek_hit *hit = &seek->hit[k];
        if (hit->tile == tile && !refine(seek, &ground, hit))
            hit->level = -1;
    }
    seek_ground_free(&ground);
    return 0;
}

/* ---- Step by step -------------------------------------------------------------------------------------- */

/* The same thing was seen by two stages: so near to each other that the coarser one could not tell them apart. */
static bool is_same(const struct seek *seek, const struct seek_hit *a, const struct seek_hit *b)
{
    const double x = a->x_m - b->x_m, y = a->y_m - b->y_m;
    const double apart_m =
        a->seen == b->seen ? 0 : AROUND * step_m(seek, a->seen > b->seen ? a->seen : b->seen);
    return strcmp(a->id, b->id) == 0 && x * x + y * y <= apart_m * apart_m;
}

/* The group has been followed to the first level. */
static void accept(struct seek *seek)
{
    for (size_t k = seek->first; k < seek->last; k++) {
        bool known = false;
        for (size_t r = 0; r < seek->results; r++)
            known = known || is_same(seek, &seek->hit[k], &seek->result[r]);
        if (!known)
            insert(seek->result, &seek->results, (size_t)seek->question.limit, &seek->hit[k]);
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
    return true;
}

/* Goes on with the stage's next group, or with the next stage; or ends. */
static void go_on(struct seek *seek)
{
    seek->tiles = 0;
    while (take_group(seek)) {
        seek->follows = seek->at;
        if (follow_down(seek))
            return;
        accept(seek);
    }
    seek->looked_m = reach_m(seek, &seek->stage[seek->at]);
    if (seek->results < (size_t)seek->question.limit && !is_last(seek)) {
        seek->at++;
        look(seek);
    }
}

/* The level whose tile is asked for a lake's name: those far finer have parts of it, and those far coarser do not name it. */
static int naming_level(const struct seek *seek, const struct seek_hit *lake)
{
    int level = lake->level > LAKE_FINER ? lake->level - LAKE_FINER : 0;
    while (level < seek->world->recipe->rivers.top &&
           lake->measure >= 4 * LAKE_SAMPLES * step_m(seek, level) * step_m(seek, level))
        level++;
    return level;
}

/* The tile, 2^by samples wide, of a sample; of one beyond the last tile that. */
static int64_t tile_at(int64_t g, int by)
{
    const int64_t tile = by > 0 ? g >> by : g * (INT64_C(1) << -by), most = TERRANE_TILE_LIMIT - 1;
    return tile < -most - 1 ? -most - 1 : tile > most ? most : tile;
}

/* Wants the tiles of lines or areas that the results lie in, where those have names. */
static void begin_naming(struct seek *seek)
{
    const enum find_what what = seek->question.what;
    const bool lake = what == FIND_LAKE;
    if ((!lake && what != FIND_RIVER && what != FIND_MOUTH) || seek->world->recipe->rivers.top == 0)
        return;
    seek->naming = seek->results > 0;
    seek->layer[0] = lake ? LAYER_WATER : LAYER_RIVER;
    seek->layers = 1;
    for (size_t k = 0; k < seek->results; k++) {
        struct seek_hit *hit = &seek->result[k];
        const int level = lake ? naming_level(seek, hit) : hit->level, by = level - hit->level + 8;
        hit->tile = want_tile(seek, level, tile_at(hit->gi, by), tile_at(hit->gj, by));
    }
}

static int name_waters(struct seek *seek)
{
    const bool lake = seek->question.what == FIND_LAKE;
    int error = 0;
    for (size_t k = 0; k < seek->results && error == 0; k++) {
        struct seek_hit *hit = &seek->result[k];
        const struct blob *blob = seek->blob[hit->tile];
        const int level = seek->tile_level[hit->tile];
        const double near_m = AROUND * step_m(seek, level > hit->level ? level : hit->level);
        error =
            (lake ? lake_near : river_near)(blob->data, blob->bytes, hit->x_m, hit->y_m, near_m, &hit->water);
    }
    drop_blobs(seek);
    seek->tiles = 0;
    return error;
}

int seek_step(struct seek *seek)
{
    if (seek->naming)
        return name_waters(seek);
    const bool looked = seek->follows == seek->at;
    int error = looked ? find_hits(seek) : 0;
    for (size_t t = 0; !looked && t < seek->tiles && error == 0; t++)
        error = refine_tile(seek, t);
    drop_blobs(seek);
    if (error)
        return -1;
    if (looked) {
        take_far(seek);
    } else {
        drop_lost(seek);
        if (follow_down(seek))
            return 0;
        accept(seek);
    }
    go_on(seek);
    if (seek->tiles == 0)
        begin_naming(seek);
    for (size_t k = 0;
         seek->tiles == 0 && seek->question.what == FIND_PEAK && k < seek->results && error == 0; k++)
        error = seek_name_peak(seek->world, &seek->result[k]);
    return error;
}

void seek_answer(const struct seek *seek, struct seek_answer *answer)
{
    *answer = (struct seek_answer){.result = seek->result,
                                   .results = seek->results,
                                   .question = &seek->question,
                                   .recipe = seek->world->recipe,
                                   .x_m = seek->x_m,
                                   .y_m = seek->y_m,
                                   .reach_m = seek->looked_m,
                                   .finest = seek->stage[0].level,
                                   .coarsest = seek->stage[seek->at].level};
}
