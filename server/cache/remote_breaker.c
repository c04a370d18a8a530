/*
 * The breaker.
 *
 *                    the keeper's PING is answered
 *     (start) ► OPEN ─────────────────────────────► CLOSED
 *                ▲                                    │
 *                └────────────────────────────────────┘
 *       some failures in a row, or more than one in four, over all threads; or the store says that it is not well
 *
 *  (1) Open: nobody asks, all that is queued is dropped, and the keeper alone tries, every retry_ms; more seldom
 *      where the store answers a PING and then fails again and again.
 *  (2) A failure is a deadline, a connection or nonsense. What the store refuses is an answer.
 *  (3) The log has one line when it opens, with the cause, and one when it closes.
 */
#include "../observe/log.h"
#include "remote_state.h"

enum { FAILURES = 3, FLAPS_MOST = 2, WEIGHT = 3 /* of a failure; a success takes one away */ };
#define FLAP_NS UINT64_C(10000000000) /* opening again so soon after closing is a flap */

void breaker_success(struct remote *remote)
{
    unsigned failures = atomic_load_explicit(&remote->failures, memory_order_relaxed);

    while (failures > 0 && !atomic_compare_exchange_weak_explicit(&remote->failures, &failures, failures - 1,
                                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

void breaker_open(struct remote *remote, const char *why)
{
    bool was = true;

    if (!atomic_compare_exchange_strong(&remote->well, &was, false))
        return;
    const uint64_t closed_ns = atomic_load(&remote->closed_ns);
    if (uv_hrtime() - closed_ns > FLAP_NS)
        atomic_store(&remote->flaps, 0);
    else if (atomic_load(&remote->flaps) < FLAPS_MOST)
        atomic_fetch_add(&remote->flaps, 1);
    remote_count(&remote->opened, 1);
    log_write(LOG_WARNING, "cache", "the shared tier %s fails (%s): going without it until it answers",
              remote->shown, why);
    uv_mutex_lock(&remote->mutex);
    uv_cond_broadcast(&remote->work);
    uv_cond_broadcast(&remote->idle);
    uv_mutex_unlock(&remote->mutex);
}

void breaker_failure(struct remote *remote, const char *why)
{
    remote_count(&remote->errors, 1);
    if (atomic_fetch_add_explicit(&remote->failures, WEIGHT, memory_order_relaxed) + WEIGHT >=
        FAILURES * WEIGHT)
        breaker_open(remote, why);
}

void breaker_close(struct remote *remote)
{
    atomic_store(&remote->failures, 0);
    atomic_store(&remote->closed_ns, uv_hrtime());
    atomic_store(&remote->well, true);
    log_write(LOG_INFO, "cache", "the shared tier %s answers", remote->shown);
}

uint64_t breaker_rest_ns(const struct remote *remote)
{
    return remote->retry_ns << atomic_load(&remote->flaps);
}
