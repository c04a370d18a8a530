/*
 * Whose turn it is on a core. What somebody waits for at this moment is an answer that is there already, so threads that
 * answer come first, and threads that make tiles take what is left. Each call is about the thread that makes it, needs no
 * privilege, changes nothing where the system grants less, and leaves alone what an operator has set himself.
 */
#ifndef TERRANE_SERVER_TURN_H
#define TERRANE_SERVER_TURN_H

#include <stdint.h>

/*
 * For a thread that wakes often and works briefly: it asks for short slices, so that the scheduler (EEVDF, from Linux 6.12
 * on) lets it in at once, instead of when the slice of the running thread is over, which is milliseconds.
 */
void turn_first(void);

/*
 * For a thread that works for long, on what nobody waits for at this moment or waits for long anyway: a low priority. It still
 * has a share beside other busy processes, of which SCHED_IDLE would leave it next to none.
 */
void turn_last(void);

/* The CPU time that the calling thread has had. */
uint64_t turn_cpu_ns(void);

#endif
