/*
 * POST /tiles: many tiles in one answer, each in a frame of its own as soon as it is there.
 *
 *     read ──► refused targets' frames ──► gathered tiles' frames, in the order they come ──► the last frame
 *
 * The body is {"tiles": ["/tile/42/0/1/-2.f32?size=65", ...]}.
 * A frame is a head of three little-endian numbers of 32 bits, index (of "tiles"), status and bytes, and then those bytes:
 * of status 200 the tile as GET would send it uncompressed, else a problem document. Frames come in any order, each
 * index once. The last frame has the index FRAME_END, status 0 and no bytes, so that a cut is seen.
 *
 * The answer begins before the tiles are made: one that cannot be is a frame with its status. Of tiles that came and have
 * not been sent the gather holds at most BATCH_AHEAD, and fewer where they are so large that these would be over
 * AHEAD_BYTES: a slow client costs no more than that. All but the first few are bulk, which fills a part of the queue alone.
 *
 * The loop's thread. The batch is the response's, and so outlives what reads it.
 */
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane_features.h"
#include "../base/little_endian.h"
#include "../recipe/recipe_json.h"
#include "gather.h"
#include "guard.h"
#include "request_text.h"

enum {
    TILES_MAX = 256,
    BATCH_AHEAD = 16,
    AHEAD_BYTES = 16 << 20, /* 15 normals of 512 x 512, one partition of that size; four dense meshes */
    HEAD_BYTES = 4096,      /* of any format; all that there is of what a recipe has none of */
    TEXT_BYTES = 64 << 10,  /* a description; boxes of 341 meshes */
    PIXEL_BYTES = 4,        /* three, and what deflate adds where it gains nothing */
    VERTEX_BYTES = 64,      /* a mesh's vertex and the indices of its triangles, rounded up */
    PICTURE_BYTES = (TERRANE_TILE_SAMPLES + 1) * (TERRANE_TILE_SAMPLES + 1) * PIXEL_BYTES, /* on a mesh */
    LINES_BYTES = 512 << 10, /* of paths; a description of 1,024 caves */
    MVT_BYTES = 2 << 20,     /* of contours as many as there may be */
    DRAWN_BYTES = 8 << 20,   /* likewise as GeoJSON */
    FRAME_HEAD_BYTES = 12,
    BLOCK_BYTES = 32768,
    FIXED_BYTES = 128 << 10 /* the batch, a problem, libmicrohttpd's block */
};

#define FRAME_END UINT32_MAX

/* The gather's tiles, and that of the frame at hand. */
_Static_assert(512 * 512 * TERRANE_ZONES_MAX * sizeof(float) <= AHEAD_BYTES &&
                   AHEAD_BYTES * 3 <= STREAM_BYTES_MAX,
               "no tile is larger, and so no batch holds more than twice that, and a little");

static const char content_type[] = "application/vnd.terrane.tiles";

struct batch_keys {
    size_t count;
    struct target
        target[]; /* with status 0: a tile's, finished, of coding identity; else one that is refused */
};

struct batch {
    struct request *request;
    struct batch_keys *keys;
    struct gather *gather;    /* the request's; NULL: no target is a tile */
    uint16_t tile[TILES_MAX]; /* of the gather's indices: those in keys */
    size_t tiles;
    size_t looked; /* targets below this have been refused, or are the gather's */
    bool ended;    /* the frame at hand is the last one */
    bool past;     /* some tile is of the past */

    /* The frame at hand, sent of total so far. */
    unsigned char head[FRAME_HEAD_BYTES];
    struct blob *blob; /* its tile, or */
    char *text;        /* its problem: owned */
    const void *data;  /* of one of them */
    size_t total, sent;
};

/* ---- The body ------------------------------------------------------------------------------------------ */

static void read_target(struct target *target, const json_t *given, const struct target_names *names)
{
    target_parse(target, json_string_value(given), json_string_length(given), names);
    if (target->route != ROUTE_UNKNOWN && (!target_is_tile(target) || target->key.format == FORMAT_SUBTREE))
        target_refuse(target, 400, "path",
                      "a batch is of tiles: /tile/..., /xyz/..., /terrain/... and /3dtiles/...glb");
    if (target->status == 0 && target->negotiated)
        target_finish(target, accept_choose(NULL));
    if (target->status == 0)
        target_name_recipe(&target->key, target->recipe, names->standard);
}

/*
 * Reads a body. Returns owned (free), borrowing from names; NULL: the complaint says why nothing of it is answered. A target
 * without a format is one of PNG. What is wrong with one target is in that target alone.
 */
static struct batch_keys *read_keys(const char *text, size_t bytes, const struct target_names *names,
                                    struct body_complaint *complaint)
{
    const json_t *list;
    json_t *root = body_list(text, bytes, "tiles", TILES_MAX, &list, complaint);
    struct batch_keys *keys = NULL;
    if (!root)
        return NULL;
    const size_t count = json_array_size(list);
    for (size_t i = 0; i < count && !complaint->status; i++)
        if (!json_is_string(json_array_get(list, i)))
            body_refuse(complaint, 400, "tiles", "tiles[%zu] must be a string, such as /tile/42/0/1/-2.f32",
                        i);
    if (!complaint->status) {
        keys = malloc(sizeof *keys + count * sizeof *keys->target);
        if (!keys)
            body_refuse(complaint, 503, NULL, "The server is short of memory; try again shortly.");
    }
    if (keys) {
        keys->count = count;
        for (size_t i = 0; i < count; i++)
            read_target(&keys->target[i], json_array_get(list, i), names);
    }
    json_decref(root);
    return keys;
}

/* ---- Frames -------------------------------------------------------------------------------------------- */

static void frame_free(struct batch *batch)
{
    blob_release(batch->blob);
    free(batch->text);
    batch->blob = NULL;
    batch->text = NULL;
}

static void write_head(unsigned char head[static FRAME_HEAD_BYTES], uint32_t index, unsigned status,
                       uint32_t bytes)
{
    put_u32(head, index);
    put_u32(head + 4, (uint32_t)status);
    put_u32(head + 8, bytes);
}

static void frame_begin(struct batch *batch, uint32_t index, unsigned status, const void *data, size_t bytes)
{
    write_head(batch->head, index, status, (uint32_t)bytes); /* tiles are under 16 MiB */
    batch->data = data;
    batch->total = sizeof batch->head + bytes;
    batch->sent = 0;
    connection_extend(batch->request->link, batch->total);
}

/* false: memory is short. */
static bool frame_problem(struct batch *batch, size_t index, unsigned status, const char *parameter,
                          const char *detail)
{
    size_t bytes;
    batch->text = reply_problem_text(status, parameter, detail, &bytes);
    if (batch->text)
        frame_begin(batch, (uint32_t)index, status, batch->text, bytes);
    return batch->text != NULL;
}

/* Takes the item's blob. false: the client has gone, or memory is short. */
static bool frame_item(struct batch *batch, const struct gather_item *item)
{
    const size_t index = batch->tile[item->index];
    switch (item->outcome) {
    case POOL_DONE:
        batch->blob = reply_blob(batch->request, item->blob);
        if (batch->blob)
            frame_begin(batch, (uint32_t)index, 200, batch->blob->data, batch->blob->bytes);
        return batch->blob != NULL;
    case POOL_FULL:
        return frame_problem(batch, index, 503, NULL, "The render queue is full; try again shortly.");
    case POOL_OVER:
        return frame_problem(batch, index, 429, NULL,
                             "Over this client's limit or share; try again shortly.");
    case POOL_EXPIRED:
        return frame_problem(batch, index, 503, NULL, "The tile was not ready in time; try again shortly.");
    case POOL_STOPPED:
        return frame_problem(batch, index, 503, NULL, "The server is stopping; try again shortly.");
    case POOL_FAILED:
        return frame_problem(batch, index, 503, NULL, "The server is short of memory; try again shortly.");
    case POOL_GONE:
        break;
    }
    return false;
}

enum next { NEXT_FRAME, NEXT_WAIT, NEXT_FAILED };

/* The next frame: of what is refused first, which needs no waiting. */
static enum next next_frame(struct batch *batch)
{
    struct gather_item item;
    frame_free(batch);
    while (batch->looked < batch->keys->count) {
        const size_t index = batch->looked++;
        const struct target *target = &batch->keys->target[index];
        if (target->status)
            return frame_problem(batch, index, target->status, target->parameter, target->detail)
                       ? NEXT_FRAME
                       : NEXT_FAILED;
    }
    switch (batch->gather ? gather_take(batch->gather, &item) : GATHER_END) {
    case GATHER_ITEM:
        return frame_item(batch, &item) ? NEXT_FRAME : NEXT_FAILED;
    case GATHER_WAIT:
        return NEXT_WAIT;
    case GATHER_END:
        break;
    }
    batch->ended = true;
    frame_begin(batch, FRAME_END, 0, NULL, 0);
    return NEXT_FRAME;
}

/* Copies what the buffer has room for of the frame at hand; how much that is. */
static size_t copy_frame(struct batch *batch, char *buffer, size_t room)
{
    const size_t head = sizeof batch->head, left = batch->total - batch->sent;
    const bool in_head = batch->sent < head;
    const size_t piece = in_head ? head - batch->sent : left, bytes = piece < room ? piece : room;
    const unsigned char *from =
        in_head ? batch->head + batch->sent : (const unsigned char *)batch->data + (batch->sent - head);
    memcpy(buffer, from, bytes);
    batch->sent += bytes;
    return bytes;
}

/* Fills the buffer as far as frames are at hand, and sleeps only where there is none. */
static ssize_t read_batch(void *context, uint64_t position, char *buffer, size_t max)
{
    struct batch *batch = context;
    size_t n = 0;
    (void)position;
    while (n < max) {
        if (batch->sent < batch->total) {
            n += copy_frame(batch, buffer + n, max - n);
            continue;
        }
        const enum next next = batch->ended ? NEXT_WAIT : next_frame(batch);
        if (next == NEXT_FRAME)
            continue;
        if (next == NEXT_FAILED)
            return MHD_CONTENT_READER_END_WITH_ERROR;
        if (batch->ended || n > 0)
            break;
        if (gather_wait(batch->gather))
            return 0;
    }
    batch->request->body_bytes += n;
    return n > 0 ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

static void batch_free(void *context)
{
    struct batch *batch = context;
    frame_free(batch);
    free(batch->keys);
    free(batch);
}

static void key_of(const void *context, size_t index, struct tile_key *key, struct terrane_world *world)
{
    const struct batch *batch = context;
    const struct target *target = &batch->keys->target[batch->tile[index]];
    *key = target->key;
    alias_world_init(world, &target->recipe->world, key->seed, key->alias);
}

/* Whether a level has caves, if the recipe has any. */
static bool has_caves(const struct terrane_recipe *recipe, int level)
{
    return recipe->caves.share > 0 && level <= recipe->caves.level + TERRANE_CAVES_COARSER;
}

/* What a tile has at most. */
static size_t bytes_max(const struct target *target)
{
    const struct tile_key *key = &target->key;
    const struct terrane_recipe *recipe = &target->recipe->world;
    const size_t samples = (size_t)key->size * (size_t)key->size;
    const struct format_row *row = &format_row[key->format];
    if (tile_is_of_objects(key) && key->format != FORMAT_PNG)
        return recipe->objects.classes > 0 ? AHEAD_BYTES : TEXT_BYTES;
    switch (row->carries) {
    case CARRIES_GRID:
        return HEAD_BYTES + samples * (row->value_bytes ? tile_sample_bytes(key->layer, key->format, recipe)
                                                        : PIXEL_BYTES);
    case CARRIES_MESH:
        if (tile_is_of_caves(key))
            return has_caves(recipe, key->level) ? AHEAD_BYTES : HEAD_BYTES; /* whatever caves there are */
        return HEAD_BYTES + samples * VERTEX_BYTES + (key->textured ? PICTURE_BYTES : 0);
    case CARRIES_WORDS:
        if (key->format == FORMAT_MVT)
            return MVT_BYTES;
        if (tile_is_drawn(key))
            return DRAWN_BYTES;
        if (row->needs == NEEDS_LINES)
            return recipe->paths.width_m > 0 || recipe->rivers.top > 0 ? LINES_BYTES : HEAD_BYTES;
        break;
    case CARRIES_BOXES:
        break;
    }
    return has_caves(recipe, key->level) ? LINES_BYTES : TEXT_BYTES;
}

/* What the largest of the tiles has at most. */
static size_t largest(const struct batch *batch)
{
    size_t max = 1;
    for (size_t i = 0; i < batch->tiles; i++) {
        const size_t bytes = bytes_max(&batch->keys->target[batch->tile[i]]);
        max = bytes > max ? bytes : max;
    }
    return max;
}

/* How many tiles are held for a client that does not read: as many as the largest of them allows. */
static unsigned tiles_ahead(size_t largest_bytes)
{
    const size_t ahead = AHEAD_BYTES / largest_bytes;
    return ahead > BATCH_AHEAD ? BATCH_AHEAD : ahead > 1 ? (unsigned)ahead : 1;
}

/* Which targets the gather is to fetch. */
static void sort_out(struct batch *batch, const struct settings *settings)
{
    for (size_t i = 0; i < batch->keys->count; i++) {
        struct target *target = &batch->keys->target[i];
        if (target->status == 0 && !settings_allow_world(settings, &target->key, target->recipe))
            target_refuse(target, 404, "seed", "this server serves the worlds that its configuration names");
        if (target->status == 0)
            batch->tile[batch->tiles++] = (uint16_t)i;
        batch->past = batch->past || (target->status == 0 && target->past);
    }
}

/* Books memory, takes tokens, and asks for the first tiles. false: answered. */
static bool begin(struct batch *batch, enum MHD_Result *result)
{
    struct request *request = batch->request;
    const size_t count = batch->keys->count, tile_bytes = largest(batch);
    const struct gather_plan plan = {.count = batch->tiles,
                                     .key_of = key_of,
                                     .context = batch,
                                     .ahead = tiles_ahead(tile_bytes),
                                     .refused = count - batch->tiles};
    if (batch->past && guard_debt(request, result))
        return false;
    const uint64_t tiles = batch->tiles > 0 ? gather_slots(&plan) + 1 : 0; /* and that of the frame at hand */
    if (stream_room_take(request, FIXED_BYTES + count * sizeof *batch->keys->target + tiles * tile_bytes,
                         result))
        return false;
    if (batch->tiles == 0)
        return !guard_take(request, BUCKET_TILES, count, result);
    batch->gather = gather_begin(request, &plan, result);
    return batch->gather != NULL;
}

enum MHD_Result route_batch(struct request *request)
{
    const struct target_names names = request_names(request->settings);
    struct body_complaint complaint;
    enum MHD_Result result;
    struct batch_keys *keys =
        read_keys(request->body ? request->body : "", request->body_length, &names, &complaint);
    if (!keys)
        return reply_problem(request, complaint.status, complaint.parameter, complaint.detail,
                             complaint.status == 503);
    struct batch *batch = calloc(1, sizeof *batch);
    if (!batch) {
        free(keys);
        return reply_unmade(request, POOL_FAILED);
    }
    batch->request = request;
    base_path_of(request);
    batch->keys = keys;
    sort_out(batch, request->settings);
    if (!begin(batch, &result)) {
        stream_room_free(request);
        batch_free(batch);
        return result;
    }
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_batch, batch, batch_free);
    if (!response) {
        gather_drop(batch->gather);
        batch_free(batch);
    }
    return reply_typed(request, response, content_type, NULL);
}
