/*
 * Replies: what all of them share, texts, and why there is nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json_text.h"
#include "../encode/coding.h"
#include "guard.h"
#include "http.h"
#include "reply_parts.h"
#include "request_text.h"

enum {
    REFUSAL_MS = 100,       /* until 429 and 503 are told */
    TEXT_CODED_BYTES = 1024 /* texts of more are coded */
};

/* What the operators' listener answers is for no page: a browser inside is not to hand it to one from outside. */
static bool is_open(const struct request *request)
{
    return !request->link->loop->admin;
}

/* What every answer says. */
bool reply_add_common(struct MHD_Response *response, const struct request *request)
{
    return add(response, "X-Content-Type-Options", "nosniff") &&
           (!is_open(request) ||
            (add(response, "Access-Control-Allow-Origin", "*") && add(response, "Timing-Allow-Origin", "*") &&
             add(response, "Access-Control-Expose-Headers", "*") &&
             add(response, "Cross-Origin-Resource-Policy", "cross-origin")));
}

/* Queues a response once and lets go of it; NULL and half-made ones (ok false) close the connection. */
enum MHD_Result reply_send(struct request *request, unsigned status, struct MHD_Response *response, bool ok)
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

bool reply_is_private(const struct request *request)
{
    return request->settings->config.access.required;
}

/* What a key has opened is nobody else's to keep. */
static const char *cache_control(const struct request *request)
{
    enum { USUAL, LASTING, CHANGING };
    static const char *const control[3][2] = {
        [USUAL] = {"public, max-age=3600, stale-while-revalidate=86400",
                   "private, max-age=3600, stale-while-revalidate=86400"},
        [LASTING] = {"public, max-age=31536000, immutable", "private, max-age=31536000, immutable"},
        [CHANGING] = {"public, max-age=0, must-revalidate", "private, max-age=0, must-revalidate"}};
    const struct target *target = &request->target;
    return control[target->pinned      ? LASTING
                   : target->key.edits ? CHANGING
                                       : USUAL][reply_is_private(request)];
}

/* Whether Accept chose, or could have. */
bool reply_is_negotiated(const struct target *target)
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

bool reply_add_validators(struct MHD_Response *response, const struct request *request, const char *etag)
{
    static const char *const vary[2][2] = {{NULL, "Accept-Encoding"}, {"Accept", "Accept, Accept-Encoding"}};
    const char *headers = vary[reply_is_negotiated(&request->target)][varies_by_coding(request)];
    char more[64];
    if (request->vary_prefix) {
        snprintf(more, sizeof more, "%s%sX-Forwarded-Prefix", headers ? headers : "", headers ? ", " : "");
        headers = more;
    }
    return add_etag(response, request, etag) && add(response, "Cache-Control", cache_control(request)) &&
           (!headers || add(response, "Vary", headers));
}

/* The canonical form of the seed that was asked for, where it is no secret. */
bool reply_add_seed(struct MHD_Response *response, const struct request *request)
{
    const struct tile_key *key = &request->target.key;
    char seed[TILE_SEED_BYTES];
    return key->alias || add(response, "Terrane-Seed", tile_world_name(key, seed));
}

bool reply_tells_edit(const struct request *request)
{
    return request->target.key.edits && request->service->follow;
}

bool reply_add_edit(struct MHD_Response *response, const struct request *request)
{
    char number[24];
    if (!reply_tells_edit(request))
        return true;
    snprintf(number, sizeof number, "%" PRIu64, request->target.key.at);
    return add(response, "Terrane-Edit", number);
}

/* ---- Problems ------------------------------------------------------------------------------------------ */

/* The phrase of the status, as RFC 9457, section 4.2.1, wants it: of RFC 9110, 429 of RFC 6585, 507 of RFC 4918. */
static const char *title_of(unsigned status)
{
    static const struct {
        unsigned status;
        const char *title;
    } titles[] = {{400, "Bad Request"},
                  {401, "Unauthorized"},
                  {403, "Forbidden"},
                  {404, "Not Found"},
                  {405, "Method Not Allowed"},
                  {409, "Conflict"},
                  {410, "Gone"},
                  {412, "Precondition Failed"},
                  {413, "Content Too Large"},
                  {414, "URI Too Long"},
                  {416, "Range Not Satisfiable"},
                  {421, "Misdirected Request"},
                  {422, "Unprocessable Content"},
                  {429, "Too Many Requests"},
                  {431, "Request Header Fields Too Large"},
                  {503, "Service Unavailable"},
                  {507, "Insufficient Storage"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (titles[i].status == status)
            return titles[i].title;
    return "Internal Server Error";
}

/*
 * A mistake in a target is one for all, for a minute. What depends on the client, or when it asks (an operation that has not come yet), or on
 * headers that caches do not tell apart, is nobody's to keep.
 */
static const char *problem_control(const struct request *request, unsigned status, const char *parameter)
{
    const bool lasting = status == 400 || status == 404 || status == 405 || status == 410 || status == 414;
    const bool of_now = parameter && (strcmp(parameter, "Host") == 0 || strcmp(parameter, "at") == 0 ||
                                      strcmp(parameter, "Last-Event-ID") == 0);
    if (!lasting || of_now || request->target.negotiated)
        return "no-store";
    return reply_is_private(request) ? "private, max-age=60" : "public, max-age=60";
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
              reply_add_common(response, request) &&
              add(response, "Cache-Control", problem_control(request, status, parameter));
    if (ok && retry_after_s > 0) {
        snprintf(retry, sizeof retry, "%d", retry_after_s);
        ok = add(response, "Retry-After", retry);
    }
    if (ok && status == MHD_HTTP_UNAUTHORIZED)
        ok = add(response, "WWW-Authenticate", "Bearer realm=\"terrane\"");
    if (ok && header)
        ok = add(response, header, value);
    request->body_bytes = bytes;
    return reply_send(request, status, response, ok);
}

enum MHD_Result reply_not_modified(struct request *request, const char *etag)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    const bool ok = response && reply_add_validators(response, request, etag) &&
                    reply_add_common(response, request) && reply_add_edit(response, request);
    return reply_send(request, MHD_HTTP_NOT_MODIFIED, response, ok);
}

enum MHD_Result reply_unsatisfiable(struct request *request, uint64_t bytes)
{
    char range[40];
    snprintf(range, sizeof range, "bytes */%" PRIu64, bytes);
    return problem(request, MHD_HTTP_RANGE_NOT_SATISFIABLE, "Range",
                   "What was asked for ends before that range begins.", 0, "Content-Range", range);
}

/* ---- Everything else ----------------------------------------------------------------------------------- */

enum MHD_Result reply_text(struct request *request, unsigned status, const char *type, const char *text)
{
    request->body_bytes = strlen(text);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(request->body_bytes, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    const bool ok = response && add(response, "Content-Type", type) &&
                    add(response, "Cache-Control", "no-store") && reply_add_common(response, request);
    return reply_send(request, status, response, ok);
}

/* Of the route's own: a world says its seed. */
static bool add_json(struct MHD_Response *response, const struct request *request, const char *etag)
{
    return add(response, "Content-Type", "application/json") && reply_add_common(response, request) &&
           (etag ? reply_add_validators(response, request, etag)
                 : add(response, "Cache-Control", "no-store") &&
                       (!varies_by_coding(request) || add(response, "Vary", "Accept-Encoding"))) &&
           (request->target.route != ROUTE_WORLD || reply_add_seed(response, request));
}

enum tile_coding request_coding(const struct request *request)
{
    char text[REQUEST_LIST_BYTES];
    return accept_coding(request_list(request, "Accept-Encoding", text));
}

static enum tile_coding coding_of(const struct request *request, size_t bytes)
{
    return bytes > TEXT_CODED_BYTES && varies_by_coding(request) ? request_coding(request) : CODING_IDENTITY;
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

struct MHD_Response *reply_coded_as(struct request *request, void *data, size_t bytes,
                                    enum tile_coding coding)
{
    return coded_response(request, data, bytes, coding, MHD_RESPMEM_MUST_FREE);
}

struct MHD_Response *reply_coded(struct request *request, char *text, size_t bytes)
{
    unsigned char *data = (unsigned char *)text;
    const enum tile_coding coding = coding_apply_over(coding_of(request, bytes), &data, &bytes);
    return reply_coded_as(request, data, bytes, coding);
}

enum MHD_Result reply_json(struct request *request, unsigned status, unsigned char *data, size_t bytes,
                           const char *etag)
{
    struct MHD_Response *response = reply_coded(request, (char *)data, bytes);
    return reply_send(request, status, response, response && add_json(response, request, etag));
}

enum MHD_Result reply_json_coded(struct request *request, unsigned status, struct reply_text *text,
                                 const char *etag)
{
    struct MHD_Response *response = reply_coded_as(request, text->data, text->bytes, text->coding);
    text->data = NULL;
    return reply_send(request, status, response, response && add_json(response, request, etag));
}

enum tile_coding reply_coding(const struct request *request)
{
    return coding_of(request, SIZE_MAX);
}

bool reply_text_write(struct reply_text *text, const json_t *value)
{
    return reply_text_take(text, value ? json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL);
}

bool reply_text_take(struct reply_text *text, char *data)
{
    text->data = (unsigned char *)data;
    text->bytes = data ? strlen(data) : 0;
    text->coding = text->bytes > TEXT_CODED_BYTES ? coding_apply_over(text->coding, &text->data, &text->bytes)
                                                  : CODING_IDENTITY;
    return data != NULL;
}

enum MHD_Result reply_json_known(struct request *request, char *text, size_t bytes)
{
    char etag[36];
    etag_of(etag, text, bytes, 0);
    if (!request_knows(request, etag))
        return reply_json(request, MHD_HTTP_OK, (unsigned char *)text, bytes, etag);
    free(text);
    return reply_not_modified(request, etag);
}

void static_text_init(struct static_text *text, const char *data, size_t bytes)
{
    etag_of(text->etag, data, bytes, 0);
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
    return reply_send(request, MHD_HTTP_OK, response, response && add_json(response, request, text->etag));
}

enum MHD_Result reply_document(struct request *request, const char *type, char *text, size_t bytes,
                               const char *etag, const char *vary, bool personal)
{
    const bool alone = personal || reply_is_private(request), coded = varies_by_coding(request);
    char headers[160];
    struct MHD_Response *response = text ? reply_coded(request, text, bytes)
                                         : MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    snprintf(headers, sizeof headers, "%s%s%s", coded ? "Accept-Encoding" : "", coded && vary ? ", " : "",
             vary ? vary : "");
    const bool ok = response && (!text || add(response, "Content-Type", type)) &&
                    reply_add_common(response, request) && add_etag(response, request, etag) &&
                    (!text || reply_add_seed(response, request)) &&
                    add(response, "Cache-Control", alone ? "private, max-age=60" : "public, max-age=60") &&
                    (!headers[0] || add(response, "Vary", headers));
    return reply_send(request, text ? MHD_HTTP_OK : MHD_HTTP_NOT_MODIFIED, response, ok);
}

enum MHD_Result reply_typed(struct request *request, struct MHD_Response *response, const char *type,
                            const char *etag)
{
    const bool ok =
        response && add(response, "Content-Type", type) && reply_add_common(response, request) &&
        (etag ? reply_add_validators(response, request, etag) : add(response, "Cache-Control", "no-store"));
    return reply_send(request, MHD_HTTP_OK, response, ok);
}

/* Whatever headers a page asks for it may send: no cookies come with them (Allow-Origin is "*"). What is no list of names gets
 * those that are of use here. */
static const char *headers_allowed(const struct request *request)
{
    enum { MAX = 1024 };
    const char *asked = request_header(request, "Access-Control-Request-Headers");
    const size_t bytes = asked
                             ? strspn(asked, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                             "!#$%&'*+-.^_`|~, \t")
                             : 0;
    return bytes > 0 && bytes <= MAX && !asked[bytes] ? asked
                                                      : "Accept, Authorization, Content-Type, If-Match, "
                                                        "If-None-Match, If-Range, Last-Event-ID, Priority, "
                                                        "Range, X-Api-Key, "
                                                        "X-Request-Id";
}

enum MHD_Result reply_preflight(struct request *request, const char *allow)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    const bool ok =
        response && add(response, "Allow", allow) && reply_add_common(response, request) &&
        (!is_open(request) || (add(response, "Access-Control-Allow-Methods", allow) &&
                               add(response, "Access-Control-Allow-Headers", headers_allowed(request)) &&
                               add(response, "Vary", "Access-Control-Request-Headers") &&
                               add(response, "Access-Control-Max-Age", "86400")));
    return reply_send(request, MHD_HTTP_NO_CONTENT, response, ok);
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
    if (detail != request->target.detail)
        snprintf(request->target.detail, sizeof request->target.detail, "%s", detail);
    request->retry_after_s = retry_after_s;
    request->woken = tell;
    request_sleep(request);
    if (!pool_backpressure(request->service->pool, &request->waiter, CLASSES, REFUSAL_MS))
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
