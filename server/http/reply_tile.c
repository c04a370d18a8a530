/*
 * Replies of tiles. One in the memory tier carries its finished responses as views (with v= or without, negotiated
 * or not), so that a hit is a lookup and a queue; all other responses are made for one reply.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../encode/describe.h"
#include "http.h"
#include "reply_parts.h"
#include "request_text.h"

enum { VIEW_BYTES = 2960 /* what libmicrohttpd allocates for a tile's response, measured */ };

/* Whether the answer has to be one of its own: its headers say something of this request alone. */
static bool is_personal(const struct request *request)
{
    return request->id[0] || request->vary_prefix || reply_tells_edit(request) ||
           atomic_load_explicit(&request->service->draining, memory_order_relaxed);
}

bool reply_add_samples(struct MHD_Response *response, const struct request *request,
                       const struct terrane_window *window)
{
    const struct terrane_world *world = &request->world;
    const float none = layer_row[request->target.key.layer].none;
    char text[64];
    snprintf(text, sizeof text, "%d", window->width);
    bool ok = add(response, "Terrane-Width", text);
    snprintf(text, sizeof text, "%d", window->height);
    ok = ok && add(response, "Terrane-Height", text);
    snprintf(text, sizeof text, "%.17g", terrane_lattice_m(world, window->level, window->step));
    ok = ok && add(response, "Terrane-Spacing", text);
    snprintf(text, sizeof text, "%.17g,%.17g", terrane_lattice_m(world, window->level, window->gi),
             terrane_lattice_m(world, window->level, window->gj));
    ok = ok && add(response, "Terrane-Origin", text);
    snprintf(text, sizeof text, "%.9g", (double)none);
    return ok && (none == 0 || add(response, "Terrane-Nodata", text));
}

/* Where samples without a header of their own lie, and what they span. */
static bool add_raw(struct MHD_Response *response, const struct request *request,
                    const struct blob_info *info)
{
    const struct tile_key *key = &request->target.key;
    struct terrane_window window;
    char text[64];
    tile_window(key, &window);
    bool ok = reply_add_samples(response, request, &window);
    if (info && info->sampled) {
        text_hex(text, info->samples.byte, sizeof info->samples.byte);
        ok = ok && add(response, "Terrane-Digest", text);
    }
    if (info && tile_layer_has_range(key->layer)) {
        snprintf(text, sizeof text, "%.9g", (double)info->min_m);
        ok = ok && add(response, "Terrane-Min", text);
        snprintf(text, sizeof text, "%.9g", (double)info->max_m);
        ok = ok && add(response, "Terrane-Max", text);
    }
    return ok;
}

/* All headers of a tile but X-Cache and Server-Timing. info: NULL when the tile has not been made. */
static bool add_tile(struct MHD_Response *response, const struct request *request,
                     const struct blob_info *info)
{
    const struct target *target = &request->target;
    const enum tile_format format = target->key.format;
    return add(response, "Content-Type", format_row[format].type) &&
           reply_add_validators(response, request, request->etag) && reply_add_common(response, request) &&
           reply_add_seed(response, request) && reply_add_edit(response, request) &&
           (!info || info->coding == CODING_IDENTITY ||
            add(response, "Content-Encoding", tile_coding_name[info->coding])) &&
           (!format_row[format].raw ||
            (add(response, "Accept-Ranges", "bytes") && add_raw(response, request, info)));
}

/* How busy a server is can be nobody's business. */
static bool add_server_timing(struct MHD_Response *response, const struct request *request,
                              const char *timing)
{
    return !request->settings->config.http.server_timing || add(response, "Server-Timing", timing);
}

static void payload_release(void *blob)
{
    blob_release(blob);
}

static void payload_unkeep(void *blob)
{
    blob_unkeep(blob);
}

static struct MHD_Response *view_create(const struct request *request, struct blob *blob)
{
    blob_keep(blob);
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback_cls(blob->bytes, blob->data, payload_unkeep, blob);
    if (!response) {
        blob_unkeep(blob);
        return NULL;
    }
    if (!add_tile(response, request, &blob->info) || !add(response, "X-Cache", "memory") ||
        !add_server_timing(response, request, "cache;desc=memory")) {
        MHD_destroy_response(response);
        return NULL;
    }
    return response;
}

void http_view_free(void *view)
{
    MHD_destroy_response(view);
}

/* The view of this kind of request, made and charged to the memory tier where it is the first. NULL: memory is short. */
static struct MHD_Response *view_of(const struct request *request, struct blob *blob)
{
    const struct target *target = &request->target;
    _Atomic(void *) *slot =
        &blob->view[target->pinned * 4 + reply_is_negotiated(target) * 2 + reply_is_private(request)];
    void *view = atomic_load_explicit(slot, memory_order_acquire), *other = NULL;
    if (view)
        return view;
    view = view_create(request, blob);
    if (view && !atomic_compare_exchange_strong(slot, &other, view)) {
        MHD_destroy_response(view); /* another thread was first */
        return other;
    }
    if (view)
        memory_charge(request->service->memory, blob, VIEW_BYTES);
    return view;
}

/* ---- Tiles: what one request alone gets ---------------------------------------------------------------- */

static bool add_timing(struct MHD_Response *response, const struct request *request)
{
    const struct waiter *waiter = &request->waiter;
    char timing[192], shared[40] = "";
    if (request->tier == TIER_MEMORY)
        return add_server_timing(response, request, "cache;desc=memory");
    if (waiter->shared_ns)
        snprintf(shared, sizeof shared, "shared;dur=%.3f, ", (double)waiter->shared_ns / 1e6);
    snprintf(timing, sizeof timing, "queue;dur=%.3f, %sregions;dur=%.3f, surface;dur=%.3f, encode;dur=%.3f",
             (double)waiter->queue_ns / 1e6, shared, (double)waiter->region_ns / 1e6,
             (double)waiter->surface_ns / 1e6, (double)waiter->encode_ns / 1e6);
    return add_server_timing(response, request, timing);
}

enum MHD_Result reply_own(struct request *request, unsigned status, struct MHD_Response *response, bool ok)
{
    ok = ok && add(response, "Content-Type", format_row[request->target.key.format].type) &&
         reply_add_validators(response, request, request->etag) && reply_add_common(response, request) &&
         reply_add_seed(response, request) && reply_add_edit(response, request);
    return reply_send(request, status, response, ok);
}

struct blob *reply_blob(const struct request *request, struct blob *blob)
{
    const char *text = (const char *)blob->data;
    if (blob->info.format != FORMAT_JSON || !*request->prefix)
        return blob;
    const char *links = memmem(text, blob->bytes, "\"links\": {", 10);
    size_t bytes;
    char *linked = prefix_links(text, blob->bytes, links ? (size_t)(links - text) : blob->bytes, "\": \"/",
                                request->prefix, &bytes);
    struct blob *made = linked ? blob_create(&blob->key, &blob->info, (unsigned char *)linked, bytes) : NULL;
    blob_release(blob);
    return made;
}

/* The blob, or the part of it that was asked for. Takes the blob. */
static enum MHD_Result reply_tile_own(struct request *request, struct blob *blob)
{
    blob = reply_blob(request, blob);
    if (!blob)
        return reply_unmade(request, POOL_FAILED);
    uint64_t first = 0, last = blob->bytes - 1;
    const char *asked = strcmp(request->method, "GET") == 0 ? request_header(request, "Range") : NULL;
    const enum range_kind kind = range_parse(asked, asked ? request_header(request, "If-Range") : NULL,
                                             request->etag, blob->bytes, &first, &last);
    char range[80];
    if (kind == RANGE_UNSATISFIABLE) {
        const uint64_t bytes = blob->bytes;
        blob_release(blob);
        return reply_unsatisfiable(request, bytes);
    }
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        last - first + 1, blob->data + first, payload_release, blob);
    if (!response) {
        blob_release(blob);
        return MHD_NO;
    }
    request->body_bytes = last - first + 1;
    snprintf(range, sizeof range, "bytes %" PRIu64 "-%" PRIu64 "/%zu", first, last, blob->bytes);
    const bool ok = add_tile(response, request, &blob->info) &&
                    add(response, "X-Cache", metric_tier_name[request->tier]) &&
                    add_timing(response, request) &&
                    (kind == RANGE_WHOLE || add(response, "Content-Range", range));
    return reply_send(request, kind == RANGE_WHOLE ? MHD_HTTP_OK : MHD_HTTP_PARTIAL_CONTENT, response, ok);
}

/* Takes the blob. */
enum MHD_Result reply_tile_view(struct request *request, struct blob *blob)
{
    enum MHD_Result result = MHD_NO;
    request->tier = TIER_MEMORY;
    if (is_personal(request) || request_header(request, "Range"))
        return reply_tile_own(request, blob);
    struct MHD_Response *view = view_of(request, blob);
    if (view)
        result = MHD_queue_response(request->connection, MHD_HTTP_OK, view);
    request->status = result == MHD_YES ? MHD_HTTP_OK : 0;
    request->body_bytes = blob->bytes;
    blob_release(blob);
    return result;
}

/* The blob in the waiter, which it takes. */
enum MHD_Result reply_tile_made(struct request *request)
{
    struct blob *blob = request->waiter.blob;
    request->waiter.blob = NULL;
    request->tier = request->waiter.tier;
    return reply_tile_own(request, blob);
}

static ssize_t no_content(void *context, uint64_t position, char *buffer, size_t max)
{
    (void)context, (void)position, (void)buffer, (void)max;
    return MHD_CONTENT_READER_END_OF_STREAM; /* never asked: HEAD has no body */
}

/*
 * Without a length libmicrohttpd 0.9.75 knows but two ways. With chunks it sends the last one, "0", behind the headers of HEAD
 * as well, where the client's next answer is to begin. So the connection's end it is.
 */
struct MHD_Response *reply_bodiless(uint64_t bytes)
{
    struct MHD_Response *response =
        MHD_create_response_from_callback(bytes ? bytes : MHD_SIZE_UNKNOWN, 1024, no_content, NULL, NULL);
    if (response && !bytes)
        MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    return response;
}

/* A tile that is not in memory: its headers without making it. The length is known where it does not depend
 * on the samples. */
enum MHD_Result reply_tile_head(struct request *request)
{
    const uint64_t bytes = tile_bytes(&request->target.key, request->world.recipe);
    struct MHD_Response *response = reply_bodiless(bytes);
    return reply_send(request, MHD_HTTP_OK, response, response && add_tile(response, request, NULL));
}
