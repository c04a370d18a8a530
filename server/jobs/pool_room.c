/*
 * The render pool: who finds room in the queue of tiles, who gives way, and who naps until there is some.
 *
 * All of it under the lock, but pool_nap and pool_oust.
 */
#include "pool_state.h"

enum {
    /*
     * Tiles that are looked for although those that wait to be made leave no room: they may be on disk, or in the shared tier.
     * A look that finds nothing takes 20 to 50 us on disk and 100 to 500 us there, with POOL_ASKERS at once: who has to be
     * refused knows within 25 ms, or 64. A store that answers only at its deadline has its breaker opened soon.
     */
    LOOKING_MOST = 512,
};

/* ---- Room ---------------------------------------------------------------------------------------------- */

/* How many tiles of a class may wait to be made. */
static unsigned share_of(const struct pool *pool, enum metric_class class)
{
    static const unsigned divisor[CLASSES] = {
        [CLASS_WAITING] = 1, [CLASS_NEIGHBOUR] = 2, [CLASS_BULK] = 4, [CLASS_IDLE] = 4};
    const unsigned share = pool->options.queue / divisor[class];
    return share ? share : 1;
}

/* Of tiles that are in the way of a class: CLASS_IDLE is in nobody's but its own. */
static unsigned tiles_before(const struct pool *pool, enum metric_class class)
{
    return pool->jobs.tiles - (class == CLASS_IDLE ? 0 : pool->jobs.places[CLASS_IDLE]);
}

/*
 * Each class but the first has a share, so that the first always finds some of the queue; whatever others hold, all is all.
 * Besides those that wait, so many more are to come, and so many more of the class.
 */
static bool room_besides(const struct pool *pool, enum metric_class class, unsigned all, unsigned of_class)
{
    return tiles_before(pool, class) + all < pool->options.queue &&
           pool->jobs.places[class] + of_class < share_of(pool, class);
}

bool pool_has_room(const struct pool *pool, enum metric_class class)
{
    return pool->jobs.looking + tiles_before(pool, class) < pool->options.queue &&
           room_besides(pool, class, 0, 0);
}

bool pool_may_look(const struct pool *pool, enum metric_class class)
{
    return (pool->options.disk || pool->options.remote) &&
           pool->jobs.looking < (unsigned)LOOKING_MOST >> class;
}

/* What a flow may hold of a class where others want some, too. */
static unsigned fair_share(const struct pool *pool, const struct flow *flow, enum metric_class class)
{
    const unsigned askers = pool->jobs.askers + (flow->tiles == 0);
    const unsigned share = share_of(pool, class) / (askers ? askers : 1);
    return share ? share : 1;
}

enum pool_outcome pool_no_room(const struct pool *pool, const struct flow *flow, enum metric_class class)
{
    const bool alone = pool->jobs.askers - (flow->tiles > 0) == 0;
    return !alone && flow->tiles >= fair_share(pool, flow, class) ? POOL_OVER : POOL_FULL;
}

/*
 * Under the lock: the youngest tile of whoever holds most gives way, where that is two more than the flow's at least: so who
 * came in its place is not the next to go.
 */
bool pool_make_room(struct pool *pool, const struct flow *flow, enum metric_class class,
                    struct ousted *ousted)
{
    const bool of_class = pool->jobs.places[class] >= share_of(pool, class);
    struct flow *greatest = jobs_greatest(&pool->jobs, of_class ? class : CLASSES);
    const unsigned own = of_class ? flow->places[class] : flow->tiles;
    if (!greatest || greatest == flow || (of_class ? greatest->places[class] : greatest->tiles) < own + 2)
        return false;
    const bool gone =
        jobs_push_out(&pool->jobs, greatest, of_class ? class : CLASSES, &ousted->ended, &ousted->waiters);
    metrics_add(&pool->options.metrics->pushed_out, gone);
    return gone;
}

bool pool_may_go_on(struct pool *pool, const struct job *job, struct ousted *ousted)
{
    return jobs_wanted(job) && (job->needed || room_besides(pool, job->class, 0, 0) ||
                                pool_make_room(pool, job->flow, job->class, ousted));
}

void pool_oust(struct pool *pool, const struct ousted *ousted)
{
    pool_wake(ousted->waiters, POOL_OVER);
    pool_free_jobs(pool, ousted->ended);
}

/* Does another request of the client nap for room? Linear in those who nap. */
static bool naps(const struct pool *pool, const struct client_id *client)
{
    for (const struct waiter *waiter = pool->napping; waiter; waiter = waiter->next)
        if (waiter->client.low == client->low && waiter->client.high == client->high)
            return true;
    return false;
}

bool pool_others_first(const struct pool *pool, const struct pool_ask *ask, const struct flow *flow)
{
    if (!ask->again || ask->turn || !pool->napping)
        return false;
    return flow->tiles >= fair_share(pool, flow, ask->class) || naps(pool, &ask->payer.client);
}

/* ---- Naps ---------------------------------------------------------------------------------------------- */

/* Under the lock: who waits for the time alone, by deadline; most come behind all. */
static void insert_by_deadline(struct pool *pool, struct waiter *waiter)
{
    struct waiter *before = pool->resting_last;
    while (before && before->deadline_ns > waiter->deadline_ns)
        before = before->previous;
    waiter->previous = before;
    waiter->next = before ? before->next : pool->resting;
    *(before ? &before->next : &pool->resting) = waiter;
    *(waiter->next ? &waiter->next->previous : &pool->resting_last) = waiter;
}

/* Under the lock: behind those who have waited for as long, or longer. */
static void insert_by_age(struct pool *pool, struct waiter *waiter)
{
    struct waiter **at = &pool->napping;
    while (*at && (*at)->since_ns <= waiter->since_ns)
        at = &(*at)->next;
    waiter->next = *at;
    *at = waiter;
}

bool pool_nap(struct pool *pool, struct waiter *waiter, enum metric_class class, unsigned ms)
{
    uv_mutex_lock(&pool->lock);
    const bool naps = !pool->refusing;
    if (naps) {
        waiter->blob = NULL;
        waiter->class = class;
        waiter->deadline_ns = uv_hrtime() + (uint64_t)ms * 1000000;
        (class < CLASSES ? insert_by_age : insert_by_deadline)(pool, waiter);
    }
    uv_mutex_unlock(&pool->lock);
    return naps;
}

struct rested pool_take_rested(struct pool *pool, uint64_t now)
{
    struct rested rested = {0};
    unsigned taken[CLASSES] = {0}, all = 0;
    for (struct waiter **at = &pool->napping, *waiter; (waiter = *at) != NULL;) {
        const enum metric_class class = waiter->class;
        const bool late = waiter->deadline_ns <= now;
        if (!late && !room_besides(pool, class, all, taken[class])) {
            at = &waiter->next;
            continue;
        }
        *at = waiter->next;
        if (!late) {
            taken[class]++;
            all++;
        }
        struct waiter **to = late ? &rested.late : &rested.roomy;
        waiter->next = *to;
        *to = waiter;
    }
    for (struct waiter *waiter; (waiter = pool->resting) != NULL && waiter->deadline_ns <= now;) {
        pool->resting = waiter->next;
        *(waiter->next ? &waiter->next->previous : &pool->resting_last) = NULL;
        waiter->next = rested.late;
        rested.late = waiter;
    }
    return rested;
}
