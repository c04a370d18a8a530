/* Priorities of threads: what each call asks of the scheduler, as the system tells it afterwards. */
#include "../unit.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "../../../server/base/turn.h"

struct turn {
    void (*take)(void);
    int policy, nice_min; /* who is later already stays so */
    int nice_before, policy_seen, nice_seen;
};

static void *take(void *argument)
{
    struct turn *turn = argument;
    turn->nice_before = getpriority(PRIO_PROCESS, 0);
    turn->take();
    turn->policy_seen = sched_getscheduler(0);
    turn->nice_seen = getpriority(PRIO_PROCESS, 0);
    return NULL;
}

static void nicer(void)
{
    assert_int_equal(setpriority(PRIO_PROCESS, 0, 15), 0);
    turn_last();
}

TEST(threads_that_make_are_last_and_those_that_answer_keep_their_place)
{
    struct turn turns[] = {{.take = turn_last, .policy = SCHED_BATCH, .nice_min = 10},
                           {.take = nicer, .policy = SCHED_BATCH, .nice_min = 15},
                           {.take = turn_first, .policy = SCHED_OTHER, .nice_min = -20}};
    for (struct turn *turn = turns; turn < turns + sizeof turns / sizeof *turns; turn++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, take, turn), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(turn->policy_seen, turn->policy);
        assert_int_equal(turn->nice_seen,
                         turn->nice_before > turn->nice_min ? turn->nice_before : turn->nice_min);
    }
}

GROUP(turn);
