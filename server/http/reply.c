/*
 * Replies. A tile in the memory tier carries its finished responses as views (with v= or without, negotiated
 * or not), so that a hit is a lookup and a queue; all other responses are made for one reply.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../base/json_text.h"
#include "../encode/coding.h"
#include "guard.h"
#include "http.h"
#include "request_text.h"

enum {
    REFUSAL_MS = 100,       /* until 429 and 503 are told */
    VIEW_BYTES = 2816,      /* what libmicrohttpd allocates for a tile's response, measured */
    TEXT_CODED_BYTES = 1024 /* texts of more are coded */
};

static bool add(struct MHD_Response *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* What the operators' listener answers is for no page: a browser inside is not to hand it to one from outside. */
static bool is_open(const struct request *request)
{
    return !request->link->loop->admin;
}

/* What every answer says. */
static bool add_common(struct MHD_Response *response, const struct request *request)
{
    return add(response, "X-Content-Type-Options", "nosniff") &&
           (!is_open(request) ||
            (add(response, "Access-Control-Allow-Origin", "*") && add(response, "Timing-Allow-Origin", "*") &&
             add(response, "Access-Control-Expose-Headers", "*") &&
             add(response, "Cross-Origin-Resource-Policy", "cross-origin")));
}

/* Whether the answer has to be one of its own: its headers say something of this request alone. */
static bool is_personal(const struct request *request)
{
    return request->id[0] || request->vary_prefix ||
           atomic_load_explicit(&request->service->draining, memory_order_relaxed);
}

/* Queues a response once and lets go of it; NULL and half-made ones (ok false) close the connection. */
static enum MHD_Result send_once(struct request *request, unsigned status, struct MHD_Response *response,
                                 bool ok)
{
    enum MHD_Result result = MHD_NO;
    if (response && ok && atomic_load(&request->service->draining))
        ok = add(response, "Connection", "close"); /* so that clients go elsewhere before they are cut off */
    if (response && ok && request->id[0])
        ok = add(response, "X-Request-Id", request->id);
    if (response && ok)
        result = MHD_queue_response(request->connection, status, response);
    if (response)
        MHD_destroy_response(response);
    if (result == MHD_YES)
        request->status = status;
    return result;
}

/* ---- Validators ---------------------------------------------------------------------------------------- */

static bool is_private(const struct request *request)
{
    return request->settings->config.access.required;
}

/* What a key has opened is nobody else's to keep. */
static const char *cache_control(const struct request *request)
{
    static const char *const control[2][2] = {
        {"public, max-age=3600, stale-while-revalidate=86400",
         "private, max-age=3600, stale-while-revalidate=86400"},
        {"public, max-age=31536000, immutable", "private, max-age=31536000, immutable"}};
    return control[request->target.pinned][is_private(request)];
}

/* Whether Accept chose, or could have. */
static bool is_negotiated(const struct target *target)
{
    return target->negotiated || (target->route == ROUTE_TERRAIN && !target->names_extensions);
}

/* Whether Accept-Encoding chooses, or could have: of a tile, or of a text. */
static bool varies_by_coding(const struct request *request)
{
    return request->vary_coding || (route_row[request->target.route].text && request->service->compression);
}

static bool add_etag(struct MHD_Response *response, const struct request *request, const char *etag)
{
    char weak[48];
    snprintf(weak, sizeof weak, "W/%.40s", etag);
    return add(response, "ETag", route_row[request->target.route].text ? weak : etag);
}

static bool add_validators(struct MHD_Response *response, const struct request *request, const char *etag)
{
    static const char *const vary[2][2] = {{NULL, "Accept-Encoding"}, {"Accept", "Accept, Accept-Encoding"}};
    const char *headers = vary[is_negotiated(&request->target)][varies_by_coding(request)];
    char more[64];
    if (request->vary_prefix) {
        snprintf(more, sizeof more, "%s%sX-Forwarded-Prefix", headers ? headers : "", headers ? ", " : "");
        headers = more;
    }
    return add_etag(response, request, etag) && add(response, "Cache-Control", cache_control(request)) &&
           (!headers || add(response, "Vary", headers));
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

/* The canonical form of the seed that was asked for, where it is no secret. */
static bool add_seed(struct MHD_Response *response, const struct request *request)
{
    const struct tile_key *key = &request->target.key;
    char seed[TILE_SEED_BYTES];
    return key->alias || add(response, "Terrane-Seed", tile_world_name(key, seed));
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
           add_validators(response, request, request->etag) && add_common(response, request) &&
           add_seed(response, request) &&
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
    _Atomic(void *) *slot = &blob->view[target->pinned * 4 + is_negotiated(target) * 2 + is_private(request)];
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

/* ---- Problems ------------------------------------------------------------------------------------------ */

static const char *title_of(unsigned status)
{
    static const struct {
        unsigned status;
        const char *title;
    } titles[] = {{400, "Bad request"},
                  {401, "Unauthorized"},
                  {403, "Forbidden"},
                  {404, "Not found"},
                  {405, "Method not allowed"},
                  {409, "Conflict"},
                  {410, "Gone"},
                  {413, "Content too large"},
                  {414, "Target too long"},
                  {416, "Range not satisfiable"},
                  {421, "Misdirected request"},
                  {429, "Too many requests"},
                  {503, "Service unavailable"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (titles[i].status == status)
            return titles[i].title;
    return "Internal error";
}

/*
 * A mistake in a target is one for all, for a minute. What depends on the client, or when it asks, or on headers that caches do
 * not tell apart, is nobody's to keep.
 */
static const char *problem_control(unsigned status, const char *parameter)
{
    const bool lasting = status == 400 || status == 404 || status == 405 || status == 410 || status == 414;
    const bool of_headers = parameter && strcmp(parameter, "Host") == 0;
    return lasting && !of_headers ? "public, max-age=60" : "no-store";
}

char *reply_problem_text(unsigned status, const char *parameter, const char *detail, size_t *bytes)
{
    json_t *body = json_pack("{s:s, s:s, s:i, s:s*, s:s*}", "type", "about:blank", "title", title_of(status),
                             "status", (int)status, "detail", detail, "parameter", parameter);
    return json_text(body, JSON_COMPACT, bytes);
}

static enum MHD_Result problem(struct request *request, unsigned status, const char *parameter,
                               const char *detail, int retry_after_s, const char *header, const char *value)
{
    char retry[16];
    size_t bytes;
    char *text = reply_problem_text(status, parameter, detail, &bytes);
    if (!text)
        return MHD_NO;
    struct MHD_Response *response = MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE);
    if (!response)
        free(text);
    bool ok = response && add(response, "Content-Type", "application/problem+json") &&
              add_common(response, request) &&
              add(response, "Cache-Control", problem_control(status, parameter));
    if (ok && retry_after_s > 0) {
        snprintf(retry, sizeof retry, "%d", retry_after_s);
        ok = add(response, "Retry-After", retry);
    }
    if (ok && status == MHD_HTTP_UNAUTHORIZED)
        ok = add(response, "WWW-Authenticate", "Bearer realm=\"terrane\"");
    if (ok && header)
        ok = add(response, header, value);
    request->body_bytes = bytes;
    return send_once(request, status, response, ok);
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

enum MHD_Result reply_unsatisfiable(struct request *request, uint64_t bytes)
{
    char range[40];
    snprintf(range, sizeof range, "bytes */%" PRIu64, bytes);
    return problem(request, MHD_HTTP_RANGE_NOT_SATISFIABLE, "Range",
                   "What was asked for ends before that range begins.", 0, "Content-Range", range);
}

enum MHD_Result reply_own(struct request *request, unsigned status, struct MHD_Response *response, bool ok)
{
    ok = ok && add(response, "Content-Type", format_row[request->target.key.format].type) &&
         add_validators(response, request, request->etag) && add_common(response, request) &&
         add_seed(response, request);
    return send_once(request, status, response, ok);
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
    return send_once(request, kind == RANGE_WHOLE ? MHD_HTTP_OK : MHD_HTTP_PARTIAL_CONTENT, response, ok);
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

static ssize_t no_content(void *context, uint64_t position, char *buffer, size_t most)
{
    (void)context, (void)position, (void)buffer, (void)most;
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
    return send_once(request, MHD_HTTP_OK, response, response && add_tile(response, request, NULL));
}

enum MHD_Result reply_not_modified(struct request *request, const char *etag)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    const bool ok = response && add_validators(response, request, etag) && add_common(response, request);
    return send_once(request, MHD_HTTP_NOT_MODIFIED, response, ok);
}

/* ---- Everything else ----------------------------------------------------------------------------------- */

enum MHD_Result reply_text(struct request *request, unsigned status, const char *type, const char *text)
{
    request->body_bytes = strlen(text);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(request->body_bytes, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    const bool ok = response && add(response, "Content-Type", type) &&
                    add(response, "Cache-Control", "no-store") && add_common(response, request);
    return send_once(request, status, response, ok);
}

/* Of the route's own: a world says its seed. */
static bool add_json(struct MHD_Response *response, const struct request *request, const char *etag)
{
    return add(response, "Content-Type", "application/json") && add_common(response, request) &&
           (etag ? add_validators(response, request, etag)
                 : add(response, "Cache-Control", "no-store") &&
                       (!varies_by_coding(request) || add(response, "Vary", "Accept-Encoding"))) &&
           (request->target.route != ROUTE_WORLD || add_seed(response, request));
}

static enum tile_coding coding_of(const struct request *request, size_t bytes)
{
    return bytes > TEXT_CODED_BYTES && varies_by_coding(request)
               ? accept_coding(request_header(request, "Accept-Encoding"))
               : CODING_IDENTITY;
}

/* Of bytes that the response takes, or that stay (MHD_RESPMEM_PERSISTENT). */
static struct MHD_Response *coded_response(struct request *request, void *data, size_t bytes,
                                           enum tile_coding coding, enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(bytes, data, mode);
    request->body_bytes = bytes;
    if (!response && mode == MHD_RESPMEM_MUST_FREE)
        free(data);
    if (response && coding != CODING_IDENTITY &&
        !add(response, "Content-Encoding", tile_coding_name[coding])) {
        MHD_destroy_response(response);
        return NULL;
    }
    return response;
}

struct MHD_Response *reply_coded(struct request *request, char *text, size_t bytes)
{
    const enum tile_coding coding = coding_of(request, bytes);
    size_t coded_bytes = 0;
    unsigned char *coded = coding == CODING_IDENTITY
                               ? NULL
                               : coding_apply_alone(coding, (const unsigned char *)text, bytes, &coded_bytes);
    if (!coded)
        return coded_response(request, text, bytes, CODING_IDENTITY, MHD_RESPMEM_MUST_FREE);
    free(text);
    return coded_response(request, coded, coded_bytes, coding, MHD_RESPMEM_MUST_FREE);
}

enum MHD_Result reply_json(struct request *request, unsigned status, unsigned char *data, size_t bytes,
                           const char *etag)
{
    struct MHD_Response *response = reply_coded(request, (char *)data, bytes);
    return send_once(request, status, response, response && add_json(response, request, etag));
}

void static_text_init(struct static_text *text, const char *data, size_t bytes)
{
    const XXH128_hash_t hash = XXH3_128bits(data, bytes);
    etag_write(text->etag, &(struct digest){.low = hash.low64, .high = hash.high64});
    text->form[CODING_IDENTITY] = (struct static_form){(unsigned char *)(uintptr_t)data, bytes};
    for (int c = CODING_IDENTITY + 1; c < CODINGS; c++) {
        struct static_form *form = &text->form[c];
        form->data =
            coding_apply_alone((enum tile_coding)c, (const unsigned char *)data, bytes, &form->bytes);
    }
}

enum MHD_Result reply_static_json(struct request *request, const struct static_text *text)
{
    enum tile_coding coding = coding_of(request, text->form[CODING_IDENTITY].bytes);
    if (!text->form[coding].data)
        coding = CODING_IDENTITY;
    const struct static_form *form = &text->form[coding];
    struct MHD_Response *response =
        coded_response(request, form->data, form->bytes, coding, MHD_RESPMEM_PERSISTENT);
    return send_once(request, MHD_HTTP_OK, response, response && add_json(response, request, text->etag));
}

enum MHD_Result reply_document(struct request *request, const char *type, char *text, size_t bytes,
                               const char *etag, const char *vary, bool personal)
{
    const bool alone = personal || is_private(request), coded = varies_by_coding(request);
    char headers[160];
    struct MHD_Response *response = text ? reply_coded(request, text, bytes)
                                         : MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    snprintf(headers, sizeof headers, "%s%s%s", coded ? "Accept-Encoding" : "", coded && vary ? ", " : "",
             vary ? vary : "");
    const bool ok = response && (!text || add(response, "Content-Type", type)) &&
                    add_common(response, request) && add_etag(response, request, etag) &&
                    (!text || add_seed(response, request)) &&
                    add(response, "Cache-Control", alone ? "private, max-age=60" : "public, max-age=60") &&
                    (!headers[0] || add(response, "Vary", headers));
    return send_once(request, text ? MHD_HTTP_OK : MHD_HTTP_NOT_MODIFIED, response, ok);
}

enum MHD_Result reply_typed(struct request *request, struct MHD_Response *response, const char *type,
                            const char *etag)
{
    const bool ok =
        response && add(response, "Content-Type", type) && add_common(response, request) &&
        (etag ? add_validators(response, request, etag) : add(response, "Cache-Control", "no-store"));
    return send_once(request, MHD_HTTP_OK, response, ok);
}

/* Whatever headers a page asks for it may send: no cookies come with them (Allow-Origin is "*"). What is no list of names gets
 * those that are of use here. */
static const char *headers_allowed(const struct request *request)
{
    enum { MOST = 1024 };
    const char *asked = request_header(request, "Access-Control-Request-Headers");
    const size_t bytes = asked
                             ? strspn(asked, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                             "!#$%&'*+-.^_`|~, \t")
                             : 0;
    return bytes > 0 && bytes <= MOST && !asked[bytes]
               ? asked
               : "Accept, Authorization, Content-Type, If-None-Match, If-Range, Priority, Range, X-Api-Key, "
                 "X-Request-Id";
}

enum MHD_Result reply_preflight(struct request *request, const char *allow)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    const bool ok =
        response && add(response, "Allow", allow) && add_common(response, request) &&
        (!is_open(request) || (add(response, "Access-Control-Allow-Methods", allow) &&
                               add(response, "Access-Control-Allow-Headers", headers_allowed(request)) &&
                               add(response, "Vary", "Access-Control-Request-Headers") &&
                               add(response, "Access-Control-Max-Age", "86400")));
    return send_once(request, MHD_HTTP_NO_CONTENT, response, ok);
}

/* What was refused a while ago. */
static enum MHD_Result tell(struct request *request)
{
    const struct target *target = &request->target;
    return problem(request, target->status, target->parameter, target->detail, request->retry_after_s, NULL,
                   NULL);
}

/* The target keeps what is to be told. A pool that is being stopped lets nobody nap: it is told at once. */
enum MHD_Result reply_problem(struct request *request, unsigned status, const char *parameter,
                              const char *detail, int retry_after_s)
{
    if (status != MHD_HTTP_TOO_MANY_REQUESTS && status != MHD_HTTP_SERVICE_UNAVAILABLE)
        return problem(request, status, parameter, detail, retry_after_s, NULL, NULL);
    request->target.status = status;
    request->target.parameter = parameter;
    snprintf(request->target.detail, sizeof request->target.detail, "%s", detail);
    request->retry_after_s = retry_after_s;
    request->woken = tell;
    request_sleep(request);
    if (!pool_nap(request->service->pool, &request->waiter, CLASSES, REFUSAL_MS))
        request_wake(&request->waiter);
    return MHD_YES;
}

enum MHD_Result reply_method(struct request *request, const char *allow)
{
    char detail[80];
    snprintf(detail, sizeof detail, "Use one of %s.", allow);
    return problem(request, MHD_HTTP_METHOD_NOT_ALLOWED, NULL, detail, 0, "Allow", allow);
}

enum MHD_Result reply_unmade(struct request *request, enum pool_outcome outcome)
{
    switch (outcome) {
    case POOL_FULL:
        return reply_problem(request, 503, NULL, "The render queue is full; try again shortly.", 1);
    case POOL_EXPIRED:
        return reply_problem(request, 503, NULL, "It was not ready in time; try again shortly.", 1);
    case POOL_STOPPED:
        return reply_problem(request, 503, NULL, "The server is stopping; try again shortly.", 1);
    case POOL_FAILED:
        return reply_problem(request, 503, NULL, "The server is short of memory; try again shortly.", 2);
    case POOL_OVER:
        return guard_over(request);
    case POOL_DONE:
    case POOL_GONE:
        break;
    }
    return MHD_NO;
}
