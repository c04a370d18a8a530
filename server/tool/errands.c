/*
 * Errands: made once, and used again and again.
 */
#include "errands.h"

#include <stdlib.h>

#include "../base/check.h"

enum { SPARE_PLACES = 16 };

bool errands_open(struct errands *errands, unsigned threads, unsigned count, uint64_t memory_bytes,
                  bool untold)
{
    uv_mutex_init(&errands->lock);
    uv_cond_init(&errands->some);
    errands->metrics = calloc(1, sizeof *errands->metrics);
    errands->memory = memory_create(memory_bytes);
    errands->errand = calloc(count, sizeof *errands->errand);
    if (!errands->metrics || !errands->memory || !errands->errand)
        return false;
    for (unsigned i = 0; i < count; i++) {
        errands->errand[i].next = errands->free;
        errands->free = &errands->errand[i];
    }
    errands->pool = pool_start(&(struct pool_options){.threads = threads,
                                                      .queue = count + SPARE_PLACES,
                                                      .deadline_ms = UINT32_MAX,
                                                      .memory = errands->memory,
                                                      .metrics = errands->metrics,
                                                      .untold = untold});
    return errands->pool != NULL;
}

void errands_close(struct errands *errands)
{
    pool_free(errands->pool);
    memory_free(errands->memory);
    free(errands->metrics);
    free(errands->errand);
    uv_cond_destroy(&errands->some);
    uv_mutex_destroy(&errands->lock);
}

static void wake(struct waiter *waiter)
{
    struct errand *errand = (struct errand *)waiter;
    struct errands *errands = errand->errands;
    if (errands->received)
        errands->received(errand);
    uv_mutex_lock(&errands->lock);
    errand->next = errands->come;
    errands->come = errand;
    uv_cond_signal(&errands->some);
    uv_mutex_unlock(&errands->lock);
}

static bool left(struct waiter *waiter)
{
    (void)waiter;
    return false;
}

static void give_back(struct errands *errands, struct errand *errand)
{
    errand->next = errands->free;
    errands->free = errand;
    errands->under_way--;
}

static void take(struct errands *errands, struct errand *errand)
{
    if (errands->taken)
        errands->taken(errand);
    give_back(errands, errand);
}

struct errand *errands_next(struct errands *errands)
{
    struct errand *errand = errands->free;
    if (!errand)
        return NULL;
    errands->free = errand->next;
    *errand = (struct errand){.waiter = {.wake = wake, .left = left}, .errands = errands};
    errands->under_way++;
    return errand;
}

void errands_ask(struct errands *errands, struct errand *errand, const struct digest *digest,
                 const struct terrane_world *world)
{
    const struct pool_ask asked = {
        .key = &errand->key, .digest = digest, .world = world, .class = CLASS_WAITING};
    if (pool_submit(errands->pool, &asked, &errand->waiter))
        return;
    if (errands->received)
        errands->received(errand);
    take(errands, errand);
}

bool errands_run(struct errands *errands, struct errand *errand, void (*work)(struct waiter *waiter))
{
    const struct payer payer = {0};
    if (pool_run(errands->pool, &payer, CLASS_WAITING, work, &errand->waiter))
        return true;
    give_back(errands, errand);
    return false;
}

void errands_take(struct errands *errands, unsigned wait_ms)
{
    struct errand *come, *oldest = NULL;
    uv_mutex_lock(&errands->lock);
    if (!errands->come && wait_ms > 0)
        uv_cond_timedwait(&errands->some, &errands->lock, wait_ms * UINT64_C(1000000));
    come = errands->come;
    errands->come = NULL;
    uv_mutex_unlock(&errands->lock);
    for (struct errand *next; come; come = next) {
        next = come->next;
        come->next = oldest;
        oldest = come;
    }
    for (struct errand *next; oldest; oldest = next) {
        next = oldest->next;
        take(errands, oldest);
    }
}

void errands_end(struct errands *errands)
{
    pool_join(errands->pool);
    errands_take(errands, 0);
    CHECK(errands->under_way == 0);
}
