/*
 * GET /path/{seed} and /river/{seed}: the lines of paths, or of rivers, that run through a window, as GeoJSON.
 *
 *     window ──► the tiles of their level that cover it ──gather──► read ──► path_lines ──► one collection
 *
 * Which lines there are does not depend on how tiles lie: one that runs through the window runs through one of these tiles.
 * Reading a tile takes milliseconds, and so does writing the collection: the pool's workers do both, in the client's turn, and
 * the thread that answers only sends. The answer is made whole, so its length is known.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../encode/coding.h"
#include "gather.h"
#include "guard.h"
#include "path_lines.h"

enum {
    TILE_LOG2 = 8,    /* samples of a tile */
    PATH_VERSION = 4, /* rises when what is made of tiles changes */
    TILES_MAX = 64,
    TILES_AHEAD = 4,
    TILE_BYTES = 512 << 10,     /* of a tile that waits: the densest network's have less */
    RIVER_TILE_BYTES = 2 << 20, /* ... and the densest rivers' */
    LINES_BYTES = 384 << 10,    /* of lines, for each tile: many come with its neighbours, too */
    RIVER_LINES_BYTES = 832 << 10,
    LINES_FIXED =
        512 << 10, /* ... and besides: those of one tile alone may be more, where numbers are long */
    RIVER_LINES_FIXED = RIVER_TILE_BYTES, /* a window on one tile has its lines */
    WHY_BYTES = 200,
    FIXED_BYTES = 128 << 10,
    CODED_MAX = 4 << 20, /* longer answers are sent as they are */
};
_Static_assert(FIXED_BYTES + RIVER_TILE_BYTES * TILES_AHEAD + RIVER_LINES_FIXED +
                       1ull * RIVER_LINES_BYTES * TILES_MAX <=
                   STREAM_BYTES_MAX,
               "what is held between turns: tiles that wait, and lines, or the answer made of them");

/* Tiles of the lines' level: first .. last along each axis; none where last is below first. */
struct cover {
    int64_t first_x, last_x, first_y, last_y;
};

struct work {
    struct tile_key key; /* of its tiles */
    bool rivers;
    struct cover cover;
    size_t tiles, tiles_read;
    enum tile_coding coding; /* asked for; of the text: what it has */
    struct path_lines *lines;

    /* Between request_sleep and the wake a worker's. */
    struct blob *blob; /* to be read */
    enum path_lines_result read;
    unsigned char *text; /* the answer, owned; NULL: not written, or memory was short */
    size_t bytes;
};

static void work_free(void *context)
{
    struct work *work = context;
    path_lines_free(work->lines);
    blob_release(work->blob);
    free(work->text);
    free(work);
}

/* ---- What is asked for --------------------------------------------------------------------------------- */

/* floor(sample * 2^shift), within the tiles that there are and one beyond. */
static int64_t scaled(int64_t sample, int shift)
{
    const int64_t max = TERRANE_TILE_LIMIT;
    if (shift <= 0)
        return sample >> (-shift < 62 ? -shift : 62);
    if (sample >= max >> shift)
        return max;
    return sample < -max >> shift ? -max - 1 : sample * (INT64_C(1) << shift);
}

/* The tiles under samples begin .. begin + count - 1 of a level that is up levels above the tiles' own samples. around: and
 * those whose lines may come by, since they end up to two of the tiles' samples beyond. */
static void cover_axis(int64_t begin, int count, int up, bool around, int64_t *first, int64_t *last)
{
    const int shift = up - TILE_LOG2, by = around && shift <= 0 ? up < 0 ? 2 << -up : 2 : 0;
    *first = scaled(begin - by, shift) - (around && shift > 0);
    *last = shift > 0 ? scaled(begin + count, shift) - 1 + around : scaled(begin + count - 1 + by, shift);
    *first = *first < -TERRANE_TILE_LIMIT ? -TERRANE_TILE_LIMIT : *first;
    *last = *last >= TERRANE_TILE_LIMIT ? TERRANE_TILE_LIMIT - 1 : *last;
}

static size_t cover_tiles(const struct cover *cover)
{
    const int64_t across = cover->last_x - cover->first_x + 1, down = cover->last_y - cover->first_y + 1;
    return across <= 0 || down <= 0 ? 0 : (size_t)(across * down);
}

/* The level whose tiles have the lines. */
static int level_of(const struct terrane_recipe *recipe, bool rivers, int lod)
{
    const struct terrane_rivers *of = &recipe->rivers;
    if (!rivers)
        return recipe->paths.level;
    return lod < of->bottom ? of->bottom : lod > of->top ? of->top : lod;
}

/* World, key and tiles; true where it was answered: there is no such window. */
static bool resolve_window(struct request *request, struct work *work, enum MHD_Result *result)
{
    static const int64_t limit = TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES;
    struct target *target = &request->target;
    const struct target_window *window = &target->window;
    const struct terrane_recipe *recipe = &target->recipe->world;
    const int lod = target->key.level;
    work->rivers = target->route == ROUTE_RIVER;
    target->key.level = level_of(recipe, work->rivers, lod);
    if (route_tiles_resolve(request, work->rivers ? LAYER_RIVER : LAYER_PATH, FORMAT_GEOJSON, result))
        return true;
    work->key = target->key;
    target->key.level = lod;
    request->vary_coding = request->service->compression;
    if (request->vary_coding)
        work->coding = request_coding(request);
    if (window->x0 + window->width > limit)
        *result = reply_problem(request, 404, "w",
                                "the world's samples end before the window does, to the east", 0);
    else if (window->y0 + window->height > limit)
        *result = reply_problem(request, 404, "h",
                                "the world's samples end before the window does, to the south", 0);
    else
        return false;
    return true;
}

/* The lines that one answer holds. */
static size_t lines_max(const struct work *work)
{
    return work->rivers ? RIVER_LINES_FIXED + work->tiles * RIVER_LINES_BYTES
                        : LINES_FIXED + work->tiles * LINES_BYTES;
}

static const char *lines_name(const struct work *work)
{
    return work->rivers ? "rivers" : "paths";
}

/* The query of coarser rivers of the same ground, of at most `side` samples a side; nothing where there are none. */
static void tell_coarser(const struct request *request, const struct work *work, int side,
                         char text[static WHY_BYTES])
{
    const struct target_window *window = &request->target.window;
    const int top = work->rivers ? request->world.recipe->rivers.top : 0;
    text[0] = '\0';
    for (int level = work->key.level + 1; level <= top; level++) {
        const int up = level - request->target.key.level;
        const int64_t x0 = window->x0 >> up, y0 = window->y0 >> up,
                      width = ((window->x0 + window->width - 1) >> up) - x0 + 1,
                      height = ((window->y0 + window->height - 1) >> up) - y0 + 1;
        if (width > side || height > side)
            continue;
        snprintf(text, WHY_BYTES,
                 ", or for coarser rivers: lod=%d&x0=%" PRId64 "&y0=%" PRId64 "&w=%" PRId64 "&h=%" PRId64,
                 level, x0, y0, width, height);
        return;
    }
}

/* Says what the window has too much of, and what to ask for: windows of side x side samples of the lines' level fit. */
static enum MHD_Result refuse_window(struct request *request, const struct work *work, const char *parameter,
                                     const char *much, int side)
{
    char coarser[WHY_BYTES], why[3 * WHY_BYTES];
    tell_coarser(request, work, side, coarser);
    snprintf(why, sizeof why, "%s; ask for a smaller window, as of %d x %d samples of lod %d%s", much, side,
             side, work->key.level, coarser);
    return reply_problem(request, 413, parameter, why, 0);
}

static enum MHD_Result refuse_tiles(struct request *request, const struct work *work)
{
    const struct target_window *window = &request->target.window;
    char much[WHY_BYTES];
    snprintf(much, sizeof much,
             "the window is over %zu tiles of lod %d, whose %s these are: allowed at most %d", work->tiles,
             work->key.level, lines_name(work), TILES_MAX);
    return refuse_window(request, work, window->width >= window->height ? "w" : "h", much,
                         (work->rivers ? 6 : 7) * TERRANE_TILE_SAMPLES);
}

static enum MHD_Result refuse_lines(struct request *request, const struct work *work)
{
    char much[WHY_BYTES];
    snprintf(much, sizeof much,
             "there are over %zu %s in %zu of the window's %zu tiles of lod %d: allowed at most %zu bytes",
             path_lines_count(work->lines), lines_name(work), work->tiles_read, work->tiles, work->key.level,
             lines_max(work));
    return refuse_window(request, work, "w", much, TERRANE_TILE_SAMPLES);
}

/* Which tiles; true where it was answered: too many, or not on the map. */
static bool survey(struct request *request, struct work *work, enum MHD_Result *result)
{
    const struct target *target = &request->target;
    const struct target_window *window = &target->window;
    const struct terrane_world *world = &request->world;
    const struct terrane_recipe *recipe = world->recipe;
    const int lod = target->key.level, level = work->key.level, up = lod - level;
    const bool rivers = work->rivers;
    const struct path_window ground = {
        .west_m = terrane_lattice_m(world, lod, window->x0),
        .north_m = terrane_lattice_m(world, lod, window->y0),
        .east_m = terrane_lattice_m(world, lod, window->x0 + window->width),
        .south_m = terrane_lattice_m(world, lod, window->y0 + window->height),
    };
    const double half_m = web_map_half_m(recipe->spacing_m);
    if (target->geographic && (ground.west_m < -half_m || ground.north_m < -half_m ||
                               ground.east_m > half_m || ground.south_m > half_m)) {
        char why[160];
        snprintf(why, sizeof why,
                 "the window leaves the web map, which alone has longitudes: allowed %.17g to %.17g m",
                 -half_m, half_m);
        *result = reply_problem(request, 404, "crs", why, 0);
        return true;
    }
    if (rivers ? recipe->rivers.top > 0 : recipe->paths.width_m > 0) {
        cover_axis(window->x0, window->width, up, rivers, &work->cover.first_x, &work->cover.last_x);
        cover_axis(window->y0, window->height, up, rivers, &work->cover.first_y, &work->cover.last_y);
        work->tiles = cover_tiles(&work->cover);
    }
    if (work->tiles > TILES_MAX) {
        *result = refuse_tiles(request, work);
        return true;
    }
    work->lines = path_lines_create(&ground, target->geographic ? PATH_AXES_GEOGRAPHIC : PATH_AXES_WORLD,
                                    recipe->spacing_m, lines_max(work));
    if (work->lines)
        return false;
    *result = reply_unmade(request, POOL_FAILED);
    return true;
}

/* Names the answer's bytes: a tile of that kind, the window, what is made of both, and of a coding its version. */
static void make_etag(struct request *request, const struct work *work)
{
    const struct target *target = &request->target;
    const struct target_window *window = &target->window;
    struct tile_key key = work->key;
    char text[240];
    key.x = key.y = 0;
    const struct digest tile = tile_key_digest(&key, &request->world);
    const int bytes = snprintf(
        text, sizeof text, "%s %d %016" PRIx64 "%016" PRIx64 " %d %" PRId64 " %" PRId64 " %d %d %d %d %.40s",
        work->rivers ? "river" : "path", PATH_VERSION, tile.high, tile.low, target->key.level, window->x0,
        window->y0, window->width, window->height, (int)target->geographic, (int)work->coding,
        coding_version(work->coding));
    etag_of(request->etag, text, (size_t)bytes, request_moment(request));
}

static void key_of(const void *context, size_t index, struct tile_key *key, struct terrane_world *world)
{
    (void)world;
    const struct work *work = context;
    const size_t across = (size_t)(work->cover.last_x - work->cover.first_x + 1);
    *key = work->key;
    key->x = work->cover.first_x + (int64_t)(index % across);
    key->y = work->cover.first_y + (int64_t)(index / across);
}

/* ---- Workers' part ------------------------------------------------------------------------------------- */

static void read_tile(struct waiter *waiter)
{
    struct work *work = request_of(waiter)->work;
    work->read = path_lines_add(work->lines, work->blob->data, work->blob->bytes);
    work->tiles_read++;
    blob_release(work->blob);
    work->blob = NULL;
}

static void write_text(struct waiter *waiter)
{
    struct work *work = request_of(waiter)->work;
    unsigned char *text = (unsigned char *)path_lines_text(work->lines, &work->bytes);
    path_lines_free(work->lines);
    work->lines = NULL;
    work->coding = text && work->bytes <= CODED_MAX ? coding_apply_over(work->coding, &text, &work->bytes)
                                                    : CODING_IDENTITY;
    work->text = text;
}

/* ---- Replies ------------------------------------------------------------------------------------------- */

static enum MHD_Result reply_lines(struct request *request)
{
    struct work *work = request->work;
    const enum pool_outcome outcome = request->waiter.outcome;
    if (outcome != POOL_DONE || !work->text)
        return gather_give_up(request, outcome == POOL_DONE ? POOL_FAILED : outcome);
    struct MHD_Response *response = reply_coded_as(request, work->text, work->bytes, work->coding);
    work->text = NULL;
    return reply_own(request, MHD_HTTP_OK, response, response != NULL);
}

static enum MHD_Result go_on(struct request *request);

/* A tile has been read. */
static enum MHD_Result note_read(struct request *request)
{
    struct work *work = request->work;
    if (request->waiter.outcome != POOL_DONE)
        return gather_give_up(request, request->waiter.outcome);
    switch (work->read) {
    case PATH_LINES_FINE:
        return go_on(request);
    case PATH_LINES_MANY:
        gather_drop(request->gather);
        guard_give_back(request, BUCKET_TILES, 0);
        return refuse_lines(request, work);
    case PATH_LINES_BAD: /* not of what fits its key (tile_fits.c) */
        gather_drop(request->gather);
        guard_give_back(request, BUCKET_TILES, 0);
        return reply_problem(request, 503, NULL, "A tile of the lines cannot be read; try again shortly.", 2);
    case PATH_LINES_MEMORY:
        break;
    }
    return gather_give_up(request, POOL_FAILED);
}

/* Called until all tiles have come. */
static enum MHD_Result go_on(struct request *request)
{
    struct work *work = request->work;
    struct gather_item item;
    enum MHD_Result result;
    request->woken = go_on;
    switch (gather_next(request, &item, &result)) {
    case GATHER_ITEM:
        work->blob = item.blob;
        return request_run(request, read_tile, note_read);
    case GATHER_END:
        return request_run(request, write_text, reply_lines);
    case GATHER_WAIT:
        break;
    }
    return result;
}

/* ---- The route ----------------------------------------------------------------------------------------- */

static enum MHD_Result begin(struct request *request)
{
    struct work *work = request->work;
    enum MHD_Result result;
    if (work->tiles == 0)
        return guard_take(request, BUCKET_TILES, 1, &result) ? result
                                                             : request_run(request, write_text, reply_lines);
    const struct gather_plan plan = {
        .count = work->tiles, .key_of = key_of, .context = work, .ahead = TILES_AHEAD, .whole = true};
    const uint64_t tile_bytes = work->rivers ? RIVER_TILE_BYTES : TILE_BYTES;
    const uint64_t held = FIXED_BYTES + tile_bytes * gather_slots(&plan);
    if (stream_room_take(request, held + lines_max(work), &result))
        return result;
    if (gather_begin(request, &plan, &result))
        return go_on(request);
    stream_room_free(request);
    return result;
}

enum MHD_Result route_path(struct request *request)
{
    enum MHD_Result result;
    struct work *work = request_work(request, sizeof *work, work_free);
    if (!work)
        return reply_unmade(request, POOL_FAILED);
    if (resolve_window(request, work, &result) || survey(request, work, &result))
        return result;
    make_etag(request, work);
    if (request_is_of_other(request, request->etag, &result))
        return result;
    if (request_knows(request, request->etag))
        return reply_not_modified(request, request->etag);
    if (strcmp(request->method, "HEAD") == 0)
        return reply_own(request, MHD_HTTP_OK, reply_bodiless(0), true);
    return begin(request);
}
