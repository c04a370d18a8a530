/*
 * Replies. A tile in the memory tier carries its finished responses as views (with v= or without, negotiated
 * or not), so that a hit is a lookup and a queue; all other responses are made for one reply.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../json_text.h"
#include "http.h"
#include "request.h"

static const char pinned_control[] = "public, max-age=31536000, immutable";
static const char plain_control[] = "public, max-age=3600, stale-while-revalidate=86400";

enum { VIEW_BYTES = 2560 }; /* what libmicrohttpd allocates for a tile's response, measured */

static bool add(struct MHD_Response *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* What every answer says. */
static bool add_common(struct MHD_Response *response)
{
    return add(response, "Access-Control-Allow-Origin", "*") && add(response, "Timing-Allow-Origin", "*") &&
           add(response, "Access-Control-Expose-Headers", "*") &&
           add(response, "Cross-Origin-Resource-Policy", "cross-origin") &&
           add(response, "X-Content-Type-Options", "nosniff");
}

/* Queues a response once and lets go of it; NULL and half-made ones (ok false) close the connection. */
static enum MHD_Result send_once(struct request *request, unsigned status, struct MHD_Response *response,
                                 bool ok)
{
    enum MHD_Result result = MHD_NO;
    if (response && ok && atomic_load(&request->service->draining))
        ok = add(response, "Connection", "close"); /* so that clients go elsewhere before they are cut off */
    if (response && ok)
        result = MHD_queue_response(request->connection, status, response);
    if (response)
        MHD_destroy_response(response);
    if (result == MHD_YES)
        request->status = status;
    return result;
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

static bool add_validators(struct MHD_Response *response, const char *etag, bool pinned, bool negotiated)
{
    return add(response, "ETag", etag) &&
           add(response, "Cache-Control", pinned ? pinned_control : plain_control) &&
           (!negotiated || add(response, "Vary", "Accept"));
}

/* The canonical form of the seed that was asked for. */
static bool add_seed(struct MHD_Response *response, const struct request *request)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, request->target.key.seed);
    return add(response, "Terrane-Seed", seed);
}

/* Where samples without a header of their own lie, and what they span. */
static bool add_raw(struct MHD_Response *response, const struct request *request,
                    const struct blob_info *info)
{
    const struct tile_key *key = &request->target.key;
    const struct terrane_world *world = &request->world;
    struct terrane_window window;
    char text[64];
    if (terrane_window_tile(&window, key->level, key->x, key->y, key->size) != 0)
        return false;
    snprintf(text, sizeof text, "%d", window.width);
    bool ok = add(response, "Terrane-Width", text);
    snprintf(text, sizeof text, "%d", window.height);
    ok = ok && add(response, "Terrane-Height", text);
    snprintf(text, sizeof text, "%.17g", terrane_lattice_m(world, window.level, window.step));
    ok = ok && add(response, "Terrane-Spacing", text);
    snprintf(text, sizeof text, "%.17g,%.17g", terrane_lattice_m(world, window.level, window.gi),
             terrane_lattice_m(world, window.level, window.gj));
    ok = ok && add(response, "Terrane-Origin", text);
    const bool one = key->layer == LAYER_HEIGHT || key->layer == LAYER_SURFACE || key->layer == LAYER_WATER ||
                     key->layer == LAYER_DELTA;
    if (info && one) {
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
    return add(response, "Content-Type", tile_format_type(format)) &&
           add_validators(response, request->etag, target->pinned, target->negotiated) &&
           add_common(response) && add_seed(response, request) &&
           (format == FORMAT_PNG || format == FORMAT_JSON || add_raw(response, request, info));
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
        !add(response, "Server-Timing", "cache;desc=memory")) {
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
    _Atomic(void *) *slot = &blob->view[request->target.pinned * 2 + request->target.negotiated];
    void *view = atomic_load_explicit(slot, memory_order_acquire), *other = NULL;
    if (view)
        return view;
    view = view_create(request, blob);
    if (view && !atomic_compare_exchange_strong(slot, &other, view)) {
        MHD_destroy_response(view); /* somebody else was first */
        return other;
    }
    if (view)
        memory_charge(request->service->memory, blob, VIEW_BYTES);
    return view;
}

/* Takes the blob. */
enum MHD_Result reply_tile_view(struct request *request, struct blob *blob)
{
    enum MHD_Result result = MHD_NO;
    struct MHD_Response *view;
    request->tier = TIER_MEMORY;
    if (atomic_load_explicit(&request->service->draining, memory_order_relaxed)) {
        view = view_create(request, blob); /* of its own, to say that the connection ends */
        result = send_once(request, MHD_HTTP_OK, view, view != NULL);
    } else if ((view = view_of(request, blob)) != NULL) {
        result = MHD_queue_response(request->connection, MHD_HTTP_OK, view);
        request->status = result == MHD_YES ? MHD_HTTP_OK : 0;
    }
    blob_release(blob);
    return result;
}

/* The blob in the waiter, which it takes. */
enum MHD_Result reply_tile_made(struct request *request)
{
    struct waiter *waiter = &request->waiter;
    struct blob *blob = waiter->blob;
    char timing[120];
    waiter->blob = NULL;
    request->tier = waiter->tier;
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        blob->bytes, blob->data, payload_release, blob);
    if (!response) {
        blob_release(blob);
        return MHD_NO;
    }
    snprintf(timing, sizeof timing, "queue;dur=%.3f, surface;dur=%.3f, encode;dur=%.3f",
             (double)waiter->queue_ns / 1e6, (double)waiter->surface_ns / 1e6,
             (double)waiter->encode_ns / 1e6);
    const bool ok = add_tile(response, request, &blob->info) &&
                    add(response, "X-Cache", metric_tier_name[waiter->tier]) &&
                    add(response, "Server-Timing", timing);
    return send_once(request, MHD_HTTP_OK, response, ok);
}

static ssize_t no_content(void *context, uint64_t position, char *buffer, size_t most)
{
    (void)context, (void)position, (void)buffer, (void)most;
    return MHD_CONTENT_READER_END_OF_STREAM; /* never asked: HEAD has no body */
}

/* A tile that is not in memory: its headers without making it. The length is known where it does not depend
 * on the samples. */
enum MHD_Result reply_tile_head(struct request *request)
{
    const uint64_t bytes = tile_bytes(&request->target.key, request->world.recipe->partition.zones);
    struct MHD_Response *response =
        MHD_create_response_from_callback(bytes ? bytes : MHD_SIZE_UNKNOWN, 1024, no_content, NULL, NULL);
    const bool ok =
        response &&
        (bytes || MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END)) &&
        add_tile(response, request, NULL);
    return send_once(request, MHD_HTTP_OK, response, ok);
}

enum MHD_Result reply_not_modified(struct request *request, const char *etag)
{
    const struct target *target = &request->target;
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    const bool ok = response && add_validators(response, etag, target->pinned, target->negotiated) &&
                    add_common(response);
    return send_once(request, MHD_HTTP_NOT_MODIFIED, response, ok);
}

/* ---- Everything else ----------------------------------------------------------------------------------- */

enum MHD_Result reply_text(struct request *request, unsigned status, const char *type, const char *text)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    const bool ok = response && add(response, "Content-Type", type) &&
                    add(response, "Cache-Control", "no-store") && add_common(response);
    return send_once(request, status, response, ok);
}

enum MHD_Result reply_json(struct request *request, unsigned char *data, size_t bytes, const char *etag)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(bytes, data, MHD_RESPMEM_MUST_FREE);
    if (!response)
        free(data);
    const bool ok = response && add(response, "Content-Type", "application/json") &&
                    add_validators(response, etag, request->target.pinned, false) && add_common(response) &&
                    add_seed(response, request);
    return send_once(request, MHD_HTTP_OK, response, ok);
}

enum MHD_Result reply_preflight(struct request *request)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    const bool ok =
        response && add(response, "Allow", "GET, HEAD, OPTIONS") &&
        add(response, "Access-Control-Allow-Methods", "GET, HEAD, OPTIONS") &&
        add(response, "Access-Control-Allow-Headers", "Accept, Content-Type, If-None-Match, Range") &&
        add(response, "Access-Control-Max-Age", "86400") && add_common(response);
    return send_once(request, MHD_HTTP_NO_CONTENT, response, ok);
}

static const char *title_of(unsigned status)
{
    switch (status) {
    case 400:
        return "Bad request";
    case 404:
        return "Not found";
    case 405:
        return "Method not allowed";
    case 410:
        return "Gone";
    case 414:
        return "Target too long";
    case 503:
        return "Service unavailable";
    default:
        return "Internal error";
    }
}

enum MHD_Result reply_problem(struct request *request, unsigned status, const char *parameter,
                              const char *detail, int retry_after_s)
{
    char retry[16];
    json_t *body = json_pack("{s:s, s:s, s:i, s:s*, s:s*}", "type", "about:blank", "title", title_of(status),
                             "status", (int)status, "detail", detail, "parameter", parameter);
    size_t bytes;
    char *text = json_text(body, JSON_COMPACT, &bytes);
    if (!text)
        return MHD_NO;
    struct MHD_Response *response = MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE);
    if (!response)
        free(text);
    bool ok = response && add(response, "Content-Type", "application/problem+json") && add_common(response);
    if (ok && retry_after_s > 0) {
        snprintf(retry, sizeof retry, "%d", retry_after_s);
        ok = add(response, "Retry-After", retry);
    }
    if (ok && (status >= 500 || retry_after_s > 0))
        ok = add(response, "Cache-Control", "no-store");
    else if (ok)
        ok = add(response, "Cache-Control", "public, max-age=60");
    if (ok && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        ok = add(response, "Allow", "GET, HEAD, OPTIONS");
    return send_once(request, status, response, ok);
}
