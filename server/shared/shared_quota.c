/*
 * How many operations the holders of keys have written lately: of the second as tokens, of the day, in UTC, as a number that the log of
 * every world brings back at a start.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "shared.h"

static const int64_t DAY_MS = 86400000, S_MS = 1000;

struct used {
    char by[SHARED_BY_BYTES + 1];
    int64_t day;
    uint64_t today;           /* operations of that day */
    int64_t left_m, since_ms; /* thousandths of operations that are left of the second, then */
};

struct shared_quota {
    pthread_mutex_t lock;
    struct used *used;
    uint32_t
        *slot; /* 2 * room of them: from where a name's hash points on, its place in used and 1; 0: free */
    size_t count, room; /* of used: 16 times a power of two */
};

struct shared_quota *shared_quota_create(void)
{
    struct shared_quota *quota = calloc(1, sizeof *quota);
    if (quota)
        pthread_mutex_init(&quota->lock, NULL);
    return quota;
}

void shared_quota_free(struct shared_quota *quota)
{
    if (!quota)
        return;
    pthread_mutex_destroy(&quota->lock);
    free(quota->used);
    free(quota->slot);
    free(quota);
}

/* The slot that has a name, or the free one where it belongs. */
static uint32_t *slot_of(const struct shared_quota *quota, const char *by)
{
    const size_t mask = 2 * quota->room - 1;
    size_t at = (size_t)XXH3_64bits(by, strlen(by)) & mask;
    while (quota->slot[at] && strcmp(quota->used[quota->slot[at] - 1].by, by) != 0)
        at = (at + 1) & mask;
    return &quota->slot[at];
}

/* Has room for one more; false: memory is short. */
static bool make_room(struct shared_quota *quota)
{
    if (quota->count < quota->room)
        return true;
    const size_t room = quota->room ? 2 * quota->room : 16;
    struct used *used = realloc(quota->used, room * sizeof *used);
    if (!used)
        return false;
    quota->used = used;
    uint32_t *slot = calloc(2 * room, sizeof *slot);
    if (!slot)
        return false;
    free(quota->slot);
    quota->slot = slot;
    quota->room = room;
    for (size_t k = 0; k < quota->count; k++)
        *slot_of(quota, quota->used[k].by) = (uint32_t)k + 1;
    return true;
}

/* Under the lock; NULL: memory is short. */
static struct used *used_of(struct shared_quota *quota, const char *by, int64_t now_ms)
{
    if (!make_room(quota))
        return NULL;
    uint32_t *slot = slot_of(quota, by);
    if (*slot == 0) {
        struct used *fresh = &quota->used[quota->count];
        *fresh = (struct used){.day = now_ms / DAY_MS, .left_m = INT64_MAX / 2};
        snprintf(fresh->by, sizeof fresh->by, "%s", by);
        *slot = (uint32_t)++quota->count;
    }
    struct used *used = &quota->used[*slot - 1];
    if (used->day != now_ms / DAY_MS) {
        used->day = now_ms / DAY_MS;
        used->today = 0;
    }
    return used;
}

bool shared_quota_note(struct shared_quota *quota, const struct shared_edit *edit, int64_t now_ms)
{
    if (edit->at_ms / DAY_MS != now_ms / DAY_MS)
        return true;
    pthread_mutex_lock(&quota->lock);
    struct used *used = used_of(quota, edit->by, now_ms);
    if (used)
        used->today += shared_edit_cost(edit);
    pthread_mutex_unlock(&quota->lock);
    return used != NULL;
}

/* Under the lock: the tokens of now, one second's at most. */
static void refill(struct used *used, unsigned per_second, int64_t now_ms)
{
    const int64_t max_m = (int64_t)per_second * 1000;
    const int64_t passed_ms = now_ms > used->since_ms ? now_ms - used->since_ms : 0;
    const int64_t lacks_m = max_m - used->left_m;
    if (lacks_m <= 0 || passed_ms >= lacks_m / per_second + 1)
        used->left_m = max_m;
    else
        used->left_m += passed_ms * per_second;
    used->since_ms = now_ms;
}

enum shared_over shared_quota_take(struct shared_quota *quota, const char *by,
                                   const struct shared_limit *limit, size_t count, int64_t now_ms,
                                   unsigned *wait_s)
{
    enum shared_over over = SHARED_OVER_NOTHING;
    if (limit->per_second == 0 && limit->per_day == 0)
        return over;
    pthread_mutex_lock(&quota->lock);
    struct used *used = used_of(quota, by, now_ms);
    if (!used) {
        over = SHARED_OVER_MEMORY;
    } else {
        if (limit->per_second)
            refill(used, limit->per_second, now_ms);
        if (limit->per_day && used->today + count > limit->per_day) {
            over = SHARED_OVER_DAY;
            *wait_s = (unsigned)((DAY_MS - now_ms % DAY_MS) / S_MS) + 1;
        } else if (limit->per_second && used->left_m < 1000) {
            over = SHARED_OVER_SECOND;
            *wait_s = (unsigned)((1000 - used->left_m) / limit->per_second / S_MS) + 1;
        }
    }
    if (over == SHARED_OVER_NOTHING) {
        used->today += count;
        used->left_m -= limit->per_second ? (int64_t)count * 1000 : 0;
    }
    pthread_mutex_unlock(&quota->lock);
    return over;
}

void shared_quota_give_back(struct shared_quota *quota, const char *by, const struct shared_limit *limit,
                            size_t count, int64_t now_ms)
{
    if (limit->per_second == 0 && limit->per_day == 0)
        return;
    pthread_mutex_lock(&quota->lock);
    struct used *used = used_of(quota, by, now_ms);
    if (used) {
        used->today -= used->today < count ? used->today : count;
        used->left_m += limit->per_second ? (int64_t)count * 1000 : 0;
    }
    pthread_mutex_unlock(&quota->lock);
}
