/*
 * The clock of a room that wraps uv_hrtime (tests.mk, UNIT_WRAP_ROOM): the machine's, until a test stops it; then time passes when the
 * test says so.
 */
#ifndef TERRANE_TESTS_CLOCK_KIT_H
#define TERRANE_TESTS_CLOCK_KIT_H

#include "unit.h"

#include <stdatomic.h>
#include <uv.h>

SHARED atomic_uint_fast64_t stopped_ns; /* 0: it runs */

WRAPS(uv_hrtime);
SHARED uint64_t __wrap_uv_hrtime(void)
{
    const uint64_t now_ns = atomic_load(&stopped_ns);
    return now_ns ? now_ns : __real_uv_hrtime();
}

/* Before a stage opens, which may let it run again when it closes. */
static inline void clock_stop(void)
{
    atomic_store(&stopped_ns, __real_uv_hrtime());
}

static inline void clock_pass(unsigned ms)
{
    atomic_fetch_add(&stopped_ns, (uint64_t)ms * 1000000);
}

#endif
