/*
 * Priorities of threads. sched_setattr has no wrapper in older C libraries, hence the call by its number and a structure of
 * the kernel's first version (its ABI, include/uapi/linux/sched/types.h).
 */
#include "turn.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum {
    SLICE_NS = 100000, /* the kernel's min */
    MAKER_NICE = 10
};

struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

void turn_first(void)
{
#ifdef SYS_sched_setattr
    struct attributes attributes = {.size = sizeof attributes};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 ||
        attributes.policy != SCHED_OTHER)
        return;
    attributes.size = sizeof attributes;
    attributes.runtime_ns = SLICE_NS;
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
#endif
}

void turn_last(void)
{
#ifdef SCHED_BATCH
    const struct sched_param none = {0};
    if (sched_getscheduler(0) != SCHED_OTHER)
        return;
    (void)sched_setscheduler(0, SCHED_BATCH, &none);
    if (getpriority(PRIO_PROCESS, 0) < MAKER_NICE)
        (void)setpriority(PRIO_PROCESS, 0, MAKER_NICE);
#endif
}

uint64_t turn_cpu_ns(void)
{
    struct timespec time;
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}
