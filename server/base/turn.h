/*
 * Thread priorities. Clients wait most directly for answers that are ready, so threads that answer come first, and
 * threads that make tiles take the rest. Each call affects the calling thread, needs no privilege, changes nothing if the
 * system does not allow it, and keeps settings of the operator.
 */
#ifndef TERRANE_SERVER_TURN_H
#define TERRANE_SERVER_TURN_H

#include <stdint.h>

/*
 * For a thread that wakes often and works briefly. It asks for short slices, so that the scheduler (EEVDF, from Linux 6.12
 * on) runs it at once instead of after the slice of the running thread, milliseconds later.
 */
void turn_first(void);

/*
 * For a thread with long jobs: a low priority. It still gets a share beside other busy processes; with SCHED_IDLE it would get
 * almost none.
 */
void turn_last(void);

/* The CPU time used by the calling thread. */
uint64_t turn_cpu_ns(void);

#endif
