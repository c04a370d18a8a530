/*
 * Hosts, keys, tokens and the 429 where none is left, room for streams, urgency.
 */
#include "guard.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "../base/check.h"
#include "request_text.h"

enum {
    FORWARDED_BYTES = 4096,
    ROOM_RETRY_S = 2,
    PACE_FREE_BYTES = 2 << 20, /* of small regions: clients that take SEND_RATE may have them */
    PACE_S = 32
};

unsigned guard_client(const struct request *request, struct sockaddr_storage *client)
{
    char text[FORWARDED_BYTES];
    const bool asks = request->settings->config.http.trusted_proxies.count && !request->link->refused;
    return networks_client(request->settings->proxies, (const struct sockaddr *)&request->link->peer,
                           asks ? header_list(request, "X-Forwarded-For", text, sizeof text) : NULL, client);
}

/* ---- Keys ---------------------------------------------------------------------------------------------- */

/* What follows "Bearer " in an Authorization header; NULL: there is none. */
static const char *bearer(const struct request *request)
{
    static const char scheme[] = "Bearer ";
    const char *value = request_header(request, "Authorization");
    if (!value || strncasecmp(value, scheme, sizeof scheme - 1) != 0)
        return NULL;
    value += sizeof scheme - 1;
    return value + strspn(value, " ");
}

const char *guard_key(const struct request *request)
{
    const char *key = bearer(request);
    if (!key)
        key = request_header(request, "X-Api-Key");
    if (!key)
        key = request_argument(request, "key");
    return key;
}

/* true: refused. */
static bool check_key(struct request *request, enum MHD_Result *result)
{
    const struct settings *settings = request->settings;
    const char *key = settings->keys ? guard_key(request) : NULL, *why = NULL;
    if (key) {
        const struct key_holder *holder = keys_find(settings->keys, key, strlen(key));
        if (!holder)
            why = "There is no such key.";
        else if (holder->expires_s <= time(NULL))
            why = "This key has expired.";
        else
            request->holder = holder;
    } else if (settings->config.access.required) {
        why = "This server wants a key: Authorization: Bearer KEY, X-Api-Key: KEY, or key=KEY in the query.";
    }
    if (!why)
        return false;
    *result = reply_problem(request, 401, "key", why, 0);
    return true;
}

bool guard_admin(struct request *request, enum MHD_Result *result)
{
    const char *token = request->settings->admin_token, *given = bearer(request);
    if (token && given && secret_equal(token, strlen(token), given, strlen(given)))
        return false;
    *result = token
                  ? reply_problem(request, 401, "Authorization", "This wants Authorization: Bearer TOKEN.", 0)
                  : reply_problem(request, 403, NULL,
                                  "Nothing can be changed here: access.admin_token_file is not set.", 0);
    return true;
}

/* ---- Every request ------------------------------------------------------------------------------------- */

/* The host of an absolute target counts for more than the header (RFC 9112, section 3.2.2). */
static bool asks_for_us(const struct request *request)
{
    const struct config_list *hosts = &request->settings->config.http.hosts;
    const char *at = strncasecmp(request->text, "http://", 7) == 0    ? request->text + 7
                     : strncasecmp(request->text, "https://", 8) == 0 ? request->text + 8
                                                                      : NULL;
    char authority[TEXT_HOST_BYTES + 8];
    if (!at)
        return host_allowed(hosts, request_header(request, "Host"));
    snprintf(authority, sizeof authority, "%.*s", (int)strcspn(at, "/?#"), at);
    return host_allowed(hosts, authority);
}

bool guard_check(struct request *request, enum MHD_Result *result)
{
    const struct config_http *config = &request->settings->config.http;
    const enum route route = request->target.route;
    if (request->too_long) {
        *result = reply_problem(request, 414, NULL,
                                "The request target is too long, or has more than 32 parameters.", 0);
    } else if (request->no_host) {
        *result = reply_problem(request, 400, "Host", "HTTP/1.1 requests need a Host header.", 0);
    } else if (request->too_large) {
        _Static_assert(REQUEST_BODY_BYTES == 65536, "as the sentence says");
        *result = reply_problem(request, 413, "body", "The request's body is longer than 65536 bytes.", 0);
    } else if (request->no_room) {
        *result =
            reply_problem(request, 431, "headers", "The request's headers leave no room for its body.", 0);
    } else if (!request->link->loop->admin && config->hosts.count && !route_row[route].probe &&
               !asks_for_us(request)) {
        *result = reply_problem(request, 421, "Host", "This server does not answer for that host.", 0);
    } else {
        return !request->link->loop->admin && route_row[route].keyed &&
               strcmp(request->method, "OPTIONS") != 0 && check_key(request, result);
    }
    return true;
}

/* ---- 429 ----------------------------------------------------------------------------------------------- */

/* Over the limit of a bucket, in which there will be a token in so many milliseconds; BUCKETS: over its share of the queue. */
static enum MHD_Result refuse_over(struct request *request, enum metric_bucket bucket, unsigned wait_ms)
{
    static const char *const what[BUCKETS] = {"tiles", "tiles that have to be made"};
    char detail[120] =
        "Too many tiles that this client has asked for wait to be made; ask for fewer at once.";
    if (bucket < BUCKETS)
        snprintf(detail, sizeof detail, "Over the limit of %u %s a minute.",
                 guard_payer(request, bucket).rate.per_minute, what[bucket]);
    metrics_add(&request->service->metrics.limited[bucket], 1);
    return reply_problem(request, 429, NULL, detail, (int)(wait_ms / 1000 + (wait_ms % 1000 > 0)));
}

/* ---- Tokens -------------------------------------------------------------------------------------------- */

/* A burst that is not said is a minute's worth. */
static struct rate rate_of(const struct request *request, enum metric_bucket bucket)
{
    const struct config_limits *limits = &request->settings->config.limits;
    struct rate rate = bucket == BUCKET_TILES
                           ? (struct rate){limits->tiles_per_minute, limits->tiles_burst}
                           : (struct rate){limits->renders_per_minute, limits->renders_burst};
    if (request->holder && request->holder->has_rate[bucket])
        rate = request->holder->rate[bucket];
    if (!rate.burst)
        rate.burst = rate.per_minute;
    return rate;
}

/* Sets client, whose tokens and room it takes: the key's holder, else the address. Always the same for one request. */
static void identify(struct request *request)
{
    const struct clients *clients = request->service->clients;
    struct sockaddr_storage client;
    if (request
            ->identified) /* headers are not asked again: they are another's once a connection has been refused */
        return;
    request->identified = true;
    if (request->holder) {
        request->client = clients_of_key(clients, request->holder->sha256);
    } else if (request->settings->config.http.trusted_proxies.count) {
        guard_client(request, &client);
        request->client = clients_of_address(clients, (struct sockaddr *)&client);
    } else {
        request->client = request->link->client;
    }
}

/*
 * Takes tokens where there is one at least; or, if it may owe, where the request has had some. Returns the milliseconds until
 * there is one, 0 where it got them or needs none.
 */
static unsigned take(struct request *request, enum metric_bucket bucket, size_t tokens, bool owes)
{
    const struct rate rate = rate_of(request, bucket);
    if (!rate.per_minute || tokens == 0)
        return 0;
    identify(request);
    const unsigned wait_ms = clients_take(request->service->clients, &request->client, bucket, &rate,
                                          owes && request->paid[bucket] > 0 ? -CLIENTS_TOKENS_MAX : 1,
                                          (unsigned)tokens, uv_hrtime());
    request->paid[bucket] += wait_ms == 0 ? (unsigned)tokens : 0;
    return wait_ms;
}

bool guard_afford(struct request *request, enum metric_bucket bucket)
{
    return take(request, bucket, 1, false) == 0;
}

void guard_charge(struct request *request)
{
    const struct payer payer = guard_payer(request, BUCKET_RENDERS);
    clients_charge(&payer, CLIENTS_TOKEN_NS, uv_hrtime());
    request->paid[BUCKET_RENDERS] += payer.rate.per_minute > 0;
}

/* A token that is not there is owed. */
bool guard_owe(struct request *request)
{
    const struct payer payer = guard_payer(request, BUCKET_RENDERS);
    if (clients_left_ns(&payer, uv_hrtime()) <= -(int64_t)CLIENTS_DEBT_NS)
        return false;
    guard_charge(request);
    return true;
}

bool guard_take(struct request *request, enum metric_bucket bucket, size_t count, enum MHD_Result *result)
{
    const unsigned wait_ms = take(request, bucket, count, true);
    if (!wait_ms)
        return false;
    if (bucket == BUCKET_RENDERS)
        guard_give_back(request, BUCKET_TILES, 0);
    *result = refuse_over(request, bucket, wait_ms);
    return true;
}

bool guard_debt(struct request *request, enum MHD_Result *result)
{
    const struct payer payer = guard_payer(request, BUCKET_RENDERS);
    if (clients_left_ns(&payer, uv_hrtime()) > -(int64_t)CLIENTS_DEBT_NS)
        return false;
    *result = guard_over(request);
    return true;
}

enum MHD_Result guard_over(struct request *request)
{
    const struct payer payer = guard_payer(request, BUCKET_RENDERS);
    const unsigned wait_ms =
        clients_take(payer.clients, &payer.client, BUCKET_RENDERS, &payer.rate, 1, 0, uv_hrtime());
    return wait_ms > 0 ? refuse_over(request, BUCKET_RENDERS, wait_ms) : refuse_over(request, BUCKETS, 1000);
}

void guard_give_back(struct request *request, enum metric_bucket bucket, size_t keep)
{
    const struct rate rate = rate_of(request, bucket);
    const unsigned paid = request->paid[bucket];
    if (paid <= keep)
        return;
    request->paid[bucket] = (unsigned)keep;
    clients_give_back(request->service->clients, &request->client, bucket, &rate, paid - (unsigned)keep);
}

void guard_refund(struct request *request)
{
    if (request->paid[BUCKET_RENDERS] > 0)
        guard_give_back(request, BUCKET_RENDERS, request->paid[BUCKET_RENDERS] - 1);
}

struct payer guard_payer(struct request *request, enum metric_bucket bucket)
{
    identify(request);
    return (struct payer){request->service->clients, request->client, rate_of(request, bucket)};
}

void payer_refund(const struct payer *payer, enum metric_bucket bucket)
{
    if (payer->rate.per_minute)
        clients_give_back(payer->clients, &payer->client, bucket, &payer->rate, 1);
}

/* ---- Room for streams ---------------------------------------------------------------------------------- */

/* Whether a client that has own bytes may have more, where others have the rest of what is held. */
static bool fits(uint64_t max, uint64_t others, uint64_t own, uint64_t bytes)
{
    const uint64_t all = others + own + bytes;
    return all <= max && (others + own == 0 || own + bytes <= max - all);
}

enum stream_room stream_room_book(atomic_int_fast64_t *held, uint64_t max, uint64_t own, uint64_t bytes)
{
    int_fast64_t now = atomic_load(held);
    do {
        const uint64_t others = (uint64_t)now > own ? (uint64_t)now - own : 0;
        if (max > 0 && !fits(max, others, own, bytes))
            return own > 0 && fits(max, others, 0, bytes) ? STREAM_ROOM_SHARE : STREAM_ROOM_FULL;
    } while (!atomic_compare_exchange_weak(held, &now, now + (int_fast64_t)bytes));
    return STREAM_ROOM_BOOKED;
}

uint64_t stream_room_rate(uint64_t bytes)
{
    return SEND_RATE + (bytes > PACE_FREE_BYTES ? (bytes - PACE_FREE_BYTES) / PACE_S : 0);
}

/* A client for which the table has no place is told what one is told that comes too late. */
static enum stream_room book(struct request *request, uint64_t bytes)
{
    struct clients *clients = request->service->clients;
    uint64_t own;
    identify(request);
    if (!clients_hold(clients, &request->client, bytes, &own))
        return STREAM_ROOM_FULL;
    const enum stream_room room = stream_room_book(&request->service->metrics.stream_bytes,
                                                   request->settings->config.limits.stream_bytes, own, bytes);
    if (room != STREAM_ROOM_BOOKED)
        clients_release(clients, &request->client, bytes);
    return room;
}

bool stream_room_take(struct request *request, uint64_t bytes, enum MHD_Result *result)
{
    struct metrics *metrics = &request->service->metrics;
    CHECK(request->stream_bytes == 0 && bytes <= STREAM_BYTES_MAX);
    switch (book(request, bytes)) {
    case STREAM_ROOM_BOOKED:
        request->stream_bytes = bytes;
        request->link->send_rate = stream_room_rate(bytes);
        return false;
    case STREAM_ROOM_SHARE:
        metrics_add(&metrics->streams_refused[STREAM_CLIENT], 1);
        *result = reply_problem(request, 429, NULL,
                                "What is being sent to you already holds as much as one client may have; try "
                                "again shortly.",
                                ROOM_RETRY_S);
        return true;
    case STREAM_ROOM_FULL:
        break;
    }
    metrics_add(&metrics->streams_refused[STREAM_LIMIT], 1);
    *result = reply_problem(request, 503, NULL,
                            "Too many regions and batches are being sent; try again shortly.", ROOM_RETRY_S);
    return true;
}

void stream_room_keep(struct request *request, uint64_t bytes)
{
    bytes = (bytes + CLIENTS_BLOCK_BYTES - 1) / CLIENTS_BLOCK_BYTES *
            CLIENTS_BLOCK_BYTES; /* as clients hold it */
    if (bytes >= request->stream_bytes)
        return;
    const uint64_t less = request->stream_bytes - bytes;
    metrics_move(&request->service->metrics.stream_bytes, -(int64_t)less);
    clients_release(request->service->clients, &request->client, less);
    request->stream_bytes = bytes;
    request->link->send_rate = stream_room_rate(bytes);
}

void stream_room_free(struct request *request)
{
    const uint64_t bytes = request->stream_bytes;
    if (bytes == 0)
        return;
    metrics_move(&request->service->metrics.stream_bytes, -(int64_t)bytes);
    clients_release(request->service->clients, &request->client, bytes);
    request->stream_bytes = 0;
    request->link->send_rate = SEND_RATE;
}

/* ---- Urgency ------------------------------------------------------------------------------------------- */

enum metric_class priority_class(const char *priority, const char *purpose)
{
    if (purpose && strncmp(purpose, "prefetch", strlen("prefetch")) == 0)
        return CLASS_NEIGHBOUR;
    for (const char *at = priority; at && *at; at++) {
        const bool starts = at == priority || at[-1] == ',' || at[-1] == ' ' || at[-1] == '\t';
        if (starts && at[0] == 'u' && at[1] == '=' && at[2] >= '0' && at[2] <= '7' &&
            !(at[3] >= '0' && at[3] <= '9'))
            return at[2] <= '3' ? CLASS_WAITING : at[2] <= '5' ? CLASS_NEIGHBOUR : CLASS_BULK;
    }
    return CLASS_WAITING;
}
