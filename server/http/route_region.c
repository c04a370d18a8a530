/*
 * GET /region/{seed}.{ext}: any window of a level's samples, which is never held whole (window_stream.h).
 *
 * What can be refused is refused before anything is made; a tile that fails later than the first bytes ends the
 * connection: an answer that is whole is right.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../encode/png_stream.h"
#include "guard.h"
#include "reply_parts.h"
#include "request_text.h"
#include "window_stream.h"

enum {
    BLOCK_BYTES = 64 << 10 /* handed to libmicrohttpd at once, where it knows the length */
};

/* ---- What is asked for --------------------------------------------------------------------------------- */

static enum MHD_Result refuse(struct request *request, unsigned status, const char *parameter,
                              const char *why)
{
    target_refuse(&request->target, status, parameter, why);
    return reply_problem(request, request->target.status, request->target.parameter, request->target.detail,
                         0);
}

/* Names the answer's bytes: a tile of that format, the window, and of PNG what deflates it. */
static void make_etag(struct request *request)
{
    const struct target_window *window = &request->target.window;
    struct tile_key key = request->target.key;
    char text[200];
    key.coding = CODING_IDENTITY;
    const struct digest tile = tile_key_digest(&key, &request->world);
    const int bytes =
        snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64 " region %" PRId64 " %" PRId64 " %d %d %.40s",
                 tile.high, tile.low, window->x0, window->y0, window->width, window->height,
                 key.format == FORMAT_PNG   ? png_stream_version()
                 : key.format == FORMAT_TIF ? "tif 2"
                                            : "");
    etag_of(request->etag, text, (size_t)bytes, request_moment(request));
}

/* World, format and ETag; true where it was answered: there is no such region. */
static bool resolve_region(struct request *request, enum MHD_Result *result)
{
    static const int64_t limit = TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES;
    struct target *target = &request->target;
    const struct target_window *window = &target->window;
    struct digest digest;
    char detail[80];
    target->key.size = TERRANE_TILE_SAMPLES;
    target->key.x = target->key.y = 0;
    target_finish(target, target->key.format);
    if (route_tile_resolve(request, &digest, result))
        return true;
    request->vary_coding = false;
    const int max =
        window_width_max(target->key.format, tile_values(target->key.layer, request->world.recipe));
    snprintf(detail, sizeof detail, "must be %d or less: a sample of this layer has many numbers", max);
    if (!tile_layer_has_window(target->key.layer, target->key.format))
        *result = refuse(request, 400, "ext", "a region is png, f32, r16, npy, tif, exr or rgba8");
    else if (window->width > max)
        *result = refuse(request, 413, "w", detail);
    else if (window->x0 + window->width > limit)
        *result = refuse(request, 404, "w", "the world's samples end before the region does, to the east");
    else if (window->y0 + window->height > limit)
        *result = refuse(request, 404, "h", "the world's samples end before the region does, to the south");
    else
        return false;
    return true;
}

/* ---- Replies ------------------------------------------------------------------------------------------- */

static bool add_window(struct MHD_Response *response, const struct request *request)
{
    const struct target_window *window = &request->target.window;
    const struct terrane_window samples = {.level = request->target.key.level,
                                           .step = 1,
                                           .gi = window->x0,
                                           .gj = window->y0,
                                           .width = window->width,
                                           .height = window->height};
    return reply_add_samples(response, request, &samples) &&
           (request->target.key.format == FORMAT_PNG || add(response, "Accept-Ranges", "bytes"));
}

/* A region that is not made. bytes: 0 where they are not known. */
static enum MHD_Result reply_head(struct request *request, uint64_t bytes)
{
    struct MHD_Response *response = reply_bodiless(bytes);
    return reply_own(request, MHD_HTTP_OK, response, response && add_window(response, request));
}

/* Of raw formats: which of its bytes are asked for. */
struct part {
    enum range_kind kind;
    uint64_t first, last, bytes;
};

static struct part part_of(const struct request *request, uint64_t bytes)
{
    struct part part = {.kind = RANGE_WHOLE, .last = bytes ? bytes - 1 : 0, .bytes = bytes};
    const char *asked = bytes ? request_header(request, "Range") : NULL;
    part.kind = range_parse(asked, asked ? request_header(request, "If-Range") : NULL, request->etag, bytes,
                            &part.first, &part.last);
    return part;
}

/* The first bytes are there. The stream is the request's, which outlives the last call of the reader. */
static enum MHD_Result reply_stream(struct request *request, const struct part *part)
{
    const uint64_t bytes = part->bytes ? part->last - part->first + 1 : MHD_SIZE_UNKNOWN;
    char range[80];
    struct MHD_Response *response =
        MHD_create_response_from_callback(bytes, BLOCK_BYTES, window_stream_read, request->work, NULL);
    bool ok = response && add_window(response, request);
    if (ok && part->kind == RANGE_PART) {
        snprintf(range, sizeof range, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, part->first, part->last,
                 part->bytes);
        ok = add(response, "Content-Range", range);
    }
    /* What its client is given time for at first. Each block that is handed over then gives time for as many bytes, so
     * that a client that reads nothing is cut off, however much there is to be read. The reader counts what is sent. */
    request->body_bytes = BLOCK_BYTES;
    return reply_own(request, part->kind == RANGE_PART ? MHD_HTTP_PARTIAL_CONTENT : MHD_HTTP_OK, response,
                     ok);
}

/* ---- The route ----------------------------------------------------------------------------------------- */

/* Called until the first bytes are there, or cannot be had. */
static enum MHD_Result go_on(struct request *request)
{
    struct window_stream *stream = request->work;
    enum pool_outcome why = POOL_FAILED;
    switch (window_stream_prepare(stream, &why)) {
    case WINDOW_WAIT:
        return MHD_YES;
    case WINDOW_FAILED:
        gather_drop(request->gather);
        guard_give_back(request, BUCKET_TILES, 0);
        return reply_unmade(request, why);
    case WINDOW_READY:
        break;
    }
    const struct part part = part_of(request, window_stream_bytes(stream));
    return reply_stream(request, &part);
}

enum MHD_Result route_region(struct request *request)
{
    enum MHD_Result result;
    if (resolve_region(request, &result))
        return result;
    make_etag(request);
    if (request_is_of_other(request, request->etag, &result))
        return result;
    if (request_knows(request, request->etag))
        return reply_not_modified(request, request->etag);
    struct window_stream *stream = window_stream_create(request);
    if (!stream)
        return reply_unmade(request, POOL_FAILED);
    request->work = stream;
    request->work_free = window_stream_free;
    const uint64_t bytes = window_stream_bytes(stream);
    if (strcmp(request->method, "HEAD") == 0)
        return reply_head(request, bytes);
    const struct part part = part_of(request, bytes);
    if (part.kind == RANGE_UNSATISFIABLE)
        return reply_unsatisfiable(request, bytes);
    if (!window_stream_begin(stream, part.first, part.last, &result))
        return result;
    request->woken = go_on;
    return go_on(request);
}
