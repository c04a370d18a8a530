/*
 * Room for streams: one number for all threads, which is also the metric, and one for each client.
 */
#include "stream_room.h"

#include "../base/check.h"

enum {
    RETRY_S = 2,
    PACE_FREE_BYTES = 2 << 20, /* of small regions: whoever takes SEND_RATE may have them */
    PACE_S = 32
};

/* Whether a client that has own bytes may have more, where others have the rest of what is held. */
static bool fits(uint64_t most, uint64_t others, uint64_t own, uint64_t bytes)
{
    const uint64_t all = others + own + bytes;
    return all <= most && (others + own == 0 || own + bytes <= most - all);
}

enum stream_room stream_room_book(atomic_int_fast64_t *held, uint64_t most, uint64_t own, uint64_t bytes)
{
    int_fast64_t now = atomic_load(held);
    do {
        const uint64_t others = (uint64_t)now > own ? (uint64_t)now - own : 0;
        if (most > 0 && !fits(most, others, own, bytes))
            return own > 0 && fits(most, others, 0, bytes) ? STREAM_ROOM_SHARE : STREAM_ROOM_FULL;
    } while (!atomic_compare_exchange_weak(held, &now, now + (int_fast64_t)bytes));
    return STREAM_ROOM_BOOKED;
}

uint64_t stream_room_rate(uint64_t bytes)
{
    return SEND_RATE + (bytes > PACE_FREE_BYTES ? (bytes - PACE_FREE_BYTES) / PACE_S : 0);
}

/* Whose table has no place is told what one is told who comes too late. */
static enum stream_room book(struct request *request, uint64_t bytes)
{
    struct clients *clients = request->service->clients;
    uint64_t own;
    guard_identify(request);
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
    CHECK(request->stream_bytes == 0 && bytes <= STREAM_BYTES_MOST);
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
                                RETRY_S);
        return true;
    case STREAM_ROOM_FULL:
        break;
    }
    metrics_add(&metrics->streams_refused[STREAM_LIMIT], 1);
    *result = reply_problem(request, 503, NULL,
                            "Too many regions and batches are being sent; try again shortly.", RETRY_S);
    return true;
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
