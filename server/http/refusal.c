/*
 * 429: too much of one client's.
 *
 * It is sent after REFUSAL_MS, the connection suspended: who asks again at once, and again, on all connections that he may have, is
 * not to take the processors from those who wait for tiles. The nap is the pool's; the waiter is that of the request's tile,
 * which is not waited for any more.
 */
#include <stdio.h>

#include "request.h"

enum { REFUSAL_MS = 100 };

static enum MHD_Result tell(struct request *request)
{
    static const char *const what[BUCKETS] = {"tiles", "tiles that have to be made"};
    const unsigned wait_ms = request->over_ms;
    char detail[120] =
        "Too many tiles that this client has asked for wait to be made; ask for fewer at once.";
    if (request->over < BUCKETS)
        snprintf(detail, sizeof detail, "Over the limit of %u %s a minute.",
                 guard_payer(request, request->over).rate.per_minute, what[request->over]);
    return reply_problem(request, 429, NULL, detail, (int)(wait_ms / 1000 + (wait_ms % 1000 > 0)));
}

enum MHD_Result refuse_over(struct request *request, enum metric_bucket bucket, unsigned wait_ms)
{
    metrics_add(&request->service->metrics.limited[bucket], 1);
    request->over = bucket;
    request->over_ms = wait_ms;
    request->woken = tell;
    request->waiter.since_ns = uv_hrtime();
    request_sleep(request);
    if (!pool_nap(request->service->pool, &request->waiter, CLASSES, REFUSAL_MS))
        request_wake(&request->waiter);
    return MHD_YES;
}
