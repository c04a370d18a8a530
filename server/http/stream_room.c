/*
 * Room for streams: one number for all threads, which is also the metric.
 */
#include "stream_room.h"

#include "../check.h"

enum { RETRY_S = 2 };

bool stream_room_book(atomic_int_fast64_t *held, uint64_t most, uint64_t bytes)
{
    int_fast64_t now = atomic_load(held);
    do {
        if (most > 0 && (uint64_t)now + bytes > most)
            return false;
    } while (!atomic_compare_exchange_weak(held, &now, now + (int_fast64_t)bytes));
    return true;
}

bool stream_room_take(struct request *request, uint64_t bytes, enum MHD_Result *result)
{
    struct metrics *metrics = &request->service->metrics;
    CHECK(request->stream_bytes == 0 && bytes <= STREAM_BYTES_MOST);
    if (stream_room_book(&metrics->stream_bytes, request->settings->config.limits.stream_bytes, bytes)) {
        request->stream_bytes = bytes;
        return false;
    }
    metrics_add(&metrics->streams_refused, 1);
    *result = reply_problem(request, 503, NULL,
                            "Too many regions and batches are being sent; try again shortly.", RETRY_S);
    return true;
}

void stream_room_free(struct request *request)
{
    metrics_move(&request->service->metrics.stream_bytes, -(int64_t)request->stream_bytes);
    request->stream_bytes = 0;
}
