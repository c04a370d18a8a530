/* Priorities of threads: what each call asks of the scheduler, as the system tells it afterwards. */
#include "../unit.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "../../../server/base/turn.h"

struct seen {
    void (*turn)(void);
    int before, policy, nice;
};

static void *take(void *argument)
{
    struct seen *seen = argument;
    seen->before = getpriority(PRIO_PROCESS, 0);
    seen->turn();
    seen->policy = sched_getscheduler(0);
    seen->nice = getpriority(PRIO_PROCESS, 0);
    return NULL;
}

static struct seen in_a_thread(void (*turn)(void))
{
    struct seen seen = {.turn = turn};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, take, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return seen;
}

TEST(threads_that_make_are_last)
{
    const struct seen seen = in_a_thread(turn_last);
    assert_int_equal(seen.policy, SCHED_BATCH);
    assert_int_equal(seen.nice, seen.before > 10 ? seen.before : 10);
}

TEST(threads_that_answer_keep_policy_and_priority)
{
    const struct seen seen = in_a_thread(turn_first);
    assert_int_equal(seen.policy, SCHED_OTHER);
    assert_int_equal(seen.nice, seen.before);
}

static void nicer(void)
{
    assert_int_equal(setpriority(PRIO_PROCESS, 0, 15), 0);
    turn_last();
}

TEST(who_is_later_already_stays_so)
{
    const struct seen seen = in_a_thread(nicer);
    assert_int_equal(seen.nice, seen.before > 15 ? seen.before : 15);
}

GROUP(turn);
