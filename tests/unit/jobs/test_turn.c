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

static void nicer(void)
{
    assert_int_equal(setpriority(PRIO_PROCESS, 0, 15), 0);
    turn_last();
}

TEST(threads_that_make_are_last_and_those_that_answer_keep_their_place)
{
    static const struct {
        void (*turn)(void);
        int policy, nice_min; /* who is later already stays so */
    } turns[] = {{turn_last, SCHED_BATCH, 10}, {nicer, SCHED_BATCH, 15}, {turn_first, SCHED_OTHER, -20}};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        const struct seen seen = in_a_thread(turns[i].turn);
        assert_int_equal(seen.policy, turns[i].policy);
        assert_int_equal(seen.nice, seen.before > turns[i].nice_min ? seen.before : turns[i].nice_min);
    }
}

GROUP(turn);
